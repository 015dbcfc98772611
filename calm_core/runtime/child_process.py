"""Child processes that end with their parent, from their first moment.

    python child_process.py PARENT MODULE-OR-FILE ...

A child runs this file before it imports anything else: libraries take seconds to import, and until the child has asked
to end with its parent it can outlive it. So this file imports little of the standard library.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG, SIGKILL = 1, 9  # linux/prctl.h; importing `signal` takes longer than all the rest
POLL_SECONDS = 0.5
ORPHANED = 4


def build_command(*words: object, flags: tuple[str, ...] = ("-P",)) -> list[str]:
    """The command line of a child that runs a module, a file, or another program by its path.

    On Linux a child ends with the thread that starts it: start it with `run_in_launcher_thread`, or in a thread that
    waits for its end.

    Parameters
    ----------
    *words : object
        Module, or path of a file or program, and its arguments.
    flags : tuple of str
        Options of Python; this folder must not get onto the child's path.

    Examples
    --------
    >>> build_command("calm_core.experiments.background", "/tmp/request")[-2:]
    ['calm_core.experiments.background', '/tmp/request']
    """
    return [sys.executable, *flags, os.path.abspath(__file__), str(os.getpid()), *map(str, words)]


def end_with_parent(parent: int) -> None:
    """Let this process be killed as soon as the process `parent`, which started it, is dead.

    On Linux the kernel does it, whatever this process computes; elsewhere a thread looks twice a second.
    """
    linux = sys.platform == "linux"
    if not linux or ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0:
        import threading

        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    # It may have died before the kernel was asked.
    if os.getppid() != parent:
        os._exit(ORPHANED)


def _watch(parent: int) -> None:
    import time

    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os._exit(ORPHANED)


def run(parent: str, *words: str) -> None:
    """Run a module, a file or another program, with its arguments, for as long as the parent lives."""
    end_with_parent(int(parent))
    import runpy

    sys.argv[:] = words
    if os.path.isabs(words[0]) and not words[0].endswith(".py"):
        os.execv(words[0], words)
    elif words[0].endswith(".py"):
        runpy.run_path(words[0], run_name="__main__")
    else:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    run(*sys.argv[1:])
