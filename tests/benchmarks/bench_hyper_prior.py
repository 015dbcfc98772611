"""A prior of priors learnt from public tables, against the one that is built in; leave one out.

    python -m tests.benchmarks.bench_hyper_prior [REPETITIONS [SET ...]]

How strong interactions of each order are is fitted to 16 million exactly simulated reports with little noise on columns
1 to 8 and 9 to 16 of every table; the mean over all tables but one takes the place of the imaginary sets that
CALM+ starts from (`mixtures.imagined_sets`), as heavy as they (5 sets) and four times as heavy. On the table left
out: mean SSE as a share of that with the built-in ones, same reports, k = 3, 50 queries. Sources of the tables:
README of the folder of real data.
"""

import math
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import calm_core as cc
from calm_core.inference.shrinkage import empirical_bayes, infer_plus, mixtures
from calm_core.planning.plan import make_plan
from tests.reference.exact_collection import FILES, coded, collect_exactly, measured, ratio

QUERIES, K = 50, 3
WEIGHTS = (5.0, 20.0)
BUILT_IN, FIT = mixtures.pseudo_counts, empirical_bayes.fit_mixture
# By the usual variance of an order, how often each variance of the grid is met.
Learnt = dict[float, np.ndarray]


def firsts(name: str) -> tuple[int, ...]:
    """Where the parts of a table begin: some have no columns beyond the eighth."""
    return tuple(first for first in (0, 8) if coded(name).shape[1] > first + K)


def plan_for(people: cc.Marginal, n: int, epsilon: float, rng: np.random.Generator):
    return make_plan(people.domain, n, epsilon=epsilon, k=K, theta=1e-3, rng=rng)


def strengths(people: cc.Marginal) -> Learnt:
    """Weights of the variances of every order that nearly noiseless reports tell."""
    found: Learnt = {}

    def noted(seen, *, usual, few):
        fitted = FIT(seen, usual=usual, few=few)
        # What the imaginary sets themselves put there is taken off again.
        imagined = (
            fitted.population_probabilities
            @ BUILT_IN(usual)[: len(fitted.population_probabilities)]
        )
        own = np.maximum(fitted.weights * (len(seen.first) + mixtures.PSEUDO_SETS) - imagined, 0)
        found[usual] = own / own.sum()
        return fitted

    rng = cc.stream(29, "strengths")
    empirical_bayes.fit_mixture = noted
    try:
        noisy, _ = collect_exactly(people, plan_for(people, 2**24, 4.0, rng), rng)
        infer_plus(noisy, order=K).marginal(people.domain.names[:K])
    finally:
        empirical_bayes.fit_mixture = FIT
    return found


@contextmanager
def starting_from(learnt: Learnt, weight: float) -> Iterator[None]:
    """CALM+ with other imaginary sets; of orders nothing was learnt of, the built-in ones."""
    mixtures.pseudo_counts = lambda usual: (
        weight * learnt[usual][None] if usual in learnt else BUILT_IN(usual)
    )
    try:
        yield
    finally:
        mixtures.pseudo_counts = BUILT_IN


def errors(
    people: cc.Marginal, learnt: Learnt, n: int, epsilon: float, repetition: int
) -> list[float]:
    """Mean SSE on the same reports with each weight of the learnt sets, and with the built-in ones."""
    rng = cc.stream(30, repetition, n, f"{epsilon:g}")
    noisy, truth = collect_exactly(people, plan_for(people, n, epsilon, rng), rng)
    asked = cc.choose_queries(people.domain, K, QUERIES, rng=rng)
    truths = [truth.project(query) for query in asked]

    def error() -> float:
        return float(
            np.mean(list(map(cc.sse, truths, infer_plus(noisy, order=K).marginals(asked))))
        )

    found = []
    for weight in WEIGHTS:
        with starting_from(learnt, weight):
            found.append(error())
    return [*found, error()]


def main(repetitions: int = 8, *names: str) -> None:
    names = names or tuple(FILES)
    told = {name: [strengths(measured(name, 8, first)) for first in firsts(name)] for name in names}
    print(
        "set     columns       n  eps "
        + "".join(f"  {weight:g} sets  stderr" for weight in WEIGHTS)
    )
    shares = defaultdict(list)
    for name in names:
        pooled = defaultdict(list)
        for other in set(names) - {name}:
            for found in told[other]:
                for usual, weights in found.items():
                    pooled[usual].append(weights)
        learnt = {usual: np.mean(weights, axis=0) for usual, weights in pooled.items()}
        for first in firsts(name):
            people = measured(name, 8, first)
            for n in (2**16, 2**18):
                for epsilon in (0.2, 0.5, 1.0, 2.0):
                    rows = np.array(
                        [errors(people, learnt, n, epsilon, i) for i in range(repetitions)]
                    )
                    found = [ratio(rows[:, [at, -1]]) for at in range(len(WEIGHTS))]
                    for weight, (share, _) in zip(WEIGHTS, found):
                        shares[weight].append(math.log(share))
                    line = "".join(f"  {share:6.3f}  {error:6.3f}" for share, error in found)
                    print(f"{name:7} {first + 1:7} {n:7} {epsilon:4g} {line}", flush=True)
    for weight, logs in shares.items():
        spread = np.std(logs, ddof=1) / math.sqrt(len(logs))
        print(
            f"{weight:g} sets: geometric mean {math.exp(np.mean(logs)):.4f} +- {spread:.4f}, "
            f"largest {math.exp(max(logs)):.3f}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
