"""Remedies: each is one change, predicted before anything is collected, and enough where it must be."""

import pytest

from calm_core.evaluation.metrics import Band, classify_error, predict_points
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
        expected = predict_points(method, domain, after.n, rng=stream(1, 0, method.name))
        assert offer.points == pytest.approx(expected), offer.id
    assert offer.band is classify_error(expected, cached_calls.guess_points(after))
    assert offer.points != pytest.approx(warnings.predict_error(USUAL), rel=1e-3)


def test_no_remedy_is_offered_that_changes_nothing_or_is_refused():
    ends = Settings(epsilon=10.0, n=5_000_000, k=1, method="calm_plus")
    assert warnings.suggest_changes(ends) == []
    assert [offer.id for offer in warnings.suggest_changes(USUAL.with_changes(method="priview"))] == [
        "epsilon", "n",
    ]  # fmt: skip
    assert [offer.id for offer in warnings.suggest_changes(USUAL.with_changes(k=1))] == [
        "epsilon",
        "n",
    ]


def test_a_change_predicted_to_be_worse_is_no_remedy():
    """With a larger epsilon, and with more people, Algorithm 1 takes views that are too large here."""
    settings = Settings(source="browsing", d=12, k=6)
    now = warnings.predict_error(settings)
    for change in ({"epsilon": 2.0}, {"n": 1_000_000}):
        assert warnings.predict_error(settings.with_changes(**change)) > 1.2 * now
    found = warnings.suggest_changes(settings)
    assert {offer.id for offer in found} <= {"k", "method"}
    for offer in found:
        after = settings.with_changes(**offer.changes)
        better = offer.points / cached_calls.guess_points(after) < now / cached_calls.guess_points(
            settings
        )
        assert better, offer.label


@pytest.mark.parametrize(
    ("settings", "helps"),
    [(Settings(epsilon=0.05), False), (Settings(epsilon=8.0, k=2), False), (Settings(source="browsing", k=4), False),
     (Settings(source="browsing", n=10_000, epsilon=0.5), True)],
)  # fmt: skip
def test_smaller_tables_are_a_remedy_where_they_reach_a_better_band(settings, helps):
    after = settings.with_changes(k=settings.k - 1)
    now, then = warnings.predict_error(settings), warnings.predict_error(after)
    guess, guess_then = cached_calls.guess_points(settings), cached_calls.guess_points(after)
    assert then > 1.05 * now and then / guess_then < now / guess
    assert ("k" in {offer.id for offer in warnings.suggest_changes(settings)}) is helps
    before, behind = classify_error(now, guess), classify_error(then, guess_then)
    assert helps is (list(Band).index(behind) < list(Band).index(before))


def test_a_hidden_setting_is_no_remedy():
    hidden = USUAL.with_changes(hide=("epsilon", "details"))
    assert [offer.id for offer in warnings.suggest_changes(hidden)] == ["n", "k"]


def test_a_method_without_a_formula_promises_no_number():
    offers = warnings.suggest_changes(USUAL.with_changes(method="em", d=4, k=2))
    assert [offer.id for offer in offers] == ["epsilon", "n", "k", "method"]
    assert [offer.points is None for offer in offers] == [True, True, True, False]
    assert [offer.band is None for offer in offers] == [True, True, True, False]


@pytest.mark.parametrize(
    "settings",
    [Settings(n=1_000, epsilon=0.3), Settings(source="browsing", d=12, n=2_000, k=4),
     Settings(columns=("age", "education", "income", "area"), d=4, n=500, epsilon=0.2)],
)  # fmt: skip
def test_every_remedy_against_noise_is_enough_alone(settings):
    assert (
        classify_error(warnings.predict_error(settings), cached_calls.guess_points(settings))
        is Band.NOISE
    )
    found = warnings.suggested_fixes(settings)
    assert "epsilon" in {offer.id for offer in found}
    assert len({offer.id for offer in found}) == len(found)
    for offer in found:
        after = settings.with_changes(**offer.changes)
        assert (
            classify_error(warnings.predict_error(after), cached_calls.guess_points(after))
            is not Band.NOISE
        )


def test_fewer_attributes_keep_the_first_columns():
    chosen = Settings(columns=("age", "education", "income", "area"), d=4, k=4)
    found = warnings.with_consequences(chosen, {"d": 3})
    assert found == {"d": 3, "columns": ("age", "education", "income"), "k": 3}
    assert warnings.with_consequences(Settings(), {"d": 5}) == {"d": 5}
