"""Tables: the question, the chart with its number, and every view of it."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import calm_core as cc
from calm_core.evaluation.metrics import wrong_share
from calm_core.settings import Settings
from calm_core.tables import ranges
from pages import words
from pages.panels.marginals import table
from pages.ui import cached_calls, error_by_epsilon, readings
from tests.app.screen import clean, open_view, press


def turn(app: AppTest, view: str) -> AppTest:
    """Another view, as its segment or a link chooses it."""
    return clean(open_view(app, "marginals", view))


def test_the_error_shown_is_that_of_the_table_shown(open_app, sent):
    attrs = ("drank_month", "cannabis_year")
    app = clean(open_app("marginals", attrs=",".join(attrs)))
    found, outcome = sent(app, "marginal"), cached_calls.outcome(Settings())
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    assert found["reading"]["number"] == words.numbers.wrong(wrong_share(truth, answer))
    assert found["reading"]["source"] == "this collection"
    assert f"{words.numbers.wrong(outcome.wrong)} of 100" in found["side"]["mean"]
    assert [name for name, _ in found["chips"]["chosen"]] == list(attrs)
    assert len(found["chips"]["others"]) == 6


def test_a_table_of_six_attributes_is_ranked(open_app, sent):
    found = sent(clean(open_app("marginals", k="6")), "marginal")
    assert len(found["cells"]) == len(found["ghosts"][0]) == 20
    rest = float(found["more"][2].split()[1].rstrip("%")) / 100
    assert sum(found["reconstructed"]) + rest == pytest.approx(1, abs=0.01)


def test_calm_plus_shows_intervals(open_app, sent):
    app = clean(open_app("marginals", d="5", k="3", method="calm_plus"))
    assert any("95% intervals" in caption.value for caption in app.caption)
    listed = app.dataframe[-1].value
    assert (listed["95% from"] <= listed["reconstructed share"] + 1e-12).all()
    assert (listed["95% to"] >= listed["reconstructed share"] - 1e-12).all()
    found = sent(app, "marginal")
    outcome = cached_calls.outcome(Settings(d=5, k=3, method="calm_plus"))
    limits = readings.cell_intervals(outcome.answer, tuple(listed.columns[:3]))
    for field, name, ends in zip(("low", "high"), ("95% from", "95% to"), limits):
        assert found[field] == ends.tolist()
        assert listed[name].tolist() == ends.round(4).tolist()
    assert found["axis"]["top"] >= max(found["high"])


def test_stages_share_an_axis_that_reaches_below_zero(open_app, sent):
    app = turn(open_app("marginals", d="5", k="2", epsilon="0.2", n="3000"), "stages")
    found = [sent(app, f"stage_{name}") for name in ("raw", "consistent", "non-negative", "final")]
    assert min(found[0]["reconstructed"]) < 0 <= min(found[-1]["reconstructed"])
    assert len({tuple(table["axis"].values()) for table in found}) == 1
    assert found[0]["axis"]["bottom"] <= min(found[0]["reconstructed"])


def test_the_origin_of_a_table_is_stated():
    outcome = cached_calls.outcome(Settings())
    measured = table.table_origin(outcome, outcome.plan.views[0])
    assert measured.action[0] == "stages" and "Rebuilt" not in measured.text
    rebuilt = table.table_origin(outcome, outcome.domain.names[:3])
    assert "Rebuilt from 3 tables of 2" in rebuilt.text
    assert "maximum entropy" in table.origin_remarks(outcome, outcome.domain.names[:3])[0]


def test_a_guess_is_scored_against_the_truth(open_app):
    app = turn(open_app("marginals", d="3", k="1", attrs="female"), "guess")
    app.slider(key="guess_female_0").set_value(100)
    app.slider(key="guess_female_1").set_value(0)
    app = clean(press(app, "Reveal"))
    # Half of the sample are women: a guess of none puts all of them into the wrong cell.
    assert int(app.metric[0].value.split()[0]) == pytest.approx(51, abs=2)


def test_the_list_of_tables_is_ordered_by_error_and_no_small_error_is_shown_as_none(open_app):
    app = turn(open_app("marginals"), "all")
    table = app.dataframe[0].value
    wrong = table[words.marginals.RANKING_COLUMNS["wrong"]]
    assert len(table) == 56 and wrong.is_monotonic_decreasing
    outcome = cached_calls.outcome(Settings())
    attrs = app.session_state["ranking_attrs"][3]
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    assert wrong[3] == pytest.approx(100 * wrong_share(truth, answer))
    columns = [table.proto.columns for table in app.dataframe]
    formats = re.findall(r'"format": ?"([^"]+)"', " ".join(columns))
    assert len(formats) == 8
    assert all(float((one % 0.00123).rstrip("%")) == pytest.approx(0.00123) for one in formats)


RANGED = {"columns": "age,income,female,drank_month", "k": "3", "attrs": "age,income,female", "view": "range"}  # fmt: skip
ASKED = "age=1-2,income=2-3,female=1"


def answer_shown(app: AppTest) -> str:
    [block] = [
        html.proto.body for html in app.get("html") if 'class="calm-ranges"' in html.proto.body
    ]
    return block


def counted(settings: Settings) -> tuple[cc.Dataset, float]:
    """The rows asked, and which share of them is inside `ASKED`."""
    data = cached_calls.outcome(settings).dataset
    age, income, female = (data.codes[:, data.domain.names.index(name)] for name in ("age", "income", "female"))  # fmt: skip
    return data, float(((age >= 1) & (age <= 2) & (income >= 2) & (income <= 3) & (female == 1)).mean())  # fmt: skip


@pytest.mark.parametrize("method", ["calm", "calm_plus", "hdg"])
def test_a_question_about_ranges_is_answered(open_app, method):
    app = clean(open_app("marginals", **RANGED, inside=ASKED, method=method))
    settings, shown = app.session_state["settings"], answer_shown(app)
    data, true = counted(settings)
    answer = cached_calls.outcome(settings).answer
    reconstructed = answer.marginal(("age", "income", "female")).values[1:3, 2:4, 1].sum()
    if method == "hdg":
        # It adds up no cells of a table over three.
        [reconstructed] = answer.range_shares([{"age": (1, 2), "income": (2, 3), "female": (1, 1)}])
    assert (
        f'aria-label="{words.marginals.range_finding_text(true, reconstructed, data.n)}"' in shown
    )
    assert words.marginals.range_people_text(true, data.n) in shown
    assert ("95% interval" in shown) == (method == "calm_plus")
    assert ("HDG" in shown) == (method != "hdg")


def test_values_chosen_on_screen_stand_in_the_address_and_come_back(open_app):
    app = clean(open_app("marginals", **RANGED, inside=ASKED))
    app.select_slider(key="in_range_age").set_value((0, 3))
    app = clean(app.run())
    assert "age=0-3" in app.session_state["settings"].inside
    [sex] = [pills for pills in app.button_group if pills.key == "in_values_female"]
    assert sex.value == [1]
    sex.set_value([])
    app = clean(app.run())
    query = app.session_state["settings"].to_query()
    assert set(query["inside"].split(",")) == {"age=0-3", "income=2-3", "female=0-1"}
    assert "sex" not in app.title[0].value.lower()
    again = clean(open_app("marginals", **RANGED, inside=query["inside"]))
    assert answer_shown(again) == answer_shown(app)
    assert again.select_slider(key="in_range_age").value == (0, 3)


def test_a_link_with_values_that_do_not_exist_is_answered_and_keeps_the_rest(open_app):
    for inside, kept in (("age=1-90,female=0", ("female=0",)), ("age", ()), ("age=1,age=2", ())):
        app = clean(open_app("marginals", **RANGED, inside=inside))
        assert len(app.warning) == 1
        assert app.session_state["settings"].inside == kept, inside


def test_too_many_separate_ranges_are_refused_beside_their_controls(open_app, monkeypatch):
    monkeypatch.setattr(ranges, "MAX_RANGES", 1)
    app = clean(open_app("marginals", **RANGED, inside="age=0+2"))
    assert "2 separate ranges together, more than 1" in app.info[0].value.replace("\\", "")
    assert app.button_group and app.segmented_control and not app.error


def test_values_without_an_order_that_some_have_beside_it_are_counted_apart(open_app):
    rng = np.random.default_rng(1)
    ages = [f"{age:.1f}" if age > 30 else "" for age in rng.normal(40, 10, 800)]
    content = "\n".join(["age,city"] + [f"{age},{'*K* <b> :red[x]' if i % 3 else 'b'}" for i, age in enumerate(ages)])  # fmt: skip
    app = open_app("data", k="2", d="2")
    app.file_uploader(key="upload").set_value(("odd.csv", content.encode(), "text/csv")).run()
    app.switch_page("../marginals.py").run()
    app = turn(app, "range")
    missing = sum(not age for age in ages) / len(ages)
    # The value after those that have an order.
    last = len(app.select_slider[0].options)
    app.session_state["settings"] = app.session_state["settings"].with_changes(
        inside=(f"age={last}", "city=0-1")
    )
    app = clean(app.run())
    # Nothing of the order is chosen: no slider could say so.
    assert not app.select_slider and f"<b>{words.numbers.share(missing)}</b>" in answer_shown(app)
    app.session_state["settings"] = app.session_state["settings"].with_changes(inside=("age=0-1",))
    app = clean(app.run())
    [also] = [pills for pills in app.button_group if pills.key == "in_values_age"]
    also.set_value([last])
    app = clean(app.run())
    assert f"age=0-1+{last}" in app.session_state["settings"].inside
    assert app.title[0].value.endswith(" or missing")
    labels = [option for pills in app.button_group for option in pills.options]
    assert not any("*K* <b>" in label for label in labels), labels


def test_the_headline_rises_with_the_size_of_the_table():
    """A table of more cells has more people in the wrong one, on both samples."""
    for source in ("survey", "browsing"):
        wrong = [cached_calls.outcome(Settings(source=source, k=k)).wrong for k in (1, 2, 3, 4, 6)]
        assert wrong == sorted(wrong), source


def test_methods_without_intervals_have_those_of_their_repeats(open_app, sent, monkeypatch):
    settings = Settings(d=4, k=2, n=4_000)
    outcome = cached_calls.outcome(settings)
    attrs = outcome.domain.names[:2]
    known = error_by_epsilon.get_known_shares(settings, outcome.domain, attrs)
    rows = outcome.dataset.marginal(attrs).values.ravel() + 0.01 * np.eye(4)[np.arange(20) % 4]
    known.reconstructed[1.0] = rows
    found = sent(clean(open_app("marginals", d="4", k="2", n="4000")), "marginal")
    half = 1.96 * rows.std(axis=0)
    shares = outcome.answer.marginal(attrs).values.ravel()
    assert found["low"] == pytest.approx(np.maximum(shares - half, 0))
    assert found["high"] == pytest.approx(shares + half)
