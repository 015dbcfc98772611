"""Which columns a person would pick as attributes: survey answers before ids, names, dates and the like."""

import re
from collections import Counter
from dataclasses import replace

from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.suggestions import quote_texts
from calm_core.ingest.values.words import WORDS
from calm_core.text import format_count

MAX_VALUES, MAX_NUMBERS = 24, 120  # values of an answer chosen from a list, and of a number
FEW = 5  # so few values are answers, however few people there are
LARGE = 1000  # people of whom two columns seldom have the same counts by chance
SHOWN_KINDS = 2
# Least share of equal cells, of empty cells, and of texts given once only that make no answer.
CONSTANT, EMPTY, DIFFERENT = 0.99, 0.9, 0.5
ID, PERSON, SURVEY = (
    re.compile(WORDS["column_names"][name].replace("\n", ""))
    for name in ("row_id", "person", "survey")
)
# What columns are if not answers, and in the plural; these two are taken before the others.
SECOND_CHOICE = {"column with many values": "columns with many values", "date": "dates"}
LAST_CHOICE = {
    "id": "ids", "name": "names", "free text": "free texts", "column about the survey": "columns about the survey",
    "copy of another column": "copies of other columns",
    "nearly constant column": "nearly constant columns", "nearly empty column": "nearly empty columns",
}  # fmt: skip
KINDS = {"id-like": "id", "text": "free text", "constant": "nearly constant column"}


def find_doubt(column: ColumnSchema) -> str:
    """What a column is rather than a survey answer, such as "date"; "" if it looks like an answer.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"Start Date": ["2024-05-01", "2024-05-02"] * 9, "ill": ["yes", "no"] * 9})
    >>> [find_doubt(column) for column in detect_schema(table).columns]
    ['column about the survey', '']
    """
    values = column.n_values
    filled = column.numbers_count + sum(column.counts) + column.other_count
    rows = filled + column.n_missing
    if column.kind in KINDS:
        return KINDS[column.kind]
    if SURVEY.search(column.name):
        return "column about the survey"
    # One value and empty cells are a box that was ticked or not.
    if values > 1 and column.n_missing > EMPTY * rows:
        return "nearly empty column"
    if max(column.label_counts(), default=0) >= CONSTANT * rows:
        return "nearly constant column"
    if column.kind == "yes/no":
        return ""
    if ID.search(column.name):
        return "id"
    if values > FEW and PERSON.search(column.name):
        return "name"
    if column.kind == "date":
        return "date"
    many = column.size > MAX_VALUES
    if column.is_number:
        many = values > MAX_NUMBERS
    elif column.kind == "category":
        many |= values > max(FEW, DIFFERENT * filled)
    return "column with many values" if many else ""


def find_doubts(schema: Schema) -> dict[str, str]:
    """What columns are rather than survey answers, by their names; those that look like answers are not listed."""
    found = {column.name: doubt for column in schema.columns if (doubt := find_doubt(column))}
    seen = set()
    for column in schema.columns:
        # So many people seldom share a list of counts by chance.
        counts = (*sorted(column.counts), column.n_missing)
        if len(counts) > FEW and sum(counts) > LARGE and counts in seen:
            found.setdefault(column.name, "copy of another column")
        seen.add(counts)
    return found


def rank_columns(schema: Schema) -> list[str]:
    """Names of the usable columns in the order of proposal: survey answers, second choices, all others."""
    doubts = find_doubts(schema)
    ranks = {"": 0} | dict.fromkeys(SECOND_CHOICE, 1) | dict.fromkeys(LAST_CHOICE, 2)
    names = [column.name for column in schema.used_columns]
    return sorted(names, key=lambda name: ranks[doubts.get(name, "")])


def count_proposed(schema: Schema, wanted: int) -> int:
    """How many columns to propose where so many are wanted: no ids and the like, if two others can be used."""
    doubts, usable = find_doubts(schema), schema.used_columns
    likely = sum(doubts.get(column.name) not in LAST_CHOICE for column in usable)
    return min(wanted, likely if likely > 1 else len(usable))


def propose_columns(schema: Schema, d: int) -> Schema:
    """The schema with the d usable columns that look most like survey answers, in file order; its last note says why.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.table import make_table
    >>> days = [f"2024-05-{day:02}" for day in range(1, 31)]
    >>> table = make_table({"born": days, "ill": ["yes", "no"] * 15, "tired": ["no", "no", "yes"] * 10})
    >>> propose_columns(detect_schema(table), 2).notes[-1]
    "All 2 columns that look like survey answers; 1 date was left out: 'born'."
    """
    proposed = schema.first(d, rank_columns(schema))
    used = {column.name for column in proposed.used_columns}
    doubts = find_doubts(schema)
    # A column without a reason was left out by the user.
    open_names = [column.name for column in schema.columns if column.keep or column.reason]
    others = [doubts[name] for name in open_names if name in doubts and name in used]
    passed = [name for name in open_names if name in doubts and name not in used]
    answers = sum(1 for column in schema.used_columns if column.name not in doubts)
    if not passed and not others:
        return proposed
    text = _describe_used(min(answers, d), others, all_used=answers <= d)
    if passed:
        kinds = _count_kinds([doubts[name] for name in passed])
        were = "was" if len(passed) == 1 else "were"
        text += f"; {kinds} {were} left out: {quote_texts(tuple(passed))}"
    return replace(proposed, notes=(*proposed.notes, f"{text}."))


def _describe_used(answers: int, others: list[str], *, all_used: bool) -> str:
    """Phrase about the columns proposed."""
    if not answers:
        return f"No column looks like a survey answer; used {'is' if len(others) == 1 else 'are'} {_count_kinds(others)}"
    if answers == 1:
        text = f"The {'only' if all_used else 'first'} column that looks like a survey answer"
    else:
        which = f"All {answers}" if all_used else f"The first {answers}"
        text = f"{which} columns that look like survey answers"
    return f"{text}, and {_count_kinds(others)}" if others else text


def _count_kinds(doubts: list[str]) -> str:
    """Phrase such as "3 ids and dates", the most frequent kinds first."""
    if len(doubts) == 1:
        return format_count(1, doubts[0])
    plurals = SECOND_CHOICE | LAST_CHOICE
    kinds = [plurals[doubt] for doubt, _ in Counter(doubts).most_common()]
    kinds = [*kinds[:SHOWN_KINDS], "others"] if len(kinds) > SHOWN_KINDS + 1 else kinds
    listed = " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
    return f"{len(doubts):,} {listed}"
