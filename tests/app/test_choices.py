"""Every choice in a component reaches Python once and in order, whatever else is pressed meanwhile."""

import asyncio
import json
import random
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest

from calm_core.settings import Settings
from pages.ui import components
from pages.ui.components import handle_choices, last_handled_time
from tests.app.screen import run_coroutine
from tests.benchmarks.visitors import Visitor
from tests.browser.conftest import serving


class Interrupted(BaseException):
    """What Streamlit raises in a callback where another run shall begin."""


@pytest.fixture
def state(monkeypatch):
    """The state of a session that has heard nothing."""
    held = {}
    monkeypatch.setattr(components, "st", SimpleNamespace(session_state=held))
    return held


def choices(*values, since=100):
    return [{"value": value, "at": since + at} for at, value in enumerate(values)]


def test_choices_that_come_together_are_heard_in_order_and_once(state):
    heard = []
    handle_choices("rows", "used", heard.append)
    state["rows"] = {"used": choices("a", "b")}
    handle_choices("rows", "used", heard.append)
    handle_choices("rows", "used", heard.append)
    assert heard == ["a", "b"] and last_handled_time("rows", "used") == 101
    # Another field of another component has its own numbers.
    state["rows"] = {"used": choices("a", "b", "b")}
    state["settings_bar"] = {"used": choices("c", since=1)}
    handle_choices("rows", "used", heard.append)
    handle_choices("settings_bar", "used", heard.append)
    assert heard == ["a", "b", "b", "c"]


@pytest.mark.parametrize("error, again", [(Interrupted, True), (ValueError, False)])
def test_a_choice_whose_callback_was_interrupted_is_heard_again_and_a_bug_is_not(
    state, error, again
):
    state["rows"] = {"used": choices("a", "b")}
    heard = []

    def fail(value):
        raise error

    with pytest.raises(error):
        handle_choices("rows", "used", fail)
    handle_choices("rows", "used", heard.append)
    assert heard == (["a", "b"] if again else ["b"])


# Another d makes another data set, which takes a moment in which a press may come.
PRESSES = {"epsilon": ["0.5", "1", "2", "4"], "d": [*range(4, 32)]}


@pytest.mark.slow
def test_no_press_is_lost_where_another_comes_before_it_is_answered(tmp_path):
    """With Streamlit's fast reruns (`runner.fastReruns`) and without numbers that are confirmed some of them are."""
    pick = random.Random(7)

    async def press() -> tuple[dict, Settings]:
        visitor = Visitor(address, "marginals", "source=browsing&seed=3&k=2")
        await visitor.open()
        wanted = {"noise": 3}
        for _ in range(40):
            field = pick.choice(["epsilon", "d", "noise"])
            value = 1 if field == "noise" else pick.choice(PRESSES[field])
            wanted[field] = wanted["noise"] + 1 if field == "noise" else value
            await visitor.choose("settings_bar", field, value, wait=False)
            await asyncio.sleep(pick.choice([0.0, 0.002, 0.01, 0.05]))
        await visitor.confirm()
        await visitor.rerun()
        query = json.loads(visitor.component("calm_address").json)["query"]
        await visitor.close()
        return wanted, Settings.from_query(dict(parse_qsl(query)))[0]

    with serving(tmp_path) as (address, _):
        wanted, shown = run_coroutine(press())
    assert (shown.epsilon, shown.d, shown.seed) == (
        float(wanted["epsilon"]), wanted["d"], wanted["noise"],
    )  # fmt: skip
