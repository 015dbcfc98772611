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


def term(anchor: str, text: str | None = None) -> str:
    """A word of the glossary inside HTML, or inside Markdown that may hold HTML; see `show`.

    Parameters
    ----------
    anchor : str
        Key of `words.glossary.WORDS`: /about#anchor.
    text : str, optional
        The word as the sentence has it; else as the glossary has it.

    Examples
    --------
    >>> term("view", "views")[-10:]
    '>views</a>'
    """
    word = glossary.WORDS[anchor]
    text = text or (word.word if word.word.isupper() else word.word.lower())
    return LINK.format(anchor=anchor, says=html.escape(word.says), text=html.escape(text))


def dotted(text: str) -> str:
    """A text of ours in which [[view|Views]] and [[ghost]] become dotted words.

    >>> dotted("Two [[view|views]].")[-10:]
    'views</a>.'
    """
    return MARKED.sub(lambda found: term(found[1], found[2]), text)


def plain(text: str) -> str:
    """The same text without dots, for paper and for a lecture.

    >>> plain("Two [[view|views]] and a [[ghost]].")
    'Two views and a ghost.'
    """
    return MARKED.sub(lambda found: found[2] or found[1], text)


def say(text: str, *, quiet: bool = False) -> None:
    """A text of ours with its dotted words; without dots in a lecture.

    Parameters
    ----------
    text : str
        Markdown; whatever a file put into it has been through `escape.as_html`.
    quiet : bool
        Whether it is a caption.
    """
    draw = st.caption if quiet else st.markdown
    draw(plain(text) if frame.lecture() else dotted(text), unsafe_allow_html=True)
