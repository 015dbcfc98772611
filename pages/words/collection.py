"""Wording of the page about an open collection."""

from pages.words import errors, numbers
from pages.words.texts import read_texts, template

TEXTS = read_texts("collection")

VIEWS = {"": "Table", "errors": "Expected errors", "views": "Questions asked", "steps": "Why these"}
LEAD = TEXTS["lead"]
UPLOAD = "A state: the file that aggregate or merge writes (.json or .npz); or a saved survey of the classroom (.zip)"
BELOW = "Or one of the collections of this server"
NONE_BELOW = TEXTS["none_below"]
OPEN = "Open"
GONE = "the collection of this address is no longer here; open it once more"
CLOSE = "Close"
METHOD = "Worked out by"
ACCOUNT = "Columns and rows of the table"
LACKING = TEXTS["lacking"]
ELSEWHERE = TEXTS["elsewhere"]
ERRORS = f"{TEXTS['errors']} {errors.MENDED}"
COVERED, REBUILT = "asked about together", "rebuilt"
TITLE = "What have the reports told?"
TYPICAL = "Expected of a cell"
EXPECTED = "expected here"


no_intervals = template(TEXTS["no_intervals"])
below_zero = template(TEXTS["below_zero"])


def collection_summary(reports: int, batches: int, epsilon: float, d: int, k: int) -> str:
    """Return size and plan of the open collection."""
    return (
        f"{numbers.amount(reports)} reports of {batches:,} batch{'es' * (batches != 1)}, ε = {epsilon:g}, "
        f"{d} attributes, planned for tables of {k}"
    )


other_views_note = template(TEXTS["other_views_note"])
more_below = template(TEXTS["more_below"])


def refused_text(reasons: dict[str, int]) -> str:
    """Return how many reports were refused, by reason."""
    told = "; ".join(f"{count:,} for {reason}" for reason, count in reasons.items())
    count = sum(reasons.values())
    are = "report was refused and is" if count == 1 else "reports were refused and are"
    return f"{count:,} {are} not counted: {told}."


missing_root = template(TEXTS["missing_root"])
