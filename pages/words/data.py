"""Wording of the page Data, and of its review of columns."""

from collections.abc import Sequence

from calm_core.ingest.encode import Report
from calm_core.ingest.suggestions import Proposal
from calm_core.settings import Settings
from calm_core.text import format_count
from pages.words import numbers
from pages.words.common import time_left
from pages.words.texts import read_texts, template

TEXTS = read_texts("data")

# How long a file is kept after its tab is closed.
MINUTES = 30

UPLOAD = "A table: CSV, Excel, Parquet, ARFF or transactions"
# What Streamlit writes into its drop zone is in its own words: these stand in their place.
DROP, DROP_KINDS, DROP_BUTTON = TEXTS["drop"]
OR_SAMPLE = "or take a sample"
TERMS = "Each row is one person, each [[attribute]] one thing asked, each [[cell]] one combination of values."
FORGET = "Forget this file"
ORDER, VALUES, DONE = "Choose and order", "Edit values", "Done"
ROWS = {"use": "Use", "attribute": "Attribute", "values": "Values", "less": "Show fewer"}
SECOND, SHARES = "Share of the second value", "Shares of the values"
ATTRIBUTES = "Attributes used, in this order"
FIRST = "How many, from the first on"
FIRST_ROWS, SCHEMA = "First rows", "Schema file"
CELLS, PEOPLE = "Cells and people", "Make people to order"
READ_ROWS = "Rows of another length than the header"
READ_ROWS_HELP = "In messages and commands: ragged=leave_out, ragged=first_unnamed."
READ_BYTES_HELP = "In messages and commands: bad_bytes=replace."
NORMALISE = "Trim spaces, compose letters (NFC)"
NORMALISE_HELP = "Off: every value stays exactly as the file has it."
THE_FILE = "The file"
ANOTHER_FILE = "Another file with the same columns works too."
KINDS_OF_PEOPLE = TEXTS["kinds_of_people"]
# What is done with numbers, and with empty cells.
RULES = TEXTS["rules"]
MISSING = {"value": "a value of their own", "rows": "their rows are left out"}
EDGES_HINT = TEXTS["edges_hint"]
VALUES_HINT = "Give two values the same label to merge them; lower positions come first."
NAMES_HINT = TEXTS["names_hint"]
SCHEMA_HELP = "The same file works on the command line: --schema schema.json"
ATTRIBUTES_HELP = "Empty the field to go back to the first usable columns."
MAX_VALUES = "At most so many values per attribute"
MAX_VALUES_HELP = TEXTS["max_values_help"]
SHARED = "or a table of this server"
NONE_SHARED = "The folder this app was given holds no table."
OPEN_SHARED, COLLECT_SHARED, STOP = "Use this table", "Collect from it", "Stop"
OPEN_COLLECTION = "Open a collection: reports without a table →"


more_shared = template(TEXTS["more_shared"])
read_in_parts_note = template(TEXTS["read_in_parts_note"])


def reading_progress(reading: int, rows: int, seconds: float | None) -> str:
    """Return the progress of the three readings of a file.

    >>> reading_progress(2, 30_000, 8.0)
    'Reading 2 of 3, its people are counted: 30,000 rows, about 8 s left'
    """
    what = ("its columns are found out", "its people are counted", "everybody reports")[reading - 1]
    return f"Reading {reading} of 3, {what}: {rows:,} rows, {time_left(seconds)}"


collected_note = template(TEXTS["collected_note"])
stopped_text = template(TEXTS["stopped_text"])


def storage_note(*, kept: bool) -> str:
    """Return where a file is stored and for how long."""
    if not kept:
        return "Stays in this server's memory until this tab is closed or loaded again. No link contains it."
    return (
        f"Stays in this server's memory while this tab is open and {MINUTES} minutes longer, and comes "
        "back after a reload. No link contains it."
    )


storage_limits = template(TEXTS["storage_limits"])


