"""Attributes and values as the screen names them; a file's own words where it gave any."""

from collections.abc import Iterable

from calm_core.tables.domain import Domain
from pages.ui import escape

YES_NO = ("no", "yes")


def title(domain: Domain, name: str, width: int = 40) -> str:
    """What an attribute is called on screen; not escaped.

    >>> title(Domain(("drank",), (2,), titles=("Drank last month",)), "drank")
    'Drank last month'
    """
    return escape.short(domain.title_of(name), width)


def short(domain: Domain, name: str, width: int = 16) -> str:
    """The same for cards and axes: as the schema says, else the first words; not escaped.

    Two attributes that would be called the same keep their titles.

    >>> domain = Domain(("a", "b"), (2, 2), titles=("Smoked last month", "Ever a hallucinogen"),
    ...                 shorts=("Smoked", ""))
    >>> short(domain, "a"), short(domain, "b")
    ('Smoked', 'Ever a')
    >>> short(Domain(("a",), (2,), titles=("How do you come to school?",)), "a")
    'How do you come…'
    """
    mine = _brief(domain, name, width)
    alike = sum(_brief(domain, other, width) == mine for other in domain.names)
    return mine if alike == 1 else title(domain, name)


def _brief(domain: Domain, name: str, width: int) -> str:
    said = escape.short(domain.short_of(name) or domain.title_of(name), 1000)
    if len(said) <= width:
        return said
    # Whole words as far as they fit; a single long one is cut, and of a question it is said that it goes on.
    fits = said[: width + 1].rpartition(" ")[0]
    if fits and said.endswith("?"):
        return f"{fits.rstrip(',;: ')}…"
    return fits or escape.short(said, width)


def values(domain: Domain, name: str, width: int = 24) -> tuple[str, ...]:
    """What the values of an attribute are called on screen; 0 and 1 are no and yes.

    >>> values(Domain(("smokes", "age"), (2, 3), (("0", "1"), ("<20", "20-39", "40+"))), "smokes")
    ('no', 'yes')
    """
    names = domain.value_names_of(name)
    return YES_NO if yes_no(domain, name) else tuple(escape.short(text, width) for text in names)


def yes_no(domain: Domain, name: str) -> bool:
    """Whether the values of an attribute are exactly 0 and 1, or no and yes."""
    names = tuple(text.strip().lower() for text in domain.value_names_of(name))
    return names in (("0", "1"), YES_NO)


def joined(domain: Domain, attrs: Iterable[str], width: int = 40) -> str:
    """Titles of several attributes: Sex × Drank last month."""
    return " × ".join(title(domain, name, width) for name in attrs)
