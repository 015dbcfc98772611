"""Collections of any number of users from a known population, at a cost that does not depend on it.

The users of a group are independent draws, so their counts are multinomial; each oracle then draws
the support counts of their reports at once. This is the law of `collect` on as many rows.
"""

import math
import os
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import Reports, ViewReports, assign_groups, draw_group_sizes
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.planning.plan import make_plan

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("CALM_SHARED_DATA", ROOT.parent / "shared" / "data"))
FILES = {
    "acs": "acs_binary.csv.gz", "adult": "adult.csv.gz", "brfss": "brfss2000.csv.gz",
    "msnbc": "msnbc.parquet", "nltcs": "nltcs.csv.gz", "nsduh": "nsduh2022.csv.gz",
}  # fmt: skip
MAX_VALUES = 3


def population(table: np.ndarray) -> cc.Marginal:
    """The table as a marginal of attributes named a, b, ..."""
    domain = cc.Domain(tuple("abcdefghijklmnop"[: table.ndim]), table.shape)
    return cc.Marginal(domain, table / table.sum())


def mixture(weights, rates) -> cc.Marginal:
    """Classes of people, each with its own chance of every yes, independently: strong dependence."""
    table = 0.0
    for weight, chances in zip(weights, rates):
        part = np.array(weight, dtype=float)
        for chance in chances:
            part = np.multiply.outer(part, [1 - chance, chance])
        table = table + part
    return population(table)


@cache
def load_codes(name: str, most: int = MAX_VALUES) -> np.ndarray:
    """A real table as codes, rare values merged to at most `most` in all, shape (rows, columns)."""
    path = SHARED / FILES[name]
    if not path.exists():
        pytest.skip(f"the real data are not here: {path.name}")
    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    columns = (_merged(pd.factorize(frame[column], sort=True)[0], most) for column in frame.columns)
    return np.stack(list(columns), axis=1)


@cache
def columns_of(name: str, d: int, first: int = 0) -> cc.Marginal:
    """d columns of a real table from `first` on, their rare values merged to at most 3 in all."""
    codes = load_codes(name)[:, first : first + d].T
    sizes = tuple(int(column.max()) + 1 for column in codes)
    cells = np.bincount(np.ravel_multi_index(tuple(codes), sizes), minlength=math.prod(sizes))
    return population(cells.reshape(sizes).astype(float))


def _merged(codes: np.ndarray, most: int) -> np.ndarray:
    counts = np.bincount(codes)
    if len(counts) <= most:
        return codes
    rank = np.argsort(np.argsort(-counts, kind="stable"))
    return np.minimum(rank, most - 1)[codes]


def collect_exactly(people: cc.Marginal, plan, rng) -> tuple[NoisyMarginals, cc.Marginal]:
    """Estimates of all views of a plan, and the table of those who reported."""
    domain, n, views, total = people.domain, plan.n, [], 0
    for view, oracle, size in zip(
        plan.views, plan.oracles, draw_group_sizes(n, plan.shares, rng=rng)
    ):
        counts = rng.multinomial(size, people.values.ravel())
        total = total + counts
        others = tuple(a for a in range(domain.d) if a not in domain.positions(view))
        inside = counts.reshape(domain.sizes).sum(axis=others).reshape(1, -1)
        views.append(ViewReports(view, oracle, oracle.simulate(inside, rng=rng)[0], int(size)))
    truth = cc.Marginal(domain, total.reshape(domain.sizes) / n)
    return aggregate(Reports(domain, tuple(views))), truth


def report_each(people: cc.Dataset, plan, rng) -> Reports:
    """Everybody's report made by itself, and counted."""
    labels, views = assign_groups(people.n, plan.shares, rng=rng), []
    for i, (view, oracle) in enumerate(zip(plan.views, plan.oracles)):
        members = people.select_users(labels == i)
        support = oracle.support(oracle.perturb(members.cells(view), rng=rng))
        views.append(ViewReports(view, oracle, support, members.n))
    return Reports(plan.domain, tuple(views))


def errors_of(people: cc.Marginal, *, n, epsilon, k, repetitions, queries=16, covered=8):
    """Mean SSE of CALM+ and of CALM, and the coverage of 95% intervals, a row per repetition."""
    rows = []
    for repetition in range(repetitions):
        rng = cc.stream(18, repetition, n, f"{epsilon:g}", k)
        plan = make_plan(people.domain, n, epsilon=epsilon, k=k, theta=1e-3, rng=rng)
        noisy, truth = collect_exactly(people, plan, rng)
        asked = cc.choose_queries(people.domain, k, queries, rng=rng)
        plus, truths = infer_plus(noisy, order=k), [truth.project(query) for query in asked]
        inside = []
        for query, true in zip(asked[:covered], truths):
            low, high = plus.interval(query)
            held = (true.values >= low - 1e-12) & (true.values <= high + 1e-12)
            inside.append(held.mean())
        rows.append((
            np.mean(list(map(cc.sse, truths, plus.marginals(asked)))),
            np.mean(list(map(cc.sse, truths, plus.views.marginals(asked)))),
            np.mean(inside) if inside else math.nan,
        ))  # fmt: skip
    return np.array(rows)


def ratio(rows: np.ndarray) -> tuple[float, float]:
    """Ratio of the mean SSEs and its standard error over the repetitions."""
    plus, calm = rows[:, 0], rows[:, 1]
    found = plus.mean() / calm.mean()
    apart = plus - found * calm
    return found, apart.std(ddof=1) / math.sqrt(len(rows)) / calm.mean()
