"""Wording of the page Collect."""

from collections.abc import Sequence

from calm_core.evaluation.metrics import Band, classify_error
from calm_core.text import pluralize
from pages.words import numbers
from pages.words.texts import read_texts

TEXTS = read_texts("collect")
TERMS = "Each [[group]] is asked about one [[view]]; the [[collector]] sees noisy [[report|reports]] only."
SEGMENTS = TEXTS["segments"]
# What the collection component says, whatever comes in.
ARRIVAL = TEXTS["arrival"]
COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

TITLES = TEXTS["titles"]
PERSON_INTRO = (
    "Choose somebody. Only her randomised report leaves her device; everything above the dashed "
    "line stays there."
)
ONCE = "She sends one report only. Pressing again shows what she might have sent instead."
REPEATS = (
    "If she answered again and again with fresh noise, the average would give her away. That is "
    "why a real device remembers its report and repeats it."
)
ORACLES = TEXTS["oracles"]
UNBIASED = TEXTS["unbiased"]
FORMULA = "Share of a cell = (reports that support it / all reports of the group − q) / (p − q)."
DETAILS = "Details: p, q, standard error"
VIEW = "View"
CELLS = "Cells in the view"
GROUPS_TITLE = "People who reported on each view"
BY_SIZE = "Variance of the oracles over the number of cells"
COUNTS = "Reports supporting each cell"
CHANCES = "Chance of each cell to be in her report; the cells reported are filled"
CONCLUDED_TITLE = "What can the collector conclude?"
PRIOR = "What it believed before: this is her cell"
BELIEF = "Belief in her true cell after one report and after many with fresh noise"
HERS, OTHERS = "her cell", "any other cell"
BEFORE, NAMED, NOT_NAMED = "before", "a report with her cell", "a report without it"


def group_texts(groups: int, lengths: Sequence[int]) -> dict[str, str]:
    """Return the number of groups and of attributes asked about; `lengths` are those of the views.

    >>> group_texts(28, [2] * 28)
    {'groups': '28 groups.', 'asked': 'Each is asked two things.'}
    """
    least, most = min(lengths), max(lengths)
    things = _counted(least) if least == most else f"{_counted(least)} to {_counted(most)}"
    noun = "thing" if most == 1 else "things"
    if groups == 1:
        return {"groups": "One group.", "asked": f"Everybody is asked {things} {noun}."}
    return {"groups": f"{groups:,} groups.", "asked": f"Each is asked {things} {noun}."}


def _counted(number: int) -> str:
    return COUNTED[number] if number < len(COUNTED) else str(number)


def title(reports: int, error: float, guess: float, *, last: bool) -> str:
    """Return the title after some number of reports; `guess` is the error of equal shares.

    >>> title(600, 26.0, 14.7, last=False), title(60_000, 2.6, 14.7, last=True)
    ('600 reports: almost pure noise', 'All 60,000 reports are in')
    """
    pure = error > guess
    if last:
        return f"All {numbers.amount(reports)} reports are in{': still almost pure noise' if pure else ''}"
    shown = {
        Band.NOISE: "almost pure noise" if pure else "the order begins to show",
        Band.TREND: "the order shows",
        Band.EXACT: "right to the point",
    }[classify_error(error, guess)]
    return f"{_reports(reports)}: {shown}"


def _reports(number: int) -> str:
    return f"{numbers.amount(number)} {pluralize(number, 'report')}"


def own_reports(number: int, groups: int) -> str:
    """Return how many reports of the drawn group have arrived."""
    if not number:
        return "no report of this group yet"
    return f"from {_reports(number)}{' of one group' if groups > 1 else ''}"


def result(k: int, points: float) -> str:
    """Return what all groups together give in the next step."""
    return f"Tables of {k} from all groups together: {numbers.points(points)}"


def moment_spoken(reports: int, points: str, name: str) -> str:
    """Return a moment as text for screen readers.

    >>> moment_spoken(600, "±26", "Noise")
    '600 reports: ±26 points expected, Noise'
    """
    told = f"{points} points expected, {name}" if points else "none of this group"
    return f"{_reports(reports)}: {told}"


def picture_text(title: str, points: str, cells: int) -> str:
    """Return the picture in one sentence; `points` is the expected error.

    >>> picture_text("All 600 reports are in", "±26", 4)[-49:]
    ' A typical cell is expected to be ±26 points off.'
    """
    off = f" A typical cell is expected to be {points} points off." if points else ""
    return f"{title}. True and released shares of {cells} cells, and those of 20 other collections.{off}"


def group_sizes(views: int, least: int, most: int) -> str:
    """Return how many people each view has."""
    if views == 1:
        return f"One view, {_sizes(least, most)} people; the order is random."
    return f"{views:,} views, {_sizes(least, most)} people each; the order is random."


def group_sizes_text(least: int, most: int) -> str:
    """Return the same as description of the picture."""
    return f"Each view has {_sizes(least, most)} people"


def _sizes(least: int, most: int) -> str:
    few, many = numbers.amount(least), numbers.amount(most)
    return few if least == most else f"{few} to {many}"


def below_zero(cells: int) -> str:
    """Return how many shares are negative."""
    return f"{cells:,} below zero" if cells else "none below zero"


def shares_text(below: str) -> str:
    """Return the description of the picture of shares."""
    return f"True shares with the released ones; {below}"


def by_epsilon_text(cells: int) -> str:
    """Return the description of the curves over epsilon."""
    return f"Variance of the oracles over epsilon for {cells} cells"


def oracle_text(title: str, p: float, q: float, cells: int, deviation: float) -> str:
    """Return the numbers of an oracle; `deviation` is the standard error of a typical cell."""
    return (
        f"{title}: p = {numbers.probability(p)}, q = {numbers.probability(q)}, "
        f"{cells:,} cells; randomising alone puts a typical cell {numbers.points(100 * deviation)} off."
    )


def belief_text(before: float, yes: float, no: float) -> str:
    """Return what the collector can conclude from one report."""
    return (
        f"The collector believed {numbers.share(before)} before. A report that contains her cell raises this "
        f"to **{numbers.share(yes)}**, one that does not lowers it to **{numbers.share(no)}**."
    )


def odds_text(name: str, hers: float) -> str:
    """Return a bar of odds as text for screen readers."""
    return f"{name}: {HERS} {numbers.share(hers)}, {OTHERS} {numbers.share(1 - hers)}"


def by_size_title(epsilon: float) -> str:
    """Return the title above the curves over the number of cells."""
    return f"Over the number of cells, at ε = {epsilon:g}"


def group_text(number: int, groups: int, asked: str) -> str:
    """Return what her group is asked about."""
    return f"**Group {number} of {groups:,}** is asked: {asked}."


def true_cell_text(answer: str, cells: int) -> str:
    """Return her true cell."""
    return f"**Her true cell:** {answer}, one of {cells:,}."


def received_title(press: int) -> str:
    """Return the title above her reports."""
    return f"What the collector receives (press {press}):"
