"""Links to the glossary: dotted words with their meaning."""

import html
import re

import streamlit as st

from pages.ui import frame
from pages.words import glossary

# The glossary opens in a new tab, so that the page is not lost.
LINK = (
    '<a class="term" href="about#{anchor}" target="_blank" aria-description="{says}"'
    ' data-says="{says}">{text}</a>'
)
MARKED = re.compile(r"\[\[([\w-]+)(?:\|([^\]]+))?\]\]")


def link_html(anchor: str, text: str | None = None) -> str:
    """Return a word of the glossary as HTML link, for HTML or Markdown that may hold HTML.

    Parameters
    ----------
    anchor : str
        Key of `words.glossary.WORDS`: /about#anchor.
    text : str, optional
        The word as the sentence has it; else as the glossary has it.

    Examples
    --------
    >>> link_html("view", "views")[-10:]
    '>views</a>'
    """
    word = glossary.WORDS[anchor]
    text = text or (word.word if word.word.isupper() else word.word.lower())
    return LINK.format(anchor=anchor, says=html.escape(word.says), text=html.escape(text))


def with_links(text: str) -> str:
    """Return a text in which [[view|Views]] and [[ghost]] are links.

    >>> with_links("Two [[view|views]].")[-10:]
    'views</a>.'
    """
    return MARKED.sub(lambda found: link_html(found[1], found[2]), text)


def without_links(text: str) -> str:
    """Return the same text without links, for paper and for a lecture.

    >>> without_links("Two [[view|views]] and a [[ghost]].")
    'Two views and a ghost.'
    """
    return MARKED.sub(lambda found: found[2] or found[1], text)


def show_text(text: str, *, quiet: bool = False) -> None:
    """Show a text with its glossary links; without links in a lecture.

    Parameters
    ----------
    text : str
        Markdown; whatever a file put into it has been through `escape.as_html`.
    quiet : bool
        Whether it is a caption.
    """
    draw = st.caption if quiet else st.markdown
    draw(without_links(text) if frame.is_lecture() else with_links(text), unsafe_allow_html=True)
