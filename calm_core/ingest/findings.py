"""Descriptions of columns: what was found, what it becomes, and warnings."""

from dataclasses import dataclass

import numpy as np

from calm_core.ingest.binning import date_text
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.suggestions import joined_spellings, quote_texts
from calm_core.ingest.values.dates import CLOCK, NUMBERED
from calm_core.ingest.values.units import SIXTIETHS, is_money
from calm_core.ingest.values.variants import YES_NO
from calm_core.text import format_count, pluralize

SIGNS = {" ": "blanks", "'": "apostrophes", ",": "commas", ".": "points"}
ORDER = {"dmy": "the day first", "mdy": "the month first", "ymd": "the year first"}
HALF = 0.5
EARLY = 0.25  # of a day: with no later time, times may be lengths


@dataclass(frozen=True)
class Finding:
    """What one column was found to be, and what becomes of it.

    Attributes
    ----------
    saw, becomes : str
        What its cells are, and what it is made into.
    why_out : str
        Why it is left out, and that it can be used anyway; "" for a column that is used.
    warnings : tuple of str
        What to look at: cells that do not fit, many empty cells.
    """

    saw: str
    becomes: str
    why_out: str
    warnings: tuple[str, ...]


def describe_columns(schema: Schema) -> tuple[Finding, ...]:
    """One finding per column, in the order of the schema.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.table import make_table
    >>> pay = [f"€{i},500" for i in range(1, 40)] * 2 + ["", "-"]
    >>> found, = describe_columns(detect_schema(make_table({"pay": [text or None for text in pay]})))
    >>> found.saw
    "78 amounts in EUR with commas between thousands, 1 empty, 1 that is not a number ('-')"
    >>> found.becomes
    '5 bands of equal size, EUR; 1 other value; empty cells a value of their own'
    """
    return tuple(map(describe_column, schema.columns))


def describe_column(column: ColumnSchema) -> Finding:
    """The finding about one column."""
    why_out = column.reason or "not chosen"
    if column.reason and column.size > 1:
        why_out += "; it can be used anyway"
    return Finding(
        saw=_describe_cells(column),
        becomes=_describe_result(column),
        why_out="" if column.keep else why_out,
        warnings=tuple(_warnings(column)),
    )


def _describe_cells(column: ColumnSchema) -> str:
    """Phrase about the cells, those that are empty and those that do not fit."""
    if column.is_number:
        text = (_describe_dates if column.kind == "date" else _describe_numbers)(column)
    else:
        text = _describe_values(column)
    marked = sum(column.missing_counts)
    empty = column.n_missing - marked
    if empty:
        text += f", {empty:,} empty"
    if marked:
        text += f", {marked:,} counted as empty ({quote_texts(column.missing_texts)})"
    words = sum(column.counts) + column.other_count
    if column.is_number and words:
        which = f"is not a {column.kind}" if words == 1 else f"are not {column.kind}s"
        text += f", {words:,} that {which} ({quote_texts(column.values)})"
    return text


def _describe_numbers(column: ColumnSchema) -> str:
    """Phrase such as "4,187 amounts in EUR with decimal comma"."""
    what = "numbers"
    if is_money(column.unit):
        what = f"amounts in {column.unit}"
    elif column.unit == "%":
        what = "percentages"
    elif column.unit == SIXTIETHS:
        what = "lengths of time such as 1:30"
    elif column.unit:
        what = f"numbers with the unit {column.unit}"
    parts = ["decimal comma"] if column.decimal == "," else []
    if column.thousands:
        signs = " and ".join(SIGNS.get(sign, sign) for sign in column.thousands)
        parts.append(f"{signs} between thousands")
    if column.scales:
        parts.append(f"words for thousands or millions ({', '.join(column.scales)})")
    if column.negative:
        parts.append("brackets for less than zero")
    return f"{column.numbers_count:,} {what}" + (f" with {', '.join(parts)}" if parts else "")


