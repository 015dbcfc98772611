"""The error of a table at every epsilon, and the thread that measures it."""

import gc
from itertools import islice
from weakref import ref

import numpy as np
import pytest
from streamlit.runtime.fragment import MemoryFragmentStorage

from calm_core.evaluation.run import repeat_release, run
from calm_core.methods import make_method
from calm_core.settings import EPSILONS, Settings
from pages.ui import cached_calls, connections, readings, result_cache
from pages.ui import error_by_epsilon as errors
from pages.ui.jobs import LOOK_AGAIN, LOOK_LATER, PAUSE, Worker

SETTINGS = Settings(d=4, k=2, n=4000)
PAIR = ("female", "drank_month")


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def outcome():
    return cached_calls.outcome(SETTINGS)


@pytest.mark.slow
def test_measured_spreads_are_those_of_twenty_collections(outcome):
    known = errors.KnownShares()
    steps = list(errors.measure_shares(SETTINGS, outcome.dataset, PAIR, known))
    assert len(steps) == 20 * len(EPSILONS) and known.complete
    method = make_method("calm", **SETTINGS.with_changes(epsilon=0.5).method_settings)
    again = repeat_release(outcome.dataset, method, PAIR, seed=SETTINGS.seed, times=20)
    assert np.array_equal(known.reconstructed[0.5], [table.values.ravel() for table in again])
    own = outcome.answer.marginal(PAIR).values.ravel()
    assert np.array_equal(known.reconstructed[1.0][0], own), "the first is the collection shown"
    truth = outcome.dataset.marginal(PAIR)
    rows = [known.reconstructed[epsilon] for epsilon in (0.2, 1.0, 4.0)]
    wrong = [readings.measured_wrong(shares, truth).share for shares in rows]
    assert wrong == sorted(wrong, reverse=True)
    by_hand = np.mean([abs(row - truth.values.ravel()).sum() / 2 for row in rows[0]])
    assert wrong[0] == pytest.approx(by_hand)


def test_a_measurement_that_takes_too_long_is_left_out(outcome):
    known, clock = errors.KnownShares(), Clock()

    def tick():
        clock.now += errors.MAX_SECONDS / 10
        return clock.now

    taken = len(list(errors.measure_shares(SETTINGS, outcome.dataset, PAIR, known, clock=tick)))
    assert taken == 20 and list(known.reconstructed) == [1.0] and known.complete


@pytest.mark.slow
def test_measurements_replace_predictions(outcome, monkeypatch):
    known = errors.KnownShares()
    monkeypatch.setattr(errors, "get_known_shares", lambda *given: known)
    before = errors.error_by_epsilon(SETTINGS, errors.compare_table(outcome, PAIR), PAIR)
    assert len(before.steps) == len(EPSILONS) and before.steps[before.index].epsilon == "1"
    assert {step.source for step in before.steps} == {"expected"}
    assert before.plays is None and before.known.repeats == 0
    list(errors.measure_shares(SETTINGS, outcome.dataset, PAIR, known))
    after = errors.error_by_epsilon(SETTINGS, errors.compare_table(outcome, PAIR), PAIR)
    assert {step.source for step in after.steps} == {"mean of 20 repeats"}
    assert after.known.repeats == 20 and after.complete and after.plays.shape == (20, 4)
    assert after.usual == before.usual, "the axis does not change when measurements come in"
    spread = [step.spread for step in after.steps]
    assert spread[0] > spread[-1]
    usual = [step.spread for step in before.steps if 0.2 <= float(step.epsilon) <= 4]
    assert before.usual == max(usual)


def test_an_unlisted_epsilon_has_a_step_of_its_own(outcome, monkeypatch):
    monkeypatch.setattr(errors, "get_known_shares", lambda *given: errors.KnownShares())
    shown = errors.compare_table(outcome, PAIR)
    found = errors.error_by_epsilon(SETTINGS.with_changes(epsilon=0.97), shown, PAIR)
    assert found.here.epsilon == "0.97" and len(found.steps) == len(EPSILONS) + 1


