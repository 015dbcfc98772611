"""Liars on a plan for a real table: what they gain by oracle and defense, and what the defenses cost.

    python -m tests.benchmarks.bench_liars [REPETITIONS [ATTRIBUTES [VIEW_SIZE]]]

The first attributes of Adult, rare values merged to at most 3 in all. Gains in people of 100 for 1, 5 and 10
liars of 100, with the largest standard error; then, by oracle, what the defenses cost without liars, in percent of CALM's
squared error; then which share of the liars of one view is found, by the share of honest people suspected; last what 5
liars of 100 add to a view of 27 cells if they keep below the alarm of a defense.
"""

import sys
from itertools import product

import numpy as np
import pandas as pd

import calm_core as cc
from calm_core.attacks.liar_defenses import (
    find_watched_cells,
    support_laws,
    weigh_by_count,
    weigh_by_pattern,
)
from calm_core.attacks.liars import ESTIMATES, SHARES, Liars, craft_reports
from calm_core.oracles import OLH, ORACLES, OUE, SubsetSelection
from calm_core.planning.plan import make_plan
from tests.reference.exact_collection import load_codes

EPSILONS = (0.5, 1.0, 2.0, 4.0)
KINDS = ("maximal", "adaptive")
# Whose reports of one view have a pattern.
VIEW_ORACLES = OUE, OLH, SubsetSelection


def run_attack(d: int, size: int, oracle: str, epsilon: float, repetitions: int) -> pd.DataFrame:
    """The tables of all kinds of liars who push the rarest cell of the first two attributes."""
    codes = load_codes("adult")[:, :d]
    domain = cc.Domain(tuple("abcdefgh"[:d]), tuple(int(most) + 1 for most in codes.max(axis=0)))
    people = cc.Dataset.from_codes(codes, domain)
    rng = cc.stream(23, "liars", oracle, f"{epsilon:g}", size)
    plan = make_plan(domain, people.n, epsilon=epsilon, k=2, l=size, oracle=oracle, rng=rng)
    rarest = people.marginal(("a", "b")).values
    target = dict(zip("ab", map(int, np.unravel_index(rarest.argmin(), rarest.shape))))
    tables = [
        Liars(kind=kind, target=target, repetitions=repetitions).run(plan, people, rng=rng).table
        for kind in KINDS
    ]
    return pd.concat(tables)


def found_liars(oracle, kind: str, *, n: int = 20_000, share: float = 0.05) -> list[float]:
    """Share of the liars found if 1, 5 and 10% of the honest people are suspected: by count, then by pattern."""
    rng = cc.stream(23, "roc", oracle.name, f"{oracle.epsilon:g}", kind)
    groups, lying = find_watched_cells((3, 3, 3)), round(share * n)
    honest = oracle.perturb(rng.integers(27, size=n - lying), rng=rng)
    lies = craft_reports(oracle, [0, 1, 2], lying, kind=kind, rng=rng)
    supports = oracle.supports(np.concatenate([honest, lies]))
    # How many times too frequent the number of cells is that a report supports.
    numbers, (law, _) = supports.sum(axis=1), support_laws(oracle, oracle.size)
    excess = np.bincount(numbers, minlength=len(law)) / np.maximum(n * law, 1e-9)
    found = []
    for scores in (
        excess[numbers],
        1 - weigh_by_pattern(oracle, supports, groups),
    ):
        # Equal scores are put in a random order.
        scores = scores + 1e-9 * rng.random(n)
        for alarms in (0.01, 0.05, 0.1):
            limit = np.quantile(scores[: n - lying], 1 - alarms)
            found.append(float((scores[n - lying :] > limit).mean()))
    return found


DEFENSES = {
    "Diffstats": weigh_by_count,
    "pattern": lambda oracle, supports: weigh_by_pattern(
        oracle, supports, find_watched_cells((3, 3, 3))
    ),
}


