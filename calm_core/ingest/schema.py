"""Schema: what each column means and how its values become codes. Frozen, and saved as JSON."""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import get_args, get_origin, get_type_hints

from calm_core._checks import check_count
from calm_core.errors import DataError, InputError
from calm_core.tables.domain import Domain

KINDS = ("yes/no", "category", "ordered", "number", "date", "id-like", "text", "constant")
MISSING_RULES = ("value", "rows")
OTHER, MISSING = "other", "missing"
FORMAT = "calm-lab schema 1"
# In schema files: counts, and edges of bins.
LARGEST = {int: 2**53, float: 1e300}


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
        Where the edges come from: "quantiles", "width", "fixed" or "" (no bins).
    sketch : tuple of float
        121 quantiles of the numbers, from which any other binning is made.
    other, missing_code : int or None
        Codes of "other" and of missing cells.
    missing : str
        "value" (a value of its own) or "rows" (rows left out).
    decimal : str
        "." or ",".
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

    @property
    def size(self) -> int:
        """Number of values in the domain."""
        return len(self.labels)

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


@dataclass(frozen=True)
class Schema:
    """One ColumnSchema per column, in table order, or in the order chosen.

    Attributes
    ----------
    columns : tuple of ColumnSchema
    notes : tuple of str
        What detection or choosing has decided, in sentences.
    """

    columns: tuple[ColumnSchema, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "notes", tuple(self.notes))
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            raise InputError("schema columns must have distinct names")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns."""
        return tuple(column.name for column in self.columns)

    @property
    def kept(self) -> tuple[ColumnSchema, ...]:
        """The columns that become attributes."""
        return tuple(column for column in self.columns if column.keep)

    @property
    def domain(self) -> Domain:
        """What the kept columns become: names, numbers of values and labels."""
        kept = self.kept
        if not kept:
            raise DataError("no column is kept; choose at least one")
        return Domain(
            tuple(column.name for column in kept),
            tuple(column.size for column in kept),
            tuple(column.labels for column in kept),
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """A sentence for every column that cannot be used as it is."""
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
            f"column {name!r:.80} is not in the table; its columns are {_listing(self.names)}"
        )

    def with_column(self, column: ColumnSchema) -> "Schema":
        """The same schema with one column replaced."""
        self.column(column.name)
        return replace(
            self, columns=tuple(column if c.name == column.name else c for c in self.columns)
        )

    def choose(self, columns: Iterable[str]) -> "Schema":
        """Keep exactly the named columns, in the order named."""
        wanted = [columns] if isinstance(columns, str) else list(columns)
        if not wanted:
            raise InputError("columns must name at least one column")
        for name in wanted:
            if wanted.count(name) > 1:
                raise InputError(f"columns must be distinct; {name!r:.80} appears more than once")
        chosen = [replace(self.column(name), keep=True, reason="") for name in wanted]
        rest = [replace(c, keep=False) for c in self.columns if c.name not in wanted]
        return replace(self, columns=(*chosen, *rest))

    def first(self, d: int) -> "Schema":
        """Keep the first d usable columns, in table order."""
        usable = len(self.kept)
        if not usable:
            raise DataError(
                "no column can be used as it is; " + " ".join(self.left_out[:3])
                if self.columns
                else "the table has no columns"
            )
        d = check_count("d", d, low=1, high=usable, remedy=f"the table has {usable} usable columns")
        keep = {column.name for column in self.kept[:d]}
        return replace(
            self,
            columns=tuple(
                c if c.name in keep or not c.keep else replace(c, keep=False) for c in self.columns
            ),
        )

    def check_against(self, names: Iterable[str]) -> None:
        """Refuse a schema that uses a column the table does not have."""
        names = set(names)
        absent = [column.name for column in self.kept if column.name not in names]
        if absent:
            raise DataError(f"column {absent[0]!r:.80} of the schema is not in the table")

    def to_json(self) -> str:
        """The schema as a JSON text that `from_json` reads back unchanged."""
        plain = {"format": FORMAT, "columns": [asdict(column) for column in self.columns]}
        return json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Schema":
        """Read a saved schema; anything malformed is a DataError."""
        try:
            plain = json.loads(text)
            if not isinstance(plain, dict) or plain.get("format") != FORMAT:
                raise DataError(f"the schema file must be JSON with format {FORMAT!r}")
            return cls(tuple(ColumnSchema(**_checked(column)) for column in plain["columns"]))
        except DataError:
            raise
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise DataError(f"the schema file is not valid: {str(error)[:150]}") from error

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Schema":
        """Read a saved schema from a file."""
        try:
            return cls.from_json(Path(path).read_bytes())
        except OSError as error:
            reason = (error.strerror or "unreadable").lower()
            raise DataError(
                f"schema file {str(path)!r:.200} cannot be opened ({reason})"
            ) from error

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any part of the schema."""
        return hashlib.sha256(self.to_json().encode("utf-8", "surrogatepass")).hexdigest()[:16]


_CALLED = {
    str: "text", bool: "true or false", int: "whole number", float: "number", NoneType: "null",
}  # fmt: skip


def _checked(column: dict) -> dict:
    """The plain values of one column, each of the type its field has; anything else is refused."""
    for name, wanted in get_type_hints(ColumnSchema).items():
        if name in column and not _is(column[name], wanted):
            raise DataError(
                f"the schema file is damaged: {name} of column {str(column.get('name'))!r:.80} must "
                f"be {_called(wanted)}"
            )
    return column


def _is(value: object, wanted: type | UnionType) -> bool:
    """Whether a value from JSON is of a field's type; whole numbers are numbers, too."""
    if isinstance(wanted, UnionType):
        return any(_is(value, kind) for kind in get_args(wanted))
    if get_origin(wanted) is tuple:
        return isinstance(value, list) and all(_is(part, get_args(wanted)[0]) for part in value)
    if wanted in (int, float):
        kinds = int if wanted is int else int | float
        # No infinity, no NaN, and no count that a table could not have.
        return (
            isinstance(value, kinds)
            and not isinstance(value, bool)
            and abs(value) < LARGEST[wanted]
        )
    if wanted is str:
        # Half of a pair of surrogates is no text.
        return isinstance(value, str) and not any("\ud800" <= sign <= "\udfff" for sign in value)
    return isinstance(value, wanted)


def _called(wanted: type | UnionType) -> str:
    """A field's type in words: "a list of text or null"."""
    if isinstance(wanted, UnionType):
        return " or ".join(map(_called, get_args(wanted)))
    if get_origin(wanted) is tuple:
        return f"a list of {_CALLED[get_args(wanted)[0]]}"
    return _CALLED[wanted]


def _listing(names: tuple[str, ...], most: int = 12) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(f"{name:.40}" for name in names[:most]) + more
