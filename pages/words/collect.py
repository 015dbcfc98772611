"""Wording of the page Collect."""

from pages.words import numbers

INTRO = (
    "Everybody is dealt to one group at random and reports once, on that group's view, with the "
    "whole privacy budget."
)
PERSON_INTRO = (
    "Choose somebody. Only her randomised report leaves her device; everything above the dashed "
    "line stays there."
)
ONCE = "She sends one report only. Pressing again shows what she might have sent instead."
REPEATS = (
    "If she answered again and again with fresh noise, the average would give her away. That is "
    "why a real client remembers its report and repeats it."
)
ORACLES = (
    "Lower is better. Randomised response is best for few cells, unary encoding for many; subset "
    "selection is at least as good as both. The dashed line is the paper's switch."
)
ESTIMATES = (
    "Noise adds reports to every cell in equal measure, so it can be taken off: "
    "estimate = (reports / n − q) / (p − q). What is left is unbiased and may be below zero; "
    "nothing is hidden at this stage."
)
GROUPS_TITLE = "People who reported on each view"
BY_SIZE = "Variance of the oracles over the number of cells"
COUNTS = "Reports supporting each cell"
CHANCES = "Chance of each cell to be in her report; the cells reported are filled"
CONCLUDED_TITLE = "What can the server conclude?"
PRIOR = "What it believed before: this is her cell"
BELIEF = "Belief in her true cell after one report and after many with fresh noise"


def group_sizes(views: int, sizes: str) -> str:
    """How many people each view has."""
    return f"{views:,} views, {sizes} people each; the order is random."


def reported(done: int, groups: int, reports: int) -> str:
    """How far the collection that plays has come."""
    return f"{done:,} of {groups:,} groups have reported: {reports:,} reports"


def used(oracles: list[str]) -> str:
    """The oracles of the collection shown."""
    return f"Used in this collection: **{', '.join(oracles)}**. {ORACLES}"


def by_epsilon(cells: int) -> str:
    """What the curves over epsilon show."""
    return f"Variance of the oracles over epsilon for {cells} cells"


def estimated(below_zero: str) -> str:
    """What the estimates show."""
    return f"Estimated shares with the true ones; {below_zero}"


def oracle(title: str, p: float, q: float, cells: int, deviation: float) -> str:
    """The numbers of an oracle; `deviation` is the standard error of a cell."""
    return (
        f"{title}: p = {numbers.probability(p)}, q = {numbers.probability(q)}, "
        f"{cells:,} cells; standard error of a cell about {numbers.share(deviation)}."
    )


def belief(before: float, yes: float, no: float) -> str:
    """What one report lets the server conclude."""
    return (
        f"The server believed {numbers.share(before)} before. A report that contains her cell raises this "
        f"to **{numbers.share(yes)}**, one that does not lowers it to **{numbers.share(no)}**."
    )


def by_size_title(epsilon: float) -> str:
    """Above the curves over the number of cells."""
    return f"Over the number of cells, at ε = {epsilon:g}"


def group(number: int, groups: int, asked: str) -> str:
    """What her group is asked."""
    return f"**Group {number} of {groups:,}** is asked: {asked}."


def true_cell(answer: str, cells: int) -> str:
    """What nobody but she knows."""
    return f"**Her true cell:** {answer}, one of {cells:,}."


def received(press: int) -> str:
    """Above the reports she has sent."""
    return f"What the server receives (press {press}):"
