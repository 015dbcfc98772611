"""CALM+ against CALM in time, and against private-pgm in error where that is installed.

    python -m tests.benchmarks.bench_calm_plus [FILE ...]

Times are the best of several runs of everything after collection, 50 queries of k = 3: the ratio
is what counts. The errors are those of the very same noisy views: mean SSE over 50 queries, as a
share of CALM's, of generated populations and of the data sets in the given files (their first 8
attributes, merged to at most 3 values).
"""

import sys
import time
from functools import cache

import numpy as np

import calm_core as cc
from calm_core.evaluation.run import use_rows
from calm_core.experiments.figures_calm_plus import POPULATIONS, population
from calm_core.ingest.encode import load_dataset
from calm_core.ingest.populations import make_population
from calm_core.methods.private_pgm import IS_INSTALLED, PrivatePgm

TIMED = (
    ((2,) * 8, 1.0, 2**16), ((2,) * 16, 1.0, 2**16), ((2,) * 16, 2.0, 2**18),
    ((3,) * 16, 1.0, 2**18), ((2,) * 32, 2.0, 2**18), ((2, 3, 4, 5) * 4, 1.0, 2**18),
    ((3, 5, 7, 30, 4, 12, 9, 20, 6), 1.0, 2**16), ((3, 5, 7, 30, 4, 12, 9, 20, 6), 4.0, 2**16),
)  # fmt: skip
RUNS = 5
EPSILONS, REPEATS, ATTRIBUTES = (0.2, 0.5, 1.0, 2.0), 5, 8


def least(run) -> float:
    """Best time of several runs, in milliseconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def time_table() -> None:
    print("sizes            eps      n   l    m   CALM ms  CALM+ ms  ratio")
    for sizes, epsilon, n in TIMED:
        rng = np.random.default_rng(1)
        data = make_population(kind="chain", d=len(sizes), sizes=sizes, n=n, rng=rng)
        answer = cc.METHODS["calm_plus"](epsilon=epsilon, k=3).release(data, rng=rng)
        queries = cc.choose_queries(data.domain, 3, 50, rng=rng)
        calm = least(lambda a=answer, q=queries: cc.make_consistent(a.noisy).marginals(q))
        plus = least(lambda a=answer, q=queries: cc.infer_plus(a.noisy, order=3).marginals(q))
        shape = f"{len(sizes)} of {min(sizes)}-{max(sizes)}"
        print(
            f"{shape:14} {epsilon:5g} {n:8} {answer.plan.l:3} {answer.plan.m:4} "
            f"{calm:9.1f} {plus:9.1f} {plus / calm:6.2f}"
        )


@cache
def table(name: str) -> cc.Dataset:
    """The data in a file, read once for all its settings."""
    return load_dataset(name, d=ATTRIBUTES, max_values=3).dataset


def people(name: str, n: int, repetition: int) -> cc.Dataset:
    """n users of a generated population or of the data in a file."""
    if name in POPULATIONS:
        return population(name, ATTRIBUTES, n, cc.stream(1, repetition, name))
    return use_rows(table(name), n, 1, repetition)


def error_table(files: list[str]) -> None:
    print("data                   n  eps   CALM+  private-pgm")
    everything = []
    for name in (*POPULATIONS, *files):
        ratios = []
        for n in (2**16, 2**18):
            for epsilon in EPSILONS:
                total = np.zeros(3)
                for repetition in range(REPEATS):
                    data, rng = people(name, n, repetition), cc.stream(1, repetition, name, n)
                    answer = cc.METHODS["calm_plus"](epsilon=epsilon, k=3).release(data, rng=rng)
                    queries = cc.choose_queries(data.domain, 3, 50, rng=rng)
                    truths = data.marginals(queries)
                    found = (
                        answer.views.marginals(queries),
                        answer.marginals(queries),
                        PrivatePgm(epsilon=epsilon, k=3).infer(answer.noisy).marginals(queries),
                    )
                    total += [np.mean(list(map(cc.sse, truths, tables))) for tables in found]
                ratios.append(total[1:] / total[0])
                print(
                    f"{name[-15:]:15} {n:8} {epsilon:4g}  {ratios[-1][0]:6.3f}  {ratios[-1][1]:6.3f}"
                )
        print(f"{name[-15:]:15} geometric mean ", *np.exp(np.log(ratios).mean(axis=0)).round(3))
        everything += ratios
    print("geometric mean of all", *np.exp(np.log(everything).mean(axis=0)).round(3))


if __name__ == "__main__":
    time_table()
    if IS_INSTALLED:
        error_table(sys.argv[1:])
    else:
        print("private-pgm (mbi) is not installed: no comparison of errors")
