"""Really killed processes: nothing of theirs goes on, and nothing of theirs stays on disk."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from calm_core.runtime import child_process, temp_dirs
from calm_core.runtime.temp_dirs import PrivateTempDir, remove_stale

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
# Generous: a killed tree is gone in milliseconds, unless the machine is busy.
SECONDS = 60

# The job is started as a page does it: in a thread that ends once the child works.
JOB = """
import os, sys, threading, time
from calm_core.runtime.subprocess_jobs import BackgroundProcess
os.environ["PYTHONPATH"] = os.environ["TMPDIR"] + os.pathsep + os.environ["PYTHONPATH"]
jobs = []
def page():
    jobs.append(BackgroundProcess("growing", None))
    while not (jobs[0].path / "scores.csv").exists():
        time.sleep(0.05)
thread = threading.Thread(target=page)
thread.start()
thread.join()
print(jobs[0].path, flush=True)
time.sleep(600)
"""
GROWING = """
import sys, time
from pathlib import Path
from calm_core.runtime.subprocess_jobs import start_watchdog
start_watchdog(Path(sys.argv[1]))
while True:
    with Path(sys.argv[1], "scores.csv").open("a") as file:
        print("row", file=file)
    time.sleep(0.01)
"""
WORKERS = """
import time
from functools import partial
from calm_core.runtime.executors import run_tasks
running = run_tasks([partial(abs, 1), *[partial(time.sleep, 600)] * 3], jobs=2)
next(running)
print("at work", flush=True)
for _ in running:
    pass
"""
# A parser and a job whose imports do not end.
IMPORTING = """
from pathlib import Path
from calm_core.ingest import ReadOptions, limits
from calm_core.ingest.limits import Limits
from calm_core.runtime.subprocess_jobs import BackgroundProcess
slow = os.environ["TMPDIR"]
os.environ["PYTHONPATH"] = slow + os.pathsep + os.environ["PYTHONPATH"]
limits.WORKER = Path(slow, "slow.py")
child = BackgroundProcess("slow", None)
print("begun", flush=True)
limits.parse_in_child(b"a,b", "a.csv", ReadOptions(), Limits())
"""
# A request to stop comes just when this thread has got the lock of a Condition: Python then leaves it locked.
INTERRUPTED = """
import os, signal, threading, time
from calm_core.runtime.processes import StopRequested, interruptible, run_in_launcher_thread
enter, here, left = threading.Condition.__enter__, threading.get_ident(), 0
def enter_and_stop(condition):
    global left
    entered = enter(condition)
    if threading.get_ident() == here and left:
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGTERM)
    return entered
threading.Condition.__enter__ = enter_and_stop
def launch():
    run_in_launcher_thread(time.sleep, 0.05)
def stopped(task, at):
    global left
    left = at
    try:
        with interruptible():
            task()
    except StopRequested:
        return True
    finally:
        left = 0
print(stopped(launch, 1))
launch()
"""
LEAVING = "import os; from calm_core.runtime.temp_dirs import PrivateTempDir; a = PrivateTempDir(); os.kill(os.getpid(), 9)"


def start_program(text: str, temporary: Path) -> subprocess.Popen:
    env = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", text]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def eventually(condition, seconds=SECONDS) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.05)
    return False


def is_dead(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def files_in(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def descendants(running: subprocess.Popen) -> list[psutil.Process]:
    below = psutil.Process(running.pid).children(recursive=True)
    assert below
    return below


def die_with_parent(running: subprocess.Popen) -> bool:
    """Kill a program alone; whether its descendants die soon. They are not left to the machine either way."""
    below = descendants(running)
    running.kill()
    running.wait()
    try:
        return eventually(lambda: all(map(is_dead, below)), seconds=15)
    finally:
        for process in below:
            if not is_dead(process):
                process.kill()


def test_children_die_with_their_parent_while_they_still_import(tmp_path):
    """Imports take seconds, many more on a busy machine: the child's own code has not run by then."""
    (tmp_path / "slow.py").write_text(
        "import os, time\n"
        "open(os.path.join(os.environ['TMPDIR'], f'imports-{os.getpid()}'), 'w')\n"
        "time.sleep(600)"
    )
    running = start_program("import os\n" + IMPORTING, tmp_path)
    assert running.stdout.readline()
    importing = eventually(lambda: len(list(tmp_path.glob("imports-*"))) == 2)
    assert die_with_parent(running) and importing


