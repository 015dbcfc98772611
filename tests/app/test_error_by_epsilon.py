"""The error of a table at every epsilon."""

import gc
from itertools import count, islice
from weakref import ref

import numpy as np
import pytest
from streamlit.runtime.fragment import MemoryFragmentStorage

from calm_core.evaluation.run import repeat_answers, run
from calm_core.methods import make_method
from calm_core.settings import EPSILONS, Settings
from pages.ui import cached_calls, result_cache, results
from pages.ui import error_by_epsilon as errors

SETTINGS = Settings(d=4, k=2, n=4000)
PAIR = ("female", "drank_month")


@pytest.fixture(scope="module")
def outcome():
    return cached_calls.outcome(SETTINGS)


@pytest.mark.slow
def test_measured_spreads_are_those_of_twenty_collections(outcome):
    known = errors.KnownShares()
    steps = list(errors.measure_shares(SETTINGS, outcome.dataset, PAIR, known))
    assert len(steps) == 20 * len(EPSILONS) and known.complete
    method = make_method("calm", **SETTINGS.with_changes(epsilon=0.5).method_settings)
    again = repeat_answers(outcome.dataset, method, seed=SETTINGS.seed, times=20)
    own = [answer.marginal(PAIR).values.ravel() for answer in again]
    assert np.array_equal(known.reconstructed[0.5], own)
    own = outcome.answer.marginal(PAIR).values.ravel()
    assert np.array_equal(known.reconstructed[1.0][0], own), "the first is the collection shown"
    truth = outcome.dataset.marginal(PAIR)
    rows = [known.reconstructed[epsilon] for epsilon in (0.2, 1.0, 4.0)]
    wrong = [results.measured_wrong(shares, truth).share for shares in rows]
    assert wrong == sorted(wrong, reverse=True)
    by_hand = np.mean([abs(row - truth.values.ravel()).sum() / 2 for row in rows[0]])
    assert wrong[0] == pytest.approx(by_hand)


def test_a_measurement_that_takes_too_long_is_left_out(outcome):
    known, ticks = errors.KnownShares(), count(0, errors.MAX_SECONDS / 10)
    steps = errors.measure_shares(SETTINGS, outcome.dataset, PAIR, known, clock=ticks.__next__)
    taken = len(list(steps))
    assert taken == 20 and list(known.reconstructed) == [1.0] and known.complete


@pytest.mark.slow
def test_measurements_replace_predictions(outcome, monkeypatch):
    known = errors.KnownShares()
    monkeypatch.setattr(errors, "get_known_shares", lambda *given: known)
    before = errors.error_by_epsilon(SETTINGS, errors.compare_table(outcome, PAIR), PAIR)
    assert len(before.steps) == len(EPSILONS) and before.steps[before.index].epsilon == "1"
    assert {step.source for step in before.steps} == {"expected"}
    assert before.plays is None and before.errors.repeats == 0
    list(errors.measure_shares(SETTINGS, outcome.dataset, PAIR, known))
    after = errors.error_by_epsilon(SETTINGS, errors.compare_table(outcome, PAIR), PAIR)
    assert {step.source for step in after.steps} == {"mean of 20 repeats"}
    assert after.errors.repeats == 20 and after.complete and after.plays.shape == (20, 4)
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
