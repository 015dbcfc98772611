"""Wording of the page Three worlds."""

from pages.words import numbers

LEAD = (
    "The same people, the same seed, the same epsilon. Once with no privacy, once with a curator "
    "whom everybody has to trust with the true answers, and once with nobody trusted at all. "
    "**What does not trusting anyone cost?**"
)
CARDS = {
    "truth": (
        "No privacy",
        "The curator and every reader are trusted.",
        "True tables are published. Nothing is lost, and nothing is protected.",
    ),
    "curator": (
        "Trusted curator: PriView",
        "One curator is trusted.",
        "All true answers are handed over; noise is added once, to the published tables.",
    ),
    "local": (
        "Nobody trusted: CALM",
        "Nobody is trusted.",
        "Every person randomises her own answer; the collector never holds a true one.",
    ),
}
CURVES = "How the gap moves"
ERROR = "Mean error (SSE, squared shares)"


def price(ratio: float, n: int, needed: int | None, epsilon: float) -> str:
    """The cost of local privacy in people, in one or two sentences."""
    first = (
        f"At epsilon {epsilon:g} the error with nobody trusted is **{numbers.rounded(ratio)} times** the "
        "curator's."
    )
    if needed is None:
        return f"{first} Not even a trillion people would bring it down to the curator's."
    return (
        f"{first} To come down to the curator's error, local collection would need about "
        f"**{numbers.rounded(needed)} people**, {numbers.rounded(needed / n)} times as many (by formula: noise, "
        "sampling and an allowance for rebuilt tables)."
    )
