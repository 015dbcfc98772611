"""Script of the child process that parses one file with its own limits.

Run by `limits.py` with a folder as its argument. It reads `job.json` there, and leaves
either `table.arrow` with `table.json`, or `error.json` with one sentence. It imports only the readers:
the packages `calm_core` and `calm_core.ingest` are entered by their folders, so that the imports of
the rest of the library do not delay every upload.
"""

import gc
import json
import math
import os
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType

NICENESS = 10
HERE = Path(__file__).resolve().parent


class WithoutPandas(MetaPathFinder):
    """Finds no pandas, which Arrow would import to ask whether a value is one of its own: half of a child's time."""

    def find_spec(self, fullname, path=None, target=None):
        """Nothing; the other finders are not asked for pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not needed here", name=fullname)


def enter_packages() -> None:
    """Make `calm_core.ingest.*` importable without running the packages' own __init__."""
    for name, folder in (("calm_core", HERE.parent), ("calm_core.ingest", HERE)):
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    sys.meta_path.insert(0, WithoutPandas())


def limit_process(memory_bytes: int, seconds: int) -> None:
    """Limit address space, processor time, file size and core dumps."""
    try:
        import resource
    except ImportError:  # not on Windows, where the parent's time limit applies
        return
    for what, amount in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, memory_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        limit = math.inf if hard == resource.RLIM_INFINITY else hard
        allowed = int(min(amount, limit))
        # With a lower soft limit the system signals SIGXCPU before it kills.
        harder = allowed + 1 if what == resource.RLIMIT_CPU and allowed < limit else allowed
        resource.setrlimit(what, (allowed, harder))


def run(folder: Path) -> None:
    """Parse the file of the job and write the result into the folder."""
    os.umask(0o077)
    if sys.platform != "win32":
        # Pages have priority.
        os.nice(NICENESS)
    job = json.loads((folder / "job.json").read_text("utf-8"))
    limit_process(job["limits"]["memory_bytes"], job["seconds"])
    enter_packages()
    # A short life: what a parser leaves lying is not worth a search among millions of cells.
    gc.disable()
    from calm_core.errors import TooLargeError, UserError

    try:
        from calm_core.ingest.limits import Limits, write_table
        from calm_core.ingest.reading import map_file, parse_buffer
        from calm_core.ingest.table import ReadOptions
        from calm_core.io.atomic_files import explain_os_errors
        from calm_core.runtime.temp_dirs import TEMP_FOLDER

        limits = Limits(**job["limits"])
        options = ReadOptions(**job["options"])
        table = parse_buffer(map_file(job["path"]), job["name"], options, limits)
        with explain_os_errors(folder, TEMP_FOLDER):
            write_table(table, folder)
        return
    except UserError as error:
        kind, sentence = type(error).__name__, str(error)
    except MemoryError:
        size = job["limits"]["memory_bytes"] / (1 << 20)
        kind = TooLargeError.__name__
        sentence = (
            f"the file needs more than {size:,.0f} MB of memory to read; keep fewer rows or columns"
        )
    (folder / "error.json").write_text(json.dumps({"kind": kind, "sentence": sentence}), "utf-8")


if __name__ == "__main__":
    run(Path(sys.argv[1]))
    # All is written and closed. Where the machine is busy Arrow's threads, when they are taken down, now and then abort.
    os._exit(0)
