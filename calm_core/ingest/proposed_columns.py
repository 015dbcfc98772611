"""Which columns a person would pick as attributes: survey answers before ids, names, dates and the like."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import weighted_sketch
from calm_core.ingest.detect_words import POSTCODE_NAME
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.table import split_question
from calm_core.ingest.values.amounts import parse_amounts
from calm_core.ingest.values.dates import FORM_UNITS
from calm_core.ingest.values.scales import fold_word
from calm_core.ingest.values.words import MISSING_WORDS, WORDS, read_patterns
from calm_core.text import format_count, join_some

MAX_VALUES, MAX_NUMBERS = 24, 120  # values of an answer chosen from a list, and of a number
FEW = 5  # so few values are answers, however few people there are
# How far from 1 the mean of weights may be, if they are called so and if not.
AROUND, AROUND_UNNAMED = 0.1, 0.03
LARGE = 1000  # people of whom two columns seldom have the same counts by chance
SHOWN = 4
PERIODS = {"quarter", "half-year"}  # answers rather than dates, as school years are
# Least share of equal cells, of empty cells, and of texts given once only that make no answer.
CONSTANT, EMPTY, DIFFERENT = 0.99, 0.9, 0.5
ID = re.compile(WORDS["column_names"]["row_id"])
# What columns are if not answers, and in the plural; these two are taken before the others.
SECOND_CHOICE = ("column with many values", "date")
PEOPLE = {
    "name": "names of people", "address": "addresses", "e-mail address": "e-mail addresses",
    "phone number": "phone numbers", "account number": "account numbers",
    "national id number": "national id numbers", "IP address": "IP addresses",
    "coordinates": "coordinates", "postcode": "postcodes of people",
}  # fmt: skip
LAST_CHOICE = PEOPLE | {
    "id": "ids", "free text": "free texts", "remark": "remarks", "survey weight": "survey weights",
    "column about the survey": "columns about the survey", "copy of another column": "copies of other columns",
    "constant column": "constant columns",
    "nearly constant column": "nearly constant columns", "nearly empty column": "nearly empty columns",
}  # fmt: skip
KINDS = {"id-like": "id", "text": "free text", "constant": "constant column"}
NAMES = {
    doubt: re.compile(pattern.replace(" ", " ?"))
    for doubt, pattern in read_patterns("doubtful_names").items()
}
WORDS_ONLY = ("name", "address", "e-mail address")  # of these, a column of numbers is none
TEXTS = {doubt: re.compile(pattern) for doubt, pattern in read_patterns("doubtful_texts").items()}
SURVEY = "column about the survey"
FORM_STATES = {"0", "1", "2", "incomplete", "unverified", "complete"}
LOOK, ALIKE = 50, 0.9  # of so many texts, the least share that say what a column is
# Around the words that say what is asked: "Please enter your e-mail", "Q5 Comment", "Address 2".
FRAME = re.compile(
    r"^(?:q ?\d+[a-z]? )?(?:(?:what is|please enter|enter) )?(?:(?:your|ihre?|deine?|votre|su|tu|uw) )?| \d$"
)
PATH = re.compile(r"^.*(?:\w/|\w\. ?)(?=[^\W\d_])")


def fold_name(name: str) -> str:
    """The name of a column as words in lower case, without accents.

    Examples
    --------
    >>> fold_name("IPAddress"), fold_name("submit_date"), fold_name("Straße / Nr."), fold_name("Your e-mail?")
    ('ip address', 'submit date', 'strasse nr', 'e mail')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return FRAME.sub("", fold_word(spaced))


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
    # What is asked stands after its code or path, "submitdate. Date submitted", unless it is an option.
    name = fold_name(PATH.sub("", column.name) if column.n_values > FEW else column.name)
    called = name, fold_name(column.name), fold_name(column.title)
    if any(map(NAMES[SURVEY].fullmatch, called)) or column.name.startswith("_"):
        return SURVEY
    states = {text.casefold() for text in column.values}
    if name.endswith(" complete") and {"0", "1"} < states | {"0", "1"} <= FORM_STATES:
        return SURVEY
    for words in dict.fromkeys(called):
        if doubt := _find_person(column, words):
            return doubt
    if is_weight(column):
        return "survey weight"
    doubt = _find_form(column)
    perhaps = doubt and NAMES["perhaps about the survey"].fullmatch(name)
    when = (doubt or column.is_number) and any(map(NAMES["moment"].fullmatch, called))
    return SURVEY if perhaps or when else doubt


