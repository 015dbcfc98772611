"""CALM+ where it was weak: the ratio to CALM's error, and which cells 95% intervals hold.

    python -m tests.benchmarks.bench_weak_populations [REPETITIONS] [--random SETTINGS]

For every population: the ratio of the mean SSEs over all sets of k attributes, the shares of intervals that hold the
largest, second, median and rarest cell, and all cells, and the mean half-length of all intervals in points; first of
single attributes, then of sets of k. Standard errors are over repetitions. With --random the five worst ratios of settings
drawn at random, and the same shares over all of them, with standard errors over settings.
"""

import itertools
import math
import sys
from collections import defaultdict

import numpy as np

import calm_core as cc
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.planning.plan import make_plan
from tests.reference.exact_collection import collect_exactly, ratio
from tests.reference.populations import WEAK, random_setting

CLASSES = ("largest", "second", "median", "rarest", "all")
LENGTH = "half-length"
MAX_QUERIES = 12


def measure(people: cc.Marginal, n: int, k: int, epsilon: float, repetitions: int, seed=0):
    """Errors of CALM+ and CALM, a row per repetition, and what intervals held in each, by 1 or k and class."""
    rows, held = [], defaultdict(list)
    k = min(k, people.domain.d)
    sets = list(itertools.combinations(people.domain.names, k))
    for repetition in range(repetitions):
        rng = cc.stream(45, seed, repetition)
        plan = make_plan(people.domain, n, epsilon=epsilon, k=k, theta=1e-3, rng=rng)
        noisy, truth = collect_exactly(people, plan, rng)
        chosen = [sets[i] for i in rng.permutation(len(sets))[:MAX_QUERIES]]
        plus, truths = infer_plus(noisy, order=k), [truth.project(query) for query in chosen]
        rows.append([
            np.mean(list(map(cc.sse, truths, answer.marginals(chosen)))) for answer in (plus, plus.views)
        ])  # fmt: skip
        alone = [("single", (name,)) for name in people.domain.names]
        found = defaultdict(list)
        for kind, query in (*alone, *(("k", query) for query in chosen)):
            true, (low, high) = truth.project(query).values.ravel(), plus.interval(query)
            inside = (true >= low.ravel() - 1e-12) & (true <= high.ravel() + 1e-12)
            order = np.argsort(-true, kind="stable")
            for name, at in zip(CLASSES, (order[0], order[1], order[len(order) // 2], order[-1])):
                found[kind, name].append(inside[at])
            found[kind, "all"].append(inside.mean())
            found[kind, LENGTH].append(50 * (high - low).mean())
        for key, values in found.items():
            held[key].append(np.mean(values))
    return np.array(rows), held


def show(name: str, found: tuple[float, float], held) -> None:
    """One row of the table."""
    parts = (
        " ".join(
            f"{np.mean(held[kind, one]):.3f}±{error(held[kind, one]):.3f}"
            for one in (*CLASSES, LENGTH)
        )
        for kind in ("single", "k")
    )
    print(f"{name:28} {found[0]:6.3f} ± {found[1]:.3f}  |  " + "  |  ".join(parts), flush=True)


def error(values) -> float:
    """Standard error of a mean."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def main(*arguments: str) -> None:
    repetitions = int(arguments[0]) if arguments and arguments[0].isdigit() else 20
    print(f"{'':28} CALM+/CALM      |  single: {' '.join((*CLASSES, LENGTH))}  |  k: the same")
    if "--random" not in arguments:
        for name, (people, n, k, epsilon) in WEAK.items():
            rows, held = measure(people(), n, k, epsilon, repetitions)
            show(name, ratio(rows), held)
        return
    every, logs, worst = defaultdict(list), [], []
    for seed in range(int(arguments[arguments.index("--random") + 1])):
        people, n, k, epsilon = random_setting(np.random.default_rng(seed))
        rows, held = measure(people, n, k, epsilon, repetitions, seed)
        found = ratio(rows)
        logs.append(math.log(found[0]))
        what = f"{seed}: {people.domain.sizes} 2^{math.log2(n):.0f} {k} {epsilon:.1f}"
        worst = sorted([*worst, (*found, what, held)], key=lambda one: -one[0])[:5]
        for key, values in held.items():
            every[key].append(np.mean(values))
    for *found, what, held in worst:
        show(what, (found[0], found[1]), held)
    show("geometric mean", (math.exp(np.mean(logs)), np.std(logs) / math.sqrt(len(logs))), every)


if __name__ == "__main__":
    main(*sys.argv[1:])
