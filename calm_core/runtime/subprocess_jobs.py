"""Jobs that run in a process of their own for a page, which looks at them now and then.

The parent writes a request into a private folder and starts a module with the folder as its argument; the child leaves
its results there. It runs at low priority on one core, and ends with the app, or when nobody has looked at it for a
while: to close a browser tab stops its work.
"""

import os
import pickle
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from calm_core.runtime.child_process import build_command
from calm_core.runtime.processes import run_in_launcher_thread
from calm_core.runtime.temp_dirs import PrivateTempDir

IDLE_SECONDS = 20.0
REQUEST = "request.pickle"
# Exit status of a child that nobody looks at any more.
ABANDONED = 3


class BackgroundProcess:
    """A process that works for a page; subclasses read what it leaves.

    Keep the object as long as the work matters: the process and its folder go with it.

    Parameters
    ----------
    module : str
        What the child runs; it calls `read_request` first.
    request : object
        What it asks for; goes through a file of the private folder.
    """

    def __init__(self, module: str, request: object):
        self.started = time.monotonic()
        self.cancelled = False
        self._folder = folder = PrivateTempDir()
        self._errors = ""
        # Two runs of a page can look at the same time.
        self._lock = threading.Lock()
        with folder.open("alive", "w"), folder.open(REQUEST, "wb") as file:
            pickle.dump(request, file)
        one_core = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        root = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        with folder.open("problem.txt", "wb") as errors:
            self._process = run_in_launcher_thread(
                subprocess.Popen,
                build_command(module, folder.path),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                # A process group, to be killed with all it starts; not a session, to which Linux would give as
                # much time as to all the app's threads together (autogroup), however nice it is.
                env=os.environ | one_core | {"PYTHONPATH": paths}, process_group=0,
            )  # fmt: skip

    @property
    def path(self) -> Path:
        """Where the child's files are while it works."""
        return self._folder.path

    @property
    def is_running(self) -> bool:
        """Whether the child still works."""
        return self._process.poll() is None

    @property
    def has_succeeded(self) -> bool:
        """Whether the child has ended without an error."""
        return self._process.poll() == 0

    def refresh(self) -> None:
        """Read what there is so far; this also tells the child that somebody still waits."""
        with self._lock:
            ended = not self.is_running
            if self.path.is_dir():
                (self.path / "alive").touch()
                self._read_results()
                self._errors = self._read("problem.txt").decode(errors="replace").strip()
            if ended:
                self._folder.close()

    def _read_results(self) -> None:
        """Read what the child has left."""
        raise NotImplementedError

    def _read(self, name: str) -> bytes:
        file = self.path / name
        return file.read_bytes() if file.exists() else b""

    def outcome(self, ended: bool, finished: bool, refused: str = "") -> tuple[str, str]:
        """How the work goes, and why it was refused or died.

        Parameters
        ----------
        ended : bool
            Whether the child had ended before its results were read: it may end in between.
        finished : bool
            Whether all results are there.
        refused : str
            Why the child refused to work, if it did.
        """
        if not ended:
            return "running", ""
        if self.has_succeeded and finished:
            return "finished", ""
        if refused:
            return "refused", refused
        return ("stopped", "") if self.cancelled else ("died", self.failure_reason())

    def failure_reason(self) -> str:
        """Why the child ended early, in plain words."""
        code = self._process.returncode
        if code == ABANDONED:
            return (
                f"nobody looked at it for {IDLE_SECONDS:.0f} seconds, as when its page is left or its "
                "tab sleeps; stay on the page and start it again"
            )
        if code < 0:
            memory = ", often for want of memory" if -code == signal.SIGKILL else ""
            return f"the system ended it (signal {-code}{memory}); start it again, with less to do"
        if self._errors:
            return f"it failed ({self._errors.splitlines()[-1]:.300})"
        return f"its process ended early (status {code}); start it again"

    def cancel(self) -> None:
        """Kill the child at once with all it has started; results so far stay."""
        if self.is_running:
            self.cancelled = True
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=10)
        self.refresh()


def read_request(folder: Path) -> Any:
    """What the parent asks of this child; deleted at once, since it may hold the data."""
    start_watchdog(folder)
    request = pickle.loads((folder / REQUEST).read_bytes())
    (folder / REQUEST).unlink()
    return request


def start_watchdog(folder: Path) -> None:
    """Lower the priority of this child, and let it end when nobody looks at it any more."""
    os.nice(10)
    os.umask(0o077)
    threading.Thread(target=_watch, args=(folder / "alive",), daemon=True).start()


def _watch(alive: Path) -> None:
    while True:
        time.sleep(1.0)
        try:
            idle = time.time() - alive.stat().st_mtime
        except FileNotFoundError:
            idle = IDLE_SECONDS + 1
        if idle > IDLE_SECONDS:
            os._exit(ABANDONED)
