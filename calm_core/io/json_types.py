"""Plain values of a file of ours (JSON): each must be of the type that its field has."""

from dataclasses import is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import get_args, get_origin, get_type_hints

from calm_core.errors import DataError

# Counts, and edges of bins.
MAX_VALUES = {int: 2**53, float: 1e300}
_CALLED = {
    str: "text", bool: "true or false", int: "whole number", float: "number", NoneType: "null",
    dict: "an object",
}  # fmt: skip


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict:
    """The types of a class's fields; to find them out anew costs more than to check a column."""
    return get_type_hints(kind)


def check_types(plain: dict, kind: type, file: str, part: str = "") -> dict:
    """The plain values of one thing, each of the type its field has; anything else is refused.

    Parameters
    ----------
    plain : dict
        What stands in the file.
    kind : type
        The dataclass it becomes.
    file, part : str
        What the file is called, and which part of it this is: "schema", " of column 'age'".
    """
    for name, wanted in _hints(kind).items():
        if name in plain and not _is(plain[name], wanted):
            raise DataError(f"the {file} file is damaged: {name}{part} must be {_called(wanted)}")
    return plain


def build_fields(plain: dict, kind: type) -> dict:
    """The same with lists as tuples, and what is a frozen type of ours made of its plain values."""
    hints = _hints(kind)
    return {
        name: _made(value, hints[name]) if name in hints else value for name, value in plain.items()
    }


def _made(value, wanted):
    if get_origin(wanted) is tuple:
        return tuple(_made(part, get_args(wanted)[0]) for part in value)
    if isinstance(wanted, type) and is_dataclass(wanted):
        return wanted(**build_fields(value, wanted))
    return tuple(value) if isinstance(value, list) else value


def _is(value: object, wanted: type | UnionType) -> bool:
    """Whether a value from JSON is of a field's type; whole numbers are numbers, too."""
    if isinstance(wanted, UnionType):
        return any(_is(value, kind) for kind in get_args(wanted))
    if get_origin(wanted) is tuple:
        return isinstance(value, list) and all(_is(part, get_args(wanted)[0]) for part in value)
    if is_dataclass(wanted):
        hints = _hints(wanted)
        return isinstance(value, dict) and all(
            name in hints and _is(part, hints[name]) for name, part in value.items()
        )
    if wanted in (int, float):
        kinds = int if wanted is int else int | float
        # No infinity, no NaN, and no count that a table could not have.
        return (
            isinstance(value, kinds)
            and not isinstance(value, bool)
            and abs(value) < MAX_VALUES[wanted]
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
        return f"a list of {_called(get_args(wanted)[0])}"
    if is_dataclass(wanted):
        return f"{wanted.__name__.lower()} with its fields"
    return _CALLED[wanted]
