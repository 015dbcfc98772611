"""Reports come in: what the collection component shows, moment by moment."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from calm_core.collection.early_reports import draw_arrivals
from calm_core.evaluation.collection_progress import (
    ViewProgress,
    choose_moments,
    choose_stops,
    follow_view,
)
from calm_core.evaluation.error_units import classify_error
from calm_core.evaluation.run import Run
from calm_core.methods import CollectedAnswer
from calm_core.randomness import stream
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, naming, state, tables
from pages.ui.components import as_plain, mount
from pages.ui.components.table import Axis, TableData
from pages.ui.privacy import epsilons_around

# Views that are sent; of a collection with more only these can be chosen.
MAX_VIEWS = 1000
LINES = 6
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Shares are sent as whole thousandths, and how full a card is in so many steps.
PARTS, LEVELS = 1000, 35


@dataclass(frozen=True)
class Moment:
    """What had arrived after some number of reports.

    Attributes
    ----------
    place : float
        Position in time, from 0 to 1.
    title, told : str
        The title of the page at this moment, and the result in the stepper: "600 reports".
    reports, group : str
        "600", and "from 21 reports of one group".
    points, band, name, sign : str
        Typical error of the table, "±26", and its band: "noise", "Noise", "○". Empty as long as nobody of
        the group has reported.
    spoken : str
        The moment for screen readers.
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


def show(outcome: Run, settings: Settings, *, at: int, lecture: bool) -> dict:
    """Draw the collection; gives what was drawn."""
    views = answer_of(outcome).reports.views
    data = data_of(outcome, settings, lecture=lecture)
    found = data["stops"]
    start = found[min(at, len(found) - 1)] if lecture else found[-1]
    data = data | {"start": start}
    mount(
        "collect", data, key="collection",
        on={"view": lambda view: choose(views[data["ids"][int(view)]].attrs)},
    )  # fmt: skip
    return data


def answer_of(outcome: Run) -> CollectedAnswer:
    """The answer with its plan and its reports: the run shown on this page is CALM's."""
    answer = outcome.answer
    if not isinstance(answer, CollectedAnswer):
        raise TypeError(f"{type(answer).__name__} holds no reports")
    return answer


def data_of(outcome: Run, settings: Settings, *, lecture: bool) -> dict:
    """All that the component draws, but where it begins; kept."""
    chosen = view_chosen(outcome, settings)
    return cached.get_result(
        "arrival", (settings.results_key, chosen, lecture),
        lambda: _data(outcome, settings, chosen, lecture),
    )  # fmt: skip


def choose(attrs: tuple[str, ...]) -> None:
    """Look at the view over these attributes from now on."""
    st.session_state["collect_view"] = attrs


def view_chosen(outcome: Run, settings: Settings) -> int:
    """The view chosen; else the first of those that share most attributes with the table looked at."""
    views = [view.attrs for view in answer_of(outcome).reports.views]
    chosen = st.session_state.get("collect_view")
    if chosen in views:
        return views.index(chosen)
    looked_at = set(state.attributes_shown(settings, outcome.domain))
    return max(range(len(views)), key=lambda i: len(looked_at & set(views[i])))


def _data(outcome: Run, settings: Settings, chosen: int, lecture: bool) -> dict:
    reports, domain = answer_of(outcome).reports, outcome.domain
    halts = choose_stops(reports.n)
    looked = choose_moments(reports.n, halts)
    sizes = [view.n for view in reports.views]
    came = draw_arrivals(sizes, looked, rng=stream(settings.seed, "arrival"))
    table, cells = _table(outcome, chosen, lecture)
    rng = stream(settings.seed, "arrival", chosen)
    seen = follow_view(outcome, chosen, came[:, chosen].tolist(), rng=rng, cells=cells.tolist())
    # Cards stand in the order of their attributes, whatever the order of the design.
    views = [domain.positions(view.attrs) for view in reports.views]
    ids = sorted(range(len(views)), key=lambda i: views[i])
    if ids.index(chosen) >= MAX_VIEWS:
        ids.insert(0, ids.pop(ids.index(chosen)))
    ids = ids[:MAX_VIEWS]
    lengths = [len(view.attrs) for view in reports.views]
    return {
        "run": str(settings.results_key),
        "table": as_plain(table),
        "moments": as_plain(_moments(seen, looked, came, np.array(sizes), ids)),
        "attributes": list(naming.short_titles(domain)),
        "views": [list(views[i]) for i in ids],
        "ids": ids,
        "groups": len(sizes),
        "chosen": ids.index(chosen),
        "stops": [looked.index(halt) for halt in halts],
        "name": naming.joined(domain, reports.views[chosen].attrs),
        "result": words.collect.result(settings.k, outcome.points),
        "words": words.collect.ARRIVAL | words.collect.asked(len(sizes), lengths),
        "epsilon": epsilons_around(settings.epsilon).index(settings.epsilon),
        "lecture": lecture,
    }


