"""What components tell is heard once, in turn, and to its end."""

from threading import Event, Thread, local
from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)
from streamlit.runtime.state import SafeSessionState

from pages.ui import components, connections
from pages.ui.components import answer, last_heard

# Seconds that a thread is waited for at most.
PATIENCE = 30


@pytest.fixture
def state(monkeypatch):
    """The state of a session that has heard nothing."""
    held = {}
    monkeypatch.setattr(components, "st", SimpleNamespace(session_state=held))
    return held


def choices(*values, since=100):
    return [{"value": value, "at": since + at} for at, value in enumerate(values)]


def test_choices_that_come_together_are_heard_in_turn_and_once(state):
    heard = []
    answer("rows", "used", heard.append)
    state["rows"] = {"used": choices("a", "b")}
    answer("rows", "used", heard.append)
    answer("rows", "used", heard.append)
    assert heard == ["a", "b"] and last_heard("rows", "used") == 101
    # What was told before is told along; another name of another component is its own.
    state["rows"] = {"used": choices("a", "b", "b")}
    state["strip"] = {"used": choices("c", since=1)}
    answer("rows", "used", heard.append)
    answer("strip", "used", heard.append)
    assert heard == ["a", "b", "b", "c"]


@pytest.fixture
def run(monkeypatch):
    """A run of a session whose tab is open; Streamlit may ask it for another, or to stop."""
    found = SimpleNamespace(session_id="one", script_requests=ScriptRequests())
    monkeypatch.setattr(connections, "get_script_run_ctx", lambda: found)
    monkeypatch.setattr(connections, "_open_session", lambda name: f"the session {name}")
    return found


def test_amid_an_answer_no_other_run_begins_but_a_closed_tab_ends_it(state, run, monkeypatch):
    requests = run.script_requests
    state["rows"] = {"used": choices("a")}
    asked = []

    def hear(_) -> None:
        requests.request_rerun(RerunData())
        asked.append(requests.on_scriptrunner_yield())
        # So Streamlit begins a run of the whole page: in another thread, where this one shall stop.
        requests.request_stop()
        asked.append(requests.on_scriptrunner_yield())
        monkeypatch.setattr(connections, "_open_session", lambda name: None)
        asked.append(requests.on_scriptrunner_yield())
        raise KeyError

    with pytest.raises(KeyError):
        answer("rows", "used", hear)
    assert asked[:2] == [None, None] and asked[2].type is ScriptRequestType.STOP


def test_after_an_answer_a_run_is_given_up_as_ever(state, run):
    requests = run.script_requests
    state["rows"] = {"used": choices("a", "b")}
    answer("rows", "used", lambda _: requests.request_rerun(RerunData()))
    assert requests.on_scriptrunner_yield().type is ScriptRequestType.RERUN


@pytest.mark.parametrize("other, waits", [("one", True), ("two", False)])
def test_the_runs_of_a_session_take_what_was_chosen_in_turn(monkeypatch, other, waits):
    amid, may_end, inside = Event(), Event(), []

    def take(state, *_, **__) -> None:
        inside.append(state)
        if len(inside) == 1:
            amid.set()
            may_end.wait(PATIENCE)
        inside.append(state)

    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", take)
    names = local()
    monkeypatch.setattr(connections, "get_script_run_ctx", lambda: names.run)
    connections.answer_in_turn()

    def begin(session: str, which: int) -> None:
        names.run = SimpleNamespace(session_id=session)
        SafeSessionState.on_script_will_rerun(which, None)

    threads = [Thread(target=begin, args=(name, at)) for at, name in enumerate(("one", other))]
    threads[0].start()
    assert amid.wait(PATIENCE)
    threads[1].start()
    threads[1].join(0.2 if waits else PATIENCE)
    assert threads[1].is_alive() == waits
    may_end.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert inside == ([0, 0, 1, 1] if waits else [0, 1, 1, 0])
    assert not connections._TURNS
