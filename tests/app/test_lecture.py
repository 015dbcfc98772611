"""A lecture: what its keys do on every page, and what a reload finds again (UI specification, 5)."""

import pytest

from calm_core.settings import Settings
from pages.ui import lecture
from tests.app.test_shell import in_app, settings_of


def press(app, *keys: str):
    """Press keys of the lecture, one after the other; gives the app after the last."""
    for key in keys:
        in_app(app, lambda key=key: lecture.press(key))
        app.run()
        assert not app.exception, app.exception
    return app


def at(app) -> tuple[str, int]:
    """Page and step."""
    page = app.session_state["page"]
    return page, app.session_state["places"][page].at


def address(app, sent) -> dict[str, str]:
    """What the address bar says: page and query."""
    told = sent(app, "calm_address")
    return dict(part.split("=") for part in f"page={told['page']}&{told['query']}".split("&"))


def test_the_teachers_own_settings_come_back_on_the_next_screen(open_app):
    app = press(open_app(presenter="1", epsilon="2.0"), "next")
    assert at(app) == ("start", 0) and settings_of(app).epsilon == 1.0
    assert settings_of(press(app, "next", "next")).epsilon == 2.0


def test_a_reload_on_a_screen_with_settings_of_its_own_finds_the_teachers(open_app, sent):
    app = press(open_app(presenter="1", epsilon="2.0", k="2"), "next", "next")
    told = address(app, sent)
    assert told["epsilon"] == "0.2" and told["own_epsilon"] == "2.0" and "own_k" not in told
    del told["page"]
    again = open_app(**told)
    assert not again.warning and settings_of(again).epsilon == 0.2
    assert address(again, sent)["own_epsilon"] == "2.0"
    assert sent(again, "settings_bar")["counter"].startswith("3 / ")
    again = press(again, "next")
    assert at(again) == ("learn", 1) and settings_of(again) == Settings(
        presenter=True, epsilon=2.0, k=2
    )
    assert "own_epsilon" not in address(again, sent)


def test_a_table_of_six_is_shown_once_and_the_teachers_size_comes_back_after_a_reload(
    open_app, sent
):
    app = open_app("marginals", presenter="1", k="2")
    told = address(press(app, "next"), sent)
    assert (told.pop("page"), told["k"], told["own_k"]) == ("marginals", "6", "2")
    again = press(open_app("marginals", **told), "next")
    assert at(again) == ("errors", 0) and settings_of(again).k == 2


def test_an_address_whose_own_settings_cannot_be_meant_says_so(open_app):
    app = open_app(presenter="1", epsilon="0.2", own_epsilon="lots")
    assert len(app.warning) == 1 and "lots" in app.warning[0].value
    assert settings_of(app).epsilon == 0.2


@pytest.mark.parametrize(
    ("page", "key", "comes"),
    [("data", "next", "plan"), ("data", "back", "learn"), ("about", "next", "about"), ("about", "back", "worlds"),
     ("compare", "back", "worlds"), ("collection", "next", "worlds"), ("learn", "next", "learn"),
     ("learn", "back", "start")],
)  # fmt: skip
def test_keys_lead_on_from_a_page_that_is_no_screen_of_the_lecture(open_app, page, key, comes):
    """Data ignored the clicker, and counted steps of the page before."""
    app = open_app("plan", presenter="1", at="1")
    app.switch_page(f"../{page}.py").run()
    assert at(press(app, key))[0] == comes
    assert at(app)[1] == {"data": 2, "learn": 1}[page] if comes == "learn" else at(app)[1] == 0


def test_a_page_with_steps_of_its_own_keeps_the_keys(open_app):
    """Another lesson than that of the lecture: its steps, and no further."""
    app = press(open_app("learn", presenter="1", lesson="epsilon"), "back")
    assert at(app) == ("learn", 0)
