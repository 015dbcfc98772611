"""Marginals, Errors, Compare, Learn and About: every view, every sample, without complaint."""

import io
import os
import signal
import time

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from calm_core.evaluation.run import run
from calm_core.experiments import ExperimentSpec, parse_methods
from calm_core.experiments import compare as compare_methods
from calm_core.experiments.background import State
from calm_core.figures.compare import summary_of
from calm_core.ingest.samples import SAMPLES, load_sample
from calm_core.methods import METHODS, make_method
from calm_core.methods.calm_plus_design import DESIGNS
from calm_core.settings import Settings
from pages import words
from pages.panels.compare.outcome import by_epsilon, export
from pages.panels.marginals.stages import stages_of
from pages.ui import cached

PAGES = ("marginals", "errors", "compare", "worlds", "learn", "about")
MARGINALS = ("Look", "Stages", "Play 20 collections", "Guess first", "All marginals")
ERRORS = ("Pairs", "Distribution", "Sources", "View sizes", "More people, more epsilon")


def clean(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    assert not app.error, [error.value for error in app.error]
    return app


def turn(app: AppTest, key: str, value: str) -> AppTest:
    """Choose an option of a segmented control."""
    found = [widget for widget in app.segmented_control if widget.key == key]
    return found[0].set_value(value).run()


def figures(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_page_on_every_sample(open_app, page, sample):
    clean(open_app(page, source=sample, d="6", k="2"))


@pytest.mark.parametrize("view", MARGINALS)
def test_every_view_of_marginals(open_app, view):
    app = clean(turn(open_app("marginals", d="5", k="2"), "marginals_view", view))
    assert figures(app) == (0 if view in ("Guess first", "All marginals") else 1)


def test_calm_plus_shows_intervals(open_app):
    app = clean(open_app("marginals", d="5", k="3", method="calm_plus"))
    assert any("95% intervals" in caption.value for caption in app.caption)
    table = app.dataframe[-1].value
    assert (table["95% from"] <= table["reconstructed share"] + 1e-12).all()
    assert (table["95% to"] >= table["reconstructed share"] - 1e-12).all()
    assert any("pairs were measured" in text.value for text in app.markdown)
    assert any("whiskers" in caption.value for caption in app.caption)
    (chart,) = app.get("plotly_chart")
    assert "arrayminus" in chart.proto.spec


def told(app: AppTest) -> str:
    return " ".join(info.value for info in app.info)


def test_the_design_of_calm_plus_is_chosen_in_the_sidebar(open_app):
    app = clean(open_app("marginals", d="6", k="3", method="calm_plus"))
    assert "reports of its own" not in told(app)
    app = clean(app.selectbox(key="in_design").set_value("pairs").run())
    settings = app.session_state["settings"]
    assert settings.design == "pairs" and settings.to_query()["design"] == "pairs"
    assert "15 groups of people, asked about up to 2 attributes" in told(app)
    assert any("--design pairs" in code.value for code in app.code)
    again = clean(open_app("errors", **settings.to_query()))
    assert again.session_state["settings"] == settings and "all pairs" in told(again)
    assert again.selectbox(key="in_design").value == "pairs"


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_of_calm_plus_on_every_page(open_app, design):
    assert design in words.shared.DESIGNS
    own = design != "algorithm1"
    app = open_app(d="5", k="2", method="calm_plus", design=design)
    for page in ("start", "plan", "collect", "marginals", "errors"):
        clean(app.switch_page(f"../{page}.py").run())
        told_here = "makes one of its own" if page in ("plan", "collect") else "reports of its own"
        assert (told_here in told(app)) == own, page
    app.selectbox(key="in_method").set_value("calm").run()
    for page in ("start", "plan", "collect", "marginals", "errors"):
        clean(app.switch_page(f"../{page}.py").run())
        assert not told(app)


def test_calm_itself_knows_no_design(open_app):
    usual = Settings(d=5, k=2)
    for settings in (usual, usual.changed(method="calm_plus")):
        other = settings.changed(design="pairs")
        same = cached.outcome(settings).scores.equals(cached.outcome(other).scores)
        assert same == (settings.method == "calm")
    text = words.exports.summary(other, cached.outcome(other))
    assert "calm_plus (design: all pairs)" in text and "10 views of up to 2" in text


@pytest.mark.parametrize("view", ERRORS)
def test_every_view_of_errors(open_app, view):
    app = clean(turn(open_app("errors", d="5", k="2"), "errors_view", view))
    if view in ERRORS[3:]:
        assert figures(app) == 0
        name = "views" if view == "View sizes" else "curve_epsilon"
        app = clean(app.button(key=f"measure_{name}").click().run())
    assert figures(app) == 1


@pytest.mark.parametrize(
    "query",
    [
        {"d": "2", "k": "2"},
        {"d": "2", "k": "1", "n": "2"},
        {"method": "uni"},
        {"method": "calm_plus"},
        {"method": "calm_plus", "design": "two_phase"},
        {"method": "calm_binary", "d": "4"},
        {"method": "priview", "d": "4"},
        {"method": "am", "d": "4"},
    ],
)
def test_small_data_and_other_methods(open_app, query):
    for view in MARGINALS:
        clean(turn(open_app("marginals", **query), "marginals_view", view))
    for view in ERRORS[:3]:
        clean(turn(open_app("errors", **query), "errors_view", view))


@pytest.mark.parametrize("method", ["calm", "calm_binary", "ft", "em", "priview"])
def test_a_prediction_stands_beside_the_error_where_there_is_a_formula(open_app, method):
    query = {"d": "4", "k": "2", "source": "browsing", "method": method, "queries": "6"}
    app = turn(open_app("errors", **query), "errors_view", "Distribution")
    plain = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    found = {
        metric.label: float(metric.value.replace(" × 10", "e").translate(plain))
        for metric in app.metric
        if "SSE" in metric.label
    }
    named = "Predicted mean SSE"
    assert (named in found) == (method in ("calm", "ft", "priview"))
    if named in found:
        assert found[named] < 30 * found["Mean SSE, squared shares"]


@pytest.mark.parametrize("method", ["calm", "calm_plus", "priview"])
def test_the_last_stage_is_what_the_method_answers(open_app, method):
    app = open_app("marginals", d="5", k="2", method=method, nonnegativity="simple", rounds="2")
    settings = app.session_state["settings"]
    outcome = cached.outcome(settings)
    last = list(stages_of(settings, outcome).values())[-1]
    answer = outcome.answer
    plus = method == "calm_plus"
    wanted = answer.marginals(answer.noisy.views) if plus else answer.inferred.tables
    for found, table in zip(last, wanted, strict=True):
        assert found.values == pytest.approx(table.values, abs=1e-12)


def reveal(app: AppTest) -> AppTest:
    [button] = [button for button in app.button if button.label == "Reveal"]
    return clean(button.click().run())


def test_what_is_said_of_a_guess_is_true(open_app):
    app = turn(open_app("marginals", d="3", k="2"), "marginals_view", "Guess first")
    assert "No better than all cells equal" in reveal(app).info[-1].value
    app = open_app("marginals", d="3", k="1", attrs="female", n="30", epsilon="0.05", seed="5")
    app = turn(app, "marginals_view", "Guess first")
    app.slider(key="guess_female_0").set_value(100)
    app.slider(key="guess_female_1").set_value(0)
    app = reveal(app)
    mine, theirs, nothing = (float(metric.value) for metric in app.metric)
    assert mine > theirs > nothing
    assert "closer than either" in app.info[-1].value


def test_guess_is_scored_against_the_truth(open_app):
    app = open_app("marginals", d="3", k="1", attrs="female")
    app = turn(app, "marginals_view", "Guess first")
    app.slider(key="guess_female_0").set_value(100)
    app.slider(key="guess_female_1").set_value(0)
    [reveal] = [button for button in app.button if button.label == "Reveal"]
    app = clean(reveal.click().run())
    mine = float(app.metric[0].value)
    # Half of the sample are women: the guess of none is off by one half in both cells.
    assert mine == pytest.approx(0.52, abs=0.03)


@pytest.mark.parametrize("method", ["calm", "calm_plus", "fc", "priview"])
def test_the_first_page_says_where_its_picture_is_of_another_method(open_app, method):
    app = clean(open_app("start", d="4", method=method))
    said = any("The picture shows CALM's collection" in caption.value for caption in app.caption)
    assert said == (method in ("fc", "priview"))


def test_the_table_of_a_comparison_shows_the_formula_beside_the_measured():
    spec = ExperimentSpec(
        load_sample("browsing", d=4).dataset, parse_methods("calm,ft,flat"), (0.5, 1.0), ks=(2,),
        ns=(20_000,), repetitions=8, queries=6, seed=1,
    )  # fmt: skip
    scores = compare_methods(spec, jobs=1)
    wide = by_epsilon(scores, summary_of(scores))
    names = ["epsilon 0.5", "epsilon 0.5, formula", "epsilon 1", "epsilon 1, formula"]
    assert list(wide.columns) == names
    assert list(wide.reset_index().columns[:2]) == ["trust", "method"]
    assert list(wide.index) == [("local", "CALM"), ("local", "FT"), ("central", "Flat")]
    assert wide.loc[("local", "CALM")].notna().tolist() == [True, False, True, False]
    for name in names[::2]:
        for row in [("local", "FT"), ("central", "Flat")]:
            assert wide.loc[row, name] == pytest.approx(wide.loc[row, f"{name}, formula"], rel=0.5)


def test_no_better_than_guessing_is_said(open_app):
    app = open_app("errors", n="200", epsilon="0.05")
    assert any("guess" in warning.value for warning in app.warning)


def test_the_line_about_the_true_column_is_always_there(open_app):
    for page in PAGES:
        app = open_app(page, d="4", k="2")
        assert any("simulation" in caption.value for caption in app.caption)


@pytest.mark.parametrize(
    "lesson", ["coin", "epsilon", "patterns", "splitting", "agreement", "shrinkage", "limits"]
)
def test_lessons_ask_before_they_tell(open_app, lesson):
    app = clean(open_app("learn", lesson=lesson))
    assert not app.warning and app.selectbox(key="lesson").value == lesson
    assert figures(app) == 1 and not app.success and not app.info
    question = app.radio(key=f"predict_{lesson}")
    told = {}
    for option in question.options:
        app = clean(app.radio(key=f"predict_{lesson}").set_value(option).run())
        told[option] = bool(app.success)
        assert app.success or app.info
    assert sum(told.values()) == 1


@pytest.mark.parametrize(("lesson", "answer"), [("epsilon", "23%"), ("splitting", "10 questions,")])
def test_a_lesson_does_not_open_at_the_case_it_asks_about(open_app, lesson, answer):
    app = clean(open_app("learn", lesson=lesson))
    assert not any(answer in caption.value for caption in app.caption)


def test_lessons_follow_each_other(open_app):
    app = open_app("learn")
    for _ in range(7):
        app = clean(app.button(key="lesson_next").click().run())
    assert app.selectbox(key="lesson").value == "coin"


def test_a_lesson_takes_its_settings_to_the_workbench(open_app):
    app = open_app("learn", lesson="epsilon")
    app.select_slider(key="lesson_epsilon").set_value(3.0).run()
    app = app.button(key="lesson_open").click().run()
    assert app.session_state["settings"].epsilon == 3.0


def test_names_from_files_are_shown_literally(open_app):
    """A column called like Markdown, HTML and a plotly label must not become any of them."""
    name = "**bold** <b>x</b> $a$ :red[no]"
    rows = "\n".join(f"{i % 2},{i * i % 3}" for i in range(600))
    content = f'"{name}",true\n{rows}\n'.encode()
    app = open_app("data")
    app.file_uploader(key="upload").set_value(("odd.csv", content, "text/csv")).run()
    app.switch_page("../marginals.py").run()
    for view in MARGINALS:
        app = clean(turn(app, "marginals_view", view))
        shown = [chart.proto.spec for chart in app.get("plotly_chart")]
        assert not any("<b>x" in spec for spec in shown)
        texts = [m.value for m in app.markdown] + [c.value for c in app.caption]
        assert not any("**bold** " in text or "$a$" in text for text in texts)


def compare(app: AppTest) -> AppTest:
    [button] = [button for button in app.button if button.label == "Compare"]
    return clean(button.click().run())


def test_compare_runs_in_another_process_and_shows_what_came(open_app):
    app = open_app("compare", d="4", k="2", n="3000")
    app.number_input(key="compare_repetitions").set_value(2)
    app = compare(app)
    job = app.session_state["comparing"]["job"]
    assert job._process.pid != os.getpid()
    job._process.wait(timeout=90)
    app = clean(app.run())
    assert figures(app) == 1
    shown = app.dataframe[0].value
    assert list(shown["method"]) == ["CALM", "FT", "Uniform"]
    calm, _, uniform = shown["epsilon 2"]
    assert 0 < calm < uniform


def test_compare_says_where_calm_plus_asked_other_questions(open_app):
    app = open_app("compare", d="4", k="2", n="3000", design="pairs")
    app.number_input(key="compare_repetitions").set_value(1)
    [pills] = [widget for widget in app.pills if widget.key == "compare_local"]
    pills.set_value(["calm", "calm_plus"])
    app = compare(app)
    app.session_state["comparing"]["job"]._process.wait(timeout=90)
    app = clean(app.run())
    assert "(design: all pairs)" in told(app) and figures(app) == 1


def test_compare_can_be_cancelled_and_keeps_what_is_done(open_app):
    app = open_app("compare", d="6", k="2")
    app.number_input(key="compare_repetitions").set_value(100)
    app = compare(app)
    job = app.session_state["comparing"]["job"]
    assert job.running
    app = clean(app.button(key="compare_cancel").click().run())
    assert not job.running and any("was stopped by you after" in i.value for i in app.info)


def plain(text: str) -> str:
    """A sentence without what keeps it from being read as Markdown."""
    return text.replace("\\", "").replace("\u200b", "")


def test_compare_takes_the_settings_of_the_sidebar(open_app):
    app = compare(open_app("compare", d="4", k="2", n="3000", seed="7"))
    job = app.session_state["comparing"]["job"]
    job.cancel()
    assert (job.spec.ns, job.spec.ks, job.spec.seed, job.spec.data.domain.d) == (
        (3000,),
        (2,),
        7,
        4,
    )


def test_a_comparison_that_died_is_no_finished_one(open_app):
    app = open_app("compare", d="4", k="2", n="3000")
    app.number_input(key="compare_repetitions").set_value(100)
    app = compare(app)
    job = app.session_state["comparing"]["job"]
    while job.scores().dropna(subset=["sse"]).empty:
        assert job.running
        time.sleep(0.05)
    os.kill(job._process.pid, signal.SIGKILL)
    job._process.wait(timeout=20)
    app = app.run()
    done = job.state().done
    [error] = [error.value for error in app.error]
    assert f"died after {done} of 300 runs: the system ended it" in plain(error)
    [chart] = app.get("plotly_chart")
    assert f"unfinished: {done} of 300 runs, died" in chart.proto.spec
    name, content = export(job.scores(), job.state())
    assert name == "comparison-unfinished.csv"
    told = pd.read_csv(io.StringIO(content))["comparison"]
    assert set(told) == {f"unfinished: {done} of 300 runs, died"}
    app = app.run()
    assert len(app.error) == 1 and not app.exception


def test_only_a_finished_comparison_is_exported_without_remark():
    scores = pd.DataFrame({"method": ["calm"], "sse": [0.5]})
    name, content = export(scores, State("finished", 4, 4))
    assert name == "comparison.csv" and content == "method,sse\ncalm,0.5\n"
    for kind in ("running", "stopped", "died"):
        name, content = export(scores, State(kind, 1, 4, "no memory"))
        assert "unfinished" in name and f"unfinished: 1 of 4 runs, {kind}" in content


def test_compare_counts_failures_beside_the_method(open_app):
    app = open_app("compare", d="4", k="2", n="3")
    app.number_input(key="compare_repetitions").set_value(2)
    [pills] = [widget for widget in app.pills if widget.key == "compare_local"]
    pills.set_value(["am", "uni"])
    app = compare(app)
    app.session_state["comparing"]["job"]._process.wait(timeout=90)
    app = clean(app.run())
    assert list(app.dataframe[0].value["failed"]) == ["2 of 2 repetitions failed", ""]
    assert any(
        "2 of 2 repetitions of AM failed: " in plain(caption.value) for caption in app.caption
    )


def test_compare_without_methods_is_refused(open_app):
    app = open_app("compare", d="4", k="2")
    for trust in ("local", "central"):
        [pills] = [widget for widget in app.pills if widget.key == f"compare_{trust}"]
        pills.set_value([])
    [button] = [button for button in app.button if button.label == "Compare"]
    app = button.click().run()
    assert not app.exception and len(app.error) == 1 and "comparing" not in app.session_state


def test_three_worlds_over_epsilon_and_n(open_app):
    app = clean(open_app("worlds", d="5", k="2", n="4000"))
    assert figures(app) == 2
    assert any("times** the curator's" in text.value for text in app.markdown)
    assert figures(clean(turn(app, "worlds_over", "n"))) == 2


@pytest.mark.parametrize("method", METHODS)
def test_text_to_paste_tells_who_is_trusted(method):
    settings = Settings(d=4, k=2, n=3000, method=method)
    dataset = load_sample("survey", d=4).dataset
    outcome = run(dataset, make_method(method, epsilon=1.0, k=2), seed=1, n=3000, queries=3)
    text = words.exports.summary(settings, outcome)
    assert ("curator" in text) == (METHODS[method].trust == "central")
    assert (words.privacy.CENTRAL_GUARANTEE in text) == (METHODS[method].trust == "central")
    assert ("one randomised report" in text) <= (METHODS[method].trust == "local")
    assert "n = 3,000" in text


def test_a_central_method_is_never_mistaken_for_a_local_one(open_app):
    for page in ("start", "marginals", "errors"):
        told = [info.value for info in open_app(page, method="priview", d="4", k="2").info]
        assert any("curator is trusted" in text for text in told), page
    assert not open_app("marginals", d="4", k="2").info


@pytest.mark.parametrize("page", ["about", "worlds", "compare", "marginals"])
def test_what_a_curator_guarantees_is_said(open_app, page):
    app = clean(open_app(page, method="priview", d="4", k="2", n="2000"))
    told = [text.value for text in (*app.markdown, *app.caption, *app.info)]
    assert any(words.privacy.CENTRAL_GUARANTEE in text for text in told)


def test_the_guarantee_names_both_kinds_of_neighbours():
    said = words.privacy.CENTRAL_GUARANTEE
    one, other = said.split(";")
    assert "adding or removing one person" in one and "people taken as public" in one
    assert "replacing one person's record" in other and "2 epsilon" in other
