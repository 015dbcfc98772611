"""The table component: a released table and the true one, with its error and band.

One component for Start, Collect, Tables, Compare and lessons. Python sends every number and text; the
browser places them, at the real size of the screen, and follows epsilon while it is dragged anywhere on
the page (window event `calm-epsilon`) and Play (`calm-play`).

Usual cases are made by `pages.ui.tables`: `table_of(truth, answer, ...)`. A component with a chart of its
own draws the same marks: after `component("mine", after=("table_marks", "table_bars"))` its script has
`drawBars(svg, data, {width, height, size, family, least})` for a `data` as below; that gives a function that
moves the marks to `{true, released, ghosts, faded, worst, texts, alt}`, without drawing anew.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from pages import words
from pages.ui.components import as_plain, mount

# Key of `st.session_state`: whether something was chosen in a table. The whole page then has to run, not
# only the table's fragment.
TABLE_CHANGED = "table_changed"


@dataclass(frozen=True)
class Axis:
    """Shares at the ends of the axis and between its lines; `bottom` is below 0 on Collect only."""

    top: float
    tick: float
    bottom: float = 0.0


@dataclass(frozen=True)
class Reading:
    """The error of a typical cell, and what the table is good for.

    Attributes
    ----------
    points, unit : str
        "±1.9" or "about ±2", and "points".
    band, name, sign : str
        "exact", "trend" or "noise"; "Trend only"; "◐".
    sentence : tuple of str
        What is safe to read, and, said with emphasis, what is not.
    """

    points: str
    band: str
    name: str
    sign: str
    sentence: tuple[str, str]
    unit: str = "points"


@dataclass(frozen=True)
class Step(Reading):
    """What is predicted for one value of epsilon.

    Attributes
    ----------
    epsilon : str
        "0.2".
    spread : float
        Root mean square error of a cell, a fraction: ghosts stand at true + spread * z.
    words : tuple of str
        Strength of privacy, and what one report reveals.
    spoken : str
        Epsilon and points, as a screen reader says them.
    """

    epsilon: str = ""
    spread: float = 0.0
    words: tuple[str, str] = ("", "")
    spoken: str = ""


@dataclass(frozen=True)
class Head:
    """Title and subtitle of a card; the number stands at their right."""

    title: str
    subtitle: str = ""


@dataclass(frozen=True)
class Origin:
    """How a table was made: a finding, more words, and an action as (id, text)."""

    finding: str
    text: str = ""
    action: tuple[str, str] | None = None


@dataclass(frozen=True)
class Side:
    """The right column: another typical error, and notes below the sentence.

    Attributes
    ----------
    typical : str
        "typical table with this k: ±1.9".
    furthest : str
        The cell that is furthest off.
    origin : Origin, optional
    notes : tuple of str
        Anything else that must be said, a sentence each.
    actions : tuple of (str, str)
        Buttons: an id that Python hears as `act`, and a text.
    """

    typical: str = ""
    furthest: str = ""
    origin: Origin | None = None
    notes: tuple[str, ...] = ()
    actions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Chips:
    """Attributes of the table and those that may be added, as (name, title); names come back."""

    chosen: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, str], ...] = ()
    add: str = "attribute"
    remove: str = "Without"


@dataclass(frozen=True)
class Grid:
    """Names of the rows and columns of a heat grid; cells are given row by row."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TableData:
    """The data of the component. Shares are fractions; texts are plain and not escaped.

    Attributes
    ----------
    cells : tuple of str
        Whole name of every cell, in the order drawn.
    true, released : tuple of float or None
        Its shares; None where there is no truth, or nothing is released yet.
    axis : Axis
    alt : str
        The finding in one sentence, for those who do not see the picture.
    style : str
        "solid" (Tables), or "pale": a pale bar with a strong cap and ghosts at rest too (Start).
    mode : str
        "bars", "grid" or "list". Bars lie on narrow screens. Ranked is "bars" with `levels` and `more`.
    labels : tuple of str
        Short names below the bars, as far as they fit in two lines; else `levels` are drawn.
    groups : tuple of (str, int)
        Neighbouring cells that share a value: its name, and how many.
    attributes, levels : tuples
        Titles, and for every cell its value of each: True or False for yes and no, else a short name.
    more : tuple of str
        What is said of the cells left out, one line each.
    numbers : bool
        Whether rows of numbers stand below the bars.
    worst : int or None
        The cell that is furthest off.
    grid : Grid, optional
        In mode "grid".
    reading : Reading, optional
        Measured; without it the step of the epsilon collected with is shown.
    steps : tuple of Step
        One for each value of epsilon that is offered, or none where epsilon changes nothing.
    index : int
        The step collected with.
    ghosts : tuple of tuple of float, or None
        Standardised errors of other collections, one row each: what is drawn is true + spread * z.
    guess : tuple of float
        Somebody's guess of every cell, a large ring; none by default.
    low, high : tuple of float
        Lowest and highest plausible share of every cell, drawn as whiskers; none by default.
    plays : tuple of tuple of float
        Released shares of 20 real collections where they are known; Play shows them.
    measured : bool
        Whether the spreads are those of real collections rather than predicted.
    head, side, chips
        What stands around the chart.
    slider : bool
        Whether the component has its own epsilon (Start).
    lecture : bool
        Large letters, the height that is left above the settings bar, number beside the page's title.
    height : int
        Pixels of the chart in a window 720 high.
    grows : bool
        Whether it is higher in higher windows.
    compact : bool
        Letters of 15 pixels, for several tables beside each other.
    """

    cells: tuple[str, ...]
    true: tuple[float, ...] | None
    released: tuple[float, ...] | None
    axis: Axis
    alt: str
    style: str = "solid"
    mode: str = "bars"
    labels: tuple[str, ...] = ()
    groups: tuple[tuple[str, int], ...] = ()
    attributes: tuple[str, ...] = ()
    levels: tuple[tuple[bool | str, ...], ...] = ()
    more: tuple[str, ...] = ()
    numbers: bool = False
    worst: int | None = None
    grid: Grid | None = None
    reading: Reading | None = None
    steps: tuple[Step, ...] = ()
    index: int = 0
    ghosts: tuple[tuple[float, ...], ...] | None = None
    guess: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    plays: tuple[tuple[float, ...], ...] = ()
    measured: bool = False
    head: Head | None = None
    side: Side | None = None
    chips: Chips | None = None
    slider: bool = False
    lecture: bool = False
    height: int = 404
    grows: bool = True
    compact: bool = False
    texts: dict[str, str] = field(default_factory=lambda: words.marginals.TABLE_TEXTS)


def draw_table(
    data: TableData,
    *,
    key: str,
    on_epsilon: Callable[[str], None] | None = None,
    on_act: Callable[[str], None] | None = None,
    on_attrs: Callable[[dict], None] | None = None,
) -> None:
    """Draw a table.

    Parameters
    ----------
    key : str
        Of the component; not a name of a method of `st.session_state`.
    on_epsilon : callable, optional
        Called with the epsilon chosen by the component's own slider when it is released.
    on_act : callable, optional
        Called with the id of the button pressed.
    on_attrs : callable, optional
        Called with the `name` of an attribute and whether it shall be `shown`.
    """
    actions = {"epsilon": on_epsilon, "act": on_act, "attrs": on_attrs}
    handlers = {field: partial(_handle, act) for field, act in actions.items()}
    mount("table", as_plain(data), key=key, on=handlers)


def _handle(act: Callable[[Any], None] | None, value: Any) -> None:
    st.session_state[TABLE_CHANGED] = True
    if act is not None:
        act(value)
