"""Schema: what each column means and how its values become codes. Frozen, and saved as JSON."""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from calm_core._checks import check_count
from calm_core.errors import DataError, InputError
from calm_core.ingest.column import LEFT_OUT_IF_EMPTY, ColumnSchema, column_fields
from calm_core.tables.domain import Domain
from calm_core.text import format_reasons, join_some

FORMAT = "calm-lab schema 1"


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
        kept = self.used_columns
        if not kept:
            raise DataError("no column is kept; choose at least one")
        return Domain(
            tuple(column.name for column in kept),
            tuple(column.size for column in kept),
            tuple(column.labels for column in kept),
            tuple(column.title or column.name for column in kept),
            tuple(column.short for column in kept),
            tuple(column.value_names for column in kept),
            tuple(column.ordered for column in kept),
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
        """The schema with the first d usable columns."""
        usable = len(self.used_columns)
        if not usable:
            why = format_reasons({c.name: c.reason for c in self.columns if c.reason})
            if not self.columns:
                raise DataError("the table has no columns")
            count = len(self.columns)
            none = "the only column cannot" if count == 1 else f"none of the {count:,} columns can"
            raise DataError(f"{none} be used{why}. Add at least two whose values differ and repeat")
        d = check_count("d", d, low=1, high=usable, remedy=f"the table has {usable} usable columns")
        rest = {column.name for column in self.used_columns[d:]}
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
        return json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Schema":
        """A schema from saved JSON; raises DataError if it is malformed."""
        try:
            plain = json.loads(text)
            if not isinstance(plain, dict) or plain.get("format") != FORMAT:
                raise DataError(f"the schema file must be JSON with format {FORMAT!r}")
            columns = [column_fields(column) for column in plain["columns"]]
            return cls(tuple(ColumnSchema(**column) for column in columns))
        except DataError:
            raise
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise DataError(f"the schema file is not valid: {str(error)[:150]}") from error

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Schema":
        """A schema from a file."""
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
