"""Wording of the page Collect."""

from collections.abc import Sequence

from calm_core.evaluation.metrics import Verdict, judge_error
from calm_core.text import format_count, pluralize
from pages.words import numbers
from pages.words.texts import Texts

TEXTS = Texts("collect")
__getattr__ = TEXTS.__getattr__


def group_texts(groups: int, lengths: Sequence[int]) -> dict[str, str]:
    """Return the number of groups and of attributes asked about; `lengths` are those of the views.

    >>> group_texts(28, [2] * 28), group_texts(3, [2, 2, 1])["asked"]
    ({'groups': '28 groups.', 'asked': 'Each answers 2 questions.'}, 'Each answers 1 to 2 questions.')
    """
    low, high = min(lengths), max(lengths)
    count = format_count(high, "question")
    asked = count if low == high else f"{low} to {count}"
    return {"groups": f"{format_count(groups, 'group')}.", "asked": f"Each answers {asked}."}


def title(reports: int, error: float, guess: float, *, last: bool) -> str:
    """Return the title after some number of reports; `guess` is the error of equal shares.

    >>> title(600, 0.41, 0.26, last=False), title(60_000, 0.04, 0.26, last=True)
    ('600 reports: almost pure noise', 'All 60,000 reports are in')
    """
    pure = error > guess
    if last:
        return f"All {numbers.amount(reports)} reports are in{': still almost pure noise' if pure else ''}"
    moment = {
        Verdict.UNUSABLE: "almost pure noise" if pure else "the order begins to show",
        Verdict.ROUGH: "the order shows",
        Verdict.PRECISE: "close to the truth",
    }[judge_error(error, guess)]
    return f"{_reports(reports)}: {moment}"


def _reports(number: int) -> str:
    return f"{numbers.amount(number)} {pluralize(number, 'report')}"


def own_reports(number: int, groups: int) -> str:
    """Return how many reports of the drawn group have arrived."""
    if not number:
        return "no report of this group yet"
    return f"from {_reports(number)}{' of one group' if groups > 1 else ''}"


def moment_spoken(reports: int, number: str, name: str) -> str:
    """Return a moment as text for screen readers.

    >>> moment_spoken(600, "41", "Unusable")
    '600 reports: 41 of 100 people expected in the wrong cell, Unusable'
    """
    text = (
        f"{number} of 100 people expected in the wrong cell, {name}"
        if number
        else "none of this group"
    )
    return f"{_reports(reports)}: {text}"


def picture_text(title: str, number: str, cells: int) -> str:
    """Return the picture in one sentence; `number` is the people of 100 expected in the wrong cell.

    >>> picture_text("All 600 reports are in", "41", 4)[-54:]
    '41 of 100 people are expected to be in the wrong cell.'
    """
    off = f" {number} of 100 people are expected to be in the wrong cell." if number else ""
    return f"{title}. Reconstructed and true shares of {cells} cells, and those of 20 repeats.{off}"


def below_zero(cells: int) -> str:
    """Return how many shares are negative."""
    return f"{cells:,} below zero" if cells else "none below zero"
