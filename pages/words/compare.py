"""Wording of the page Compare."""

from pages.words import numbers

LEAD = (
    "The same people, the same queries, different methods. The comparison runs beside the app, "
    "so that nobody waits for it; it ends when you cancel it or close the page."
)
MEASURED = "Mean SSE, squared shares"
BY_FORMULA = (
    "Mean SSE that a formula predicts, in squared shares, before negative cells are mended; empty "
    "where there is no formula"
)
SURVIVORS = (
    "Repetitions in which the method failed, wholly or for some queries. Its errors are means of "
    "what was answered, which may be the easier part."
)
COMPARED_DESIGN = (
    "CALM+ chose its own questions (design: {design}), CALM those of Algorithm 1: what sets the two "
    "apart is questions and inference together."
)
IDLE = "Choose methods and press Compare. Three local methods take a few seconds."
NOTHING_RAN = "Nothing could run."
SOON = "The first results come in a moment."
POINTS_HINT = "Click a point to see that method's tables."
TABLE = "Mean SSE of each method at each epsilon"
CSV_HELP = "One row per method, epsilon, repetition and query."
TRUST = {"local": "Local: nobody is trusted", "central": "Central: a curator sees all data"}
REPETITIONS_HELP = "Independent collections; the band is one standard deviation of them."


def queries_help(k: int) -> str:
    """What is asked of every method."""
    return f"Random marginals over k = {k} attributes in each repetition."


def progress(done: int, total: int, seconds: float | None) -> str:
    """How far the comparison is, and the time left where it can be told."""
    left = "estimating the time left" if seconds is None else f"{numbers.duration(seconds)} left"
    return f"{done} of {total} runs, {left}"
