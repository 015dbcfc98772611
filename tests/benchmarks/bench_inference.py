"""Speed of consistency and reconstruction against their references, measured in one run.

    python -m tests.benchmarks.bench_inference [--quick]

Every line gives our time, the reference's time, their ratio and the largest difference of a cell from
the reference (for CLARABEL, run again at full precision on ten queries). A reference that would take minutes
is measured on a sample of the queries and scaled up; the line says so.
"""

import itertools
import sys
import time

import cvxpy as cp
import numpy as np

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.inference.consistency import make_consistent
from calm_core.inference.reconstruction import compile_ipf
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from tests.reference.cvxpy_entropy import solve_max_entropy, summing_matrix
from tests.reference.topological import topological_consistency


def best_of(times: int, work) -> tuple[float, object]:
    """Shortest of several runs in seconds, and the last result."""
    shortest, result = np.inf, None
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, result


def population(d: int, rng, *, n=100_000) -> Dataset:
    """Correlated 0/1 records: every attribute leans on the one before."""
    codes = (rng.random((n, d)) < rng.uniform(0.1, 0.6, d)).astype(np.uint8)
    for i in range(1, d):
        follow = rng.random(n) < 0.4
        codes[follow, i] = codes[follow, i - 1]
    names = tuple(f"x{i:02d}" for i in range(d))
    return Dataset.from_codes(codes, Domain(names, (2,) * d))


def noisy_views(data: Dataset, views, noise: float, rng) -> NoisyMarginals:
    """Views of the data with the given standard deviation of noise on every cell."""
    tables = []
    for view in views:
        exact = data.marginal(view)
        values = exact.values + noise * rng.normal(size=exact.values.shape)
        tables.append(type(exact)(exact.domain, values))
    return NoisyMarginals(data.domain, tuple(tables), (noise**2,) * len(views), (1,) * len(views))


def views_of_eight(rng) -> list[tuple[str, ...]]:
    """106 views of 8 of 32 attributes: the covering design of PriView."""
    from calm_core.designs import find_covering

    names = tuple(f"x{i:02d}" for i in range(32))
    return [tuple(names[i] for i in block) for block in find_covering(32, 8, 3)]


def clarabel(views, query) -> float:
    """Seconds for one query by cvxpy from its maximal constraints, default tolerances."""
    note = views.explain(query)
    start = time.perf_counter()
    table = cp.Variable(2 ** len(query))
    rules = [cp.sum(table) == 1]
    for attrs in note.constraints:
        axes = [query.index(name) for name in attrs]
        wanted = views.marginal(attrs).values.ravel()
        rules.append(summing_matrix((2,) * len(query), axes) @ table == wanted)
    problem = cp.Problem(cp.Maximize(cp.sum(cp.entr(table))), rules)
    problem.solve(solver=cp.CLARABEL)
    return time.perf_counter() - start


def largest_gap(views, queries, tables) -> float:
    """Largest difference of a cell from the optimum of CLARABEL at full precision."""
    gaps = []
    for query, table in zip(queries, tables):
        constraints = [views.marginal(attrs) for attrs in views.explain(query).constraints]
        optimum = solve_max_entropy(query, table.domain.sizes, constraints)
        gaps.append(np.abs(table.values.ravel() - optimum).max())
    return max(gaps)


def compare(views, queries, sample: int, rng) -> tuple[float, float, float]:
    """Our seconds for all queries, CLARABEL's scaled up from a sample, and the largest gap."""

    def answer():
        # A new object: nothing looked up before is remembered.
        return type(views)(views.domain, views.tables, views.report).marginals(queries)

    ours, tables = best_of(5, answer)
    assert all(views.explain(query).converged for query in queries)
    chosen = rng.choice(len(queries), sample, replace=False)
    theirs = sum(clarabel(views, queries[i]) for i in chosen) * len(queries) / sample
    some = chosen[:10]
    return ours, theirs, largest_gap(views, [queries[i] for i in some], [tables[i] for i in some])


def uncovered_queries(views, count: int, k: int, rng) -> list[tuple[str, ...]]:
    """Random sets of k attributes that no view covers."""
    found: list[tuple[str, ...]] = []
    while len(found) < count:
        query = views.domain.canonical(rng.choice(views.domain.names, k, replace=False).tolist())
        if not views.covers(query):
            found.append(query)
    return found


def bench_consistency(rng, line) -> None:
    """106 views of 8 of 32 attributes, noisy: closed form against topological order."""
    noisy = noisy_views(population(32, rng), views_of_eight(rng), 0.002, rng)
    make_consistent(noisy, nonnegativity="none")
    ours, result = best_of(9, lambda: make_consistent(noisy, nonnegativity="none"))
    theirs, tables = best_of(3, lambda: topological_consistency(noisy))
    gap = max(np.abs(a.values - b.values).max() for a, b in zip(result.tables, tables, strict=True))
    line("consistency, 106 views of 8 of 32", "topological order", 20, ours, theirs, gap)


def bench_queries(rng, line, *, sample: int) -> None:
    """50 random 8-way queries on those views."""
    data = population(32, rng)
    views = make_consistent(noisy_views(data, views_of_eight(rng), 0.0, rng), nonnegativity="none")
    queries = uncovered_queries(views, 50, 8, rng)
    name = "50 8-way queries on those views, to 1e-7"
    line(name, f"CLARABEL ({sample} of 50 run)", 20, *compare(views, queries, sample, rng))


def bench_all_threeway(rng, line, *, sample: int) -> None:
    """All 560 3-way marginals of 16 attributes from the 120 pairs."""
    data = population(16, rng)
    pairs = list(itertools.combinations(data.domain.names, 2))
    views = make_consistent(noisy_views(data, pairs, 0.0005, rng))
    queries = list(itertools.combinations(data.domain.names, 3))
    name = "560 3-way marginals of 16 from 120 pairs"
    line(name, f"CLARABEL ({sample} of 560 run)", 100, *compare(views, queries, sample, rng))


def main() -> None:
    """Print one line per measurement."""
    sample = 10 if "--quick" in sys.argv else 50
    rng = np.random.default_rng(7)
    start = time.perf_counter()
    compile_ipf()
    print(f"loading the compiled code: {time.perf_counter() - start:.2f} s\n")
    print(
        f"{'what':42}{'reference':28}{'ours':>10}{'theirs':>10}{'ratio':>8}{'wanted':>8}  difference"
    )

    def line(what, reference, wanted, ours, theirs, gap):
        print(
            f"{what:42}{reference:28}{ours * 1e3:>7.1f} ms{theirs * 1e3:>7.0f} ms"
            f"{theirs / ours:>8.0f}{wanted:>8}  {gap:.0e}"
        )

    bench_consistency(rng, line)
    bench_queries(rng, line, sample=sample)
    bench_all_threeway(rng, line, sample=sample)


if __name__ == "__main__":
    main()
