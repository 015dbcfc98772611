"""Wording of the page Data, and of its review of columns."""

from collections.abc import Sequence

from calm_core.ingest.encode import Report
from calm_core.ingest.suggestions import Proposal
from calm_core.text import format_count, join_some, shorten
from pages.words import numbers
from pages.words.common import time_left
from pages.words.texts import Texts

TEXTS = Texts("data")
__getattr__ = TEXTS.__getattr__

# How long a file is kept after its last use.
MINUTES = 30


def reading_progress(reading: int, rows: int, seconds: float | None) -> str:
    """Return the progress of the three readings of a file.

    >>> reading_progress(2, 30_000, 8.0)
    'Reading 2 of 3, its people are counted: 30,000 rows, about 8 s left'
    """
    what = ("its columns are detected", "its people are counted", "everybody reports")[reading - 1]
    return f"Reading {reading} of 3, {what}: {rows:,} rows, {time_left(seconds)}"


def storage_note(*, kept: bool) -> str:
    """Return where a file is stored and for how long."""
    if not kept:
        return "Stays in this server's memory until this tab is closed or loaded again. No link contains it."
    return (
        f"Stays in this server's memory while this tab is open; for {MINUTES} minutes after its last use a reload "
        "brings it back. No link contains it."
    )


def share_text(shares: Sequence[float]) -> str:
    """Return the number beside a bar: the share of the second of two values."""
    if len(shares) != 2:
        return format_count(len(shares), "value") if len(shares) else ""
    return numbers.percent(shares[1], 0) if shares[1] >= 0.005 or not shares[1] else "<1%"


def shares_text(names: Sequence[str], shares: Sequence[float], limit: int = 8) -> str:
    """Return a bar in words."""
    parts = [f"{name} {numbers.percent(share, 0)}" for name, share in zip(names, shares)]
    return join_some(parts, limit)


def rows_text(report: Report, cells: int) -> str:
    """Return how many rows were used, and how many different people are possible."""
    if report.rows_used == report.rows_in and not report.empty:
        text = f"{report.rows_in:,} rows read, all used."
    else:
        text = report.sentence
    return f"{text} {numbers.count(cells)} possible people."


ROW_WORDS = TEXTS.HEADS | TEXTS.ROW_ACTIONS
# Texts named beside a button, and characters of each.
LISTED, WIDTH = 3, 24


def open_text(questions: int, offers: int) -> str:
    """Return what is open: "1 question, 5 suggestions"; "" if nothing is."""
    parts = [(questions, "question"), (offers, "suggestion")]
    return ", ".join(format_count(count, word) for count, word in parts if count)


def review_label(questions: int, offers: int) -> str:
    """Return the label of the button below the attributes."""
    return f"{open_text(questions, offers)}: look at what we saw"


def lead_text(questions: int, offers: int) -> str:
    """Return the text above the table."""
    if not questions and not offers:
        return TEXTS.NOTHING_OPEN
    return f"{open_text(questions, offers)} open."


def proposal_label(proposal: Proposal) -> str:
    """Return the label of a suggestion's button."""
    texts, into, rows = proposal.texts, proposal.into, format_count(proposal.count, "row")
    if proposal.what == "missing":
        what = _quote(texts[0]) if len(texts) == 1 else f"these {proposal.count:,}"
        return f"Treat {what} as missing" + (f" ({rows})" if len(texts) == 1 else "")
    if proposal.what == "merge":
        return f"Merge these {len(texts)} into {_quote(into)}"
    return proposal.sentence


def proposal_texts(proposal: Proposal) -> str:
    """Return the texts a suggestion is about, where its button does not name them."""
    if len(proposal.texts) < 2:
        return ""
    return f"{list_texts(proposal.texts)}: {format_count(proposal.count, 'row')}"


def _quote(text: str) -> str:
    return f"“{shorten(text, WIDTH)}”"


def list_texts(texts: Sequence[str]) -> str:
    """Return the first of several texts."""
    return join_some([_quote(text) for text in texts], LISTED)


def accepted_text(title: str, proposal: Proposal) -> str:
    """Return what an accepted suggestion has changed."""
    if proposal.what == "merge":
        return f"{title}: {len(proposal.texts)} spellings are {_quote(proposal.into)} now."
    return f"{title}: {format_count(proposal.count, 'row')} count as missing now."


def keep_label(texts: Sequence[str]) -> str:
    """Return the label of the button that turns missing texts into values."""
    return f"Keep {list_texts(texts)} as {'a value' if len(texts) == 1 else 'values'}"


def new_values_note(title: str, texts: Sequence[str]) -> str:
    """Return that missing texts are values now."""
    return f"{title}: {list_texts(texts)} kept as {'a value' if len(texts) == 1 else 'values'}."
