"""One setting, one number: the same thing has the same number on every page, under the same label."""

import pytest

from calm_core.settings import Settings
from pages import words
from pages.panels import compare as compare_panel
from pages.panels import worlds as worlds_panel
from pages.ui import cached_calls, error_by_epsilon, settings_bar, warnings
from tests.app.screen import clean, open_view, plain, said


@pytest.fixture(scope="module")
def outcome():
    return cached_calls.outcome(Settings())


def test_what_was_measured_over_all_tables_is_the_same_everywhere(open_app, sent, outcome):
    number = words.numbers.wrong(outcome.wrong)
    app = clean(open_app("errors"))
    assert plain(app.title[0].value).startswith(f"{number} of 100 people in the wrong cell")
    app = clean(open_app("marginals"))
    assert sent(app, "marginal")["side"]["mean"] == f"mean of 50 tables of 3: {number} of 100"
    assert f"{number} of 100 wrong" in "".join(link.proto.label for link in app.get("page_link"))
    app = clean(open_app("collect"))
    assert f"{number} of 100 wrong" in sent(app, "collection")["result"]
    found = settings_bar.settings_bar_data("marginals")["controls"]
    (slider,) = [control for control in found if control["kind"] == "range"]
    assert slider["wrong"] == f"{number} of 100 people in the wrong cell."


def test_what_is_expected_is_the_same_everywhere(open_app, sent, outcome):
    settings = Settings()
    expected = warnings.predict_wrong(settings)
    assert warnings.planned_error(settings) == pytest.approx(expected)
    drawn = sent(clean(open_view(open_app("plan"), "plan", "")), "tradeoff_side")
    reading = drawn["epsilons"][drawn["index"]]["reading"]
    assert (reading["number"], reading["source"]) == (words.numbers.wrong(expected), "expected")
    row = next(row for row in compare_panel.predicted_rows(settings) if row.method == "calm")
    assert row.wrong == pytest.approx(expected)
    tenth = words.numbers.share_of_100(expected)
    assert (
        f"As it is: {tenth} expected, {words.numbers.share_of_100(outcome.wrong)} measured."
        in said(clean(open_app("errors")))
    )
    summary = compare_panel.expected_summary(settings).set_index(["method", "epsilon"])
    assert summary.loc[("calm", 1.0), "mean"] == pytest.approx(100 * expected)


def test_the_mean_of_repeats_of_a_table_is_the_same_on_start_and_marginals(open_app, sent, outcome):
    settings = Settings(n=2_000)
    few = cached_calls.outcome(settings)
    attrs = worlds_panel.card_attributes(settings, few)
    known = error_by_epsilon.get_known_shares(settings, few.domain, attrs)
    people = cached_calls.people(settings)
    steps = error_by_epsilon.measure_shares(settings, people, attrs, known)
    for _ in range(error_by_epsilon.COLLECTIONS + 1):
        next(steps)
    start = sent(clean(open_app("start", n="2000")), "first_table")
    table = sent(clean(open_app("marginals", n="2000", attrs=",".join(attrs))), "marginal")
    steps = [drawn["steps"][drawn["index"]] for drawn in (start, table)]
    assert steps[0] == steps[1] and steps[0]["source"] == "mean of 20 repeats"
    assert start["reading"]["number"] == steps[0]["number"]
    assert table["reading"]["source"] == "this collection"


def test_a_table_exported_gives_its_headline(open_app, sent):
    app = clean(open_app("marginals", d="4", k="2", n="4000"))
    listed = app.dataframe[-1].value
    found = (listed["reconstructed share"] - listed["true share"]).abs().sum() / 2
    number = sent(app, "marginal")["reading"]["number"]
    assert float(number) == pytest.approx(100 * found, abs=0.6)
