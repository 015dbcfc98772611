"""A comparison in another process: same numbers, whole rows, and it really stops."""

import os
import time

import numpy as np
import pandas as pd
import pytest

from calm_core import Dataset, Domain, InputError, make_method, run
from calm_core import jobs as module
from calm_core.jobs import Comparison, start


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
    job = start(data, Comparison(("calm",), (0.5, 2.0), k=2, repetitions=2, queries=4, seed=7))
    wait(job)
    assert job.failure == ""
    scores = job.scores()
    assert job.progress(scores)[:2] == (4, 4)
    method = make_method("calm", epsilon=2.0, k=2)
    expected = run(data, method, seed=7, queries=4, repetition=1).scores
    got = scores[(scores.epsilon == 2.0) & (scores.repetition == 1)]
    assert got.sse.tolist() == pytest.approx(expected.sse.tolist(), rel=1e-12)


def test_what_cannot_run_leaves_its_reason(data):
    job = start(data, Comparison(("calm",), (1.0,), k=2, repetitions=1, n=2))
    wait(job)
    scores = job.scores()
    assert scores.sse.isna().all() and "n (2)" in scores.reason[0]


def test_cancel_stops_the_process(data):
    job = start(data, Comparison(("calm",), (1.0,), k=3, repetitions=100_000))
    while job.scores().empty:
        time.sleep(0.05)
    assert job.running
    job.cancel()
    assert not job.running and gone(job._process.pid)
    kept = job.scores()
    assert len(kept) and kept.sse.notna().all() and job.failure == ""


def test_nobody_asking_stops_it_too(data, monkeypatch):
    job = start(data, Comparison(("calm",), (1.0,), k=3, repetitions=100_000))
    while job.scores().empty:
        time.sleep(0.05)
    past = time.time() - module.PATIENCE - 5
    os.utime(job.path / "alive", (past, past))
    until = time.monotonic() + 20
    while job.running and time.monotonic() < until:
        time.sleep(0.1)
    assert not job.running


def test_half_a_row_is_not_read():
    whole = ",".join(module.COLUMNS) + "\ncalm,local,6,2,10,1.0,0,a x b,0.25,True,0.5,"
    assert isinstance(module._parse(whole.encode()), pd.DataFrame)
    text = (whole + "\ncalm,local,6,2,10,1.0,1,a x b,0.2").encode()
    assert len(module._parse(text.rpartition(b"\n")[0])) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"methods": ()},
        {"epsilons": ()},
        {"methods": ("magic",)},
        {"epsilons": (0.0,)},
        {"repetitions": 0},
    ],
)
def test_impossible_requests_are_refused(wrong):
    request = {"methods": ("calm",), "epsilons": (1.0,), "k": 2} | wrong
    with pytest.raises(InputError):
        Comparison(**request)
