"""ColumnSchema: how one column is read and encoded."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError, InputError
from calm_core.ingest.normalize_table import BLANKS
from calm_core.ingest.suggestions import Proposal, Question, make_proposals
from calm_core.ingest.table import pc
from calm_core.ingest.values.amounts import NumberForm, parse_amounts
from calm_core.ingest.values.calendar import UNITS
from calm_core.ingest.values.dates import DAY, FORMS, OLD_FORMS, ORDERS, parse_dates
from calm_core.ingest.values.units import SCALES
from calm_core.io.json_types import build_fields, check_types

KINDS = ("yes/no", "category", "ordered", "number", "date", "id-like", "text", "constant")
ORDERED_KINDS = ("ordered", "number", "date")
MISSING_RULES = ("value", "rows")
OTHER, MISSING = "other", "missing"
# Written to a file only if not empty, so that old schemas keep their digests.
LEFT_OUT_IF_EMPTY = (
    "title", "short", "value_names", "thousands", "units", "scales", "negative", "date_forms",
    "bin_unit", "missing_counts", "questions", "codes", "declined",
)  # fmt: skip


@dataclass(frozen=True)
class ColumnSchema:
    """How one column is read.

    A cell becomes a code in this order: an empty cell (or a text listed in `missing_texts`) takes
    the missing code or its row is left out; a listed text takes its group; a number takes its bin;
    anything else takes the code of "other", or its row is left out if there is none.

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
        How often each of `missing_texts` occurred, if that is known.
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
            self.apply_changes(one.changes)

    def apply_changes(self, changes: str) -> "ColumnSchema":
        """The column with the fields that an answer or a proposal sets; it has no questions left."""
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
        right = len(self.value_names) == len(set(self.display_names)) == self.size
        if self.value_names and not right:
            raise InputError(
                f"{where}: value_names must be one for each of {self.size} labels, all different"
            )

    @property
    def size(self) -> int:
        """Number of values in the domain."""
        return len(self.labels)

    @property
    def display_names(self) -> tuple[str, ...]:
        """Name of each code on screen."""
        named = self.value_names or self.labels
        return tuple(name or label for name, label in zip(named, self.labels))

    def with_labels(self, labels: Iterable[str], **changes) -> "ColumnSchema":
        """The same column with other labels; labels that stay keep their display names.

        Examples
        --------
        >>> sex = ColumnSchema("sex", "yes/no", labels=("0", "1"), value_names=("man", "woman"))
        >>> sex.with_labels(("1", "missing")).display_names
        ('woman', 'missing')
        """
        labels = tuple(labels)
        return replace(self, labels=labels, value_names=self.value_names_for(labels), **changes)

    def value_names_for(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """Display names of these labels, as `value_names`; none that equals another label."""
        named = dict(zip(self.labels, self.value_names))
        names = [named.get(label, "") for label in labels]
        names = tuple("" if name in labels else name for name in names)
        return names if any(names) else ()

    @property
    def unit(self) -> str:
        """The unit of the numbers, such as "EUR", "%" or "kg"; "" if they have none."""
        return next((unit for unit in self.units if unit), "")

    @property
    def forms_of_dates(self) -> tuple[str, ...]:
        """Forms in which its texts are read as dates."""
        return self.date_forms or OLD_FORMS[self.date_order]

    @cached_property
    def proposals(self) -> tuple[Proposal, ...]:
        """Changes that are made only if the user accepts them."""
        return make_proposals(self)

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers (or dates) put into bins."""
        return self.edges is not None

    @property
    def ordered(self) -> int:
        """How many of the first codes are ordered: bins, or a scale up to "other" or missing.

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
    """Fields of a column from a file's JSON; raises if one has the wrong type."""
    of = f" of column {str(plain.get('name'))!r:.80}"
    return build_fields(check_types(plain, ColumnSchema, "schema", of), ColumnSchema)


def read_numbers(texts: pa.Array, column: ColumnSchema) -> np.ndarray:
    """Each text as a number (dates: days since 1970); NaN if it is none.

    Examples
    --------
    >>> column = ColumnSchema("fee", "number", units=("EUR",), labels=("any",), edges=())
    >>> read_numbers(pa.array(["€1,200.50", "9", "none"]), column).tolist()
    [1200.5, nan, nan]
    """
    if column.kind != "date":
        form = NumberForm(column.decimal, column.units, column.scales, column.negative)
        return parse_amounts(texts).read(form)
    forms = column.forms_of_dates
    days = parse_dates(texts, forms).read(column.date_order, forms) / DAY
    # If bins end on whole days, the time does not matter.
    whole = all(edge == round(edge) for edge in column.edges or ())
    return np.floor(days) if column.edges is not None and whole else days


def read_values(texts: Sequence[str], column: ColumnSchema) -> np.ndarray:
    """Numbers or dates of the cells of a column.

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
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"pay": [f"€{i},500.00" for i in range(1, 40)] + ["n/a"]})
    >>> read_values(["€1,500.00", "n/a"], detect_schema(table).columns[0]).tolist()
    [1500.0, nan]
    """
    if column.kind not in ("number", "date"):
        raise InputError(
            f"column {column.name!r:.80} ({column.kind}) must be of numbers or dates to be read so"
        )
    cells = pc.utf8_trim(pa.array(list(texts), pa.string()), BLANKS).dictionary_encode()
    if column.kind == "date":
        forms = column.forms_of_dates
        numbers = parse_dates(cells.dictionary, forms).read(column.date_order, forms)
    else:
        numbers = read_numbers(cells.dictionary, column)
    empty = np.asarray(pc.is_in(cells.dictionary, pa.array(column.missing_texts, pa.string())))
    numbers = np.append(np.where(empty, np.nan, numbers), np.nan)
    found = numbers[np.asarray(cells.indices.fill_null(len(cells.dictionary)))]
    if column.kind == "number":
        return found
    out = np.full(len(found), np.datetime64("NaT"), "datetime64[s]")
    known = ~np.isnan(found)
    out[known] = found[known].astype(np.int64).astype("datetime64[s]")
    return out
