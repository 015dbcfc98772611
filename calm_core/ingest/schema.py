"""Schema: what each column means, how it is read and how its values become codes. Frozen, and saved as JSON."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from calm_core._checks import check_count
from calm_core.errors import DataError, InputError
from calm_core.ingest.steps import Step, read_steps, write_steps
from calm_core.ingest.suggestions import Proposal, Question, make_proposals
from calm_core.ingest.values.amounts import NumberForm, parse_amounts
from calm_core.ingest.values.dates import DAY, FORMS, OLD_FORMS, ORDERS, UNITS, parse_dates
from calm_core.ingest.values.units import SCALES
from calm_core.io.atomic_files import read_file
from calm_core.io.json_types import build_dataclass
from calm_core.tables.domain import Domain
from calm_core.text import format_count, format_reasons, join_some

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
        where = f"schema column {self.name!r:.80}"
        if not isinstance(self.name, str) or not self.name:
            raise InputError("schema column names must be non-empty texts")
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
        if self.missing_counts and len(self.missing_counts) != len(self.missing_texts):
            raise InputError(f"{where}: missing_counts must be one for each of missing_texts")
        self._check_choices(where)
        self._check_names(where)

    def _check_choices(self, where: str) -> None:
        choices = (
            ("kind", (self.kind,), KINDS),
            ("missing", (self.missing,), MISSING_RULES),
            ("decimal", (self.decimal,), (".", ",")),
            ("date_order", (self.date_order,), ORDERS),
            ("scales", self.scales, SCALES),
            ("negative", (self.negative,), ("", "()")),
            ("date_forms", self.date_forms, FORMS),
            ("bin_unit", (self.bin_unit,), ("", *UNITS)),
        )
        for name, values, allowed in choices:
            if wrong := [text for text in values if text not in allowed]:
                raise InputError(
                    f"{where}: {name} ({wrong[0]!r:.40}) must be one of {', '.join(allowed)}"
                )

    def _check_names(self, where: str) -> None:
        called = {"title": [self.title], "short": [self.short], "value_names": self.value_names}
        for name, texts in called.items():
            if any(not isinstance(text, str) or text != text.strip() for text in texts):
                raise InputError(f"{where}: {name} must be texts without outer spaces")
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

    def recode(self, labels: Iterable[str], new: Mapping[int, int], **changes) -> "ColumnSchema":
        """The same column with these labels, and the new code of each code that values take."""
        groups = tuple(new[group] for group in self.groups)
        codes = {name: new.get(getattr(self, name)) for name in ("other", "missing_code")}
        return self.with_labels(labels, **{"groups": groups} | codes | changes)

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


FORMAT = "calm-lab schema 1"
MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class Schema:
    """One ColumnSchema per column, in table order, or in the order chosen.

    Attributes
    ----------
    columns : tuple of ColumnSchema
    notes : tuple of str
        What detection or choosing has decided, in sentences.
    steps : tuple of steps
        How a table is prepared before its columns are read: see `calm_core.ingest.steps`.
    """

    columns: tuple[ColumnSchema, ...]
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()

    def __post_init__(self):
        for name in ("columns", "notes", "steps"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            raise InputError("schema columns must have distinct names")
        titles = [column.title or column.name for column in self.columns]
        for title in titles if len(set(titles)) != len(titles) else ():
            if titles.count(title) > 1:
                raise InputError(f"title ({title:.80}) must be of one column only; choose another")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns."""
        return tuple(column.name for column in self.columns)

    @property
    def used_columns(self) -> tuple[ColumnSchema, ...]:
        """The columns that become attributes."""
        return tuple(column for column in self.columns if column.keep)

    @property
    def domain(self) -> Domain:
        """Domain of the used columns."""
        used = self.used_columns
        if not used:
            raise DataError("no column is kept; choose at least one")
        return Domain(
            tuple(column.name for column in used),
            tuple(column.size for column in used),
            tuple(column.labels for column in used),
            tuple(column.title or column.name for column in used),
            tuple(column.short for column in used),
            tuple(column.value_names for column in used),
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """A sentence about each column that cannot be used."""
        return tuple(
            f"Column {column.name!r:.80} is left out: {column.reason}."
            for column in self.columns
            if not column.keep and column.reason
        )

    def column(self, name: str) -> ColumnSchema:
        """One column by name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(
            f"column {name!r:.80} is not in the table; its columns are {join_some([f'{name:.40}' for name in self.names], 12)}"
        )

    def with_column(self, column: ColumnSchema) -> "Schema":
        """The same schema with one column replaced."""
        at = self.columns.index(self.column(column.name))
        return replace(self, columns=(*self.columns[:at], column, *self.columns[at + 1 :]))

    def choose(self, columns: Iterable[str]) -> "Schema":
        """The schema with exactly the named columns, in this order."""
        names = [columns] if isinstance(columns, str) else list(columns)
        if not names:
            raise InputError("columns must name at least one column")
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"columns must be distinct; {name!r:.80} appears more than once")
        used = [replace(self.column(name), keep=True, reason="") for name in names]
        rest = [replace(c, keep=False) for c in self.columns if c.name not in names]
        return replace(self, columns=(*used, *rest))

    def first(self, d: int, names: Sequence[str] = ()) -> "Schema":
        """The schema with the first d usable columns, or of these names of them."""
        names = names or [column.name for column in self.used_columns]
        usable = len(names)
        if not usable:
            why = format_reasons({c.name: c.reason for c in self.columns if c.reason})
            if not self.columns:
                raise DataError("the table has no columns")
            count = len(self.columns)
            none = "the only column cannot" if count == 1 else f"none of the {count:,} columns can"
            raise DataError(f"{none} be used{why}. Add at least two whose values differ and repeat")
        remedy = f"the table has {format_count(usable, 'usable column')}"
        d = check_count("d", d, low=1, high=usable, remedy=remedy)
        rest = set(names[d:])
        columns = (replace(c, keep=False) if c.name in rest else c for c in self.columns)
        return replace(self, columns=tuple(columns))

    def check_against(self, names: Iterable[str]) -> None:
        """Raise if a used column is not in the table."""
        names = set(names)
        absent = [column.name for column in self.used_columns if column.name not in names]
        if absent:
            raise DataError(f"column {absent[0]!r:.80} of the schema is not in the table")

    def to_json(self) -> str:
        """The schema as a JSON text that `from_json` reads back unchanged."""
        # Empty fields are not written, so old schemas keep their digests.
        columns = [asdict(column).items() for column in self.columns]
        columns = [{k: v for k, v in c if v or k not in LEFT_OUT_IF_EMPTY} for c in columns]
        plain = {"format": FORMAT, "columns": columns}
        if self.steps:
            plain["steps"] = write_steps(self.steps)
        return json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Schema":
        """A schema from saved JSON; raises DataError if it is malformed."""
        try:
            plain = json.loads(text)
            if not isinstance(plain, dict) or plain.get("format") != FORMAT:
                raise DataError(f"the schema file must be JSON with format {FORMAT!r}")
            columns = (
                build_dataclass(
                    column, ColumnSchema, "schema", f" of column {column.get('name')!r:.80}"
                )
                for column in plain["columns"]
            )
            return cls(tuple(columns), steps=read_steps(plain.get("steps", ())))
        except DataError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise DataError(f"the schema file is not valid: {str(error)[:150]}") from error

    @classmethod
    def load(cls, path: str | Path) -> "Schema":
        """A schema from a file."""
        what = f"schema file {str(path)!r:.200}"
        return cls.from_json(read_file(path, what=what, max_bytes=MAX_BYTES))

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any part of the schema."""
        return hashlib.sha256(self.to_json().encode("utf-8", "surrogatepass")).hexdigest()[:16]
