"""The table component: a reconstructed table and the true one, with its error and band; and what usual cases show in it.

One component for Start, Collect, Marginals, Compare and lessons. Python sends every number and text; the
browser places them, at the real size of the screen, and follows epsilon while it is dragged anywhere on
the page (window event `calm-epsilon`) and Play (`calm-play`).

Usual cases are made by `make_table_data(truth, answer, ...)`. A component with a chart of its
own draws the same marks: with "table_marks" and "table_bars" in `BUILDS_ON` its script has
`drawBars(svg, data, {width, height, size, family, least})` for a `data` as below; that gives a function that
moves the marks to `{true, reconstructed, ghosts, faded, worst, texts, alt}`, without drawing anew."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache, partial
from itertools import product
from statistics import NormalDist
from types import MappingProxyType
from typing import Any

import numpy as np
import streamlit as st

from calm_core.randomness import stream
from calm_core.runtime.cancellation import iter_cancellable
from calm_core.runtime.weak_cache import cache_per_object
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from pages import words
from pages.ui import display
from pages.ui.components import mount
from pages.ui.results import Reading, Step

# Key of `st.session_state`: whether something was chosen in a table. The whole page then has to run, not
# only the table's fragment.
TABLE_CHANGED = "table_changed"


# Shares at the ends of the axis, "top" and "bottom", which is below 0 on Collect only, and between its lines, "tick".
Axis = dict[str, float]
# What a table has unless `make_table_data` is told otherwise.
USUAL: dict[str, Any] = {
    "index": 0, "measured": False, "head": None, "side": None, "chips": None, "slider": False,
    "height": 404, "grows": True, "compact": False, "texts": words.marginals.TABLE_TEXTS,
}  # fmt: skip


def draw_table(
    data: dict,
    *,
    key: str,
    on: Mapping[str, Callable[[Any], object]] = MappingProxyType({}),
) -> None:
    """Draw a table.

    Parameters
    ----------
    data : dict
        As `make_table_data` returns it.
    key : str
        Of the component; not a name of a method of `st.session_state`.
    on : mapping
        What is called: "epsilon" with the value chosen by the component's own slider when it is let go, "act" with the
        id of the button pressed, "attrs" with the `name` of an attribute and whether it shall be `shown`.
    """
    handlers = {field: partial(_handle, act) for field, act in on.items()}
    mount("table", data, key=key, on=handlers)


def _handle(act: Callable[[Any], object], value: Any) -> None:
    st.session_state[TABLE_CHANGED] = True
    act(value)


# A larger table cannot be chosen.
MAX_ATTRIBUTES = 8


def make_chips(
    domain: Domain,
    attrs: Sequence[str],
    titled: Callable[[Domain, str], str] = display.attribute_title,
) -> dict:
    """Return the chips of a table over `attrs`, to which others may be added up to `MAX_ATTRIBUTES`.

    Each is (name, title); names come back.
    """
    others = (
        [name for name in domain.names if name not in attrs] if len(attrs) < MAX_ATTRIBUTES else []
    )
    chosen, added = ([(name, titled(domain, name)) for name in part] for part in (attrs, others))
    return {"chosen": chosen, "others": added, "add": "attribute", "remove": "Without"}


GHOSTS = 20
MAX_BARS, MAX_NUMBERS, RANKED, RANKED_LECTURE = 32, 16, 20, 12


def changed_attributes(domain: Domain, names: Sequence[str], change: Mapping) -> tuple[str, ...]:
    """Return the attributes of a table in domain order after the change `change` by the component.

    Of what is gone, or of the last one, nothing changes.
    """
    others = [name for name in names if name != change["name"]]
    attrs = [*others, change["name"]] if change["shown"] else others
    fits = attrs and change["name"] in domain.names
    return domain.canonical(attrs if fits else names)


def make_table_data(
    truth: Marginal | None,
    answer: Marginal | None,
    *,
    style: str = "solid",
    mode: str = "",
    lecture: bool = False,
    limit: int | None = None,
    spread: float = 0.0,
    order: np.ndarray | None = None,
    guess: np.ndarray | None = None,
    ghosts: np.ndarray | None = None,
    plays: np.ndarray | None = None,
    intervals: tuple[np.ndarray, np.ndarray] | None = None,
    reading: Reading | None = None,
    steps: Sequence[Step] = (),
    **more,
) -> dict[str, Any]:
    """Return the data of the table over the attributes of `truth` or `answer`, as the component takes it.

    Shares are fractions; texts are plain and not escaped.

    Parameters
    ----------
    truth, answer : Marginal or None
        True and reconstructed shares; one of them may be missing.
    style : str
        "solid" (Marginals), or "pale": a pale bar with a strong cap and ghosts at rest too (Start).
    mode : str
        "bars", "grid", "list", or "ranked", which draws the largest cells and says what the others hold.
        Without a mode there are bars up to 32 cells, 12 in a lecture, and ranked above.
    lecture : bool
        Large letters, the height that is left above the settings bar, number beside the page's title.
    limit : int, optional
        Cells drawn in a ranked table: 20, or 12 in a lecture, if omitted.
    spread : float
        Room for ghosts on the axis: the largest spread that is usual.
    order : ndarray of int, optional
        Cells in the order of a ranked table; the largest reconstructed ones first if omitted.
    guess : ndarray, optional
        Somebody's guess of every cell, a large ring.
    ghosts : ndarray of shape (collections, cells), optional
        Standardized errors of other collections: what is drawn is true + spread * z.
    plays : ndarray of shape (collections, cells), optional
        Reconstructed shares of 20 real collections where they are known; Play shows them.
    intervals : pair of ndarray, optional
        Lowest and highest plausible share of every cell, drawn as whiskers.
    reading : Reading, optional
        Measured; without it the step of the epsilon collected with is shown.
    steps : sequence of Step
        One for each value of epsilon that is offered, or none where epsilon changes nothing.
    more
        Any other field, in place of what would be there.

    Returns
    -------
    dict
        cells : list of str
            Whole name of every cell, in the order drawn.
        true, reconstructed : list of float or None
            Its shares; None where there is no truth, or nothing is reconstructed yet.
        axis : dict
            See `make_axis`.
        alt : str
            The finding in one sentence, for those who do not see the picture.
        mode : str
            "bars", "grid" or "list". Bars lie on narrow screens. Ranked is "bars" with `levels` and `more`.
        labels : sequence of str
            Short names below the bars, as far as they fit in two lines; else `levels` are drawn.
        groups : sequence of (str, int)
            Neighboring cells that share a value: its name, and how many.
        attributes, levels : sequence
            Titles, and for every cell its value of each: True or False for yes and no, else a short name.
        more : sequence of str
            What is said of the cells left out, one line each.
        numbers : bool
            Whether rows of numbers stand below the bars.
        worst : int or None
            The cell that is furthest off.
        grid : dict or None
            In mode "grid", see `make_grid`.
        low, high : list of float
            The ends of the intervals; empty without any.
        index : int
            The step collected with.
        measured : bool
            Whether the spreads are those of real collections rather than predicted.
        head : dict or None
            Title and subtitle of a card; the number stands at their right.
        side : dict or None
            The right column: the `mean` over tables; the cell `furthest` off; how the table was made (`origin`: a
            finding, a text, and an action as (id, text)); `notes`, a sentence each; and `actions`, buttons with an id
            that Python hears as `act`, and a text.
        chips : dict or None
            See `make_chips`.
        slider : bool
            Whether the component has its own epsilon (Start).
        height : int
            Pixels of the chart in a window 720 high.
        grows : bool
            Whether it is higher in higher windows.
        compact : bool
            Letters of 15 pixels, for several tables beside each other.
    """
    known, ranked = truth or answer, answer or truth
    assert known is not None and ranked is not None  # one of the two is given
    domain = known.domain
    true, reconstructed = (
        None if table is None else table.values.ravel() for table in (truth, answer)
    )
    cells = known.values.size
    at = list(range(cells))
    ranked_cells = RANKED_LECTURE if lecture else RANKED
    mode = mode or ("ranked" if cells > (ranked_cells if lecture else MAX_BARS) else "bars")
    numbers, rest, levels, worst = style == "solid" and cells <= MAX_NUMBERS, (), (), None
    if mode == "ranked":
        if order is None:
            order = np.argsort(-ranked.values.ravel(), kind="stable")
        at = order[: limit or ranked_cells].tolist()
        rest, numbers = _rest_text(order[len(at) :], true, reconstructed), True
        # Only drawn cells get names.
        full, labels, groups = [_cell_name_at(domain, cell) for cell in at], (), ()
    else:
        full, labels, groups = cell_names(domain, pale=style == "pale")
    if mode in ("bars", "ranked") and domain.d > 1:
        levels = _levels(domain, at)
    if true is not None and reconstructed is not None and style == "solid":
        worst = int(np.argmax(np.abs(reconstructed - true)[at]))
    data = USUAL | {
        "cells": full,
        "true": None if true is None else true[at].tolist(),
        "reconstructed": None if reconstructed is None else reconstructed[at].tolist(),
        "axis": make_axis(true, reconstructed, guess, *(intervals or ())[1:], spread=spread),
        "alt": _alt(domain, true, reconstructed),
        "style": style,
        "mode": "bars" if mode == "ranked" else mode,
        "labels": labels,
        "groups": groups,
        "attributes": _row_labels(domain),
        "levels": levels,
        "more": rest,
        "numbers": numbers,
        "worst": worst,
        "grid": make_grid(domain) if mode == "grid" else None,
        "ghosts": None if ghosts is None else ghosts[:, at].round(5).tolist(),
        "guess": [] if guess is None else guess.ravel()[at].tolist(),
        "low": [] if intervals is None else intervals[0][at].tolist(),
        "high": [] if intervals is None else intervals[1][at].tolist(),
        "plays": [] if plays is None else plays[:, at].round(5).tolist(),
        "lecture": lecture,
        "reading": None if reading is None else asdict(reading),
        "steps": [asdict(step) for step in steps],
    }
    assert more.keys() <= data.keys()  # the component would not look at others
    return data | more


def cell_names(
    domain: Domain, *, pale: bool = False
) -> tuple[list[str], list[str], tuple[tuple[str, int], ...]]:
    """Return long and short names of all cells, and the groups of the first attribute.

    Examples
    --------
    >>> people = Domain(("sex", "smoked"), (2, 2), (("man", "woman"), ("0", "1")))
    >>> cell_names(people)[0]
    ['man, smoked: no', 'man, smoked: yes', 'woman, smoked: no', 'woman, smoked: yes']
    >>> drugs = Domain(("drank", "smoked"), (2, 2), (("0", "1"), ("0", "1")))
    >>> cell_names(drugs, pale=True)[1]
    ['Neither', 'Smoked only', 'Drank only', 'Both']
    """
    every = range(domain.d)
    codes = list(iter_cancellable(product(*map(range, domain.sizes))))
    full = [cell_name(domain, every, code) for code in iter_cancellable(codes)]
    grouped = domain.d > 1 and len(codes) > 4
    inner = every[1:] if grouped else every
    labels = [cell_name(domain, inner, code, only=pale) for code in iter_cancellable(codes)]
    groups = ()
    if grouped:
        size = len(codes) // domain.sizes[0]
        groups = tuple((cell_name(domain, every[:1], (v,)), size) for v in range(domain.sizes[0]))
    return full, [label[:1].upper() + label[1:] for label in labels] if pale else labels, groups


def cell_name(
    domain: Domain,
    at: Sequence[int],
    code: Sequence[int] | Mapping[int, int],
    *,
    only: bool = False,
) -> str:
    """Return the name of a cell by the attributes at these positions: "woman, drank"."""
    titles, labels = display.short_titles(domain), _value_labels(domain)
    binary = [i for i in at if labels[i] == display.YES_NO]
    whose = {i: f"{titles[i]}: " for i in _ambiguous_attributes(domain)}
    parts = [whose.get(i, "") + labels[i][code[i]] for i in at if i not in binary]
    if len(binary) == 1:
        value = labels[binary[0]][code[binary[0]]]
        parts.append(value if domain.d == 1 else f"{titles[binary[0]]}: {value}")
    elif binary:
        names = [titles[i] for i in binary if code[i]]
        text = words.marginals.yes_text(names, len(binary))
        parts.append(f"{text} only" if only and 0 < len(names) < len(binary) else text)
    return ", ".join(parts)


@cache_per_object
def _value_labels(domain: Domain) -> tuple[tuple[str, ...], ...]:
    """Return the value labels of every attribute, cached because every cell needs them."""
    return tuple(display.value_labels(domain, name) for name in domain.names)


@cache_per_object
def _ambiguous_attributes(domain: Domain) -> frozenset[int]:
    """Return the attributes that share a value label, such as "low", with another."""
    labels = _value_labels(domain)
    count = Counter(text for values in labels for text in set(values))
    return frozenset(
        i
        for i, values in enumerate(labels)
        if values != display.YES_NO and any(count[text] > 1 for text in values)
    )


def _cell_name_at(domain: Domain, cell: int) -> str:
    """Return the name of one cell by its index."""
    return cell_name(domain, range(domain.d), _cell_code(domain, cell))


def _cell_code(domain: Domain, cell: int) -> tuple[int, ...]:
    return tuple(map(int, np.unravel_index(cell, domain.sizes)))


def _row_labels(domain: Domain) -> tuple[str, ...]:
    """Return the labels of the rows of the matrix: of two values the second, which has the dot.

    A file's own column is named too, where a sample's values say of what they are.
    """
    titles, labels, alike = (
        display.short_titles(domain),
        _value_labels(domain),
        _ambiguous_attributes(domain),
    )

    def called(i: int) -> str:
        if domain.sizes[i] != 2 or labels[i] == display.YES_NO:
            return titles[i]
        second = labels[i][1]
        return f"{titles[i]}: {second}" if i in alike or titles[i] == domain.names[i] else second

    return tuple(map(called, range(domain.d)))


def _levels(domain: Domain, cells: Sequence[int]) -> tuple[tuple[bool | str, ...], ...]:
    """Return the values of the cells drawn: a dot or none for two values, else a short name."""
    values = [display.value_labels(domain, name, 12) for name in domain.names]
    return tuple(
        tuple(bool(c) if len(labels) == 2 else labels[c] for c, labels in zip(code, values))
        for code in (_cell_code(domain, cell) for cell in cells)
    )


def make_grid(domain: Domain) -> dict[str, tuple[str, ...]]:
    """Return names of rows over the first half of the attributes and columns over the others; cells come row by row."""
    half = math.ceil(domain.d / 2)

    def named(at: range) -> tuple[str, ...]:
        sizes = [domain.sizes[i] for i in at]
        codes = (dict(zip(at, code)) for code in product(*map(range, sizes)))
        return tuple(cell_name(domain, at, code) for code in codes)

    return {"rows": named(range(half)), "columns": named(range(half, domain.d)) or ("",)}


def _rest_text(rest: np.ndarray, true, reconstructed) -> tuple[str, ...]:
    if not rest.size:
        return ()
    sums = [
        None if shares is None else float(shares[rest].sum()) for shares in (true, reconstructed)
    ]
    return words.marginals.rest_texts(rest.size, *sums)


# Shares between two lines of an axis, and the longest axis that has them.
TICKS = (
    (0.05, 0.15),
    (0.1, 0.7),
    *(
        (digit * 10.0**power, 7 * digit * 10.0**power)
        for power in range(-1, 9)
        for digit in (2, 5, 10)
    ),
)


def make_axis(true, *others, spread: float = 0.0) -> Axis:
    """Return an axis from 0 with lines at each 5, 10 or 20%, as high as any share given.

    `spread` makes room for most ghosts above the true shares.

    Examples
    --------
    >>> make_axis([0.43, 0.06], [0.44, 0.07], spread=0.085)
    {'top': 0.6, 'tick': 0.1, 'bottom': 0.0}
    """
    highest = max(
        (float(np.max(shares)) for shares in (true, *others) if shares is not None), default=1.0
    )
    if true is not None:
        highest = max(highest, float(np.max(true)) + 2 * spread)
    return axis_between(0.0, min(1.0, max(highest, 0.02)))


def axis_between(low: float, high: float) -> Axis:
    """Return an axis that holds these shares, which may be below 0 or above 1, with at most 8 lines.

    >>> axis_between(0.0, 0.26), axis_between(-0.08, 0.49)
    ({'top': 0.3, 'tick': 0.1, 'bottom': 0.0}, {'top': 0.5, 'tick': 0.1, 'bottom': -0.1})
    """
    tick = next(tick for tick, span in TICKS if high - low <= span)
    half = tick / 2
    top, bottom = math.ceil(round(high / half, 6)), math.floor(round(low / half, 6))
    return {"top": round(top * half, 3), "tick": tick, "bottom": round(bottom * half, 3)}


def shared_axis(*shown: Marginal) -> Axis:
    """Return one axis for several tables, below zero as far as their shares are."""
    shares = np.concatenate([table.values.ravel() for table in shown])
    return axis_between(min(0.0, float(shares.min())), float(shares.max()))


@lru_cache(maxsize=64)
def ghost_errors(cells: int) -> np.ndarray:
    """Return standardized errors of 20 imagined collections, always the same, one row each.

    >>> ghost_errors(3).shape
    (20, 3)
    """
    normal = np.array([NormalDist().inv_cdf((i + 0.5) / GHOSTS) for i in range(GHOSTS)])
    normal /= normal.std()
    columns = [stream(0, "ghosts", cell).permutation(normal) for cell in range(cells)]
    errors = np.round(np.array(columns).T, 4)
    errors.setflags(write=False)
    return errors


def _alt(domain: Domain, true, reconstructed) -> str:
    if true is None or reconstructed is None:
        return words.marginals.shares_text(math.prod(domain.sizes), true is None)
    worst = int(np.argmax(np.abs(reconstructed - true)))
    return words.marginals.finding_text(
        true.size, _cell_name_at(domain, worst), true[worst], reconstructed[worst]
    )
