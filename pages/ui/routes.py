"""Where a link leads: a page, and the part of it that is shown."""

from collections.abc import Mapping
from dataclasses import dataclass

# Characters of an assignment in a link.
MAX_LINK = 8000


@dataclass(frozen=True)
class Route:
    """A page and its part that is shown.

    Attributes
    ----------
    page : str
        Key of `words.common.PAGES`.
    view : str
        The secondary view chosen; "" is the first one.
    lesson : str
        Key of a lesson; "" is the landing page of all.
    at : int
        Step of the lesson or of what the page plays, from 0.
    open : str
        The collection that is open, see `pages.ui.opened_collections`.
    table : tuple of int
        The attributes of its table looked at, by their places in its plan.
    survey, wall : str
        The code of the survey that is open on Classroom, and the key of its wall where only that was given.
    task, work : str
        The assignment, and what a student has done of it, as links have them.
    """

    page: str
    view: str = ""
    lesson: str = ""
    at: int = 0
    open: str = ""
    table: tuple[int, ...] = ()
    survey: str = ""
    wall: str = ""
    task: str = ""
    work: str = ""

    def to_query(self) -> dict[str, str]:
        """Return the parts of the route that differ from the defaults.

        >>> Route("learn", lesson="coin", at=2).to_query()
        {'lesson': 'coin', 'at': '2'}
        """
        texts = {name: str(value) for name, value in vars(self).items() if value and name != "page"}
        return texts | ({"table": ",".join(map(str, self.table))} if self.table else {})

    @classmethod
    def from_query(cls, page: str, query: Mapping[str, str]) -> "Route":
        """Return the route of a link; invalid parts get their defaults.

        >>> Route.from_query("learn", {"lesson": "coin", "at": "two"}) == Route("learn", lesson="coin")
        True
        >>> Route.from_query("collection", {"open": "./state.json", "table": "0,x,2"}).table
        (0, 2)
        """
        at = query.get("at", "")
        table = [text for text in query.get("table", "").split(",") if _is_small_int(text)]
        return cls(
            page,
            at=min(int(at), 99) if _is_small_int(at) else 0,
            open=query.get("open", "")[:400],
            task=query.get("task", "")[:MAX_LINK],
            work=query.get("work", "")[:MAX_LINK],
            table=tuple(map(int, table)),
            **{name: query.get(name, "")[:40] for name in ("view", "lesson", "survey", "wall")},
        )


def _is_small_int(text: str) -> bool:
    """Whether it is a small whole number."""
    return text.isascii() and text.isdigit() and len(text) < 6
