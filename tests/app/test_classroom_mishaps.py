"""What goes wrong in a lesson: double clicks, reloads, a full room, mistyped addresses, too much for a table."""

from dataclasses import replace

import pytest
import streamlit as st

from calm_core.classroom.export import read_zip
from pages import words
from pages.panels.classroom import address, open_survey, start
from tests.app.conftest import SURVEY
from tests.app.screen import offered_files, session_of
from tests.app.test_classroom_page import (
    Again,
    again,
    begin,
    collecting_again,
    join,
    reach,
    read,
    show,
    tickets,
)

SAID, RESULTS = words.classroom, words.classroom_results
# What a callback reads of the page.
CHOSEN = (
    "class_cards", "class_cards_number", start.FIELDS, start.NAMES, "class_title", "class_epsilon", "class_size",
    "class_language",
)  # fmt: skip


def test_a_second_press_that_ends_a_test_opens_nothing_again(open_app, room, keys):
    app = show(open_app, room, keys)
    app.button("class_rehearse").click().run()
    test = app.session_state["class_held"]
    app.button("class_test_end").click().run()
    app.button("class_leave").click().run()
    assert "class_held" not in press_late(app, lambda: open_survey.end_rehearsal(test))


def press_late(pressed, callback) -> dict:
    """A callback in a session that has the same open as an app, and the same written into its form."""
    there = pressed.session_state
    fields = there[start.FIELDS] if start.FIELDS in there else ()
    names = [key.format(field) for field in fields for key in (start.TEXT, start.CHOICES)]
    names += ["class_held", "places", "page", *CHOSEN]
    with session_of(**{name: there[name] for name in names if name in there}) as session:
        callback()
    return session


def test_the_number_of_a_field_that_goes_with_the_end_is_no_wish(room, rng, monkeypatch):
    keys = begin(room, rng)
    teacher, state = room.teacher(keys.teacher), {"class_capacity": 61}
    monkeypatch.setattr(address.st, "session_state", state)
    address._set_capacity(teacher)
    assert teacher.progress().capacity == 61
    teacher.close()
    state["class_capacity"] = 5
    address._set_capacity(teacher)
    assert "refused" not in state


def test_what_is_no_address_is_said_and_the_best_guess_stays(open_app, room, keys):
    for typed in ("[::1", "http://", "a:b", "ftp://x.org", "x" * 300, "x.org/?a=1"):
        assert not address.complete_address(typed)
    assert "is no address that phones can open" in reach(room, keys, "a:b")
    assert f"/r/{keys.code}" in read(show(open_app, room, keys))


def test_a_typed_address_leads_below_the_base_path(monkeypatch):
    monkeypatch.setattr(address, "base_path", lambda: "/lab")
    assert address.complete_address("10.0.0.2:80") == "http://10.0.0.2:80/lab"
    assert address.complete_address("https://x.org/calm") == "https://x.org/calm"


LOCAL, OUTSIDE = "http://localhost:8501/classroom", "https://lab.example.org/classroom"


@pytest.mark.parametrize(
    ("bound", "shows", "fixed", "alone"),
    [
        ("127.0.0.1", LOCAL, "", True), ("0.0.0.0", LOCAL, "", False), (None, LOCAL, "", False),
        ("127.0.0.1", OUTSIDE, "", False), ("127.0.0.1", LOCAL, OUTSIDE, False),
    ],
)  # fmt: skip
def test_a_server_that_listens_to_itself_alone_is_known(monkeypatch, bound, shows, fixed, alone):
    monkeypatch.setattr(address.st, "get_option", lambda name: bound)
    monkeypatch.setenv("CALM_JOIN_URL", fixed)
    assert address.is_local_only(shows) is alone


def test_classes_together_may_be_more_than_any_class(open_app, room, rng):
    keys = begin(room, rng)
    room.teacher(keys.teacher).close()
    room.write(lambda db: db.execute("UPDATE tallies SET number = number * 50")).result()
    app = show(open_app, room, keys, view="sure")
    assert not app.error and RESULTS.SURE_LEAD in read(app)
    app.button("class_play").click().run()
    assert not app.exception and "1,000" in app.error[0].value.replace("\\", "")


# ---------------------------------------------------------------- two presses


@pytest.fixture
def pressed_twice(monkeypatch):
    """Press a button, and again by a press that was on its way when the first one came."""
    callbacks, button = {}, st.button

    def recorded(*args, key="", on_click=None, **options):
        callbacks[key] = on_click, options.get("args", ())
        return button(*args, key=key, on_click=on_click, **options)

    monkeypatch.setattr(st, "button", recorded)

    def press(app, key: str):
        app.run()
        callback, args = callbacks[key]
        app.button(key).click().run()
        assert not app.exception, app.exception
        return press_late(app, lambda: callback(*args))

    return press


NEW, LOBBY, TEST, OPEN_ONE, CLOSED_ONE = "new", "lobby", "test", "open", "closed"


