"""Cached results have keys that hold all that decides them: every result is computed anew and compared.

Caches are replaced by witnesses that store nothing; one key with two results is a fault.
"""

import ast
import runpy
from collections.abc import Hashable
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import FunctionType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import calm_core as cc
from calm_core.classroom.results import ReportCounts
from calm_core.classroom.survey import plan_class
from calm_core.classroom.teacher import Progress
from calm_core.collection.states import State
from calm_core.collection.tally import Tally
from calm_core.evaluation import run as runs
from calm_core.evaluation.metrics import summarize_wrong
from calm_core.evaluation.run import Run
from calm_core.experiments.background import ComparisonState as Comparing
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.samples import sample_table
from calm_core.ingest.schema import Schema
from calm_core.settings import Settings
from pages.panels import assignment as assignment_panel
from pages.panels import collect as collect_panel
from pages.panels import collection as collection_panel
from pages.panels import compare as compare_panel
from pages.panels import errors as errors_panel
from pages.panels import marginals as marginals_panel
from pages.panels import plan as plan_panel
from pages.panels import worlds as worlds_panel
from pages.panels.classroom import open_survey
from pages.panels.classroom import results as class_results
from pages.panels.data import cleaning, columns, source
from pages.ui import asking as ask_panel
from pages.ui import attacking as attack_panel
from pages.ui import (
    cached_calls,
    error_by_epsilon,
    frame,
    navigation,
    plan_chart,
    results,
    uploads,
    warnings,
    widgets,
)
from pages.ui.result_cache import ResultCache
from tests.classroom.conftest import survey_of

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
ROWS = 600
USUAL = Settings(d=5, k=3, n=500, queries=4)
# Another value of every field; a new field fails until it has one.
OTHER = {
    "source": "browsing", "file": "x.csv", "read": ("header=no",), "schema": "edited",
    "columns": ("age", "female", "income", "area", "education"), "d": 4, "max_values": 2, "n": 400, "epsilon": 3.0, "k": 4,
    "theta": 0.1, "l": 3, "m": 4, "oracle": "oue", "nonnegativity": "simple", "rounds": 1,
    "reconstruction": "lp", "design": "pairs", "method": "ft", "seed": 2, "queries": 3,
    "attrs": ("female",), "presenter": True, "hide": ("k",), "pages": ("plan",),
}  # fmt: skip
# Settings that are not part of the key of a run, and why.
LEFT_OUT = {
    "attrs": "only tells which table of the one release is looked at",
    "presenter": "type size",
    "hide": "controls that are not drawn",
    "pages": "pages that are not offered",
}
# Caches whose keys begin with a name.
NAMED = ("others", "pictures")
# What is needed of a session's own settings for all that follows.
OWN = ("datasets", "runs", "plan", "pairs", "first pair", "split", "all scores")
BASES = {"calm": USUAL, "calm_plus": USUAL.with_changes(method="calm_plus", design="pairs")}
# Of CALM+ what decides its own answers; all else is decided as for CALM.
OF_CALM_PLUS = (
    "n",
    "epsilon",
    "k",
    "oracle",
    "nonnegativity",
    "rounds",
    "reconstruction",
    "design",
    "seed",
)


