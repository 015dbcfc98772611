"""Wording of the page Three worlds, and of the switch to Methods."""

from pages.words import common, numbers
from pages.words.texts import read_texts

TEXTS = read_texts("worlds")
SWITCH = {"worlds": "Three worlds", "compare": "Methods"}
# Title, what happens there, and the picture in words.
CARDS = TEXTS["cards"]
GAP = "How the gap moves with ε and n"
OVER = {"epsilon": "ε", "n": "number of people"}
AS_METHODS = "Here the curator works by PriView, and trusting nobody by CALM."


def lead_text(n: int, epsilon: float) -> str:
    """Return what is the same in all three worlds."""
    return f"The same {numbers.amount(n)} people, the same [[epsilon|ε]] = {epsilon:g}, the same table. Green and ± mark where [[noise]] is added."


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


def gap_text(ratio: float, k: int, epsilon: float, curator: float, local: float) -> str:
    """Return the numbers behind the price."""
    return (
        f"At ε = {epsilon:g} a typical cell of a table over {k} is off by {numbers.points(curator)} with the "
        f"curator and by {numbers.points(local)} with nobody trusted: {numbers.round_to_words(ratio)} times as much. "
        "The number of people follows by formula from noise, sampling and an allowance for rebuilt tables, "
        "and from what a curator errs on average over ten collections. "
        f"{AS_METHODS}"
    )


def price_progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress of the search for the number of people."""
    return f"How many people would make up for it: {done} sets of questions weighed"


def gap_progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress of measuring both worlds."""
    return f"Collecting in both worlds: {done} of {total} settings, {common.time_left(seconds)}"
