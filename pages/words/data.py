"""Wording of the page Data."""

from pages.words import numbers

UPLOAD = "CSV, Excel, Parquet, ARFF or transactions"
READ_ROWS = "Rows of another length than the header"
READ_ROWS_HELP = "In messages and commands: ragged=leave_out, ragged=first_unnamed."
READ_BYTES_HELP = "In messages and commands: bad_bytes=replace."
NORMALISE = "Trim spaces, compose letters (NFC)"
NORMALISE_HELP = "Off: every value stays exactly as the file has it."
OTHER_FILE = (
    "{file} differs from the file of that name that the link was made with, so the link's own "
    "settings were not used."
)
KINDS_OF_PEOPLE = {
    "independent": "independent",
    "chain": "chain: each like one before",
    "tree": "tree: each like its parent",
    "clusters": "clusters of similar people",
    "factor": "one hidden factor",
}
# What is done with numbers, and with empty cells.
RULES = {
    "quantiles": "cut at quantiles of this data",
    "width": "cut into equally wide bins",
    "fixed": "cut at the edges you typed",
}
MISSING = {"value": "a value of their own", "rows": "their rows are left out"}
ROWS_LEFT_OUT, OWN_VALUE = "rows with empty cells left out", "empty cells a value of their own"
EDGES_HINT = (
    "Edges taken from the data are for demonstration: a real collector must fix them before "
    "anyone reports."
)
VALUES_HINT = "Give two values the same label to merge them; lower positions come first."
SCHEMA_HELP = "The same file works on the command line: --schema schema.json"
ATTRIBUTES_HELP = "Empty the field to go back to the first usable columns."
MAX_VALUES = "At most so many values per attribute"
MAX_VALUES_HELP = (
    "The papers use 3: the 2 most frequent values, and the rest as one. Numbers: bins."
)


def upload_help(megabytes: int, kept: int) -> str:
    """What becomes of a file."""
    return (
        f"At most {megabytes} MB. The file is read in a process of its own and stays on this "
        "computer; only its table is kept, until you close the page. "
        f"Of several files the {kept} newest stay, and any in use."
    )


def full_table(users: float, k: int, users_of_largest: float) -> str:
    """Users per cell of the full table, and of the largest table over k attributes."""
    enough = (
        "few enough cells to ask for the full table."
        if users > 1000
        else "far too few to ask for the full table, so views of a few attributes are asked for."
    )
    return (
        f"Over all cells there are {numbers.people_per_cell(users)} users each: {enough} The largest "
        f"table over {k} attributes has {numbers.people_per_cell(users_of_largest)} users per cell."
    )


def largest_title(k: int) -> str:
    """Above the number of cells of the largest table to be released."""
    return f"Cells of the largest {k}-way table"
