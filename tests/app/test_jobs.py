"""Processes that work for pages: how many, whose turn it is, and when they end."""

import os

import numpy as np
import pytest

from calm_core import Dataset, Domain
from calm_core.experiments.background import start_comparison
from calm_core.experiments.spec import ExperimentSpec
from pages.ui import connections, jobs
from tests.app.screen import until


@pytest.fixture
def endless(monkeypatch):
    """Jobs of minutes, for a session by name; ended with the test."""
    codes = np.random.default_rng(3).integers(0, 2, size=(3_000, 6))
    data = Dataset.from_codes(codes, Domain(tuple("abcdef"), (2,) * 6))
    spec = ExperimentSpec(data, ("calm",), (1.0,), ks=(3,), repetitions=20_000)
    made = []

    def make(session, page="compare"):
        monkeypatch.setattr(connections, "session_name", lambda: session)
        made.append(jobs.Job(page, lambda: start_comparison(spec)))
        return made[-1]

    yield make
    for job in made:
        job.cancel()


def test_who_has_ended_leaves_the_place_though_nobody_looks(endless):
    first, other = endless("Ann"), endless("Bob")
    first.work()._process.kill()
    assert until(lambda: other.work() is not None)


def test_a_place_is_free_as_soon_as_its_work_has_ended(endless, monkeypatch):
    monkeypatch.setattr(jobs, "LOOK", 5.0)
    first, other = endless("Ann"), endless("Bob")
    work = first.work()
    work._process.kill()
    work._process.wait()
    assert other.work() is not None, "it waited for the next look of the watch"


def test_work_ends_when_its_tab_is_closed(endless, monkeypatch):
    job = endless("Ann")
    work = job.work()
    monkeypatch.setattr(connections, "is_present", lambda session: session != "Ann")
    assert until(lambda: not work.is_running)


def test_a_connection_lost_for_a_moment_ends_nothing(endless, monkeypatch):
    looks = iter([False, True] * 3)
    monkeypatch.setattr(jobs, "LOOK", 0.05)
    seen = []

    def present(session):
        seen.append(session)
        return next(looks, True)

    monkeypatch.setattr(connections, "is_present", present)
    work = endless("Ann").work()
    assert until(lambda: len(seen) > 8) and work.is_running


def test_work_ends_when_another_page_is_opened(endless):
    work = endless("Ann").work()
    jobs.leave_other_pages("compare")
    assert work.is_running
    bob = endless("Bob")
    jobs.leave_other_pages("data")
    assert work.is_running, "it is not Bob's"
    endless("Ann")
    jobs.leave_other_pages("data")
    assert not work.is_running and bob.work() is not None


@pytest.mark.skipif(not os.path.exists("/proc/self/autogroup"), reason="Linux groups by session")
def test_the_nice_child_is_weighed_beside_the_apps_threads(endless):
    pid = endless("Ann").work()._process.pid
    assert until(lambda: os.getpriority(os.PRIO_PROCESS, pid) >= 10)
    assert os.getsid(pid) == os.getsid(0) and os.getpgid(pid) == pid
