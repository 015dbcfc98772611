"""What we saw: questions and suggestions are in plain sight, done by one press each, and taken back."""

import pytest
import streamlit as st

from calm_core.ingest.encode import count_codes
from calm_core.settings import Settings
from pages.panels.data import advice, seen
from pages.ui import cached, state
from pages.ui.jobs import waiting_page
from pages.ui.uploads import session_store

NO, YES = ("no", "no", "No"), ("yes", "yes", "yes", "YES", "Yes?")
MESSY = "id;smokes;fee;visits;<b>city</b>;x\n" + "".join(
    f"R{i:04};{(NO + YES)[i % 8]};1.{101 + i % 400};{(1, 2, 3, 4, 99)[i % 5]};{('Bonn', 'Ulm')[i % 2]};{i % 2}\n"
    for i in range(600)
)


@pytest.fixture
def session(monkeypatch):
    """A session whose table is messy; gives its settings before anybody decided anything."""
    monkeypatch.setattr(st, "session_state", {"settings": Settings(d=2, k=2)})
    assert state.use_source(cached.keep_upload("messy.csv", MESSY.encode()))
    state.restore(state.current().changed(d=5))
    return state.current()


def column(name: str):
    return cached.schema(state.current()).column(name)


def press(act: str, name: str = "", **more) -> None:
    seen.decide({"act": act, "column": name, **more})


def offered(name: str, what: str) -> str:
    """Key of the first suggestion of this sort."""
    return next(made.key for made in column(name).proposals if made.what == what)


def merge_yes() -> None:
    press("accept", "smokes", offer=offered("smokes", "merge"))


def test_a_merge_is_one_press_with_a_way_back(session):
    before = column("smokes")
    merge_yes()
    now = column("smokes")
    assert len(now.labels) == len(before.labels) - 2 and "YES" not in now.labels
    assert sum(now.label_counts()) == sum(before.label_counts()) == 600
    said, former = state.last_change()
    assert said == "smokes: 3 spellings are “yes” now." and former == session
    state.restore(former)
    assert column("smokes") == before and state.last_change() is None


def test_a_code_is_missing_when_somebody_says_so_and_a_value_again(session):
    assert column("visits").n_missing == 0
    press("accept", "visits", offer=offered("visits", "missing"))
    assert column("visits").n_missing == 120 and "99" not in column("visits").labels
    assert state.last_change()[0] == "visits: 120 rows count as missing now."
    press("keep", "visits")
    assert column("visits").n_missing == 0 and "99" in column("visits").labels


def test_what_is_left_as_it_is_is_not_suggested_again(session):
    key = offered("visits", "missing")
    press("leave", "visits", offer=key)
    assert key not in [made.key for made in column("visits").proposals]
    assert column("visits").labels == cached.detected_schema(session).column("visits").labels


def test_a_question_is_answered_by_one_press(session):
    (question,) = column("fee").questions
    other = next(i for i, choice in enumerate(question.choices) if choice != question.taken)
    before = column("fee").sketch[0]
    press("answer", "fee", about=question.about, choice=other)
    assert not column("fee").questions
    assert {before, column("fee").sketch[0]} == {1.101, 1101.0}
    assert state.last_change()[0].startswith("fee: ")


def test_all_suggestions_at_once_leave_the_question(session):
    questions, offers = seen.open_offers(cached.schema(session))
    assert (questions, offers) == (1, 3)
    press("all")
    schema = cached.schema(state.current())
    assert seen.open_offers(schema) == (1, 0)
    assert state.last_change() == ("3 suggestions accepted.", session)
    assert schema.column("smokes").labels == ("no", "yes")
    for one in schema.used_columns:
        counted = count_codes(cached.table(state.current()), one)
        assert counted.sum() == 600, one.name
        assert one.is_number or counted.tolist() == one.label_counts()


