"""Collect: what the component is sent is the run, and every secondary view says what it said."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from calm_core.oracles import choose_oracle
from calm_core.settings import Settings
from pages import words
from pages.panels import collect as collect_panel
from pages.panels.collect import LEVELS, PARTS
from pages.ui import cached_calls, display
from tests.app.screen import open_view


def component_data(view: int = 0, *, lecture: bool = False, **settings) -> tuple[dict, object]:
    settings = Settings(**settings)
    outcome = cached_calls.outcome(settings)
    return collect_panel._build_data(outcome, settings, view, lecture), outcome


@pytest.mark.parametrize("oracle", ["grr", "olh"])
def test_the_last_moment_shows_the_run(oracle):
    data, outcome = component_data(3, oracle=oracle, n=5000, d=5)
    last, table = data["moments"][-1], outcome.answer.noisy.tables[3]
    assert last["reconstructed"] == np.rint(PARTS * table.values.ravel()).astype(int).tolist()
    assert last["reports"] == f"{outcome.n:,}"
    assert data["result"].endswith(f"{words.numbers.wrong(outcome.wrong)} of 100 wrong")
    assert set(last["levels"]) == {"z"} and len(last["levels"]) == outcome.plan.m
    assert data["table"]["true"] == outcome.dataset.marginal(table.attrs).values.ravel().tolist()
    assert data["views"] == sorted(data["views"])
    views = [outcome.domain.positions(outcome.plan.views[i]) for i in data["ids"]]
    assert views == list(map(tuple, data["views"])) and data["ids"][data["chosen"]] == 3


def test_the_expected_error_is_the_same_for_every_collection():
    one, other = (component_data(seed=seed, n=5000, d=5)[0]["moments"] for seed in (1, 2))
    assert one[-1]["reconstructed"] != other[-1]["reconstructed"]
    assert one[-1]["number"] == other[-1]["number"]
    for moment in (moment for moment in one if moment["number"]):
        assert f"{moment['number']} of 100 people" in moment["spoken"]
        assert f"{moment['number']} of 100 people" in moment["alt"]


def test_a_card_fills_with_the_reports_of_its_own_group():
    view = 2
    data, outcome = component_data(view, n=5000, d=5)
    size, card = outcome.answer.reports.views[view].n, data["chosen"]
    seen = set()
    for moment in data["moments"]:
        own = int(re.search(r"[\d,]+|no", moment["group"])[0].replace("no", "0").replace(",", ""))
        assert int(moment["levels"][card], 36) == LEVELS * own // size
        seen.add(own)
    assert len(seen) > 20 and max(seen) == size


def test_every_value_is_within_the_axis_and_the_axis_never_grows():
    data, _ = component_data(epsilon=0.5)
    spans = []
    for moment in data["moments"]:
        spans.append(moment["top"] - moment["bottom"])
        shares = [moment["reconstructed"], *moment["ghosts"]] if moment["ghosts"] else [[0]]
        drawn = np.array(shares) / PARTS
        assert moment["bottom"] <= drawn.min() and drawn.max() <= moment["top"]
    assert spans == sorted(spans, reverse=True) and data["moments"][0]["bottom"] < 0
    assert [data["moments"][i]["reports"] for i in data["stops"]] == ["600", "6,000", "60,000"]
    places = [moment["place"] for moment in data["moments"]]
    assert places[0] == 0 and places == sorted(places) and places[-1] == pytest.approx(1)


def test_the_data_sent_stays_small():
    data, _ = component_data(source="browsing", d=16)
    assert len(json.dumps(data)) < 200_000


def test_a_large_table_shows_its_largest_cells_and_counts_the_others():
    data, outcome = component_data(l=6, m=3, epsilon=4.0)
    assert len(json.dumps(data)) < 200_000
    values = outcome.answer.noisy.tables[0].values.ravel()
    shown = data["moments"][-1]["reconstructed"]
    assert shown == sorted(np.rint(PARTS * values).astype(int).tolist(), reverse=True)[: len(shown)]
    assert data["table"]["more"] == [f"{len(values) - len(shown)} more"]


def test_the_chosen_view_stays_chosen_and_is_dropped_for_other_data(open_app):
    app = open_app("collect")
    app.session_state["collect_view"] = ("smoked_month", "cocaine_ever")
    open_view(app, "collect", "counts")
    domain = cached_calls.encoded_data(Settings()).dataset.domain
    name = display.join_titles(domain, ("smoked_month", "cocaine_ever"), 24)
    assert name in app.selectbox[0].options[app.selectbox[0].index]
    app.selectbox[0].select_index(0).run()
    assert app.session_state["collect_view"] == cached_calls.plan(Settings()).views[0]
    app.session_state["settings"] = Settings(source="browsing")
    assert not open_view(app, "collect", "arrival").error


def test_odds_before_and_after_a_report_follow_bayes_rule(open_app):
    app = open_view(open_app("collect"), "collect", "person")
    (drawn,) = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")][1:]
    oracle = choose_oracle(4, 1.0)
    named = 0.2 * oracle.p / (0.2 * oracle.p + 0.8 * oracle.q)
    names = f"{words.collect.BEFORE}: 20%", f"{words.collect.NAMED}: {named:.0%}"
    assert tuple(drawn["data"][0]["y"][:2]) == names
    assert drawn["data"][0]["x"][:2] == pytest.approx([-0.2, -named])


def test_every_press_sends_a_new_report_and_another_group_none_yet(open_app):
    app = open_app("collect", d="4", k="2", n="3000", seed="7", queries="5", epsilon="0.5")
    open_view(app, "collect", "person")
    received: set[str] = set()
    for _ in range(6):
        app.button(key="report").click().run()
        received |= {part.value for part in app.html if words.collect.RECEIVED in part.value}
    assert len(received) > 1
    app.button(key="deal").click().run()
    assert not any(words.collect.RECEIVED in part.value for part in app.html)


@pytest.mark.parametrize("oracle", ["olh", "grr"])
def test_another_press_view_or_seed_draws_new_noise(oracle):
    device = choose_oracle(64, 1.0, oracle)
    for change in ("view", "press", "seed"):
        reports = set()
        for i in range(40):
            given = {"view": 0, "press": 1, "seed": 1} | {change: i}
            settings = SimpleNamespace(seed=given["seed"])
            at = given["view"], given["press"]
            reports.add(tuple(collect_panel._simulate_report(device, 5, settings, *at)))
        assert len(reports) > 10, change
