"""Time to confirm a file of 10^6 rows and 20 columns (read, detect, apply), beside another checkout.

    python -m tests.benchmarks.bench_import [--rows 1000000] [--against FOLDER] [--times 3]

Both are run in turn, each time in a fresh process, on the same file; printed are the shortest times, and
the median, least and largest ratio of a pair, in seconds of the processor with all threads and children,
so that a busy machine changes little. Two files: one as computers write, one with money, percentages and dates as people write.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

RUN = """
import json, os, sys
from calm_core.ingest import apply_schema, detect_schema, read_table
used = lambda: sum(os.times()[:4])
marks = [used()]
table = read_table(sys.argv[1]); marks.append(used())
schema = detect_schema(table); marks.append(used())
encoded = apply_schema(table, schema); marks.append(used())
print(json.dumps([b - a for a, b in zip(marks, marks[1:])]))
"""


def plain(n: int, rng) -> pd.DataFrame:
    """Twenty columns as computers write them."""
    day = np.datetime64("2010-01-01") + rng.integers(0, 4000, n)
    columns = {
        "id": np.arange(n), "weight": rng.normal(70, 12, n).round(2), "income": rng.lognormal(10, 1, n),
        "age": rng.integers(18, 99, n), "hours": rng.integers(0, 60, n), "day": day,
        "city": rng.choice([f"city {i}" for i in range(200)], n),
        "zip": rng.integers(10_000, 99_999, n), "ratio": rng.random(n).round(4),
        "word": rng.choice([f"word {i}" for i in range(30_000)], n),
        "grade": rng.choice(["A", "B", "C", None], n), "sex": rng.choice(["f", "m"], n),
    }  # fmt: skip
    return pd.DataFrame(columns | {f"item{i}": rng.integers(0, 2, n) for i in range(8)})


def written(n: int, rng) -> pd.DataFrame:
    """Twenty columns, eight of them as people write them."""
    frame = plain(n, rng)
    pay = rng.lognormal(10, 1, n)
    more = {
        "pay": [f"€{x:,.2f}" for x in pay], "share": [f"{x}%" for x in rng.integers(0, 100, n)],
        "mass": [f"{x} kg" for x in rng.integers(40, 140, n)],
        "comma": [f"{x:.2f}".replace(".", ",") for x in rng.normal(70, 12, n)],
        "us": pd.Series(frame["day"]).dt.strftime("%m/%d/%Y"),
        "long": pd.Series(frame["day"]).dt.strftime("%B %d, %Y"),
        "ill": rng.choice(["Yes", "yes", "no", "NO", "n/a"], n),
        "time": [f"{x // 60:02}:{x % 60:02}" for x in rng.integers(0, 1440, n)],
    }  # fmt: skip
    kept = frame.drop(columns=[f"item{i}" for i in range(8)])
    return kept.assign(**more)


def timed(root: Path, path: Path) -> list[float]:
    """Seconds for reading, detecting and applying, in a fresh process of one checkout."""
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)], capture_output=True, env=environment, check=True,
        cwd=root,
    )  # fmt: skip
    return json.loads(done.stdout)


def main() -> None:
    """Print a line for each file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    here, rng = Path(__file__).resolve().parents[2], np.random.default_rng(1)
    roots = [here, *([given.against.resolve()] if given.against else [])]
    with tempfile.TemporaryDirectory() as folder:
        for make in (plain, written):
            path = Path(folder) / f"{make.__name__}.csv"
            make(given.rows, rng).to_csv(path, index=False)
            took = [[timed(root, path) for root in roots] for _ in range(given.times)]
            text = "; ".join(
                "{3:.2f} s (read {0:.2f}, detect {1:.2f}, apply {2:.2f})".format(*best, sum(best))
                for best in (min(runs, key=sum) for runs in zip(*took))
            )
            ratio = ""
            if len(roots) > 1:
                ratios = [sum(new) / sum(old) for new, old in took]
                ratio = f", ratio {np.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
            print(f"{make.__name__}, {given.rows:,} rows: {text}{ratio}", flush=True)


if __name__ == "__main__":
    main()
