"""Ask: a question in a sentence with gaps, the answer with its interval, the truth, the call."""

import html
import io
import json

import pandas as pd
import pytest

from pages import words
from tests.app.screen import clean, offered_files, plain, read, settings_of


@pytest.fixture
def page(open_app):
    return clean(open_app("ask"))


def choose(app, key: str, value):
    return clean(app.selectbox(key=key).set_value(value).run())


def test_a_share_has_an_interval_and_the_truth_beside_it(page):
    assert settings_of(page).k >= 2
    assert "of 100" in read(page) and "95% sure" in read(page)
    assert "In a real collection nobody knows it." in read(page)
    assert any("calm-lab ask DATA 'share" in code.value for code in page.code)
    assert "among those whose" in read(page)
    # Everybody is a group.
    assert "among those whose" not in read(choose(page, "ask_given", ""))


KINDS = {
    "difference": "points", "groups": "groups are known well", "mean": words.ask.NO_NUMBERS,
    "together": "Cramér's V",
}  # fmt: skip


def test_each_kind_is_answered_or_says_why_not(page):
    for kind, words_said in KINDS.items():
        app = clean(page.segmented_control(key="ask_kind").set_value(kind).run())
        assert words_said in read(app), kind
        # A finding is the title of its own question alone.
        assert (app.title[0].value == words.common.TITLES["ask"]) == (kind != "groups"), kind
        if kind == "groups":
            names = words.ask.COLUMNS
            for row in app.dataframe[0].value.to_dict("records"):
                ends = (float(row[names[end]]) / 100 for end in ("true", "value"))
                assert row[names["error"]] == words.ask.error_text(*ends)
    assert words.ask.TEST in read(app) and "(p = 0." in read(app)
    first = app.selectbox(key="ask_first").value
    app = app.selectbox(key="ask_second").set_value(first).run()
    assert not app.exception
    assert "Two different attributes are needed." in [plain(note.value) for note in app.info]


def test_the_report_has_the_answer_that_was_put_into_it(page):
    page.session_state["exports"] = True
    app = clean(page.toggle(key="ask_report").set_value(True).run())
    question = app.session_state["reported"][1]
    assert html.escape(question) in offered_files(app)["calm-report.html"]()
    # Another question has not been put into it.
    app = choose(app, "ask_given", "")
    assert not app.toggle(key="ask_report").value
    assert html.escape(question) in offered_files(app)["calm-report.html"]()
    app = app.toggle(key="ask_report").set_value(True).run()
    app = clean(app.toggle(key="ask_report").set_value(False).run())
    assert words.ask.IN_REPORT not in offered_files(app)["calm-report.html"]()


def test_rows_and_the_privacy_card_can_be_taken(page):
    page.session_state["ask_files"] = True
    app = clean(page.run())
    assert "No row is anybody's." in read(app) and "of 100 rows are in another cell" in read(app)
    app = clean(app.number_input(key="ask_rows").set_value(50).run())
    files, settings = offered_files(app), settings_of(app)
    rows = pd.read_csv(io.StringIO(files["rows.csv"]()))
    assert len(rows) == 50 and len(rows.columns) == settings.d
    assert json.loads(files["privacy-card.json"]())["fields"]
    assert f"{settings.epsilon:g}" in files["privacy-card.html"]()


@pytest.mark.parametrize(
    ("attrs", "told"),
    [("drank_month,cannabis_year", "share cannabis_year=1 given drank_month=1"), ("vaped_month", "share vaped_month=1")],
)  # fmt: skip
def test_a_table_leads_to_a_question_about_it(open_app, attrs, told):
    app = open_app("ask", attrs=attrs)
    app = clean(app.segmented_control(key="ask_kind").set_value("mean").run())
    app = clean(app.switch_page("../marginals.py").run().button(key="ask_about").click().run())
    assert app.session_state["page"] == "ask"
    assert any(f"'{told}'" in code.value for code in app.code)


@pytest.mark.parametrize(("epsilon", "verdict"), [("8", "real"), ("0.1", "chance")])
def test_a_group_is_compared_with_all_others(open_app, epsilon, verdict):
    app = open_app("ask", columns="age,income", d="2", k="2", epsilon=epsilon)
    app = choose(choose(app, "ask_one", "age"), "ask_given", "income")
    against = [plain(text) for text in app.markdown.values if "against all others" in text]
    assert len(against) == 1 and verdict in against[0]


def test_several_values_are_asked_for_together(open_app):
    app = open_app("ask", columns="age,income", k="2")
    for chosen, value in (([0, 1], "18-25|26-34"), ([], "18-25|26-34|35-49|50-64|65+")):
        app.multiselect(key="ask_given_age").set_value(chosen)
        assert f"given age={value}'" in clean(app.run()).code[-1].value


def test_errors_lead_here(open_app):
    assert words.ask.OPEN in [link.label for link in open_app("errors").get("page_link")]