def test_of_suggestions_that_contain_each_other_the_larger_is_taken(session):
    table = "code,sex\n" + "".join(
        f"{'AB'[i % 2]}{10 + i % 4}-{i % 32:02},{'fm'[i % 2]}\n" for i in range(640)
    )
    table += "B11-01?,f\n" * 7
    assert state.use_source(cached.keep_upload("codes.csv", table.encode()))
    assert [made.what for made in column("code").proposals] == ["merge", "coarser"]
    press("all")
    assert seen.open_offers(cached.schema(state.current())) == (0, 0)
    assert state.last_change()[0] == "1 suggestion accepted."


def test_what_may_be_an_answer_is_not_accepted_with_all_others(session, monkeypatch):
    table = "children,size\n" + "".join(
        f"{('none', 1, 2, 3, 99)[i % 5]},{('small', 'Small', 'big')[i % 3]}\n" for i in range(400)
    )
    assert state.use_source(cached.keep_upload("children.csv", table.encode()))
    drawn = []
    monkeypatch.setattr(seen, "mount", lambda _, data, on: drawn.append(data["words"]))
    seen.show(cached.schema(state.current()), cached.encoded_data(state.current()))
    alone = "1 suggestion about words that may be an answer, such as “none”, is for you alone."
    assert drawn[0]["lead"] == f"3 suggestions open. {alone}"
    assert drawn[0]["all"] == "Accept 2 suggestions of 3"
    press("all")
    assert column("children").missing_texts == ("99",) and "none" in column("children").labels
    assert state.last_change()[0] == f"2 suggestions accepted. {alone}"
    seen.show(cached.schema(state.current()), cached.encoded_data(state.current()))
    assert not drawn[1]["all"]
    press("accept", "children", offer=offered("children", "missing"))
    assert set(column("children").missing_texts) == {"none", "99"}


def test_a_column_is_as_found_again_and_the_others_stay(session):
    merge_yes()
    press("accept", "visits", offer=offered("visits", "missing"))
    press("found", "smokes")
    assert column("smokes") == cached.detected_schema(session).column("smokes")
    assert column("visits").n_missing == 120
    press("found", "visits")
    # Nothing is other than detected: the address needs no schema.
    assert state.current() == session


def test_two_values_are_named(session):
    press("names", "x", labels=["0", "1"], names=["calm", " loud "])
    assert column("x").display_names == ("calm", "loud")
    press("names", "x", labels=["0", "1"], names=["same", "same"])
    assert "all different" in st.session_state["refused"]
    assert column("x").display_names == ("calm", "loud")


def test_what_was_left_out_is_used_anyway(session):
    press("use", "id")
    assert "id" in cached.encoded_data(state.current()).dataset.domain.names
    assert state.last_change()[1] == session


def test_a_press_of_what_is_gone_does_nothing(session):
    key = offered("smokes", "merge")
    merge_yes()
    after, said = state.current(), state.last_change()
    press("accept", "smokes", offer=key)
    press("leave", "smokes", offer=key)
    press("accept", "no such", offer=key)
    press("answer", "smokes", about="decimal", choice=0)
    assert (state.current(), state.last_change()) == (after, said)
    assert "refused" not in st.session_state
    assert st.session_state["seen_heard"] == 5, "the row is free again"


def test_decisions_come_back_with_the_file_after_a_reload(session, monkeypatch):
    merge_yes()
    link, key = state.current(), session_store.tab_key()
    assert link.schema
    monkeypatch.setattr(st, "session_state", {"settings": Settings()})
    state.restore(state._fit(state._await_file(link)))
    waiting_page.on_tab_key(key)
    assert state.current() == link and column("smokes").labels.count("YES") == 0


