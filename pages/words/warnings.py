"""What is said before or after a run: who was trusted, whose questions, whether it was worth it."""

from pages.words import numbers
from pages.words.privacy import CENTRAL_GUARANTEE

CURATOR = (
    "**Central method: a curator is trusted.** {method} takes everybody's true answers and adds noise "
    "to what it publishes. Nobody randomises her own answer; views and groups of Plan and Collect are "
    f"CALM's. {CENTRAL_GUARANTEE}"
)
OWN_DESIGN = (
    "**CALM+ collects reports of its own** (design: {design}): {m:,} groups of people, asked about up "
    "to {l} attributes each. Plan and Collect show CALM's collection."
)
CALMS_COLLECTION = (
    "Shown here is CALM's collection. CALM+ with the design “{design}” makes one of its own; its "
    "results are on the pages Marginals and Errors."
)
EXPECTED_TITLE = "Expected to be no better than guessing"
MEASURED_TITLE = "No better than guessing"
TOGETHER = "Fewer values, fewer attributes, more users or a larger ε would help together."


def expected(error: float, guess: float) -> str:
    """The error that formulas predict beside that of guessing."""
    return f"Predicted SSE {numbers.error(error)}; the uniform guess has {numbers.error(guess)}."


def measured(error: float, guess: float) -> str:
    """The error of the run beside that of guessing."""
    return f"Measured SSE {numbers.error(error)}; the uniform guess has {numbers.error(guess)}."


def alone(remedies: tuple[str, ...]) -> str:
    """What would help."""
    return f"What alone would help: {'; '.join(remedies)}."
