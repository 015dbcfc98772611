"""Repeated runs: many collections, all pairs, a grid of (l, m), a sweep over n or epsilon.

Generators, so that callers can show each result as it comes and stop at any time.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from calm_core._checks import check_choice, check_count
from calm_core.errors import UserError
from calm_core.evaluation.metrics import predict_plan_points, score
from calm_core.evaluation.run import Run, run, use_rows
from calm_core.methods.base import Answer, Method
from calm_core.methods.calm import Calm
from calm_core.planning.plan import predicted_sse
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People

SWEPT = ("epsilon", "n")


def repeat_release(
    dataset: People,
    method: Method,
    attrs: Iterable[str],
    *,
    seed: int,
    times: int,
    n: int | None = None,
) -> Iterator[Marginal]:
    """Yield the marginal over `attrs` from `times` independent collections; the first is that of `run`.

    The rows are those of the run: only the noise and the assignment to groups change.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> data = Dataset.from_codes(codes, domain)
    >>> len(list(repeat_release(data, Calm(epsilon=1.0, k=2), ("age",), seed=1, times=3)))
    3
    """
    dataset = use_rows(dataset, n, seed)
    for repetition in range(check_count("times", times)):
        checkpoint()
        rng = stream(seed, repetition, method.name)
        yield method.release(dataset, rng=rng).marginal(attrs)


def score_pairs(dataset: People, answer: Answer) -> pd.DataFrame:
    """Errors of every two-way marginal, one row per pair as in `metrics.score`.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> data = Dataset.from_codes(codes, domain)
    >>> answer = Calm(epsilon=1.0, k=2).release(data, rng=np.random.default_rng(2))
    >>> score_pairs(data, answer).attributes.tolist()
    [('sex', 'age')]
    """
    pairs = list(combinations(dataset.domain.names, 2))
    covered = [answer.covers(pair) for pair in pairs]
    return score(dataset.marginals(pairs), answer.marginals(pairs), covered)


def choose_view_grid(d: int, choice: tuple[int, int], *, sizes: int = 5, counts: int = 6):
    """Pairs (l, m) around the choice of Algorithm 1, including it: ascending l, then m.

    Every pair has enough views to cover each attribute, and at most C(d, l).

    Examples
    --------
    >>> choose_view_grid(4, (2, 6), sizes=2, counts=3)
    ((2, 2), (2, 3), (2, 6), (3, 2), (3, 3), (3, 4))
    """
    chosen_l, chosen_m = choice
    low = max(1, min(chosen_l - sizes // 2, d - sizes + 1))
    low = max(low, min(2, d))
    pairs = set()
    for l in range(low, min(low + sizes, d + 1)):  # noqa: E741 - the paper's name
        checkpoint()
        least, most = math.ceil(d / l), math.comb(d, l)
        top = min(most, max(4 * chosen_m, least))
        pairs |= {(l, int(round(m))) for m in np.geomspace(least, top, counts)}
    pairs.add((chosen_l, chosen_m))
    return tuple(sorted(pairs))


def measure_view_grid(
    dataset: People,
    method: Calm,
    pairs: Sequence[tuple[int, int]],
    *,
    seed: int,
    queries: int = 30,
    repetitions: int = 1,
) -> Iterator[dict]:
    """Measured error for each (l, m).

    Yields one dict per pair: `l`, `m`, the mean `sse`, the typical error in `points`, and `reason`
    where it cannot run.
    """
    for l, m in pairs:  # noqa: E741
        found = {"l": l, "m": m, "sse": math.nan, "points": math.nan, "reason": ""}
        try:
            runs = _runs(dataset, replace(method, l=l, m=m), seed, None, queries, repetitions)
            found |= {"sse": _mean_sse(runs), "points": _typical(one.points for one in runs)}
        except UserError as error:
            found["reason"] = str(error)
        yield found


def _runs(dataset, method, seed, n, queries, repetitions) -> list[Run]:
    return [
        run(dataset, method, seed=seed, n=n, queries=queries, repetition=repetition)
        for repetition in range(repetitions)
    ]


def _mean_sse(runs: list[Run]) -> float:
    return float(np.mean([one.scores.sse.mean() for one in runs]))


def _typical(points: Iterable[float]) -> float:
    """Root mean square of the points of several runs."""
    return math.sqrt(float(np.mean(np.square(list(points)))))


def measure_sweep(
    dataset: People,
    method: Calm,
    name: str,
    values: Sequence[float],
    *,
    seed: int,
    n: int | None = None,
    queries: int = 30,
    repetitions: int = 3,
) -> Iterator[dict]:
    """Measured and predicted SSE while `name` ("epsilon" or "n") takes each of `values`.

    Yields one dict per value: the value under its `name`, `sse`, `low` and `high` (least and
    largest mean over the repetitions), `predicted` (noise and sampling, see `predicted_sse`),
    `uniform_sse`; `points`, `points_low`, `points_high`, `points_predicted` (with the allowance for
    reconstruction, see `predict_plan_points`) and `points_guess`, the same as typical errors in percentage
    points; `l`, `m`, and `reason` where it cannot run.
    """
    check_choice("name", name, SWEPT)
    for value in values:
        checkpoint()
        found = {name: value, "reason": ""}
        try:
            found |= _measure_at(dataset, method, name, value, seed, n, queries, repetitions)
        except UserError as error:
            found["reason"] = str(error)
        yield found


def _measure_at(dataset, method, name, value, seed, n, queries, repetitions) -> dict:
    if name == "epsilon":
        method = replace(method, epsilon=value)
    else:
        n = int(value)
    runs = _runs(dataset, method, seed, n, queries, repetitions)
    means, points = ([one.scores.sse.mean() for one in runs], [one.points for one in runs])
    plan = runs[0].plan
    assert plan is not None  # what is swept are methods that plan
    return {
        "sse": _mean_sse(runs),
        "low": float(min(means)),
        "high": float(max(means)),
        "predicted": predicted_sse(plan),
        "uniform_sse": float(np.mean([one.scores.uniform_sse.mean() for one in runs])),
        "points": _typical(points),
        "points_low": min(points),
        "points_high": max(points),
        "points_predicted": predict_plan_points(plan),
        "points_guess": _typical(one.guess_points for one in runs),
        "l": plan.l,
        "m": plan.m,
    }
