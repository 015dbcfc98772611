"""Random ranges on six ordered attributes of 32 to 64 values: errors of HDG beside those of others.

    python -m tests.benchmarks.bench_ranges [K [METHODS [QUERIES [REPETITIONS]]]]

A million people with correlated normal numbers, of whom every repetition draws 100,000.
"""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd

import calm_core as cc
from calm_core.experiments.figure import Settings
from calm_core.experiments.figures_ranges import range_errors, range_findings

SIZES = (32, 40, 48, 56, 64, 64)


def people(n: int = 1_000_000) -> cc.Dataset:
    """Numbers of covariance 0.8, in equal steps from 4 standard deviations below the mean to 4 above."""
    rng = np.random.default_rng(11)
    shared, own = rng.standard_normal((n, 1)), rng.standard_normal((n, len(SIZES)))
    part = ((0.8**0.5 * shared + 0.2**0.5 * own) / 4 + 1) / 2
    codes = np.clip(part * SIZES, 0, np.array(SIZES) - 1).astype(int)
    return cc.Dataset(codes, cc.Domain(tuple("abcdef"), SIZES))


def main(k: str = "2", methods: str = "hdg,calm,uni", queries: str = "50", repetitions: str = "20"):
    """Print both errors with their standard errors."""
    asked = Settings(
        people(), "normal, 32 to 64 values", epsilons=(0.5, 1.0, 2.0), ks=(int(k),), ns=(100_000,),
        methods=methods, repetitions=1, queries=int(queries),
    )  # fmt: skip
    parts = [
        range_errors(replace(asked, seed=100 + i)).assign(repetition=i)
        for i in range(int(repetitions))
    ]
    for name, error in range_findings(pd.concat(parts), asked).items():
        print(f"{name}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
