"""What pages say about the method chosen, and one number for one thing on every page."""

import pytest

from calm_core.errors import InputError
from calm_core.methods import METHODS, make_method
from calm_core.methods.calm_plus import DESIGNS
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.panels import compare as compare_panel
from pages.panels import worlds as worlds_panel
from pages.ui import cached_calls, error_by_epsilon, settings_bar, warnings
from tests.app.screen import clean, open_view, read


def test_pages_say_where_calm_plus_collects_by_a_design_of_its_own(open_app):
    assert set(DESIGNS) == set(words.common.DESIGNS)
    for design in ("algorithm1", "pairs"):
        app = open_app(d="5", k="2", method="calm_plus", design=design)
        for page, note in (("plan", "one of its own"), ("errors", "reports of its own")):
            clean(app.switch_page(f"../{page}.py").run())
            assert (note in read(app)) == (design == "pairs"), (page, design)


@pytest.mark.parametrize("method", METHODS)
def test_the_methods_that_collect_as_calm_does_have_its_public_plan(method):
    domain = Domain(tuple("abcd"), (3, 2, 3, 2))
    made, calm = (make_method(name, epsilon=1.0, k=3) for name in (method, "calm"))
    try:
        plans = [one.public_plan(domain, 9000, rng=stream(1)) for one in (made, calm)]
    except (AttributeError, NotImplementedError, InputError):
        same = False
    else:
        same = plans[0] == plans[1]
    assert (method in warnings.SAME_AS_CALM) == same


def test_collect_says_that_it_shows_the_collection_of_calm_for_another_method(open_app):
    for method, named in (
        ("fc", "FC"),
        ("uni", "Uniform"),
        ("priview", "PriView"),
        ("calm_plus", ""),
    ):
        app = open_app("collect", d="4", k="2", method=method)
        for view in words.collect.SEGMENTS:
            shown = read(clean(open_view(app, "collect", view)))
            assert (f"CALM's collection; {named}" in shown) == bool(named), (method, view)
            assert ("CALM's collection" in shown) == bool(named), (method, view)


def test_the_report_states_the_guarantee_of_a_curator():
    for method, kind in METHODS.items():
        said = words.exports.guarantee_text(Settings(method=method))
        assert (said == words.settings.CENTRAL_GUARANTEE) == (kind.trust == "central"), method


def test_the_guarantee_of_a_curator_is_stated_where_one_is_trusted(open_app, data_of):
    for page in ("about", "worlds", "compare", "marginals", "errors"):
        app = clean(open_app(page, method="priview", d="4", k="2", n="2000"))
        if page == "worlds":
            assert words.compare.EQUAL_PROMISES in read(app)
        elif page != "errors":
            assert words.settings.CENTRAL_GUARANTEE in read(app), page
        if page == "errors":
            assert "Trusted curator" in read(app)
        elif page == "marginals":
            assert "Trusted curator" in data_of(app, "marginal")["side"]["notes"][0]
    assert not data_of(open_app("marginals", d="4", k="2"), "marginal")["side"]["notes"]


# ---------------------------------------------------------------- one setting, one number


@pytest.fixture(scope="module")
def outcome():
    return cached_calls.outcome(Settings())


def test_what_was_measured_over_all_tables_is_the_same_everywhere(open_app, data_of, outcome):
    """Beside what the tests of the pages Marginals, Errors and Collect compare with the run."""
    number = words.numbers.wrong(outcome.wrong)
    app = clean(open_app("marginals"))
    mean = data_of(app, "marginal")["side"]["mean"]
    assert mean == f"mean of all 56 tables of 3: {number} of 100"
    assert f"{number} of 100 wrong" in "".join(link.proto.label for link in app.get("page_link"))
    found = settings_bar.settings_bar_data("marginals")["controls"]
    (slider,) = [control for control in found if control["kind"] == "range"]
    assert slider["wrong"] == f"{number} of 100 people in the wrong cell."


def test_what_is_expected_is_the_same_everywhere(open_app, data_of, outcome):
    settings = Settings()
    expected = warnings.predict_wrong(settings)
    assert warnings.planned_error(settings) == pytest.approx(expected)
    drawn = data_of(clean(open_view(open_app("plan"), "plan", "")), "tradeoff_side")
    reading = drawn["epsilons"][drawn["index"]]["reading"]
    assert (reading["number"], reading["source"]) == (words.numbers.wrong(expected), "expected")
    row = next(row for row in compare_panel.predicted_rows(settings) if row.method == "calm")
    assert row.wrong == pytest.approx(expected)
    tenth = words.numbers.share_of_100(expected)
    assert (
        f"As it is: {tenth} expected, {words.numbers.share_of_100(outcome.wrong)} measured."
        in read(clean(open_app("errors")))
    )
    summary = compare_panel.expected_summary(settings).set_index(["method", "epsilon"])
    assert summary.loc[("calm", 1.0), "mean"] == pytest.approx(100 * expected)


def test_the_mean_of_repeats_of_a_table_is_the_same_on_start_and_marginals(
    open_app, data_of, outcome
):
    settings = Settings(n=2_000)
    few = cached_calls.outcome(settings)
    attrs = worlds_panel.card_attributes(settings, few)
    known = error_by_epsilon.get_known_shares(settings, few.domain, attrs)
    people = cached_calls.people(settings)
    steps = error_by_epsilon.measure_shares(settings, people, attrs, known)
    for _ in range(error_by_epsilon.COLLECTIONS + 1):
        next(steps)
    start = data_of(clean(open_app("start", n="2000")), "first_table")
    table = data_of(clean(open_app("marginals", n="2000", attrs=",".join(attrs))), "marginal")
    steps = [drawn["steps"][drawn["index"]] for drawn in (start, table)]
    assert steps[0] == steps[1] and steps[0]["source"] == "mean of 20 repeats"
    assert start["reading"]["number"] == steps[0]["number"]
    assert table["reading"]["source"] == "this collection"
