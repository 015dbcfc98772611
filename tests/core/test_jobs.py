"""A comparison in another process: same numbers, whole rows, and it really stops."""

import os
import time

import numpy as np
import pytest

from calm_core import Dataset, Domain, make_method, run
from calm_core import jobs as module
from calm_core.experiments import ExperimentSpec, MethodSpec
from calm_core.jobs import start


@pytest.fixture(scope="module")
def data() -> Dataset:
    codes = np.random.default_rng(3).integers(0, 2, size=(3_000, 6))
    return Dataset.from_codes(codes, Domain(tuple("abcdef"), (2,) * 5 + (3,)))


def wait(job, seconds=60):
    until = time.monotonic() + seconds
    while job.running and time.monotonic() < until:
        job.scores()
        time.sleep(0.1)
    assert not job.running


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_job_gives_the_numbers_of_run(data):
    methods = (MethodSpec("calm", {"theta": 0.01}, "calm"), "uni")
    spec = ExperimentSpec(data, methods, (2.0,), (2,), (), (2, 3_000), 2, 4, 7)
    job = start(spec)
    wait(job)
    assert job.failure == ""
    scores = job.scores()
    assert job.progress(scores)[:2] == (8, 8)
    few = scores[(scores.method == "calm") & (scores.n == 2)]
    assert few.sse.isna().all() and "n (2)" in few.reason.iloc[0]
    method = make_method("calm", epsilon=2.0, k=2, theta=0.01)
    expected = run(data, method, seed=7, queries=4, repetition=1).scores
    got = scores[(scores.method == "calm") & (scores.n == 3_000) & (scores.repetition == 1)]
    assert got.sse.tolist() == pytest.approx(expected.sse.tolist(), rel=1e-12)


def endless(data):
    job = start(ExperimentSpec(data, ("calm",), (1.0,), ks=(3,), repetitions=20_000))
    while job.scores().empty:
        time.sleep(0.05)
        assert job.running
    return job


def test_cancel_stops_the_process(data):
    job = endless(data)
    job.cancel()
    assert not job.running and gone(job._process.pid)
    kept = job.scores()
    assert len(kept) and kept.sse.notna().all() and job.failure == ""


def test_nobody_asking_stops_it_too(data):
    job = endless(data)
    past = time.time() - module.PATIENCE - 5
    os.utime(job.path / "alive", (past, past))
    until = time.monotonic() + 20
    while job.running and time.monotonic() < until:
        time.sleep(0.1)
    assert not job.running


def test_half_a_row_is_not_read():
    whole = ",".join(module.COLUMNS) + "\n" + ",".join(["1"] * len(module.COLUMNS))
    text = (whole + "\ncalm,local,6").encode()
    assert len(module._parse(text.rpartition(b"\n")[0])) == 1
    assert module._parse(b"").empty
