"""What is kept is kept under all that decides it: every result is computed afresh and compared.

Shelves are replaced by witnesses that keep nothing; one key that stands for two results is a fault.
"""

import ast
import runpy
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from calm_core.evaluation import price_of_trust as worlds
from calm_core.evaluation.run import Run
from calm_core.ingest import Schema, detect_schema
from calm_core.ingest.samples import sample_table
from calm_core.settings import Settings
from pages.panels.data import overview, source
from pages.panels.errors import curves, pairs, sizes, sources, spread
from pages.panels.marginals import plays, stages
from pages.panels.plan import survey
from pages.ui import cached, results, stepwise, warnings

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
# What takes no part in the key of a run, and why.
LEFT_OUT = {
    "attrs": "only tells which table of the one release is looked at",
    "presenter": "type size",
    "hide": "controls that are not drawn",
    "pages": "pages that are not offered",
}
BASES = {
    "calm": USUAL,
    "merged columns": USUAL.changed(columns=("age", "education", "income", "area"), d=4),
    "calm_plus": USUAL.changed(method="calm_plus", design="pairs"),
    "ft": USUAL.changed(method="ft"),
}


def plain(value) -> object:
    """Everything a result says, as values that can be compared."""
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


class Witness:
    """A shelf that keeps nothing and remembers what each key stood for."""

    def __init__(self, name: str, told: dict, faults: set):
        self.name, self.told, self.faults = name, told, faults

    def get(self, key, make):
        value = make()
        place = (self.name, key)
        if self.told.setdefault(place, plain(value)) != plain(value):
            self.faults.add(f"{self.name}: {key[0] if self.name == 'others' else key}")
        return value


@pytest.fixture
def witnessed(monkeypatch):
    """What every key stood for, and the keys that stood for two results."""
    told, faults = {}, set()
    for shelf in ("datasets", "runs", "others"):
        monkeypatch.setattr(cached, f"_{shelf.upper()}", Witness(shelf, told, faults))
    held = {
        name: cached.Source(table, detect_schema(table)) for name, table in small_samples().items()
    }
    monkeypatch.setattr(cached, "_TABLES", Kept(held))
    steps = Witness("steps", told, faults)

    def measured(name, key, total, make, what):
        # The first two steps tell enough.
        return pd.DataFrame(steps.get((name, key), lambda: [row for row, _ in zip(make(0), "ab")]))

    monkeypatch.setattr(stepwise, "measured", measured)
    full_table = worlds.error_table
    # Less of everything that takes long: a key is right or wrong for any number of repetitions.
    monkeypatch.setattr(plays, "TIMES", 2)
    for module in (sizes, curves):
        monkeypatch.setattr(module, "REPETITIONS", 1)
    few = {"repetitions": 1, "queries": 2}
    monkeypatch.setattr(
        worlds, "error_table",
        lambda data, *, epsilons, ns, **more: full_table(data, epsilons=epsilons[:1], ns=ns[:1], **more | few),
    )  # fmt: skip
    return told, faults


class Kept:
    """The tables, which no setting but their source decides."""

    def __init__(self, held):
        self.held = held

    def get(self, key, make):
        return self.held[key] if key in self.held else make()


def small_samples() -> dict:
    """The first rows of the samples."""
    tables = {name: sample_table(name) for name in ("survey", "browsing")}
    return {
        name: replace(table, data=table.data.slice(0, ROWS), rows_read=ROWS)
        for name, table in tables.items()
    }


def edited() -> Schema:
    """The survey's schema with two labels of its first column changed round."""
    found = detect_schema(small_samples()["survey"])
    first = found.columns[0]
    return found.with_column(replace(first, groups=tuple(1 - g for g in first.groups)))


def page(name: str, **state) -> None:
    """A page of the app, its widgets set."""
    for key, value in state.items():
        st.session_state[key] = value
    runpy.run_path(str(ROOT / "pages" / f"{name}.py"))


def runs_of(settings: Settings) -> None:
    """What every page may ask for."""
    cached.outcome(settings)
    warnings.before_run(cached.plan(settings), settings)
    cached.calibration(settings)


