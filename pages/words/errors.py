"""Wording of the page Errors."""

from collections.abc import Mapping

from pages.words import numbers
from pages.words.texts import Texts

TEXTS = Texts("errors")
__getattr__ = TEXTS.__getattr__


def title(wrong: float, tables: str, worst: str) -> str:
    """Return the mean over the tables scored, and the worst pair.

    >>> title(0.0587, "all 56 tables", "smoked × drank")
    '6 of 100 people in the wrong cell, mean of all 56 tables; smoked × drank is the worst pair'
    """
    return f"{numbers.people_wrong(wrong)} in the wrong cell, mean of {tables}; {worst} is the worst pair"


def cell_number(wrong: float) -> str:
    """Return a number for a chart whose title names the unit.

    >>> cell_number(0.0531), cell_number(0.000042)
    ('5.3', '<0.01')
    """
    return numbers.share_of_100(wrong).replace("under ", "<")


def pair_text(names: str, wrong: float, covered: bool) -> str:
    """Return one cell in words."""
    where = "from a view" if covered else "rebuilt"
    return f"{names}: {numbers.share_of_100(wrong)} of 100 people in the wrong cell, {where}. Opens its table."


def pairs_text(count: int, worst: str, highest: float, best: str, lowest: float) -> str:
    """Return the triangle in a sentence."""
    if count == 1:
        return f"People in the wrong cell of the only pair of attributes, {worst}: {numbers.share_of_100(highest)} of 100."
    return (
        f"People of 100 in the wrong cell of {count:,} pairs of attributes: most for {worst}, "
        f"{numbers.share_of_100(highest)}; fewest for {best}, {numbers.share_of_100(lowest)}."
    )


def rebuilding_text(l: int, k: int) -> str:  # noqa: E741 - the paper's name
    """Return why tables have to be rebuilt."""
    if l < k:
        return f"views hold {l} of {k} attributes"
    return "tables that no view holds"


def sources_text(wrong: Mapping[str, float]) -> str:
    """Return the bar in a sentence; None marks a negative source."""
    parts = [
        f"{TEXTS.SOURCES[name][0].lower()} {numbers.share_of_100(value) if value > 0 else 'none'}"
        for name, value in wrong.items()
    ]
    return f"Sources of the people in the wrong cell, of 100: {', '.join(parts)}."


def current_text(expected: float | None, measured: float) -> str:
    """Return what the current settings give, to compare suggestions with.

    >>> current_text(0.0612, 0.0587), current_text(None, 0.0587)
    ('As it is: 6.1 expected, 5.9 measured.', 'As it is: 5.9 measured.')
    """
    text = "" if expected is None else f"{numbers.share_of_100(expected)} expected, "
    return f"As it is: {text}{numbers.share_of_100(measured)} measured."


def tried_text(expected: float | None, measured: float | None) -> str:
    """Return what a suggestion promises, and what one collection with it gave.

    >>> tried_text(0.031, 0.0294), tried_text(None, 0.0294), tried_text(0.031, None)
    ('3.1 expected, 2.9 measured', '2.9 measured', '3.1 expected')
    """
    known = ((expected, "expected"), (measured, "measured"))
    return ", ".join(
        f"{numbers.share_of_100(share)} {name}" for share, name in known if share is not None
    )