def _describe_dates(column: ColumnSchema) -> str:
    times = column.date_forms and set(column.date_forms) <= {"time", "hour"}
    text = f"{column.numbers_count:,} {'times' if times else 'dates'}"
    if column.sketch and not times:
        first, last = (date_text(float(np.floor(x))) for x in (column.sketch[0], column.sketch[-1]))
        text += f" from {first} to {last}"
    order = {*NUMBERED} & {*column.date_forms}
    return text + (f", numbers with {ORDER[column.date_order]}" if order else "")


def _describe_values(column: ColumnSchema) -> str:
    filled = sum(column.counts) + column.other_count
    if column.kind == "yes/no":
        two, joined = _two_names(column), joined_spellings(column)
        spelled = f", {len(joined)} spellings joined ({quote_texts(joined)})" if joined else ""
        what = "yes or no" if two == ("no", "yes") else " or ".join(two)
        return f"{filled:,} {'ticks' if _means_no(column) else f'answers of {what}'}{spelled}"
    what = {
        "ordered": "values with an order", "date": "dates", "text": "different texts",
        "constant": pluralize(column.n_values, "value"),
    }.get(column.kind, "different values")  # fmt: skip
    return f"{column.n_values:,} {what} in {filled:,} cells"


def _two_names(column: ColumnSchema) -> tuple[str, ...]:
    """Display names of the two values of a yes/no column.

    Examples
    --------
    >>> sex = ColumnSchema("sex", "yes/no", labels=("0", "1"), value_names=("man", "woman"))
    >>> _two_names(sex), _two_names(ColumnSchema("ill", "yes/no", labels=("0", "1")))
    (('man', 'woman'), ('no', 'yes'))
    >>> _two_names(ColumnSchema("alarm", "yes/no", labels=("off", "on")))
    ('off', 'on')
    """
    two = tuple(name for at, name in enumerate(column.display_names) if at != column.missing_code)
    shown_so = tuple(map(str.casefold, two)) in (*YES_NO[:2], ("no", "yes"))
    return ("no", "yes") if len(two) != 2 or shown_so else two


def _means_no(column: ColumnSchema) -> bool:
    """Whether an empty cell is a box that was not ticked."""
    code = column.missing_code
    return column.kind == "yes/no" and code is not None and column.labels[code] == "no"


def _describe_result(column: ColumnSchema) -> str:
    """Phrase about what the column becomes."""
    if not column.size:
        return "nothing"
    empty = ""
    if _means_no(column):
        empty = "; empty cells mean no"
    elif column.n_missing:
        rows = column.missing == "rows"
        empty = (
            "; rows with an empty cell left out" if rows else "; empty cells a value of their own"
        )
    if not column.is_number:
        has_missing_value = column.missing_code is not None and not _means_no(column)
        if column.kind == "yes/no" and column.size - has_missing_value == 2:
            return f"{' and '.join(_two_names(column))}{empty}"
        merged = "; the rarest merged" if column.other is not None else ""
        return f"{column.size:,} values{merged}{empty}"
    bins = len(column.edges or ()) + 1
    how = {"width": "equally wide", "fixed": "as typed", "calendar": f"by {column.bin_unit}"}
    text = f"{format_count(bins, 'band')} {how.get(column.binning, 'of equal size')}"
    if column.unit and column.unit != SIXTIETHS:
        text += f", {column.unit}"
    rest = column.size - bins - (column.missing_code is not None)
    return text + (f"; {format_count(rest, 'other value')}" if rest > 0 else "") + empty


def _warnings(column: ColumnSchema) -> list[str]:
    texts = []
    words = sum(column.counts) + column.other_count
    rows = column.numbers_count + words + column.n_missing
    if column.n_missing > HALF * rows and not _means_no(column):
        texts.append(f"{column.n_missing:,} of {rows:,} cells are empty.")
    if column.is_number and words:
        texts.append(f"{words:,} cells are not {column.kind}s: {quote_texts(column.values)}.")
    if {*column.date_forms} & CLOCK and column.sketch and column.sketch[-1] < EARLY:
        texts.append("No time is later than 6:00: if these are lengths of time, make it a number.")
    if "short numbers" in column.date_forms:
        texts.append("Years of two digits are read as 1930 to 2029.")
    return texts
