"""The error of a table at every epsilon: predicted at once, then measured by real collections.

Measuring goes on in the background while somebody looks at the table, and is kept for all sessions.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from calm_core.errors import UserError
from calm_core.evaluation.prediction import predict_wrong
from calm_core.evaluation.run import Run, repeat_answers, use_rows
from calm_core.methods import make_method
from calm_core.randomness import stream
from calm_core.settings import EPSILONS, Settings
from calm_core.tables.dataset import People
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from pages.ui import cached_calls, results
from pages.ui.error_boundary import draw_until_known
from pages.ui.jobs import LOOK_AGAIN, Worker
from pages.ui.result_cache import ResultCache
from pages.ui.results import Step, Wrong
from pages.ui.tables import TABLE_CHANGED, ghost_errors
from pages.ui.widgets import epsilons_around

COLLECTIONS = 20
# Larger tables, and what would take longer, are only predicted.
MAX_CELLS, MAX_SECONDS = 128, 30.0


@dataclass(eq=False)
class KnownShares:
    """Reconstructed shares of real collections by epsilon, 20 x cells each; filled by one thread."""

    reconstructed: dict[float, np.ndarray] = field(default_factory=dict)
    complete: bool = False
    # Seconds until a page checks again.
    again: float = LOOK_AGAIN


# At most a third of a megabyte each; every seed of a class has its own.
_KNOWN = ResultCache(128)
WORKER = Worker()


def sort_by_distance(epsilon: float) -> list[float]:
    """Return the epsilon collected with, then all others offered, the nearest first.

    >>> sort_by_distance(1.0)[:3]
    [1.0, 0.9, 1.2]
    """
    return sorted(epsilons_around(epsilon), key=lambda e: (abs(math.log(e / epsilon)), e))


def measure_shares(
    settings: Settings,
    people: People,
    attrs: tuple[str, ...],
    measured: KnownShares,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Fill `measured`, one collection a step; stop early where it would take too long."""
    spent, rows_used = 0.0, use_rows(people, settings.n, settings.seed)
    for epsilon in sort_by_distance(settings.epsilon):
        if epsilon in measured.reconstructed or spent > MAX_SECONDS:
            continue
        at_epsilon = settings.with_changes(epsilon=epsilon)
        method = make_method(at_epsilon.method, **at_epsilon.method_settings)
        rows = []
        again = repeat_answers(rows_used, method, seed=settings.seed, times=COLLECTIONS)
        try:
            while len(rows) < COLLECTIONS:
                started = clock()
                rows.append(next(again).marginal(attrs).values.ravel())
                spent += clock() - started
                yield
        except UserError:
            # The method refuses this epsilon: it stays predicted.
            continue
        measured.reconstructed[epsilon] = np.array(rows)
    measured.complete = True


def _key(settings: Settings, attrs: tuple[str, ...]) -> tuple:
    """Return the cache key: one for all usual values of epsilon, one more for an unusual value."""
    usual = epsilons_around(settings.epsilon) == EPSILONS
    return (settings.with_changes(epsilon=1.0) if usual else settings).results_key, attrs


@dataclass(frozen=True)
class ComparedTable:
    """A true and a reconstructed table of a run, and the domain and number of people.

    A part that draws itself again is kept by its session, long after its tab is closed: it holds this, and never
    a run, whose rows may be 80 MB.
    """

    truth: Marginal
    answer: Marginal
    domain: Domain
    n: int


def compare_table(outcome: Run, attrs: tuple[str, ...]) -> ComparedTable:
    """Return the tables over `attrs` of a run."""
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    return ComparedTable(truth, answer, outcome.domain, outcome.n)


def get_known_shares(settings: Settings, domain: Domain, attrs: tuple[str, ...]) -> KnownShares:
    """Return what is measured so far, and have the rest measured in the background."""
    key = _key(settings, attrs)
    measured = _KNOWN.get(key, KnownShares)
    if domain.cells_of(attrs) > MAX_CELLS:
        return KnownShares(complete=True)
    if not measured.complete:
        people = cached_calls.people(settings)
        measured.again = WORKER.ask(key, lambda: measure_shares(settings, people, attrs, measured))
    return measured


