"""Two thousand damaged files of every format, each read as an upload is: by a child of its own, for one parent.

    python -m tests.benchmarks.bench_damaged [--count 2000] [--first 0]

Each becomes a table or a sentence. The parent stays alive and at most 100 MB larger, no child outlives its file, and
no private folder stays. Ends with status 1 otherwise. A quarter of an hour on a quiet core.
"""

import argparse
import sys
import tempfile
import traceback
from collections import defaultdict
from pathlib import Path

import psutil

from calm_core.runtime.processes import trim_memory
from tests.bad_files.damage import outcome

MAX_GROWN = 100e6


def memory() -> int:
    """Bytes of this process that lie in memory, without what was freed."""
    trim_memory()
    return psutil.Process().memory_info().rss


def read_all(numbers: range) -> tuple[dict[str, list[dict]], int]:
    """What became of every file, by what it was called; and how many ended in a traceback."""
    told: dict[str, list[dict]] = defaultdict(list)
    broken = 0
    for number in numbers:
        try:
            found = outcome(number, door=True)
        except Exception:  # it is what must not be: shown and counted
            broken += 1
            print(f"file {number}: {traceback.format_exc(limit=-4)}", flush=True)
            continue
        told[Path(found["name"]).suffix or "none"].append(found)
    return told, broken


def main() -> int:
    """Print a line for every format; 1 beyond a bar."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        # What every reading needs once is no cost of these files.
        outcome(asked.first, door=True)
        start = memory()
        told, broken = read_all(range(asked.first, asked.first + asked.count))
        grown, left = memory() - start, [path.name for path in Path(folder).iterdir()]
    tempfile.tempdir = None
    print(f"{'called':10} {'files':>6} {'read':>6} {'refused':>8} {'longest s':>10}")
    for kind, files in sorted(told.items()):
        refused = sum(found["said"].startswith("refused") for found in files)
        longest = max(found["seconds"] for found in files)
        print(f"{kind:10} {len(files):6} {len(files) - refused:6} {refused:8} {longest:10.1f}")
    children = psutil.Process().children(recursive=True)
    print(
        f"{asked.count} files, {broken} tracebacks, {len(children)} children and {len(left)} folders left, "
        f"{grown / 1e6:+.0f} MB"
    )
    return int(bool(broken or children or left or grown > MAX_GROWN))


if __name__ == "__main__":
    sys.exit(main())
