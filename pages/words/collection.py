"""Wording of the page about an open collection."""

from pages.words import numbers
from pages.words.texts import Texts

TEXTS = Texts("collection")
__getattr__ = TEXTS.__getattr__


def collection_summary(reports: int, batches: int, epsilon: float, d: int, k: int) -> str:
    """Return size and plan of the open collection."""
    return (
        f"{numbers.amount(reports)} reports of {batches:,} batch{'es' * (batches != 1)}, ε = {epsilon:g}, "
        f"{d} attributes, planned for tables of {k}"
    )


def refused_text(reasons: dict[str, int]) -> str:
    """Return how many reports were refused, by reason."""
    told = "; ".join(f"{count:,} for {reason}" for reason, count in reasons.items())
    count = sum(reasons.values())
    are = "report was refused and is" if count == 1 else "reports were refused and are"
    return f"{count:,} {are} not counted: {told}."