def table_facts(n: int, unit: str, d: int) -> str:
    """Return the size of a table."""
    return f"{numbers.amount(n)} {unit}, {d} attribute{'s' * (d != 1)}"


left_out_text = template(TEXTS["left_out_text"])


def share_text(shares: Sequence[float]) -> str:
    """Return the number beside a bar: the share of the second of two values."""
    if len(shares) != 2:
        return format_count(len(shares), "value") if len(shares) else ""
    return numbers.percent(shares[1], 0) if shares[1] >= 0.005 or not shares[1] else "<1%"


def shares_text(names: Sequence[str], shares: Sequence[float], most: int = 8) -> str:
    """Return a bar in words."""
    said = ", ".join(
        f"{name} {numbers.percent(share, 0)}" for name, share in list(zip(names, shares))[:most]
    )
    return said + (f" and {len(shares) - most} more" if len(shares) > most else "")


def rows_text(report: Report, cells: int) -> str:
    """Return how many rows were used, and how many different people are possible."""
    if report.rows_used == report.rows_in and not report.empty:
        said = f"{report.rows_in:,} rows read, all used."
    else:
        said = report.sentence
    return f"{said} {numbers.count(cells)} possible people."


def file_waiting_text(ahead: int) -> str:
    """Return that other files are read first."""
    before = "Another file is" if ahead == 1 else f"{ahead} other files are"
    return f"{before} read first; yours comes after."


def collection_waiting_text(ahead: int) -> str:
    """Return that other visitors' work goes before a collection."""
    before = "Another visitor's work goes" if ahead == 1 else f"{ahead} pieces of work go"
    return f"**Waiting.** {before} first; this collection begins by itself."


def missing_file_text(settings: Settings) -> str:
    """Return why a file is missing, and which settings are kept."""
    d = len(settings.columns) or settings.d
    return (
        f"A link never contains a file, and this server forgets one after {MINUTES} minutes. Your "
        f"settings are kept: ε = {settings.epsilon:g}, k = {settings.k}, {d} attributes."
    )


forgotten_text = template(TEXTS["forgotten_text"])


def full_table_text(people: float, k: int, people_of_largest: float) -> str:
    """Return people per cell of the full table, and of the largest table over k attributes."""
    enough = (
        "few enough cells to ask for the full table."
        if people > 1000
        else "far too few to ask for the full table, so views of a few attributes are asked for."
    )
    return (
        f"Each of all cells has {numbers.people_per_cell(people)} people: {enough} A cell of the largest "
        f"table over {k} attributes has {numbers.people_per_cell(people_of_largest)}."
    )


largest_title = template(TEXTS["largest_title"])
SEEN = "What we saw"
HEADS = TEXTS["heads"]
ROW_WORDS = HEADS | {
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


unlisted_columns = template(TEXTS["unlisted_columns"])
more_questions = template(TEXTS["more_questions"])


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


def new_values_note(title: str, texts: Sequence[str]) -> str:
    """Return that missing texts are values now."""
    return f"{title}: {list_texts(texts)} kept as {'a value' if len(texts) == 1 else 'values'}."


def accepted_all_text(count: int, left: int) -> str:
    """Return that suggestions were accepted together."""
    return f"{format_count(count, 'suggestion')} accepted.{_left(left)}"


def named_text(title: str, names: Sequence[str]) -> str:
    """Return the new names of two values."""
    return f"{title}: the values are called {' and '.join(shorten(name) for name in names)} now."


loaded_text = template(TEXTS["loaded_text"])


def too_fine_text(title: str, size: int, n: int, epsilon: float, *, bands: bool) -> str:
    """Return that a column has too many values for these people and this epsilon."""
    what = "bands" if bands else "values"
    return f"{size:,} {what} of {title} are too fine for {numbers.amount(n)} people at ε = {epsilon:g}."


merging_gain = template(TEXTS["merging_gain"])
no_advice = template(TEXTS["no_advice"])
