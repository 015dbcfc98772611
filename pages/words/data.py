"""Wording of the page Data."""

from collections.abc import Sequence

from calm_core.ingest import Report
from calm_core.settings import Settings
from calm_core.text import format_count
from pages.words import numbers
from pages.words.common import time_left
from pages.words.texts import read_texts

TEXTS = read_texts("data")
# How long a file is kept after its tab is closed.
MINUTES = 30

UPLOAD = "A table: CSV, Excel, Parquet, ARFF or transactions"
# What Streamlit writes into its drop zone is in its own words: these stand in their place.
DROP, DROP_KINDS, DROP_BUTTON = (
    "Drop a table here", "CSV, Excel, Parquet, ARFF. One row per person.", "Choose a file",
)  # fmt: skip
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
EDGES_HINT = (
    "Edges taken from the data are for demonstration: a real collector must fix them before "
    "anyone reports."
)
VALUES_HINT = "Give two values the same label to merge them; lower positions come first."
NAMES_HINT = (
    "What the screen says in place of the column's name and labels. Downloads and the command line "
    "keep name and labels. Empty: the same."
)
SCHEMA_HELP = "The same file works on the command line: --schema schema.json"
ATTRIBUTES_HELP = "Empty the field to go back to the first usable columns."
MAX_VALUES = "At most so many values per attribute"
MAX_VALUES_HELP = (
    "The papers use 3: the 2 most frequent values, and the rest as one. Numbers: bins."
)
SHARED = "or a table of this server"
NONE_SHARED = "The folder this app was given holds no table."
OPEN_SHARED, COLLECT_SHARED, STOP = "Use this table", "Collect from it", "Stop"
OPEN_COLLECTION = "Open a collection: reports without a table →"


def more_shared(most: int) -> str:
    """Return that the list is incomplete."""
    return f"Only the first {most:,} tables are listed."


def read_in_parts_note(megabytes: int) -> str:
    """Return how a table too large for memory is read."""
    return (
        f"Larger than {megabytes} MB, so it is read in parts: everybody reports once, with the settings below, "
        "and only the reports are kept and opened as a collection, without true shares to compare with."
    )


def reading_progress(reading: int, rows: int, seconds: float | None) -> str:
    """Return the progress of the three readings of a file.

    >>> reading_progress(2, 30_000, 8.0)
    'Reading 2 of 3, its people are counted: 30,000 rows, about 8 s left'
    """
    what = ("its columns are found out", "its people are counted", "everybody reports")[reading - 1]
    return f"Reading {reading} of 3, {what}: {rows:,} rows, {time_left(seconds)}"


def collected_note(epsilon: float, k: int, theta: float, seed: int) -> str:
    """Return how a collection was made from a table."""
    return (
        f"Collected here from a table, with ε = {epsilon:g}, k = {k}, θ = {theta:g} and seed {seed}; its true "
        "shares were not kept."
    )


def stopped_text(name: str) -> str:
    """Return that a collection was stopped."""
    return f"Collecting from {name:.200} was stopped; nothing of it is kept."


def storage_note(*, kept: bool) -> str:
    """Return where a file is stored and for how long."""
    if not kept:
        return "Stays in this server's memory until this tab is closed or loaded again. No link contains it."
    return (
        f"Stays in this server's memory while this tab is open and {MINUTES} minutes longer, and comes "
        "back after a reload. No link contains it."
    )


def storage_limits(megabytes: int, most: int) -> str:
    """Return how much is accepted and stored."""
    return (
        f"At most {megabytes} MB a file. It is read in a process of its own; only its table is kept, in "
        f"memory. Of several files the {most} newest stay, and any in use."
    )


def table_facts(n: int, unit: str, d: int) -> str:
    """Return the size of a table."""
    return f"{numbers.amount(n)} {unit}, {d} attribute{'s' * (d != 1)}"


def left_out_text(reason: str) -> str:
    """Return why a column is not used."""
    return f"left out: {reason}"


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


def forgotten_text(file: str) -> str:
    """Return that a file was forgotten."""
    return f"{file} is forgotten: its table, its edited columns and all results are gone from here."


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


def largest_title(k: int) -> str:
    """Return the label for the cells of the largest table over k attributes."""
    return f"Cells of the largest table over {k} attributes"
