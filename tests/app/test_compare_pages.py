"""Three worlds and Methods: cards, the price, rows, a comparison in another process."""

import os
import time

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from calm_core.evaluation.run import run
from calm_core.experiments.background import ComparisonState
from calm_core.experiments.spec import ExperimentSpec, parse_methods
from calm_core.experiments.spec import compare as compare_methods
from calm_core.figures.errors import summarize_points
from calm_core.ingest.samples import load_sample
from calm_core.methods import METHODS
from calm_core.reports import csv_text
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.panels import compare as compare_panel
from pages.panels import worlds as worlds_panel
from pages.panels.compare import export_table, find_best_local, with_squared_points
from pages.ui import cached_calls
from tests.app.screen import clean, figures, plain, press, said


def compare(app: AppTest) -> AppTest:
    return clean(press(app, "Compare"))


def job_of(app: AppTest):
    """The process of a comparison, once it is its turn: the one before may not have been cleared away yet."""
    for _ in range(600):
        if app.session_state["comparing"]["job"].work() is not None:
            break
        time.sleep(0.1)
        clean(app.run())
    return app.session_state["comparing"]["job"].work()


def finished(app: AppTest) -> AppTest:
    """The page once the comparison has ended; somebody looks at it meanwhile, or it would end itself."""
    job, until = job_of(app), time.monotonic() + 90
    while job.is_running and time.monotonic() < until:
        job.refresh()
        time.sleep(0.2)
    return clean(app.run())


def choose(app: AppTest, *methods: str) -> None:
    [pills] = [widget for widget in app.pills if widget.key == "compare_local"]
    pills.set_value(list(methods))


def test_the_price_of_local_privacy_is_stated(open_app):
    app = clean(open_app("worlds", d="5", k="2", n="4000"))
    settings = app.session_state["settings"]
    curator, local = worlds_panel.run_both_worlds(settings)
    needed = worlds_panel.people_needed(settings, curator)
    assert needed > 4_000
    assert words.compare.price_text(4_000, needed) in said(app)
    assert words.settings.CENTRAL_GUARANTEE in said(app)
    # Without trust the page shows the collection of the other pages.
    assert local is cached_calls.outcome(settings) and curator.points < local.points


def test_the_price_hardly_depends_on_one_collection_of_the_curator():
    prices = []
    for seed in range(1, 7):
        two = Settings(d=2, k=2, seed=seed)
        prices.append(worlds_panel.people_needed(two, worlds_panel.run_both_worlds(two)[0]))
    # SSE of a table of two yes/no attributes: Laplace noise, total known; and randomized response.
    p, q = np.e / (np.e + 3), 1 / (np.e + 3)
    reports = (p * (1 - p) + 3 * q * (1 - q)) / (p - q) ** 2
    assert np.exp(np.mean(np.log(prices))) == pytest.approx(reports * 60_000**2 / 6, rel=0.35)
    assert max(prices) < 3 * min(prices)


def test_the_gap_is_drawn_over_epsilon_and_over_n(open_app):
    app = open_app("worlds", d="4", k="2", n="4000")
    assert figures(app) == 0
    app.session_state["worlds_gap"] = True
    for over in ("epsilon", "n"):
        app.session_state["worlds_over"] = over
        app = clean(app.run())
        assert figures(app) == 1 and "times as much" in said(app)


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


def test_local_methods_are_listed_by_their_predicted_error(open_app):
    app = clean(open_app("compare"))
    local = [method for method in METHODS.values() if method.trust == "local"]
    assert all(method.summary.split("'")[0][:30] in said(app) for method in local)
    found = compare_panel.predicted_rows(app.session_state["settings"])
    known = [row.points for row in found if row.points is not None]
    assert known == sorted(known) and len(found) == len(local)
    assert {row.note for row in found if row.points is None} == {words.compare.NO_FORMULA}


def test_a_method_that_is_refused_says_why():
    found = {row.method: row for row in compare_panel.predicted_rows(Settings(d=4, k=2, n=3))}
    assert found["am"].points is None and "3" in found["am"].note
    shown = compare_panel._row_html(found["am"])
    assert "failed" in shown and METHODS["am"].title in shown


def test_rows_are_ordered_by_trust_and_error():
    names, means = ["calm", "ft", "priview", "am", "hdg"], [2.0, 1.0, 0.1, None, 3.0]
    summary = pd.DataFrame({"method": names, "epsilon": 1.0, "mean": means})
    domain = Domain(("age", "city"), (9, 4), ordered=(9, 0))
    found = compare_panel.measured_rows(
        summary, 1.0, 16.0, {"am": "2 of 2 repetitions failed"}, domain
    )
    assert [row.method for row in found] == ["ft", "calm", "hdg", "am", "priview"]
    assert found[3].note == "2 of 2 repetitions failed" and found[3].band is None
    assert found[0].band.value == "exact" and found[1].band.value == "trend"
    # HDG is made for ordered values, and says where there are others.
    assert (
        found[2].remark in compare_panel._row_html(found[2])
        and found[2].remark
        and not found[0].remark
    )
    (ordered,) = compare_panel.measured_rows(summary[4:], 1.0, 16.0, {}, domain.project(("age",)))
    assert not ordered.remark


