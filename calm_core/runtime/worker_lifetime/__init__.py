"""Processes of ours that end with the one that started them, and from their first moment.

Libraries take seconds to import, and many more on a busy machine: a child runs `preamble` before anything else.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
# What loky's workers run first, a module that is found in this folder; whose children they are, they are told here.
WORKER, PARENT = "loky_worker", "CALM_LAB_PARENT"


def command(*words: object, flags: Sequence[str] = ("-P",)) -> list[str]:
    """The command of a child: a module or a file that it runs, with arguments.

    Start it with `processes.start_lasting`, unless the thread that does it waits for its end.

    Parameters
    ----------
    *words : object
        Module or path of a file, and arguments.
    flags : sequence of str
        Options of Python; no folder of this package gets onto its path.

    Examples
    --------
    >>> command("calm_core.experiments.background", "/tmp/request")[-2:]
    ['calm_core.experiments.background', '/tmp/request']
    """
    first = (FOLDER / "preamble.py", os.getpid())
    return [sys.executable, *flags, *map(str, (*first, *words))]


def of_worker() -> dict[str, str]:
    """What must stand in the environment of a worker of loky that is started by `WORKER`.

    Examples
    --------
    >>> int(of_worker()["CALM_LAB_PARENT"]) == os.getpid()
    True
    """
    paths = filter(None, (str(FOLDER), os.environ.get("PYTHONPATH")))
    return {"PYTHONPATH": os.pathsep.join(paths), PARENT: str(os.getpid())}
