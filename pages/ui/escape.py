"""Names and labels from files, shown literally wherever Streamlit would read Markdown or HTML."""

import html
import re
from collections.abc import Iterable
from itertools import count

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&^])")


def shorten(text: str, width: int = 40) -> str:
    """One line of at most `width` characters."""
    text = " ".join(str(text).split()) or "(blank)"
    return text if len(text) <= width else text[: width - 1] + "…"


def shorten_cell(cell: object, width: int = 100) -> object:
    """A cell as it is, unless it is a long text.

    >>> shorten_cell(None), shorten_cell("a  b"), shorten_cell("abcdef", 3)
    (None, 'a  b', 'ab…')
    """
    return shorten(cell, width) if isinstance(cell, str) and len(cell) > width else cell


def make_distinct(texts: Iterable[str], width: int = 40) -> list[str]:
    """Each as by `shorten`, with a number within the same width where it would look like one before it.

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
    """Literal text inside Markdown: labels, captions, messages."""
    escaped = SPECIAL.sub(r"\\\1", shorten(text, width))
    # A colon would start a colour, an icon or an emoji; a zero-width space after it stops that.
    return escaped.replace(":", ":\u200b")


def sentence(text: str) -> str:
    """A whole message, as long as it is, with anything a file put into it shown literally."""
    return markdown(text, width=2000)


def as_html(text: str, width: int = 60) -> str:
    """Literal text inside HTML."""
    return html.escape(shorten(text, width))
