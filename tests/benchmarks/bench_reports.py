"""A billion report rows, and fifty kills: core-seconds, memory, and what is left.

    python -m tests.benchmarks.bench_reports [--rows 1e9] [--parts 40] [--folder FOLDER] [--oracle grr] [--l 8]
    python -m tests.benchmarks.bench_reports --kills 50

Parts are made one by one outside the clock, of random reports that are all valid; each is counted by the
process of one worker (reading, hashing, checking and counting are on the clock, and told with its start) and
taken away again. Hashing alone, and hashing with reading, are measured beside it as the reference.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import calm_core as cc
from calm_core.collection.report_files import ReportColumns, ReportRows
from calm_core.methods import METHODS
from calm_core.planning.plan import Plan
from calm_core.planning.plan_file import save_plan

COUNT = """
import hashlib, resource, sys, time
from calm_core.collection.report_files import ReportColumns, ReportFile
from calm_core.collection.tally import tally_file
from calm_core.planning.plan_file import load_plan
plan = load_plan(sys.argv[1])
for line in sys.stdin:
    path, start = line.strip(), time.process_time()
    if sys.argv[2] == "count":
        tally = tally_file(path, plan)
        assert not any(tally.refused)
        rows = int(tally.people.sum())
    elif sys.argv[2] == "hash":
        with open(path, "rb") as file:
            hashlib.file_digest(file, "sha256")
        rows = 0
    else:
        rows = sum(len(rows.views) for rows in ReportFile(path, ReportColumns(plan)))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(rows, time.process_time() - start, most, time.process_time(), flush=True)
"""


def plan_of(oracle: str, l: int) -> Plan:  # noqa: E741 - the paper's name
    """155 views of 256 cells (39,680 counts) where they have 8 attributes, as many as fit otherwise."""
    domain = cc.Domain(tuple(f"a{i}" for i in range(16)), (2,) * 16)
    method = METHODS["calm"](epsilon=1.0, k=3, oracle=oracle, l=l, m=155 if l == 8 else None)
    return method.plan(domain, 2**20, rng=np.random.default_rng(1))


def rows_of(columns: ReportColumns, n: int, rng: np.random.Generator) -> ReportRows:
    """n valid reports: drawn by the oracle for a few thousand, then repeated in a random order."""
    form, oracle = columns.forms[0], columns.plan.oracles[0]
    reports = oracle.perturb(rng.integers(oracle.size, size=4096), rng=rng)
    packed = form.pack(reports)[rng.integers(4096, size=n)]
    body = packed if columns.bytewise else packed[:, 0]
    seeds = rng.integers(2**64, size=n, dtype=np.uint64) if form.has_seeds else None
    return ReportRows(rng.integers(columns.plan.m, size=n).astype(np.uint16), body, seeds)


def count(rows: int, parts: int, plan: Plan, folder: Path) -> None:
    """Make, count and take away every part."""
    rng = np.random.default_rng(7)
    columns, each = ReportColumns(plan), rows // parts
    save_plan(folder / "plan.json", plan)
    path, whats = folder / "part.parquet", ("hash", "read", "count")
    workers = {
        what: subprocess.Popen(
            [sys.executable, "-c", COUNT, folder / "plan.json", what],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for what in whats
    }  # fmt: skip
    done, last = 0, dict.fromkeys(whats, (0.0, 0.0))
    took: dict[str, list[float]] = {what: [] for what in whats}
    for part in range(parts):
        path.write_bytes(columns.parquet(rows_of(columns, each, rng), f"{part}"))
        for what, worker in workers.items():
            print(path, file=worker.stdin, flush=True)
            rows, seconds, most, whole = map(float, worker.stdout.readline().split())
            took[what].append(seconds)
            last[what] = most, whole
            done += int(rows) if what == "count" else 0
    for worker in workers.values():
        worker.communicate()
    size = path.stat().st_size / each
    oracle = plan.oracles[0]
    print(f"{oracle.name}: {plan.m} views of {oracle.size} cells, {columns.types}")
    print(f"{done:,} reports of {size:.1f} bytes in {parts} parts")
    print(f"counted in {sum(took['count']):.1f} core-seconds")
    # The first part waits for numba and what it has compiled.
    ns = {what: sum(seconds[1:]) / (each * (parts - 1)) * 1e9 for what, seconds in took.items()}
    print(
        f"after the first part {ns['count']:.1f} ns each, of which hashing {ns['hash']:.1f}, reading "
        f"{ns['read'] - ns['hash']:.1f}"
    )
    print(f"most memory {last['count'][0]:.0f} MiB")
    print(f"the counting process with its start: {last['count'][1]:.1f} core-seconds")
    path.unlink()


def kill(kills: int) -> None:
    """The test's kills, more of them."""
    from tests.cli import test_deploying

    with tempfile.TemporaryDirectory() as name:
        source, beside = Path(name) / "deployed", Path(name) / "killed"
        source.mkdir(), beside.mkdir()
        test_deploying.deploy(source)
        counted = test_deploying.count_all(source)
        test_deploying.kill_and_go_on(source, beside, counted, kills, seed=2)
    print(f"{kills} kills at random moments: nothing lost, nothing doubled")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e9)
    parser.add_argument("--parts", type=int, default=40, help="at least 2")
    parser.add_argument("--oracle", default="grr")
    parser.add_argument("--l", type=int)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--kills", type=int, default=0)
    args = parser.parse_args()
    os.environ.setdefault("PYTHONPATH", str(Path(cc.__file__).parents[1]))
    if args.kills:
        kill(args.kills)
        return
    with tempfile.TemporaryDirectory() as name:
        # Reports of numbers are short: their views may be larger.
        plan = plan_of(args.oracle, args.l or (8 if args.oracle == "grr" else 6))
        count(int(args.rows), args.parts, plan, args.folder or Path(name))


if __name__ == "__main__":
    main()
