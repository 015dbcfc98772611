"""Counted things in words: one is not many."""


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
