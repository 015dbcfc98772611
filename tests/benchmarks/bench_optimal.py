"""`design="optimal"` against CALM's views, both with CALM+: the table of the README.

    python -m tests.benchmarks.bench_optimal [REPETITIONS [ATTRIBUTES [PEOPLE ...]]]

Shares of the mean SSE of 50 tables with their standard errors, n = 2^16. PEOPLE: sets of real data (so many columns,
8 unless said, drawn anew in each repetition, values merged to the most frequent and the others), `dense` (drawn
from a log-linear prior), or a population of `reproduce calm-plus`. Without any, the sets.
"""

import itertools
import sys

import numpy as np

import calm_core as cc
from calm_core.evaluation.optimum import DENSE
from calm_core.experiments.figures_calm_plus import POPULATIONS, population
from tests.reference.exact_collection import FILES, coded, ratio

N, QUERIES = 2**16, 50
SETTINGS = tuple(itertools.product((2, 3), (0.5, 1.0, 2.0)))


def people(name: str, d: int, repetition: int) -> cc.Dataset:
    rng = cc.stream(24, repetition, name, d)
    if name in POPULATIONS:
        return population(name, d, N, rng)
    domain = cc.Domain(tuple(f"x{i}" for i in range(d)), (2,) * d)
    if name == "dense":
        return cc.Dataset.from_codes(drawn(d, rng), domain)
    codes = coded(name)
    chosen = codes[rng.integers(0, len(codes), N)][:, rng.permutation(codes.shape[1])[:d]]
    usual = [np.bincount(column).argmax() for column in chosen.T]
    return cc.Dataset.from_codes((chosen != usual).astype(int), domain)


def drawn(d: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of people whose sets of up to three attributes all interact."""
    signs = 1 - 2 * np.array(list(itertools.product((0, 1), repeat=d)))
    score = 0.0
    for order, variance in enumerate(DENSE.variances, start=1):
        for subset in itertools.combinations(range(d), order):
            score = score + rng.normal(0, variance**0.5) * signs[:, subset].prod(axis=1)
    chances = np.exp(score - score.max())
    return (1 - signs[rng.choice(len(signs), N, p=chances / chances.sum())]) // 2


def compared(name: str, d: int, k: int, epsilon: float, repetition: int) -> list[float]:
    data = people(name, d, repetition)
    rng = cc.stream(25, repetition, name, d, k)
    asked = cc.choose_queries(data.domain, k, QUERIES, rng=rng)
    truths, errors = data.marginals(asked), []
    for design in ("optimal", "algorithm1"):
        method = cc.METHODS["calm_plus"](epsilon=epsilon, k=k, design=design)
        answer = method.release(data, rng=cc.stream(26, repetition, name, d, k, design))
        errors.append(np.mean(list(map(cc.sse, truths, answer.marginals(asked)))))
    return errors


def main(repetitions: int = 60, d: int = 8, *names: str) -> None:
    print("people  ", *(f"k = {k}, epsilon {epsilon:<4g}" for k, epsilon in SETTINGS))
    for name in names or FILES:
        print(f"{name:8}", end="", flush=True)
        for k, epsilon in SETTINGS:
            rows = [compared(name, d, k, epsilon, i) for i in range(repetitions)]
            print(" {:5.3f} +- {:5.3f}  ".format(*ratio(np.array(rows))), end="", flush=True)
        print()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
