"""The first that a child runs: it ends with its parent from here on, and only then imports what it is for.

    python preamble.py PARENT MODULE-OR-FILE ...

What is imported here delays every child, and until then it may outlive its parent: little of the standard library.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG, SIGKILL = 1, 9  # linux/prctl.h; `signal` takes longer to import than all the rest
LOOK_SECONDS = 0.5
ORPHANED = 4


def end_with_parent(parent: int) -> None:
    """Called in a child: it is killed as soon as the process `parent`, which started it, is dead.

    On Linux the kernel does it, whatever the child computes; elsewhere a thread looks twice a
    second. There the kernel takes the end of the thread that started the child for the parent's:
    start children with `processes.start_lasting`.
    """
    if not _killed_by_kernel():
        import threading

        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    # It may have died before the kernel was asked.
    if os.getppid() != parent:
        os._exit(ORPHANED)


def _killed_by_kernel() -> bool:
    if sys.platform != "linux":
        return False
    return ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0


def _watch(parent: int) -> None:
    import time

    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(ORPHANED)


def run(parent: str, *words: str) -> None:
    """Run a module or a file as the program, with arguments, for as long as the parent lives."""
    end_with_parent(int(parent))
    import runpy

    sys.argv[:] = words
    if words[0].endswith(".py"):
        runpy.run_path(words[0], run_name="__main__")
    else:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    run(*sys.argv[1:])
