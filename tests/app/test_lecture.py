"""A lecture: what its keys do on every page (UI specification, 5)."""

from calm_core.settings import Settings
from pages.panels.learn import lessons
from pages.panels.learn.lesson import PLAY
from pages.ui import lecture
from pages.ui.navigation import Route
from tests.app.screen import in_app, plain, settings_of


def press(app, *keys: str):
    """Press keys of the lecture, one after the other; gives the app after the last."""
    for key in keys:
        in_app(app, lambda key=key: lecture.handle_key(key))
        app.run()
        assert not app.exception, app.exception
    return app


def spot(app) -> tuple[str, int]:
    """Page and step."""
    page = app.session_state["page"]
    return page, app.session_state["places"][page].at


STORY = list(lecture.screen_texts())


def counter(app, data_of) -> str:
    return data_of(app, "settings_bar")["counter"]


def test_a_lecture_has_its_twelve_screens_in_order_from_any_page(open_app, data_of):
    """From a page of its own it begins anew; a detour leads back to where it began."""
    app = open_app("about", presenter="1")
    assert counter(app, data_of) == ""
    for number, name in enumerate(STORY, start=1):
        app = press(app, "next")
        assert counter(app, data_of) == f"{number} / 12"
        assert plain(app.title[0].value) == lecture.screen_texts()[name].sentence
    app.switch_page("../classroom.py").run()
    assert spot(press(app, "next")) == ("classroom", 0), "the last one"
    app = press(app, "back", "back")
    assert counter(app, data_of) == "10 / 12"
    app.switch_page("../about.py").run()
    assert counter(press(app, "back"), data_of) == "10 / 12"
    app.switch_page("../about.py").run()
    assert counter(press(app, "next"), data_of) == "11 / 12"
    assert counter(press(app, "screen 0"), data_of) == "1 / 12"
    assert counter(press(app, "screen 99"), data_of) == "12 / 12"


def test_one_report_gives_away_what_its_screen_says(open_app):
    lesson = lessons()["epsilon"]
    truth = lesson.guess.format_value(lesson.truth())
    assert truth in lecture.screen_texts()["one_report"].sentence


def test_where_it_breaks_the_settings_are_those_of_the_screen_only(open_app, data_of):
    app = press(open_app("marginals", presenter="1", epsilon="2.0"), "next")
    assert counter(app, data_of) == "10 / 12"
    assert settings_of(app) == Settings(presenter=True, epsilon=2.0, k=6, n=200)
    assert data_of(app, "calm_address")["query"] == "epsilon=2.0&presenter=1", (
        "a reload loses nothing"
    )
    # With another k the sentence would be wrong.
    app = press(app, "k2")
    assert plain(app.title[0].value) != lecture.screen_texts()["breaks"].sentence
    app = press(app, "next")
    assert spot(app) == ("worlds", 0)
    assert settings_of(app) == Settings(presenter=True, epsilon=2.0)
    left = press(app, "back", "lecture")
    assert settings_of(left) == Settings(epsilon=2.0), "they go with the lecture, too"


def test_keys_move_through_the_steps_of_a_page_first(open_app):
    """Another lesson than those of the lecture, then the lecture."""
    app = press(open_app("learn", presenter="1", lesson="limits"), "back")
    assert spot(app) == ("learn", 0)
    app.session_state["places"]["learn"] = Route("learn", lesson="limits", at=PLAY)
    app = press(app.run(), "next")
    assert app.session_state["places"]["learn"] == Route("learn", lesson="why")
