"""Fixtures shared by all tests."""

import gc
import os
import signal
import sys
from collections.abc import Callable
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

# A worker of pytest has one core: threads of linear algebra would wait for each other, which takes two
# to five times as long. To be said before numpy is there; children of the tests inherit it.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Started in the background of a shell, tests and their children would never hear of an interruption.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import settings

# The same examples in every run; HYPOTHESIS_PROFILE=default looks for new ones. How long an example
# takes says how busy the machine is, not whether it is right.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

ROOT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two for each core: browser tests wait for half of their time."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """What is collected stays to the end: nothing of it is looked through for what could be freed."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def cut(tests: list, into: int) -> list[list]:
    """Parts that lie together and are equally long: what the tests of a file share is made once."""
    ends = [len(tests) * part // into for part in range(into + 1)]
    return [tests[first:last] for first, last in pairwise(ends)]


def dealt(items: list, workers: int) -> list:
    """The tests of one worker after those of the other; each gets as many, and what takes long first.

    Every fourth worker drives no browser: it computes while the browsers of the others are waited for.
    """
    kinds: tuple[list, ...] = ([], [], [])
    for item in items:
        long = [item.get_closest_marker(name) for name in ("browser", "slow")]
        kinds[0 if long[0] else 1 if long[1] else 2].append(item)
    browser, slow, rest = kinds
    driving = [worker for worker in range(workers) if worker % 4 != 3]
    parts = cut(slow, workers)
    for worker, part in zip(driving, cut(browser, len(driving))):
        parts[worker][:0] = part
    quick = iter(rest)
    for part, share in zip(parts, cut(items, workers)):
        part.extend(islice(quick, max(0, len(share) - len(part))))
    return [item for part in parts for item in part]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Each worker of xdist takes a part of the list that lies together, and then from who has most left."""
    items[:] = dealt(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)))


@pytest.fixture(scope="session", autouse=True)
def classroom_file(tmp_path_factory):
    """No test, and no server that one starts, touches the surveys of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CALM_CLASSROOM", str(tmp_path_factory.mktemp("room") / "classroom.sqlite3"))
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed: every test must pass on any seed, and repeats exactly."""
    return np.random.default_rng(20181015)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("CALM_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found in {folder}")
    return folder


@pytest.fixture
def files_are_read_here(monkeypatch):
    """No child process for each small file, half a second; tests/ingest and tests/bad_files have them."""
    from calm_core.ingest import reading

    def read(source, name, options, limits, on_wait=None):
        content = pa.py_buffer(source) if isinstance(source, bytes) else reading.map_file(source)
        return reading.parse_buffer(content, name, options, limits)

    monkeypatch.setattr(reading, "parse_in_child", read)


class Called(NamedTuple):
    """What a call of the command line leaves: its exit status, and what it printed."""

    status: int
    out: str
    err: str


@pytest.fixture
def call(monkeypatch, capsys) -> Callable[..., Called]:
    """`call("plan", "--n", 9, ...)`: the command line from its entry point, in this process.

    Starting a process takes seconds: only tests of what a process alone has (signals, encodings,
    the status that others see) start one.
    """
    from calm_core.cli import main

    def call(*args) -> Called:
        monkeypatch.setattr(sys, "argv", ["calm_core", *map(str, args)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main()
        return Called(done.value.code, *capsys.readouterr())

    return call
