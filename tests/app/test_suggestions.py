"""What would help: a refusal carries what would do instead, a warning the change that is expected to be enough."""

import pytest
import streamlit as st

from calm_core.errors import InputError, Toward, UserError
from calm_core.evaluation.metrics import Verdict, judge_error
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, error_boundary, state, warnings
from pages.ui.error_boundary import PageEnded, fragment_with_errors
from tests.app.screen import press

USUAL = Settings()


def refused(app) -> list[str]:
    """Labels of the buttons that do what a refusal advises."""
    return [
        button.label
        for button in app.button
        if button.key.startswith(("suggestion_told", "suggestion_here"))
    ]


# What is changed in which settings, and the buttons that follow the refusal.
ASKED = {
    "k above d": (Settings(d=4), {"k": 6}, ["Use k = 4", "Use d = 6"]),
    "k above all": (USUAL, {"k": 20}, ["Use k = 8"]),
    "k above the attributes chosen": (
        Settings(d=2, k=2, columns=("female", "age")), {"k": 3}, ["Use d = 3"],
    ),
    "no k": (USUAL, {"k": 0}, ["Use k = 1"]),
    "d above the columns": (USUAL, {"d": 64}, ["Use d = 18"]),
    "one attribute": (USUAL, {"d": 1, "k": 1}, ["Use d = 2"]),
    "epsilon too large": (USUAL, {"epsilon": 50.0}, ["Use ε = 10"]),
    "epsilon 0": (USUAL, {"epsilon": 0.0}, ["Use ε = 0.01"]),
    "theta": (Settings(theta=0.01), {"theta": 0.0}, ["Use θ = 0.001"]),
    "n": (USUAL, {"n": 1}, ["Use n = 4"]),
    "l": (USUAL, {"l": 0}, ["Use ℓ = 1"]),
    "seed": (USUAL, {"seed": -1}, ["Use seed 0"]),
}  # fmt: skip


@pytest.mark.parametrize("case", ASKED)
def test_a_refused_change_offers_buttons_that_work(case):
    settings, asked, labels = ASKED[case]
    st.session_state.clear()
    st.session_state["settings"] = settings
    assert not state.change(**asked) and state.current() == settings
    ((advice, tried),) = st.session_state["advice"]
    found = error_boundary.find_fixes(advice, settings, tried)
    assert [warnings.fix_label(way) for way in found] == labels
    for way in found:
        st.session_state["settings"] = settings
        warnings.change_settings(way.changes)
        assert state.last_change() and state.can_undo()
        assert getattr(state.current(), way.id) == way.value
        assert error_boundary.is_possible(state.current())


# Settings that every check of their own passes, and that the plan or the method refuses.
TOGETHER = {
    "l above d": (Settings(l=9), ["Use ℓ = 8"]),
    "too many views": (Settings(l=2, m=29), ["Use m = 28"]),
    "too few views": (Settings(l=2, m=3), ["Use m = 4"]),
    "n below the views": (Settings(n=3), ["Use n = ", "Use d = "]),
    "n below AM's tables": (Settings(method="am", n=50, k=3), ["Use n = 56", "Use d = 7", "Use k = 2"]),
    "a table too large for FC": (
        Settings(source="browsing", d=30, method="fc"), ["Use d = 23"],
    ),
    "attributes that are not yes/no": (
        Settings(columns=("age", "education", "female"), d=3, method="fourier"),
        ["Use at most 2 values"],
    ),
    "too many sets for a data cube": (
        Settings(source="browsing", d=20, method="datacube"), ["Use d = 12"],
    ),
    "a view too large": (
        Settings(source="browsing", d=30, l=30), ["Use ℓ as Algorithm 1 chooses"],
    ),
    "an oracle that cannot be counted": (Settings(method="em", oracle="olh"), ["Use oracle "]),
}  # fmt: skip


@pytest.mark.parametrize("case", TOGETHER)
def test_remedies_offered_for_a_refused_combination_work(case):
    settings, labels = TOGETHER[case]
    assert not error_boundary.is_possible(settings)
    found = error_boundary.find_fixes(advice_of(settings), settings, {})
    shown = [warnings.fix_label(way) for way in found]
    assert len(shown) >= len(labels), shown
    assert all(any(one.startswith(label) for one in shown) for label in labels), shown
    for way in found:
        assert error_boundary.is_possible(settings.with_changes(**way.changes))


def advice_of(settings: Settings) -> tuple:
    try:
        cached_calls.plan(settings)
        cached_calls.outcome(settings)
    except UserError as error:
        return error.remedies
    raise AssertionError("it was not refused")


