"""Wording of the page Start."""

from collections.abc import Sequence

from pages.words import numbers

TITLE = "Statistics about everyone, answers from no one"
WHAT_IT_IS = (
    "Each person randomises her own answer before it leaves her device, so nobody ever holds the "
    "true data: that is local differential privacy. CALM asks each person about only a few "
    "attributes and puts the pieces together again. From that, any table over any few attributes "
    "can be released, and here you see how good it is."
)
OTHER_METHOD = (
    "The picture shows CALM's collection. The errors named here are those of the method chosen, "
    "{method}, which works differently."
)
AGAIN = "Collect again with new noise"
TO_PLAN = "See how the groups were chosen"
TO_COLLECT = "Follow one person's report"
# Title and text of the settings worth starting from.
PRESETS = {
    "survey": (
        "Classroom survey",
        "Sensitive yes-or-no questions to 60,000 people. A good place to begin.",
    ),
    "shopping": ("Shopping visits", "Which of 16 kinds of pages 250,000 visits touched."),
    "strong": ("Strong privacy", "Five times less budget: watch the noise take over."),
    "large_k": ("Large marginals", "Tables over 6 attributes at once, rebuilt from small views."),
    "fails": (
        "When it fails",
        "Few people, many attributes, little budget: worse than guessing.",
    ),
}


def groups(users: int, shares: Sequence[float], l: int) -> str:  # noqa: E741 - the paper's name
    """How large the groups are, and how many questions each person is asked."""
    least, most = round(users * min(shares)), round(users * max(shares))
    if most - least <= 1:
        return f"about {most:,} people, {l} questions each"
    return f"{least:,} to {most:,} people, up to {l} questions each"


def verdict(measured: float, guess: float) -> str:
    """The result in a headline."""
    if measured >= guess:
        return "No better than guessing"
    return f"{numbers.times(guess / max(measured, 1e-12))} times less error than guessing"


def verdict_detail(count: int, k: int, measured: float, guess: float) -> str:
    """The numbers behind the headline."""
    return (
        f"Mean over {count:,} random {k}-way tables: **SSE {numbers.error(measured)}**. Calling all cells "
        f"equally likely would give {numbers.error(guess)}."
    )


def errors(measured: float, guess: float) -> str:
    """The error of the marginals beside that of guessing, below their stage."""
    return f"mean SSE {numbers.error(measured)}; guessing: {numbers.error(guess)}"


def released(names: str) -> str:
    """The first chart for those who cannot see it."""
    return f"Released and true shares of {names}"
