"""The same table in three worlds: who adds noise, and what is left of the truth."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from calm_core.evaluation.price_of_trust import CURATOR, LOCAL
from calm_core.evaluation.run import Run
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, error_by_epsilon, first_pair, frame, tables
from pages.ui.components import as_plain, mount
from pages.ui.components.table import TableData
from pages.ui.privacy import epsilons_around

# Cells that can be told apart in a card.
MAX_CELLS = 12


@dataclass(frozen=True)
class Moment:
    """A value of epsilon: points as text, and the spread of ghosts as a fraction."""

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
        Typical error of a cell of this table.
    table : TableData
        The table; all worlds have the same axis.
    steps : tuple of Moment
        One for each epsilon offered, or none where epsilon changes nothing.
    ours : bool
        Whether it is the local world.
    """

    title: str
    text: str
    picture: str
    noise: str
    points: str
    table: TableData
    steps: tuple[Moment, ...] = ()
    ours: bool = False


def runs_of(settings: Settings) -> tuple[Run, Run]:
    """The collection with a curator, and the one without: the very one of the Lab where that is CALM."""
    curator, local = (cached.outcome(settings.changed(method=name)) for name in (CURATOR, LOCAL))
    return curator, local


def attributes(settings: Settings, outcome: Run) -> tuple[str, ...]:
    """Attributes of the table: those chosen on Tables where a card has room for them, else Start's."""
    domain = outcome.domain
    chosen = domain.canonical(settings.attrs)
    if chosen and domain.cells_of(chosen) <= MAX_CELLS:
        return chosen
    return first_pair.of_settings(settings, outcome)


def show(settings: Settings, curator: Run, local: Run) -> None:
    """Draw the cards, and again while the spreads are being measured."""
    attrs = attributes(settings, local)
    ours, theirs = error_by_epsilon.shown(local, attrs), error_by_epsilon.shown(curator, attrs)
    draw = partial(_draw, settings, theirs, ours, attrs)
    error_by_epsilon.watched(settings.changed(method=LOCAL), ours, attrs, draw)


def _draw(
    settings: Settings,
    curator: error_by_epsilon.Shown,
    local: error_by_epsilon.Shown,
    attrs,
    spread: error_by_epsilon.Spread,
) -> None:
    truth = local.truth
    answers = {"truth": truth, "curator": curator.answer, "local": local.answer}
    shares = [answer.values.ravel() for answer in answers.values()]
    axis = tables.axis_of(*shares, spread=spread.usual)
    steps = {"local": spread.steps, "curator": _foreseen(settings, curator, attrs)}
    moments = {
        name: tuple(Moment(step.points, step.spread) for step in found)
        for name, found in steps.items()
    }
    points = {name: tables.measured(truth, answer).points for name, answer in answers.items()}
    if spread.here is not None:
        points["local"] = spread.here.points

    def card(name: str) -> World:
        title, text, picture = words.worlds.CARDS[name]
        table = tables.table_of(
            truth, answers[name], style="pale", axis=axis, lecture=frame.lecture(),
            ghosts=np.array(tables.ghosts(truth.values.size)) if moments.get(name) and name == "local" else None,
        )  # fmt: skip
        noise = {"truth": "", "curator": "collector", "local": "people"}[name]
        return World(
            title,
            text,
            picture,
            noise,
            points[name],
            table,
            moments.get(name, ()),
            ours=name == "local",
        )

    mount(
        "worlds",
        {
            "worlds": as_plain(tuple(map(card, answers))), "index": spread.index,
            "lecture": frame.lecture(), "unit": words.table.TEXTS["points"],
        },
        key="worlds_cards",
    )  # fmt: skip


def _foreseen(settings: Settings, curator: error_by_epsilon.Shown, attrs) -> tuple:
    """What formulas expect of the curator's table at every epsilon; none where they do not."""
    theirs = settings.changed(method=CURATOR)
    found = error_by_epsilon.predicted(theirs, curator.domain, curator.n, attrs)
    guess, share = tables.guess_of(curator.truth), tables.example(curator.truth.values)
    offered = epsilons_around(settings.epsilon)
    if not set(offered) <= set(found):
        return ()
    return tuple(
        tables.step(epsilon, found[epsilon], guess, share, predicted=True) for epsilon in offered
    )