def draw_gains(oracle, shares: list[float], repetitions: int, rng, *, n=20_000, lying=1000):
    """What liars add to a view with each defense, and how often it weighs reports; shape (2, repetitions, shares, defenses).

    Of the liars these shares send `maximal` reports, the others `adaptive` ones.
    """
    cells, found = [0, 1, 2], np.zeros((2, repetitions, len(shares), len(DEFENSES)))
    for repetition in range(repetitions):
        honest = oracle.supports(oracle.perturb(rng.integers(27, size=n), rng=rng))
        maximal, adaptive = (
            oracle.supports(craft_reports(oracle, cells, lying, kind=kind, rng=rng))
            for kind in KINDS
        )
        before = oracle.estimate(honest.sum(axis=0), n)[cells].sum()
        for i, share in enumerate(shares):
            bold = round(share * lying)
            supports = np.concatenate([maximal[:bold], adaptive[bold:], honest[lying:]])
            for j, weigh in enumerate(DEFENSES.values()):
                weights = weigh(oracle, supports)
                after = oracle.estimate(weights @ supports, weights.sum())[cells].sum()
                found[:, repetition, i, j] = after - before, weights.min() < 1
    return found


def find_best_mixes(oracle, repetitions: int = 20):
    """For each defense the share of `maximal` reports that adds most, and with it, and with none, the gain and its standard error."""
    rng, shares = cc.stream(23, "below", oracle.name, f"{oracle.epsilon:g}"), np.linspace(0, 1, 26)
    best = draw_gains(oracle, shares, repetitions, rng)[0].mean(axis=0).argmax(axis=0)
    # Measured anew, because the largest of several means is too large.
    gains, alarms = draw_gains(oracle, [0.0, *shares[best]], repetitions, rng)
    for j, name in enumerate(DEFENSES):
        columns = [gains[:, i, j] for i in (0, j + 1)]
        numbers = [(100 * c.mean(), 100 * c.std(ddof=1) / repetitions**0.5) for c in columns]
        yield name, shares[best[j]], *numbers, alarms[:, j + 1, j].mean()


def show(*cells: object) -> None:
    print(*cells, sep=" | ", flush=True)


def main(repetitions: int = 5, d: int = 6, size: int = 3) -> None:
    show("kind oracle eps, then gains at", SHARES, "formula", *ESTIMATES)
    for oracle in ORACLES:
        for epsilon in EPSILONS:
            table = run_attack(d, size, oracle, epsilon, repetitions)
            for kind, rows in table.groupby("kind", sort=False):
                gains = rows.pivot(index="share", columns="estimate", values="gain")
                formula = rows.groupby("share").formula.first()
                told = [formula, *(gains[name] for name in ESTIMATES)]
                cells = [" / ".join(f"{100 * gain:.1f}" for gain in column) for column in told]
                error = f"{100 * rows.standard_error.max():.1f}"
                show(kind, oracle, f"{epsilon:g}", *cells, f"+-{error}")
            costs = table.groupby("estimate").loss.mean()
            cells = [f"{name} {100 * costs[name]:.1f}" for name in ESTIMATES]
            show("cost", oracle, f"{epsilon:g}", *cells)
    show("found at 1, 5, 10% false alarms by count, and by pattern")
    for kind, oracle, epsilon in product(("maximal", "padded", "adaptive"), VIEW_ORACLES, EPSILONS):
        found = found_liars(oracle(epsilon, 27), kind)
        show(kind, oracle.name, f"{epsilon:g}", *(f"{100 * one:.0f}" for one in found))
    show("oracle eps defense: maximal share, gain of adaptive ones, of the mix, share of alarms")
    for oracle, epsilon in product(VIEW_ORACLES, EPSILONS):
        for name, share, adaptive, mixed, alarms in find_best_mixes(oracle(epsilon, 27)):
            gains = (f"{gain:.2f} +-{error:.2f}" for gain, error in (adaptive, mixed))
            numbers = f"{100 * share:.0f}%", *gains, f"{100 * alarms:.0f}%"
            show(oracle.name, f"{epsilon:g}", name, *numbers)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
