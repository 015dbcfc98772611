"""Counted things in words: one is not many, and of many the first are named; numbers as they are written."""

from collections.abc import Mapping
from decimal import Decimal


def plural(count: int, noun: str, nouns: str = "") -> str:
    """The noun as it stands behind a count; `nouns` where more than one are not it with an s.

    Examples
    --------
    >>> plural(1, "view"), plural(0, "view"), plural(2, "query", "queries")
    ('view', 'views', 'queries')
    """
    return noun if count == 1 else nouns or f"{noun}s"


def things(count: int, noun: str, nouns: str = "") -> str:
    """A count with its noun.

    Examples
    --------
    >>> things(1, "view"), things(1200, "view")
    ('1 view', '1,200 views')
    """
    return f"{count:,} {plural(count, noun, nouns)}"


def plain(value: float) -> str:
    """A number without an exponent, where it does not take too many digits.

    Examples
    --------
    >>> plain(1e-6), plain(16.0), plain(1e9), plain(1e-300)
    ('0.000001', '16', '1,000,000,000', '1e-300')
    """
    text = f"{value:g}"
    return f"{Decimal(text):,f}" if 1e-15 <= abs(value) < 1e15 else text


def reasons(why: Mapping[str, str], shown: int = 3) -> str:
    """Why each of some columns is left out, in brackets after a space; "" where none is.

    Examples
    --------
    >>> reasons({"k": "every row holds 'same'"})
    " ('k': every row holds 'same')"
    >>> reasons({"a": "empty", "b": "empty", "c": "empty"}, shown=1)
    " ('a': empty; and 2 more columns)"
    """
    told = [f"{name!r:.40}: {reason}" for name, reason in list(why.items())[:shown]]
    if len(why) > shown:
        told.append(f"and {things(len(why) - shown, 'more column')}")
    return f" ({'; '.join(told)})" if told else ""
