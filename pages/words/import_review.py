"""Wording of "What we saw": what a file's columns were found to be, what they become, what to decide."""

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
    """What is still to be decided: "1 question, 5 suggestions"; "" where nothing is."""
    parts = [(questions, "question"), (offers, "suggestion")]
    return ", ".join(format_count(count, word) for count, word in parts if count)


def review_label(questions: int, offers: int) -> str:
    """The button at the foot of the attributes."""
    return f"{open_text(questions, offers)}: look at what we saw"


def lead_text(questions: int, offers: int, alone: int) -> str:
    """Above the table; `alone` of the suggestions are never accepted together with others."""
    if not questions and not offers:
        return NOTHING_OPEN
    return f"{open_text(questions, offers)} open.{_left(alone)}"


def _left(alone: int) -> str:
    """Why some suggestions are not accepted with all others."""
    if not alone:
        return ""
    what = "is for you alone" if alone == 1 else "are for you alone"
    return f" {format_count(alone, 'suggestion')} about words that may be an answer, such as “none”, {what}."


def accept_all_label(count: int, offers: int) -> str:
    """The button for the suggestions that can be accepted at once, of all there are."""
    if count < offers:
        return f"Accept {format_count(count, 'suggestion')} of {offers:,}"
    return f"Accept all {count} suggestions" if count > 1 else "Accept the suggestion"


def unlisted_columns(count: int) -> str:
    """Under a table of the first columns only."""
    return f"{format_count(count, 'more column')} not listed here: see them under Edit values."


def more_questions(count: int) -> str:
    """After the first question, where there are more."""
    return f"And {format_count(count, 'more question')}."


def proposal_label(proposal: Proposal) -> str:
    """The button of a proposal."""
    texts, into, rows = proposal.texts, proposal.into, format_count(proposal.count, "row")
    if proposal.what == "missing":
        what = f"“{shorten(texts[0])}”" if len(texts) == 1 else f"these {proposal.count:,}"
        return f"Treat {what} as missing" + (f" ({rows})" if len(texts) == 1 else "")
    if proposal.what == "merge":
        return f"Merge these {len(texts)} into “{shorten(into)}”"
    return proposal.sentence.removesuffix(".").partition(":")[0]


def unfit_text(proposal: Proposal, kind: str) -> str:
    """Which cells a kind somebody asked for does not fit."""
    count = proposal.count
    return f"{format_count(count, 'cell')} {'is' if count == 1 else 'are'} no {kind}: {list_texts(proposal.texts)}."


def unlisted_text(count: int) -> str:
    """Under the list of cells that do not fit, where there are more than a schema lists."""
    return f"{format_count(count, 'more cell')} with rarer texts {'is' if count == 1 else 'are'} not listed."


def proposal_texts(proposal: Proposal) -> str:
    """Under the button: the texts it is about, where the button does not name them."""
    if proposal.what == "coarser":
        return proposal.sentence.partition(": ")[2]
    if len(proposal.texts) < 2:
        return ""
    return f"{list_texts(proposal.texts)}: {format_count(proposal.count, 'row')}"


def list_texts(texts: Sequence[str]) -> str:
    """The first texts of several."""
    named, rest = ", ".join(f"“{shorten(text)}”" for text in texts[:LISTED]), len(texts) - LISTED
    return named + (f" and {rest:,} more" if rest > 0 else "")


def shorten(text: str, width: int = 24) -> str:
    """A text of the file in one line."""
    text = " ".join(text.split()) or "(blank)"
    return text if len(text) <= width else text[: width - 1] + "…"


def accepted_text(title: str, proposal: Proposal) -> str:
    """Said after one proposal."""
    if proposal.what == "merge":
        return f"{title}: {len(proposal.texts)} spellings are “{shorten(proposal.into)}” now."
    if proposal.what == "missing":
        return f"{title}: {format_count(proposal.count, 'row')} count as missing now."
    return f"{title}: changed as suggested."


def keep_label(texts: Sequence[str]) -> str:
    """The button that makes a value of what counts as missing."""
    return f"Keep {list_texts(texts)} as {'a value' if len(texts) == 1 else 'values'}"


def kept_text(title: str, texts: Sequence[str]) -> str:
    """Said after that."""
    return f"{title}: {list_texts(texts)} kept as {'a value' if len(texts) == 1 else 'values'}."


def accepted_all_text(count: int, left: int) -> str:
    """Said after all at once."""
    return f"{format_count(count, 'suggestion')} accepted.{_left(left)}"


def declined_text(title: str) -> str:
    """Said after a proposal was declined."""
    return f"{title}: left as it is."


def answered_text(title: str, choice: str) -> str:
    """Said after a question was answered."""
    return f"{title}: {choice}."


def reset_text(title: str) -> str:
    """Said after a column was given back what was found in it."""
    return f"{title}: as found again."


def named_text(title: str, names: Sequence[str]) -> str:
    """Said after the two values were named."""
    return f"{title}: the values are called {' and '.join(shorten(name) for name in names)} now."


def edited_text(title: str) -> str:
    """Said after a column was changed by hand."""
    return f"{title}: changed."


def loaded_text(columns: int) -> str:
    """Said after a schema file was taken."""
    return f"The schema file is used for {format_count(columns, 'column')}."


def too_fine_text(title: str, size: int, n: int, epsilon: float, *, bands: bool) -> str:
    """What is to be feared of a column before anything is collected."""
    what = "bands" if bands else "values"
    return f"{size:,} {what} of {title} are too fine for {numbers.amount(n)} people at ε = {epsilon:g}."


def merging_gain(size: int, k: int, before: float, after: float) -> str:
    """What merging brings: predicted, and of which tables."""
    return (
        f"Predicted typical error of all tables of {k}, with the {size:,} values: "
        f"{numbers.points(before)} where they are merged after the collection, "
        f"{numbers.points(after)} where before."
    )


def merge_label(size: int, points: float) -> str:
    """The button that changes it, with what it brings."""
    return f"Merge to {size:,}: {numbers.points(points)}"


def no_advice(method: str) -> str:
    """In place of advice, where nothing is predicted."""
    return f"Whether values are too fine is predicted for CALM and CALM+ only, not for {method}."


def merged_text(title: str, size: int) -> str:
    """Said when it was done."""
    return f"{title}: {size:,} values now."
