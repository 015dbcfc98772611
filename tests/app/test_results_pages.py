"""What pages say about the method chosen: whom it trusts, and what it asks people."""

import pytest

from calm_core.errors import InputError
from calm_core.evaluation.run import run
from calm_core.ingest.samples import load_sample
from calm_core.methods import METHODS, make_method
from calm_core.methods.calm_plus import DESIGNS
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import warnings
from tests.app.screen import clean, open_view, said


def test_pages_say_where_calm_plus_collects_by_a_design_of_its_own(open_app):
    assert set(DESIGNS) == set(words.common.DESIGNS)
    for design in ("algorithm1", "pairs"):
        app = open_app(d="5", k="2", method="calm_plus", design=design)
        for page, note in (("plan", "one of its own"), ("errors", "reports of its own")):
            clean(app.switch_page(f"../{page}.py").run())
            assert (note in said(app)) == (design == "pairs"), (page, design)


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
        ("stacked", ""),
    ):
        app = open_app("collect", d="4", k="2", method=method)
        for view in words.collect.SEGMENTS:
            shown = said(clean(open_view(app, "collect", view)))
            assert (f"CALM's collection; {named}" in shown) == bool(named), (method, view)
            assert ("CALM's collection" in shown) == bool(named), (method, view)


def test_the_text_to_paste_names_the_trust_model():
    dataset = load_sample("survey", d=4).dataset
    for method, kind in METHODS.items():
        settings = Settings(d=4, k=2, n=3000, method=method)
        outcome = run(dataset, make_method(method, epsilon=1.0, k=2), seed=1, n=3000, queries=3)
        text = words.exports.summary(settings, outcome)
        assert ("curator" in text) == (kind.trust == "central"), method
        assert (words.settings.CENTRAL_GUARANTEE in text) == (kind.trust == "central"), method
        assert "n = 3,000" in text


def test_the_guarantee_of_a_curator_is_stated_where_one_is_trusted(open_app):
    for page in ("about", "worlds", "compare", "marginals", "errors"):
        app = clean(open_app(page, method="priview", d="4", k="2", n="2000"))
        if page == "worlds":
            assert words.compare.EQUAL_PROMISES in said(app)
        elif page != "errors":
            assert words.settings.CENTRAL_GUARANTEE in said(app), page
        if page in ("marginals", "errors"):
            assert "Trusted curator" in said(app), page
    assert "Trusted curator" not in said(open_app("marginals", d="4", k="2"))
