"""Dotted words: what a word means, where it stands, and the way to the glossary."""

import html
import re

import streamlit as st

from pages.ui import frame
from pages.words import glossary

# The glossary opens beside the page, which so loses nothing; a finger's tap does the same as a click.
LINK = (
    '<a class="term" href="about#{anchor}" target="_blank" aria-description="{says}"'
    ' data-says="{says}">{text}</a>'
)
MARKED = re.compile(r"\[\[([\w-]+)(?:\|([^\]]+))?\]\]")


def link_html(anchor: str, text: str | None = None) -> str:
    """A word of the glossary inside HTML, or inside Markdown that may hold HTML; see `show`.

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
    """A text of ours in which [[view|Views]] and [[ghost]] become dotted words.

    >>> with_links("Two [[view|views]].")[-10:]
    'views</a>.'
    """
    return MARKED.sub(lambda found: link_html(found[1], found[2]), text)


def without_links(text: str) -> str:
    """The same text without dots, for paper and for a lecture.

    >>> without_links("Two [[view|views]] and a [[ghost]].")
    'Two views and a ghost.'
    """
    return MARKED.sub(lambda found: found[2] or found[1], text)


def show_text(text: str, *, quiet: bool = False) -> None:
    """A text of ours with its dotted words; without dots in a lecture.

    Parameters
    ----------
    text : str
        Markdown; whatever a file put into it has been through `escape.as_html`.
    quiet : bool
        Whether it is a caption.
    """
    draw = st.caption if quiet else st.markdown
    draw(without_links(text) if frame.is_lecture() else with_links(text), unsafe_allow_html=True)
