"""The collection component: cards of the views that fill, reports that cross the line, a table that settles.

Python sends every number and text, for each of some 40 moments of one collection; the browser shows one
moment after the other and moves the marks between them. The table is drawn as the table component does.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pages.ui.components import component, hear_choices

SCRIPTS = ("table_marks", "table_bars", "table_rows")
# Shares are sent as whole thousandths, and how full a card is in as many steps.
PARTS, LEVELS = 1000, 35


@dataclass(frozen=True)
class Moment:
    """What had come in after so many reports.

    Attributes
    ----------
    place : float
        Where on the way it lies, from 0 to 1.
    title, told : str
        The title of the page at this moment, and what the rail tells: "600 reports".
    reports, group : str
        "600", and "from 21 reports of one group".
    points, band, name, sign : str
        Typical error of the table, "±26", and its band: "noise", "Noise", "○". Without a band nobody
        of the group has reported.
    spoken : str
        The moment as a screen reader says it.
    alt : str
        The picture in one sentence.
    top, bottom, tick : float
        The axis: shares at its ends and between its lines.
    released : list of int or None
        Shares in `PARTS`, one for each cell.
    ghosts : list of list of int or None
        The same of other collections.
    levels : str
        How full each card is: one character, 0 to z, for each view sent.
    """

    place: float
    title: str
    told: str
    reports: str
    group: str
    points: str
    band: str
    name: str
    sign: str
    spoken: str
    alt: str
    top: float
    bottom: float
    tick: float
    released: list[int] | None
    ghosts: list[list[int]] | None
    levels: str


def collection(data: dict, *, key: str, on_view: Callable[[int], None]) -> None:
    """Draw a collection.

    Parameters
    ----------
    data : dict
        `table`: a `TableData` as a dict, for the cells drawn and their true shares. `moments`: a list of
        `Moment` as dicts. `views`: the attributes of every view sent, as indices into `attributes`.
        `groups`: how many there are. `chosen`: the view whose table is drawn. `start`: the moment shown
        at first. `stops`: the moments where it stays on request. `name`: of the table. `result`: what
        comes of all tables in the end. `words`: of the component. `epsilon`: index of the step
        collected with. `lecture`: large letters and the table only. `run`: what tells one collection
        from another.
    key : str
        Of the component.
    on_view : callable
        Given the index of a view that was chosen, once.
    """

    def heard() -> None:
        hear_choices(key, "view", lambda view: on_view(int(view)))

    component("collect", after=SCRIPTS)(key=key, data=data, on_view_change=heard)
