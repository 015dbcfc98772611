"""The same table in three worlds, side by side and on one scale."""

from dataclasses import dataclass

from pages import words
from pages.ui.components import as_plain, component
from pages.ui.components.table import TableData

SCRIPTS = ("table_marks", "table_bars")


@dataclass(frozen=True)
class Moment:
    """A step of epsilon: points as they are written, and the spread of ghosts, a fraction."""

    points: str
    spread: float


@dataclass(frozen=True)
class World:
    """One card.

    Attributes
    ----------
    title, text : str
        Its name, and what happens there.
    picture : str
        The picture of people, collector and table in words.
    noise : str
        Who adds it: "people", "collector" or "".
    points : str
        How far off a typical cell of this table is.
    table : TableData
        What is drawn; all worlds have the same axis.
    steps : tuple of Moment
        One for each epsilon that is offered, or none where epsilon changes nothing.
    ours : bool
        Whether it is the one this app is about.
    """

    title: str
    text: str
    picture: str
    noise: str
    points: str
    table: TableData
    steps: tuple[Moment, ...] = ()
    ours: bool = False


def worlds(
    cards: tuple[World, ...], *, index: int, lecture: bool = False, key: str = "worlds_cards"
) -> None:
    """Mount the cards; `index` is the step of epsilon collected with."""
    component("worlds", after=SCRIPTS)(
        key=key,
        data={
            "worlds": as_plain(cards), "index": index, "lecture": lecture,
            "unit": words.table.TEXTS["points"],
        },
    )  # fmt: skip
