"""Workload factorisation against CALM and CALM+ on binary tables, and against its own random start.

    python -m tests.benchmarks.bench_factor [REPETITIONS [SET ...]]

First what is known before anybody reports: the expected SSE of the search as a share of that of FT and AM, of the
paper's descent from random rows (m = 4 N outputs; the best of three). Then mean SSEs of all tables of k attributes as shares of CALM's, with
standard errors, of people drawn from the rows of each set.
"""

import math
import sys
import time

import numpy as np

import calm_core as cc
from calm_core.planning.strategy_descent import descend, project, variance
from calm_core.planning.workload import k_way
from calm_core.planning.workload_factorization import factorise
from tests.reference.exact_collection import coded, ratio

N, EPSILONS = 2**16, (0.5, 1.0, 2.0)
LINES = {
    "raw": ("factor", {}),
    "wnnls": ("factor", {"nonnegativity": "wnnls"}),
    "calm_plus": ("calm_plus", {}),
    "optimal": ("calm_plus", {"design": "optimal"}),
}


def random_start(d: int, k: int, epsilon: float, rng: np.random.Generator) -> float:
    """Where the descent ends from four random rows and their shifts: expected SSE of a table."""
    load = k_way((2,) * d, k)
    rows = rng.random((4, 2**d))
    least = np.full(4, (1 + math.exp(-epsilon)) / (2 * rows.size))
    rows = project(rows / rows.sum(), least, math.exp(epsilon))
    for _ in range(20):
        rows = descend(load, rows, epsilon)
    return variance(load, rows)[0] - load.importance.sum()


def foreseen(d: int, k: int, epsilon: float) -> None:
    domain = cc.Domain(tuple(f"a{i}" for i in range(d)), (2,) * d)
    factorise.cache_clear()
    start = time.thread_time()
    made = factorise(domain.sizes, k, epsilon)
    seconds, own = time.thread_time() - start, made.error(range(k))
    others = [
        N * cc.METHODS[name](epsilon=epsilon, k=k).analytical_sse(domain, N, domain.names[:k])
        for name in ("ft", "am")
    ]
    rng = np.random.default_rng(5)
    others.append(min(random_start(d, k, epsilon, rng) for _ in range(3)))
    shares = "  ".join(f"{own / other:6.3f}" for other in others)
    print(
        f"{d:2} {k:2} {epsilon:4g}  {own:9.2f}  {shares}  {made.rows.shape[0]:5} rows  {seconds:5.2f} s",
        flush=True,
    )


def compared(name: str, d: int, k: int, epsilon: float, repetition: int) -> list[float]:
    """Mean SSE of CALM, then of all lines; each with its own reports of the same people."""
    rng = cc.stream(23, repetition, name, d, k, f"{epsilon:g}")
    codes = coded(name)[:, :d]
    domain = cc.Domain(tuple(f"a{i}" for i in range(d)), (2,) * d)
    people = cc.Dataset.from_codes(codes[rng.integers(0, len(codes), N)], domain)
    asked = cc.choose_queries(domain, k, 56, rng=rng)
    truths = people.marginals(asked)
    errors = []
    for method, options in (("calm", {}), *LINES.values()):
        own = cc.stream(29, repetition, method)
        answer = cc.METHODS[method](epsilon=epsilon, k=k, **options).release(people, rng=own)
        errors.append(float(np.mean(list(map(cc.sse, truths, answer.marginals(asked))))))
    return errors


def main(repetitions: int = 20, *names: str) -> None:
    cases = [(d, k, epsilon) for d in (6, 8) for k in (2, 3) for epsilon in EPSILONS]
    print(" d  k  eps  n x SSE    / FT    / AM  / random")
    for case in cases:
        foreseen(*case)
    print("set      d  k  eps" + "".join(f"{line:>18}" for line in LINES))
    for name in names or ("nltcs", "msnbc"):
        for case in cases:
            rows = np.array([compared(name, *case, i) for i in range(repetitions)])
            found = [ratio(rows[:, [i, 0]]) for i in range(1, rows.shape[1])]
            told = "".join(f"{share:9.3f} +- {error:5.3f}" for share, error in found)
            print(f"{name:7} {case[0]:2} {case[1]:2} {case[2]:4g}{told}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, *sys.argv[2:])
