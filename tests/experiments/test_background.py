"""A comparison in another process: same numbers, whole rows, and it really stops."""

import gc
import os
import re
import subprocess
import time

import numpy as np
import pytest

from calm_core import Dataset, Domain, make_method, run
from calm_core.experiments import background as module
from calm_core.experiments.background import ComparisonJob, ComparisonState
from calm_core.experiments.spec import ExperimentSpec, MethodSpec, compare
from calm_core.runtime.subprocess_jobs import IDLE_SECONDS, REQUEST


@pytest.fixture(scope="module")
def data() -> Dataset:
    codes = np.random.default_rng(3).integers(0, 2, size=(3_000, 6))
    domain = Domain(tuple("abcdef"), (2,) * 5 + (3,))
    return Dataset.from_codes(codes, domain)


def wait(job, seconds=60):
    until = time.monotonic() + seconds
    while job.is_running and time.monotonic() < until:
        job.scores()
        time.sleep(0.1)
    assert not job.is_running


def has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_job_gives_the_numbers_of_run_and_leaves_nothing(data):
    methods = (MethodSpec("calm", {"theta": 0.01}, "calm"), "uni")
    spec = ExperimentSpec(data, methods, (2.0,), (2,), (), (2, 3_000), 2, 4, 7)
    job = ComparisonJob(spec)
    wait(job)
    assert job.state() == ComparisonState("finished", 8, 8) and job.state().unfinished_mark == ""
    scores = job.scores()
    assert job.progress(scores)[:2] == (8, 8)
    few = scores[(scores.method == "calm") & (scores.n == 2)]
    assert few.sse.isna().all() and "n (2)" in few.reason.iloc[0]
    method = make_method("calm", epsilon=2.0, k=2, theta=0.01)
    expected = run(data, method, seed=7, queries=4, repetition=1).scores
    got = scores[(scores.method == "calm") & (scores.n == 3_000) & (scores.repetition == 1)]
    assert got.sse.tolist() == pytest.approx(expected.sse.tolist(), rel=1e-12)
    assert not job.path.exists() and len(job.scores()) == len(scores)


def test_a_job_has_low_priority_and_private_files_and_ends_when_it_is_cancelled(data):
    # Ten million rounds of MWEM do not end by themselves.
    methods = ("uni", MethodSpec("mwem", {"turns": 10_000_000}))
    job = ComparisonJob(ExperimentSpec(data, methods, (1.0,), ks=(3,), repetitions=1))
    while job.scores().empty:
        time.sleep(0.05)
        assert job.is_running
    assert os.getpriority(os.PRIO_PROCESS, job._process.pid) == min(19, os.nice(0) + 10)
    assert job.path.stat().st_mode & 0o777 == 0o700
    # Records are gone once they are read.
    found = {path.name: path.stat().st_mode & 0o777 for path in job.path.iterdir()}
    assert "scores.csv" in found and REQUEST not in found
    assert set(found.values()) == {0o600}
    job.cancel()
    assert not job.is_running and has_ended(job._process.pid)
    assert len(job.scores()) and job.scores().sse.notna().all()
    assert job.state() == ComparisonState("stopped", 1, 2)
    assert "stopped by you after 1 of 2 collections" in job.state().sentence
    assert "unfinished" in job.state().unfinished_mark
    assert not job.path.exists()


@pytest.fixture
def start(data, monkeypatch, tmp_path):
    """A job whose child has two results and then comes to an end; without what takes seconds to import."""
    spec = ExperimentSpec(data, ("uni",), (1.0,), ks=(3,), repetitions=6)
    table = compare(spec).query("repetition < 2").reindex(columns=module.COLUMNS)
    popen = subprocess.Popen

    def start(end: str):
        (tmp_path / "child.py").write_text(
            "import os, sys, time\nfrom pathlib import Path\n"
            "from calm_core.runtime.subprocess_jobs import start_watchdog\n"
            "start_watchdog(Path(sys.argv[1]))\n"
            f"Path(sys.argv[1], 'scores.csv').write_text({table.to_csv(index=False)!r})\n{end}"
        )

        def other_program(command, **options):
            return popen([*command[:4], str(tmp_path / "child.py"), *command[5:]], **options)

        with monkeypatch.context() as patch:
            patch.setattr(subprocess, "Popen", other_program)
            return ComparisonJob(spec)

    return start


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("sys.exit(0)", "status 0"),
        ("raise MemoryError('too many cells')", r"MemoryError: too many cells"),
        ("os.kill(os.getpid(), 9)", r"the system ended it \(signal 9, often for want of memory"),
    ],
)
def test_a_child_that_ends_midway_has_died_for_a_reason(end, words, start):
    job = start(end)
    wait(job)
    state = job.state()
    assert (state.name, state.done, state.total) == ("died", 2, 6)
    assert "died after 2 of 6 collections" in state.sentence and re.search(words, state.sentence)
    assert len(job.scores()) and state.unfinished_mark and not job.path.exists()


def test_a_job_ends_when_nobody_looks_at_it(start):
    job = start("time.sleep(600)")
    past = time.time() - IDLE_SECONDS - 5
    os.utime(job.path / "alive", (past, past))
    job._process.wait(timeout=60)
    assert job.state().name == "died"
    assert "nobody looked at it for 20 seconds" in job.state().reason


def test_a_job_that_is_dropped_leaves_nothing(start):
    job = start("time.sleep(600)")
    path, process = job.path, job._process
    del job
    gc.collect()
    process.wait(timeout=20)
    assert not path.exists()


def test_half_a_row_is_not_read():
    whole = ",".join(module.COLUMNS) + "\n" + ",".join(["1"] * len(module.COLUMNS))
    text = (whole + "\ncalm,local,6").encode()
    assert len(module._parse(text.rpartition(b"\n")[0])) == 1
    assert module._parse(b"").empty
