"""Wording of the pages under Compare, Three worlds and Methods, and of the best possible answer."""

from pages.words import common, errors, numbers
from pages.words.texts import read_texts, template

TEXTS = read_texts("compare")

LEAD = "The same people, the same tables, different methods."
MEASURED = "Points off in a typical cell"
BY_FORMULA = "Points that a formula predicts, before shares below zero are mended; empty where there is no formula"
SURVIVORS = TEXTS["survivors"]
COMPARED_DESIGN = TEXTS["compared_design"]
IDLE = "Three local methods take a few seconds. It runs beside the app, and ends when you leave the page."
NOTHING_RAN = "Nothing could be measured."
SOON = "The first results come in a moment."
CURVES = "Curves over ε, table, download"
POINTS_HINT = "Click a point to see that method's table."
TABLE = "Points of each method at each ε"
CSV_HELP = "One row per method, ε, repetition and table, with SSE, L1, L2 and Jensen-Shannon."
TRUST = {"local": "Nobody is trusted", "central": "A curator is trusted with all answers"}
REPETITIONS_HELP = "Independent collections; the band of a curve is one standard deviation of them."
NO_FORMULA = "Without a formula: compare to measure it."
COULD_NOT = "could not be measured"
STOP = "Stop and keep what is there"
CHOICE = "**Compare by collecting**"
MEND_HELP = TEXTS["mend_help"]

# What the numbers beside the methods are, for who does not see the title.
ROWS = "Methods, with the typical error of a cell in points"


def mend_label(titles: list[str]) -> str:
    """Return the label of the checkbox for non-negative lines."""
    return f"{', '.join(titles[:-1])} and {titles[-1]} also with shares below 0 mended"


title = template(TEXTS["title"])
tables_help = template(TEXTS["tables_help"])
comparing_title = template(TEXTS["comparing_title"])


def waiting_text(ahead: int) -> str:
    """Return that other visitors' work goes first."""
    before = "Another visitor's work goes" if ahead == 1 else f"{ahead} pieces of work go"
    return f"**Waiting.** {before} first; this comparison begins by itself."


def progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress, and the time left where it is known."""
    return f"{done} of {total} collections, {common.time_left(seconds)}"


def measured_note(epsilon: float, asked: float) -> str:
    """Return for which epsilon the rows are measured."""
    if epsilon == asked:
        return f"Points of a typical cell at ε = {epsilon:g}, measured."
    return (
        f"Points of a typical cell at ε = {epsilon:g}, the nearest to {asked:g} that was measured."
    )


predicted_note = template(f"{TEXTS['predicted_note']} {errors.MENDED}")


opened_title = template(TEXTS["opened_title"])
OPTIMUM_QUESTION = "How near could anybody come?"
OPTIMUM_LEAD = TEXTS["optimum_lead"]


def optimum_text(calm_plus: tuple[float, float], calm: tuple[float, float]) -> str:
    """Return typical errors as multiples of the best possible one, each with its standard error.

    >>> optimum_text((1.04, 0.02), (1.5, 0.04))
    'From the same reports **CALM+ errs 1.04 ± 0.02 times** as much as the best possible answer, and **CALM 1.5 ± 0.04 times**.'
    """
    plus, other = (
        f"{numbers.digits(ratio)} ± {numbers.digits(error, 1)} times"
        for ratio, error in (calm_plus, calm)
    )
    return (
        f"From the same reports **CALM+ errs {plus}** as much as the best possible answer, and "
        f"**CALM {other}**."
    )


def optimum_remainder(calm: float) -> str:
    """Return how much of the error is unavoidable, and how much inference could gain.

    >>> optimum_remainder(1.5)
    'So about 67% of what CALM errs would be left for anybody: it is the price of the noise and of asking each person few things. The other 33% are lost in the inference: better inference can have at most that back.'
    """
    left = min(1 / calm, 1.0)
    if left > 0.995:
        return "So nearly all of what CALM errs would be left for anybody: it is the price of the noise and of asking each person few things."
    return (
        f"So about {numbers.whole_percent(left)} of what CALM errs would be left for anybody: it is the price of the "
        f"noise and of asking each person few things. The other {numbers.whole_percent(1 - left)} are lost in the inference: better "
        "inference can have at most that back."
    )


def optimum_progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress of the measurement."""
    return f"People drawn {done} of {total} times, {common.time_left(seconds)}"


SWITCH = {"worlds": "Three worlds", "compare": "Methods"}
# Title, what happens there, and the picture in words.
CARDS = TEXTS["cards"]
GAP = "How the gap moves with ε and n"
OVER = {"epsilon": "ε", "n": "number of people"}
AS_METHODS = "Here the curator works by PriView, and trusting nobody by CALM."


lead_text = template(TEXTS["lead_text"])


def price_text(n: int, needed: int | None) -> str:
    """Return what trusting nobody costs in people.

    >>> price_text(60_000, 2_662_574_744)
    'To be as exact as the curator, trusting nobody needs **2.7 billion people** instead of 60,000.'
    """
    if needed is None:
        return "To be as exact as the curator, trusting nobody would need **more than a trillion people**."
    return (
        "To be as exact as the curator, trusting nobody needs "
        f"**{numbers.round_to_words(needed)} people** instead of {numbers.amount(n)}."
    )


gap_text = template(f"{TEXTS['gap_text']} {AS_METHODS}")


def price_progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress of the search for the number of people."""
    return f"How many people would make up for it: {done} sets of questions weighed"


def gap_progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress of measuring both worlds."""
    return f"Collecting in both worlds: {done} of {total} settings, {common.time_left(seconds)}"
