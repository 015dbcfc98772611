"""What components tell is heard once, in turn, and to its end."""

from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)

from pages.ui import components, connections
from pages.ui.components import answer, last_heard


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


def test_amid_an_answer_no_other_run_begins_but_a_closed_tab_ends_it(state, monkeypatch):
    requests = ScriptRequests()
    monkeypatch.setattr(
        connections, "get_script_run_ctx", lambda: SimpleNamespace(script_requests=requests)
    )
    state["rows"] = {"used": choices("a")}
    asked = []

    def hear(_) -> None:
        requests.request_rerun(RerunData())
        asked.append(requests.on_scriptrunner_yield())
        requests.request_stop()
        asked.append(requests.on_scriptrunner_yield())
        raise KeyError

    with pytest.raises(KeyError):
        answer("rows", "used", hear)
    assert asked[0] is None and asked[1].type is ScriptRequestType.STOP

    # Afterwards, however it ended, the run is asked again.
    requests = ScriptRequests()
    state["rows"] = {"used": choices("a", "b")}
    answer("rows", "used", lambda _: requests.request_rerun(RerunData()))
    assert requests.on_scriptrunner_yield().type is ScriptRequestType.RERUN
