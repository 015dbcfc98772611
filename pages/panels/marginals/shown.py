"""The table itself: true and released, how good it is, where it comes from, what would help."""

import math
from functools import partial

import numpy as np

from calm_core.evaluation.error_units import Band
from calm_core.evaluation.run import Run
from calm_core.methods import METHODS, CalmPlus
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from pages import words
from pages.panels.marginals.details import intervals
from pages.panels.marginals.origin import origin
from pages.ui import error_by_epsilon, frame, naming, remedies, state, tables, view_state
from pages.ui.components.table import Chips, Side, TableData, draw_table

MAX_ATTRIBUTES, MAX_REMEDIES = 8, 2
# So many attributes have their whole titles beside the question.
LONG_CHIPS = 3


def views(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> dict[str, str]:
    """The secondary views of this table and their names: those that it needs."""
    domain = outcome.dataset.domain
    cells, found = domain.cells_of(attrs), dict(words.marginals.VIEWS)
    found["all"] = words.marginals.all_tables(math.comb(domain.d, settings.k))
    found["list"] = words.marginals.list_of(cells)
    if cells > tables.MAX_BARS:
        found["table"] = words.marginals.RANKED
    grid = tables.grid_of(domain.project(attrs))
    found["grid"] = words.marginals.grid(len(grid.rows), len(grid.columns))
    if cells <= tables.MAX_NUMBERS:
        # Every number is printed below its bar.
        del found["list"]
        if len(attrs) != 2 or cells == 4:
            del found["grid"]
    return found


def title(outcome: Run, attrs: tuple[str, ...], view: str) -> str:
    """The question the table answers; in a lecture what it is good for."""
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    if frame.lecture():
        return " ".join(tables.measured(truth, answer).sentence).strip()
    if truth.values.size > tables.MAX_BARS and view in ("table", "plays"):
        return words.marginals.ranked(truth.values.size)
    return naming.question(truth.domain)


def show(settings: Settings, outcome: Run, attrs: tuple[str, ...], view: str) -> None:
    """The chart with its column; `view` is "table", "grid", "list" or "plays"."""
    shown, limits = error_by_epsilon.shown(outcome, attrs), intervals(outcome, attrs)
    beside = {
        "side": _side(settings, outcome, shown.truth, shown.answer),
        "chips": None if state.is_hidden("attrs") else _chips(outcome.domain, attrs),
        "intervals": (limits["95% from"], limits["95% to"]) if limits else None,
    }

    choose = partial(_choose, outcome.domain)

    def draw(spread: error_by_epsilon.Spread) -> None:
        draw_table(
            _drawn(shown.truth, shown.answer, view, spread, beside),
            key="marginal",
            on_act=_act,
            on_attrs=choose,
        )

    error_by_epsilon.watched(settings, shown, attrs, draw)


def _drawn(
    truth: Marginal, answer: Marginal, view: str, spread: error_by_epsilon.Spread, beside: dict
) -> TableData:
    playing, texts = view == "plays", words.table.TEXTS
    if playing and spread.plays is not None:
        texts = texts | {"ghosts": texts["all"], "ghosts_short": texts["all_short"]}
    return tables.table_of(
        truth,
        answer,
        style="pale" if playing else "solid",
        mode=view if view in ("grid", "list") else "",
        lecture=frame.lecture(),
        spread=_width(spread) if playing else 0.0,
        reading=tables.measured(truth, answer),
        steps=spread.steps,
        index=spread.index,
        ghosts=_ghosts(truth, spread, playing) if spread.steps else None,
        plays=spread.plays,
        measured=spread.complete,
        texts=texts,
        **beside,
    )


def _width(spread: error_by_epsilon.Spread) -> float:
    return spread.here.spread if spread.here else 0.0


def _ghosts(truth: Marginal, spread: error_by_epsilon.Spread, playing: bool):
    """Imagined collections, or where they have been made, the real ones."""
    if playing and spread.plays is not None and spread.here and spread.here.spread > 0:
        errors = (spread.plays - truth.values.ravel()) / spread.here.spread
        return errors
    return np.array(tables.ghosts(truth.values.size))


def _side(settings: Settings, outcome: Run, truth: Marginal, answer: Marginal) -> Side:
    off = (answer.values - truth.values).ravel()
    worst = int(np.argmax(np.abs(off)))
    code = [int(i) for i in np.unravel_index(worst, truth.domain.sizes)]
    name = tables.cell_name(truth.domain, range(truth.domain.d), code)
    shares = float(truth.values.ravel()[worst]), float(answer.values.ravel()[worst])
    noise = tables.measured(truth, answer).band == Band.NOISE.value
    helps = remedies.ways_out(settings)[:MAX_REMEDIES] if noise else ()
    return Side(
        typical=words.marginals.typical(outcome.points),
        furthest=words.marginals.furthest(name, *shares),
        origin=origin(outcome, truth.attrs),
        notes=_notes(settings, outcome),
        actions=tuple((f"remedy {offer.id}", remedies.promise(offer)) for offer in helps),
    )


def _notes(settings: Settings, outcome: Run) -> tuple[str, ...]:
    """Who had to be trusted, and whose questions they were."""
    method, plan = METHODS[settings.method], outcome.plan
    found = [words.marginals.curator(method.title)] if method.trust == "central" else []
    if settings.method == CalmPlus.name and settings.design != "algorithm1":
        found.append(words.marginals.own_design(words.shared.DESIGNS[settings.design], plan.m))
    return tuple(found)


def _chips(domain: Domain, attrs: tuple[str, ...]) -> Chips:
    def titled(names) -> tuple[tuple[str, str], ...]:
        called = naming.title if len(attrs) <= LONG_CHIPS else naming.short
        return tuple((name, called(domain, name)) for name in names)

    others = [name for name in domain.names if name not in attrs]
    return Chips(titled(attrs), titled(others if len(attrs) < MAX_ATTRIBUTES else ()))


def _choose(domain: Domain, told: dict) -> None:
    shown = state.attributes_shown(state.current(), domain)
    state.set_field("attrs", tables.chosen(domain, shown, told))


def _act(pressed: str) -> None:
    """What a button of the column does."""
    kind, _, what = pressed.partition(" ")
    if kind == "stages":
        view_state.change(view="stages", at=0)
    for offer in remedies.ways_out(state.current()) if kind == "remedy" else ():
        if offer.id == what:
            remedies.apply(offer)
