"""A new survey: questions, privacy, and beside them what such a class can learn."""

import hmac
import os
import time
from threading import Lock

import streamlit as st

from calm_core.classroom.forecast import Forecast, forecast
from calm_core.classroom.survey import (
    DEFAULT_CLASS,
    DEFAULT_EPSILON,
    DEFAULT_QUESTIONS,
    MOST_CHOICE,
    MOST_NAME,
    MOST_PHONES,
    MOST_QUESTIONS,
    MOST_TEXT,
    Question,
    Survey,
    clean,
)
from calm_core.classroom.templates import LANGUAGES, template, template_names
from calm_core.errors import InputError, UserError
from pages import words
from pages.panels.classroom import held
from pages.panels.classroom.house import store
from pages.ui import cached, notices

EPSILONS = (1.0, 2.0, 3.0, 4.0)
FEWEST_CLASS = 2
_WRONG = Lock()
# What stands in the form, under keys that a new template makes new: (question, answers).
DRAFT, EDITION = "class_draft", "class_edition"


def _draft() -> list[tuple[str, str]]:
    """The questions of the form."""
    if DRAFT not in st.session_state:
        _begin([("", words.classroom.YES_NO["en"])] * DEFAULT_QUESTIONS)
    return st.session_state[DRAFT]


def _begin(questions: list[tuple[str, str]]) -> None:
    st.session_state[DRAFT] = questions
    st.session_state[EDITION] = st.session_state.get(EDITION, 0) + 1


def _key(kind: str, at: int) -> str:
    return f"class_{kind}_{st.session_state[EDITION]}_{at}"


def _typed(at: int) -> None:
    """A question or its answers were typed."""
    draft = list(_draft())
    draft[at] = st.session_state[_key("text", at)], st.session_state[_key("choices", at)]
    st.session_state[DRAFT] = draft


def _add() -> None:
    language = st.session_state.get("class_language", "en")
    _begin([*_draft(), ("", words.classroom.YES_NO[language])])


def _remove(at: int) -> None:
    draft = _draft()
    _begin([*draft[:at], *draft[at + 1 :]])


def _begin_with() -> None:
    """A template was chosen, or another language for it; own questions stay."""
    name, language = st.session_state["class_template"], st.session_state["class_language"]
    if name:
        chosen = template(name, language)
        st.session_state["class_title"] = chosen.title
        _begin([(asked.text, " / ".join(asked.choices)) for asked in chosen.questions])


def show() -> None:
    """The form and the forecast."""
    if not _allowed():
        return
    if store().temporary:
        st.warning(words.classroom.TEMPORARY, icon=":material/warning:")
    form, beside = st.columns([7, 4], gap="large")
    with form:
        _form()
    with beside, st.container(key="class_forecast"):
        _beside()


def _allowed() -> bool:
    """Whether this visitor may make surveys: on a server with a password, who knows it."""
    wanted = os.environ.get("CALM_TEACHER_PASSWORD", "")
    if not wanted or st.session_state.get("class_allowed"):
        return True
    with st.form("class_password_form", width=480):
        st.markdown(words.classroom.PASSWORD_WHY)
        st.text_input(
            words.classroom.PASSWORD,
            type="password",
            key="class_password",
            autocomplete="current-password",
        )
        st.form_submit_button("Go on", on_click=_check, args=(wanted,), key="class_password_go")
    return False


def _check(wanted: str) -> None:
    given = st.session_state["class_password"]
    if hmac.compare_digest(given.encode(), wanted.encode()):
        st.session_state["class_allowed"] = True
        return
    # Five tries a second, all visitors together.
    with _WRONG:
        time.sleep(0.2)
    notices.refuse(InputError(words.classroom.PASSWORD_WRONG))


def _form() -> None:
    said = words.classroom
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = {"": said.OWN} | {
            name: template(name, _language()).title for name in template_names()
        }
        st.selectbox(
            said.TEMPLATE, list(titles), format_func=titles.__getitem__, key="class_template", on_change=_begin_with,
            persist_state="session",
        )  # fmt: skip
        st.selectbox(
            said.LANGUAGE, LANGUAGES, format_func=said.LANGUAGES.__getitem__, key="class_language",
            on_change=_begin_with, persist_state="session", width=200,
        )  # fmt: skip
    st.text_input(
        said.SURVEY_TITLE, key="class_title", max_chars=MOST_TEXT, placeholder=said.SURVEY_TITLE_HINT,
        persist_state="session", autocomplete="off",
    )  # fmt: skip
    draft = _draft()
    for at, (text, choices) in enumerate(draft):
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"class_asked_{at}"):
            st.text_input(
                said.question(at + 1), text, key=_key("text", at), max_chars=MOST_TEXT, on_change=_typed, args=(at,),
                placeholder=said.QUESTION_HINT if at == 0 else None, autocomplete="off",
            )  # fmt: skip
            st.text_input(
                said.CHOICES, choices, key=_key("choices", at), max_chars=6 * (MOST_CHOICE + 3), on_change=_typed,
                args=(at,), width=230, autocomplete="off",
            )  # fmt: skip
            if len(draft) > 2:
                st.button(
                    said.REMOVE, key=_key("remove", at), icon=":material/close:", type="tertiary", on_click=_remove,
                    args=(at,),
                )  # fmt: skip
    if len(draft) < MOST_QUESTIONS:
        st.button(said.ADD, key="class_add", icon=":material/add:", on_click=_add, type="tertiary")


