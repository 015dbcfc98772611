"""What goes wrong in a lesson: double clicks, reloads, a full room, mistyped addresses, too much for a table."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from calm_core.classroom.dealing import plan_class
from calm_core.classroom.results import results
from calm_core.classroom.survey import Question, Survey
from calm_core.classroom.tallies import Collected
from pages import words
from pages.panels.classroom import address, held, joining, lesson, lobby
from pages.panels.classroom import results as closed_page
from pages.panels.classroom.held import Held
from tests.app.test_classroom_page import (
    SURVEY,
    collecting,
    joined,
    reach,
    room,  # noqa: F401
    shown,
    tickets,
    told,
)
from tests.classroom.conftest import survey_of

SAID, RESULTS = words.classroom, words.classroom_results


def test_two_presses_end_the_test_once(open_app, room):  # noqa: F811
    keys = room.create(SURVEY, expected=30)
    app = shown(open_app, room, keys)
    app.button("class_rehearse").click().run()
    test = app.session_state["class_held"]
    app.button("class_test_end").click().run()
    # The second press of two was drawn for the test too.
    found = _pressed(app.session_state["class_held"], lambda: held.end_test(test))
    assert not found.exception and found.session_state["class_held"].code == keys.code
    assert room.teacher(keys.teacher).progress().state == "lobby"


def _pressed(now, press):
    """A callback in a session that has `now` open."""
    app = AppTest.from_string("import streamlit as st\nst.session_state['pressed']()")
    app.session_state["class_held"], app.session_state["pressed"] = now, press
    return app.run()


def test_a_reload_in_a_rehearsal_comes_back_to_the_survey_it_tries(open_app, room):  # noqa: F811
    keys = room.create(SURVEY, expected=30)
    app = shown(open_app, room, keys)
    app.button("class_rehearse").click().run()
    assert app.session_state["class_held"].code != keys.code
    assert app.session_state["places"]["classroom"].survey == keys.code
    assert SAID.TEST in told(app)


def test_too_few_phones_are_said_where_open_is_pressed(open_app, room):  # noqa: F811
    many = Survey("T", [Question(f"q{i}", f"{i}?", ("No", "Yes")) for i in range(12)], epsilon=2.0)
    keys = room.create(many, expected=30)
    joined(room, keys, tickets(1))
    app = shown(open_app, room, keys)
    app.button("class_open").click().run()
    assert "wait for more phones: at least" in told(app)


def test_a_full_lobby_is_made_larger_or_deleted(open_app, room):  # noqa: F811
    keys = room.create(SURVEY, expected=2, capacity=2)
    joined(room, keys, tickets(2))
    app = shown(open_app, room, keys)
    app.number_input("class_capacity").set_value(3).run()
    joined(room, keys, tickets(3))
    app.button("class_delete_yes").click().run()
    assert RESULTS.DELETED in told(app)
    assert room.join(keys.code, tickets(1)[0]).result().body["state"] == "unknown"


def test_the_next_class_is_not_locked_out_with_the_last_one(room, rng):  # noqa: F811
    keys = collecting(room, rng, phones=12, reports=12)
    desk = room.teacher(keys.teacher)
    desk.lock()
    assert desk.again().progress().capacity == 24


@pytest.mark.parametrize(
    "typed", ["[::1", "http://", "a:b", "ftp://x.org", "x" * 300, "x.org/?a=1"]
)
def test_what_is_no_address_is_said_and_the_best_guess_stays(open_app, room, typed):  # noqa: F811
    keys = room.create(SURVEY, expected=30)
    assert not joining.complete(typed)
    before = joining.chosen(room.wall(keys.wall))
    assert "is no address that phones can open" in reach(room, keys, typed)
    assert joining.chosen(room.wall(keys.wall)) == before
    assert f"/r/{keys.code}" in told(shown(open_app, room, keys))


def test_a_typed_address_leads_below_the_base_path(monkeypatch):
    monkeypatch.setattr(address, "base_path", lambda: "/lab")
    assert joining.complete("10.0.0.2:80") == "http://10.0.0.2:80/lab"
    assert joining.complete("https://x.org/calm") == "https://x.org/calm"


@pytest.mark.parametrize(
    ("bound", "shows", "fixed", "alone"),
    [
        ("127.0.0.1", "http://localhost:8501/classroom", "", True),
        ("0.0.0.0", "http://localhost:8501/classroom", "", False),
        (None, "http://localhost:8501/classroom", "", False),
        ("127.0.0.1", "https://lab.example.org/classroom", "", False),
        ("127.0.0.1", "http://localhost:8501/classroom", "https://lab.example.org", False),
    ],
)
def test_a_server_that_listens_to_itself_alone_is_known(monkeypatch, bound, shows, fixed, alone):
    monkeypatch.setattr(address.st, "get_option", lambda name: bound)
    monkeypatch.setenv("CALM_JOIN_URL", fixed)
    assert address.nobody_else(shows) is alone


def by_chance(choices: int = 2):
    """A class whose reports say nothing, by CALM+ and by CALM."""
    survey = survey_of(3, choices=choices)
    plan = plan_class(survey, 14, rng=np.random.default_rng(1))
    rng = np.random.default_rng(7)
    counts = tuple(rng.multinomial(5, np.full(o.size, 1 / o.size)) for o in plan.oracles)
    collected = Collected(survey, plan, counts)
    return results(collected), results(collected, "calm")


def test_calm_turns_no_noise_into_certainty():
    plus, calm = by_chance()
    assert all(link.direction_only for found in (plus, calm) for link in found.links)
    # What is off in an excess is at least what is off in its cell.
    for link in plus.links:
        table = plus.pair(link.first, link.second)
        assert link.half_width > table.half_widths[link.first_choice, link.second_choice]


def test_that_one_of_five_answers_has_less_than_half_is_no_finding():
    plus, _ = by_chance(5)
    assert closed_page.finding(plus) == "No answer has a clear majority"
    assert lesson.surest(plus) is not None


def test_more_than_a_table_holds_is_said_and_the_rest_stays(open_app, room, rng):  # noqa: F811
    many = Survey("T", [Question(f"q{i}", f"{i}?", tuple("abcde")) for i in range(7)], epsilon=3.0)
    keys = collecting(room, rng, survey=many)
    room.teacher(keys.teacher).close()
    app = shown(open_app, room, keys, view="sure")
    assert "78,125 cells" in told(app) and app.session_state["class_held"].code == keys.code
    assert RESULTS.HANDS_LEAD in told(app)


def test_classes_together_may_be_more_than_any_class(open_app, room, rng):  # noqa: F811
    keys = collecting(room, rng)
    room.teacher(keys.teacher).close()
    room._database.write(lambda db: db.execute("UPDATE tallies SET number = number * 50")).result()
    app = shown(open_app, room, keys, view="sure")
    assert not app.error and RESULTS.SURE_LEAD in told(app)
    app.button("class_play").click().run()
    assert not app.exception and "1,000" in app.error[0].value.replace("\\", "")


def test_a_survey_that_goes_while_it_is_looked_at_is_let_go(open_app, room, rng, monkeypatch):  # noqa: F811
    keys = collecting(room, rng)
    desk = room.teacher(keys.teacher)
    desk.close()
    app = shown(open_app, room, keys)
    desk.delete()
    app.run()
    assert not app.exception and "class_held" not in app.session_state
    assert "has been deleted; make a new one" in told(app) and "Nothing was changed" not in told(
        app
    )
    assert not [w for w in app.warning if "\\\\" in w.value]


def test_a_part_that_looks_by_itself_leaves_a_refusal_to_the_page(room, monkeypatch):  # noqa: F811
    class Again(Exception):
        pass

    def rerun():
        raise Again

    keys = room.create(SURVEY, expected=30)
    wall = room.wall(keys.wall)
    monkeypatch.setattr(lobby.notices, "rerun", rerun)
    monkeypatch.setattr(lobby.st, "session_state", {"refused": "Too few."})
    with pytest.raises(Again):
        lobby._live(Held(wall), wall.progress())()
