"""Three worlds and Methods: cards, the price, rows, a comparison in another process."""

import os

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from calm_core.evaluation import run as runs
from calm_core.experiments.background import ComparisonState
from calm_core.methods import METHODS
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.panels import compare as compare_panel
from pages.panels import worlds as worlds_panel
from pages.panels.compare import export_table
from pages.ui import cached_calls
from tests.app.screen import clean, figures, plain, press, read, wait_for_end, wait_until


def compare(app: AppTest) -> AppTest:
    return clean(press(app, "Compare"))


def job_of(app: AppTest):
    """The process of a comparison, once it is its turn: the one before may not have been cleared away yet."""
    return wait_until(app.session_state["comparing"]["job"].work)


def finish_comparison(app: AppTest) -> AppTest:
    """The page once the comparison has ended."""
    wait_for_end(job_of(app))
    return clean(app.run())


def choose(app: AppTest, *methods: str, trust: str = "local") -> None:
    app.pills(key=f"compare_{trust}").set_value(list(methods))


def choose_values(app: AppTest, over: str, *values: float) -> None:
    """Compare over epsilon or n, at these values."""
    app.segmented_control(key="compare_over").set_value(over).run()
    [field] = [widget for widget in app.multiselect if widget.label == words.compare.VALUES]
    field.set_value(list(values))


def test_the_price_follows_from_the_cards(open_app, data_of, monkeypatch):
    # Few repeats: the numbers are those of whatever was measured.
    monkeypatch.setattr(runs, "MAX_REPEATS", 20)
    app = clean(open_app("worlds", d="5", k="2", n="4000"))
    settings = app.session_state["settings"]
    _, local = worlds_panel.run_both_worlds(settings)
    attrs = worlds_panel.card_attributes(settings, local)
    # Without trust the page shows the collection of the other pages.
    assert local is cached_calls.outcome(settings)
    sources = {card["source"] for card in data_of(app, "worlds_cards")["worlds"]}
    assert sources == {"", "this collection"}
    known = worlds_panel.get_known_price(settings, attrs)
    list(worlds_panel.fill_price(settings, cached_calls.people(settings), attrs, known))
    app, price = clean(app.run()), known.price
    cards = {card["title"]: card for card in data_of(app, "worlds_cards")["worlds"]}
    assert cards["Nobody trusted"]["number"] == words.numbers.wrong(price.local.mean)
    assert cards["Trusted curator"]["number"] == words.numbers.wrong(price.curator.mean)
    assert words.numbers.round_to_words(price.people) in read(app)
    assert price.people > 4_000


def test_the_curator_promises_what_local_privacy_does():
    settings = Settings(d=4, k=2, n=4_000)
    assert worlds_panel.trusted_settings(settings).epsilon == 0.5
    curator, _ = worlds_panel.run_both_worlds(settings)
    assert curator is cached_calls.outcome(settings.with_changes(method="priview", epsilon=0.5))


def test_the_shuffled_world_has_the_reports_of_the_last_one_and_a_stronger_promise(
    open_app, data_of
):
    app = clean(open_app("worlds", d="4", k="2", n="4000"))
    cards = {card["title"]: card for card in data_of(app, "worlds_cards")["worlds"]}
    shuffled, ours = cards["Shuffled"], cards["Nobody trusted"]
    assert (shuffled["number"], shuffled["table"]) == (ours["number"], ours["table"])
    _, local = worlds_panel.run_both_worlds(app.session_state["settings"])
    found = worlds_panel.find_shuffled(local)
    assert 0 < found.epsilon < 0.5 and found.delta == 1e-6
    assert shuffled["promise"] == words.compare.promise_text("shuffled", 1.0, found.epsilon)
    assert words.compare.shuffling_details(found, 1.0) in read(app)


def test_only_curators_double_their_noise_for_a_replacement():
    calm, priview = compare_panel.chosen_specs(["calm", "priview"], Settings(), neighbors="replace")
    assert priview.make(1.0, 2).record_epsilon == 0.5
    assert "neighbors" not in dict(calm.options) and priview.label == "priview"


def test_the_table_of_the_worlds_is_the_one_chosen_where_it_fits():
    settings = Settings(d=6, n=3_000)
    _, local = worlds_panel.run_both_worlds(settings)
    first = worlds_panel.card_attributes(settings, local)
    assert len(first) == 2
    names = local.domain.names
    assert worlds_panel.card_attributes(settings.with_changes(attrs=names[:3]), local) == names[:3]
    assert worlds_panel.card_attributes(settings.with_changes(attrs=names[:6]), local) == first


