"""Wording of the page Assignment."""

from collections.abc import Mapping

from calm_core.assignments import Assignment
from calm_core.text import format_number
from pages.words.texts import Texts

TEXTS = Texts("assignment")
__getattr__ = TEXTS.__getattr__


def free_text(assignment: Assignment) -> str:
    """Return what students choose, with its ranges.

    >>> from calm_core.assignments import ready
    >>> free_text(ready("bachelor"))
    'ε (from 0.1 to 4), n (from 500 to 20,000)'
    """
    return ", ".join(
        TEXTS.chooses(name=TEXTS.FIELDS[free.name], range=free.range_text)
        for free in assignment.free
    )


def chosen_text(chosen: Mapping[str, object]) -> str:
    """Return what a student has chosen.

    >>> chosen_text({"epsilon": 3.0, "n": 2000, "l": None})
    'ε = 3, n = 2,000, l = Algorithm 1'
    """
    return ", ".join(
        TEXTS.one_chosen(name=TEXTS.FIELDS[name], value=_value_text(value))
        for name, value in chosen.items()
    )


def _value_text(value: object) -> str:
    if isinstance(value, int | float):
        return format_number(value)
    return "Algorithm 1" if value is None else str(value)