def test_measurements_are_cached_for_one_table_and_its_settings(outcome, monkeypatch):
    asked = []
    monkeypatch.setattr(errors.WORKER, "ask", lambda key, work: asked.append(work))
    kept = errors.get_known_shares(SETTINGS, outcome.domain, PAIR)
    (work,) = asked
    # What the thread is given fills it, a collection a step.
    list(islice(work(), errors.COLLECTIONS + 1))
    assert list(kept.reconstructed) == [SETTINGS.epsilon] and not kept.complete
    assert errors.get_known_shares(SETTINGS.with_changes(epsilon=2.0), outcome.domain, PAIR) is kept
    assert errors.get_known_shares(SETTINGS, outcome.domain, PAIR[:1]) is not kept
    others = ({"n": 3000}, {"seed": 2}, {"k": 1}, {"method": "ft"}, {"theta": 0.1}, {"source": "browsing"})  # fmt: skip
    for other in others:
        assert (
            errors.get_known_shares(SETTINGS.with_changes(**other), outcome.domain, PAIR)
            is not kept
        )


@pytest.mark.parametrize("page", ["start", "worlds"])
def test_the_fragments_of_a_session_do_not_keep_runs_alive(page, open_app, monkeypatch):
    made, parts = [], []
    monkeypatch.setattr(
        cached_calls, "run", lambda *given, **more: made.append(run(*given, **more)) or made[-1]
    )
    monkeypatch.setattr(
        MemoryFragmentStorage, "register", lambda self, key, part, **more: parts.append(part)
    )
    open_app(page, seed="4711", n="400")
    gone = [ref(found) for found in made]
    # As when all that is shown is too heavy together.
    result_cache.forget_results(4711), made.clear()
    gc.collect()
    assert parts and gone and not any(found() for found in gone)


def test_work_ends_when_no_session_waits():
    clock, done = Clock(), []

    def sleep(seconds):
        clock.now += 10

    def work():
        for i in range(100):
            done.append(i)
            yield

    worker = Worker(patience=25, clock=clock, sleep=sleep)
    worker.ask("page left", work)
    worker.wait()
    assert done == [0, 1, 2]


def test_the_latest_request_is_served_first_and_awaited_jobs_are_kept():
    clock, done, answers = Clock(), [], []
    worker = Worker(most=2, clock=clock, sleep=lambda seconds: None)

    def work(name):
        done.append(name)
        yield

    def ask(name):
        answers.append(worker.ask(name, lambda: work(name)))

    def first():
        for name in "abcd":
            ask(name)
        # Nobody asks for "first" any more, and its room is b's; "a" is asked for again.
        clock.now += 5
        ask("a"), ask("b")
        yield

    worker.ask("first", first)
    worker.wait()
    assert done == ["b", "a"]
    assert answers == [
        LOOK_AGAIN,
        LOOK_LATER,
        LOOK_LATER + 1,
        LOOK_LATER + 2,
        LOOK_AGAIN,
        LOOK_AGAIN,
    ]


def test_work_ends_when_its_tab_is_closed(monkeypatch):
    done, here = [], ["tab"]
    monkeypatch.setattr(connections, "session_name", lambda: "tab")
    monkeypatch.setattr(connections, "is_present", here.__contains__)

    def work():
        for i in range(100):
            done.append(i)
            if i == 2:
                here.clear()
            yield

    worker = Worker(sleep=lambda seconds: None)
    worker.ask("spread", work)
    worker.wait()
    assert done == [0, 1, 2]


def test_work_waits_while_pages_are_drawn():
    slept, drawing = [], [True] * 3
    worker = Worker(sleep=slept.append, count_runs=lambda: bool(drawing and drawing.pop()))
    worker.ask("one", lambda: iter(range(1)))
    worker.wait()
    assert slept[:3] == [PAUSE] * 3 and PAUSE not in slept[3:]


def test_a_failure_is_reported_and_the_next_request_is_served(monkeypatch):
    seen, done = [], []
    monkeypatch.setattr("threading.excepthook", lambda answers: seen.append(answers.exc_type))
    worker = Worker(sleep=lambda seconds: None)

    def broken():
        yield 1 // 0

    worker.ask("broken", broken)
    worker.wait()
    worker.ask("whole", lambda: (done.append(i) for i in range(2)))
    worker.wait()
    assert seen == [ZeroDivisionError] and done == [0, 1]
