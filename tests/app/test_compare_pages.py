"""Three worlds and Methods: cards, the price, rows, a comparison in another process."""

import io
import os
import signal
import time

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from calm_core.errors import InfeasibleError
from calm_core.evaluation.run import run
from calm_core.experiments import ExperimentSpec, parse_methods
from calm_core.experiments import compare as compare_methods
from calm_core.experiments.background import ComparisonState
from calm_core.figures.compare import summarize_points
from calm_core.ingest.samples import load_sample
from calm_core.methods import METHODS
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.panels.compare import lines, rows
from pages.panels.compare.outcome import best_local, by_epsilon, export, in_squares, nearest
from pages.panels.worlds import cards, gap
from pages.ui import cached, glossary_link


def clean(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    assert not app.error, [error.value for error in app.error]
    return app


def figures(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


def said(app: AppTest) -> str:
    html = [element.proto.body for element in app.get("html")]
    return " ".join([*(text.value for text in (*app.markdown, *app.caption)), *html])


def plain(text: str) -> str:
    """A sentence without what keeps it from being read as Markdown."""
    return text.replace("\\", "").replace("\u200b", "")


def compare(app: AppTest) -> AppTest:
    [button] = [button for button in app.button if button.label == "Compare"]
    return clean(button.click().run())


def job_of(app: AppTest):
    """The process of a comparison, once it is its turn: the one before may not have been cleared away yet."""
    for _ in range(600):
        if app.session_state["comparing"]["job"].work() is not None:
            break
        time.sleep(0.1)
        clean(app.run())
    return app.session_state["comparing"]["job"].work()


def finished(app: AppTest) -> AppTest:
    job_of(app)._process.wait(timeout=90)
    return clean(app.run())


def choose(app: AppTest, *methods: str) -> None:
    [pills] = [widget for widget in app.pills if widget.key == "compare_local"]
    pills.set_value(list(methods))


def test_the_price_of_trusting_nobody_is_one_sentence(open_app):
    app = clean(open_app("worlds", d="5", k="2", n="4000"))
    settings = app.session_state["settings"]
    curator, local = cards.runs_of(settings)
    needed = gap.needed(settings, curator)
    assert needed > 4_000
    assert words.worlds.price(4_000, needed) in said(app)
    assert words.privacy.CENTRAL_GUARANTEE in said(app)
    # Noise of one collection of a curator is not the price: with two attributes it is ten times off, either way.
    laws = []
    for seed in range(1, 7):
        two = Settings(d=2, k=2, seed=seed)
        laws.append(gap.needed(two, cards.runs_of(two)[0]))
    # SSE of a table of two yes/no attributes: Laplace noise, total known; and randomised response.
    p, q = np.e / (np.e + 3), 1 / (np.e + 3)
    reports = (p * (1 - p) + 3 * q * (1 - q)) / (p - q) ** 2
    assert np.exp(np.mean(np.log(laws))) == pytest.approx(reports * 60_000**2 / 6, rel=0.35)
    assert max(laws) < 3 * min(laws)
    # Nobody trusted is the Lab's own collection.
    assert local is cached.outcome(settings) and curator.points < local.points


@pytest.mark.parametrize("over", ["epsilon", "n"])
def test_the_gap_over_epsilon_and_n(open_app, over):
    app = open_app("worlds", d="4", k="2", n="4000")
    assert figures(app) == 0
    app.session_state["worlds_gap"] = True
    app.session_state["worlds_over"] = over
    app = clean(app.run())
    assert figures(app) == 1 and "times as much" in said(app)


def test_the_table_of_the_worlds_is_the_one_chosen_where_it_fits():
    settings = Settings(d=6, n=3_000)
    _, local = cards.runs_of(settings)
    first = cards.attributes(settings, local)
    assert len(first) == 2
    names = local.domain.names
    assert cards.attributes(settings.changed(attrs=names[:3]), local) == names[:3]
    assert cards.attributes(settings.changed(attrs=names[:6]), local) == first


@pytest.mark.parametrize(
    ("there", "other"), [("worlds", "compare"), ("compare", "worlds")], ids=["worlds", "methods"]
)
def test_the_switch_leads_to_the_other_page(open_app, there, other):
    app = clean(open_app(there, d="4", k="2", n="2000"))
    [switch] = [widget for widget in app.segmented_control if widget.key == "compare_switch"]
    assert switch.value == there and list(switch.options) == ["Three worlds", "Methods"]
    switch.set_value(other).run()
    assert app.session_state["page"] == other


def test_a_billion_people_have_three_worlds(open_app):
    """The settings bar offers them."""
    app = clean(open_app("worlds", n="1000000000"))
    assert words.worlds.price(10**9, None) in said(app)
    app.session_state["worlds_gap"] = True
    assert figures(clean(app.run())) == 1


def test_the_switch_stays_where_the_worlds_are_refused(open_app, monkeypatch):
    def refuse(settings):
        raise InfeasibleError("too many views")

    monkeypatch.setattr(cards, "runs_of", refuse)
    app = open_app("worlds", d="4", k="2", n="2000")
    assert [plain(error.value) for error in app.error] == ["Too many views."]
    [switch] = [widget for widget in app.segmented_control if widget.key == "compare_switch"]
    switch.set_value("compare").run()
    assert app.session_state["page"] == "compare"


def test_before_anything_runs_every_local_method_is_predicted_in_order(open_app):
    app = clean(open_app("compare"))
    text = said(app)
    local = [method for method in METHODS.values() if method.trust == "local"]
    assert all(method.summary.split("'")[0][:30] in text for method in local)
    found = rows.predicted(app.session_state["settings"])
    known = [row.points for row in found if row.points is not None]
    assert known == sorted(known) and len(found) == len(local)
    assert {row.note for row in found if row.points is None} == {words.compare.NO_FORMULA}
    assert glossary_link.dotted(words.compare.predicted_at(1.0)) in text


def test_a_method_that_is_refused_says_why():
    found = {row.method: row for row in rows.predicted(Settings(d=4, k=2, n=3))}
    assert found["am"].points is None and "3" in found["am"].note
    shown = rows._line(found["am"])
    assert "failed" in shown and METHODS["am"].title in shown


def test_rows_are_in_order_of_trust_and_points():
    names, means = ["calm", "ft", "priview", "am", "hdg"], [2.0, 1.0, 0.1, None, 3.0]
    summary = pd.DataFrame({"method": names, "epsilon": 1.0, "mean": means})
    domain = Domain(("age", "city"), (9, 4), ordered=(9, 0))
    found = rows.measured(summary, 1.0, 16.0, {"am": "2 of 2 repetitions failed"}, domain)
    assert [row.method for row in found] == ["ft", "calm", "hdg", "am", "priview"]
    assert found[3].note == "2 of 2 repetitions failed" and found[3].band is None
    # HDG is made for ordered values, and says where there are others.
    assert "Of 2 attributes 1 have no order to use: each" in found[2].remark
    assert f"{found[2].remark}</em>" in rows._line(found[2]) and not found[0].remark
    assert (
        METHODS["hdg"]
        .data_warning(domain.project(("city",)))
        .startswith("None of these attributes has an")
    )
    (bare,) = rows.measured(summary[4:], 1.0, 16.0, {}, domain.project(("age",)))
    assert not bare.remark
    assert found[0].band.value == "exact" and found[1].band.value == "trend"


def test_a_comparison_runs_in_another_process_and_becomes_rows(open_app):
    app = open_app("compare", d="4", k="2", n="3000")
    app.number_input(key="compare_repetitions").set_value(2)
    app = compare(app)
    job = job_of(app)
    assert job._process.pid != os.getpid()
    assert words.compare.STOP in [button.label for button in app.button] or not job.running
    app = finished(app)
    scores = in_squares(job.scores(), job.spec)
    best = best_local(summarize_points(scores), 1.0)
    assert plain(app.title[0].value) == words.compare.title(*best, 1.0)
    text = said(app)
    assert (
        text.index("CALM") < text.index("Uniform") and words.compare.measured_at(1.0, 1.0) in text
    )
    panels = [panel.label for panel in app.expander]
    assert panels == [words.compare.CURVES, words.optimum.QUESTION]


def test_curves_wait_in_a_drawer_and_say_where_calm_plus_asked_other_questions(open_app):
    app = open_app("compare", d="4", k="2", n="3000", design="pairs")
    app.number_input(key="compare_repetitions").set_value(1)
    choose(app, "calm", "calm_plus")
    app = finished(compare(app))
    assert figures(app) == 0 and "all pairs" not in said(app)
    app.session_state["compare_curves"] = True
    app = clean(app.run())
    assert figures(app) == 1 and "(design: all pairs)" in said(app)
    assert list(app.dataframe[0].value["method"]) == ["CALM", "CALM+"]


def test_unbiased_methods_are_shown_once_more_with_their_shares_mended(open_app):
    app = open_app("compare", d="4", k="2", n="3000", epsilon="0.5")
    app.number_input(key="compare_repetitions").set_value(1)
    choose(app, "calm", "am", "ft", "factor")
    app = finished(compare(app))
    job = job_of(app)
    raw, mended = ["am", "ft", "factor"], [name for name in lines.TITLES if name not in METHODS]
    found = summarize_points(in_squares(job.scores(), job.spec)).set_index(["method", "epsilon"])[
        "mean"
    ]
    assert set(found.index.unique("method")) == {"calm", *raw, *mended} - {mended[0]}
    # The nearest distribution to a table cannot be further from the truth than the table was.
    assert all(
        found[other, epsilon] <= found[name, epsilon] * (1 + 1e-9)
        for name, other in zip(raw, mended[1:])
        for epsilon in (0.2, 0.5, 1.0, 2.0)
    )
    assert found["ft(nonnegativity=norm_sub)", 0.2] < found["ft", 0.2]
    text = said(app)
    assert all(f"<b>{lines.TITLES[label]}</b>" in text for label in (*raw, *mended[1:]))
    assert words.compare.at_work(3) == "**Comparing 3 methods**"


def test_a_mended_line_opens_the_reports_of_its_raw_one():
    settings = Settings(d=4, k=2, n=3_000, epsilon=0.2, method="am")
    answer = cached.outcome(settings).answer
    attrs = answer.domain.names[:2]
    raw, mended = (
        lines.table_of(label, answer, attrs) for label in ("am", "am(nonnegativity=norm_sub)")
    )
    again = METHODS["am"](epsilon=0.2, k=2, nonnegativity="norm_sub")
    assert raw.values.min() < 0 <= mended.values.min()
    assert (
        mended.values.tolist()
        == run(cached.people(settings), again, seed=settings.seed, n=settings.n, queries=1)
        .answer.marginal(attrs)
        .values.tolist()
    )


def test_without_the_choice_nothing_is_mended(open_app):
    app = open_app("compare", d="4", k="2", n="3000")
    app.checkbox(key="compare_mending").set_value(False)
    app = compare(app)
    assert [line.label for line in job_of(app).spec.methods] == ["calm", "ft", "uni"]


def test_points_count_the_cells_of_every_table():
    spec = ExperimentSpec(
        load_sample("survey", columns=("age", "female", "income")).dataset, parse_methods("uni"),
        (1.0,), ks=(2,), ns=(2_000,), repetitions=2, queries=3, seed=1,
    )  # fmt: skip
    scores = in_squares(compare_methods(spec, jobs=1), spec)
    sizes = dict(zip(spec.data.domain.names, spec.data.domain.sizes))
    for row in scores.itertuples():
        a, b = row.attributes.split("|")
        assert row.square == pytest.approx(1e4 * row.sse / (sizes[a] * sizes[b]))
    assert scores["square"].tolist() == scores["guess"].tolist()


def test_the_epsilon_measured_that_is_nearest_is_shown():
    assert nearest({0.2, 1.0, 2.0}, 1.4) == 1.0
    assert "nearest to 1.4" in words.compare.measured_at(1.0, 1.4)
    assert "nearest" not in words.compare.measured_at(1.0, 1.0)


def test_the_table_of_a_comparison_shows_the_formula_beside_the_measured():
    spec = ExperimentSpec(
        load_sample("browsing", d=4).dataset, parse_methods("calm,ft,flat"), (0.5, 1.0), ks=(2,),
        ns=(20_000,), repetitions=8, queries=6, seed=1,
    )  # fmt: skip
    scores = in_squares(compare_methods(spec, jobs=1), spec)
    wide = by_epsilon(scores, summarize_points(scores))
    names = ["ε 0.5", "ε 0.5, formula", "ε 1", "ε 1, formula"]
    assert list(wide.columns) == names
    assert list(wide.reset_index().columns[:2]) == ["trust", "method"]
    assert list(wide.index) == [("local", "CALM"), ("local", "FT"), ("central", "Flat")]
    assert wide.loc[("local", "CALM")].notna().tolist() == [True, False, True, False]
    for name in names[::2]:
        for row in [("local", "FT"), ("central", "Flat")]:
            assert wide.loc[row, name] == pytest.approx(wide.loc[row, f"{name}, formula"], rel=0.5)


def test_a_comparison_can_be_stopped_and_keeps_what_is_done(open_app):
    app = open_app("compare", d="6", k="2")
    app.number_input(key="compare_repetitions").set_value(100)
    app = compare(app)
    job = job_of(app)
    assert job.running and words.compare.at_work(3) in said(app)
    app = clean(app.button(key="compare_cancel").click().run())
    assert not job.running and any("was stopped by you after" in i.value for i in app.info)


def test_a_comparison_takes_the_settings_of_the_strip(open_app):
    app = compare(open_app("compare", d="4", k="2", n="3000", seed="7"))
    job = job_of(app)
    job.cancel()
    asked = (job.spec.ns, job.spec.ks, job.spec.seed, job.spec.data.domain.d)
    assert asked == ((3000,), (2,), 7, 4)


def test_a_comparison_that_died_is_no_finished_one(open_app):
    app = open_app("compare", d="4", k="2", n="3000")
    app.number_input(key="compare_repetitions").set_value(100)
    app = compare(app)
    job = job_of(app)
    while job.scores().dropna(subset=["sse"]).empty:
        assert job.running
        time.sleep(0.05)
    os.kill(job._process.pid, signal.SIGKILL)
    job._process.wait(timeout=20)
    app = app.run()
    done = job.state().done
    [error] = [error.value for error in app.error]
    assert f"died after {done} of 400 collections: the system ended it" in plain(error)
    app.session_state["compare_curves"] = True
    [chart] = app.run().get("plotly_chart")
    assert f"unfinished: {done} of 400 collections, died" in chart.proto.spec
    name, content = export(job.scores(), job.state())
    assert name == "comparison-unfinished.csv"
    told = pd.read_csv(io.StringIO(content))["comparison"]
    assert set(told) == {f"unfinished: {done} of 400 collections, died"}
    app = app.run()
    assert len(app.error) == 1 and not app.exception


def test_only_a_finished_comparison_is_exported_without_remark():
    scores = pd.DataFrame({"method": ["calm"], "sse": [0.5], "square": [1.0]})
    name, content = export(scores, ComparisonState("finished", 4, 4))
    assert name == "comparison.csv" and content == "method,sse\ncalm,0.5\n"
    for kind in ("running", "stopped", "died"):
        name, content = export(scores, ComparisonState(kind, 1, 4, "no memory"))
        assert "unfinished" in name and f"unfinished: 1 of 4 collections, {kind}" in content


def test_failures_are_counted_beside_the_method_and_say_why(open_app):
    app = open_app("compare", d="4", k="2", n="3")
    app.number_input(key="compare_repetitions").set_value(2)
    choose(app, "am", "uni")
    app = finished(compare(app))
    text = plain(said(app))
    assert "2 of 2 repetitions failed" in text
    assert "2 of 2 repetitions of AM failed: " in text


def test_a_comparison_without_methods_is_refused(open_app):
    app = open_app("compare", d="4", k="2")
    for trust in ("local", "central"):
        [pills] = [widget for widget in app.pills if widget.key == f"compare_{trust}"]
        pills.set_value([])
    [button] = [button for button in app.button if button.label == "Compare"]
    app = button.click().run()
    assert not app.exception and len(app.error) == 1 and "comparing" not in app.session_state


@pytest.mark.parametrize("page", ["worlds", "compare"])
def test_a_lecture_has_no_controls_of_the_page(open_app, page):
    app = clean(open_app(page, d="4", k="2", n="2000", presenter="1"))
    assert not app.expander and not app.segmented_control and not app.pills
    assert words.privacy.CENTRAL_GUARANTEE not in said(app)