def test_a_comparison_runs_in_another_process_with_the_settings_shown(open_app):
    app = open_app("compare", d="4", k="2", n="3000", seed="7")
    app.number_input(key="compare_repetitions").set_value(2)
    choose(app, "calm", "uni")
    app = compare(app)
    job = job_of(app)
    assert job._process.pid != os.getpid()
    asked = (job.spec.ns, job.spec.ks, job.spec.seed, job.spec.data.domain.d)
    assert asked == ((3000,), (2,), 7, 4)
    app = finished(app)
    scores = with_squared_points(job.scores(), job.spec)
    best = find_best_local(summarize_points(scores), 1.0)
    assert plain(app.title[0].value) == words.compare.title(
        best=best[0], points=best[1], epsilon=1.0
    )
    text = said(app)
    assert text.index("CALM") < text.index("Uniform")
    assert figures(app) == 0
    app.session_state["compare_curves"] = True
    assert figures(clean(app.run())) == 1


def test_unbiased_methods_get_a_second_row_without_negative_shares(open_app):
    app = open_app("compare", d="4", k="2", n="3000", epsilon="0.5")
    app.number_input(key="compare_repetitions").set_value(1)
    choose(app, "calm", "am", "ft", "factor")
    app = finished(compare(app))
    job = job_of(app)
    raw, mended = (
        ["am", "ft", "factor"],
        [name for name in compare_panel.TITLES if name not in METHODS],
    )
    found = summarize_points(with_squared_points(job.scores(), job.spec)).set_index(
        ["method", "epsilon"]
    )["mean"]
    assert set(found.index.unique("method")) == {"calm", *raw, *mended} - {mended[0]}
    # The nearest distribution to a table cannot be further from the truth than the table was.
    for name, other in zip(raw, mended[1:]):
        for epsilon in (0.2, 0.5, 1.0, 2.0):
            assert found[other, epsilon] <= found[name, epsilon] * (1 + 1e-9)
    assert all(
        f"<b>{compare_panel.TITLES[label]}</b>" in said(app) for label in (*raw, *mended[1:])
    )


def test_a_row_without_negative_shares_uses_the_reports_of_its_raw_row():
    settings = Settings(d=4, k=2, n=3_000, epsilon=0.2, method="am")
    answer = cached_calls.outcome(settings).answer
    attrs = answer.domain.names[:2]
    raw, mended = (
        compare_panel.reconstructed_table(label, answer, attrs)
        for label in ("am", "am(nonnegativity=norm_sub)")
    )
    again = METHODS["am"](epsilon=0.2, k=2, nonnegativity="norm_sub")
    assert raw.values.min() < 0 <= mended.values.min()
    assert (
        mended.values.tolist()
        == run(cached_calls.people(settings), again, seed=settings.seed, n=settings.n, queries=1)
        .answer.marginal(attrs)
        .values.tolist()
    )


def test_points_are_averaged_over_the_cells_of_each_table():
    spec = ExperimentSpec(
        load_sample("survey", columns=("age", "female", "income")).dataset, parse_methods("uni"),
        (1.0,), ks=(2,), ns=(2_000,), repetitions=2, queries=3, seed=1,
    )  # fmt: skip
    scores = with_squared_points(compare_methods(spec, jobs=1), spec)
    sizes = dict(zip(spec.data.domain.names, spec.data.domain.sizes))
    for row in scores.itertuples():
        a, b = row.attributes.split("|")
        assert row.square == pytest.approx(1e4 * row.sse / (sizes[a] * sizes[b]))
    assert scores["square"].tolist() == scores["guess"].tolist()


def test_an_unfinished_comparison_is_exported_with_a_remark():
    scores = pd.DataFrame({"method": ["calm"], "sse": [0.5], "square": [1.0]})
    name, table = export_table(scores, ComparisonState("finished", 4, 4))
    assert name == "comparison.csv" and csv_text(table) == "method,sse\ncalm,0.5\n"
    for kind in ("running", "stopped", "died"):
        name, table = export_table(scores, ComparisonState(kind, 1, 4, "no memory"))
        assert "unfinished" in name
        assert f"unfinished: 1 of 4 collections, {kind}" in table["comparison"][0]


def test_a_comparison_without_methods_is_refused(open_app):
    app = open_app("compare", d="4", k="2")
    for trust in ("local", "central"):
        [pills] = [widget for widget in app.pills if widget.key == f"compare_{trust}"]
        pills.set_value([])
    app = press(app, "Compare")
    assert not app.exception and len(app.error) == 1 and "comparing" not in app.session_state


@pytest.mark.parametrize(("page", "query"), [("errors", {"view": "sources"}), ("compare", {})])
def test_the_best_possible_error_is_shown_on_request(open_app, page, query):
    app = open_app(page, d="4", k="2", n="4000", **query)
    assert words.compare.OPTIMUM_LEAD not in said(app)
    app.session_state[f"{page}_optimum"] = True
    assert words.compare.OPTIMUM_LEAD in said(clean(app.run()))


def test_the_best_possible_error_of_too_large_a_table_is_refused(open_app):
    app = open_app("compare", source="browsing", d="12", k="2", n="4000")
    app.session_state["compare_optimum"] = True
    app = app.run()
    assert not app.exception and len(app.error) == 1
    assert any(button.label == "Compare" for button in app.button)
