"""Remedies: each is one change, predicted before anything is collected, and enough where it must be."""

import pytest

from calm_core.evaluation.metrics import Verdict, judge_error
from calm_core.evaluation.prediction import predict_wrong
from calm_core.methods import make_method
from calm_core.randomness import stream
from calm_core.settings import Settings
from pages.ui import cached_calls, warnings

USUAL = Settings(n=60_000)


def test_each_of_the_four_remedies_changes_one_setting():
    found = warnings.suggest_changes(USUAL)
    assert [offer.changes for offer in found] == [
        {"epsilon": 2.0}, {"n": 240_000}, {"k": 2}, {"method": "calm_plus"},
    ]  # fmt: skip


def test_the_error_promised_is_the_prediction_with_the_remedy():
    for offer in warnings.suggest_changes(USUAL):
        after = USUAL.with_changes(**offer.changes)
        domain = cached_calls.encoded_data(after).dataset.domain
        method = make_method(after.method, **after.method_settings)
        expected = predict_wrong(method, domain, after.n, rng=stream(1, 0, method.name))
        assert offer.wrong == pytest.approx(expected), offer.id
    assert offer.verdict is judge_error(expected, cached_calls.guess_wrong(after))
    assert offer.wrong != pytest.approx(warnings.predict_wrong(USUAL), rel=1e-3)


def test_no_remedy_is_offered_that_changes_nothing_or_is_refused():
    ends = Settings(epsilon=10.0, n=5_000_000, k=1, method="calm_plus")
    assert warnings.suggest_changes(ends) == []

    assert [offer.id for offer in warnings.suggest_changes(USUAL.with_changes(method="priview"))] == [
        "epsilon", "n", "k",
    ]  # fmt: skip
    assert "k" not in {offer.id for offer in warnings.suggest_changes(USUAL.with_changes(k=1))}


def test_a_change_expected_to_save_less_than_a_tenth_is_no_remedy():
    """With a larger epsilon Algorithm 1 takes views that are too large here."""
    settings = Settings(source="browsing", d=12, k=6)
    now = warnings.predict_wrong(settings)
    worse = [change for change in ({"epsilon": 2.0}, {"n": 1_000_000}) if
             warnings.predict_wrong(settings.with_changes(**change)) > 0.9 * now]  # fmt: skip
    assert worse
    found = warnings.suggest_changes(settings)
    assert found and not any(offer.changes in worse for offer in found)
    assert all(offer.wrong <= 0.9 * now for offer in found)


def test_a_hidden_setting_is_no_remedy():
    hidden = USUAL.with_changes(hide=("epsilon", "details"))
    assert [offer.id for offer in warnings.suggest_changes(hidden)] == ["n", "k"]


def test_a_method_without_a_formula_promises_no_number():
    offers = warnings.suggest_changes(USUAL.with_changes(method="em", d=4, k=2))
    assert [offer.id for offer in offers] == ["epsilon", "n", "k", "method"]
    assert [offer.wrong is None for offer in offers] == [True, True, True, False]
    assert [offer.verdict is None for offer in offers] == [True, True, True, False]


@pytest.mark.parametrize(
    "settings",
    [Settings(n=1_000, epsilon=0.3), Settings(source="browsing", d=12, n=2_000, k=4, epsilon=0.3),
     Settings(columns=("age", "education", "income", "area"), d=4, n=500, epsilon=0.2)],
)  # fmt: skip
def test_every_remedy_against_noise_is_enough_alone(settings):
    assert (
        judge_error(warnings.predict_wrong(settings), cached_calls.guess_wrong(settings))
        is Verdict.UNUSABLE
    )
    found = warnings.suggested_fixes(settings)
    assert "epsilon" in {offer.id for offer in found}
    assert len({offer.id for offer in found}) == len(found)
    for offer in found:
        after = settings.with_changes(**offer.changes)
        assert (
            judge_error(warnings.predict_wrong(after), cached_calls.guess_wrong(after))
            is not Verdict.UNUSABLE
        )


def test_fewer_attributes_keep_the_first_columns():
    chosen = Settings(columns=("age", "education", "income", "area"), d=4, k=4)
    found = warnings.with_consequences(chosen, {"d": 3})
    assert found == {"d": 3, "columns": ("age", "education", "income"), "k": 3}
    assert warnings.with_consequences(Settings(), {"d": 5}) == {"d": 5}
