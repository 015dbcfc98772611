"""Known faults, put in one by one: does a test turn red?

    python tests/mutants.py            every fault; prints killed/total (several minutes)
    python tests/mutants.py oracle     only faults whose name or file holds the word

Each fault (tests/faults) is a change of text in one file of a temporary copy of the project; the
tests named with it are run there until the first fails. A fault that no test notices "survives",
and the script ends with status 1.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
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


@contextmanager
def copy_of_project() -> Iterator[Path]:
    """A temporary folder with everything the tests need."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, folder)
        yield folder


def run_tests(folder: Path, tests: tuple[str, ...]) -> int:
    """Run tests in a copy of the project until the first fails; pytest's exit status."""
    found = [test for test in tests if (folder / test.split("::")[0]).exists()]
    # No byte code: a fault of the same length within the same second would go unnoticed.
    # PYTHONPATH: children of the tests import the copy too, not what is installed.
    settings = {
        "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(folder / "numba"),
        "PYTHONPATH": str(folder), "CALM_SHARED_DATA": DATA,
    }  # fmt: skip
    inherited = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *found]
    done = subprocess.run(command, cwd=folder, env=inherited | settings, capture_output=True)
    return done.returncode


def verdict(folder: Path, mutant: Mutant) -> str:
    """Put one fault in, run its tests, take it out: "killed", "SURVIVED" or "BROKEN"."""
    file = folder / mutant.path
    text = file.read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1, f"{mutant.name}: its text is not there exactly once"
    file.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        status = run_tests(folder, mutant.tests)
    finally:
        file.write_text(text, encoding="utf-8")
    # Status 1 is a failed test; others (nothing collected, no import) prove nothing.
    return {0: "SURVIVED", 1: "killed"}.get(status, f"BROKEN ({status})")


def try_all(chosen: list[Mutant], workers: int) -> int:
    """Print one line for each fault, and killed/total; the script's exit status."""
    folders: SimpleQueue = SimpleQueue()

    def try_one(mutant: Mutant) -> bool:
        folder, start = folders.get(), time.perf_counter()
        found = verdict(folder, mutant)
        folders.put(folder)
        seconds = time.perf_counter() - start
        print(f"{found:10} {seconds:6.1f} s  {mutant.path}: {mutant.name}", flush=True)
        return found == "killed"

    with ExitStack() as copies, ThreadPoolExecutor(workers) as pool:
        for _ in range(workers):
            folders.put(copies.enter_context(copy_of_project()))
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
    needed = tuple(sorted({test for mutant in chosen for test in mutant.tests}))
    with copy_of_project() as folder:
        if run_tests(folder, needed):
            print("The tests fail without any fault; nothing can be concluded.")
            return 2
    return try_all(chosen, asked.workers)


if __name__ == "__main__":
    sys.exit(main())
