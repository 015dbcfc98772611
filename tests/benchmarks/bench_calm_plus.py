"""CALM+ against CALM in time, and against private-pgm in error where that is installed.

    python -m tests.benchmarks.bench_calm_plus

Times are the best of several runs of everything after collection, 50 queries of k = 3: the ratio
is what counts. The errors are those of the very same noisy views: mean SSE over 50 queries, as a
share of CALM's.
"""

import importlib.util
import math
import time
import warnings

import numpy as np

import calm_core as cc
from calm_core.experiments.calm_plus import POPULATIONS, population
from calm_core.ingest.populations import make_population

TIMED = (
    ((2,) * 8, 1.0, 2**16), ((2,) * 16, 1.0, 2**16), ((2,) * 16, 2.0, 2**18),
    ((3,) * 16, 1.0, 2**18), ((2,) * 32, 2.0, 2**18), ((2, 3, 4, 5) * 4, 1.0, 2**18),
)  # fmt: skip
RUNS = 5
EPSILONS, REPEATS, PGM_STEPS = (0.2, 0.5, 1.0, 2.0), 5, 3000


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


def private_pgm(noisy, queries) -> list[np.ndarray]:
    """The graphical model of private-pgm, fitted to the noisy views by mirror descent."""
    import jax
    import mbi

    jax.config.update("jax_enable_x64", True)
    domain = mbi.Domain(noisy.domain.names, noisy.domain.sizes)
    measured = [
        mbi.LinearMeasurement(table.values.ravel(), table.attrs, stddev=math.sqrt(variance))
        for table, variance in zip(noisy.tables, noisy.contrast_variances)
    ]
    model = mbi.estimation.MirrorDescent().estimate(
        domain, measured, known_total=1.0, iters=PGM_STEPS
    )
    return [np.asarray(model.project(query).datavector()) for query in queries]


def error_table() -> None:
    print("data        d  eps   CALM+  private-pgm")
    ratios = []
    for name in POPULATIONS:
        for epsilon in EPSILONS:
            total = np.zeros(3)
            for repetition in range(REPEATS):
                rng = cc.stream(1, repetition, name)
                data = population(name, 8, 2**16, rng)
                answer = cc.METHODS["calm_plus"](epsilon=epsilon, k=3).release(data, rng=rng)
                queries = cc.choose_queries(data.domain, 3, 50, rng=rng)
                truths = [data.marginal(query).values.ravel() for query in queries]
                found = (
                    [table.values.ravel() for table in answer.views.marginals(queries)],
                    [table.values.ravel() for table in answer.marginals(queries)],
                    private_pgm(answer.noisy, queries),
                )
                total += [np.mean([((t - a) ** 2).sum() for t, a in zip(truths, tables)])
                          for tables in found]  # fmt: skip
            ratios.append(total[1:] / total[0])
            print(f"{name:10} {8:2} {epsilon:4g}  {ratios[-1][0]:6.3f}  {ratios[-1][1]:6.3f}")
    print("geometric mean  ", *np.exp(np.log(ratios).mean(axis=0)).round(3))


if __name__ == "__main__":
    time_table()
    if importlib.util.find_spec("mbi"):
        warnings.filterwarnings("ignore", module="mbi")
        error_table()
    else:
        print("private-pgm (mbi) is not installed: no comparison of errors")
