"""Lecture mode: its screens in order, each a route with settings of its own, and the keys that a clicker presses."""

from dataclasses import dataclass, field

import streamlit as st

from calm_core.evaluation.collection_progress import choose_stops
from calm_core.settings import EPSILONS, Settings
from pages import words
from pages.ui import cached_calls, frame, navigation, state
from pages.ui.components import mount
from pages.ui.navigation import Route

TURNS = {"PageDown": "next", "ArrowRight": "next", "PageUp": "back", "ArrowLeft": "back"}
ALWAYS = {"l": "lecture"}
LECTURE = TURNS | {"l": "lecture", "Escape": "lecture", "n": "noise", "[": "less", "]": "more"}
LECTURE |= {str(k): f"k{k}" for k in range(1, 7)}


@dataclass(frozen=True)
class Screen:
    """One screen of a lecture: a route, and settings that hold on this screen only."""

    place: Route
    changes: dict = field(default_factory=dict)


def list_screens(settings: Settings) -> list[Screen]:
    """Return the screens of a lecture that the link and the data allow."""
    plan_steps = cached_calls.plan_steps(settings)
    n = settings.n or cached_calls.encoded_data(settings).dataset.n
    found = [
        *(Screen(Route("start"), {"epsilon": epsilon}) for epsilon in (4.0, 1.0, 0.2)),
        Screen(Route("learn", lesson="coin", at=1)),
        Screen(Route("learn", lesson="coin", at=2)),
        *(Screen(Route("plan", at=at)) for at in range(plan_steps)),
        *(Screen(Route("collect", at=at)) for at in range(len(choose_stops(n)))),
        Screen(Route("marginals")),
        *([Screen(Route("marginals"), {"k": 6, "attrs": ()})] if settings.d >= 6 else []),
        Screen(Route("errors")),
        Screen(Route("worlds")),
    ]
    return [screen for screen in found if navigation.is_shown(screen.place.page)]


def enter_lecture() -> None:
    """On a first visit take the teacher's own settings from the link; called by the shell."""
    if "own" in st.session_state:
        return
    own = st.session_state["own"] = state.teacher_settings()
    found = list_screens(state.current().with_changes(**own)) if own else []
    st.session_state["screen"] = next(
        (one for one in _screens_here(found) if own.keys() <= one.changes.keys()), None
    )


def own_settings_query() -> dict[str, str]:
    """Return the teacher's own settings for the address, where the current screen has others."""
    settings, shown = state.current(), st.session_state["screen"]
    if not settings.presenter or shown is None or shown.place != navigation.current():
        return {}
    base = _teacher_settings()
    told = base.to_query(always=state.SET_BY_SCREENS)
    return {
        state.TEACHERS + name: told[name]
        for name in shown.changes
        if name in base.different(settings)
    }


def _teacher_settings() -> Settings:
    """Return the current settings without those that the current screen has set."""
    settings, shown = state.current(), st.session_state["screen"]
    if shown is None or shown.place != navigation.current():
        return settings
    own = st.session_state["own"]
    return settings.with_changes(**{name: own[name] for name in shown.changes if name in own})


def _screens_here(found: list[Screen]) -> list[Screen]:
    """Return the screens of this route, first those whose settings are the current ones."""
    settings = state.current()
    here = [screen for screen in found if screen.place == navigation.current()]
    return sorted(
        here, key=lambda one: (settings.with_changes(**one.changes) != settings, -len(one.changes))
    )


def _current_screen() -> tuple[list[Screen], int | None]:
    """Return all screens, and the index of the current one or None."""
    found = list_screens(_teacher_settings())
    fitting, told = _screens_here(found), st.session_state["screen"]
    shown = told if told in fitting else next(iter(fitting), None)
    return found, None if shown is None else found.index(shown)


def screen_counter() -> str:
    """Return the position in the lecture, "7 / 18"; "" outside of its screens."""
    if not state.current().presenter:
        return ""
    found, number = _current_screen()
    return "" if number is None else f"{number + 1} / {len(found)}"


def mount_keys() -> None:
    """Mount the component that listens to keys."""
    presenter = state.current().presenter
    in_lesson = bool(navigation.current().lesson)
    keys = LECTURE if presenter else ALWAYS | (TURNS if in_lesson else {})
    mount(
        "lecture_keys",
        {
            "keys": keys, "lecture": presenter, "moving": navigation.is_leaving(),
            "title": words.common.KEYS_TITLE, "help": list(words.common.KEYS.items()),
        },
        on={"key": handle_key},
    )  # fmt: skip


def handle_key(what: str) -> None:
    """Apply the action of a key."""
    settings = state.current()
    with state.show_user_errors():
        if what in ("next", "back"):
            turn_screen(1 if what == "next" else -1)
        elif what == "lecture":
            state.change(presenter=not settings.presenter)
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
    """Show the next or previous screen of the lecture; in a lesson, its next or previous step."""
    here = navigation.current()
    found, number = _current_screen() if state.current().presenter else ([], None)
    if number is not None:
        aim = found[number + by] if 0 <= number + by < len(found) else None
    elif found and frame.step_count() is None:
        aim = _adjacent_screen(found, by)
    else:
        navigation.change(at=max(0, min(here.at + by, (frame.step_count() or 1) - 1)))
        return
    if aim is not None:
        _show_screen(aim)


def _adjacent_screen(found: list[Screen], by: int) -> Screen | None:
    """Return the screen after or before a route that is not one of the screens."""
    order = list(words.common.PAGES)
    here = order.index(navigation.current().page)
    before = [screen for screen in found if order.index(screen.place.page) < here]
    return next(iter(found[len(before) :] if by > 0 else before[::-1]), None)


def _show_screen(aim: Screen) -> None:
    base = _teacher_settings()
    own = {name: getattr(base, name) for name in state.SET_BY_SCREENS}
    if state.change(**(own | aim.changes)):
        st.session_state["own"], st.session_state["screen"] = own, aim
        navigation.go(aim.place.page, lesson=aim.place.lesson, at=aim.place.at)
