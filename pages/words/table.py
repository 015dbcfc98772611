"""Wording of the table component: its legend, its numbers, what a cell is called."""

from collections.abc import Sequence

from calm_core.text import format_count
from pages.words import glossary, numbers
from pages.words.texts import read_texts

TEXTS = read_texts("table") | {
    f"says_{name}": glossary.WORDS[name].says for name in ("typical", "band")
}
# On Collect they come from as many people who reported.
OTHERS = TEXTS | {"ghosts": "20 other collections", "ghosts_short": "20 others"}
# Cells of which nothing, or everything, is true, by the number of attributes.
NONE = {1: "no", 2: "neither"}
ALL = {1: "yes", 2: "both", 3: "all three"}


def yes_text(said: Sequence[str], count: int) -> str:
    """Return a cell of yes-or-no attributes by those that are yes.

    >>> yes_text((), 2), yes_text(("drank",), 2), yes_text(("drank", "smoked"), 3)
    ('neither', 'drank', 'drank, smoked')
    """
    if not said:
        return NONE.get(count, "none of these")
    if len(said) == count:
        return ALL.get(count, f"all {count}")
    return ", ".join(said)


def rest_texts(count: int, true: float | None, released: float | None) -> tuple[str, ...]:
    """Return the number and shares of the cells that are not drawn."""
    known = (("true", true), ("released", released))
    sums = (f"{name} {numbers.whole_percent(held)}" for name, held in known if held is not None)
    return f"{count:,} more", *sums


def finding_text(cells: int, worst: str, true: float, released: float) -> str:
    """Return the picture in one sentence, for screen readers.

    >>> finding_text(4, "both", 0.16, 0.16), finding_text(1, "yes", 1.0, 1.0 - 1e-16)
    ('True and released shares of 4 cells. They are the same.', 'True and released shares of 1 cell. They are the same.')
    """
    of = f"True and released shares of {format_count(cells, 'cell')}."
    told = numbers.distinct_digits(true, released, numbers.share)
    if told[0] == told[1]:
        return f"{of} They are the same."
    return f"{of} They differ most at {worst}: {told[0]} true, {told[1]} released."


def shares_text(cells: int, released: bool) -> str:
    """Return the same where true or released shares are missing."""
    return f"{'Released' if released else 'True'} shares of {format_count(cells, 'cell')}."


def step_spoken(epsilon: float, points: str) -> str:
    """Return a step of the slider for screen readers."""
    return f"epsilon {epsilon:g}: a typical cell is off by {points}"
