"""Wording of the page Errors."""

from collections.abc import Mapping

from pages.words import numbers
from pages.words.texts import Texts

TEXTS = Texts("errors")
__getattr__ = TEXTS.__getattr__

CURVE_LEAD = f"{TEXTS.CURVE_LEAD} {TEXTS.MENDED}"
PREDICTED_HELP = f"{TEXTS.PREDICTED_HELP} {TEXTS.MENDED}"
# A prediction so many times what was measured is explained.
FAR_ABOVE = 1.1


def cell_number(points: float) -> str:
    """Return a number for a chart whose title names the unit.

    >>> cell_number(5.31), cell_number(0.0042)
    ('5.3', '<0.01')
    """
    text = numbers.points(points, unit=False)
    return text.replace("under ±", "<").removeprefix("±")


def pair_text(names: str, points: float, covered: bool) -> str:
    """Return one cell in words."""
    where = "from a view" if covered else "rebuilt"
    return f"{names}: {numbers.points(points)} off in a typical cell, {where}. Opens its table."


def pairs_text(count: int, worst: str, most: float, best: str, least: float) -> str:
    """Return the triangle in a sentence."""
    if count == 1:
        return f"Error of the only pair of attributes: {worst}, {numbers.points(most)}."
    return (
        f"Errors of {count:,} pairs of attributes: largest for {worst}, {numbers.points(most)}; smallest "
        f"for {best}, {numbers.points(least)}."
    )


def reasons_title(points: float, *, cancelled: bool = False) -> str:
    """Return the title of the bar of squares; `cancelled` if one source is negative."""
    if cancelled:
        return (
            f"**Why.** Points; squares of those shown add up to more than the square of "
            f"{numbers.points(points, unit=False)}."
        )
    return f"**Why.** Points; squares of the three add up to the square of {numbers.points(points, unit=False)}."


def rebuilding_text(l: int, k: int) -> str:  # noqa: E741 - the paper's name
    """Return why tables have to be rebuilt."""
    if l < k:
        return f"views hold {l} of {k} attributes"
    return "tables that no view holds"


def below_zero_note(names: list[str]) -> str:
    """Return that removing a source has made the error larger.

    >>> below_zero_note(["sampling"])
    'Without sampling this collection would have been farther off: errors also cancel. It is left out of the bar.'
    """
    listed = " or ".join(names)
    left = "It is" if len(names) == 1 else "They are"
    return (
        f"Without {listed} this collection would have been farther off: errors also cancel. "
        f"{left} left out of the bar."
    )


def sources_text(points: Mapping[str, float | None]) -> str:
    """Return the bar in a sentence; None marks a negative source."""
    told = [
        f"{TEXTS.SOURCES[name][0].lower()} {numbers.points(value) if value is not None else 'none'}"
        for name, value in points.items()
    ]
    return f"Sources of the error: {', '.join(told)}."


def current_text(predicted: float | None, measured: float) -> str:
    """Return the prediction with the current settings, to compare suggestions with.

    >>> current_text(2.0, 1.91), current_text(12.2, 6.1)
    ('As it is: ±2.0; measured ±1.9.', 'As it is: ±12, less where shares below zero are corrected; measured ±6.1.')
    """
    if predicted is None:
        return ""
    foreseen, found = (numbers.points(points, unit=False) for points in (predicted, measured))
    high = (
        ", less where shares below zero are corrected" if predicted > FAR_ABOVE * measured else ""
    )
    return f"As it is: {foreseen}{high}; measured {found}."