def _language() -> str:
    return st.session_state.get("class_language") or LANGUAGES[0]


def _beside() -> None:
    """Class size, privacy, and the forecast that follows them."""
    said = words.classroom
    expected = st.number_input(
        said.CLASS_SIZE, FEWEST_CLASS, MOST_PHONES, DEFAULT_CLASS, key="class_size", help=said.CLASS_SIZE_HELP,
        persist_state="session",
    )  # fmt: skip
    if "class_epsilon" not in st.session_state:
        st.session_state["class_epsilon"] = DEFAULT_EPSILON
    epsilon = st.selectbox(
        said.PROTECTION, EPSILONS, format_func=said.protection, key="class_epsilon", help=said.PROTECTION_HELP,
        persist_state="session",
    )  # fmt: skip
    try:
        survey = _survey(_complete(), epsilon, title=said.OWN)
        _forecast(survey, expected)
    except UserError as error:
        st.caption(said.NOT_COMPLETE if len(_complete()) < 2 else notices.as_sentence(error))
    with st.expander(said.MORE):
        most = st.number_input(
            said.CAPACITY, expected, MOST_PHONES, min(2 * expected, MOST_PHONES), key=f"class_most_{expected}",
        )  # fmt: skip
    st.button(
        said.MAKE, type="primary", key="class_make", on_click=_make, args=(expected, most), width="stretch",
    )  # fmt: skip


def _complete() -> list[tuple[int, str, str]]:
    """Questions that have a text, with their numbers in the form."""
    return [(at + 1, text, choices) for at, (text, choices) in enumerate(_draft()) if clean(text)]


def _survey(draft: list[tuple[int, str, str]], epsilon: float, title: str) -> Survey:
    """The survey of the form.

    Raises
    ------
    InputError
        Which question is refused, and why.
    """
    names, questions = short_names([text for _, text, _ in draft]), []
    for (number, text, choices), name in zip(draft, names):
        try:
            questions.append(Question(name, text, tuple(clean(one) for one in choices.split("/"))))
        except InputError as error:
            raise InputError(words.classroom.question_incomplete(number, str(error))) from error
    return Survey(title, tuple(questions), epsilon)


def short_names(texts: list[str]) -> list[str]:
    """A different short name for every question, of its first words.

    >>> short_names(["Do you sleep less than seven hours in the night?", "Do you sleep less than seven hours"])
    ['Do you sleep less than seven hours in', 'Do you sleep less than seven hours']
    >>> short_names(["Why?", "Why?"])
    ['Why', 'Why 2']
    """
    found: list[str] = []
    for text in texts:
        name, room = "", MOST_NAME - 3
        for word in clean(text).rstrip("?!. ").split():
            if len(f"{name} {word}".strip()) > room:
                break
            name = f"{name} {word}".strip()
        name = name or clean(text)[:room]
        taken = {other.casefold() for other in found}
        tried = (name, *(f"{name} {number}" for number in range(2, MOST_QUESTIONS + 2)))
        found.append(next(one for one in tried if one.casefold() not in taken))
    return found


def _foreseen(survey: Survey, n: int) -> Forecast:
    """The forecast, kept: what it says depends on sizes and epsilon, not on texts."""
    sizes = survey.domain.sizes
    return cached.kept("class forecast", (sizes, survey.epsilon, n), lambda: forecast(survey, n))


def _forecast(survey: Survey, n: int) -> None:
    said, found = words.classroom, _foreseen(survey, n)
    st.markdown(f"**{said.FORECAST}**")
    st.html(
        f'<p class="calm-class-number"><b>{said.half_width(found.half_width)}</b> {said.POINTS_UNIT}</p>'
    )
    st.markdown(said.learns(n, survey.d, survey.epsilon, found.half_width, found.verdict))
    if found.offers_more:
        three = _foreseen(Survey(survey.title, survey.questions, 3.0), n)
        st.markdown(said.three_instead(three.half_width, found.half_width))
        st.button(said.USE_THREE, key="class_three", on_click=_use_three, type="tertiary")
    cells = max(2, round(2**found.l)) if set(survey.domain.sizes) == {2} else 0
    told = [said.plan(found.m, found.l, survey.d), said.source(found.source == "measured")]
    st.caption(" ".join(told))
    if cells:
        st.caption(said.unchanged(survey.epsilon, cells))
    st.caption(said.LINKS_RIGHT)


def _use_three() -> None:
    st.session_state["class_epsilon"] = 3.0


def _make(expected: int, most: int) -> None:
    """Make the survey, or say what is missing."""
    try:
        survey = _survey(
            _complete(), st.session_state["class_epsilon"], st.session_state["class_title"]
        )
        held.made(store().create(survey, expected=expected, capacity=most))
    except UserError as error:
        notices.refuse(error)
