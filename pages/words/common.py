"""What several pages say, and what the server says before any page is shown."""

from pages.words import numbers
from pages.words.texts import Texts

TEXTS = Texts("common")
__getattr__ = TEXTS.__getattr__

# What stands below a page in place of that.
LAST = {"collection": Texts("collection").LACKING, **TEXTS.LAST}


def time_left(seconds: float | None) -> str:
    """Return the time left."""
    return TEXTS.NOT_KNOWN if seconds is None else f"{numbers.duration(max(1, seconds))} left"


def collection_progress(done: int, groups: int, seconds: float | None) -> str:
    """Return the progress of a collection.

    >>> collection_progress(300, 1000, 4.2)
    'Collecting reports: 300 of 1,000 groups, about 4 s left'
    """
    if not groups:
        return f"Dividing people into groups: {TEXTS.NOT_KNOWN}"
    if done < groups:
        return f"Collecting reports: {done:,} of {groups:,} groups, {time_left(seconds)}"
    return f"All {groups:,} groups have reported: building the tables, {TEXTS.NOT_KNOWN}"


def counting_progress(done: int, tables: int, seconds: float | None) -> str:
    """Return the progress of counting true tables.

    >>> counting_progress(20, 50, 2.2)
    'Counting the true tables: 20 of 50, about 2 s left'
    """
    return f"Counting the true tables: {done:,} of {tables:,}, {time_left(seconds)}"


def scoring_progress(done: int, tables: int, seconds: float | None) -> str:
    """Return the progress of scoring tables.

    >>> scoring_progress(0, 0, None), scoring_progress(150, 200, 3.0)
    ('Scoring tables: the time left is not known yet', 'Scoring tables: 150 of 200, about 3 s left')
    """
    return f"Scoring tables: {f'{done:,} of {tables:,}, ' if tables else ''}{time_left(seconds)}"


def tables_text(tables: int, there: int) -> str:
    """Return which tables a mean is of.

    >>> tables_text(56, 56), tables_text(70, 560), tables_text(1, 1)
    ('all 56 tables', '70 of 560 tables', 'the only table')
    """
    if there == 1:
        return "the only table"
    return f"{'all' if tables == there else f'{tables:,} of'} {there:,} tables"


def shared_work_text(text: str) -> str:
    """Return that another session's work is awaited.

    >>> shared_work_text(collection_progress(3, 28, 4.0))
    'Somebody else is already computing this; the result is shared. Collecting reports: 3 of 28 groups, about 4 s left'
    """
    return f"{TEXTS.ELSEWHERE} {text}".rstrip()