@pytest.mark.parametrize(
    ("where", "key", "ends"),
    [
        # What the store does once, however often, is tested there.
        (NEW, "class_make", ["lobby"]), (LOBBY, "class_rehearse", ["lobby", "open"]),
        (LOBBY, "class_cards_make", ["lobby"]), (TEST, "class_test_end", ["lobby"]),
        (OPEN_ONE, "class_show", ["open"]), (CLOSED_ONE, "class_again", ["closed", "lobby"]),
        (CLOSED_ONE, "class_delete_yes", []),
    ],
)  # fmt: skip
def test_a_double_press_does_what_one_does(open_app, room, rng, pressed_twice, where, key, ends):
    if where == NEW:
        app = open_app("classroom")
    elif where in (LOBBY, TEST):
        keys = room.create(SURVEY, expected=30)
        join(room, keys, tickets(12))
    else:
        keys = begin(room, rng)
        if where == CLOSED_ONE:
            room.teacher(keys.teacher).close()
    if where != NEW:
        app = show(open_app, room, keys, view="next" if where == CLOSED_ONE else "")
    if where == TEST:
        app.button("class_rehearse").click().run()
    again = pressed_twice(app, key)
    assert "refused" not in again
    rows = room.read("SELECT code, state, shown FROM surveys ORDER BY rowid")
    assert [state for _, state, _ in rows] == ends
    sessions = (app.session_state, again)
    here = [one["class_held"] for one in sessions if "class_held" in one]
    assert [one.code for one in here] == ([rows[-1][0]] * 2 if rows else [])
    assert key != "class_show" or rows[0][2] == 1, "shown, and not hidden again"
    if key == "class_cards_make":
        assert room.teacher(keys.teacher).progress().cards == 30


# ---------------------------------------------------------------- deleted elsewhere


@pytest.mark.parametrize(
    ("state", "button"),
    [(LOBBY, ""), (LOBBY, "class_rehearse"), (OPEN_ONE, "class_show"), (CLOSED_ONE, "class_again")],
)
def test_a_survey_deleted_elsewhere_is_said_once(open_app, room, rng, state, button):
    keys = begin(room, rng) if state != LOBBY else room.create(SURVEY, expected=30)
    teacher = room.teacher(keys.teacher)
    if state == CLOSED_ONE:
        teacher.close()
    app = show(open_app, room, keys, view="next" if state == CLOSED_ONE else "")
    room.teacher(keys.teacher, keys.code).delete()
    if button:
        app.button(button).click()
    app.run()
    assert not app.exception and "class_held" not in app.session_state
    assert read(app).count("has been deleted; make a new one") == 1
    assert "Nothing was changed" not in read(app) and "School" not in read(app)
    assert SAID.MAKE in [one.label for one in app.button]


def test_a_part_that_looks_by_itself_turns_the_page(room, keys, monkeypatch):
    """Where its survey is deleted, has other parts, or the page has a refusal to show."""
    state, view = {}, room.wall(keys.wall)
    monkeypatch.setattr(open_survey.st, "rerun", again)
    monkeypatch.setattr(open_survey.st, "session_state", state)
    monkeypatch.setattr(open_survey, "fragment_with_errors", lambda part, run_every: part)
    before = view.progress()

    def look() -> None:
        open_survey.refresh_regularly(view, before, lambda now: now.roster, lambda now: None)

    look()
    state["refused"] = "Too few."
    with pytest.raises(Again):
        look()
    state.clear()
    room.teacher(keys.teacher).make_cards(1)
    with pytest.raises(Again):
        look()
    room.teacher(keys.teacher).delete()
    with pytest.raises(Again):
        look()


def test_what_is_on_screen_is_saved(open_app, room, rng):
    keys = begin(room, rng)
    teacher = room.teacher(keys.teacher)
    teacher.close()
    app = show(open_app, room, keys, view="next")
    teacher.delete()
    assert read_zip(offered_files(app)[f"classroom-{keys.code}.zip"]()).n == 24


def test_a_test_deleted_elsewhere_leads_back_to_the_survey_it_tries(open_app, room, keys):
    app = show(open_app, room, keys)
    app.button("class_rehearse").click().run()
    test = app.session_state["class_held"]
    # One phone is enough to try it, and a reload comes back to the survey that it tries.
    assert room.join(test.code, tickets(1)[0]).result().body["state"] == "open"
    assert SAID.TEST in read(app) and app.session_state["places"]["classroom"].survey == keys.code
    # The teacher comes back in another tab: a rehearsal that a reload has left goes.
    tab = open_app("classroom", survey=keys.code)
    tab.text_input("class_back_key").set_value(keys.teacher)
    tab.button("class_back_go").click().run()
    assert room.join(test.code, tickets(1)[0]).result().body["state"] == "unknown"
    app.run()
    assert not app.exception and app.session_state["class_held"].code == keys.code
    assert SAID.TEST_GONE in read(app) and SAID.LOBBY_TITLE in read(app)


def test_who_deletes_one_of_several_classes_is_led_to_the_next(open_app, room, rng):
    keys = begin(room, rng)
    room.teacher(keys.teacher).close()
    other = room.teacher(keys.teacher).run_again()
    app = show(open_app, room, replace(keys, code=other.code))
    app.button("class_delete_yes").click().run()
    assert RESULTS.DELETED in read(app)
    assert app.session_state["class_held"].code == keys.code != other.code


# ---------------------------------------------------------------- several classes


def test_this_class_or_all_are_saved_as_chosen(open_app, room, rng):
    keys = begin(room, rng)
    teacher = room.teacher(keys.teacher)
    teacher.close()
    collecting_again(room, teacher, rng)
    app = show(open_app, room, keys, view="next")
    assert read_zip(offered_files(app)[f"classroom-{keys.code}.zip"]()).n == 24
    app.button_group("class_all").select(True).run()
    assert RESULTS.saves_classes(2) in read(app)
    assert read_zip(offered_files(app)[f"classroom-{keys.code}-and-1-more.zip"]()).n == 39
