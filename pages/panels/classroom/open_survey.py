"""The survey that is open in this session, its results so far, and the parts of the page that refresh.

The address names the survey and, for a wall, the wall key. A teacher key is only in the memory of the server, for
this session.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache

import streamlit as st

from calm_core.classroom.results import MIN_REPORTS, Results, infer_results
from calm_core.classroom.store import Store, SurveyKeys
from calm_core.classroom.teacher import Progress, ProjectorView, SurveyDeleted, TeacherControls
from pages import words
from pages.ui import cached_calls, navigation, state
from pages.ui.error_boundary import fragment_with_errors
from pages.ui.navigation import Route

SAID = words.classroom
# The step at which a closed survey begins.
AT_CORRECTED = list(SAID.STEPS).index("corrected")


@cache
def get_store() -> Store:
    """Return the store of this process, opened at the first call, for phones and teachers alike.

    Raises
    ------
    DataError
        If the file is of a newer version of the program; it is not changed then.
    """
    return Store()


@dataclass(frozen=True, eq=False)
class OpenSurvey:
    """An open survey.

    Attributes
    ----------
    view : ProjectorView
        What may be seen of it; a `TeacherControls` if it was opened with the teacher key.
    key : str
        The teacher key, which opens the teacher's other surveys too; "" with the wall key alone.
    keys : SurveyKeys, optional
        Keys of a new survey, shown until the teacher goes on.
    rehearsal_of : OpenSurvey, optional
        The survey that this one, marked TEST, tries out.
    """

    view: ProjectorView
    key: str = ""
    keys: SurveyKeys | None = None
    rehearsal_of: "OpenSurvey | None" = None

    @property
    def teacher(self) -> TeacherControls | None:
        """What the teacher may do; None with the wall key alone."""
        return self.view if isinstance(self.view, TeacherControls) else None

    @property
    def code(self) -> str:
        """Its code."""
        return self.view.code

    @property
    def address_code(self) -> str:
        """The code in the address: that of the survey, not of its rehearsal, whose key a reload would lose."""
        return self.code if self.rehearsal_of is None else self.rehearsal_of.code


def current_survey() -> OpenSurvey | None:
    """Return the survey of this session, or open the wall that the address names.

    Raises
    ------
    UserError
        If that wall cannot be shown.
    """
    route = navigation.current()
    if _session_survey() is None and route.survey and route.wall:
        open_with_key(route.wall, route.survey, wall=True)
    return _session_survey()


def _session_survey() -> OpenSurvey | None:
    """The survey of this session, if the address names it too."""
    survey = st.session_state.get("class_held")
    named = survey is not None and survey.address_code == navigation.current().survey
    return survey if named else None


def switch_to(survey: OpenSurvey, *, wall: str = "") -> None:
    """Show this survey from now on; a callback too."""
    st.session_state["class_held"] = survey
    st.session_state.pop("class_all", None)
    route, code = navigation.current(), survey.address_code
    # "Come back" and the like are no views of the survey.
    keep_view = route.survey == code and route.view not in SAID.VIEWS
    at = AT_CORRECTED if survey.view.progress().state == "closed" else 0
    navigation.change(survey=code, wall=wall, **({} if keep_view else {"view": "", "at": at}))


def open_created(keys: SurveyKeys) -> None:
    """Open a new survey, which shows its keys first."""
    switch_to(OpenSurvey(get_store().teacher(keys.teacher, keys.code), keys.teacher, keys))


def open_with_key(key: str, code: str = "", *, wall: bool = False) -> None:
    """Open a survey with its teacher key, or its wall with the wall key; without a code the newest."""
    key, chosen_code, by = key.strip(), "".join(code.split()).upper() or None, state.session_name()
    if wall:
        switch_to(OpenSurvey(get_store().wall(key, chosen_code, by=by)), wall=key)
        return
    teacher = get_store().teacher(key, chosen_code, by=by)
    # A session that was left may not have deleted its rehearsal.
    teacher.delete_rehearsals()
    switch_to(OpenSurvey(teacher, key))


def act(action: Callable, *values) -> None:
    """Callback: do what the teacher wants, or show why not."""
    with teacher_action():
        action(*values)


@contextmanager
def teacher_action() -> Generator[None]:
    """Run what a button of the teacher does: a refusal is shown; a deleted survey is left to the page."""
    with state.show_user_errors(), suppress(SurveyDeleted):
        yield


def is_first_press(survey: OpenSurvey | None) -> bool:
    """Whether the survey that a button was drawn for is still open; the first of two presses may change it."""
    return _session_survey() is survey


def hide_keys() -> None:
    """Callback: do not show the keys of this survey any more."""
    st.session_state["class_held"] = replace(st.session_state["class_held"], keys=None)


def leave() -> None:
    """Callback: close the page's survey, which stays in the store."""
    st.session_state.pop("class_held", None)
    st.session_state["places"]["classroom"] = Route("classroom")


def end_rehearsal(rehearsal: OpenSurvey) -> None:
    """Callback: delete a rehearsal and show the survey it belongs to; a second press does nothing."""
    if rehearsal.rehearsal_of is None or rehearsal.teacher is None or not is_first_press(rehearsal):
        return
    try:
        rehearsal.teacher.delete()
    finally:
        switch_to(rehearsal.rehearsal_of)


def handle_deleted(survey: OpenSurvey, reason: str) -> None:
    """Leave a survey that was deleted elsewhere, for the one it rehearsed if it did."""
    if survey.rehearsal_of is not None:
        switch_to(survey.rehearsal_of)
        st.session_state["class_said"] = SAID.TEST_GONE
        return
    leave()
    st.session_state["class_gone"] = reason


# ---------------------------------------------------------------- results, computed once for all viewers

# New reports after which the results of an open survey are computed anew.
MIN_NEW_REPORTS = 5


def find_results(
    view: ProjectorView, now: Progress, *, pooled: bool = False, method: str = "calm_plus"
) -> Results | None:
    """Return the results to show at this progress, the same for all sessions; None with too few reports.

    The version of a survey is in the store, so they follow what other processes write.
    """
    counts = view.pooled_counts() if pooled else None
    n, lies = (now.reports, now.lies) if counts is None else (counts.n, counts.n_lies)
    if n < MIN_REPORTS:
        return None
    # Reports of other classes do not raise the version of this one.
    progress_key = n // MIN_NEW_REPORTS if now.state == "open" else (now.version, n)

    def infer() -> Results:
        return infer_results(view.report_counts() if counts is None else counts, method)

    key = view.code, pooled, method, now.state, progress_key, lies
    return cached_calls.get_result("class results", key, infer)


# ---------------------------------------------------------------- refreshing

REFRESH_SECONDS = 0.5


def refresh_regularly(
    view: ProjectorView, before_drawing: Progress, parts: Callable[[Progress], object], draw: Callable[[Progress], object]
) -> None:  # fmt: skip
    """Draw the progress again and again; run the whole page when its survey is deleted or other `parts` belong to it."""
    before = parts(before_drawing)

    def draw_or_rerun() -> None:
        try:
            now = view.progress()
            # The page, not this part, shows a refusal.
            if parts(now) != before or "refused" in st.session_state:
                st.rerun()
            draw(now)
        except SurveyDeleted:
            st.rerun()

    fragment_with_errors(draw_or_rerun, run_every=REFRESH_SECONDS)()
