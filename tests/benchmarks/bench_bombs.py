"""Small files that would fill a memory, each read as an upload of the app is: time, memory of child and parent.

    python -m tests.benchmarks.bench_bombs [name ...]

Each must be refused, or read, within 3 s of the processor, 1.5 GiB in the child and 100 MB in the parent; ends with
status 1 otherwise. By the clock it takes longer on a busy machine. Making them takes two minutes.
"""

import multiprocessing
import os
import resource
import sys
import time

import psutil

from calm_core.errors import UserError
from calm_core.ingest import UPLOADS, read_table
from calm_core.runtime.processes import trim_memory
from tests.bad_files.bombs import BOMBS

MAX_SECONDS, MAX_CHILD, MAX_PARENT = 3.0, 1.5 * 1024, 100.0


def used() -> float:
    """Seconds of the processor, with those of children that have ended."""
    return sum(os.times()[:4])


def measure(name: str, content: bytes, answer) -> None:
    """Read one bomb in a process of its own; sends what came of it, and what it cost."""
    # What every reading needs once is no cost of this file.
    read_table(b"a,b\n1,2\n", name="a.csv", limits=UPLOADS)
    before, began, clock = psutil.Process().memory_info().rss, used(), time.monotonic()
    try:
        table = read_table(content, name=name, limits=UPLOADS)
        said = f"read: {table.n:,} rows, {len(table.names)} columns"
    except UserError as error:
        said = str(error)
    cost = used() - began, time.monotonic() - clock
    trim_memory()
    grown = (psutil.Process().memory_info().rss - before) / (1 << 20)
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    answer.send((said, *cost, child, grown))


def main(chosen: list[str]) -> int:
    """Print a line for every bomb."""
    start, broken = multiprocessing.get_context("spawn"), 0
    print(f"{'bomb':22} {'bytes':>9} {'cpu s':>6} {'clock':>6} {'child MB':>8} {'parent':>7}")
    for name in chosen or BOMBS:
        content = BOMBS[name]()
        here, there = start.Pipe()
        process = start.Process(target=measure, args=(name, content, there))
        process.start()
        said, cpu, clock, child, grown = here.recv()
        process.join()
        bad = cpu > MAX_SECONDS or child > MAX_CHILD or grown > MAX_PARENT
        broken += bad
        print(
            f"{name:22} {len(content):9,} {cpu:6.2f} {clock:6.1f} {child:8.0f} {grown:+7.0f} "
            f"{'BEYOND ' * bad}{said:.90}", flush=True,
        )  # fmt: skip
    print(f"{broken} beyond the limits")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
