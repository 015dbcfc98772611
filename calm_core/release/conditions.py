"""Conditions on people: {"smoked": "yes", "age": ValueRange("30", "45")}, and the cells in which they hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from calm_core.errors import InputError
from calm_core.tables.domain import Domain
from calm_core.text import join_some


@dataclass(frozen=True)
class ValueRange:
    """All values of an ordered attribute from one to another, both included.

    Attributes
    ----------
    first, last : str
        Labels.
    """

    first: str
    last: str


Values = str | int | ValueRange | Iterable[str | int]
Condition = Mapping[str, Values]


def find_code(domain: Domain, name: str, value: str | int) -> int:
    """The code of a value of an attribute, given as its label, as it is shown, or as the code itself.

    Examples
    --------
    >>> domain = Domain(("sex",), (2,), (("m", "f"),))
    >>> find_code(domain, "sex", "f"), find_code(domain, "sex", 0)
    (1, 0)
    """
    labels, shown = domain.labels_of(name), domain.value_names_of(name)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(labels):
        return value
    wanted = str(value)
    for texts in (labels, shown, [text.casefold() for text in (*labels, *shown)]):
        for text in (wanted, wanted.casefold()):
            if text in texts:
                return list(texts).index(text) % len(labels)
    listed = join_some([f"{label!r:.40}" for label in labels], 12)
    raise InputError(f"{wanted!r:.60} is not a value of {name!r:.60}; its values are {listed}")


def find_codes(domain: Domain, name: str, values: Values) -> tuple[int, ...]:
    """The codes that one part of a condition allows.

    Examples
    --------
    >>> domain = Domain(("age",), (4,), (("young", "middle", "old", "very old"),))
    >>> find_codes(domain, "age", ["young", "old"]), find_codes(domain, "age", ValueRange("middle", "very old"))
    ((0, 2), (1, 2, 3))
    """
    if isinstance(values, ValueRange):
        first, last = (find_code(domain, name, end) for end in (values.first, values.last))
        if first > last:
            raise InputError(
                f"{values.first!r:.60} comes after {values.last!r:.60} in {name!r:.60}"
            )
        return tuple(range(first, last + 1))
    if isinstance(values, str | int):
        return (find_code(domain, name, values),)
    found = tuple(dict.fromkeys(find_code(domain, name, value) for value in values))
    if not found:
        raise InputError(f"the condition on {name!r:.60} must name at least one value")
    return found


def cells_of_condition(domain: Domain, attrs: tuple[str, ...], condition: Condition) -> np.ndarray:
    """Which cells of the table over `attrs` meet a condition, bool of that shape.

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 3), (("m", "f"), ("0", "1", "2")))
    >>> cells_of_condition(domain, ("sex", "age"), {"age": ["0", "2"]}).tolist()
    [[True, False, True], [True, False, True]]
    """
    inside = np.ones(domain.shape_of(attrs), bool)
    for name, values in condition.items():
        axis = attrs.index(name)
        allowed = np.zeros(inside.shape[axis], bool)
        allowed[[*find_codes(domain, name, values)]] = True
        shape = [-1 if at == axis else 1 for at in range(inside.ndim)]
        inside &= allowed.reshape(shape)
    return inside


def attributes_of(domain: Domain, *conditions: Condition | None) -> tuple[str, ...]:
    """The attributes that conditions are about, in domain order."""
    for condition in conditions:
        if condition is not None and not isinstance(condition, Mapping):
            raise InputError('a condition must name values by attribute, such as {"smoked": "yes"}')
    names = {name for condition in conditions for name in condition or ()}
    if not names:
        raise InputError('a condition must be about an attribute, such as {"smoked": "yes"}')
    return domain.canonical(names)


def describe_condition(domain: Domain, condition: Condition) -> str:
    """A condition in words, such as "smoked is yes and age is 30 to 45".

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 2), (("m", "f"), ("young", "old")))
    >>> describe_condition(domain, {"sex": "f", "age": ["young", "old"]})
    'sex is f and age is young or old'
    """
    parts = []
    for name, values in condition.items():
        shown, codes = domain.value_names_of(name), find_codes(domain, name, values)
        # As the screen shows them.
        shown = ("no", "yes") if shown == ("0", "1") else shown
        if isinstance(values, ValueRange):
            text = f"{shown[codes[0]]} to {shown[codes[-1]]}"
        else:
            text = " or ".join(shown[code] for code in codes)
        parts.append(f"{domain.title_of(name)} is {text}")
    return " and ".join(parts)