def test_the_page_says_what_is_open_and_leads_there(open_app, sent):
    app = open_app("data")
    assert not [button for button in app.button if button.key in ("open_offers", "open_asked")]
    app.file_uploader(key="upload").set_value(("messy.csv", MESSY.encode(), "text/csv")).run()
    assert not app.exception and not app.error
    said = "\n".join(part.value for part in app.markdown).replace("\\", "")
    assert "fee" in said and "It is read as" in said
    foot = app.button(key="open_offers")
    assert foot.label == "1 question, 3 suggestions: look at what we saw"
    foot.click().run()
    told = sent(app, "import_review")
    assert [row["name"] for row in told["rows"]] == [
        "id",
        "smokes",
        "fee",
        "visits",
        "<b>city</b>",
        "x",
    ]
    rows = {row["name"]: row for row in told["rows"]}
    assert rows["id"]["use"] == "Use anyway" and "id-like" in rows["id"]["becomes"]
    assert [made["label"] for made in rows["visits"]["offers"]] == [
        "Treat “99” as missing (120 rows)"
    ]
    assert rows["smokes"]["offers"][0]["texts"] == "“yes”, “YES”, “Yes?”: 375 rows"
    assert [choice["taken"] for choice in rows["fee"]["questions"][0]["choices"]].count(True) == 1
    assert rows["x"]["naming"]["shown"] == ["no", "yes"] and rows["smokes"]["naming"] is None
    assert told["words"]["all"] == "Accept all 3 suggestions"
    assert not any(row["changed"] for row in told["rows"])
    app.button(key="open_seen").click().run()
    assert app.button(key="open_seen").label == "What we saw"


def test_a_very_wide_table_lists_first_what_is_to_decide(session, monkeypatch):
    drawn = []
    monkeypatch.setattr(seen, "mount", lambda _, data, on: drawn.append(data))
    monkeypatch.setattr(seen, "MAX_ROWS", 3)
    seen.show(cached.schema(session), cached.encoded_data(session))
    assert [row["name"] for row in drawn[0]["rows"]] == ["smokes", "fee", "visits"]
    assert drawn[0]["words"]["rest"].startswith("3 more columns")


def test_cells_that_do_not_fit_a_kind_are_named_and_offered(open_app):
    table = "days,sex\n" + "".join(f"{i % 50 + (i % 7) / 10},{'fm'[i % 2]}\n" for i in range(400))
    table += "soon,f\nabout a week,m\n" * 7
    app = open_app("data")
    app.file_uploader(key="upload").set_value(("days.csv", table.encode(), "text/csv")).run()
    app.button(key="open_values").click().run()
    next(w for w in app.selectbox if w.label.startswith("Kind")).set_value("number")
    next(b for b in app.button if b.label == "Apply to this column").click().run()
    assert not app.exception and not app.error
    said = "\n".join(part.value for part in app.markdown).replace("\\", "").replace("\u200b", "")
    assert "14 cells are no number: “about a week”, “soon”." in said
    next(b for b in app.button if b.label == "Treat these 14 as missing").click().run()
    days = (
        app.session_state["belongings"].schemas[app.session_state["settings"].schema].column("days")
    )
    assert days.n_missing == 14 and not days.values
    assert not [button for button in app.button if button.label.startswith("Treat")]


def test_a_kind_that_nothing_fits_is_refused_with_examples_and_of_many_all_are_listed(open_app):
    table = "days,sex\n" + "".join(f"{i % 50 + (i % 7) / 10},{'fm'[i % 2]}\n" for i in range(400))
    table += "".join(
        f"{text},f\n" * 3 for text in ("soon", "later", "one week", "two weeks", "never")
    )
    app = open_app("data")
    app.file_uploader(key="upload").set_value(("days.csv", table.encode(), "text/csv")).run()
    app.button(key="open_values").click().run()

    def force(name: str, kind: str) -> None:
        app.selectbox(key="edit_column").set_value(name).run()
        next(w for w in app.selectbox if w.label.startswith("Kind")).set_value(kind)
        next(b for b in app.button if b.label == "Apply to this column").click().run()
        assert not app.exception

    force("sex", "number")
    (error,) = app.error
    assert error.value.replace("\\", "").replace("\u200b", "") == (
        "Column 'sex' cannot be read as a number, with cells such as 'f', 'm'; choose another kind. "
        "Nothing was changed."
    )
    assert not app.session_state["settings"].schema
    force("days", "number")
    assert not app.error
    listed = next(
        one.value for one in app.dataframe if list(one.value.columns) == ["value", "rows"]
    )
    assert dict(listed.values) == dict.fromkeys(
        ["soon", "later", "one week", "two weeks", "never"], 3
    )
    next(b for b in app.button if b.label == "Treat these 15 as missing").click().run()
    assert app.session_state["settings"].schema and not app.exception


