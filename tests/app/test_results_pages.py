"""Marginals, Errors, Compare, Learn and About: every view, every sample, without complaint."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from calm_core.errors import InputError
from calm_core.evaluation.run import run
from calm_core.ingest.samples import SAMPLES, load_sample
from calm_core.methods import METHODS, make_method
from calm_core.methods.calm_plus_design import DESIGNS
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached, warnings
from pages.ui.view_state import Route

PAGES = ("marginals", "errors", "compare", "worlds", "learn", "about")


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


def told(app: AppTest) -> str:
    return " ".join(element.value for element in (*app.info, *app.caption))


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_of_calm_plus_on_every_page(open_app, sent, design):
    assert design in words.shared.DESIGNS
    own = design != "algorithm1"
    app = open_app(d="5", k="2", method="calm_plus", design=design)
    for page in ("plan", "collect", "errors"):
        clean(app.switch_page(f"../{page}.py").run())
        told_here = "reports of its own" if page == "errors" else "makes one of its own"
        assert (told_here in told(app)) == own, page
    clean(app.switch_page("../marginals.py").run())
    assert (
        any("reports of its own" in note for note in sent(app, "marginal")["side"]["notes"]) == own
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_method_that_asks_otherwise_than_calm_is_told_apart_on_collect(method):
    """By what people are asked: by its public plan, where it has one."""
    domain = Domain(tuple("abcd"), (3, 2, 3, 2))
    made, calm = (make_method(name, epsilon=1.0, k=3) for name in (method, "calm"))
    try:
        plans = [one.public_plan(domain, 9000, rng=stream(1)) for one in (made, calm)]
    except (AttributeError, NotImplementedError, InputError):
        same = False
    else:
        same = plans[0] == plans[1]
    assert (method in warnings.AS_CALM) == same


@pytest.mark.parametrize(
    ("method", "how"),
    [("fc", "FC collects otherwise"), ("uni", "Uniform asks nobody"),
     ("priview", "PriView collects otherwise, by a trusted curator"), ("stacked", "")],
)  # fmt: skip
def test_collect_says_that_it_shows_calms_collection_where_another_method_is_chosen(
    open_app, method, how
):
    app = open_app("collect", d="4", k="2", method=method)
    for view in words.collect.SEGMENTS:
        app.session_state["places"]["collect"] = Route("collect", view=view)
        said = told(clean(app.run()))
        assert (f"Shown here is CALM's collection; {how}." in said) == bool(how)
        assert ("CALM's collection" in said) == bool(how)


def test_calm_itself_knows_no_design(open_app):
    usual = Settings(d=5, k=2)
    for settings in (usual, usual.changed(method="calm_plus")):
        other = settings.changed(design="pairs")
        same = cached.outcome(settings).scores.equals(cached.outcome(other).scores)
        assert same == (settings.method == "calm")
    text = words.exports.summary(other, cached.outcome(other))
    assert "calm_plus (design: all pairs)" in text and "10 views of up to 2" in text


def test_the_line_about_the_true_column_is_always_there(open_app):
    for page in PAGES:
        app = open_app(page, d="4", k="2")
        said = words.shared.LAST.get(page, words.shared.SIMULATION)
        assert said in [caption.value for caption in app.caption]


def plain(text: str) -> str:
    """A sentence without what keeps it from being read as Markdown."""
    return text.replace("\\", "").replace("\u200b", "")


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
    for page in ("marginals", "errors"):
        assert "curator is trusted" in told(open_app(page, method="priview", d="4", k="2")), page
    assert "curator is trusted" not in told(open_app("marginals", d="4", k="2"))


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


@pytest.mark.parametrize(
    ("page", "view"),
    [("marginals", v) for v in ("table", "stages", "all")]
    + [("errors", "spread"), ("errors", "pairs"), ("collect", "counts")],
)
def test_one_table_is_no_tables(open_app, page, view):
    """Two attributes have one table over both, one pair and one view."""
    app = open_app(page, d="2", k="2", n="1000")
    app.session_state["places"] = {page: Route(page, view=view)}
    app.session_state["exports"] = True
    app.run()
    assert not app.exception, app.exception
    shown = (*app.markdown, *app.caption, *app.title, *app.code)
    said = " ".join(
        [str(e.value) for e in shown] + [e.proto.json for e in app.get("bidi_component")]
    )
    found = re.findall(
        r"(?i)\b(?:1 (?:views|tables|pairs|attributes|groups|marginals|cells)|all 1)\b", said
    )
    assert not found, found
