"""What is said of the best possible answer."""

from pages.words import numbers, shared

QUESTION = "How near could anybody come?"
LEAD = (
    "People are drawn anew, again and again, from a population whose attributes depend as strongly as these do, and "
    "report as planned. The best possible answer is that of somebody who is told how strong such dependence is and "
    "nothing else; no other errs less on average. A released share hides people, so something always remains."
)


def answer_text(calm_plus: tuple[float, float], calm: tuple[float, float]) -> str:
    """Typical errors as multiples of the best possible one, each with its standard error.

    >>> answer_text((1.04, 0.02), (1.5, 0.04))
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


def remainder_text(calm: float) -> str:
    """Where the rest of the error comes from.

    >>> remainder_text(1.5)
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


def progress_text(done: int, total: int, seconds: float | None) -> str:
    """How far it is."""
    return f"People drawn {done} of {total} times, {shared.time_left(seconds)}"
