"""How close an audit comes to the epsilon of every oracle, and how many trials flag noise that is 30% short.

python -m tests.benchmarks.bench_audit [--trials]
"""

import sys
import time

import numpy as np

from calm_core.attacks import audit_callable, audit_oracle
from calm_core.attacks.bad_randomizers import BAD_RANDOMIZERS
from calm_core.oracles import ORACLES
from calm_core.randomness import stream

EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
SIZES = (4, 16, 64)
REPEATS = 20
COUNTS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


def print_bounds() -> None:
    """Lower bound over epsilon at 10^6 trials with 99.9% confidence: mean and least of five."""
    print("oracle cells " + " ".join(f"{epsilon:>11}" for epsilon in EPSILONS))
    for name, kind in ORACLES.items():
        for size in SIZES:
            cells = []
            for epsilon in EPSILONS:
                rngs = [stream(seed, "bench_audit", name) for seed in range(5)]
                found = [
                    audit_oracle(kind(epsilon, size), rng=rng).lower_bound / epsilon for rng in rngs
                ]
                cells.append(f"{np.mean(found):.3f} {min(found):.3f}")
            print(f"{name:>6} {size:>5} " + " ".join(cells), flush=True)


def print_trials() -> None:
    """The fewest trials, of those tried, that flag a bad example in every repetition."""
    print("epsilon " + " ".join(map(str, EPSILONS[2:])))
    for name, bad in BAD_RANDOMIZERS.items():
        cells = []
        for epsilon in EPSILONS[2:]:
            enough = (
                count
                for count in COUNTS
                if all(is_flagged(bad, epsilon, count, seed) for seed in range(REPEATS))
            )
            cells.append(next((f"{count:,}" for count in enough), "more"))
        print(name, *cells, flush=True)


def is_flagged(bad, epsilon: float, trials: int, seed: int) -> bool:
    """Whether a bad example is found broken."""
    return audit_callable(
        lambda values, rng: bad(values, epsilon, rng),
        [0, 1], epsilon, rng=stream(seed, "bench_audit"), trials=trials,
    ).broken  # fmt: skip


if __name__ == "__main__":
    started = time.perf_counter()
    print_trials() if "--trials" in sys.argv else print_bounds()
    print(f"{time.perf_counter() - started:.0f} s")
