"""Stacked against CALM+ and CALM on real tables: their errors on the same reports.

    python -m tests.benchmarks.bench_stacked [REPETITIONS [ATTRIBUTES [SET ...]]]

Mean SSEs of 50 tables of three attributes as shares with their standard errors, and the share of true
cells inside 95% intervals: first attributes of each table (16 unless said), people drawn from its rows,
rare values merged to at most 3 in all.
"""

import sys

import numpy as np

import calm_core as cc
from tests.reference.exact_collection import FILES, load_codes, ratio

QUERIES, COVERED = 50, 6


def compared(name: str, d: int, n: int, epsilon: float, repetition: int) -> tuple[float, ...]:
    """Mean SSE of Stacked, CALM+ and CALM on the same reports, and the coverage of Stacked."""
    rng = cc.stream(19, repetition, name, n, f"{epsilon:g}")
    codes = load_codes(name)[:, :d]
    sizes = tuple(int(size) for size in codes.max(axis=0) + 1)
    domain = cc.Domain(tuple("abcdefghijklmnopqrstuvwxyz"[: len(sizes)]), sizes)
    people = cc.Dataset.from_codes(codes[rng.integers(0, len(codes), n)], domain)
    answer = cc.METHODS["stacked"](epsilon=epsilon, k=3).release(people, rng=rng)
    asked = cc.choose_queries(domain, 3, QUERIES, rng=rng)
    truths = people.marginals(asked)
    inside = []
    for query, truth in zip(asked[:COVERED], truths):
        low, high = answer.interval(query)
        inside.append(((truth.values >= low - 1e-12) & (truth.values <= high + 1e-12)).mean())
    members = (answer, answer.inferred.members.plus, answer.views)
    errors = (np.mean(list(map(cc.sse, truths, one.marginals(asked)))) for one in members)
    return (*errors, float(np.mean(inside)))


def main(repetitions: int = 20, d: int = 16, *names: str) -> None:
    print("set           n  eps  / CALM+  stderr   / CALM  stderr  coverage")
    shares = []
    for name in names or FILES:
        for n in (2**16, 2**18):
            for epsilon in (0.2, 0.5, 1.0, 2.0):
                rows = np.array([compared(name, d, n, epsilon, i) for i in range(repetitions)])
                found = [ratio(rows[:, [0, other]]) for other in (1, 2)]
                shares.append([share for share, _ in found])
                told = "  ".join(f"{share:7.3f}  {error:6.3f}" for share, error in found)
                print(f"{name:7} {n:7} {epsilon:4g}  {told}  {rows[:, 3].mean():8.3f}", flush=True)
    print("geometric means", *np.exp(np.log(shares).mean(axis=0)).round(3))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
