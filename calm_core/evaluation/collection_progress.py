"""A collection during its course: the shares that could be reconstructed at each moment, and their errors.

The reconstructed shares come from the reports of the run. The truth is used only for the expected error and for
other simulated collections of the same view.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_rng
from calm_core.collection.aggregation import draw_arrivals, draw_first_reports
from calm_core.evaluation.metrics import wrong_share
from calm_core.evaluation.run import Run
from calm_core.methods.base import CollectedAnswer
from calm_core.oracles import Oracle
from calm_core.tables.marginal import Marginal, uniform

FIRST, STEPS = 60, 36
OTHERS = 20
HALTS = (600, 6000)


@dataclass(frozen=True, eq=False)
class ViewProgress:
    """One view at each moment of a collection; shares are unprocessed estimates and may be negative.

    Attributes
    ----------
    reports : ndarray of int64, shape (moments,)
        Number of reports of the view so far.
    truth : Marginal
        The true table.
    cells : ndarray of int
        The cells below, as flat indices.
    reconstructed : ndarray of float, shape (moments, cells)
        Unbiased shares from the reports so far; NaN without reports.
    others : ndarray of float, shape (collections, moments, cells)
        The shares of other collections with as many reports of this view.
    errors : ndarray of float, shape (moments,)
        Expected share of people in the wrong cell; infinite without reports, and above 1 while noise is so
        strong that shares are far below 0.
    guess : float
        Share in the wrong cell with equal shares.
    """

    reports: np.ndarray
    truth: Marginal
    cells: np.ndarray
    reconstructed: np.ndarray
    others: np.ndarray
    errors: np.ndarray
    guess: float


def choose_stops(n: int) -> tuple[int, ...]:
    """Numbers of reports at which to stop in a collection of n: 600, 6,000 and n.

    Examples
    --------
    >>> choose_stops(60_000), choose_stops(700)
    ((600, 6000, 60000), (600, 700))
    """
    return (*(halt for halt in HALTS if halt < n), n)


def choose_moments(n: int, stops: Sequence[int] = ()) -> tuple[int, ...]:
    """Numbers of reports at which to show a collection of n, evenly spaced on a log scale.

    They start at 60, or at n / 10 in a small collection, have two significant digits, include the
    `stops`, and end with n.

    Examples
    --------
    >>> choose_moments(60_000)[::5]
    (60, 160, 430, 1200, 3100, 8300, 22000, 60000)
    """
    grid = np.geomspace(min(FIRST, max(1, n // 10)), n, STEPS)
    rough = {int(float(f"{r:.2g}")) for r in grid} | set(stops)
    return tuple(sorted(r for r in rough if r < n)) + (n,)


def expected_raw_wrong(oracle: Oracle, truth: Marginal, reports: int, people: int) -> float:
    """Expected share of people in the wrong cell of the unbiased shares after `reports` reports.

    Half the sum of the mean absolute errors of all cells, with normal noise. The reports come from a random
    sample of the people without replacement: the variance is exactly that of the oracle at the true shares
    plus that of the sample.

    Parameters
    ----------
    oracle : Oracle
        The randomizer.
    truth : Marginal
        True shares among all people.
    reports, people : int
        Number of reports so far, and of all people.

    Examples
    --------
    >>> from calm_core.oracles import GRR
    >>> from calm_core.tables.domain import Domain
    >>> truth = Marginal(Domain(("sex", "smokes"), (2, 2)), [[0.4, 0.1], [0.3, 0.2]])
    >>> [round(expected_raw_wrong(GRR(1.0, 4), truth, r, 60_000), 3) for r in (0, 21, 2142)]
    [inf, 0.5, 0.049]
    """
    if not reports:
        return math.inf
    shares = truth.values.ravel()
    left = (people - reports) / max(1, people - 1)
    variance = oracle.variance(reports, shares) + shares * (1 - shares) / reports * left
    return float(np.sqrt(variance / (2 * math.pi)).sum())


def follow_view(
    run: Run,
    view: int,
    reports: Sequence[int],
    *,
    rng: np.random.Generator,
    cells: Sequence[int] | None = None,
    others: int = OTHERS,
) -> ViewProgress:
    """One view of a run after the given numbers of reports of its group.

    Parameters
    ----------
    run : Run
        A run of a method whose answer has reports.
    view : int
        Index among the views of the plan.
    reports : sequence of int
        Reports of the view at each moment, as from `draw_arrivals`.
    rng : numpy Generator
        Draws the order of the reports and the other collections.
    cells : sequence of int, optional
        Flat indices of the cells; all by default.
    others : int
        Number of other collections.

    Examples
    --------
    >>> from calm_core.methods import Calm
    >>> from calm_core.evaluation.run import run as run_once
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> data = Dataset.from_codes(codes, Domain(("sex", "age"), (2, 3)))
    >>> outcome = run_once(data, Calm(epsilon=2.0, k=2), seed=1)
    >>> seen = follow_view(outcome, 0, [50, 500, 5000], rng=np.random.default_rng(2))
    >>> bool(np.allclose(seen.reconstructed[-1], outcome.answer.noisy.tables[0].values.ravel()))
    True
    """
    assert isinstance(run.answer, CollectedAnswer)  # the answer that offers reports
    rng, held = check_rng(rng), run.answer.reports.views[view]
    truth, so_far = run.dataset.marginal(held.attrs), np.asarray(reports, dtype=np.int64)
    kept = np.arange(truth.values.size) if cells is None else np.asarray(cells)
    came = np.stack([part.support for part in draw_first_reports(held, so_far.tolist(), rng=rng)])
    people = np.rint(truth.values.ravel() * run.n).astype(np.int64)
    # Rounded cells may hold fewer people than there are.
    people[people.argmax()] += max(0, run.n - people.sum())
    drawn = [_another(held.oracle, people, so_far, rng)[:, kept] for _ in range(others)]
    return ViewProgress(
        so_far, truth, kept, _shares(held.oracle, came, so_far)[:, kept],
        np.array(drawn).reshape(others, len(so_far), len(kept)),
        np.array([expected_raw_wrong(held.oracle, truth, int(r), run.n) for r in so_far]),
        wrong_share(truth, uniform(truth.domain, truth.attrs)),
    )  # fmt: skip


def _another(oracle: Oracle, people: np.ndarray, reports: np.ndarray, rng) -> np.ndarray:
    """Shares at each moment of another collection, simulated from moment to moment."""
    who = draw_arrivals(people.tolist(), reports.tolist(), rng=rng)
    support = oracle.simulate(np.diff(who, axis=0, prepend=0), rng=rng).cumsum(axis=0)
    return _shares(oracle, support, reports)


def _shares(oracle: Oracle, support: np.ndarray, reports: np.ndarray) -> np.ndarray:
    """Unbiased shares from support counts (moments, cells); NaN without reports."""
    shares = oracle.estimate(support, np.maximum(reports, 1))
    return np.where(reports[:, np.newaxis] > 0, shares, np.nan)
