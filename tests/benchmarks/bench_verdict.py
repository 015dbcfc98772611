"""How often "Differences above x points are real" is true, for tables and settings that nobody chose.

    python -m tests.benchmarks.bench_verdict --repeats 400

As on the pages, x comes from 20 repeats (`real_difference`). The sentence is true in a repeat where every two cells
that differ by more than x, as reconstructed, differ in the same direction in truth. Repeats are taken 20 at a time: x
from some, the check on the 20 after them.
"""

import argparse
from collections.abc import Iterator

import numpy as np

import calm_core as cc
from calm_core.evaluation.metrics import real_difference
from calm_core.evaluation.run import repeat_release
from calm_core.ingest.samples import SAMPLES, load_sample
from calm_core.methods import make_method
from calm_core.tables.dataset import Dataset
from tests.reference.exact_collection import load_codes

AT_ONCE = 20
# Larger tables have no such sentence.
MAX_CELLS = 128
SETTINGS = ((0.2, 2), (0.5, 1), (0.5, 3), (1.0, 2), (1.0, 3), (1.0, 4), (2.0, 2), (4.0, 3))


def load_people(name: str) -> Dataset:
    """A sample, or eight columns of a real table with at most three values each."""
    if name in SAMPLES:
        return load_sample(name, d=8).dataset
    codes = load_codes(name, 3)[:, :8]
    sizes = tuple(np.maximum(codes.max(axis=0) + 1, 2).tolist())
    return Dataset.from_codes(codes, cc.Domain(tuple("abcdefgh"[: len(sizes)]), sizes))


def is_true(real: float, shares: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether the sentence is true in each repeat; `shares` has shape (repeats, cells)."""
    i, j = np.triu_indices(truth.size, 1)
    shown, true = shares[:, i] - shares[:, j], truth[i] - truth[j]
    return ~((np.abs(shown) > real) & (shown * true <= 0)).any(axis=1)


def measure(repeats: int) -> Iterator[tuple[str, str, float, int, float]]:
    """Yield data, setting, mean x, cells, and the share of repeats in which the sentence was true."""
    for name in ("survey", "browsing", "adult", "nltcs"):
        people = load_people(name)
        for epsilon, k in SETTINGS:
            for method in ("calm", "calm_plus"):
                rng = cc.stream(7, int(10 * epsilon), k)
                (attrs,) = cc.choose_queries(people.domain, k, 1, rng=rng)
                truth = people.marginal(attrs).values.ravel()
                if truth.size > MAX_CELLS:
                    continue
                made = make_method(method, epsilon=epsilon, k=k)
                tables = repeat_release(people, made, attrs, seed=11, times=repeats)
                rows = np.array([table.values.ravel() for table in tables])
                blocks = rows.reshape(-1, AT_ONCE, truth.size)
                reals = [real_difference(block - truth) for block in blocks]
                held = [
                    is_true(real, blocks[(at + 1) % len(blocks)], truth).mean()
                    for at, real in enumerate(reals)
                ]
                told = f"{method} epsilon {epsilon:g} k {k}"
                yield name, told, 100 * float(np.mean(reals)), truth.size, float(np.mean(held))


def main() -> None:
    """Print a line for every setting, and the worst one of each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=400)
    found = []
    for name, told, real, cells, held in measure(parser.parse_args().repeats):
        found.append((name, held))
        print(
            f"{name:9} {told:28} {cells:4} cells, x {real:5.1f} points, true {held:.1%}", flush=True
        )
    for name in dict.fromkeys(name for name, _ in found):
        held = [share for other, share in found if other == name]
        print(f"{name}: {len(held)} settings, mean {np.mean(held):.1%}, worst {min(held):.1%}")


if __name__ == "__main__":
    main()
