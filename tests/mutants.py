"""Known faults, put in one by one: does a test turn red?

    python tests/mutants.py            every fault; prints killed/total (several minutes)
    python tests/mutants.py oracle     only faults whose name or file holds the word

Each fault (tests/faults) is a change of text in one file of a temporary copy of the project; the
tests named with it are run there until the first fails. A fault that no test notices "survives",
and the script ends with status 1.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.faults import MUTANTS  # noqa: E402 - a script's folder is not the project's
from tests.faults.mutant import Mutant  # noqa: E402

COPIED = (
    "app.py", "calm_core", "pages", "tests", "sample_data", ".streamlit", "pyproject.toml",
    "requirements.txt", "README.md",
)  # fmt: skip
DATA = os.environ.get("CALM_SHARED_DATA", str(ROOT.parent / "shared" / "data"))


class Project:
    """A temporary copy of the project with a process of its own that runs its tests."""

    def __enter__(self) -> "Project":
        self._temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self._temporary.name)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                # With its byte code, which is good for a file of the same second and length.
                shutil.copytree(source, self.folder / name)
            elif source.exists():
                shutil.copy(source, self.folder)
        # None is written: a fault of the same length within the same second would go unnoticed.
        # PYTHONPATH: children of the tests import the copy too, not what is installed.
        settings = {
            "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(self.folder / "numba"),
            "PYTHONPATH": str(self.folder), "CALM_SHARED_DATA": DATA,
        }  # fmt: skip
        # CI: libraries are more lenient where it is set, and a fault is one everywhere.
        inherited = {
            name: value
            for name, value in os.environ.items()
            if "PYTEST" not in name and name != "CI"
        }
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.server"], cwd=self.folder,
            env=inherited | settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        return self

    def __exit__(self, *error) -> None:
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()
        self._temporary.cleanup()

    def run(self, tests: tuple[str, ...]) -> int:
        """Run tests until the first fails; pytest's exit status."""
        print(json.dumps(tests), file=self._server.stdin, flush=True)
        return int(self._server.stdout.readline())


def verdict(project: Project, mutant: Mutant) -> str:
    """Put one fault in, run its tests, take it out: "killed", "SURVIVED" or "BROKEN"."""
    file = project.folder / mutant.path
    text, before = file.read_text(encoding="utf-8"), file.stat()
    assert text.count(mutant.old) == 1, f"{mutant.name}: its text is not there exactly once"
    file.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    assert int(file.stat().st_mtime) != int(before.st_mtime), "byte code of before would be run"
    try:
        status = project.run(mutant.tests)
    finally:
        file.write_text(text, encoding="utf-8")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    # Status 1 is a failed test; others (nothing collected, no import) prove nothing.
    return {0: "SURVIVED", 1: "killed"}.get(status, f"BROKEN ({status})")


def try_all(chosen: list[Mutant], workers: int) -> int:
    """Print one line for each fault, and killed/total; the script's exit status."""
    projects: SimpleQueue = SimpleQueue()

    def try_one(mutant: Mutant) -> bool:
        project, start = projects.get(), time.perf_counter()
        found = verdict(project, mutant)
        projects.put(project)
        seconds = time.perf_counter() - start
        print(f"{found:10} {seconds:6.1f} s  {mutant.path}: {mutant.name}", flush=True)
        return found == "killed"

    with ExitStack() as copies, ThreadPoolExecutor(workers) as pool:
        for _ in range(workers):
            projects.put(copies.enter_context(Project()))
        killed = sum(pool.map(try_one, chosen))
    print(f"{killed}/{len(chosen)} killed")
    return 0 if killed == len(chosen) else 1


def main() -> int:
    """Try the faults; first see that their tests pass without any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "word", nargs="?", default="", help="only faults whose name or file holds it"
    )
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="how many at a time"
    )
    asked = parser.parse_args()
    chosen = [m for m in MUTANTS if asked.word.lower() in f"{m.name} {m.path}".lower()]
    if not chosen:
        parser.error(f"no fault's name or file holds {asked.word!r}; leave it out to try every one")
    needed = tuple(sorted({test for mutant in chosen for test in mutant.tests}))
    with Project() as project:
        if project.run(needed):
            print("The tests fail without any fault; nothing can be concluded.")
            return 2
    return try_all(chosen, asked.workers)


if __name__ == "__main__":
    sys.exit(main())