def test_elsewhere_than_on_linux_a_child_watches_its_parent_itself():
    child = (
        "import sys; sys.platform = 'elsewhere'; import child_process; child_process.end_with_parent(int(sys.argv[1]))\n"
        "print('ready', flush=True); import time; time.sleep(600)"
    )
    parent = "import os, subprocess, sys; subprocess.call([sys.executable, *sys.argv[1:], str(os.getpid())])"
    running = subprocess.Popen(
        [sys.executable, "-c", parent, "-c", child],
        env=os.environ | {"PYTHONPATH": str(Path(child_process.__file__).parent)},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdout.readline() == "ready\n"
    assert not any(map(is_dead, descendants(running))) and die_with_parent(running)


def test_a_job_outlives_its_thread_not_its_program_and_only_its_folder_is_removed(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(temp_dirs.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "growing.py").write_text(GROWING)
    running = start_program(JOB, tmp_path)
    folder = Path(running.stdout.readline().strip())
    # The thread has ended: results still come.
    size = (folder / "scores.csv").stat().st_size
    assert eventually(lambda: (folder / "scores.csv").stat().st_size > size)
    (tmp_path / "calm-scratch-of-somebody").mkdir()
    (tmp_path / "calm-scratch-of-somebody" / "thesis.txt").touch()
    (tmp_path / "calm-scratch-link").symlink_to(folder)
    with PrivateTempDir() as own:
        assert remove_stale() == [] and (folder / "scores.csv").exists()
        assert die_with_parent(running) and folder.exists()
        assert eventually(lambda: remove_stale() == [folder]) and own.path.exists()
    left = {name for name in files_in(tmp_path) if not name.endswith((".py", ".pyc"))}
    assert left == {"calm-scratch-of-somebody/thesis.txt"}


def test_another_user_s_folder_is_not_removed(tmp_path, monkeypatch):
    start_program(LEAVING, tmp_path).wait()
    with monkeypatch.context() as patch:
        patch.setattr(temp_dirs.tempfile, "tempdir", str(tmp_path))
        patch.setattr(temp_dirs.os, "getuid", lambda: os.geteuid() + 1)
        assert len(list(tmp_path.iterdir())) == 1 and remove_stale() == []
    monkeypatch.setattr(temp_dirs.tempfile, "tempdir", str(tmp_path))
    assert len(remove_stale()) == 1


def test_a_stop_while_threads_hand_over_work_leaves_no_lock_behind(tmp_path):
    running = start_program(INTERRUPTED, tmp_path)
    try:
        printed, _ = running.communicate(timeout=SECONDS)
    finally:
        running.kill()
    assert printed == "True\n" and running.returncode == 0


@pytest.mark.parametrize("end", ["killed", "interrupted"])
def test_workers_end_with_their_program_and_leave_nothing_on_disk(end, tmp_path):
    running = start_program(WORKERS, tmp_path)
    assert running.stdout.readline()
    below = descendants(running)
    if end == "killed":
        assert die_with_parent(running), below
    else:
        running.send_signal(signal.SIGINT)
        running.wait(timeout=SECONDS)
    assert eventually(lambda: all(map(is_dead, below)))
    assert eventually(lambda: not files_in(tmp_path))


def test_the_app_removes_stale_folders_at_its_start(tmp_path):
    env = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    app = (
        "import asyncio, app\nfrom pages.ui import cached_calls\ncached_calls.warm_up = lambda: None\n"
        "async def main():\n    async with app.lifespan(None):\n        pass\nasyncio.run(main())"
    )
    start_program(LEAVING, tmp_path).wait()
    assert len(list(tmp_path.glob("calm-scratch-*"))) == 1
    subprocess.run([sys.executable, "-c", app], env=env, cwd=ROOT, capture_output=True, timeout=120)
    assert not list(tmp_path.glob("calm-scratch-*"))
