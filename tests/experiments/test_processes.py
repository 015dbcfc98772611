"""Really killed processes: nothing of theirs goes on, and nothing of theirs stays on disk."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from calm_core.runtime import temp_dirs, worker_lifetime
from calm_core.runtime.temp_dirs import PrivateTempDir, remove_stale

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
# Generous: it takes a killed tree milliseconds, unless the machine is busy.
PATIENCE = 60

HEAD = """
import sys, time, threading
import numpy as np
from calm_core import Dataset, Domain
from calm_core.experiments import ExperimentSpec
codes = np.random.default_rng(3).integers(0, 2, size=(3000, 6))
data = Dataset.from_codes(codes, Domain(tuple("abcdef"), (2,) * 6))
spec = ExperimentSpec(data, ("calm",), (1.0,), ks=(3,), repetitions=20_000)
"""
# The job is started as a page does it: in a thread that ends, once the child is at work.
JOB = """
from calm_core.experiments import background
found = []
def page():
    found.append(background.start(spec))
    while found[0].scores().empty:
        time.sleep(0.05)
thread = threading.Thread(target=page)
thread.start()
thread.join()
print(found[0].path, flush=True)
while True:
    found[0].scores()
    time.sleep(0.2)
"""
WORKERS = """
from calm_core.experiments import events
running = events(spec, jobs=2)
next(running)
print("at work", flush=True)
for _ in running:
    pass
"""

# A request to end comes just when this thread has got the lock that it had asked for: Python then leaves it locked.
INTERRUPTED = """
import os, signal
from contextlib import closing
from joblib import delayed
from calm_core.runtime.processes import Interrupted, interruptible
from calm_core.tables.counting import count_cells
from calm_core.runtime.executors import results
enter, here, left = threading.Condition.__enter__, threading.get_ident(), 0
def enter_and_end(condition):
    global left
    entered = enter(condition)
    if threading.get_ident() == here and left:
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGTERM)
    return entered
threading.Condition.__enter__ = enter_and_end
def work():
    with closing(results((delayed(abs)(i) for i in range(10_000)), jobs=2)) as found:
        for _ in found:
            pass
def count():
    count_cells(np.zeros((1_000_000, 1), dtype=np.uint8), (2,), [(0,)])
def stopped(task, at):
    global left
    left = at
    try:
        with interruptible():
            task()
    except Interrupted:
        return True
    finally:
        left = 0
os.cpu_count = lambda: 2
count()
print([stopped(count, at) for at in (1, 2)])
print([stopped(work, at) for at in range(1, 30, 4)])
"""


def program(text: str, temporary: Path, *args) -> subprocess.Popen:
    own = {"PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "JOBLIB_TEMP_FOLDER": str(temporary)}
    command = [sys.executable, "-c", HEAD + text, *map(str, args)]
    return subprocess.Popen(command, env=os.environ | own, stdout=subprocess.PIPE, text=True)


def poll(what, seconds=PATIENCE) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.05)
    return False


def dead(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def left_in(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def kill_tree_root(running: subprocess.Popen) -> list[psutil.Process]:
    """Kill the parent alone; its descendants as they were."""
    below = psutil.Process(running.pid).children(recursive=True)
    assert below
    running.kill()
    running.wait()
    return below


def die_soon(below: list[psutil.Process]) -> bool:
    """Whether these, whose parent was killed, are dead; they are not left to the machine either way."""
    try:
        return poll(lambda: all(map(dead, below)), seconds=15)
    finally:
        for process in below:
            if not dead(process):
                process.kill()


# Each kind of child, whose imports do not end. What keeps account of shared memory starts before, as it is no child.
IMPORTING = """
import os
from pathlib import Path
from loky.backend.resource_tracker import ensure_running
from calm_core.runtime.subprocess_jobs import Child
from calm_core.experiments import events
from calm_core.ingest import ReadOptions, isolation
from calm_core.ingest.limits import Limits
from calm_core.runtime.temp_dirs import Scratch
ensure_running()
slow = os.environ["TMPDIR"]
os.environ["PYTHONPATH"] = slow + os.pathsep + os.environ["PYTHONPATH"]
isolation.WORKER = Path(slow, "slow.py")
read = isolation.parse_in_child
threading.Thread(target=read, args=(b"a,b", "a.csv", ReadOptions(), Limits()), daemon=True).start()
child = Child(Scratch(), "slow")
print("begun", flush=True)
next(events(spec, jobs=2))
"""


def test_children_die_with_their_parent_while_they_still_import(tmp_path):
    """Libraries take seconds, and many more on a busy machine: nothing of a child's own has run by then."""
    for name in ("slow.py", "loky.py"):
        (tmp_path / name).write_text(
            "import os, time\n"
            "open(os.path.join(os.environ['TMPDIR'], f'imports-{os.getpid()}'), 'w')\n"
            "time.sleep(600)"
        )
    running = program(IMPORTING, tmp_path)
    assert running.stdout.readline()
    # A parser, a job and two workers.
    importing = poll(lambda: len(list(tmp_path.glob("imports-*"))) == 4)
    below = kill_tree_root(running)
    assert die_soon(below) and importing, below