def plain(value) -> object:
    """All of a result as values that can be compared."""
    if isinstance(value, Run):
        return plain((value.dataset, value.queries, value.answers, value.scores))
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, pd.DataFrame):
        return plain(value.to_dict("list"))
    if isinstance(value, dict):
        return tuple((name, plain(part)) for name, part in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    if is_dataclass(value):
        return type(value).__name__, tuple(plain(getattr(value, f.name)) for f in fields(value))
    assert value is None or isinstance(value, str | bytes | int | float | np.generic), type(value)
    return repr(value)


def made_of(thing) -> Hashable:
    """The inputs of a result: equal only where the result must be the same in one session."""
    if isinstance(thing, FunctionType):
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        return thing.__code__, made_of(cells), made_of(thing.__defaults__)
    if isinstance(thing, dict):
        return made_of([*thing.items()])
    if isinstance(thing, list | tuple):
        return tuple(map(made_of, thing))
    if thing is None or isinstance(thing, str | int | float | Settings):
        return type(thing), thing
    return id(thing)


class Witness:
    """A cache that compares the results of each key, computed anew for every session and other inputs.

    A key that is new with other settings is right whatever it stands for: the result of the first session stands in,
    unless what is drawn needs the session's own.
    """

    def __init__(self, name: str, stored: dict, faults: set):
        self.name, self.stored, self.faults = name, stored, faults
        self.first = {}

    def get(self, key, make, take=None):
        place, kind = (self.name, key), key[0] if self.name in NAMED else self.name
        once = st.session_state.setdefault("witnessed", {})
        asked = place, made_of(make)
        if asked not in once:
            session, stand_in = self.first.get(kind, (once, None))
            if place not in self.stored and session is not once and kind not in OWN:
                return stand_in
            value = make()
            self.first.setdefault(kind, (once, value))
            shown = plain(value)
            if self.stored.setdefault(place, shown) != shown:
                self.faults.add(f"{self.name}: {key[0] if self.name in NAMED else key}")
            # The maker is stored too, so that its id is not used again.
            once[asked] = value, make
        return once[asked][0]

    def peek(self, key):
        return None


@pytest.fixture
def results_by_key(monkeypatch):
    """The result of every key, and the keys that had two results."""
    stored, faults = {}, set()
    for shelf in ("datasets", "runs", "others"):
        monkeypatch.setattr(cached_calls, f"_{shelf.upper()}", Witness(shelf, stored, faults))
    monkeypatch.setattr(results, "_PICTURES", Witness("pictures", stored, faults))
    tables = ResultCache(9)
    for name, sample in small_samples().items():
        tables.get(name, lambda sample=sample: sample)
    monkeypatch.setattr(cached_calls, "_TABLES", tables)
    # Less of everything that takes long: a key is right or wrong for any number of repetitions.
    monkeypatch.setattr(runs, "MIN_REPEATS", 2)
    monkeypatch.setattr(runs, "MAX_REPEATS", 2)
    for module in (widgets, error_by_epsilon):
        monkeypatch.setattr(module, "EPSILONS", (1.0, 3.0))
    return stored, faults


@cache
def small_samples() -> dict[str, uploads.Source]:
    """The first rows of the samples, with their schemas."""
    found = {}
    for name in ("survey", "browsing"):
        table = sample_table(name)
        table = replace(table, data=table.data.slice(0, ROWS))
        found[name] = uploads.Source(table, detect_schema(table))
    return found


def edit_schema() -> Schema:
    """The survey's schema with two labels of its first column changed round."""
    found = small_samples()["survey"].schema
    first = found.columns[0]
    return found.with_column(replace(first, groups=tuple(1 - g for g in first.groups)))


def on_page(name: str, **place) -> None:
    """What the shell does before it runs a page."""
    navigation.enter_page(name)
    navigation.change(**place)
    frame.make_frame()


def page(name: str, **state) -> None:
    """A page of the app, its widgets set."""
    for key, value in state.items():
        st.session_state[key] = value
    runpy.run_path(str(ROOT / "pages" / f"{name}.py"))


def runs_of(settings: Settings) -> None:
    """What every page may ask for."""
    cached_calls.outcome(settings)
    warnings.show_expected_unusable(settings)
    on_page("plan")
    plan_panel.show_tradeoff(cached_calls.plan(settings), settings)


def views_of(settings: Settings) -> None:
    """What the views of the result pages ask for."""
    outcome = cached_calls.outcome(settings)
    warnings.suggest_changes(settings)
    # On Plan the prediction is of CALM's plan, on Errors of the method's own.
    warnings.show_expected_unusable(settings)
    assignment_panel.find_measure(settings, outcome, "wrong")
    results.score_all_tables(settings, outcome)
    columns.value_shares(settings, cached_calls.schema(settings).columns)
    errors_panel.worst_pair_text(settings, outcome)
    error_by_epsilon.predict_table_wrong(
        settings, outcome.domain, outcome.n, outcome.domain.names[:2]
    )
    results.get_first_pair(settings, outcome)
    if settings.method != "ft":
        marginals_panel.compute_stages(settings, outcome)
    if settings.method == "calm":
        errors_panel.error_parts(settings, outcome)
        for lecture in (False, True):
            collect_panel.arrival_data(outcome, settings, lecture=lecture)
        pictures_of(settings, outcome)


def pictures_of(settings: Settings, outcome: Run) -> None:
    """Figures of the result pages, their drawers open."""
    for drawer in ("errors_details", "compare_curves"):
        st.session_state[drawer] = True
    on_page("errors")
    errors_panel.show_details(settings, outcome, errors_panel.pair_errors(settings, outcome))
    collect_panel.show_counts(outcome, settings)
    one, two = outcome.answer.plan.views[0][:2]
    asked = ask_panel.ask_run(settings, outcome)
    ask_panel.find_answers(asked, f'association "{one}" "{two}"')
    ask_panel.independence_sentence(asked, (one, two))
    ask_panel.find_rows(asked, 20)
    ask_panel.show_groups(asked, f'groups "{one}=0" by "{two}"')
    scores = pd.DataFrame(
        {
            "method": [settings.method], "trust": "local", "epsilon": settings.epsilon, "repetition": 0,
            "query": 0, "l1": 2 * outcome.wrong, "failed": "",
        }
    )  # fmt: skip
    finished = Comparing("finished", 1, 1)
    for over in compare_panel.OFFERED_VALUES:
        compare_panel.expected_summary(settings, over)
    summary = summarize_wrong(scores, "epsilon")
    compare_panel.show_frontier(settings, summary, "epsilon", settings.epsilon, "")
    compare_panel.show_table_drawer(settings, scores, summary, finished, "epsilon")


def designs_of(settings: Settings) -> None:
    """A survey designed with these settings, and Algorithm 1's scales."""
    on_page("plan")
    plan_panel.show_survey_design(settings)
    plan = cached_calls.plan(settings)
    plan_panel.show_steps(plan)
    plan_panel.show_choices(plan)
    plan_chart.show_views(plan, cached_calls.plan_key(settings))


def worlds_of(settings: Settings) -> None:
    """Three worlds, their first table, and curves over n."""
    _, local = worlds_panel.run_both_worlds(settings)
    attrs = worlds_panel.card_attributes(settings, local)
    if settings == USUAL:
        known = worlds_panel.get_known_price(settings, attrs)
        list(worlds_panel.fill_price(settings, cached_calls.people(settings), attrs, known))
        worlds_panel.show_price(settings, local, attrs)
    attack_panel.find_result(attack_panel.target_of(settings), "one-person", {"prior": "equal"})
    outcome = cached_calls.outcome(settings)
    results.get_first_pair(settings, outcome)
    error_by_epsilon.predict_table_wrong(
        settings, outcome.domain, outcome.n, outcome.domain.names[:2]
    )
    if settings.method == "calm":
        st.session_state["sent"] = 1
        collect_panel.show_oracles(outcome.plan)
        collect_panel.show_person(outcome, outcome.plan, settings)


def wish_of(like: bool, settings: Settings) -> None:
    """What a single share needs, of usual people or of those like the data's."""
    on_page("plan")
    st.session_state.update(whatif_wish="share", whatif_like=like)
    plan_panel.show_survey_design(settings)


def use_other_caches(settings: Settings) -> None:
    """What hardly depends on settings: Table 2, a population made to order, a collection opened."""
    attack_panel.audit_content(b"input,a,b\nyes,0.8,0.2\nno,0.2,0.8", "typed.csv", 1.0)
    on_page("plan", view="choices")
    page("plan")
    source.show_population_form()
    cleaning.get_questions(settings, cached_calls.cleaned_schema(settings))
    domain = cc.Domain(("sex", "age"), (2, 3))
    plan = cc.make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    state = State(plan, (Tally((("a", "0f"),), np.array([4, 1, 1, 2, 1, 1]), np.array([10])),))
    for digest in ("one", "other"):
        collection_panel.answer_of(uploads.Opened(state, "a.json", digest))
    plan_chart.show_views(plan, "one")


def class_of(epsilon: float, more: int, settings: Settings) -> None:
    """How sure the results of a class are: what was foreseen, a rehearsal, more people like these."""
    on_page("classroom")
    asked = survey_of(2, epsilon=epsilon)
    plan = plan_class(asked, 20, rng=np.random.default_rng(1))
    collected = ReportCounts(asked, plan, (np.array([8 + more, 5, 4, 3]),))
    st.session_state["class_played"] = 1 + more
    closed = Progress(
        code=f"ABC23{epsilon:g}", title=asked.title, state="closed", roster="open", capacity=40, cards=0, phones=None,
        reports=collected.n, groups=(collected.n,), version=1 + more, shows_results=True, test=False,
    )  # fmt: skip
    view = SimpleNamespace(code=closed.code, report_counts=lambda: collected)
    class_results.show_precision(open_survey.find_results(view, closed), closed)


def in_session(look, settings: Settings, schemas: dict) -> None:
    """Call it in a session of the app with these settings."""
    app = AppTest.from_string("import streamlit as st\nst.session_state['look']()")
    app.default_timeout = 120
    app.session_state["look"] = partial(look, settings)
    app.session_state["settings"] = settings
    app.session_state["session_data"] = uploads.SessionData(schemas=schemas)
    app.run()
    assert not app.exception, app.exception


LOOKS = (runs_of, views_of, designs_of, worlds_of)


@pytest.mark.parametrize(
    ("look", "base"),
    [
        (runs_of, "calm"), (views_of, "calm"), (views_of, "calm_plus"), (designs_of, "calm"), (worlds_of, "calm"),
    ],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)  # fmt: skip
def test_no_key_has_two_results(results_by_key, look, base):
    stored, faults = results_by_key
    schema = edit_schema()
    kept = {name: OTHER[name] for name in LEFT_OUT}
    changed = OF_CALM_PLUS if base == "calm_plus" else [name for name in OTHER if name not in kept]
    for change in ({}, kept, *({name: OTHER[name]} for name in changed)):
        if "schema" in change:
            change = {"schema": schema.digest}
        settings = BASES[base].with_changes(**change)
        if "source" in change:
            settings = settings.with_changes(columns=())
        settings = settings.with_changes(d=len(settings.columns) or settings.d)
        in_session(look, settings, {schema.digest: schema})
        assert stored and not faults


def test_every_cached_result_is_looked_at(results_by_key, monkeypatch):
    presses = iter([True])
    monkeypatch.setattr(source.st, "form_submit_button", lambda *_, **__: next(presses, False))
    stored, faults = results_by_key
    for look in (*LOOKS, partial(wish_of, False), partial(wish_of, True), use_other_caches):
        in_session(look, USUAL, {})
    in_session(views_of, USUAL.with_changes(method="ft"), {})
    for epsilon, more in ((2.0, 0), (3.0, 0), (2.0, 1)):
        in_session(partial(class_of, epsilon, more), USUAL, {})
    assert not faults
    assert names_kept() <= {key[0] for _, key in stored}


def names_kept() -> set[str]:
    """The names under which the app caches results, read from its source text."""
    found = set()
    for file in (ROOT / "pages").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                if called in ("get_result", "get_long_result", "show_figure"):
                    found |= names_of(node.args[0])
    return found


def names_of(name: ast.expr) -> set[str]:
    """A name as written; an f-string stands for epsilon and n."""
    if isinstance(name, ast.JoinedStr):
        start = name.values[0].value
        return {f"{start}epsilon", f"{start}n"}
    return {name.value} if isinstance(name, ast.Constant) else set()


def test_every_setting_is_part_of_the_key_of_a_run_unless_listed():
    assert set(OTHER) == {item.name for item in fields(Settings)}
    usual = Settings()
    for name, other in OTHER.items():
        assert getattr(usual, name) != other, name
        same = usual.with_changes(**{name: other}).results_key == usual.results_key
        assert same == (name in LEFT_OUT), name
