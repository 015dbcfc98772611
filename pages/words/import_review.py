"""Wording of the import review: findings in a file's columns, and open decisions."""

from collections.abc import Sequence

from calm_core.ingest.suggestions import Proposal
from calm_core.text import format_count
from pages.words import numbers

SEEN = "What we saw"
HEADS = {
    "column": "Column", "saw": "What we saw", "becomes": "What it becomes", "decide": "To decide",
}  # fmt: skip
ROWS = HEADS | {
    "found": "As found", "leave": "Leave as it is", "name": "Name the two values",
    "naming": "Name of", "save": "Save", "cancel": "Cancel",
}  # fmt: skip
CHANGE, USE, USE_ANYWAY = "Change", "Use", "Use anyway"
DETECTED = "All columns are as detected again."
NOTHING_OPEN = "Nothing left to decide."
NOT_CHOSEN = "not among the attributes used"
ALL_UNFIT = "List them all"
LISTED = 3  # texts named beside a button


def open_text(questions: int, offers: int) -> str:
    """Return what is open: "1 question, 5 suggestions"; "" if nothing is."""
    parts = [(questions, "question"), (offers, "suggestion")]
    return ", ".join(format_count(count, word) for count, word in parts if count)


def review_label(questions: int, offers: int) -> str:
    """Return the label of the button below the attributes."""
    return f"{open_text(questions, offers)}: look at what we saw"


def lead_text(questions: int, offers: int, alone: int) -> str:
    """Return the text above the table; `alone` suggestions are accepted one by one only."""
    if not questions and not offers:
        return NOTHING_OPEN
    return f"{open_text(questions, offers)} open.{_left(alone)}"


def _left(alone: int) -> str:
    """Return why some suggestions are not accepted with all others."""
    if not alone:
        return ""
    what = "is for you alone" if alone == 1 else "are for you alone"
    return f" {format_count(alone, 'suggestion')} about words that may be an answer, such as “none”, {what}."


def accept_all_label(count: int, offers: int) -> str:
    """Return the label of the button that accepts `count` of all suggestions."""
    if count < offers:
        return f"Accept {format_count(count, 'suggestion')} of {offers:,}"
    return f"Accept all {count} suggestions" if count > 1 else "Accept the suggestion"


def unlisted_columns(count: int) -> str:
    """Return how many columns are not listed."""
    return f"{format_count(count, 'more column')} not listed here: see them under Edit values."


def more_questions(count: int) -> str:
    """Return how many further questions there are."""
    return f"And {format_count(count, 'more question')}."


def proposal_label(proposal: Proposal) -> str:
    """Return the label of a suggestion's button."""
    texts, into, rows = proposal.texts, proposal.into, format_count(proposal.count, "row")
    if proposal.what == "missing":
        what = f"“{shorten(texts[0])}”" if len(texts) == 1 else f"these {proposal.count:,}"
        return f"Treat {what} as missing" + (f" ({rows})" if len(texts) == 1 else "")
    if proposal.what == "merge":
        return f"Merge these {len(texts)} into “{shorten(into)}”"
    return proposal.sentence.removesuffix(".").partition(":")[0]


def unfit_text(proposal: Proposal, kind: str) -> str:
    """Return which cells do not fit a requested kind."""
    count = proposal.count
    return f"{format_count(count, 'cell')} {'is' if count == 1 else 'are'} no {kind}: {list_texts(proposal.texts)}."


def unlisted_text(count: int) -> str:
    """Return how many cells with rarer texts are not listed."""
    return f"{format_count(count, 'more cell')} with rarer texts {'is' if count == 1 else 'are'} not listed."


def proposal_texts(proposal: Proposal) -> str:
    """Return the texts a suggestion is about, where its button does not name them."""
    if proposal.what == "coarser":
        return proposal.sentence.partition(": ")[2]
    if len(proposal.texts) < 2:
        return ""
    return f"{list_texts(proposal.texts)}: {format_count(proposal.count, 'row')}"


def list_texts(texts: Sequence[str]) -> str:
    """Return the first of several texts."""
    named, rest = ", ".join(f"“{shorten(text)}”" for text in texts[:LISTED]), len(texts) - LISTED
    return named + (f" and {rest:,} more" if rest > 0 else "")


def shorten(text: str, width: int = 24) -> str:
    """Return a text of the file in one line."""
    text = " ".join(text.split()) or "(blank)"
    return text if len(text) <= width else text[: width - 1] + "…"


def accepted_text(title: str, proposal: Proposal) -> str:
    """Return what an accepted suggestion has changed."""
    if proposal.what == "merge":
        return f"{title}: {len(proposal.texts)} spellings are “{shorten(proposal.into)}” now."
    if proposal.what == "missing":
        return f"{title}: {format_count(proposal.count, 'row')} count as missing now."
    return f"{title}: changed as suggested."


def keep_label(texts: Sequence[str]) -> str:
    """Return the label of the button that turns missing texts into values."""
    return f"Keep {list_texts(texts)} as {'a value' if len(texts) == 1 else 'values'}"


def kept_text(title: str, texts: Sequence[str]) -> str:
    """Return that missing texts are values now."""
    return f"{title}: {list_texts(texts)} kept as {'a value' if len(texts) == 1 else 'values'}."


def accepted_all_text(count: int, left: int) -> str:
    """Return that suggestions were accepted together."""
    return f"{format_count(count, 'suggestion')} accepted.{_left(left)}"


def named_text(title: str, names: Sequence[str]) -> str:
    """Return the new names of two values."""
    return f"{title}: the values are called {' and '.join(shorten(name) for name in names)} now."


def loaded_text(columns: int) -> str:
    """Return that a schema file is used."""
    return f"The schema file is used for {format_count(columns, 'column')}."


def too_fine_text(title: str, size: int, n: int, epsilon: float, *, bands: bool) -> str:
    """Return that a column has too many values for these people and this epsilon."""
    what = "bands" if bands else "values"
    return f"{size:,} {what} of {title} are too fine for {numbers.amount(n)} people at ε = {epsilon:g}."


def merging_gain(size: int, k: int, before: float, after: float) -> str:
    """Return the predicted errors with values merged after or before the collection."""
    return (
        f"Predicted typical error of all tables of {k}, with the {size:,} values: "
        f"{numbers.points(before)} where they are merged after the collection, "
        f"{numbers.points(after)} where before."
    )


def no_advice(method: str) -> str:
    """Return that a method has no predictions."""
    return f"Whether values are too fine is predicted for CALM and CALM+ only, not for {method}."
