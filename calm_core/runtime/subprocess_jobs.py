"""Work in a process of its own, for a page that looks in now and then.

The parent writes a request into a private folder and has MODULE run with FOLDER; the child
leaves what it finds there. It runs at low priority on one core. It ends by itself when nobody has looked
for a while, since a closed browser tab stops its work, and with the app, however that ends.
"""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

from calm_core.runtime.processes import run_in_launcher_thread
from calm_core.runtime.temp_dirs import PrivateTempDir
from calm_core.runtime.worker_lifetime import command

IDLE_SECONDS = 20.0
# Exit status of a child that nobody has looked at any more.
ABANDONED = 3


class BackgroundProcess:
    """A process that works for a page; subclasses say what it leaves.

    Keep it as long as the work matters. Its folder goes when the process has ended, or with it.

    Parameters
    ----------
    scratch : Scratch
        The private folder, with the request in it.
    module : str
        What the child runs; it calls `start_watchdog` first.
    """

    def __init__(self, scratch: PrivateTempDir, module: str):
        self.started = time.monotonic()
        self.cancelled = False
        self._scratch = scratch
        self._problem = ""
        # Two runs of a page can meet here.
        self._lock = threading.Lock()
        with scratch.open("alive", "w"):
            pass  # made
        one_core = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        root = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        with scratch.open("problem.txt", "wb") as problem:
            self._process = run_in_launcher_thread(
                subprocess.Popen,
                command(module, scratch.path),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=problem,
                # A group of its own, to be ended with whatever it starts; not a session, in which Linux would
                # weigh it as much as all the app's threads together (autogroup), however nice it is.
                env=os.environ | one_core | {"PYTHONPATH": paths}, process_group=0,
            )  # fmt: skip

    @property
    def path(self) -> Path:
        """Where the child's files are while it works."""
        return self._scratch.path

    @property
    def running(self) -> bool:
        """Whether the child still works."""
        return self._process.poll() is None

    @property
    def succeeded(self) -> bool:
        """Whether it has ended as it should."""
        return self._process.poll() == 0

    def look(self) -> None:
        """Take in what there is so far; this also tells the child that somebody is still there."""
        with self._lock:
            ended = not self.running
            if self.path.is_dir():
                (self.path / "alive").touch()
                self._take()
                self._problem = self._read("problem.txt").decode(errors="replace").strip()
            if ended:
                self._scratch.close()

    def _take(self) -> None:
        """Read what the child has left."""
        raise NotImplementedError

    def _read(self, name: str) -> bytes:
        file = self.path / name
        return file.read_bytes() if file.exists() else b""

    def reason(self) -> str:
        """Why the child died, in plain words."""
        code = self._process.returncode
        if code == ABANDONED:
            return (
                f"nobody looked at it for {IDLE_SECONDS:.0f} seconds, as when its page is left or its "
                "tab sleeps; stay on the page and start it again"
            )
        if code < 0:
            memory = ", often for want of memory" if -code == signal.SIGKILL else ""
            return f"the system ended it (signal {-code}{memory}); start it again, with less to do"
        if self._problem:
            return f"it failed ({self._problem.splitlines()[-1]:.300})"
        return f"its process ended early (status {code}); start it again"

    def cancel(self) -> None:
        """Stop the child at once, with whatever it has started; what it has found stays."""
        if self.running:
            self.cancelled = True
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=10)
        self.look()


def start_watchdog(folder: Path) -> None:
    """The first that a child's module does: it ends when nobody looks any more, as it does with its parent already."""
    os.nice(10)
    os.umask(0o077)
    threading.Thread(target=_watch, args=(folder / "alive",), daemon=True).start()


def _watch(alive: Path) -> None:
    while True:
        time.sleep(1.0)
        try:
            silent = time.time() - alive.stat().st_mtime
        except FileNotFoundError:
            silent = IDLE_SECONDS + 1
        if silent > IDLE_SECONDS:
            os._exit(ABANDONED)
