"""Words of the page on three worlds."""

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


def rounded(value: float) -> str:
    """Two digits are all that can be known; 2,662,574,744 are 2.7 billion.

    >>> rounded(21_144), rounded(2_662_574_744), rounded(3.14)
    ('21,000', '2.7 billion', '3.1')
    """
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if value >= 0.995 * size:
            return f"{float(f'{value / size:.2g}'):,g} {name}"
    return f"{float(f'{value:.2g}'):,g}"


def price(ratio: float, n: int, needed: int | None, epsilon: float) -> str:
    """The cost of local privacy in people, in one or two sentences."""
    first = (
        f"At epsilon {epsilon:g} the error with nobody trusted is **{rounded(ratio)} times** the "
        "curator's."
    )
    if needed is None:
        return f"{first} Not even a trillion people would bring it down to the curator's."
    return (
        f"{first} To come down to the curator's error, local collection would need about "
        f"**{rounded(needed)} people**, {rounded(needed / n)} times as many (by formula: noise, "
        "sampling and an allowance for rebuilt tables)."
    )
