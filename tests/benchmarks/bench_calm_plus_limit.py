"""CALM+ against CALM on real tables, up to 16 million users simulated exactly: the table of the README.

    python -m tests.benchmarks.bench_calm_plus_limit [-v] [--above] [SET[:FIRST] ...]

Eight columns of each set from FIRST on (0 unless said; without sets, all rows of the README), rare values merged
to at most 3 in all. Ratios of the mean SSEs on the same reports with their standard errors, and the shares of
true cells inside 95% intervals: over all settings, and with -v in each. With --above those of epsilon above 5.
"""

import itertools
import sys

import numpy as np

from tests.reference.exact_collection import columns_of, errors_of, load_codes, ratio

ROWS = (
    "brfss", "nsduh", "nltcs", "adult", "acs", "msnbc", "nsduh:8", "nltcs:8", "adult:8", "acs:8", "msnbc:8",
)  # fmt: skip
REPETITIONS, QUERIES = 20, 20
SETTINGS = tuple(itertools.product((2, 3, 4), (2**16, 2**18, 2**20, 2**24), (0.2, 1.0, 2.0, 4.0)))
ABOVE = tuple(
    itertools.product((2, 3), (2**12, 2**14, 2**16, 2**20), (6.0, 8.0, 10.0, 12.0, 13.0, 14.0))
)


def measure(row: str, settings: tuple, each: bool) -> None:
    name, _, first = row.partition(":")
    start = int(first or 0)
    people = columns_of(name, min(8, load_codes(name).shape[1] - start), start)
    found = []
    for k, n, epsilon in settings:
        rows = errors_of(
            people, n=n, epsilon=epsilon, k=k, repetitions=REPETITIONS, queries=QUERIES, covered=12
        )
        found.append((*ratio(rows), rows[:, 2].mean()))
        if each:
            print(
                f"  {k} {n:8} {epsilon:4g}  {found[-1][0]:6.3f}  {found[-1][1]:6.3f}  {found[-1][2]:8.3f}"
            )
    shares, errors, inside = np.array(found).T
    most, least = shares.argmax(), inside.argmin()
    print(
        f"{row:8} {np.exp(np.log(shares).mean()):6.3f}  {shares[most]:6.3f} {errors[most]:6.3f} {settings[most]}"
        f"  {inside.mean():6.3f}  {inside[least]:6.3f} {settings[least]}, {(inside < 0.9).sum()} below 0.9,"
        f" {(shares > 1.03).sum()} above 1.03",
        flush=True,
    )


def main(*rows: str) -> None:
    each, settings = "-v" in rows, ABOVE if "--above" in rows else SETTINGS
    print("columns  geo mean  largest, its error (k, n, epsilon)  inside  least (k, n, epsilon)")
    for row in [row for row in rows if row[0] != "-"] or ROWS:
        measure(row, settings, each)


if __name__ == "__main__":
    main(*sys.argv[1:])