@pytest.fixture
def worker(monkeypatch):
    """What is worked out in the background is known at once."""
    monkeypatch.setattr(advice.WORKER, "ask", lambda key, work: list(work()))


def fine() -> Settings:
    """A table with a column too fine for its people."""
    table = "zip,sex,ill\n" + "".join(
        f"{10 + i % 8}{i % 64:03},{'fm'[i % 2]},{'yn'[i % 3 % 2]}\n" for i in range(1920)
    )
    assert state.use_source(cached.keep_upload("fine.csv", table.encode()))
    assert state.change(k=2)
    return state.current()


def test_a_column_too_fine_is_merged_by_one_press(session, worker):
    before = fine()
    (one,) = advice.known_of(before).found
    assert one.name == "zip" and one.after < one.before
    advice.apply(one, cached.schema(before))
    assert column("zip").size == one.schema.column("zip").size < 64
    assert state.last_change()[1] == before and column("zip").keep
    assert cached.encoded_data(state.current()).dataset.n == 1920


@pytest.mark.parametrize("other", [{"epsilon": 8.0}, {"n": 500}, {"k": 1}, {"theta": 0.1}, {"max_values": 3},
                                   {"columns": ("zip", "sex"), "d": 2}])  # fmt: skip
def test_advice_is_kept_under_all_that_decides_it(session, worker, other):
    settings = fine()
    known = advice.known_of(settings)
    assert advice.known_of(settings.changed(seed=7)) is known
    assert advice.known_of(settings.changed(**other)) is not known


def test_columns_are_advised_about_as_they_are_collected(session, worker):
    settings = fine().changed(max_values=3)
    assert advice.as_used(settings).column("zip").size == 3
    assert advice.known_of(settings).found == ()


def test_advice_is_drawn_when_it_is_known_and_only_for_views(open_app, worker):
    table = "zip,sex\n" + "".join(f"{10 + i % 8}{i % 64:03},{'fm'[i % 2]}\n" for i in range(1920))
    app = open_app("data", k="2")
    app.file_uploader(key="upload").set_value(("fine.csv", table.encode(), "text/csv")).run()
    said = "\n".join(part.value for part in app.markdown).replace("\\", "").replace("\u200b", "")
    assert (
        "64 values of zip are too fine for 1,920 people at ε = 1. Predicted typical error" in said
    )
    assert "of all tables of 2, with the 8 values: ±" in said
    app.session_state["settings"] = app.session_state["settings"].changed(method="ft")
    app.run()
    assert not [button for button in app.button if button.key == "coarser_0"]
    only = "Whether values are too fine is predicted for CALM and CALM+ only, not for"
    assert len([part for part in app.caption if part.value.startswith(only)]) == 1
    app.session_state["settings"] = app.session_state["settings"].changed(method="calm")
    app.run()
    press = app.button(key="coarser_0")
    assert press.label.startswith("Merge to 8: ±")
    press.click().run()
    assert not app.exception and app.session_state["settings"].schema
    assert not [button for button in app.button if button.key == "coarser_0"]


def test_what_was_said_stays_when_advice_arrives(open_app, monkeypatch):
    asked = []

    def at_last(key, work):
        asked.append(key)
        if len(asked) > 1:
            list(work())

    app = open_app("data", k="2")
    app.session_state["remarks"] = ("Something to know.",)
    monkeypatch.setattr(advice, "_KNOWN", advice.Shelf(9))
    monkeypatch.setattr(advice.WORKER, "ask", at_last)
    app.run()
    assert len(asked) == 2, "it was waited for"
    assert [warning.value for warning in app.warning] == ["Something to know\\."]
    app.run()
    assert not app.warning
