"""Collect: what the component is sent is the run, and every secondary view says what it said."""

import html
import json
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from calm_core.ingest.samples import SAMPLES
from calm_core.oracles import choose_oracle
from calm_core.settings import Settings
from pages import words
from pages.panels.collect import arrival, person
from pages.panels.collect.arrival import LEVELS, PARTS
from pages.ui import cached, naming
from pages.ui.view_state import Route

VIEWS = tuple(words.collect.SEGMENTS)


def open_view(app, view: str):
    app.session_state["places"]["collect"] = Route("collect", view=view)
    app.run()
    assert not app.exception, app.exception
    return app


def sent(view: int = 0, *, lecture: bool = False, **settings) -> tuple[dict, object]:
    settings = Settings(**settings)
    outcome = cached.outcome(settings)
    return arrival._data(outcome, settings, view, lecture), outcome


@pytest.mark.parametrize("source", SAMPLES)
def test_every_view_on_every_sample(open_app, source):
    app = open_app("collect", source=source)
    for view in VIEWS:
        open_view(app, view)
        assert not app.error


@pytest.mark.parametrize(
    "query",
    [{"epsilon": "0.01"}, {"epsilon": "16"}, {"n": "50"}, {"d": "2", "k": "1"}, {"d": "2", "k": "1", "n": "2"},
     {"method": "fc"}, {"oracle": "best", "epsilon": "0.2"}, {"presenter": "1"}],
)  # fmt: skip
def test_extremes_never_break_the_page(open_app, query):
    app = open_app("collect", **query)
    for view in VIEWS:
        assert not open_view(app, view).error


@pytest.mark.parametrize("oracle", ["grr", "oue", "olh", "subset"])
def test_the_last_moment_is_the_run(oracle):
    data, outcome = sent(3, oracle=oracle, n=5000, d=5)
    last, table = data["moments"][-1], outcome.answer.noisy.tables[3]
    assert last["released"] == np.rint(PARTS * table.values.ravel()).astype(int).tolist()
    assert last["reports"] == f"{outcome.n:,}" and last["title"] == "All 5,000 reports are in"
    assert last["told"] == "5,000 reports"
    assert last["group"] == f"from {outcome.answer.reports.views[3].n:,} reports of one group"
    assert data["result"].endswith(words.numbers.points(outcome.points)), "as the stepper says"
    assert set(last["levels"]) == {"z"} and len(last["levels"]) == outcome.plan.m
    assert data["table"]["true"] == tuple(outcome.dataset.marginal(table.attrs).values.ravel())
    positions = outcome.domain.positions
    assert data["views"] == sorted(data["views"]), "cards in the order of their attributes"
    assert [positions(outcome.plan.views[i]) for i in data["ids"]] == list(
        map(tuple, data["views"])
    )
    assert data["ids"][data["chosen"]] == 3


def test_what_is_expected_is_told_as_expected():
    """The same for every collection, however far off this one is."""
    one, other = (sent(seed=seed, n=5000, d=5)[0] for seed in (1, 2))
    assert one["moments"][-1]["released"] != other["moments"][-1]["released"]
    points = one["moments"][-1]["points"]
    assert other["moments"][-1]["points"] == points
    assert one["words"]["cell"] == "expected of a cell"
    for moment in (moment for moment in one["moments"] if moment["points"]):
        assert f"{moment['points']} points expected" in moment["spoken"]
        assert f"is expected to be {moment['points']} points off" in moment["alt"]


@pytest.mark.parametrize("view", [0, 2, 4])
def test_a_card_fills_with_the_reports_of_its_own_group(view):
    data, outcome = sent(view, n=5000, d=5)
    size, card = outcome.answer.reports.views[view].n, data["chosen"]
    seen = set()
    for moment in data["moments"]:
        own = int(re.search(r"[\d,]+|no", moment["group"])[0].replace("no", "0").replace(",", ""))
        assert int(moment["levels"][card], 36) == LEVELS * own // size
        seen.add(own)
    assert len(seen) > 20 and max(seen) == size


def test_nothing_is_cut_off_and_the_axis_never_grows():
    data, _ = sent(epsilon=0.5)
    spans = []
    for moment in data["moments"]:
        spans.append(moment["top"] - moment["bottom"])
        drawn = (
            np.array([moment["released"], *moment["ghosts"]]) / PARTS
            if moment["ghosts"]
            else np.zeros((1, 1))
        )
        assert moment["bottom"] <= drawn.min() and drawn.max() <= moment["top"]
    assert spans == sorted(spans, reverse=True) and data["moments"][0]["bottom"] < 0
    assert [data["moments"][i]["reports"] for i in data["stops"]] == ["600", "6,000", "60,000"]
    places = [moment["place"] for moment in data["moments"]]
    assert places[0] == 0 and places == sorted(places) and places[-1] == pytest.approx(1)


@pytest.mark.parametrize(
    "changes", [{}, {"l": 6, "m": 3, "epsilon": 4.0}, {"source": "browsing", "d": 16}]
)
def test_what_is_sent_stays_small(changes):
    data, _ = sent(**changes)
    assert len(json.dumps(data)) < 200_000