@pytest.mark.parametrize(("page", "other"), [("worlds", "compare"), ("compare", "worlds")])
def test_the_switch_leads_to_the_other_page(open_app, page, other):
    app = clean(open_app(page, d="4", k="2", n="2000"))
    app.segmented_control(key="compare_switch").set_value(other).run()
    assert app.session_state["page"] == other


def test_local_methods_are_listed_by_their_expected_error(open_app):
    app = clean(open_app("compare"))
    local = [method for method in METHODS.values() if method.trust == "local"]
    assert all(method.summary.split("'")[0][:30] in read(app) for method in local)
    assert words.compare.BANDS not in read(app), "nothing was repeated yet"
    found = compare_panel.predicted_rows(app.session_state["settings"])
    known = [row.wrong for row in found if row.wrong is not None]
    assert known == sorted(known) and len(found) == len(local)
    assert {row.note for row in found if row.wrong is None} == {words.compare.NO_FORMULA}


def test_a_method_that_is_refused_says_why():
    found = {row.method: row for row in compare_panel.predicted_rows(Settings(d=4, k=2, n=3))}
    assert found["am"].wrong is None and "3" in found["am"].note
    shown = compare_panel._row_html(found["am"])
    assert "failed" in shown and METHODS["am"].title in shown


def test_rows_are_ordered_by_trust_and_error():
    names, means = ["calm", "ft", "priview", "am", "em"], [3.0, 1.0, 0.1, None, 4.0]
    summary = pd.DataFrame({"method": names, "mean": means})
    found = compare_panel.measured_rows(summary, 0.5, {"am": "2 of 2 repetitions failed"})
    assert [row.method for row in found] == ["ft", "calm", "em", "am", "priview"]
    assert found[3].note == "2 of 2 repetitions failed" and found[3].verdict is None
    assert found[0].verdict.value == "precise" and found[1].verdict.value == "rough"


def test_a_comparison_over_people_runs_in_another_process_with_the_settings_shown(open_app):
    """As tests/browser does over epsilon."""
    app = clean(open_app("compare", d="4", k="2", n="2500", epsilon="0.5", seed="7"))
    choose_values(app, "n", 500, 2500)
    app.number_input(key="compare_repetitions").set_value(2)
    choose(app, "uni", "am")
    app = compare(app)
    # Another choice does not change what is shown of a comparison that runs already.
    app.segmented_control(key="compare_over").set_value("epsilon").run()
    job = job_of(app)
    assert job._process.pid != os.getpid()
    spec = job.spec
    asked = (spec.ns, spec.epsilons, spec.ks, spec.seed, spec.data.domain.d)
    assert asked == ((500, 2500), (0.5,), (2,), 7, 4)
    app = finish_comparison(app)
    scores, text = job.scores(), read(app)
    title = plain(app.title[0].value)
    assert title == compare_panel.best_title(scores, "n", 2500)
    assert title.startswith("At n = 2,500, ") and "n = 2,500: mean of 2 repeats" in text
    assert figures(app) == 1 and words.compare.BANDS in text
    assert set(scores["method"]) == {"uni", "am"}
    assert all(f"<b>{compare_panel.TITLES[label]}</b>" in text for label in set(scores["method"]))
    app.session_state["compare_curves"] = True
    [table] = clean(app.run()).dataframe
    assert {"n = 500", "n = 2,500"} <= set(table.value.columns)


def test_an_unfinished_comparison_is_exported_with_a_remark():
    scores = pd.DataFrame({"method": ["calm"], "sse": [0.5]})
    name, table = export_table(scores, ComparisonState("finished", 4, 4))
    assert name == "comparison.csv" and csv_text(table) == "method,sse\ncalm,0.5\n"
    for kind in ("running", "stopped", "died"):
        name, table = export_table(scores, ComparisonState(kind, 1, 4, "no memory"))
        assert "unfinished" in name
        assert f"unfinished: 1 of 4 collections, {kind}" in table["comparison"][0]


@pytest.mark.parametrize("missing", ["methods", "epsilon", "n"])
def test_a_comparison_of_nothing_is_refused(open_app, missing):
    app = open_app("compare", d="4", k="2", n="2000")
    if missing == "methods":
        for trust in ("local", "central"):
            choose(app, trust=trust)
    else:
        choose_values(app, missing)
    app = press(app, "Compare")
    assert not app.exception and len(app.error) == 1 and "comparing" not in app.session_state
