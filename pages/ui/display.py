"""How names and texts look on screen: escaped and shortened, titles of attributes and values, links to the glossary.

What comes from a file is escaped where Streamlit would read Markdown or HTML."""

import html
import re
from collections.abc import Iterable
from itertools import count

from calm_core.runtime.weak_cache import cache_per_object
from calm_core.tables.domain import Domain
from calm_core.text import shorten
from pages import words
from pages.words import glossary

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&^])")


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
    names: dict[str, None] = {}
    for text in texts:
        name = shorten(text, width)
        numbers = count(2)
        while name in names:
            tail = f" ({next(numbers)})"
            name = shorten(text, max(1, width - len(tail))) + tail
        names[name] = None
    return list(names)


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


YES_NO = ("no", "yes")


def attribute_title(domain: Domain, name: str, width: int = 40) -> str:
    """Return the title of an attribute on screen, not escaped.

    >>> attribute_title(Domain(("drank",), (2,), titles=("Drank last month",)), "drank")
    'Drank last month'
    """
    return shorten(domain.title_of(name), width)


def has_column_name(domain: Domain, name: str) -> bool:
    """Return whether the title of an attribute is the name of its column."""
    return domain.title_of(name) == name and not domain.short_of(name)


def short_title(domain: Domain, name: str, width: int = 16) -> str:
    """Return a short title for cards and axes, from the schema or the first words; not escaped.

    Attributes that would be called the same are called by their last words, or by numbers.

    >>> domain = Domain(("a", "b"), (2, 2), titles=("Smoked last month", "Ever a hallucinogen"),
    ...                 shorts=("Smoked", ""))
    >>> short_title(domain, "a"), short_title(domain, "b")
    ('Smoked', 'Ever a')
    >>> short_title(Domain(("a",), (2,), titles=("How do you come to school?",)), "a")
    'How do you come…'
    """
    titles = [_first_words(domain, other, width) for other in domain.names]
    if titles.count(titles[domain.names.index(name)]) > 1:
        titles = [
            text if titles.count(text) == 1 else _last_words(domain, other, width)
            for text, other in zip(titles, domain.names)
        ]
    return make_distinct(titles, width)[domain.names.index(name)]


def _first_words(domain: Domain, name: str, width: int) -> str:
    title = shorten(domain.short_of(name) or domain.title_of(name), 1000)
    if len(title) <= width:
        return title
    # Whole words as far as they fit; a cut question ends with an ellipsis.
    asks = title.endswith("?")
    fits = title[: width if asks else width + 1].rpartition(" ")[0]
    if fits and asks:
        return f"{fits.rstrip(',;: ')}…"
    return fits or shorten(title, width)


def _last_words(domain: Domain, name: str, width: int) -> str:
    """Return the last words of a title that fit."""
    title = shorten(domain.title_of(name), 1000)
    if len(title) <= width:
        return title
    # One more character than fits beside the ellipsis, to see whether a word begins there.
    fits = title[-width:]
    return f"…{fits.partition(' ')[2] or fits[1:]}"


def value_labels(domain: Domain, name: str, width: int = 24) -> tuple[str, ...]:
    """Return the labels of the values on screen; 0 and 1 are no and yes.

    >>> value_labels(Domain(("smokes", "age"), (2, 3), (("0", "1"), ("<20", "20-39", "40+"))), "smokes")
    ('no', 'yes')
    """
    names = domain.value_names_of(name)
    return YES_NO if is_yes_no(domain, name) else tuple(shorten(text, width) for text in names)


def is_yes_no(domain: Domain, name: str) -> bool:
    """Return whether the values of an attribute are exactly 0 and 1, or no and yes."""
    names = tuple(text.strip().lower() for text in domain.value_names_of(name))
    return names in (("0", "1"), YES_NO)


def join_titles(domain: Domain, attrs: Iterable[str], width: int = 40) -> str:
    """Return the titles of several attributes: Sex × Drank last month."""
    return " × ".join(attribute_title(domain, name, width) for name in attrs)


def inline_titles(domain: Domain) -> tuple[str, ...]:
    """Return the titles of all attributes for a list in a sentence: only the first one is capitalized."""
    titles = [attribute_title(domain, name) for name in domain.names]
    return (titles[0], *_inside_sentence(domain, titles)[1:])


@cache_per_object
def short_titles(domain: Domain) -> tuple[str, ...]:
    """Return the titles used in names of cells; names of columns are not changed."""
    return _inside_sentence(domain, [short_title(domain, name) for name in domain.names])


def _inside_sentence(domain: Domain, titles: list[str]) -> tuple[str, ...]:
    """Return the titles as inside a sentence; names of columns and abbreviations keep their case."""
    return tuple(
        title[:1].lower() + title[1:]
        if title[1:].islower() and not has_column_name(domain, name)
        else title
        for title, name in zip(titles, domain.names)
    )


def table_question(domain: Domain) -> str:
    """Return the title of a table: the question it answers.

    >>> table_question(Domain(("age", "bread", "c"), (2, 2, 2)))
    'bread and c, by age?'
    """
    titles = short_titles(domain)
    plain = {text for text, name in zip(titles, domain.names) if has_column_name(domain, name)}
    return words.marginals.question_title(titles, plain)


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
