"""Methods and experiments: `python -m tests.benchmarks.bench_methods [folder of real data]`.

Prints what the methods have to show: FT's published check value, the grid of 6 methods x 10 epsilons
x 20 repetitions x 50 queries in time, and CALM below FT at small epsilon on every data set.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

import calm_core as cc
from calm_core.experiments import ExperimentSpec, compare, summarize
from calm_core.experiments.figure import EPSILONS
from calm_core.ingest import load_dataset
from calm_core.ingest.populations import make_population
from calm_core.methods import make_method

LIMIT_SECONDS = 60


def check_value() -> None:
    """FT at d = 16, k = 3, epsilon = 0.2, n = 2^18 has an exact SSE of 0.234."""
    data = make_population(kind="factor", d=16, n=2**18, rng=np.random.default_rng(1))
    spec = ExperimentSpec(data, ("ft", "calm", "uni"), (0.2,), repetitions=20)
    for row in summarize(compare(spec, jobs=2)).itertuples():
        print(f"d 16, k 3, epsilon 0.2, n 2^18: {row.method:<5} SSE {row.mean:.4f} +- {row.sd:.4f}")
    formula = make_method("ft", epsilon=0.2, k=3).analytical_sse(
        data.domain, data.n, data.domain.names[:3]
    )
    print(f"{'':32}ft by formula {formula:.4f}, to be within 10% of 0.234")


def grid(repetitions: int = 20) -> None:
    """The whole grid at d = 8, k = 3, n = 2^16 on two cores; EM on its own line."""
    data = make_population(kind="chain", d=8, n=2**17, rng=np.random.default_rng(1))
    shared = {"epsilons": EPSILONS, "ns": (2**16,), "repetitions": repetitions, "queries": 50}
    for methods in (("calm", "fc", "am", "ft", "uni", "calm_binary"), ("em",)):
        spec = ExperimentSpec(data, methods, **shared)
        began, before = time.perf_counter(), sum(os.times()[:4])
        table = compare(spec, jobs=2)
        spent, cpu = time.perf_counter() - began, sum(os.times()[:4]) - before
        print(
            f"{', '.join(methods)}: 10 epsilons x {repetitions} repetitions x 50 queries, {len(table):,} rows: "
            f"{spent:.1f} s ({spent / LIMIT_SECONDS:.2f} of the limit); {cpu:.1f} s of CPU, workers "
            f"included, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        )


def data_sets(folder: Path) -> dict[str, cc.Dataset]:
    """Every real data set with at most 3 values per attribute, as in the paper's experiments."""
    found = {}
    for path in sorted(folder.glob("*.*")):
        if path.suffix in (".parquet", ".gz", ".csv", ".dat"):
            found[path.name] = load_dataset(path, max_values=3).dataset
    return found


def calm_against_ft(folder: Path) -> None:
    """Mean SSE at small epsilon, and how many times FT's is CALM's."""
    for name, data in data_sets(folder).items():
        for d in (8, 16):
            if d > data.domain.d:
                continue
            spec = ExperimentSpec(
                data, ("calm", "ft", "uni"), (0.2, 0.4, 1.0, 2.0), ds=(d,), ns=(2**16, 2**18),
                repetitions=5, queries=50,
            )  # fmt: skip
            means = summarize(compare(spec, jobs=2)).pivot(
                index=["n", "epsilon"], columns="method", values="mean"
            )
            for (n, epsilon), row in means.iterrows():
                ratio = row.get("ft", float("nan")) / row["calm"]
                print(
                    f"{name:<18} d {d:>2}  n {n:>7,}  epsilon {epsilon:<4}"
                    f"CALM {row['calm']:.5f}  FT {row.get('ft', float('nan')):.5f}"
                    f"  Uni {row['uni']:.5f}  FT / CALM {ratio:.1f}"
                )


def main() -> None:
    """Print all lines."""
    check_value()
    grid()
    if len(sys.argv) > 1:
        calm_against_ft(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
