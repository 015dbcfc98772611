"""A lecture: what its keys do on every page, and what a reload restores (UI specification, 5)."""

import pytest

from calm_core.settings import Settings
from pages.ui import lecture
from tests.app.screen import in_app, settings_of


def press(app, *keys: str):
    """Press keys of the lecture, one after the other; gives the app after the last."""
    for key in keys:
        in_app(app, lambda key=key: lecture.handle_key(key))
        app.run()
        assert not app.exception, app.exception
    return app


def at(app) -> tuple[str, int]:
    """Page and step."""
    page = app.session_state["page"]
    return page, app.session_state["places"][page].at


def address(app, sent) -> dict[str, str]:
    """What the address bar says: page and query."""
    query = sent(app, "calm_address")
    return dict(part.split("=") for part in f"page={query['page']}&{query['query']}".split("&"))


def test_a_reload_restores_the_settings_of_the_teacher(open_app, sent):
    app = press(open_app(presenter="1", epsilon="2.0", k="2"), "next", "next")
    query = address(app, sent)
    assert query["epsilon"] == "0.2" and query["own_epsilon"] == "2.0" and "own_k" not in query
    del query["page"]
    again = open_app(**query)
    assert not again.warning and settings_of(again).epsilon == 0.2
    assert address(again, sent)["own_epsilon"] == "2.0"
    assert sent(again, "settings_bar")["counter"].startswith("3 / ")
    again = press(again, "next")
    assert at(again) == ("learn", 1) and settings_of(again) == Settings(
        presenter=True, epsilon=2.0, k=2
    )
    assert "own_epsilon" not in address(again, sent)


@pytest.mark.parametrize(
    ("page", "key", "comes"),
    [("data", "next", "plan"), ("data", "back", "learn"), ("about", "next", "about"), ("about", "back", "worlds"),
     ("compare", "back", "worlds"), ("collection", "next", "worlds"), ("learn", "next", "learn"),
     ("learn", "back", "start")],
)  # fmt: skip
def test_keys_turn_to_the_nearest_screen_from_a_page_outside_the_lecture(
    open_app, page, key, comes
):
    app = open_app("plan", presenter="1", at="1")
    app.switch_page(f"../{page}.py").run()
    assert at(press(app, key))[0] == comes
    assert at(app)[1] == {"data": 2, "learn": 1}[page] if comes == "learn" else at(app)[1] == 0


def test_keys_move_through_the_steps_of_a_page_first(open_app):
    """Another lesson than that of the lecture: its steps, and no further."""
    app = press(open_app("learn", presenter="1", lesson="epsilon"), "back")
    assert at(app) == ("learn", 0)
