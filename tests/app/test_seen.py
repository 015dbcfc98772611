"""What was found in a file: questions and suggestions, each answered by one press and undone."""

import pytest
import streamlit as st

from calm_core.settings import Settings
from pages.panels.data import columns
from pages.ui import cached_calls, state
from tests.app.screen import clean, plain, read, upload, widget
from tests.app.screen import press as press_button

NO, YES = ("no", "no", "No"), ("yes", "yes", "yes", "YES", "Yes?")
MESSY = "id;smokes;fee;visits;<b>city</b>;x\n" + "".join(
    f"R{i:04};{(NO + YES)[i % 8]};1.{101 + i % 400};{(1, 2, 3, 4, 99)[i % 5]};{('Bonn', 'Ulm')[i % 2]};{i % 2}\n"
    for i in range(600)
)


@pytest.fixture
def session(monkeypatch):
    """A session whose table is messy; gives its settings before anybody decided anything."""
    monkeypatch.setattr(st, "session_state", {"settings": Settings(d=2, k=2)})
    assert state.use_source(cached_calls.keep_upload("messy.csv", MESSY.encode()))
    state.restore(state.current().with_changes(d=5))
    return state.current()


def column(name: str):
    return cached_calls.schema(state.current()).column(name)


def press(act: str, name: str = "", **more) -> None:
    columns.apply_decision({"act": act, "column": name, **more})


def suggestion_key(name: str, what: str) -> str:
    """Key of the first suggestion of this sort."""
    return next(made.key for made in column(name).proposals if made.what == what)


def merge_yes() -> None:
    press("accept", "smokes", offer=suggestion_key("smokes", "merge"))


def test_a_merge_is_one_press_and_can_be_undone(session):
    before = column("smokes")
    merge_yes()
    now = column("smokes")
    assert before.labels == ("no", "yes", "Yes?") and now.labels == ("no", "yes")
    assert sum(now.label_counts()) == sum(before.label_counts()) == 600
    assert state.last_change()
    state.undo()
    assert state.current() == session
    assert column("smokes") == before and not state.last_change()


def test_a_code_is_marked_as_missing_and_as_a_value_again(session):
    assert column("visits").n_missing == 0
    press("accept", "visits", offer=suggestion_key("visits", "missing"))
    assert column("visits").n_missing == 120 and "99" not in column("visits").labels
    press("keep", "visits")
    assert column("visits").n_missing == 0 and "99" in column("visits").labels


def test_a_dismissed_suggestion_is_not_made_again(session):
    key = suggestion_key("visits", "missing")
    press("leave", "visits", offer=key)
    assert key not in [made.key for made in column("visits").proposals]
    assert column("visits").labels == cached_calls.detected_schema(session).column("visits").labels


def test_a_question_is_answered_by_one_press(session):
    (question,) = column("fee").questions
    other = next(i for i, choice in enumerate(question.choices) if choice != question.taken)
    before = column("fee").sketch[0]
    press("answer", "fee", about=question.about, choice=other)
    assert not column("fee").questions
    assert {before, column("fee").sketch[0]} == {1.101, 1101.0}
    assert state.last_change().startswith("fee: ")


def test_a_press_on_an_outdated_suggestion_does_nothing(session):
    key = suggestion_key("smokes", "merge")
    merge_yes()
    after, said = state.current(), state.last_change()
    press("accept", "smokes", offer=key)
    press("leave", "smokes", offer=key)
    press("accept", "no such", offer=key)
    press("answer", "smokes", about="decimal", choice=0)
    assert (state.current(), state.last_change()) == (after, said)
    assert "refused" not in st.session_state
    assert st.session_state["seen_heard"] == 5, "the row is free again"


def test_the_page_counts_open_decisions_and_leads_to_them(open_app, data_of):
    app = open_app("data")
    assert not [button for button in app.button if button.key == "open_offers"]
    upload(app, MESSY, "messy.csv")
    foot = clean(app).button(key="open_offers")
    assert "1 question, 2 suggestions" in foot.label
    assert "Spellings of yes and no are joined: 4 in 'smokes'." in read(app)
    foot.click().run()
    drawn = data_of(app, "import_review")
    rows = {row["name"]: row for row in drawn["rows"]}
    assert list(rows) == ["id", "smokes", "fee", "visits", "<b>city</b>", "x"]
    assert len(rows["visits"]["offers"]) == 1
    assert [choice["taken"] for choice in rows["fee"]["questions"][0]["choices"]].count(True) == 1
    assert not any(row["changed"] for row in drawn["rows"])


def test_a_wide_table_lists_columns_with_open_decisions_first(session, monkeypatch):
    drawn = []
    monkeypatch.setattr(columns, "mount", lambda _, data, on: drawn.append(data))
    monkeypatch.setattr(columns, "MAX_ROWS", 3)
    columns.show_review(
        cached_calls.schema(state.current()), cached_calls.encoded_data(state.current())
    )
    assert [row["name"] for row in drawn[0]["rows"]] == ["smokes", "fee", "visits"]
    assert drawn[0]["words"]["rest"].startswith("3 more columns")


DAYS = "days,sex\n" + "".join(f"{i % 50 + (i % 7) / 10},{'fm'[i % 2]}\n" for i in range(400))


def force_kind(app, name: str, kind: str) -> None:
    """Choose a kind for a column in its editor."""
    app.selectbox(key="edit_column").set_value(name).run()
    widget(app.selectbox, "Kind").set_value(kind)
    press_button(app, "Apply to this column")
    assert not app.exception


def test_a_kind_that_no_cell_fits_is_refused(open_app):
    app = upload(open_app("data"), DAYS, "days.csv")
    app.button(key="open_values").click().run()
    force_kind(app, "sex", "number")
    (error,) = app.error
    assert "'f', 'm'" in plain(error.value) and "Nothing was changed" in error.value
    assert not app.session_state["settings"].schema
