"""ColumnSchema: how one column is read and what its values become."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError, InputError
from calm_core.ingest.normalize_table import BLANKS
from calm_core.ingest.suggestions import Proposal, Question, proposals_of
from calm_core.ingest.table import pc
from calm_core.ingest.values.amounts import NumberForm, amounts_of
from calm_core.ingest.values.calendar import UNITS
from calm_core.ingest.values.dates import DAY, FORMS, OLD_FORMS, ORDERS, dates_of
from calm_core.ingest.values.units import SCALES
from calm_core.io.json_types import build_fields, check_types

KINDS = ("yes/no", "category", "ordered", "number", "date", "id-like", "text", "constant")
ORDERED_KINDS = ("ordered", "number", "date")
MISSING_RULES = ("value", "rows")
OTHER, MISSING = "other", "missing"
# What is written to a file only where it says something, so that old schemas keep their digests: names
# on the screen, on which no number depends, and how texts are read that a computer would write otherwise.
LEFT_OUT_IF_EMPTY = (
    "title", "short", "value_names", "thousands", "units", "scales", "negative", "date_forms",
    "bin_unit", "missing_counts", "questions", "codes", "declined",
)  # fmt: skip


@dataclass(frozen=True)
class ColumnSchema:
    """How one column is read.

    A cell becomes a code in this order: an empty cell (or a text listed in `missing_texts`) takes
    the missing code or its row is left out; a listed text takes its group; a number takes its bin;
    anything else takes the code of "other", or its row is left out where there is none.

    Attributes
    ----------
    name, kind : str
    n_values, n_missing : int
        Distinct values and empty cells found.
    keep : bool
        Whether the column is used unless asked for by name; `reason` says why not (empty: not chosen).
    labels : tuple of str
        Text of every code, in order; its length is the number of values in the domain.
    values, counts, groups : tuple
        Listed texts, how often each occurred, and the code each takes.
    edges : tuple of float
        Upper ends (inclusive) of all bins but the last; bins take codes 0..len(edges).
    binning : str
        Where the edges come from: "quantiles", "width", "calendar", "fixed" or "" (no bins).
    sketch : tuple of float
        121 quantiles of the numbers, from which any other binning is made.
    other, missing_code : int or None
        Codes of "other" and of missing cells.
    missing : str
        "value" (a value of its own) or "rows" (rows left out).
    missing_counts : tuple of int
        How often each of `missing_texts` occurred, where that is known.
    decimal : str
        "." or ",": what a number such as 1.234 or 1,234 means.
    date_order : str
        "ymd", "dmy" or "mdy": what a date such as 01/05/2013 means.
    thousands : str
        Signs found between thousands.
    units : tuple of str
        Units that numbers have in the file ("" is none); (): none.
    scales : tuple of str
        Words for powers of ten that are read, such as "k" and "mio".
    negative : str
        "()" where brackets mean less than zero.
    date_forms : tuple of str
        Forms in which dates are written; (): as in `date_order` only.
    bin_unit : str
        Unit of the calendar that bins of dates have.
    questions : tuple of Question
        What the texts leave in doubt; until answered the column is read by the choice taken.
    codes : tuple of Proposal
        Numbers that may mean missing; part of `proposals`.
    declined : tuple of str
        Proposals that somebody has declined.
    title, short : str
        What the column is called on screen, at length and in tight places; empty: its name.
    value_names : tuple of str
        What the codes are called on screen, one for each label ("": the label), or none at all.
    """

    name: str
    kind: str
    n_values: int = 0
    n_missing: int = 0
    keep: bool = True
    reason: str = ""
    labels: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    edges: tuple[float, ...] | None = None
    binning: str = ""
    sketch: tuple[float, ...] = ()
    numbers_count: int = 0
    other: int | None = None
    other_count: int = 0
    missing_code: int | None = None
    missing: str = "value"
    missing_texts: tuple[str, ...] = ()
    decimal: str = "."
    date_order: str = "ymd"
    title: str = ""
    short: str = ""
    value_names: tuple[str, ...] = ()
    thousands: str = ""
    units: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()
    negative: str = ""
    date_forms: tuple[str, ...] = ()
    bin_unit: str = ""
    missing_counts: tuple[int, ...] = ()
    questions: tuple[Question, ...] = ()
    codes: tuple[Proposal, ...] = ()
    declined: tuple[str, ...] = ()

    def __post_init__(self):
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, list):
                object.__setattr__(self, item.name, tuple(value))
        self._check()

    def _check(self):
        where = f"schema column {self.name!r:.80}"
        if not isinstance(self.name, str) or not self.name:
            raise InputError("schema column names must be non-empty texts")
        if self.kind not in KINDS:
            raise InputError(f"{where}: kind ({self.kind}) must be one of {', '.join(KINDS)}")
        if self.missing not in MISSING_RULES:
            raise InputError(f"{where}: missing ({self.missing}) must be 'value' or 'rows'")
        if not (len(self.values) == len(self.groups) == len(self.counts)):
            raise InputError(f"{where}: values, counts and groups must be equally many")
        if len(set(self.values)) != len(self.values):
            raise InputError(f"{where}: values must be distinct")
        edges = self.edges or ()
        if any(not a < b for a, b in zip(edges, edges[1:])):
            raise InputError(f"{where}: edges {edges} must increase")
        size, bins = len(self.labels), 0 if self.edges is None else len(edges) + 1
        codes = [*self.groups, *(c for c in (self.other, self.missing_code) if c is not None)]
        if bins > size or any(not 0 <= code < size for code in codes):
            raise InputError(f"{where}: every code must be from 0 to {size - 1} (one per label)")
        self._check_names(where)
        self._check_reading(where)

    def _check_reading(self, where: str) -> None:
        known = (
            ("decimal", (self.decimal,), (".", ",")),
            ("date_order", (self.date_order,), ORDERS),
            ("scales", self.scales, SCALES),
            ("negative", (self.negative,), ("", "()")),
            ("date_forms", self.date_forms, FORMS),
            ("bin_unit", (self.bin_unit,), ("", *UNITS)),
        )
        for name, found, allowed in known:
            if wrong := [text for text in found if text not in allowed]:
                raise InputError(
                    f"{where}: {name} ({wrong[0]!r:.40}) must be one of {', '.join(allowed)}"
                )
        if self.missing_counts and len(self.missing_counts) != len(self.missing_texts):
            raise InputError(f"{where}: missing_counts must be one for each of missing_texts")
        offered = [choice for question in self.questions for choice in question.choices]
        for one in (*offered, *(proposal for proposal in self.codes if proposal.changes)):
            self.changed(one.changes)

    def changed(self, changes: str) -> "ColumnSchema":
        """The column with the fields that an answer or a proposal decides; nothing more is asked."""
        fields_of = json.loads(changes)
        try:
            plain = column_fields(fields_of)
            return replace(self, **{"questions": (), "codes": (), "value_names": ()} | plain)
        except (DataError, TypeError) as error:
            raise InputError(f"schema column {self.name!r:.80}: {error}") from error

    def _check_names(self, where: str) -> None:
        for name in ("title", "short"):
            text = getattr(self, name)
            if not isinstance(text, str) or text != text.strip():
                raise InputError(
                    f"{where}: {name} ({text!r:.60}) must be a text without outer spaces"
                )
        if any(not isinstance(text, str) or text != text.strip() for text in self.value_names):
            raise InputError(f"{where}: value_names must be texts without outer spaces")
        right = len(self.value_names) == len(set(self.called)) == self.size
        if self.value_names and not right:
            raise InputError(
                f"{where}: value_names must be one for each of {self.size} labels, all different"
            )

    @property
    def size(self) -> int:
        """Number of values in the domain."""
        return len(self.labels)

    @property
    def called(self) -> tuple[str, ...]:
        """What every code is called on screen."""
        named = self.value_names or self.labels
        return tuple(name or label for name, label in zip(named, self.labels))

    def relabelled(self, labels: Iterable[str], **changes) -> "ColumnSchema":
        """The same column with other labels; those that stay keep what they are called on screen.

        Examples
        --------
        >>> sex = ColumnSchema("sex", "yes/no", labels=("0", "1"), value_names=("man", "woman"))
        >>> sex.relabelled(("1", "missing")).called
        ('woman', 'missing')
        """
        labels = tuple(labels)
        return replace(self, labels=labels, value_names=self.names_for(labels), **changes)

    def names_for(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """What these labels are called here, as `value_names`; no name that one of them has itself."""
        named = dict(zip(self.labels, self.value_names))
        names = [named.get(label, "") for label in labels]
        names = tuple("" if name in labels else name for name in names)
        return names if any(names) else ()

    @property
    def unit(self) -> str:
        """The unit of the numbers, such as "EUR", "%" or "kg"; "" where they have none."""
        return next((unit for unit in self.units if unit), "")

    @property
    def number_form(self) -> NumberForm:
        """How its texts are read as numbers."""
        return NumberForm(self.decimal, self.units, self.scales, self.negative)

    @property
    def forms_of_dates(self) -> tuple[str, ...]:
        """In which forms its texts are read as dates."""
        return self.date_forms or OLD_FORMS[self.date_order]

    @cached_property
    def proposals(self) -> tuple[Proposal, ...]:
        """What may be changed and is changed only when accepted."""
        return proposals_of(self)

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers (or dates) put into bins."""
        return self.edges is not None

    @property
    def ordered(self) -> int:
        """How many of the first codes stand in an order: bins, or a scale up to "other" or missing.

        Examples
        --------
        >>> texts = {"values": ("1", "2", "3"), "counts": (5, 4, 3), "groups": (0, 1, 2)}
        >>> scale = ColumnSchema("pain", "ordered", labels=("1", "2", "3", "missing"), missing_code=3, **texts)
        >>> scale.ordered, replace(scale, kind="category").ordered
        (3, 0)
        """
        if self.edges is not None:
            return len(self.edges) + 1
        if self.kind not in ORDERED_KINDS:
            return 0
        return min(code for code in (self.other, self.missing_code, self.size) if code is not None)

    def label_counts(self) -> list[int]:
        """How often each code occurred in the table the schema was made from."""
        counts = [0] * self.size
        for group, count in zip(self.groups, self.counts):
            counts[group] += count
        if self.other is not None:
            counts[self.other] += self.other_count
        if self.missing_code is not None:
            counts[self.missing_code] += self.n_missing
        return counts


def column_fields(plain: dict) -> dict:
    """Fields of a column from the plain values of a file; one of another type is refused."""
    of = f" of column {str(plain.get('name'))!r:.80}"
    return build_fields(check_types(plain, ColumnSchema, "schema", of), ColumnSchema)


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
