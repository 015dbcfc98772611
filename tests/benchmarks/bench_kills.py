"""kill -9 at random moments: of what serves a class, reads uploads and compares, and of what it has started.

    python -m tests.benchmarks.bench_kills [--kills 100] [--seed 1]

One program does at the same time what the app does: phones report to a survey, an upload is read by its parser, a
comparison runs in a process of its own, and another with two workers. A third of the kills hit the program: what it
had acknowledged is in the file, its children are dead within 2 s, and after the sweep of the next start no file of
theirs is left. The others hit a parser, a comparison or a worker: the program goes on and says what became of it.
Ends with status 1 otherwise. On a quiet machine it takes some minutes.
"""

import argparse
import json
import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import numpy as np
import psutil

from calm_core import Dataset, Domain
from calm_core.errors import UserError
from calm_core.experiments import ExperimentSpec, background, events
from calm_core.ingest import UPLOADS, read_table
from calm_core.runtime import temp_dirs
from tests.classroom.crashing import PHONES, SURVEY, check, opened, report_of, withdraws

MAX_SECONDS, PATIENCE = 2.0, 180.0
# Of the kills of children two come before each of the program: what is in their command lines. What keeps account
# of shared memory works for nobody, and ends with the last worker.
CHILDREN = {"parser": "ingest/worker.py", "comparison": "experiments.background", "worker": "loky"}
NOT_A_WORKER = "resource_tracker"
TABLE = "name,answer\n" + "".join(f"true value {i},{i % 7}\n" for i in range(200_000))


def say(*words: object) -> None:
    """A whole line at once, from whichever thread."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def again_and_again(name: str, work: Callable[[], object]) -> None:
    """Do something without end; a refusal is told, anything else is a bug."""
    try:
        while True:
            try:
                say(name, work())
            except UserError as error:
                say(name, "told", str(error)[:80])
    except BaseException as error:
        say("BUG", name, repr(error)[:200])
        raise


def serve(path: Path, code: str, phones: list[str]) -> None:
    """The program: all at once, until it is killed."""
    codes = np.random.default_rng(3).integers(0, 2, size=(3_000, 6))
    data = Dataset.from_codes(codes, Domain(tuple("abcdef"), (2,) * 6))
    spec = ExperimentSpec(data, ("calm",), (1.0,), ks=(3,), repetitions=40)
    store, waiting = opened(path), list(enumerate(phones))

    def report() -> str:
        time.sleep(0.02)
        if not waiting:
            return "all"
        at, phone = waiting.pop(0)
        store.join(code, phone).result()
        for step in ("report", "withdraw") if withdraws(at) else ("report",):
            told = getattr(store, step)(code, phone, report_of(phone)).result()
            say("saved", at, told.state)
        return "phone"

    def upload() -> int:
        return read_table(TABLE.encode(), name="a.csv", limits=UPLOADS).n

    def compare() -> str:
        job = background.start_comparison(spec)
        while job.running:
            job.scores()
            time.sleep(0.1)
        return job.state().name

    works = {"phones": report, "upload": upload, "compare": compare}
    for name, work in works.items():
        Thread(target=again_and_again, args=(name, work), daemon=True).start()
    say("begun")
    again_and_again("workers", lambda: len(list(events(spec, jobs=2))))


def until(true: Callable[[], object], seconds: float = PATIENCE) -> float:
    """Seconds until something is so; more than `seconds` where it is not by then."""
    began = time.monotonic()
    while not true() and time.monotonic() - began <= seconds:
        time.sleep(0.02)
    return time.monotonic() - began


def dead(process: psutil.Process) -> bool:
    """Whether it does nothing any more."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@dataclass
