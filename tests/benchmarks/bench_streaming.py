"""`release --stream` on a large file: seconds of the processor, and the most memory it held.

`python -m tests.benchmarks.bench_streaming [MEGABYTES]` writes CSV in parts below a folder of its own in
the temporary one, releases it with CALM and CALM+ in a child each, and deletes it. The bound is 512 MiB
for a file of 2,000 MB.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
COLUMNS, ROWS, BOUND_MIB = 32, 200_000, 512
METHODS = ("calm", "calm_plus")


def write(path: Path, megabytes: int) -> int:
    """Write codes as text, a part at a time; the number of rows."""
    rng, rows = np.random.default_rng(1), 0
    with path.open("wb") as file:
        file.write(",".join(f"column{i}" for i in range(COLUMNS)).encode() + b"\n")
        while file.tell() < megabytes * 1_000_000:
            digits = rng.integers(48, 51, size=(ROWS, COLUMNS), dtype=np.uint8)
            cells = np.full((ROWS, COLUMNS, 2), ord(","), dtype=np.uint8)
            cells[:, :, 0] = digits
            cells[:, -1, 1] = ord("\n")
            file.write(cells.tobytes())
            rows += ROWS
    return rows


def measured(path: Path, method: str) -> tuple[float, float]:
    """Seconds of the processor and MiB of private memory at most, of one release in a child.

    Pages of the mapped file are the system's to take back, so they are not counted.
    """
    call = [sys.executable, "-m", "calm_core", "release", str(path), "--stream", "--method", method]
    call += ["--d", "16", "--queries", "20"]
    child = os.posix_spawn(
        sys.executable, call, os.environ | {"PYTHONPATH": str(ROOT)},
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )  # fmt: skip
    most = 0
    while True:
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid:
            break
        with open(f"/proc/{child}/status", encoding="ascii") as file:
            found = dict(line.split(":", 1) for line in file)
        most = max(most, int(found.get("RssAnon", "0 kB").split()[0]))
        time.sleep(0.05)
    assert status == 0, f"{method} ended with {status}"
    return usage.ru_utime + usage.ru_stime, most / 1024


def main() -> None:
    """Print a row for each method."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory(prefix="bench_streaming") as folder:
        path = Path(folder) / "large.csv"
        rows = write(path, megabytes)
        print(f"{rows:,} rows of {COLUMNS} columns, {path.stat().st_size / 1e6:,.0f} MB of CSV")
        for method in METHODS:
            seconds, mib = measured(path, method)
            print(f"{method:>10}: {seconds:6.1f} s CPU, {mib:5.0f} MiB of {BOUND_MIB}", flush=True)


if __name__ == "__main__":
    main()
