"""Measured gains against their formulas, over epsilon, cells and number of people.

    python -m tests.benchmarks.bench_attacks [--people 50000]

Every row is an oracle with a skewed and an even population; `ratio` is the gain over the formula, `z` their difference in
standard errors.
"""

import argparse
from itertools import product

import pandas as pd

from calm_core.attacks import ATTACKS
from calm_core.oracles import ORACLES
from calm_core.planning.plan import make_plan
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain

EPSILONS, SHAPES, SIZES = (0.5, 1.0, 2.0, 4.0), ((2, 2), (4, 4), (8, 8)), (2_000, 50_000)
SETTINGS = {"one-person": {}, "asked-again": {"days": 5}, "re-identification": {}}


def main() -> None:
    """Print a row per attack, epsilon, cells and oracle, and the worst of each attack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50_000, help="simulated people")
    simulated = parser.parse_args().people
    rows = []
    for name, epsilon, shape, n, oracle in product(SETTINGS, EPSILONS, SHAPES, SIZES, ORACLES):
        rng = stream(1, name, int(10 * epsilon), *shape, n, oracle)
        domain = Domain(("a", "b"), shape)
        people = Dataset.from_codes((rng.random((n, 2)) ** 2 * shape).astype(int), domain)
        plan = make_plan(domain, n, epsilon=epsilon, k=2, rng=rng, oracle=oracle, l=2, m=1)
        found = ATTACKS[name](people=simulated, **SETTINGS[name]).run(plan, people, rng=rng)
        rows.append({
            "attack": name, "epsilon": epsilon, "cells": domain.cells_of(domain.names), "n": n, "oracle": oracle,
            "gain": found.gain, "formula": found.bound, "ratio": found.gain / found.bound,
            "z": (found.gain - found.bound) / found.standard_error,
        })  # fmt: skip
    table = pd.DataFrame(rows)
    print(table.to_string(index=False, float_format="{:.4g}".format))
    table["off"] = (table["ratio"] - 1).abs()
    print(
        table.groupby(["attack", "oracle"], sort=False)
        .agg(worst=("off", "max"), spread_of_z=("z", "std"))
        .round(4)
    )


if __name__ == "__main__":
    main()