def test_a_large_table_shows_its_largest_cells_and_the_others_as_a_number():
    data, outcome = sent(l=6, m=3, epsilon=4.0)
    values = outcome.answer.noisy.tables[0].values.ravel()
    shown = data["moments"][-1]["released"]
    assert shown == sorted(np.rint(PARTS * values).astype(int).tolist(), reverse=True)[: len(shown)]
    assert data["table"]["more"] == (f"{len(values) - len(shown)} more",)


def test_another_view_shows_the_same_course_of_the_collection():
    one, two = sent(0)[0], sent(5)[0]
    assert [m["levels"] for m in one["moments"]] == [m["levels"] for m in two["moments"]]
    assert one["moments"][-1]["group"] and one["name"] != two["name"]


@pytest.mark.parametrize(
    ("error", "last", "said"),
    [(15, False, "600 reports: almost pure noise"), (14, False, "600 reports: the order begins to show"),
     (4, False, "600 reports: the order shows"), (0.9, False, "600 reports: right to the point"),
     (15, True, "All 600 reports are in: still almost pure noise"), (4, True, "All 600 reports are in")],
)  # fmt: skip
def test_the_title_tells_the_moment(error, last, said):
    assert words.collect.title(600, error, 14.5, last=last) == said


def test_the_view_chosen_stays_and_is_left_where_there_is_none(open_app):
    app = open_app("collect")
    app.session_state["collect_view"] = ("smoked_month", "cocaine_ever")
    open_view(app, "counts")
    domain = cached.encoded_data(Settings()).dataset.domain
    name = naming.joined(domain, ("smoked_month", "cocaine_ever"), 24)
    assert name in app.selectbox[0].options[app.selectbox[0].index]
    app.selectbox[0].select_index(0).run()
    assert app.session_state["collect_view"] == cached.plan(Settings()).views[0]
    # GRR: what noise adds to a cell of share f, averaged over the true shares.
    outcome = cached.outcome(Settings())
    view = outcome.answer.reports.views[0]
    f, p, q = outcome.dataset.marginal(view.attrs).values, math.e / (math.e + 3), 1 / (math.e + 3)
    error = math.sqrt(np.mean(f * p * (1 - p) + (1 - f) * q * (1 - q)) / view.n) / (p - q)
    told = " ".join(text.value for text in app.markdown)
    assert f"a typical cell {words.numbers.points(100 * error)} off" in told
    app.session_state["settings"] = Settings(source="browsing")
    assert not open_view(app, "arrival").error


def test_one_person_reports_and_reports_again(open_app):
    app = open_view(open_app("collect"), "person")
    seen = set()
    for _ in range(6):
        app.button(key="report").click().run()
        assert not app.exception
        received = [part.value for part in app.html if "What the collector receives" in part.value]
        seen.add(received[0].split("<li")[1])
    assert len(seen) > 1, "the report is random"
    app.button(key="deal").click().run()
    assert not any("What the collector receives" in part.value for part in app.html)
    app.session_state["person_how"] = "Invent somebody"
    app.run()
    assert not app.exception


def test_odds_before_and_after_a_report_are_bayes(open_app):
    app = open_view(open_app("collect"), "person")
    told = html.unescape(" ".join(part.value for part in app.html))
    oracle = choose_oracle(4, 1.0)
    named = 0.2 * oracle.p / (0.2 * oracle.p + 0.8 * oracle.q)
    for name, share in ((words.collect.BEFORE, 0.2), (words.collect.NAMED, named)):
        assert words.collect.split(name, share) in told


def test_reports_are_each_a_new_one_and_stay_what_they_were(open_app):
    app = open_app("collect", d="4", k="2", n="3000", seed="7", queries="5", epsilon="0.5")
    open_view(app, "person")
    before: list[str] = []
    for press in range(1, 7):
        app.button(key="report").click().run()
        shown = next(part.value for part in app.html if "What the collector receives" in part.value)
        reports = re.findall(r"<li[^>]*>(.*?)</li>", shown)
        assert f"press {press}" in shown and len(reports) == press
        assert reports[1:] == before, "what was sent before does not change"
        before = reports
    assert len(set(before)) > 1


@pytest.mark.parametrize("oracle", ["oue", "olh", "subset", "grr"])
def test_another_press_another_view_or_another_seed_is_fresh_noise(oracle):
    device = choose_oracle(64, 1.0, oracle)
    reports = {
        "press": [person._report(device, 5, SimpleNamespace(seed=1), 0, press) for press in range(40)],
        "view": [person._report(device, 5, SimpleNamespace(seed=1), view, 1) for view in range(40)],
        "seed": [person._report(device, 5, SimpleNamespace(seed=s), 0, 1) for s in range(40)],
    }  # fmt: skip
    for what, found in reports.items():
        assert len(set(map(tuple, found))) > 10, what


FORBIDDEN = re.compile(
    r"\b(reconstruct\w*|estimates?|marginals?|users?|server|SSE)\b", re.IGNORECASE
)


def test_no_word_of_the_papers_is_left_where_a_plain_one_is_agreed():
    shown = [
        value
        for name, value in vars(words.collect).items()
        if name.isupper() and isinstance(value, str)
    ]
    shown += [
        *words.collect.ARRIVAL.values(),
        *words.collect.TITLES.values(),
        *words.collect.SEGMENTS.values(),
    ]
    assert not [text for text in shown if FORBIDDEN.search(text)]
