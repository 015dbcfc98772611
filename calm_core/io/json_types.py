"""Check values read from JSON against the types of a dataclass's fields, and build the fields from them."""

from dataclasses import is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import TypeVar, get_args, get_origin, get_type_hints

from calm_core.errors import DataError

Built = TypeVar("Built")
# Of counts, and of edges of bins.
MAX_VALUES = {int: 2**53, float: 1e300}
_TYPE_NAMES = {
    str: "text", bool: "true or false", int: "whole number", float: "number", NoneType: "null",
    dict: "an object",
}  # fmt: skip


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict:
    """The types of a class's fields; without the cache this takes longer than to check a column."""
    return get_type_hints(kind)


def check_types(plain: dict, kind: type, file: str, part: str = "") -> dict:
    """Return the values if each has the type of its field; refuse them otherwise.

    Parameters
    ----------
    plain : dict
        Values from the file, by field.
    kind : type
        The dataclass that they are for.
    file, part : str
        How messages name the file and the part: "schema", " of column 'age'".

    Raises
    ------
    DataError
        If a value has another type.
    """
    for name, expected in _hints(kind).items():
        if name in plain and not _is(plain[name], expected):
            raise DataError(
                f"the {file} file is damaged: {name}{part} must be {_type_name(expected)}"
            )
    return plain


def build_dataclass(plain: dict, kind: type[Built], file: str, part: str = "") -> Built:
    """A dataclass of its values, whose types are checked as by `check_types`."""
    return kind(**build_fields(check_types(plain, kind, file, part), kind))


def build_fields(plain: dict, kind: type) -> dict:
    """The values with lists as tuples, and nested dataclasses built from their values."""
    hints = _hints(kind)
    return {
        name: _build(value, hints[name]) if name in hints else value
        for name, value in plain.items()
    }


def _build(value, expected):
    if isinstance(expected, UnionType):
        expected = next(kind for kind in get_args(expected) if _is(value, kind))
    if get_origin(expected) is tuple:
        return tuple(_build(part, get_args(expected)[0]) for part in value)
    if get_origin(expected) is dict:
        return {name: _build(part, get_args(expected)[1]) for name, part in value.items()}
    if isinstance(expected, type) and is_dataclass(expected):
        return expected(**build_fields(value, expected))
    return tuple(value) if isinstance(value, list) else value


def _is(value: object, expected: type | UnionType) -> bool:
    """Whether a value from JSON has a field's type; a whole number is a number, too."""
    if isinstance(expected, UnionType):
        return any(_is(value, kind) for kind in get_args(expected))
    if get_origin(expected) is tuple:
        return isinstance(value, list) and all(_is(part, get_args(expected)[0]) for part in value)
    if is_dataclass(expected):
        hints = _hints(expected)
        return isinstance(value, dict) and all(
            name in hints and _is(part, hints[name]) for name, part in value.items()
        )
    if expected in (int, float):
        kinds = int if expected is int else int | float
        # No infinity, no NaN, and no count that is too large for any table.
        return (
            isinstance(value, kinds)
            and not isinstance(value, bool)
            and abs(value) < MAX_VALUES[expected]
        )
    if expected is str:
        # A lone surrogate cannot be encoded.
        return isinstance(value, str) and not any("\ud800" <= char <= "\udfff" for char in value)
    return isinstance(value, expected)


def _type_name(expected: type | UnionType) -> str:
    """A field's type in words: "a list of text or null"."""
    if isinstance(expected, UnionType):
        return " or ".join(map(_type_name, get_args(expected)))
    if get_origin(expected) is tuple:
        return f"a list of {_type_name(get_args(expected)[0])}"
    if is_dataclass(expected):
        return f"{expected.__name__.lower()} with its fields"
    return _TYPE_NAMES[expected]
