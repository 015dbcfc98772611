"""Wording of a question about ranges: what is asked, what was released, how far off it is."""

from collections.abc import Sequence

from pages.words import numbers
from pages.words.texts import read_texts

TEXTS = read_texts("ranges")
ANY = "any"
TRUE, RELEASED = "true", "released"
LEAD = (
    "Move the ends of a range, or press values; with none pressed all count. Any question is free: it adds up "
    "cells that are released already."
)
NO_ORDER = TEXTS["no_order"]
HDG = TEXTS["hdg"]
HOW = TEXTS["how"]
HDG_HOW = "HDG does so for one or two attributes; of three or more it works out every question from the ranges of pairs."
INTERVAL_HOW = TEXTS["interval_how"]


def range_text(attribute: str, names: Sequence[str], first: int, last: int) -> str:
    """Return values with an order as text.

    >>> spans = ((1, 2), (0, 1), (2, 3), (1, 1), (0, 3))
    >>> [range_text("age", ("0-29", "30-44", "45-59", "60+"), *span) for span in spans]
    ['age 30-44 to 45-59', 'age up to 30-44', 'age from 45-59', 'age 30-44', 'age known']
    >>> range_text("age", ("up to 29", "above 29 to 44", "above 44"), 0, 1)
    'age up to 29 … above 29 to 44'
    """
    ends = names[first], names[last]
    if first == last:
        return f"{attribute} {names[first]}"
    if first == 0 and last == len(names) - 1:
        return f"{attribute} known"
    if any(" " in end for end in ends):
        # Words of their own, among them perhaps these.
        return f"{attribute} {' … '.join(ends)}"
    if first == 0:
        return f"{attribute} up to {names[last]}"
    if last == len(names) - 1:
        return f"{attribute} from {names[first]}"
    return f"{attribute} {' to '.join(ends)}"


def values_text(attribute: str, chosen: Sequence[str], count: int) -> str:
    """Return values without an order as text.

    >>> values_text("area", ("north",), 5), values_text("area", ("north", "west"), 5), values_text("area", tuple("abcd"), 5)
    ('area: north', 'area: north or west', 'area: 4 of 5 values')
    """
    told = " or ".join(chosen) if len(chosen) <= 3 else f"{len(chosen)} of {count} values"
    return f"{attribute}: {told}"


def question_title(parts: Sequence[str]) -> str:
    """Return the question as title.

    >>> question_title(["age from 45", "drank: yes"]), question_title([])
    ('How many? Age from 45, drank: yes', 'How many? Everybody')
    """
    text = ", ".join(parts) or "everybody"
    return f"How many? {text[:1].upper()}{text[1:]}"


def difference_text(true: float, answered: float) -> str:
    """Return the error of an answer, by the shares as they are shown.

    >>> difference_text(0.131, 0.124), difference_text(0.131, 0.1422), difference_text(0.5, 0.5 + 1e-16)
    ('0.7 points too low', '1.1 points too high', 'no difference')
    """
    if abs(answered - true) < 5e-6:
        return "no difference"
    return f"{numbers.points_between(true, answered)} points too {'low' if answered < true else 'high'}"


def people_text(share: float, n: int) -> str:
    """Return the number of people of a share.

    >>> people_text(0.1234, 60_000), people_text(1 / 60_000, 60_000)
    ('7,404 people', '1 person')
    """
    count = round(share * n)
    return "1 person" if count == 1 else f"{numbers.amount(count)} people"


def finding_text(true: float, released: float, n: int) -> str:
    """Return the answer as a sentence, for screen readers.

    >>> finding_text(0.131, 0.124, 60_000)
    'True: 13.1%, 7,860 people. Released: 12.4%, 7,440 people, 0.7 points too low.'
    """
    return (
        f"True: {numbers.share(true)}, {people_text(true, n)}. Released: {numbers.share(released)}, "
        f"{people_text(released, n)}, {difference_text(true, released)}."
    )


def refused_text(sentence: str) -> str:
    """Return why HDG has no answer.

    >>> refused_text("HDG has 10 grids but 8 people.")
    'HDG, which is made for ranges, has no answer here: HDG has 10 grids but 8 people.'
    """
    return f"HDG, which is made for ranges, has no answer here: {sentence}"
