"""What the texts of a column are as numbers or dates, by what its schema records and nothing else."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from calm_core.errors import InputError
from calm_core.ingest.column import ColumnSchema
from calm_core.ingest.kernels import pc
from calm_core.ingest.normalize_table import BLANKS
from calm_core.ingest.values.amounts import amounts_of
from calm_core.ingest.values.dates import DAY, dates_of


def numbers_of(texts: pa.Array, column: ColumnSchema) -> np.ndarray:
    """Every text as a number (dates: as days since 1970), NaN where it is none.

    Examples
    --------
    >>> column = ColumnSchema("fee", "number", units=("EUR",), labels=("any",), edges=())
    >>> numbers_of(pa.array(["€1,200.50", "9", "none"]), column).tolist()
    [1200.5, nan, nan]
    """
    if column.kind != "date":
        return amounts_of(texts).read(column.number_form)
    forms = column.forms_of_dates
    days = dates_of(texts, forms).read(column.date_order, forms) / DAY
    # Where bins end on whole days the time does not count.
    whole = all(edge == round(edge) for edge in column.edges or ())
    return np.floor(days) if column.edges is not None and whole else days


def values_read(texts: Sequence[str], column: ColumnSchema) -> np.ndarray:
    """What the cells of a column of numbers or dates are read as.

    Parameters
    ----------
    texts : sequence of str
        Cells, each once or as often as it occurs.
    column : ColumnSchema
        Of the kind "number" or "date".

    Returns
    -------
    ndarray
        float64, NaN where a cell is missing or no number; datetime64[s] for dates, NaT likewise.

    Raises
    ------
    InputError
        If the column is of another kind.

    Examples
    --------
    >>> from calm_core.ingest.detect import detect_schema
    >>> from calm_core.ingest.table import table_of
    >>> table = table_of({"pay": [f"€{i},500.00" for i in range(1, 40)] + ["n/a"]})
    >>> values_read(["€1,500.00", "n/a"], detect_schema(table).columns[0]).tolist()
    [1500.0, nan]
    """
    if column.kind not in ("number", "date"):
        raise InputError(
            f"column {column.name!r:.80} ({column.kind}) must be of numbers or dates to be read so"
        )
    cells = pc.utf8_trim(pa.array(list(texts), pa.string()), BLANKS).dictionary_encode()
    if column.kind == "date":
        forms = column.forms_of_dates
        numbers = dates_of(cells.dictionary, forms).read(column.date_order, forms)
    else:
        numbers = numbers_of(cells.dictionary, column)
    empty = np.asarray(pc.is_in(cells.dictionary, pa.array(column.missing_texts, pa.string())))
    numbers = np.append(np.where(empty, np.nan, numbers), np.nan)
    at = np.asarray(cells.indices.fill_null(len(cells.dictionary)))
    found = numbers[at]
    if column.kind == "number":
        return found
    out = np.full(len(found), np.datetime64("NaT"), "datetime64[s]")
    known = ~np.isnan(found)
    out[known] = found[known].astype(np.int64).astype("datetime64[s]")
    return out
