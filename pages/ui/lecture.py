"""Lecture mode: a story of twelve screens, each a route with settings of its own, and the keys that a clicker presses."""

from dataclasses import dataclass, field, replace
from functools import partial
from types import SimpleNamespace

import streamlit as st

from calm_core.settings import EPSILONS, Settings
from pages import words
from pages.ui import cached_calls, frame, navigation, state
from pages.ui.components import mount
from pages.ui.navigation import Route
from pages.words.texts import read_texts

TURNS = {"PageDown": "next", "ArrowRight": "next", "PageUp": "back", "ArrowLeft": "back"}
ALWAYS = {"l": "lecture"}
LECTURE = TURNS | {"l": "lecture", "Escape": "lecture", "n": "noise", "[": "less", "]": "more"}
LECTURE |= {str(k): f"k{k}" for k in range(1, 7)} | {"Home": "screen 0", "End": "screen 99"}
# Settings that a screen may set for itself.
SET_BY_SCREENS = ("k", "attrs", "n")
# Where it breaks: so few people, and so many attributes.
FEW_PEOPLE, LARGE_K = 200, 6


@dataclass(frozen=True)
class Screen:
    """One screen of a lecture.

    Attributes
    ----------
    name : str
        Key of its words in `screen_texts`.
    place : Route
        What it shows.
    changes : dict
        Settings that hold on this screen only.
    """

    name: str
    place: Route
    changes: dict = field(default_factory=dict)

    @property
    def is_here(self) -> bool:
        """Whether its route is shown; on Classroom that of any survey whose results are not stepped through."""
        here = navigation.current()
        classroom = here.page == "classroom" and frame.step_count() is None
        return here == self.place or classroom and self.place.page == here.page


def list_screens(settings: Settings) -> list[Screen]:
    """Return the screens of a lecture that the link and the data allow."""
    lesson, rows = partial(Route, "learn"), cached_calls.encoded_data(settings).dataset.n
    breaks = {"k": min(LARGE_K, settings.d), "attrs": (), "n": min(FEW_PEOPLE, rows)}
    screens = [
        Screen("hands", lesson(lesson="why")),
        Screen("coin", lesson(lesson="coin", at=1)),
        Screen("innocent", lesson(lesson="coin", at=2)),
        Screen("one_report", lesson(lesson="epsilon", at=2)),
        Screen("many_reports", lesson(lesson="coin", at=3)),
        Screen("dial", Route("start")),
        Screen("split", lesson(lesson="splitting", at=2)),
        Screen("trade_off", lesson(lesson="sizes", at=2)),
        Screen("table", Route("marginals")),
        Screen("breaks", Route("marginals"), breaks),
        Screen("price", Route("worlds")),
        Screen("phones", Route("classroom")),
    ]
    return [screen for screen in screens if navigation.is_shown(screen.place.page)]


def screen_texts() -> dict[str, SimpleNamespace]:
    """Return the words of the screens of a lecture by their names, in order.

    Each has its `name` in lists and the one `sentence` that it shows; for the speaker what to `say`, and what the room
    will guess `wrong`.
    """
    return {name: SimpleNamespace(**text) for name, text in read_texts("lecture").items()}


def begin_lecture() -> None:
    """Show the first screen of a lecture, which all data allow."""
    if state.change(presenter=True):
        show_screen(list_screens(state.current())[0])


def leave_lecture() -> None:
    """Leave lecture mode, with the teacher's own settings."""
    state.change(presenter=False, **_own_settings())


def _own_settings() -> dict:
    base = _teacher_settings()
    return {name: getattr(base, name) for name in SET_BY_SCREENS}


def replaced_settings() -> dict:
    """Return the teacher's own values of what the current screen has set; the address holds these."""
    own, screen = st.session_state.get("shown", ({}, None))
    here = screen is not None and screen.is_here
    return {name: own[name] for name in screen.changes} if here else {}


def _teacher_settings() -> Settings:
    return state.current().with_changes(**replaced_settings())


def _last_shown() -> Screen | None:
    """Return the screen of the lecture that was shown last."""
    return st.session_state.get("shown", ({}, None))[1]