def _find_person(column: ColumnSchema, name: str) -> str:
    """What a column says of the people themselves, by its texts or its name; "" if it says nothing of that."""
    few = 1 < column.n_values <= FEW
    if column.kind in ("yes/no", "date"):
        return ""
    if column.kind != "ordered" and NAMES["remark"].fullmatch(name):
        texts = [text for text in column.values if text.casefold() not in MISSING_WORDS]
        return "remark" if sum(" " in text for text in texts) > DIFFERENT * len(texts) else ""
    if few:
        return ""
    if some := () if column.is_number else column.values[:LOOK]:
        for doubt, pattern in TEXTS.items():
            if sum(pattern.search(text) is not None for text in some) >= ALIKE * len(some):
                return doubt
    if POSTCODE_NAME.search(column.name) and column.kind == "id-like":
        return "postcode"
    if POSTCODE_NAME.search(column.title) and column.is_number:
        return "postcode"
    called = [doubt for doubt in PEOPLE if doubt in NAMES and NAMES[doubt].fullmatch(name)]
    numeric = column.is_number or column.kind == "ordered"
    return next((doubt for doubt in called if not (numeric and doubt in WORDS_ONLY)), "")


def _find_form(column: ColumnSchema) -> str:
    """What a column is by its kind and the number of its values."""
    values = column.n_values
    filled = column.numbers_count + sum(column.counts) + column.other_count
    rows = filled + column.n_missing
    if column.kind in KINDS:
        return KINDS[column.kind]
    # One value and empty cells are a box that was ticked or not.
    if values > 1 and column.n_missing > EMPTY * rows:
        return "nearly empty column"
    if max(column.label_counts(), default=0) >= CONSTANT * rows:
        return "nearly constant column"
    if column.kind == "yes/no":
        return ""
    if ID.search(column.name):
        return "id"
    if column.kind == "date" and not {*map(FORM_UNITS.get, column.date_forms)} <= PERIODS:
        return "date"
    many = column.size > MAX_VALUES
    if column.is_number:
        many = values > MAX_NUMBERS
    elif column.kind == "category":
        many |= values > max(FEW, DIFFERENT * filled)
    return "column with many values" if many else ""


def is_weight(column: ColumnSchema) -> bool:
    """Whether the numbers of a column are survey weights: around 1, or called so.

    Examples
    --------
    >>> around = ColumnSchema("w", "number", sketch=(0.4, 0.9, 1.1, 1.6), labels=("any",), edges=())
    >>> body = ColumnSchema("weight", "number", sketch=(48.5, 70.2, 90.4), labels=("any",), edges=())
    >>> is_weight(around), is_weight(body)
    (True, False)
    """
    name = fold_name(column.name)
    sure, named = (NAMES[one].fullmatch(name) is not None for one in ("survey weight", "weight"))
    if not (sure or named or column.is_number):
        return False
    numbers = _find_numbers(column)
    if not len(numbers) or numbers.min() < 0 or numbers.min() == numbers.max():
        return False
    if sure or numbers.min() == 0 or (numbers == np.round(numbers)).all():
        return sure
    # Between two quantiles lie as many rows as between the next two, so the mean is between these.
    off = AROUND if named else AROUND_UNNAMED
    return bool(numbers[:-1].mean() <= 1 + off and numbers[1:].mean() >= 1 - off)


def is_count_column(column: ColumnSchema) -> bool:
    """Whether a column is called a count and holds whole numbers, so that each row may stand for many people.

    Examples
    --------
    >>> counts = ColumnSchema("n", "number", sketch=(3.0, 14.0, 90.0), labels=("any",), edges=())
    >>> is_count_column(counts), is_count_column(replace(counts, name="age"))
    (True, False)
    """
    if NAMES["count"].fullmatch(fold_name(column.name)) is None:
        return False
    numbers = _find_numbers(column)
    return bool(len(numbers) and numbers.min() >= 0 and (numbers == np.round(numbers)).all())