class Program:
    """The program in another process, with what it has said."""

    folder: Path
    heard: dict[int, str] = field(default_factory=dict)
    said: Counter = field(default_factory=Counter)
    bugs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.path, self.temporary = self.folder / "room.sqlite3", self.folder / "temporary"
        self.temporary.mkdir()
        store = opened(self.path)
        keys = store.create(SURVEY, expected=500)
        for _ in range(6):
            store.join(keys.code, secrets.token_urlsafe(16)).result()
        store.teacher(keys.teacher).open()
        store.stop()
        self.phones = [secrets.token_urlsafe(16) for _ in range(PHONES)]
        (self.folder / "phones.json").write_text(json.dumps(self.phones))
        own = {"TMPDIR": str(self.temporary), "JOBLIB_TEMP_FOLDER": str(self.temporary)}
        command = [
            sys.executable,
            "-m",
            "tests.benchmarks.bench_kills",
            "--serve",
            self.folder,
            keys.code,
        ]
        self.running = subprocess.Popen(
            list(map(str, command)), env=os.environ | own, stdout=subprocess.PIPE, text=True
        )
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()
        if until(lambda: self.said["begun"]) > PATIENCE:
            raise SystemExit(f"the program did not begin: {self.bugs}")

    def _read(self) -> None:
        assert self.running.stdout is not None  # it is a pipe
        for line in self.running.stdout:
            name, *words = line.split()
            self.said[name] += 1
            if name == "saved" and line.endswith("\n"):
                self.heard[int(words[0])] = words[1]
            elif name == "BUG":
                self.bugs.append(line.strip())

    def children(self, kind: str = "") -> list[psutil.Process]:
        """What works for it, of one kind."""
        found = []
        for child in psutil.Process(self.running.pid).children(recursive=True):
            with suppress(psutil.Error):
                line = " ".join(child.cmdline())
                if CHILDREN.get(kind, "") in line and NOT_A_WORKER not in line:
                    found.append(child)
        return found

    def lose_child(self, kind: str, pick: random.Random) -> str:
        """Kill one of its children; what is wrong with how it goes on."""
        if until(lambda: self.children(kind)) > PATIENCE:
            return f"no {kind} to be killed"
        before = self.said.copy()
        with suppress(psutil.NoSuchProcess, IndexError):
            pick.choice(self.children(kind)).kill()
        # Each of its works comes to an end once more.
        names = ("phones", "upload", "compare", "workers")
        if until(lambda: all(self.said[name] > before[name] for name in names)) > PATIENCE:
            return f"it does not go on: {before}, {self.said}"
        return ""

    def end(self) -> tuple[float, str]:
        """Kill it; seconds until its children are dead, and what was lost or is left."""
        below, late = self.children(), []
        names = {one: self._name(one) for one in below}
        self.running.kill()
        seconds = until(lambda: all(map(dead, below)), MAX_SECONDS)
        if seconds > MAX_SECONDS:
            late = [f"{names[one]} is an orphan" for one in below if not dead(one)]
            seconds += until(lambda: all(map(dead, below)))
        self.running.wait()
        self._reader.join()
        found = check(self.path, self.phones, self.heard)
        wrong = [f"{found[name]} {name}" for name in ("lost", "damaged", "unequal") if found[name]]
        wrong += late
        tempfile.tempdir = str(self.temporary)
        temp_dirs.remove_stale()
        tempfile.tempdir = None
        until(lambda: not self._left(below), 10 * MAX_SECONDS)
        if self._left(below):
            wrong.append(f"files are left: {self._left(below)[:3]}")
        return seconds, "; ".join(wrong)

    def _name(self, child: psutil.Process) -> str:
        with suppress(psutil.Error):
            line = " ".join(child.cmdline())
            age = time.time() - child.create_time()
            return (
                f"{next((k for k, mark in CHILDREN.items() if mark in line), line)} of {age:.1f} s"
            )
        return "one that has ended"

    def _left(self, below: list[psutil.Process]) -> list[str]:
        ours = [f"{mark}{one.pid}{mark}" for one in (self.running, *below) for mark in "-_"]
        shared = [path.name for path in Path("/dev/shm").glob("*")]
        files = [path.name for path in self.temporary.rglob("*") if path.is_file()]
        return files + [name for name in shared if any(mark in name for mark in ours)]


def main() -> int:
    """Kill, and print a line for every kind; 1 beyond a bar."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        folder, code = Path(asked.serve[0]), asked.serve[1]
        serve(folder / "room.sqlite3", code, json.loads((folder / "phones.json").read_text()))
    pick, kills, wrong = random.Random(asked.seed), Counter(), []
    slowest, saved = 0.0, 0
    while kills.total() < asked.kills:
        with tempfile.TemporaryDirectory() as name:
            program = Program(Path(name))
            for _ in range(2):
                kind = pick.choice(list(CHILDREN))
                time.sleep(pick.uniform(0, 2))
                kills[kind] += 1
                wrong.append(program.lose_child(kind, pick))
            time.sleep(pick.uniform(0, 2))
            kills["program"] += 1
            seconds, lost = program.end()
            slowest, saved = max(slowest, seconds), saved + len(program.heard)
            wrong += [lost, *program.bugs]
        for text in filter(None, wrong[-4:]):
            print(text, flush=True)
    for kind, times in kills.items():
        print(f"{kind:12} killed {times:3} times")
    bad = sum(map(bool, wrong))
    print(f"{saved} acknowledged, {bad} wrong, children dead after {slowest:.2f} s at most")
    return int(bool(bad) or slowest > MAX_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
