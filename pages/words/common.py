"""What several pages say, and what the server says before any page is shown."""

from pages.words import collection, numbers
from pages.words.texts import read_texts, template

TEXTS = read_texts("common")

APP = "CALM Lab"
# Name and one sentence of every page, in order.
PAGES = TEXTS["pages"]
SECTIONS = TEXTS["sections"]
# The title of a page until it knows its own.
TITLES = TEXTS["titles"]
MENU = "Menu"
LECTURE = "Lecture mode"
LECTURE_HELP = "Large type for a projector. Key L; PageDown and PageUp turn the screens."
UNDO = "Undo"
STOP = "Stop"
AWAY = "The server is away. Your settings are in the address: reload."
NOT_TAKEN = TEXTS["not_taken"]
NOT_KNOWN = "the time left is not known yet"
ELSEWHERE = "The same is already being computed for somebody else, and is shared."
SSE = TEXTS["sse"]
BOUNDARY = "From here on only randomised reports are used."
SIMULATION = "The true column is shown because this is a simulation. A real collector never has it."
# What stands below a page in place of that.
LAST = {"collection": collection.LACKING, **TEXTS["last"]}
DESIGNS = TEXTS["designs"]
ONLY_CALM = "This needs a collection in views, as CALM makes it. Choose the method CALM under More settings."


step = template(TEXTS["step"])
views = template(TEXTS["views"])
reports = template(TEXTS["reports"])


def time_left(seconds: float | None) -> str:
    """Return the time left."""
    return NOT_KNOWN if seconds is None else f"{numbers.duration(max(1, seconds))} left"


def collection_progress(done: int, groups: int, seconds: float | None) -> str:
    """Return the progress of a collection.

    >>> collection_progress(300, 1000, 4.2)
    'Collecting reports: 300 of 1,000 groups, about 4 s left'
    """
    if not groups:
        return f"Dealing people to groups: {NOT_KNOWN}"
    if done < groups:
        return f"Collecting reports: {done:,} of {groups:,} groups, {time_left(seconds)}"
    return f"All {groups:,} groups have reported: building the tables, {NOT_KNOWN}"


GO_ON = "Let it go on"


too_long = template(TEXTS["too_long"])


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


def shared_work_text(text: str) -> str:
    """Return that another session's work is awaited.

    >>> shared_work_text(collection_progress(3, 28, 4.0))
    'The same is already being computed for somebody else, and is shared. Collecting reports: 3 of 28 groups, about 4 s left'
    """
    return f"{ELSEWHERE} {text}".rstrip()


FOREIGN = TEXTS["foreign"]
FOREIGN_PAGE = "Pages of other servers may not use this one."
CLOSED = "There is nothing here."
NO_ROOM = "Too many large files are being sent at this moment. Send this one again in a minute."