def test_elsewhere_than_on_linux_a_child_looks_after_its_parent_itself():
    child = (
        "import sys; sys.platform = 'elsewhere'; import preamble; preamble.end_with_parent(int(sys.argv[1]))\n"
        "print('ready', flush=True); import time; time.sleep(600)"
    )
    parent = "import os, subprocess, sys; subprocess.call([sys.executable, *sys.argv[1:], str(os.getpid())])"
    running = subprocess.Popen(
        [sys.executable, "-c", parent, "-c", child],
        env=os.environ | {"PYTHONPATH": str(worker_lifetime.FOLDER)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdout.readline() == "ready\n"
    (watching,) = psutil.Process(running.pid).children()
    assert not dead(watching)
    assert die_soon(kill_tree_root(running))


def test_a_job_outlives_the_thread_that_started_it_but_not_the_program(tmp_path):
    running = program(JOB, tmp_path)
    assert running.stdout.readline()
    [child] = psutil.Process(running.pid).children()
    # The thread has ended: results still come.
    file = next(tmp_path.glob("*/scores.csv"))
    size = file.stat().st_size
    assert poll(lambda: file.stat().st_size > size) and not dead(child)
    below = kill_tree_root(running)
    assert die_soon(below), below


def test_the_child_that_parses_dies_with_its_parent(tmp_path):
    """The parser itself, reading a named pipe that nobody writes to."""
    pipe = tmp_path / "input.csv"
    os.mkfifo(pipe)
    text = """
from calm_core.ingest import isolation, ReadOptions
from calm_core.ingest.limits import Limits
from pathlib import Path
isolation.parse_in_child(Path(sys.argv[1]), "input.csv", ReadOptions(), Limits())
"""
    running = program(text, tmp_path, pipe)
    asleep = (psutil.STATUS_SLEEPING, psutil.STATUS_DISK_SLEEP)
    parent = psutil.Process(running.pid)
    assert poll(lambda: parent.children() and _asked(parent.children()[0]))
    [child] = parent.children()
    assert child.status() in asleep
    assert all(map(lambda process: poll(lambda: dead(process)), kill_tree_root(running)))


def test_whoever_is_asked_to_end_while_threads_hand_over_work_ends(tmp_path):
    running = program(INTERRUPTED, tmp_path)
    try:
        printed, _ = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
    assert printed == f"{[True] * 2}\n{[True] * 8}\n" and running.returncode == 0


def _asked(process: psutil.Process) -> bool:
    """Whether the parser has read its job: it then waits for the pipe."""
    try:
        return "wait_for_partner" in Path(f"/proc/{process.pid}/wchan").read_text()
    except OSError:
        return False


def test_what_a_killed_process_leaves_is_swept_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(temp_dirs.tempfile, "tempdir", str(tmp_path))
    running = program(JOB, tmp_path)
    folder = Path(running.stdout.readline().strip())
    below = kill_tree_root(running)
    assert poll(lambda: all(map(dead, below)))
    assert folder.exists()
    alive = program(JOB, tmp_path)
    theirs = Path(alive.stdout.readline().strip())
    (tmp_path / "calm-scratch-of-somebody").mkdir()
    (tmp_path / "calm-scratch-of-somebody" / "thesis.txt").touch()
    (tmp_path / "calm-scratch-link").symlink_to(theirs)
    with PrivateTempDir() as mine:
        assert remove_stale() == [folder]
        assert mine.path.exists() and (theirs / "scores.csv").exists()
        assert remove_stale() == []
    kill_tree_root(alive)
    assert poll(lambda: remove_stale() == [theirs])
    assert left_in(tmp_path) == ["calm-scratch-of-somebody/thesis.txt"]


def test_what_others_own_is_not_swept(tmp_path, monkeypatch):
    monkeypatch.setattr(temp_dirs.tempfile, "tempdir", str(tmp_path))
    code = "import os, signal; from calm_core.runtime.temp_dirs import Scratch; a = Scratch(); os.kill(os.getpid(), 9)"
    own = {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=os.environ | own)
    monkeypatch.setattr(temp_dirs.os, "getuid", lambda: os.geteuid() + 1)
    assert len(list(tmp_path.iterdir())) == 1 and remove_stale() == []
    monkeypatch.undo()
    monkeypatch.setattr(temp_dirs.tempfile, "tempdir", str(tmp_path))
    assert len(remove_stale()) == 1


@pytest.mark.parametrize("end", ["killed", "interrupted", "finished"])
def test_workers_leave_nothing_on_disk(end, tmp_path):
    """Neither in the temporary folder nor in shared memory, where joblib puts large arrays."""
    few = "\nfrom itertools import islice\nrunning = islice(running, 6)"
    running = program(
        WORKERS.replace("jobs=2)", f"jobs=2){few if end == 'finished' else ''}"), tmp_path
    )
    assert running.stdout.readline()
    below = psutil.Process(running.pid).children(recursive=True)
    if end == "killed":
        assert die_soon(kill_tree_root(running)), below
    elif end == "interrupted":
        running.send_signal(signal.SIGINT)
    running.wait(timeout=PATIENCE)
    assert poll(lambda: all(map(dead, below)))
    ours = [f"-{process.pid}-" for process in (running, *below)]
    ours += [f"_{process.pid}_" for process in (running, *below)]

    def left():
        shared = Path("/dev/shm").glob("*")
        return left_in(tmp_path) + [p.name for p in shared if any(pid in p.name for pid in ours)]

    assert poll(lambda: not left()), left()


def test_the_app_sweeps_at_the_start(tmp_path):
    code = "import os; from calm_core.runtime.temp_dirs import Scratch; a = Scratch(); os.kill(os.getpid(), 9)"
    own = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    app = [
        sys.executable, "-c",
        # What the first visitor sees need not be computed; the classroom's writer works.
        "import asyncio, app\nfrom pages.ui import cached\ncached.warm_up = lambda: None\n"
        "async def main():\n    async with app.lifespan(None):\n        pass\nasyncio.run(main())",
    ]  # fmt: skip
    subprocess.run([sys.executable, "-c", code], env=own)
    assert len(list(tmp_path.glob("calm-scratch-*"))) == 1
    subprocess.run(app, env=own, cwd=ROOT, capture_output=True, timeout=120)
    assert not list(tmp_path.glob("calm-scratch-*"))
