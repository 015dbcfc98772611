"""Attributes and values as the screen names them; a file's own words where it gave any."""

from collections.abc import Iterable

from calm_core.runtime.weak_cache import cache_per_object
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import escape

YES_NO = ("no", "yes")


def attribute_title(domain: Domain, name: str, width: int = 40) -> str:
    """What an attribute is called on screen; not escaped.

    >>> attribute_title(Domain(("drank",), (2,), titles=("Drank last month",)), "drank")
    'Drank last month'
    """
    return escape.shorten(domain.title_of(name), width)


def has_column_name(domain: Domain, name: str) -> bool:
    """Whether an attribute is called what its file calls the column."""
    return domain.title_of(name) == name and not domain.short_of(name)


def short_title(domain: Domain, name: str, width: int = 16) -> str:
    """The same for cards and axes: as the schema says, else the first words; not escaped.

    Attributes that would be called the same are called by their last words, or by numbers.

    >>> domain = Domain(("a", "b"), (2, 2), titles=("Smoked last month", "Ever a hallucinogen"),
    ...                 shorts=("Smoked", ""))
    >>> short_title(domain, "a"), short_title(domain, "b")
    ('Smoked', 'Ever a')
    >>> short_title(Domain(("a",), (2,), titles=("How do you come to school?",)), "a")
    'How do you come…'
    """
    found = [_first_words(domain, other, width) for other in domain.names]
    if found.count(found[domain.names.index(name)]) > 1:
        found = [
            text if found.count(text) == 1 else _last_words(domain, other, width)
            for text, other in zip(found, domain.names)
        ]
    return escape.make_distinct(found, width)[domain.names.index(name)]


def _first_words(domain: Domain, name: str, width: int) -> str:
    said = escape.shorten(domain.short_of(name) or domain.title_of(name), 1000)
    if len(said) <= width:
        return said
    # Whole words as far as they fit; a single long one is cut, and of a question it is said that it goes on.
    asks = said.endswith("?")
    fits = said[: width if asks else width + 1].rpartition(" ")[0]
    if fits and asks:
        return f"{fits.rstrip(',;: ')}…"
    return fits or escape.shorten(said, width)


def _last_words(domain: Domain, name: str, width: int) -> str:
    """The last words of a title that fit."""
    said = escape.shorten(domain.title_of(name), 1000)
    if len(said) <= width:
        return said
    # One more than fits beside the sign: a word that begins there is whole.
    fits = said[-width:]
    return f"…{fits.partition(' ')[2] or fits[1:]}"


def value_labels(domain: Domain, name: str, width: int = 24) -> tuple[str, ...]:
    """What the values of an attribute are called on screen; 0 and 1 are no and yes.

    >>> value_labels(Domain(("smokes", "age"), (2, 3), (("0", "1"), ("<20", "20-39", "40+"))), "smokes")
    ('no', 'yes')
    """
    names = domain.value_names_of(name)
    return (
        YES_NO if is_yes_no(domain, name) else tuple(escape.shorten(text, width) for text in names)
    )


def is_yes_no(domain: Domain, name: str) -> bool:
    """Whether the values of an attribute are exactly 0 and 1, or no and yes."""
    names = tuple(text.strip().lower() for text in domain.value_names_of(name))
    return names in (("0", "1"), YES_NO)


def join_titles(domain: Domain, attrs: Iterable[str], width: int = 40) -> str:
    """Titles of several attributes: Sex × Drank last month."""
    return " × ".join(attribute_title(domain, name, width) for name in attrs)


def inline_titles(domain: Domain) -> tuple[str, ...]:
    """Titles of all attributes as they stand in a row: only the first one begins a sentence."""
    found = [attribute_title(domain, name) for name in domain.names]
    given = [
        text if has_column_name(domain, name) else _inside_sentence(text)
        for text, name in zip(found, domain.names)
    ]
    return (found[0], *given[1:])


@cache_per_object
def short_titles(domain: Domain) -> tuple[str, ...]:
    """Titles as they stand in names of cells; what a file calls its own columns stays as it is."""
    found = ((short_title(domain, name), name) for name in domain.names)
    return tuple(
        text if has_column_name(domain, name) else _inside_sentence(text) for text, name in found
    )


def table_question(domain: Domain) -> str:
    """The title of a table: what it answers.

    >>> table_question(Domain(("age", "bread", "c"), (2, 2, 2)))
    'bread and c, by age?'
    """
    found = short_titles(domain)
    written = {text for text, name in zip(found, domain.names) if has_column_name(domain, name)}
    return words.marginals.question_title(found, written)


def _inside_sentence(text: str) -> str:
    """The text inside a sentence; abbreviations stay."""
    return text[:1].lower() + text[1:] if text[1:].islower() else text
