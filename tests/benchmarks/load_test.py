"""A class at work: sessions with settings of their own, each with a change about every ten seconds.

    python -m tests.benchmarks.load_test [--runs 100x2 30x1] [--seconds 120]

A run is SESSIONSxPROCESSES: several processes are served by `calm-lab serve`, and need Caddy.
Bars, on a quiet machine with two cores: of 100 sessions on two processes 95% of changes within 1 s, of 30 on one
within 0.8 s; no change is lost, and no error is seen. Ends with status 1 where they are missed.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs

import psutil

from tests.benchmarks.visitors import Visitor, seconds_worked

HERE = Path(__file__).resolve().parents[2]
EPSILONS = ("0.5", "0.6", "0.7", "0.8", "0.9", "1", "1.2", "1.5", "1.7", "2")
KS = (1, 2, 3, 4)
BAR = "settings_bar"
# Seconds within which 95% of changes are answered, by sessions and processes.
LIMITS = {(100, 2): 1.0, (30, 1): 0.8}
WARM = 20.0


@contextmanager
def serve(processes: int, folder: Path) -> Iterator[tuple[str, int]]:
    """Address and process of a server; its messages are kept in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    if processes > 1:
        words = ["calm_core", "serve", "--processes", str(processes), "--port", str(port)]
    else:
        words = ["streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *words], cwd=HERE, stdout=log, stderr=log,
            env=os.environ | {"PYTHONPATH": str(HERE)},
        )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health", process)
        yield address, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _wait_for(url: str, process: subprocess.Popen) -> None:
    for _ in range(600):
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            pass
        if process.poll() is not None:
            break
        time.sleep(0.2)
    raise RuntimeError("the server did not start")


class Class:
    """Visitors, how long they waited, and what they found wrong."""

    def __init__(self, address: str, sessions: int, pause: float):
        self.pause = pause
        self.people = [
            Visitor(address, "marginals", f"seed={1000 + i}&k={KS[i % 4]}") for i in range(sessions)
        ]
        self.waited: list[float] = []
        self.opened: list[float] = []
        self.lost, self.errors = 0, []

    async def _visit(self, number: int, seconds: float) -> None:
        person, pick = self.people[number], random.Random(number)
        await asyncio.sleep(pick.uniform(0, self.pause))
        try:
            self.opened.append(await person.open())
            wanted = {}
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                await asyncio.sleep(self.pause * pick.uniform(0.5, 1.5))
                field = pick.choice(["epsilon", "epsilon", "k"])
                wanted[field] = pick.choice(EPSILONS if field == "epsilon" else KS)
                self.waited.append(await person.choose(BAR, field, wanted[field]))
            await person.confirm()
            await person.rerun()
            self.lost += sum(
                _shown(person, field) != float(value) for field, value in wanted.items()
            )
        # Whatever it is, it is counted and ends the benchmark with status 1.
        except Exception as error:
            self.errors.append(f"{type(error).__name__} {error}"[:200])

    async def run_visits(self, seconds: float) -> None:
        """Come within one pause, and change settings for so many seconds."""
        await asyncio.gather(*(self._visit(i, seconds) for i in range(len(self.people))))
        await asyncio.gather(*(person.close() for person in self.people), return_exceptions=True)


def _memory(server: int) -> int:
    """Bytes in memory of the server and all it has started."""
    process = psutil.Process(server)
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True)))


def _shown(person: Visitor, field: str) -> float:
    """A setting as the address bar has it."""
    query = parse_qs(json.loads(person.component("calm_address").json)["query"])
    return float(query.get(field, ["1" if field == "epsilon" else "3"])[0])


def share(waited: list[float], part: float) -> float:
    """Seconds within which this part of all were answered."""
    ordered = sorted(waited) or [float("nan")]
    return ordered[max(0, round(part * len(ordered)) - 1)]


async def _measure(address: str, server: int, sessions: int, options) -> tuple[Class, float, int]:
    first = Visitor(address)
    await first.open()
    await asyncio.sleep(WARM)
    await first.close()
    group = Class(address, sessions, options.pause)
    before, worked, began = _memory(server), seconds_worked(server), time.monotonic()
    await group.run_visits(options.seconds)
    cores = (seconds_worked(server) - worked) / (time.monotonic() - began)
    return group, cores, _memory(server) - before


def _run(sessions: int, processes: int, options) -> Class:
    with tempfile.TemporaryDirectory() as folder, serve(processes, Path(folder)) as found:
        group, cores, grown = asyncio.run(_measure(*found, sessions, options))
    times = " ".join(f"{share(group.waited, part):7.2f}" for part in (0.5, 0.95, 1.0))
    print(
        f"{sessions:8} {processes:9} {len(group.waited):7} {times} {share(group.opened, 0.95):7.2f} "
        f"{group.lost:5} {len(group.errors):6} {cores:6.2f} {grown / 1e6:+6.0f}",
        flush=True,
    )
    for error in group.errors[:2]:
        print(f"  {error}")
    return group


def main() -> int:
    """Print a table; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", nargs="+", default=["100x2", "30x1"])
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--pause", type=float, default=10.0)
    options = parser.parse_args()
    print(
        f"{'sessions':>8} {'processes':>9} {'changes':>7} {'median':>7} {'95%':>7} {'most':>7} "
        f"{'opening':>7} {'lost':>5} {'errors':>6} {'cores':>6} {'MB':>6}   seconds"
    )
    missed = False
    for run in options.runs:
        sessions, processes = map(int, run.split("x"))
        group = _run(sessions, processes, options)
        limit = LIMITS.get((sessions, processes), float("inf"))
        missed |= bool(group.lost or group.errors) or share(group.waited, 0.95) > limit
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