def _table(outcome: Run, chosen: int, lecture: bool) -> tuple[TableData, np.ndarray]:
    """The table without its shares, and which cells it shows."""
    released = answer_of(outcome).noisy.tables[chosen]
    truth = outcome.dataset.marginal(released.attrs)
    table = tables.table_of(
        truth, released, style="pale", lecture=lecture, numbers=False, texts=words.table.OTHERS
    )
    shown, size = len(table.cells), released.values.size
    if shown == size:
        return table, np.arange(size)
    table = replace(table, more=(words.collect.more_cells(size - shown),))
    return table, np.argsort(-released.values.ravel(), kind="stable")[:shown]


def _moments(
    seen: ViewProgress, looked: Sequence[int], came: np.ndarray, sizes: np.ndarray, ids: list[int]
) -> list[Moment]:
    axes = _axes(seen)
    full = LEVELS * came[:, ids] // np.maximum(sizes[ids], 1)
    found = []
    for i, reports in enumerate(looked):
        error, own = float(seen.errors[i]), int(seen.reports[i])
        last = i == len(looked) - 1
        told = words.collect.title(reports, error, seen.guess, last=last)
        kind = classify_error(error, seen.guess)
        points = words.numbers.points(error, unit=False) if own else ""
        found.append(
            Moment(
                place=math.log(reports / looked[0]) / max(1e-9, math.log(looked[-1] / looked[0])),
                title=told,
                told=words.shared.reports(reports),
                reports=words.numbers.amount(reports),
                group=words.collect.own_reports(own, len(sizes)),
                points=points,
                band=kind.value if own else "",
                name=words.bands.WORDS[kind],
                sign=words.bands.SIGNS[kind],
                spoken=words.collect.spoken(reports, points, words.bands.WORDS[kind]),
                alt=words.collect.picture(told, points, len(seen.cells)),
                **vars(axes[i]),
                released=_whole(seen.released[i]) if own else None,
                ghosts=_whole(seen.others[:, i]) if own else None,
                levels="".join(DIGITS[level] for level in full[i]),
            )
        )
    return found


def _whole(shares: np.ndarray) -> list:
    return np.rint(PARTS * shares).astype(int).tolist()


def _axes(seen: ViewProgress) -> list[Axis]:
    """An axis for every moment that holds all of it, below zero too, and never grows."""
    low, high, found = 0.0, float(np.max(seen.truth.values.ravel()[seen.cells])), []
    for i in reversed(range(len(seen.reports))):
        if seen.reports[i]:
            low = min(low, float(seen.released[i].min()), float(seen.others[:, i].min()))
            high = max(high, float(seen.released[i].max()), float(seen.others[:, i].max()))
        found.append(axis(low, high))
    return found[::-1]


def axis(low: float, high: float) -> Axis:
    """An axis from `low` to `high` with at most 7 lines, each 5, 10, 20 or 50% and so on apart.

    >>> axis(-0.08, 0.49)
    Axis(top=0.5, tick=0.1, bottom=-0.1)
    """
    steps = (digit * 10.0**power for power in range(-2, 9) for digit in (1, 2, 5))
    tick = next(s for s in steps if s >= 0.05 and high - low <= LINES * s)
    return Axis(
        top=round(math.ceil(high / tick - 1e-9) * tick, 6), tick=tick,
        bottom=round(math.floor(low / tick + 1e-9) * tick, 6),
    )  # fmt: skip