def _find_numbers(column: ColumnSchema) -> np.ndarray:
    """Quantiles of the numbers of a column; none of dates, or if a listed value is no number."""
    if column.is_number:
        return np.array(column.sketch if column.kind != "date" else ())
    numbers = parse_amounts(pa.array(column.values, pa.string())).numbers
    if not len(numbers) or np.isnan(numbers).any():
        return np.array([])
    return weighted_sketch(numbers, np.array(column.counts))


def find_doubts(schema: Schema) -> dict[str, str]:
    """What columns are rather than survey answers, by their names; those that look like answers are not listed."""
    doubts = {column.name: doubt for column in schema.columns if (doubt := find_doubt(column))}
    for column in schema.columns:
        if _is_written_in(column, schema):
            doubts[column.name] = "remark"
    known_counts = set()
    for column in schema.columns:
        # So many people seldom share a list of counts by chance.
        counts = (*sorted(column.counts), column.n_missing)
        if len(counts) > FEW and sum(counts) > LARGE and counts in known_counts:
            doubts.setdefault(column.name, "copy of another column")
        known_counts.add(counts)
    if {"name", "address", "e-mail address", "phone number"} & {*doubts.values()}:
        # Beside the names of people, postcodes say where they live.
        doubts |= {
            column.name: "postcode"
            for column in schema.columns
            if POSTCODE_NAME.search(column.name) and column.n_values > FEW
        }
    return doubts


def _is_written_in(column: ColumnSchema, schema: Schema) -> bool:
    """Whether a column holds what few people wrote beside a question: texts, most of them empty."""
    filled = sum(column.counts) + column.other_count
    if column.kind != "category" or column.n_values < 2 or column.n_missing <= filled:
        return False
    if any(map(NAMES["written in"].fullmatch, map(fold_name, (column.name, column.title)))):
        return True
    question = split_question(column.name)[0]
    beside = [other for other in schema.columns if split_question(other.name)[0] == question]
    return bool(question) and sum(other.kind == "yes/no" for other in beside) > 1


def rank_columns(schema: Schema) -> list[str]:
    """Names of the usable columns in the order of proposal: survey answers, second choices, all others."""
    doubts = find_doubts(schema)
    ranks = {"": 0} | dict.fromkeys(SECOND_CHOICE, 1) | dict.fromkeys(LAST_CHOICE, 2)
    names = [column.name for column in schema.used_columns]
    return sorted(names, key=lambda name: ranks[doubts.get(name, "")])


def count_proposed(schema: Schema, limit: int) -> int:
    """How many columns to propose where so many are wanted: no ids and the like, if two others can be used."""
    doubts, usable = find_doubts(schema), schema.used_columns
    likely = sum(doubts.get(column.name) not in LAST_CHOICE for column in usable)
    return min(limit, likely if likely > 1 else len(usable))


def propose_columns(schema: Schema, d: int) -> Schema:
    """The schema with the d usable columns that look most like survey answers, in file order; its last note says why.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.table import make_table
    >>> days = [f"2024-05-{day:02}" for day in range(1, 31)]
    >>> table = make_table({"born": days, "ill": ["yes", "no"] * 15, "tired": ["no", "no", "yes"] * 10})
    >>> propose_columns(detect_schema(table), 2).notes[-1]
    "Used: 2 of 2 columns that look like survey answers; left out: 'born' (date)."
    """
    proposed = schema.first(d, rank_columns(schema))
    used = {column.name for column in proposed.used_columns}
    doubts = find_doubts(schema)
    answers = [column.name for column in schema.used_columns if column.name not in doubts]
    # A column without a reason was left out by the user.
    doubted = [c.name for c in schema.columns if c.name in doubts and (c.keep or c.reason)]

    def name(columns: list[str]) -> str:
        return join_some([f"{column!r:.40} ({doubts[column]})" for column in columns], SHOWN)

    used_anyway = [column for column in doubted if column in used]
    passed = [column for column in doubted if column not in used]
    if not doubted:
        return proposed
    text = f"Used: {len(used) - len(used_anyway)} of {format_count(len(answers), 'column')} that look like survey answers"
    text += f", and {name(used_anyway)}" if used_anyway else ""
    text += f"; left out: {name(passed)}" if passed else ""
    return replace(proposed, notes=(*proposed.notes, f"{text}."))
