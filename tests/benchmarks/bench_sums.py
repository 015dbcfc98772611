"""How often 95% intervals of ranges by CALM+ hold the true share: 48 settings, their mean and the worst.

    python -m tests.benchmarks.bench_sums [REPETITIONS [SEED]]

Adult and BRFSS 2000 (six attributes each) and two kinds of simulated people in three shapes; six random ranges
a repetition over one attribute or two.
"""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np

import calm_core as cc
from calm_core.ingest import detect_schema, encode_table, read_table
from calm_core.tables.ranges import cells_inside, choose_ranges, ordered_attributes
from tests.inference.test_calm_plus_sums import ordered_people
from tests.reference.exact_collection import SHARED

ADULT = ("age", "education-num", "hours-per-week", "sex", "income", "workclass")
SHAPES = ((6, 8, 5, 4), (12, 10, 8), (8, 8, 6, 6, 4, 3))


def classes(rng, sizes, n: int) -> cc.Dataset:
    """Four classes of people, each with its own shares of all values, independently."""
    own = rng.choice(4, size=n, p=rng.dirichlet(np.ones(4)))
    codes = []
    for size in sizes:
        shares = rng.dirichlet(np.ones(size), size=4).cumsum(axis=1)[:, :-1]
        codes.append((rng.random(n)[:, None] > shares[own]).sum(axis=1))
    domain = cc.Domain(tuple("abcdef"[: len(sizes)]), sizes)
    return cc.Dataset.from_codes(np.stack(codes, axis=1), domain)


def real(name: str, **columns) -> cc.Dataset:
    """A table of the shared data."""
    table = read_table(SHARED / f"{name}.csv.gz")
    return encode_table(table, schema=detect_schema(table), **columns).dataset


def held(draw: Callable[[], cc.Dataset], epsilon: float, repetitions: int, rng) -> float:
    """Share of the ranges whose interval holds the truth."""
    inside = []
    for _ in range(repetitions):
        data = draw()
        answer = cc.METHODS["calm_plus"](epsilon=epsilon, k=2).release(data, rng=rng)
        most = len(ordered_attributes(data.domain))
        for k in (1, 1, 1, 2, 2, 2):
            volume = rng.choice([0.3, 0.5, 0.7])
            (query,) = choose_ranges(data.domain, min(k, most), 1, volume=volume, rng=rng)
            attrs = data.domain.canonical(query)
            cells = cells_inside(data.domain.project(attrs), [query])
            low, high = answer.interval_of_sum(attrs, cells)
            inside.append(low <= data.marginal(attrs).values[cells].sum() <= high)
    return float(np.mean(inside))


def main(repetitions: str = "16", seed: str = "21") -> None:
    """Print every setting, then the mean and the worst."""
    rng, found = np.random.default_rng(int(seed)), []
    tables = {"Adult": real("adult", columns=ADULT), "BRFSS 2000": real("brfss2000", d=6)}
    people = {name: partial(table.resample, rng=rng) for name, table in tables.items()}
    for shape in SHAPES:
        people[f"ordered {shape}"] = partial(ordered_people, rng, shape)
        people[f"classes {shape}"] = partial(classes, rng, shape)
    for name, draw in people.items():
        for n in (30_000, 200_000):
            for epsilon in (0.5, 1.0, 2.0):
                found.append(held(partial(draw, n), epsilon, int(repetitions), rng))
                print(f"{name}, n = {n:,}, epsilon {epsilon:g}: {found[-1]:.3f}", flush=True)
    print(f"{len(found)} settings: {np.mean(found):.3f} on average, {min(found):.3f} at worst")


if __name__ == "__main__":
    main(*sys.argv[1:])
