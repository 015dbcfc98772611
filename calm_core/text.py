"""Text for messages: counts with nouns, numbers, and reasons."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def pluralize(count: int, noun: str, nouns: str = "") -> str:
    """The singular or plural of a noun for a count; `nouns` if the plural is irregular.

    Examples
    --------
    >>> pluralize(1, "view"), pluralize(0, "view"), pluralize(2, "query", "queries")
    ('view', 'views', 'queries')
    """
    return noun if count == 1 else nouns or f"{noun}s"


def format_count(count: int, noun: str, nouns: str = "") -> str:
    """A count with its noun.

    Examples
    --------
    >>> format_count(1, "view"), format_count(1200, "view")
    ('1 view', '1,200 views')
    """
    return f"{count:,} {pluralize(count, noun, nouns)}"


def shorten(text: str, width: int = 40) -> str:
    """A name or label from a file in one line of at most `width` characters; not escaped."""
    text = " ".join(str(text).split()) or "(blank)"
    return text if len(text) <= width else text[: width - 1] + "…"


def join_some(parts: Sequence[str], most: int) -> str:
    """The first parts, and how many more there are.

    Examples
    --------
    >>> join_some(["a", "b", "c"], 3), join_some(["a", "b", "c"], 2)
    ('a, b, c', 'a, b and 1 more')
    """
    more = f" and {len(parts) - most:,} more" if len(parts) > most else ""
    return ", ".join(parts[:most]) + more


def format_number(value: float) -> str:
    """A number without an exponent, unless it has too many digits.

    Examples
    --------
    >>> format_number(1e-6), format_number(16.0), format_number(1e9), format_number(1e-300)
    ('0.000001', '16', '1,000,000,000', '1e-300')
    """
    text = f"{value:g}"
    return f"{Decimal(text):,f}" if 1e-15 <= abs(value) < 1e15 else text


def power_of_ten(exponent: int) -> str:
    """A power of ten such as 10⁻⁷."""
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def shorten_number(value: float) -> str:
    """A quantity such as an SSE with two significant digits.

    Examples
    --------
    >>> shorten_number(0.01124), shorten_number(0.000119), shorten_number(1.392e-7)
    ('0.011', '0.00012', '1.4 × 10⁻⁷')
    >>> shorten_number(243.4), shorten_number(0.0)
    ('240', '0')
    """
    text = f"{value:.1e}"
    if value == 0 or 1e-4 <= abs(value) < 1e4:
        return f"{float(f'{value:.2g}'):,.6f}".rstrip("0").rstrip(".")
    digits, exponent = text.split("e")
    return f"{digits} × {power_of_ten(int(exponent))}"


def format_reasons(why: Mapping[str, str], shown: int = 3) -> str:
    """Why some columns are left out, in parentheses, grouped by reason; "" if none is.

    Examples
    --------
    >>> format_reasons({"k": "every row holds 'same'"})
    " ('k': every row holds 'same')"
    >>> format_reasons({"a": "empty", "b": "id-like", "c": "empty", "d": "dates"}, shown=2)
    " ('a' and 1 more: empty, 'b': id-like, and 1 more column)"
    """
    alike: dict[str, list[str]] = {}
    for name, reason in why.items():
        alike.setdefault(reason, []).append(name)
    told, left = [], len(why)
    for reason, (first, *others) in list(alike.items())[:shown]:
        more = f" and {len(others):,} more" if others else ""
        told.append(f"{first!r:.40}{more}: {reason}")
        left -= 1 + len(others)
    if left:
        told.append(f"and {format_count(left, 'more column')}")
    return f" ({', '.join(told)})" if told else ""