def _current_screen() -> tuple[list[Screen], int | None]:
    """Return all screens, and the index of the current one or None."""
    screens = list_screens(_teacher_settings())
    here, last = [screen for screen in screens if screen.is_here], _last_shown()
    shown = last if last in here else next(iter(here), None)
    return screens, None if shown is None else screens.index(shown)


def screen_counter() -> str:
    """Return the position in the lecture, "7 / 12"; "" outside of its screens."""
    if not state.current().presenter:
        return ""
    screens, number = _current_screen()
    return "" if number is None else f"{number + 1} / {len(screens)}"


def screen_sentence() -> str:
    """Return the sentence of the lecture's screen; "" outside of them, or with other settings than it shows."""
    if not state.current().presenter:
        return ""
    screens, number = _current_screen()
    if number is None:
        return ""
    screen, settings = screens[number], state.current()
    # The page of an open survey has a title of its own.
    if (settings.with_changes(**screen.changes), navigation.current()) != (settings, screen.place):
        return ""
    return screen_texts()[screen.name].sentence


def mount_keys() -> None:
    """Mount the component that listens to keys."""
    presenter, in_lesson = state.current().presenter, bool(navigation.current().lesson)
    screens, number = _current_screen() if presenter else ([], None)
    texts = screen_texts()
    names = [texts[screen.name].name for screen in screens]
    keys = LECTURE if presenter else ALWAYS | (TURNS if in_lesson else {})
    listed = words.common.KEYS if presenter else words.common.LESSON_KEYS if in_lesson else {}
    mount(
        "lecture_keys",
        {
            "keys": keys, "lecture": presenter, "moving": navigation.is_leaving(),
            "title": words.common.KEYS_TITLE, "help": list(listed.items()),
            "screens": names, "at": number,
        },
        on={"key": handle_key},
    )  # fmt: skip


def handle_key(what: str) -> None:
    """Apply the action of a key; "screen 3" shows the fourth."""
    settings = state.current()
    with state.show_user_errors():
        if what.startswith("screen "):
            screens = list_screens(_teacher_settings())
            show_screen(screens[min(int(what.split()[1]), len(screens) - 1)])
        elif what in ("next", "back"):
            turn_screen(1 if what == "next" else -1)
        elif what == "lecture" and settings.presenter:
            leave_lecture()
        elif what == "lecture":
            state.change(presenter=True)
        elif what == "noise":
            state.new_noise()
        elif what in ("less", "more"):
            step = _neighbor_epsilon(settings.epsilon, what == "more")
            state.set_field("epsilon", step)
        elif what.startswith("k") and not state.is_hidden("k"):
            state.set_field("k", int(what[1:]))


def _neighbor_epsilon(epsilon: float, up: bool) -> float:
    """Return the next value offered above or below; the same at the ends.

    >>> _neighbor_epsilon(1.0, True), _neighbor_epsilon(10.0, True)
    (1.2, 10.0)
    """
    if up:
        return next((value for value in EPSILONS if value > epsilon), epsilon)
    return next((value for value in reversed(EPSILONS) if value < epsilon), epsilon)


def turn_screen(by: int) -> None:
    """Show the next or previous screen of the lecture; on other pages and lessons first their steps."""
    here, count = navigation.current(), frame.step_count()
    screens, number = _current_screen() if state.current().presenter else ([], None)
    if number is None and (not screens or 0 <= here.at + by < (count or 0)):
        navigation.change(at=max(0, min(here.at + by, (count or 1) - 1)))
        return
    if number is None:
        # A detour leads back to where it began.
        last = _last_shown()
        number = screens.index(last) + (by < 0) if last and last in screens else -1
    if 0 <= number + by < len(screens):
        show_screen(screens[number + by])


def show_screen(aim: Screen) -> None:
    """Show a screen of the lecture, with the teacher's own settings where it has none."""
    own = _own_settings()
    if state.change(**(own | aim.changes)):
        st.session_state["shown"] = own, aim
        # A survey that is open stays open.
        route = st.session_state["places"].get(aim.place.page, aim.place)
        place = replace(aim.place, survey=route.survey, wall=route.wall)
        navigation.go(
            place.page, **{name: value for name, value in vars(place).items() if name != "page"}
        )
