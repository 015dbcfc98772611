"""CALM+ against CALM on real tables, up to 16 million users simulated exactly.

    python -m tests.benchmarks.bench_calm_plus_limit [SET ...]

Ratio of the mean SSEs on the same reports with its standard error, and the share of true cells inside
95% intervals: first 8 attributes, rare values merged to at most 3 in all.
"""

import sys

from tests.reference.exact_collection import FILES, compared, measured, ratio

REPETITIONS, QUERIES = 20, 50


def main(names) -> None:
    print("set     k        n  eps   ratio  stderr  coverage")
    for name in names or FILES:
        for k in (2, 3, 4):
            for n in (2**16, 2**18, 2**20, 2**24):
                for epsilon in (0.2, 1.0, 2.0, 4.0):
                    rows = compared(
                        measured(name, 8), n=n, epsilon=epsilon, k=k, repetitions=REPETITIONS,
                        queries=QUERIES, covered=12,
                    )  # fmt: skip
                    found, error = ratio(rows)
                    print(
                        f"{name:7} {k} {n:8} {epsilon:4g}  {found:6.3f}  {error:6.3f}  "
                        f"{rows[:, 2].mean():8.3f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main(sys.argv[1:])