def test_the_largest_smaller_value_that_works_is_offered():
    settings = Settings(method="am", n=30, k=3)
    (way,) = error_boundary.find_fixes([("d", Toward.LESS)], settings, {})
    assert way.value == 6
    assert not error_boundary.is_possible(settings.with_changes(d=7))


def test_remedies_that_do_not_help_or_are_hidden_are_not_offered():
    few = Settings(n=3)
    assert error_boundary.find_fixes([("epsilon", 2.0), ("size of age", 3)], few, {}) == []
    assert error_boundary.find_fixes([("n", 28)], few.with_changes(hide=("n",)), {}) == []
    assert error_boundary.find_fixes([("l", 2)], Settings(l=9, hide=("details",)), {}) == []


def test_a_button_of_a_refusal_applies_the_remedy_and_can_be_undone(open_app):
    app = open_app(d="4", k="5")
    assert refused(app) == ["Use k = 4", "Use d = 5"]
    before = app.session_state["settings"]
    app.run()
    assert refused(app), "a button that is gone after the next run cannot be pressed"
    press(app, "Use k = 4")
    now = app.session_state["settings"]
    assert (now.k, now.d) == (4, 4) and not refused(app) and not app.warning
    press(app, "Undo")
    assert app.session_state["settings"] == before and not refused(app)


def test_a_value_of_a_link_that_was_refused_has_its_buttons_where_the_link_leads(open_app):
    app = open_app(epsilon="99", k="30")
    assert refused(app) == ["Use ε = 10", "Use k = 8"]
    app.switch_page("../plan.py").run()
    assert not refused(app)


def test_a_page_that_cannot_be_shown_has_buttons_that_fix_it(open_app):
    cases = (("plan", {"n": "3"}, "Use n = "), ("marginals", {"method": "am", "n": "50"}, "Use n = 56"),
             ("errors", {"l": "2", "m": "3"}, "Use m = 4"))  # fmt: skip
    for page, query, label in cases:
        app = open_app(page, **query)
        # All around the page is drawn.
        assert app.error and words.common.SIMULATION in [one.value for one in app.caption], page
        press(app, next(one for one in refused(app) if one.startswith(label)))
        assert not app.error and not app.exception, page
        press(app, "Undo")
        assert app.error, page


def test_a_fragment_shows_its_own_refusal_and_the_page_that_it_cut_runs_again(monkeypatch):
    shown, again, refuse = [], [], [True, True, False]
    monkeypatch.setattr(st, "error", lambda text, **_: shown.append(text))
    monkeypatch.setattr(st, "fragment", lambda part, **_: drawn.append(part) or part)
    monkeypatch.setattr(st, "rerun", lambda: again.append(True))
    drawn = []

    def part(n: int) -> None:
        if refuse.pop(0):
            raise InputError(f"n ({n}) is too small")

    with pytest.raises(PageEnded):
        fragment_with_errors(part)(2)
    assert shown == [state.to_sentence("n (2) is too small")]
    # Streamlit runs it alone: first it is refused once more, then it is drawn.
    drawn[0](2)
    assert not again
    drawn[0](2)
    assert again


# ---------------------------------------------------------------- remedies


MANY = Settings(n=60_000)


def test_each_of_the_four_remedies_changes_one_setting():
    found = warnings.suggest_changes(MANY)
    assert [offer.changes for offer in found] == [
        {"epsilon": 2.0}, {"n": 240_000}, {"k": 2}, {"method": "calm_plus"},
    ]  # fmt: skip
    for offer in found:
        after = MANY.with_changes(**offer.changes)
        assert offer.wrong == warnings.predict_wrong(after), offer.id
        assert offer.verdict is judge_error(offer.wrong, cached_calls.guess_wrong(after))


def test_no_remedy_is_offered_that_changes_nothing_or_is_refused():
    ends = Settings(epsilon=10.0, n=5_000_000, k=1, method="calm_plus")
    assert warnings.suggest_changes(ends) == []

    assert [offer.id for offer in warnings.suggest_changes(MANY.with_changes(method="priview"))] == [
        "epsilon", "n", "k",
    ]  # fmt: skip
    assert "k" not in {offer.id for offer in warnings.suggest_changes(MANY.with_changes(k=1))}


@pytest.mark.slow
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
    hidden = MANY.with_changes(hide=("epsilon", "details"))
    assert [offer.id for offer in warnings.suggest_changes(hidden)] == ["n", "k"]


def test_a_method_without_a_formula_promises_no_number():
    offers = warnings.suggest_changes(MANY.with_changes(method="em", d=4, k=2))
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
    found = state.with_consequences(chosen, {"d": 3})
    assert found == {"d": 3, "columns": ("age", "education", "income"), "k": 3}
    assert state.with_consequences(Settings(), {"d": 5}) == {"d": 5}
