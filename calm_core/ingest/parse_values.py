"""Texts to numbers and dates, over the distinct values of a column only."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from calm_core.ingest.tidy import LEADING_ZERO, NUMBER

THOUSANDS = r"^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$"
COMMA_NUMBER = r"^[+-]?(?:\d{1,18}(?:\.\d{3})*)?,\d+$"
ISO_DATE = r"^(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?:[T ]\d{1,2}:\d{2}.*)?$"
LOCAL_DATE = r"^(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<y>\d{4})(?:[T ,]+\d{1,2}:\d{2}.*)?$"

# Words that often stand for an empty cell; they stay values until the user says so.
MISSING_WORDS = frozenset(("na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "-", "--", "."))


def is_plain_number(texts: pa.Array) -> np.ndarray:
    """Which texts are numbers with a decimal point (no leading zero, at most 18 digits)."""
    plain = pc.and_(
        pc.match_substring_regex(texts, NUMBER),
        pc.invert(pc.match_substring_regex(texts, LEADING_ZERO)),
    )
    return np.asarray(plain.fill_null(False))


def detect_decimal(texts: pa.Array, hint: str | None) -> str:
    """ "," where numbers are written with a decimal comma, else "."."""
    if hint:
        return hint
    if not len(texts):
        return "."
    comma = np.asarray(pc.match_substring_regex(texts, COMMA_NUMBER).fill_null(False))
    groups = np.asarray(pc.match_substring_regex(texts, THOUSANDS).fill_null(False))
    plain = is_plain_number(texts)
    mostly = (comma | plain).mean() > 0.9
    return "," if mostly and (comma & ~groups).any() else "."


def number_values(texts: pa.Array, decimal: str) -> np.ndarray:
    """Every text as a float, NaN where it is not a number.

    Examples
    --------
    >>> number_values(pa.array(["12", "1.5", "007", "NA", "1,234"]), ".").tolist()
    [12.0, 1.5, nan, nan, 1234.0]
    >>> number_values(pa.array(["12", "1,5", "1.234,5"]), ",").tolist()
    [12.0, 1.5, 1234.5]
    """
    if decimal == ",":
        comma = pc.match_substring_regex(texts, COMMA_NUMBER)
        pointless = pc.replace_substring(texts, ".", "")
        texts = pc.if_else(comma, pc.replace_substring(pointless, ",", "."), texts)
    else:
        grouped = pc.match_substring_regex(texts, THOUSANDS)
        texts = pc.if_else(grouped, pc.replace_substring(texts, ",", ""), texts)
    plain = is_plain_number(texts)
    out = np.full(len(texts), np.nan)
    if plain.any():
        numbers = pc.utf8_ltrim(texts.filter(pa.array(plain)), "+").cast(pa.float64())
        out[plain] = np.asarray(numbers)
    return out


def detect_date_order(texts: pa.Array) -> str | None:
    """ "ymd", "dmy" or "mdy" where at least 95% of the texts are dates, else None."""
    if not len(texts):
        return None
    if (~np.isnan(date_values(texts, "ymd"))).mean() >= 0.95:
        return "ymd"
    valid = {order: (~np.isnan(date_values(texts, order))).mean() for order in ("dmy", "mdy")}
    if max(valid.values()) < 0.95:
        return None
    if valid["dmy"] == valid["mdy"]:
        # Undecided by the data: points are how day-first countries write, slashes are not.
        return "dmy" if "." in str(texts[0]) else "mdy"
    return max(valid, key=lambda order: valid[order])


def date_values(texts: pa.Array, order: str) -> np.ndarray:
    """Every text as days since 1970, NaN where it is not a date.

    Examples
    --------
    >>> date_values(pa.array(["1970-01-02", "1970-02-30", "x"]), "ymd").tolist()
    [1.0, nan, nan]
    >>> date_values(pa.array(["2.1.1970"]), "dmy").tolist()
    [1.0]
    """
    out = np.full(len(texts), np.nan)
    parts = pc.extract_regex(texts, ISO_DATE if order == "ymd" else LOCAL_DATE)
    found = np.asarray(parts.is_valid())
    if not found.any():
        return out
    names = {"ymd": "ymd", "dmy": "yba", "mdy": "yab"}[order]
    year, month, day = (
        np.asarray(pc.struct_field(parts, key).filter(pa.array(found)).cast(pa.int64()))
        for key in names
    )
    months = (year - 1970).astype("datetime64[Y]").astype("datetime64[M]") + (month - 1)
    days = months.astype("datetime64[D]") + (day - 1)
    valid = (month >= 1) & (month <= 12) & (day >= 1) & (days.astype("datetime64[M]") == months)
    out[np.flatnonzero(found)[valid]] = days[valid].astype(np.int64)
    return out