def views_of(settings: Settings) -> None:
    """What the views of the result pages ask for."""
    outcome = cached.outcome(settings)
    warnings._warn("", "", cached.plan(settings), 0.05)
    # On Plan the prediction is of CALM's plan, on Errors of the method's own.
    warnings.before_run(cached.plan(settings), settings)
    results.all_scores(settings, outcome)
    spread.predicted(settings, outcome, outcome.scores)
    overview.pictures(settings)
    pairs.pairs_of(settings, outcome)
    plays.plays_of(settings, outcome, outcome.domain.names[:2])
    if settings.method != "ft":
        stages.stages_of(settings, outcome)
    if settings.method == "calm":
        sources.parts_of(settings, outcome)
        sizes.show(settings, outcome)
        curves.show(settings, outcome)


def designs_of(settings: Settings) -> None:
    """A survey designed with these settings."""
    survey.without_data(settings)


def worlds_of(settings: Settings) -> None:
    """Three worlds, and the curves over n."""
    page("worlds", worlds_over="n", curve_over="n")
    if settings.method == "calm":
        curves.show(settings, cached.outcome(settings))


def others(settings: Settings) -> None:
    """What hardly depends on settings: Table 2, and a population made to order."""
    page("worlds")
    page("plan", plan_tabs="Curves and Table 2")
    source.population()


def in_session(look, settings: Settings, schemas: dict) -> None:
    """Call it in a session of the app with these settings."""
    app = AppTest.from_string("import streamlit as st\nst.session_state['look']()")
    app.default_timeout = 120
    app.session_state["look"] = partial(look, settings)
    app.session_state["settings"], app.session_state["schemas"] = settings, schemas
    app.run()
    assert not app.exception, app.exception


LOOKS = (runs_of, views_of, designs_of, worlds_of)


@pytest.mark.parametrize(
    ("look", "base"),
    [
        (runs_of, "calm"), (runs_of, "merged columns"), (views_of, "calm"), (views_of, "calm_plus"),
        (views_of, "ft"), (designs_of, "calm"), (worlds_of, "calm"),
    ],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)  # fmt: skip
def test_no_key_stands_for_two_results(witnessed, look, base):
    told, faults = witnessed
    schema = edited()
    for change in ({}, *({name: value} for name, value in OTHER.items())):
        if "schema" in change:
            change = {"schema": schema.digest}
        settings = BASES[base].changed(**change)
        if "source" in change:
            settings = settings.changed(columns=())
        settings = settings.changed(d=len(settings.columns) or settings.d)
        in_session(look, settings, {schema.digest: schema})
        assert told and not faults


def test_everything_kept_is_looked_at(witnessed, monkeypatch):
    presses = iter([True])
    monkeypatch.setattr(source.st, "form_submit_button", lambda *_, **__: next(presses, False))
    told, _ = witnessed
    for look in (*LOOKS, others):
        in_session(look, USUAL, {})
    in_session(views_of, BASES["ft"], {})
    assert names_kept() <= {key[0] for _, key in told}


def names_kept() -> set[str]:
    """The names under which the app keeps results, read from its source text."""
    found = set()
    for file in (ROOT / "pages").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                if called in ("kept", "measured"):
                    found |= names_of(node.args[0])
    return found


def names_of(name: ast.expr) -> set[str]:
    """A name as written; one that is put together stands for epsilon and n."""
    if isinstance(name, ast.JoinedStr):
        start = name.values[0].value
        return {f"{start}epsilon", f"{start}n"}
    return {name.value} if isinstance(name, ast.Constant) else set()


@pytest.mark.parametrize("name", OTHER)
def test_every_setting_decides_the_key_of_a_run_or_is_a_matter_of_looks(name):
    """That the fields left out decide nothing is what the witnesses see."""
    usual = Settings()
    assert getattr(usual, name) != OTHER[name]
    same = usual.changed(**{name: OTHER[name]}).results_key == usual.results_key
    assert same == (name in LEFT_OUT), LEFT_OUT.get(name, "it must be in the key")


def test_every_setting_has_another_value():
    assert set(OTHER) == {item.name for item in fields(Settings)}
