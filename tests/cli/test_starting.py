"""Memory too short for the libraries: one line of the command line, the error itself elsewhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from calm_core.__main__ import LOW_MEMORY

ROOT = Path(__file__).resolve().parents[2]
CALL = ["plan", "--n", "99", "--sizes", "2,2", "--epsilon", "1", "--k", "2"]
FAILURES = {
    "numpy": 'raise ImportError("libopenblas.so: failed to map segment from shared object")',
    "pyarrow": "raise MemoryError",
    "typer": 'raise OSError(12, "Cannot allocate memory")',
}


@pytest.fixture
def start(tmp_path):
    """`start(package, failure, *words)`: a process of Python in which importing the package fails."""

    def start(package, failure, *words):
        (tmp_path / f"{package}.py").write_text(failure, encoding="utf-8")
        env = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
        command = [sys.executable, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=100)

    return start


@pytest.mark.parametrize(("package", "failure"), FAILURES.items())
def test_too_little_memory_to_start_is_one_line(start, package, failure, tmp_path):
    words = ["-m", "calm_core"]
    if package == "pyarrow":
        # The script that pip writes.
        (tmp_path / "calm-lab").write_text("from calm_core.__main__ import main\nmain()\n")
        words = [tmp_path / "calm-lab"]
    done = start(package, failure, *words, *CALL)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr == LOW_MEMORY + "\n"


def test_an_interruption_while_libraries_load_is_one_line(start):
    done = start("numpy", "raise KeyboardInterrupt", "-m", "calm_core", *CALL)
    assert (done.returncode, done.stderr) == (130, "interrupted; nothing was written\n")


@pytest.mark.slow
def test_too_little_memory_for_what_is_loaded_later_is_one_line(start, tmp_path):
    """`plan` loads scipy only for an optimal design."""
    plan = tmp_path / "plan.json"
    more = ["--sizes", "2,2,2", "--method", "calm_plus", "--design", "optimal", "--out", plan]
    done = start("scipy", FAILURES["numpy"], "-m", "calm_core", *CALL, *more)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "more memory than there is" in done.stderr and done.stderr.count("\n") == 1
    assert not plan.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of address space")
@pytest.mark.parametrize("mebibytes", [60, 400])
def test_a_limit_that_is_too_low_is_said_before_a_library_is_loaded(mebibytes):
    """With these, libraries end the process, fail in another way, or wait for ever."""
    import resource

    done = subprocess.run(
        [sys.executable, "-m", "calm_core", *CALL], capture_output=True, text=True, timeout=100,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20,) * 2),
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, LOW_MEMORY + "\n"), done.stderr


def test_whoever_imports_the_library_gets_the_error(start):
    done = start("numpy", "raise MemoryError", "-c", "from calm_core import make_plan")
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "MemoryError"


# What children and the command line import, and a report file written and read.
OF_CHILDREN = """
import sys
import numpy as np
import calm_core as cc, calm_core.classroom.store, calm_core.cli, calm_core.collection.parts, calm_core.ingest
from calm_core.collection.report_files import ReportColumns, ReportFile, ReportRows
plan = cc.make_plan(cc.Domain("ab", (2, 2)), 99, epsilon=1.0, k=2, rng=np.random.default_rng(1))
rows = ReportRows(np.zeros(9, np.uint16), np.arange(9, dtype=np.uint8) % 2, None)
open(sys.argv[1], "wb").write(ReportColumns(plan).parquet(rows, "0f"))
(read,) = ReportFile(sys.argv[1], ReportColumns(plan))
assert (read.views == rows.views).all() and (read.body == rows.body).all()
"""


@pytest.mark.slow
def test_neither_children_nor_most_commands_load_pandas(start, tmp_path):
    """Every one would load it, which takes four times as long."""
    done = start("pandas", "raise MemoryError", "-c", OF_CHILDREN, tmp_path / "r.parquet")
    assert done.returncode == 0, done.stderr


def test_the_import_of_the_library_alone_loads_no_slow_package(start):
    done = start("numpy", "raise MemoryError", "-c", "import calm_core, sys; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    assert not {"scipy", "pandas", "pyarrow", "numba", "typer"} & {*done.stdout.split()}


def test_another_error_at_the_start_stays_what_it_is(start):
    done = start("typer", 'raise ImportError("a broken installation")', "-m", "calm_core", *CALL)
    assert done.returncode == 1 and "a broken installation" in done.stderr
    assert LOW_MEMORY not in done.stderr
