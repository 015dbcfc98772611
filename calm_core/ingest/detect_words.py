"""Columns of words: yes/no, scales, categories, identifiers and free text."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import group_values, make_listed_column
from calm_core.ingest.counting import ValueCounts
from calm_core.ingest.schema import ColumnSchema
from calm_core.ingest.table import pc
from calm_core.ingest.values.scales import band_ranks, pattern_ranks, word_ranks
from calm_core.ingest.values.units import BEYOND_CLOCK, CLOCK_LIKE
from calm_core.ingest.values.variants import MAX_WORDS, TICKS, YES_NO_WORDS, yes_no_codes
from calm_core.ingest.values.words import MISSING_WORDS, NO_OPINION, NO_VALUE, WORDS, is_word

FEW_WHOLE = 20  # whole numbers with so few values stay ordered categories
ID_SHARE = 0.95
WIDE = 1e9  # numbers that all differ and span more than this are identifiers
(
    ID_NAME, NUMBER_NAME, POSTCODE_NAME, IDENTIFIER_NAME, YEAR_NAME, BIRTH_NAME, DURATION_NAME, CLOCK_NAME
) = (
    re.compile(WORDS["column_names"][name].replace("\n", ""), re.IGNORECASE)
    for name in ("id", "number", "postcode", "identifier", "year", "birth", "duration", "clock")
)  # fmt: skip
# Already displayed as no and yes; "on" says more than yes.
OWN_WORDS = (("0", "1"), ("no", "yes"))
PHONE = r"^\+?[\d(][\d ()/.\-\x{A0}\x{202F}]{5,24}[\dX]$"
WITH_PLUS = r"^(?:\+|00)[1-9][\d ()/.\-\x{A0}\x{202F}]{8,24}$"
SHORT = r"^0{1,2}:[0-5]\d:(?:[0-5][1-9]|[1-5]0)$"  # below an hour, with seconds
LONGEST_STEP = 200  # letters of a step of a scale, such as a statement to agree with
MIN_IDENTIFIER_DIGITS = 9  # digits of identifiers that all have the same length


def yes_no_column(cells: ValueCounts) -> ColumnSchema | None:
    """The column if its words mean yes and no; None otherwise. Markers for missing stay values."""
    if not 2 <= len(cells.texts) <= MAX_WORDS + 3:
        return None
    marked = is_word(cells.texts, MISSING_WORDS)
    order = np.full(len(marked), np.nan)
    sides = yes_no_codes(cells.texts.filter(pa.array(~marked)).to_pylist())
    if sides is None:
        return None
    order[~marked] = sides
    column = make_listed_column(cells.new_column("yes/no"), cells, order)
    side_of = dict(zip(cells.texts.to_pylist(), order))
    return name_yes_no(_join_spellings(column, side_of))


def _join_spellings(column: ColumnSchema, side_of: dict[str, float]) -> ColumnSchema:
    """The yes/no column with spellings joined to "no" and "yes" that differ in case, blanks or the word."""
    plain = {text: " ".join(text.casefold().split()) for text in column.values}
    # "NO?" may be another answer.
    words = [text for text in column.values if plain[text] in YES_NO_WORDS]
    if len(words) == len({side_of[text] for text in words}):
        return column
    two = ("off", "on") if {plain[text] for text in words} == {"off", "on"} else ("no", "yes")
    into = {text: two[int(side_of[text])] for text in words}
    return group_values(column, [into.get(text, text) for text in column.values], order=two)


def ticked_column(cells: ValueCounts) -> ColumnSchema | None:
    """The yes/no column if its cells are ticks or empty, which means no; None otherwise.

    Examples
    --------
    >>> column = ticked_column(ValueCounts("vegan", 7, pa.array(["x", "X"]), np.array([4, 1])))
    >>> column.labels, column.label_counts()
    (('no', 'yes'), [7, 5])
    """
    if not cells.missing or not len(cells.texts) or not is_word(cells.texts, TICKS).all():
        return None
    base = cells.new_column("yes/no")
    column = make_listed_column(base, cells)
    return replace(column, labels=("no", "yes"), groups=(1,) * len(column.values), missing_code=0)


def name_yes_no(column: ColumnSchema) -> ColumnSchema:
    """The column with "no" and "yes" as display names of its two values, if they need them."""
    if column.kind != "yes/no" or column.size < 2 or column.value_names:
        return column
    sides = yes_no_codes(column.labels[:2])
    labels = tuple(label.casefold() for label in column.labels)
    shown_so = labels in OWN_WORDS or labels[:2] == ("off", "on")
    special_codes = {column.missing_code, column.other} & {0, 1}
    if sides is None or sides.tolist() != [0, 1] or shown_so or special_codes:
        return column
    names = ["no", "yes", *("" for _ in column.labels[2:])]
    names = ["" if name == label else name for name, label in zip(names, column.labels)]
    if set(filter(None, names)) & set(column.labels) or not any(names):
        return column
    return replace(column, value_names=tuple(names))


def is_id_like(name: str, values: int, rows: int) -> bool:
    """Whether nearly every row has its own value."""
    share = values / max(1, rows)
    return rows >= 20 and (share > ID_SHARE or (share > 0.5 and ID_NAME.search(name) is not None))


def is_running_number(name: str, numbers: np.ndarray, rows: int) -> bool:
    """Whether whole numbers are identifiers of rows and not amounts that differ.

    Parameters
    ----------
    numbers : ndarray
        The distinct ones.

    Examples
    --------
    >>> is_running_number("x", np.arange(100), 100), is_running_number("pay", 977.0 * np.arange(20, 120), 100)
    (True, False)
    """
    values = len(numbers)
    if not is_id_like(name, values, rows):
        return False
    span = float(numbers.max() - numbers.min()) + 1
    named = ID_NAME.search(name) is not None or NUMBER_NAME.search(name) is not None
    # Among amounts from this range, so many equal pairs would occur by chance.
    met = values == rows and rows * rows / (2 * span) > 5
    return named or span <= 2 * values or met or (values == rows and span > WIDE)


def as_id_column(base: ColumnSchema, values: int, rows: int) -> ColumnSchema:
    """The column, left out as id-like."""
    reason = f"id-like ({values:,} different values in {rows:,} rows)"
    return replace(base, kind="id-like", keep=False, reason=reason)


def is_postcode(cells: ValueCounts) -> bool:
    """Whether a column of digits has the name of a postcode column."""
    if POSTCODE_NAME.search(cells.name) is None:
        return False
    return cells.share(r"^\d{3,9}(?:-\d{3,4})?$") > 0.9


def is_clock(cells: ValueCounts) -> bool:
    """Whether texts such as 17:37 are times of the day: none of 24 hours or more, and no lengths of time.

    Lengths are called so, or most of them are below an hour and have seconds.

    Examples
    --------
    >>> texts, counts = pa.array(["00:03:27", "00:10:04", "01:02:30"]), np.array([1, 1, 1])
    >>> is_clock(ValueCounts("x", 0, texts, counts)), is_clock(ValueCounts("arrival", 0, texts, counts))
    (False, True)
    """
    if not any(pc.any(pc.match_substring(cells.texts, sign)).as_py() for sign in ":h"):
        return False
    clock, beyond, short = (
        cells.counts[cells.matches(form)].sum() for form in (CLOCK_LIKE, BEYOND_CLOCK, SHORT)
    )
    if beyond or clock <= 0.5 * cells.counts.sum():
        return False
    if CLOCK_NAME.search(cells.name) is not None:
        return True
    return DURATION_NAME.search(cells.name) is None and bool(short <= 0.5 * cells.counts.sum())


def is_identifying_number(cells: ValueCounts) -> bool:
    """Whether digits are telephone, account or article numbers.

    Their column is called so, or they begin with a plus, or they are long and all of one length.
    """
    texts, share = cells.texts, cells.share
    if not len(texts) or share(PHONE) <= 0.9:
        return False
    if share(WITH_PLUS) > 0.9 or IDENTIFIER_NAME.search(cells.name) is not None:
        return True
    digits = pc.replace_substring_regex(texts, r"\D", "")
    lengths = np.unique(np.asarray(pc.utf8_length(digits)))
    grouped = share(r"\d[ ()/.\-\x{A0}\x{202F}]+\d") > 0.9
    return bool(
        grouped and len(lengths) == 1 and lengths[0] >= MIN_IDENTIFIER_DIGITS
        and is_id_like(cells.name, len(texts), cells.rows) and share(r"[.,]\d{1,2}$") == 0
        and share(r"^(?:1[89]|20)\d{2}[-/. ]|[-/. ](?:1[89]|20)\d{2}$") < 0.5
    )  # fmt: skip


def scale_order(texts: pa.Array, name: str = "") -> np.ndarray | None:
    """Ranks of texts that are steps of one scale (words, sizes, marks, bands); None for others.

    Parameters
    ----------
    name : str
        Of the column.

    Examples
    --------
    >>> scale_order(pa.array(["often", "never", "n/a", "always"])).tolist()
    [6.0, 0.0, nan, 10.0]
    >>> scale_order(pa.array(["red", "green", "blue"])) is None
    True
    """
    sure = ~is_word(texts, NO_VALUE)
    # "none" is either the first step or no answer.
    for is_step in (sure, ~is_word(texts, MISSING_WORDS | NO_OPINION)):
        if not 3 <= is_step.sum() <= FEW_WHOLE:
            continue
        words = texts.filter(pa.array(is_step)).to_pylist()
        if max(map(len, words)) > LONGEST_STEP:
            continue
        ranks = word_ranks(words) or pattern_ranks(words, name) or band_ranks(words)
        if ranks is not None:
            out = np.full(len(is_step), np.nan)
            out[is_step] = ranks
            return out
    return None


def words_column(cells: ValueCounts) -> ColumnSchema:
    """The column as category, as ordered if it is a scale, as id-like or as free text."""
    base, texts, rows = cells.new_column(), cells.texts, cells.rows
    order = scale_order(texts, base.name)
    if order is not None:
        base = replace(base, kind="ordered")
    elif is_id_like(base.name, len(texts), rows) or (len(texts) > 0.5 * rows and len(texts) > 100):
        if cells.share(" ") > 0.5:
            reason = f"free text ({len(texts):,} different values in {rows:,} rows)"
            base = replace(base, kind="text", keep=False, reason=reason)
        else:
            base = as_id_column(base, len(texts), rows)
    return make_listed_column(base, cells, order)
