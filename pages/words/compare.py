"""Wording of the pages under Compare, Three worlds and Methods, and of the best possible answer."""

from pages.words import common, errors, numbers
from pages.words.texts import Texts, template

TEXTS = Texts("compare")
__getattr__ = TEXTS.__getattr__


def mend_label(titles: list[str]) -> str:
    """Return the label of the checkbox for non-negative lines."""
    return f"{', '.join(titles[:-1])} and {titles[-1]} also with shares below 0 corrected"


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


predicted_note = template(f"{TEXTS.PREDICTED_NOTE} {errors.MENDED}")


def optimum_text(calm_plus: tuple[float, float], calm: tuple[float, float]) -> str:
    """Return typical errors as multiples of the best possible one, each with its standard error.

    >>> optimum_text((1.04, 0.02), (1.5, 0.04))
    "From the same reports **the error of CALM+ is 1.04 ± 0.02 times** that of the best possible answer, and **CALM's 1.5 ± 0.04 times**."
    """
    plus, other = (
        f"{numbers.digits(ratio)} ± {numbers.digits(error, 1)} times"
        for ratio, error in (calm_plus, calm)
    )
    return (
        f"From the same reports **the error of CALM+ is {plus}** that of the best possible answer, and "
        f"**CALM's {other}**."
    )


def optimum_remainder(calm: float) -> str:
    """Return how much of the error is unavoidable, and how much inference could gain.

    >>> optimum_remainder(1.5)
    "So about 67% of CALM's error would be left for anybody: it is the price of the noise and of asking each person few questions. Better inference could save the other 33%, and no more."
    """
    left = min(1 / calm, 1.0)
    if left > 0.995:
        return "So nearly all of CALM's error would be left for anybody: it is the price of the noise and of asking each person few questions."
    return (
        f"So about {numbers.whole_percent(left)} of CALM's error would be left for anybody: it is the price of the noise "
        f"and of asking each person few questions. Better inference could save the other "
        f"{numbers.whole_percent(1 - left)}, and no more."
    )


def optimum_progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress of the measurement."""
    return f"People drawn {done} of {total} times, {common.time_left(seconds)}"


def price_text(n: int, needed: int | None) -> str:
    """Return what trusting nobody costs in people.

    >>> price_text(60_000, 2_662_574_744)
    'To be as close as the curator, trusting nobody needs **2.7 billion people** instead of 60,000.'
    """
    if needed is None:
        return "To be as close as the curator, trusting nobody would need **more than a trillion people**."
    return (
        "To be as close as the curator, trusting nobody needs "
        f"**{numbers.round_to_words(needed)} people** instead of {numbers.amount(n)}."
    )


gap_text = template(f"{TEXTS.GAP_TEXT} {TEXTS.AS_METHODS}")


def price_progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress of the search for the number of people."""
    return f"How many people would make up for it: {done} plans compared"


def gap_progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress of measuring both worlds."""
    return f"Collecting in both worlds: {done} of {total} settings, {common.time_left(seconds)}"
