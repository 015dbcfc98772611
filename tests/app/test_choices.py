"""Values of components and widgets are handled once, in order, and completely."""

from threading import Event, Thread, local
from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)
from streamlit.runtime.state import SafeSessionState, SessionState

from pages.ui import components, connections
from pages.ui.components import handle_choices, last_handled_time


class GivenUp(Exception):
    """A run is given up."""


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


def test_values_that_arrive_together_are_handled_in_order_and_once(state):
    heard = []
    handle_choices("rows", "used", heard.append)
    state["rows"] = {"used": choices("a", "b")}
    handle_choices("rows", "used", heard.append)
    handle_choices("rows", "used", heard.append)
    assert heard == ["a", "b"] and last_handled_time("rows", "used") == 101
    # What was told before is told along; another name of another component is its own.
    state["rows"] = {"used": choices("a", "b", "b")}
    state["settings_bar"] = {"used": choices("c", since=1)}
    handle_choices("rows", "used", heard.append)
    handle_choices("settings_bar", "used", heard.append)
    assert heard == ["a", "b", "b", "c"]


@pytest.fixture
def run(monkeypatch):
    """A run of a session whose tab is open; Streamlit may ask it for another, or to stop."""
    found = SimpleNamespace(session_id="one", script_requests=ScriptRequests())
    monkeypatch.setattr(connections, "get_script_run_ctx", lambda: found)
    monkeypatch.setattr(connections, "_open_session", lambda name: f"the session {name}")
    return found


@pytest.fixture
def taking(run, monkeypatch):
    """Let the session of `run` take what was chosen; its callbacks are what is given."""
    held = SafeSessionState(SessionState(), lambda: yields(run.script_requests))
    chosen = []
    monkeypatch.setattr(SessionState, "on_script_will_rerun", lambda *_, **__: chosen.pop()())
    monkeypatch.setattr(
        SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun
    )
    connections.answer_in_turn()

    def take(callback) -> None:
        chosen.append(callback)
        held.on_script_will_rerun(None)

    return take


def yields(requests) -> None:
    """What Streamlit does where a run may be given up."""
    if (found := requests.on_scriptrunner_yield()) is not None:
        raise GivenUp(found.type)


def test_during_a_callback_no_other_run_begins_but_a_closed_tab_ends_it(run, taking, monkeypatch):
    requests, heard = run.script_requests, []

    def hear() -> None:
        requests.request_rerun(RerunData())
        yields(requests)
        # So Streamlit begins a run of the whole page: in another thread, where this one shall stop.
        requests.request_stop()
        yields(requests)
        heard.append("both")
        monkeypatch.setattr(connections, "_open_session", lambda name: None)
        yields(requests)
        heard.append("more")

    with pytest.raises(GivenUp) as ended:
        taking(hear)
    assert heard == ["both"] and ended.value.args == (ScriptRequestType.STOP,)


def test_after_a_callback_a_run_can_be_interrupted(run, taking):
    requests = run.script_requests
    taking(lambda: requests.request_rerun(RerunData()))
    assert requests.on_scriptrunner_yield().type is ScriptRequestType.RERUN


def test_a_replaced_run_handles_no_values(run, taking):
    heard = []
    run.script_requests.request_stop()
    with pytest.raises(GivenUp):
        taking(lambda: heard.append("old"))
    assert not heard


@pytest.mark.parametrize("other, waits", [("one", True), ("two", False)])
def test_runs_of_one_session_handle_their_values_in_turn(monkeypatch, other, waits):
    amid, may_end, inside = Event(), Event(), []

    def take(state, *_, **__) -> None:
        inside.append(state.number)
        if len(inside) == 1:
            amid.set()
            may_end.wait(PATIENCE)
        inside.append(state.number)

    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", take)
    names = local()
    monkeypatch.setattr(connections, "get_script_run_ctx", lambda: names.run)
    connections.answer_in_turn()

    def begin(session: str, which: int) -> None:
        names.run = SimpleNamespace(session_id=session, script_requests=None)
        state = SimpleNamespace(number=which, _yield_callback=lambda: None)
        SafeSessionState.on_script_will_rerun(state, None)

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
