"""How long large survey files take to be read as uploads, and how much memory.

    python -m tests.benchmarks.bench_survey_files

Writes 199 MB of JSON lines and files of SPSS with 300 variables of 100,000 people into a temporary folder, and
reads each in the process that parses uploads, with its limits.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat

from calm_core.ingest.limits import MB, UPLOADS
from calm_core.ingest.reading import read_table

WAYS = ("Bus", "Train", "Bicycle", "Car", "On foot")
STEPS = ("Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree")
VARIABLES, PEOPLE = 300, 100_000


def write_lines(path: Path, size: int = 199 * MB) -> None:
    """JSON lines of a form with a list and nested answers."""
    rng = np.random.default_rng(1)
    with path.open("w", encoding="utf-8") as file:
        at = 0
        while file.tell() < size:
            for a, b, c, d, e in rng.integers(0, 60, (5000, 5)).tolist():
                person = {
                    "id": f"{at:08d}",
                    "submitted": f"2025-03-{1 + a % 28:02d}T{b % 24:02d}:{c:02d}:{d:02d}Z",
                    "sex": ("Female", "Male")[a % 2],
                    "age": 18 + e,
                    "transport": [way for i, way in enumerate(WAYS) if b >> i & 1],
                    "agree": {"on_time": STEPS[c % 5], "cheap": STEPS[d % 5]},
                }
                file.write(json.dumps(person | ({"again": bool(d % 2)} if e % 3 else {})) + "\n")
                at += 1


def write_survey(path: Path, **compression) -> None:
    """A file of SPSS: seven of ten variables labeled, two numbers, one text."""
    rng = np.random.default_rng(1)
    labels = {float(i + 1): step for i, step in enumerate(STEPS)}
    columns, labeled, titles = {}, {}, {}
    for i in range(VARIABLES):
        name = f"v{i}"
        titles[name] = f"Question number {i} of the survey"
        if i % 10 < 7:
            columns[name] = rng.integers(1, 6, PEOPLE).astype(float)
            labeled[name] = labels
        elif i % 10 < 9:
            columns[name] = rng.normal(2000, 500, PEOPLE).round(2)
        else:
            columns[name] = rng.choice(["north", "south", "east", "west"], PEOPLE)
    pyreadstat.write_sav(
        pd.DataFrame(columns), str(path), column_labels=titles, variable_value_labels=labeled,
        **compression,
    )  # fmt: skip


def measure_reading(path: Path) -> str:
    """Seconds of the processor and by the clock, and the peak memory of the largest child so far."""
    content = path.read_bytes()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    table = read_table(content, name=path.name, limits=UPLOADS)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (
        f"{path.name:14} {len(content) / MB:6.1f} MB {table.n:9,} people {len(table.names):4} columns: "
        f"{seconds:5.1f} s of processor time, {clock:5.1f} s, {after.ru_maxrss >> 10:,} MB"
    )


def main(only: str = "") -> None:
    """Measure the files whose names hold `only`; memory is of the largest child so far."""
    makers = {
        "survey.zsav": lambda path: write_survey(path, compress=True),
        "survey.sav": lambda path: write_survey(path, row_compress=True),
        "answers.jsonl": write_lines,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, make in makers.items():
            if only in name:
                path = Path(folder) / name
                make(path)
                print(measure_reading(path), flush=True)
                path.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:2])
