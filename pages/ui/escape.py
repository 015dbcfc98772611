"""Names and labels from files, escaped where Streamlit would read Markdown or HTML."""

import html
import re
from collections.abc import Iterable
from itertools import count

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&^])")


def shorten(text: str, width: int = 40) -> str:
    """Return one line of at most `width` characters."""
    text = " ".join(str(text).split()) or "(blank)"
    return text if len(text) <= width else text[: width - 1] + "…"


def shorten_cell(cell: object, width: int = 100) -> object:
    """Return a cell unchanged unless it is a long text.

    >>> shorten_cell(None), shorten_cell("a  b"), shorten_cell("abcdef", 3)
    (None, 'a  b', 'ab…')
    """
    return shorten(cell, width) if isinstance(cell, str) and len(cell) > width else cell


def make_distinct(texts: Iterable[str], width: int = 40) -> list[str]:
    """Return the texts shortened, with numbers where two would look the same.

    >>> make_distinct(["price of bread", "price of beer", "price of tea"], 9)
    ['price of…', 'pric… (2)', 'pric… (3)']
    """
    found: dict[str, None] = {}
    for text in texts:
        name = shorten(text, width)
        numbers = count(2)
        while name in found:
            tail = f" ({next(numbers)})"
            name = shorten(text, max(1, width - len(tail))) + tail
        found[name] = None
    return list(found)


def markdown(text: str, width: int = 60) -> str:
    """Return text escaped for Markdown: labels, captions, messages."""
    escaped = SPECIAL.sub(r"\\\1", shorten(text, width))
    # A zero-width space keeps a colon from starting a color, icon or emoji.
    return escaped.replace(":", ":\u200b")


def sentence(text: str) -> str:
    """Return a whole message escaped for Markdown."""
    return markdown(text, width=2000)


def as_html(text: str, width: int = 60) -> str:
    """Return text escaped for HTML."""
    return html.escape(shorten(text, width))
