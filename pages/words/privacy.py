"""Meaning of privacy in words: strength, odds, and the guarantee with a trusted curator."""

import math

from pages.words import numbers

CENTRAL_GUARANTEE = (
    "With a trusted curator, epsilon is guaranteed for adding or removing one person's record, with "
    "the number of people taken as public; for replacing one person's record by another, which is "
    "what can differ once that number is known, 2 epsilon is guaranteed. Local methods guarantee "
    "epsilon for replacing a record."
)
CENTRAL_PRIVACY = "central differential privacy, with a curator who saw all true answers,"
# How privacy is named, by the largest epsilon the name is used for.
STRENGTHS = (
    (0.5, "very strong privacy"),
    (1.0, "strong privacy"),
    (2.0, "moderate privacy"),
    (4.0, "weak privacy"),
    (math.inf, "hardly any privacy"),
)


def strength(epsilon: float) -> str:
    """Return a name for the strength of privacy."""
    return next(name for top, name in STRENGTHS if epsilon <= top)


def yes_rates(epsilon: float) -> tuple[float, float]:
    """Return of 100 people the reports saying yes with a true yes, and with a true no."""
    told = 100 / (1 + math.exp(-epsilon))
    return told, 100 - told


def epsilon_in_words(epsilon: float) -> str:
    """Return what one yes-or-no report reveals."""
    yes, no = yes_rates(epsilon)
    return (
        f"Of 100 people whose true answer is yes, {numbers.people(yes)} reports say yes; "
        f"of 100 whose answer is no, {numbers.people(no)}."
    )


def slider_texts(epsilon: float) -> tuple[str, str]:
    """Return strength, and what one report reveals, for a slider.

    >>> slider_texts(1.0)
    ('Strong privacy.', 'Of 100 true yes answers, 73 are reported as yes.')
    """
    yes = numbers.people(yes_rates(epsilon)[0]).removeprefix("about ")
    name = strength(epsilon)
    return f"{name[:1].upper()}{name[1:]}.", f"Of 100 true yes answers, {yes} are reported as yes."


def unusual_epsilon_note(epsilon: float) -> str:
    """Return a warning if epsilon hardly protects or leaves almost only noise; else "".

    >>> unusual_epsilon_note(1.0)
    ''
    """
    if epsilon > 4:
        factor = numbers.odds(math.exp(epsilon))
        return (
            f"ε = {epsilon:g} protects hardly anybody: one report may shift the odds between two "
            f"answers {factor} to 1."
        )
    if epsilon < 0.1:
        yes, no = yes_rates(epsilon)
        return (
            f"ε = {epsilon:g} leaves almost only noise: of 100 true yes answers {numbers.whole(yes)} are reported "
            f"as yes, of 100 true no answers {numbers.whole(no)}."
        )
    return ""


def unusual_epsilon_title(epsilon: float) -> str:
    """Return the same in one line for a lecture.

    >>> unusual_epsilon_title(8.0), unusual_epsilon_title(0.05), unusual_epsilon_title(4.0)
    ('ε = 8 protects hardly anybody.', 'ε = 0.05 leaves almost only noise.', '')
    """
    told = unusual_epsilon_note(epsilon)
    return f"{told.split(':')[0]}." if told else ""


def odds_text(epsilon: float) -> str:
    """Return the guarantee as odds."""
    factor = numbers.odds(math.exp(epsilon))
    return f"A report can shift the odds between any two answers by at most {factor} to 1."
