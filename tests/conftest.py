"""Fixtures shared by all tests."""

import gc
import os
import signal
import sys
from collections.abc import Callable
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

# A worker of pytest has one core: threads of linear algebra would wait for each other, two to five times
# as long. Set before numpy is imported; child processes of the tests inherit it.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Started in the background of a shell, tests and their child processes would ignore SIGINT.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import settings

# The same examples in every run; HYPOTHESIS_PROFILE=default looks for new ones. No deadline: how long an
# example takes depends on the load of the machine.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

ROOT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config) -> int:
    """A worker a core; half as many more where browsers run, for whom a test waits half of its time."""
    cores = os.cpu_count() or 1
    return cores if "not browser" in config.option.markexpr else (3 * cores + 1) // 2


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Keep the collected tests out of garbage collection: they stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """No examples are looked for in the tests: they stand in what is tested."""
    return [found for found in (yield) if type(found) is pytest.Module]


# Folders whose tests draw many samples, read whole collections of files or run experiments.
SLOW_FOLDERS = ("amplification", "attacks", "bad_files", "experiments", "noise")


def pytest_itemcollected(item):
    """Mark as slow what is in such a folder or opens the app."""
    if item.path.parent.name in SLOW_FOLDERS or "open_app" in getattr(item, "fixturenames", ()):
        item.add_marker("slow")


def split(tests: list, into: int) -> list[list]:
    """Consecutive parts of equal length: what the tests of a file share is made once."""
    ends = [len(tests) * part // into for part in range(into + 1)]
    return [tests[first:last] for first, last in pairwise(ends)]


def assign_to_workers(items: list, workers: int) -> list:
    """The tests ordered by worker: equally many each, slow ones first.

    Every third worker drives no browser: it computes while the others wait for theirs.
    """
    kinds: tuple[list, ...] = ([], [], [])
    for item in items:
        long = [item.get_closest_marker(name) for name in ("browser", "slow")]
        kinds[0 if long[0] else 1 if long[1] else 2].append(item)
    browser, slow, rest = kinds
    driving = [worker for worker in range(workers) if worker % 3 != 1]
    parts = split(slow, workers)
    for worker, part in zip(driving, split(browser, len(driving))):
        parts[worker][:0] = part
    quick = iter(rest)
    for part, share in zip(parts, split(items, workers)):
        part.extend(islice(quick, max(0, len(share) - len(part))))
    return [item for part in parts for item in part]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Each worker of xdist takes a part of the list, and then tests of the worker with most left."""
    items[:] = assign_to_workers(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)))


@pytest.fixture(scope="session", autouse=True)
def classroom_file(tmp_path_factory):
    """No test, and no server that one starts, uses the surveys of the person who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CALM_CLASSROOM", str(tmp_path_factory.mktemp("room") / "classroom.sqlite3"))
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed; every test must pass with any seed."""
    return np.random.default_rng(20181015)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; tests that need it are skipped without it."""
    folder = Path(os.environ.get("CALM_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found in {folder}")
    return folder


@pytest.fixture
def parse_in_process(monkeypatch):
    """Parse files without a child process, which takes half a second; tests/ingest has those."""
    from calm_core.ingest import reading

    def read(source, name, options, limits, on_wait=None):
        content = pa.py_buffer(source) if isinstance(source, bytes) else reading.map_file(source)
        return reading.parse_buffer(content, name, options, limits)

    monkeypatch.setattr(reading, "parse_in_child", read)


class Called(NamedTuple):
    """The result of a call of the command line: exit status and output."""

    status: int
    out: str
    err: str


@pytest.fixture
def call(monkeypatch, capsys) -> Callable[..., Called]:
    """`call("plan", "--n", 9, ...)` runs the command line in this process.

    Starting a process takes seconds: only tests of signals, encodings and exit statuses start one.
    """
    from calm_core.cli import main

    def call(*args) -> Called:
        monkeypatch.setattr(sys, "argv", ["calm_core", *map(str, args)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main()
        return Called(done.value.code, *capsys.readouterr())

    return call
