"""Measured gains against their formulas over epsilon, cells and number of people.

    python -m tests.benchmarks.bench_attacks [--people 50000]

Every row is an oracle with a skewed and an even population; `ratio` is the gain over the formula, `z` their difference in
standard errors. Last, which share of people who move to another cell halfway is found at 5% false alarms, by the
likelihood ratio of all reports: the attacker knows the day, and not whether, nor from and to which cell.
"""

import argparse
from itertools import product

import numpy as np
import pandas as pd

from calm_core.attacks import ATTACKS
from calm_core.attacks.daily_reports import Fresh, Loloha, Memoized, Rappor
from calm_core.oracles import GRR, ORACLES, OUE
from calm_core.planning.plan import make_plan
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain

EPSILONS, SHAPES, SIZES = (0.5, 1.0, 2.0, 4.0), ((2, 2), (4, 4), (8, 8)), (2_000, 50_000)
SETTINGS = {"one-person": {}, "asked-again": {"days": 5}, "re-identification": {}}


PEOPLE, ALARMS = 20_000, 0.05


def _mix_halves(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The mean over two different cells of the product of their likelihoods (n, L) in the two halves."""
    cells = first.shape[1]
    both = first.sum(axis=1) * second.sum(axis=1) - (first * second).sum(axis=1)
    return both / (cells * (cells - 1))


def score_fresh(way: Fresh, cells: np.ndarray, days: int, rng) -> np.ndarray:
    """The likelihood ratio of a move, (n,), from fresh reports by people with these cells (2, n) in the two halves."""
    halves = [np.exp(list(way.log_odds(half, days, rng=rng))[-1]) for half in cells]
    return _mix_halves(*halves) / (halves[0] * halves[1]).mean(axis=1)


def score_memoized(way: Memoized, cells: np.ndarray, days: int, rng) -> np.ndarray:
    """The same from memoized reports: infinite where they differ."""
    first, other = (way.oracle.perturb(half, rng=rng) for half in cells)
    differ = (first != other).reshape(len(first), -1).any(axis=1)
    return np.where((cells[0] != cells[1]) & differ, np.inf, 0.0)


def score_rappor(way: Rappor, cells: np.ndarray, days: int, rng) -> np.ndarray:
    """The same from two rounds on bits; a cell that comes anew has a new permanent report."""
    own = cells[:, :, np.newaxis] == np.arange(way.size)
    bits = (rng.random(own.shape) < way.permanent) == own
    bits[1] = np.where((cells[0] == cells[1])[:, np.newaxis], bits[0], bits[1])
    ones = rng.binomial(days, np.where(bits, way.daily, 1 - way.daily))
    # Of every bit, over its permanent report: of the two halves apart, and of both.
    odds = (2 * ones - days) * np.log(way.daily / (1 - way.daily))
    apart, together = np.exp(odds), np.exp(odds.sum(axis=0))
    keep = way.permanent

    def ratios(one: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        other = (1 - keep) * one + keep
        return (keep * one + 1 - keep) / other, np.log(other).sum(axis=-1)

    (moved, rest), (stayed, rest_both) = ratios(apart), ratios(together)
    return np.exp(rest.sum(axis=0) - rest_both) * _mix_halves(*moved) / stayed.mean(axis=1)


def score_loloha(way: Loloha, cells: np.ndarray, days: int, rng) -> np.ndarray:
    """The same from two rounds on a hash; cells with the same hash share a permanent report."""
    permanent, daily = way._rounds(way.buckets)
    people = np.arange(cells.shape[1])
    hashes = rng.integers(way.buckets, size=(len(people), way.size))
    kept = np.array([permanent.perturb(hashes[people, half], rng=rng) for half in cells])
    same = hashes[people, cells[0]] == hashes[people, cells[1]]
    kept[1] = np.where(same, kept[0], kept[1])
    chances = daily.q + daily.gap * np.eye(way.buckets)[kept]
    sent = np.exp(daily.epsilon * (rng.multinomial(days, chances) - days))

    def likelihoods(one: np.ndarray) -> np.ndarray:
        values = permanent.q * one.sum(axis=1, keepdims=True) + permanent.gap * one
        return np.take_along_axis(values, hashes, axis=1)

    first, second, both = (likelihoods(one) for one in (*sent, sent[0] * sent[1]))
    alike = hashes[:, :, np.newaxis] == hashes[:, np.newaxis]
    pairs = np.where(alike, both[:, :, np.newaxis], first[:, :, np.newaxis] * second[:, np.newaxis])
    different = way.size * (way.size - 1)
    moved = (pairs.sum(axis=(1, 2)) - both.sum(axis=1)) / different
    return moved / both.mean(axis=1)


def measure_moves() -> None:
    """Print the share of moves found, and its standard error, in people of 100."""
    for size, epsilon in product((4, 16), (1.0, 2.0, 4.0)):
        ways = [
            (score_fresh, Fresh(GRR(epsilon, size))), (score_memoized, Memoized(GRR(epsilon, size))),
            (score_memoized, Memoized(OUE(epsilon, size))), (score_rappor, Rappor(epsilon, size, 0.5)),
            (score_loloha, Loloha(epsilon, size, 0.5)),
        ]  # fmt: skip
        for score, way in ways:
            found = []
            for days in (1, 5, 15, 50):
                rng = stream(1, "moves", size, int(epsilon), way.name, days)
                cells = rng.integers(size, size=PEOPLE)
                other = (cells + rng.integers(1, size, size=PEOPLE)) % size
                scores = np.concatenate([
                    score(way, np.array(both), days, rng) for both in ((cells, cells), (cells, other))
                ])  # fmt: skip
                # Equal scores are put in a random order.
                rank = np.lexsort((rng.random(2 * PEOPLE), scores)).argsort()
                limit = np.quantile(rank[:PEOPLE], 1 - ALARMS)
                share = float((rank[PEOPLE:] > limit).mean())
                error = np.sqrt((share * (1 - share) + ALARMS * (1 - ALARMS)) / PEOPLE)
                found.append(f"{100 * share:.1f} +-{100 * error:.1f}")
            oracle = f" {way.oracle.name}" if isinstance(way, Fresh) else ""
            print(size, f"{epsilon:g}", way.name + oracle, *found, sep=" | ", flush=True)


def main() -> None:
    """Print a row per attack, epsilon, cells and oracle, and the worst of each attack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50_000, help="simulated people")
    simulated = parser.parse_args().people
    rows = []
    for name, epsilon, shape, n, oracle in product(SETTINGS, EPSILONS, SHAPES, SIZES, ORACLES):
        rng = stream(1, name, int(10 * epsilon), *shape, n, oracle)
        domain = Domain(("a", "b"), shape)
        people = Dataset.from_codes((rng.random((n, 2)) ** 2 * shape).astype(int), domain)
        plan = make_plan(domain, n, epsilon=epsilon, k=2, rng=rng, oracle=oracle, l=2, m=1)
        found = ATTACKS[name](people=simulated, **SETTINGS[name]).run(plan, people, rng=rng)
        rows.append({
            "attack": name, "epsilon": epsilon, "cells": domain.cells_of(domain.names), "n": n, "oracle": oracle,
            "gain": found.gain, "formula": found.bound, "ratio": found.gain / found.bound,
            "z": (found.gain - found.bound) / found.standard_error,
        })  # fmt: skip
    table = pd.DataFrame(rows)
    print(table.to_string(index=False, float_format="{:.4g}".format))
    table["off"] = (table["ratio"] - 1).abs()
    print(
        table.groupby(["attack", "oracle"], sort=False)
        .agg(worst=("off", "max"), spread_of_z=("z", "std"))
        .round(4)
    )
    print("cells eps way: moves found after 2, 10, 30 and 100 days")
    measure_moves()


if __name__ == "__main__":
    main()
