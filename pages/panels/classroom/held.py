"""The survey that is open in this session: with the teacher key, or with the key of its wall alone.

The address names the survey and, where that is all there is, the wall's key; a teacher key is nowhere but in
the memory of the server, for this session.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import streamlit as st

from calm_core.classroom.projector import ProjectorView, SurveyDeleted
from calm_core.classroom.store import SurveyKeys
from calm_core.classroom.teacher import TeacherControls
from calm_core.errors import UserError
from pages import words
from pages.panels.classroom.store_instance import store
from pages.ui import notices, view_state
from pages.ui.uploads import session_store
from pages.ui.view_state import Route


@dataclass(frozen=True, eq=False)
class Held:
    """What is open.

    Attributes
    ----------
    wall : Wall
        What may be seen of it; a `TeacherControls` where the teacher key was given.
    keys : Keys, optional
        Just made: shown until they have been taken.
    key : str
        The teacher key, which opens the other surveys of it too; "" with the wall's key alone.
    tests : Held, optional
        The survey that this one, marked TEST, tries out.
    """

    wall: ProjectorView
    key: str = ""
    keys: SurveyKeys | None = None
    tests: "Held | None" = None

    @property
    def desk(self) -> TeacherControls | None:
        """What the teacher may do, if this is the teacher."""
        return self.wall if isinstance(self.wall, TeacherControls) else None

    @property
    def code(self) -> str:
        """Of the survey."""
        return self.wall.code

    @property
    def in_address(self) -> str:
        """The code that the address names: a rehearsal's key is nowhere, so a reload comes back to what it tests."""
        return self.code if self.tests is None else self.tests.code


def now() -> Held | None:
    """What is open on the page; a wall's link opens it.

    Raises
    ------
    UserError
        If the wall of the address cannot be shown.
    """
    place, held = view_state.current(), _open()
    if held is not None:
        return held
    if place.survey and place.wall:
        opened = store().wall(place.wall, place.survey.upper(), by=session_store.session_name())
        return _keep(Held(opened), wall=place.wall)
    return None


def _open() -> Held | None:
    """What this session has open, where the address says so too."""
    held = st.session_state.get("class_held")
    return held if held is not None and held.in_address == view_state.current().survey else None


def _keep(held: Held, *, wall: str = "") -> Held:
    st.session_state["class_held"] = held
    st.session_state.pop("class_all", None)
    here = view_state.current()
    named = held.in_address
    # A way in is no view of what was opened.
    stays = here.survey == named and here.view not in words.classroom.VIEWS
    view_state.change(survey=named, wall=wall, **({} if stays else {"view": "", "at": 0}))
    return held


def show(held: Held) -> None:
    """Callback: this survey is on the page from now on."""
    _keep(held)


def made(keys: SurveyKeys) -> None:
    """A survey was made: it is opened, its keys are shown first."""
    _keep(Held(store().teacher(keys.teacher, keys.code), keys.teacher, keys))


def come_back(key: str, code: str = "") -> None:
    """Open a survey with its teacher key; the newest of that key without a code."""
    key = key.strip()
    desk = store().teacher(key, _plain(code), by=session_store.session_name())
    # Of a session that was left without ending it.
    desk.delete_rehearsals()
    _keep(Held(desk, key))


def show_wall(key: str, code: str = "") -> None:
    """Open a wall with its key."""
    key = key.strip()
    _keep(Held(store().wall(key, _plain(code), by=session_store.session_name())), wall=key)


def _plain(code: str) -> str | None:
    return "".join(code.split()).upper() or None


@contextmanager
def wished() -> Iterator[None]:
    """What a teacher's button does: refused in a sentence; that the survey was deleted is told by the page itself."""
    with notices.show_user_errors(), suppress(SurveyDeleted):
        yield


def first_press(shown: Held | None) -> bool:
    """Whether a button is pressed where it was drawn: the second press of two comes where something else is open."""
    return _open() is shown


def keys_taken() -> None:
    """The keys of this survey are not shown any more."""
    st.session_state["class_held"] = replace(st.session_state["class_held"], keys=None)


def put_away() -> None:
    """Nothing is open; the survey stays as it is."""
    st.session_state.pop("class_held", None)
    st.session_state["places"]["classroom"] = Route("classroom")


def end_test(test: Held) -> None:
    """Callback: delete the survey that was marked TEST, and show the one it tried out; two presses do no more."""
    if test.tests is None or test.desk is None or not first_press(test):
        return
    try:
        test.desk.delete()
    finally:
        _keep(test.tests)


def gone(held: Held, why: str) -> None:
    """It was deleted, here or elsewhere: what it tried out, or its teacher's other surveys, are still there."""
    if held.tests is not None:
        _keep(held.tests)
        st.session_state["class_said"] = words.classroom.TEST_GONE
        return
    let_go(held)
    st.session_state["class_gone"] = why


def let_go(held: Held) -> None:
    """Nothing is open; of the teacher's other surveys with that key the newest is offered."""
    put_away()
    with suppress(UserError):
        desk = store().teacher(held.key) if held.key else None
        st.session_state["class_left"] = desk and Held(desk, held.key)
