"""A lecture: its screens in order, and what the keys of a clicker do."""

from dataclasses import dataclass, field

import streamlit as st

from calm_core.evaluation.arrival import stops
from calm_core.settings import EPSILONS, Settings
from pages.ui import cached, menu, notices, places, state
from pages.ui.components import component, held_by
from pages.ui.places import Place

# Settings that a screen may set for itself; the teacher's own come back on the next one.
OWN = ("epsilon", "k", "attrs")
TURNS = {"PageDown": "next", "ArrowRight": "next", "PageUp": "back", "ArrowLeft": "back"}
ALWAYS = {"l": "lecture"}
LECTURE = TURNS | {"l": "lecture", "Escape": "lecture", "n": "noise", "[": "less", "]": "more"}
LECTURE |= {str(k): f"k{k}" for k in range(1, 7)}


@dataclass(frozen=True)
class Screen:
    """One screen of a lecture: where, and with which settings of its own."""

    place: Place
    changes: dict = field(default_factory=dict)


def screens(settings: Settings) -> list[Screen]:
    """The screens of a lecture, those that the link and the data allow."""
    plan_steps = cached.plan_steps(settings)
    n = settings.n or cached.encoded(settings).dataset.n
    found = [
        *(Screen(Place("start"), {"epsilon": epsilon}) for epsilon in (4.0, 1.0, 0.2)),
        Screen(Place("learn", lesson="coin", at=1)),
        Screen(Place("learn", lesson="coin", at=2)),
        *(Screen(Place("plan", at=at)) for at in range(plan_steps)),
        *(Screen(Place("collect", at=at)) for at in range(len(stops(n)))),
        Screen(Place("marginals")),
        *([Screen(Place("marginals"), {"k": 6, "attrs": ()})] if settings.d >= 6 else []),
        Screen(Place("errors")),
        Screen(Place("worlds")),
    ]
    return [screen for screen in found if menu.shown(screen.place.page)]


def _base() -> Settings:
    """The teacher's own settings: those of now, but for what the screen shown has set for itself."""
    settings, shown = state.current(), st.session_state.get("screen")
    if shown is None or shown.place != places.current():
        return settings
    own = st.session_state.get("own", {})
    return settings.changed(**{name: own[name] for name in shown.changes if name in own})


def _where() -> tuple[list[Screen], int | None]:
    """All screens of the lecture, and which one is shown, if it is one of them."""
    found = screens(_base())
    fitting = [i for i, screen in enumerate(found) if screen.place == places.current()]
    told = st.session_state.get("screen")
    if told is not None and told in [found[i] for i in fitting]:
        return found, found.index(told)
    settings = state.current()
    as_set = [i for i in fitting if settings.changed(**found[i].changes) == settings]
    # A screen without settings of its own fits any.
    as_set.sort(key=lambda i: -len(found[i].changes))
    return found, next(iter(as_set or fitting), None)


def counter() -> str:
    """How far the lecture is: "7 / 18"; "" where it is not one of its screens."""
    if not state.current().presenter:
        return ""
    found, number = _where()
    return "" if number is None else f"{number + 1} / {len(found)}"


def listen() -> None:
    """Mount what hears the keys."""
    presenter = state.current().presenter
    in_lesson = bool(places.current().lesson)
    keys = LECTURE if presenter else ALWAYS | (TURNS if in_lesson else {})
    component("keys", "<i class='root' hidden></i>\n")(
        key="calm_keys",
        data={
            "keys": keys,
            "lecture": presenter,
            "heard": st.session_state.get("keys_heard", 0),
            "moving": places.moving(),
        },
        on_key_change=_heard,
    )


def _heard() -> None:
    told = held_by("calm_keys", "key")
    # A press that was not answered soon is told again.
    if told is not None and told["at"] != st.session_state.get("key_heard_at"):
        st.session_state["key_heard_at"] = told["at"]
        st.session_state["keys_heard"] = st.session_state.get("keys_heard", 0) + 1
        press(told["value"])


def press(what: str) -> None:
    """Do what a key stands for."""
    settings = state.current()
    with notices.Refusing():
        if what in ("next", "back"):
            turn(1 if what == "next" else -1)
        elif what == "lecture":
            state.change(presenter=not settings.presenter)
        elif what == "noise":
            state.new_noise()
        elif what in ("less", "more"):
            step = _neighbour(settings.epsilon, what == "more")
            state.choose("epsilon", step)
        elif what.startswith("k") and not state.hidden("k"):
            state.choose("k", int(what[1:]))


def _neighbour(epsilon: float, up: bool) -> float:
    """The next value offered above or below; the same at the ends.

    >>> _neighbour(1.0, True), _neighbour(10.0, True)
    (1.2, 10.0)
    """
    if up:
        return next((value for value in EPSILONS if value > epsilon), epsilon)
    return next((value for value in reversed(EPSILONS) if value < epsilon), epsilon)


def turn(by: int) -> None:
    """Show the next screen of the lecture, or the one before; in a lesson of one's own its steps."""
    here, settings = places.current(), state.current()
    found, number = _where() if settings.presenter else ([], None)
    if number is None:
        places.change(at=max(0, min(here.at + by, st.session_state.get("steps", 1) - 1)))
        return
    if not 0 <= number + by < len(found):
        return
    aim = found[number + by]
    base = _base()
    if state.change(**({name: getattr(base, name) for name in OWN} | aim.changes)):
        st.session_state["own"] = {name: getattr(base, name) for name in OWN}
        st.session_state["screen"] = aim
        places.go(aim.place.page, lesson=aim.place.lesson, at=aim.place.at)


def steps(count: int) -> None:
    """From a page: how many steps it has of its own, for the keys outside the lecture's screens."""
    st.session_state["steps"] = count