def predict_errors(
    settings: Settings,
    domain: Domain,
    n: int,
    attrs: tuple[str, ...],
    budget: Callable[[float], float] = lambda epsilon: epsilon,
) -> dict[float, Wrong]:
    """Return the errors expected of a table at every epsilon with a formula; its method spends `budget(epsilon)`."""
    cells, errors = domain.cells_of(attrs), {}
    for epsilon in epsilons_around(settings.epsilon):
        at_epsilon = settings.with_changes(epsilon=budget(epsilon))
        method = make_method(at_epsilon.method, **at_epsilon.method_settings)
        rng = stream(settings.seed, 0, method.name)
        # Where the method refuses this epsilon, nothing is expected of it.
        with suppress(UserError):
            share = predict_wrong(method, domain, n, rng=rng, queries=[attrs])
            if share is not None:
                errors[epsilon] = results.expected_wrong(share, cells)
    return errors


def predict_table_wrong(
    settings: Settings, domain: Domain, n: int, attrs: tuple[str, ...]
) -> dict[float, Wrong]:
    """Return the same, cached."""
    return cached_calls.get_result(
        "expected errors", _key(settings, attrs), lambda: predict_errors(settings, domain, n, attrs)
    )


def make_steps(
    settings: Settings, errors: Mapping[float, Wrong], truth: Marginal
) -> tuple[Step, ...]:
    """Return what is known at every epsilon offered; nothing where one of them has no error."""
    offered, guess = epsilons_around(settings.epsilon), results.guess_wrong(truth)
    if not set(offered) <= set(errors):
        return ()
    return tuple(results.make_step(epsilon, errors[epsilon], guess) for epsilon in offered)


@dataclass(frozen=True)
class ErrorByEpsilon:
    """The errors of a table at every epsilon.

    Attributes
    ----------
    steps : tuple of Step
        One for each of `epsilons_around` it; none where there is neither a formula nor a measurement.
    index : int
        The step of the epsilon collected with.
    plays : ndarray or None
        Reconstructed shares of 20 collections with this epsilon.
    usual : float
        The largest spread between epsilon 0.2 and 4: room that the axis keeps for ghosts.
    errors : Wrong or None
        The errors of repeats with the epsilon collected with, or expected ones.
    complete : bool
        Whether no more will be measured.
    """

    steps: tuple[Step, ...]
    index: int
    plays: np.ndarray | None
    usual: float
    errors: Wrong | None
    complete: bool

    @property
    def here(self) -> Step | None:
        """The step of the epsilon collected with."""
        return self.steps[self.index] if self.steps else None

    def table_fields(self, cells: int) -> dict[str, Any]:
        """Return what a table of so many cells shows of it, for `tables.make_table_data`; ghosts are imagined."""
        return {
            "steps": self.steps, "index": self.index, "plays": self.plays, "measured": self.complete,
            "ghosts": ghost_errors(cells) if self.steps else None,
        }  # fmt: skip


def error_by_epsilon(
    settings: Settings, table: ComparedTable, attrs: tuple[str, ...]
) -> ErrorByEpsilon:
    """Return the steps of epsilon for the table over `attrs`, as far as they are known."""
    measured, truth = get_known_shares(settings, table.domain, attrs), table.truth
    complete = measured.complete
    reconstructed = dict(measured.reconstructed)
    foreseen = predict_table_wrong(settings, table.domain, table.n, attrs)
    errors = foreseen | {
        epsilon: results.measured_wrong(rows, truth) for epsilon, rows in reconstructed.items()
    }
    offered = epsilons_around(settings.epsilon)
    index = offered.index(settings.epsilon)
    plays = reconstructed.get(settings.epsilon)
    steps = make_steps(settings, errors, truth)
    # Predictions first, so that the axis does not change with measurements.
    spreads = ((foreseen.get(e) or errors[e]).spread for e in offered if steps and 0.2 <= e <= 4)
    usual = max(spreads, default=0.0)
    return ErrorByEpsilon(steps, index, plays, usual, errors.get(settings.epsilon), complete)


def draw_with_updates(
    settings: Settings,
    table: ComparedTable,
    attrs: tuple[str, ...],
    draw: Callable[[ErrorByEpsilon], None],
) -> None:
    """Draw a table with its errors, and again every second while they are being measured.

    `draw` is kept as long as the session is: it holds what it draws, and no run.
    """
    st.session_state[TABLE_CHANGED] = False
    measured = get_known_shares(settings, table.domain, attrs)

    def part() -> bool:
        if st.session_state[TABLE_CHANGED]:
            st.rerun()
        spread = error_by_epsilon(settings, table, attrs)
        draw(spread)
        return spread.complete

    # Outside of a fragment the browser would see another table.
    draw_until_known(part, None if measured.complete else measured.again)
