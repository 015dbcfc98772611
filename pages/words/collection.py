"""Wording of the page about an open collection."""

from pages.words import errors, numbers

VIEWS = {"": "Table", "errors": "Expected errors", "views": "Questions asked", "steps": "Why these"}
LEAD = (
    "Reports that have come in, counted by the command “aggregate”: there is no table behind them, so nothing true can "
    "be shown beside. Bars are released shares; the lines on them are 95% intervals, from the reports alone."
)
UPLOAD = "A state: the file that aggregate or merge writes (.json or .npz); or a saved survey of the classroom (.zip)"
BELOW = "Or one of the collections of this server"
NONE_BELOW = (
    "The folder this app was given holds no state and no report files with their plan.json yet."
)
OPEN = "Open"
GONE = "the collection of this address is no longer here; open it once more"
CLOSE = "Close"
METHOD = "Worked out by"
ACCOUNT = "Columns and rows of the table"
LACKING = (
    "Collect, Guess first, sources of error and Compare play a collection, for which they need everybody's "
    "own answers: no collector has them, and they go on with the data of the Data page."
)
ELSEWHERE = (
    "The collection that is open is under Lab, Open a collection. This page plays one with the data of the Data page, "
    "since nobody has the true answers of those who reported."
)
ERRORS = (
    "How far off a cell of each table is expected to be, in percentage points, from the plan and the number "
    f"of reports. Measured errors would need the truth. {errors.MENDED}"
)
COVERED, REBUILT = "asked about together", "rebuilt"
TITLE = "What have the reports told?"
TYPICAL = "Expected of a cell"
EXPECTED = "expected here"


def no_intervals(title: str) -> str:
    """Return that a method gives no intervals."""
    return f"{title} gives no intervals; CALM+ does."


def below_zero(title: str) -> str:
    """Return that a method keeps negative shares."""
    return f"{title} leaves noise as it is: shares below 0 have no bar."


def collection_summary(reports: int, batches: int, epsilon: float, d: int, k: int) -> str:
    """Return size and plan of the open collection."""
    return (
        f"{numbers.amount(reports)} reports of {batches:,} batch{'es' * (batches != 1)}, ε = {epsilon:g}, "
        f"{d} attributes, planned for tables of {k}"
    )


def other_views_note(l: int, m: int) -> str:  # noqa: E741 - the paper's name
    """Return that other views than Algorithm 1's were used."""
    return f"Here views were chosen otherwise: ℓ = {l}, m = {m:,}. This is what Algorithm 1 would have taken."


def more_below(most: int) -> str:
    """Return that the list is incomplete."""
    return f"Only the first {most:,} collections are listed."


def refused_text(reasons: dict[str, int]) -> str:
    """Return how many reports were refused, by reason."""
    told = "; ".join(f"{count:,} for {reason}" for reason, count in reasons.items())
    count = sum(reasons.values())
    are = "report was refused and is" if count == 1 else "reports were refused and are"
    return f"{count:,} {are} not counted: {told}."


def missing_root(folder: str) -> str:
    """Return the error for a missing data root."""
    return f"--data-root ({folder:.200}) must be a folder; start the app again with one that exists"
