"""A new survey: questions, privacy, and beside them what such a class can learn."""

import hmac
import os
import time
from dataclasses import dataclass
from threading import Lock

import streamlit as st

from calm_core.classroom.forecast import (
    MEASURED,
    Forecast,
    count_simulated_classes,
    forecast_survey,
)
from calm_core.classroom.survey import (
    DEFAULT_CLASS_SIZE,
    DEFAULT_EPSILON,
    DEFAULT_QUESTIONS,
    LANGUAGES,
    MAX_NAME,
    MAX_PHONES,
    MAX_QUESTIONS,
    MIN_QUESTIONS,
    Question,
    Survey,
    clean_text,
)
from calm_core.classroom.templates import load_template, template_names
from calm_core.errors import InputError, UserError
from pages import words
from pages.panels.classroom import held
from pages.panels.classroom.store_instance import store
from pages.ui import cached, notices

EPSILONS = (1.0, 2.0, 3.0, 4.0)
MIN_CLASS = 2
_WRONG = Lock()
# What stands in the form, under keys that a new template makes new.
DRAFT, EDITION = "class_draft", "class_edition"


@dataclass(frozen=True)
class Typed:
    """A question of the form: its text and its answers as typed; the short name a template gave that text."""

    text: str
    choices: str
    name: str = ""


def _draft() -> list[Typed]:
    """The questions of the form; at first those of the first template."""
    if DRAFT not in st.session_state:
        _fill(load_template(template_names()[0], language()))
    return st.session_state[DRAFT]


def _begin(questions: list[Typed]) -> None:
    st.session_state[DRAFT] = questions
    st.session_state[EDITION] = st.session_state.get(EDITION, 0) + 1


def _fill(survey: Survey) -> None:
    st.session_state["class_title"] = survey.title
    _begin([Typed(one.text, " / ".join(one.choices), one.name) for one in survey.questions])


def _key(kind: str, at: int) -> str:
    return f"class_{kind}_{st.session_state[EDITION]}_{at}"


def _typed(at: int) -> None:
    """A question or its answers were typed."""
    draft, text = list(_draft()), st.session_state[_key("text", at)]
    name = draft[at].name if text == draft[at].text else ""
    draft[at] = Typed(text, st.session_state[_key("choices", at)], name)
    st.session_state[DRAFT] = draft


def _add() -> None:
    _begin([*_draft(), _empty()])


def _empty() -> Typed:
    return Typed("", words.classroom.YES_NO[language()])


def _remove(at: int) -> None:
    draft = _draft()
    _begin([*draft[:at], *draft[at + 1 :]])


def _begin_with() -> None:
    """A template was chosen, or own questions."""
    name = st.session_state["class_template"]
    if name:
        _fill(load_template(name, language()))
    else:
        st.session_state["class_title"] = ""
        _begin([_empty()] * DEFAULT_QUESTIONS)


def speak() -> None:
    """Another language: a template is told in it; own questions stay as they are."""
    if st.session_state.get("class_template"):
        _begin_with()


def language() -> str:
    """The language chosen; at first the browser's, where there are templates in it."""
    if "class_language" not in st.session_state:
        locale = (st.context.locale or "")[:2].lower()
        st.session_state["class_language"] = locale if locale in LANGUAGES else LANGUAGES[0]
    return st.session_state["class_language"]


def show() -> None:
    """The form and the forecast."""
    if not allowed():
        return
    if store().temporary:
        st.warning(words.classroom.TEMPORARY, icon=":material/warning:")
    form, beside = st.columns([7, 4], gap="large")
    with form:
        _form()
        _ways_on()
    with beside, st.container(key="class_forecast"):
        _beside()


def allowed() -> bool:
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
    said, spoken, draft = words.classroom, language(), _draft()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = {name: load_template(name, spoken).title for name in template_names()} | {
            "": said.OWN
        }
        st.selectbox(
            said.TEMPLATE, list(titles), format_func=titles.__getitem__, key="class_template", on_change=_begin_with,
            persist_state="session",
        )  # fmt: skip
        st.selectbox(
            said.LANGUAGE, LANGUAGES, format_func=said.LANGUAGES.__getitem__, key="class_language", on_change=speak,
            persist_state="session", width=200,
        )  # fmt: skip
    st.text_input(
        said.SURVEY_TITLE, key="class_title", placeholder=said.SURVEY_TITLE_HINT, persist_state="session",
        autocomplete="off",
    )  # fmt: skip
    for at, typed in enumerate(draft):
        _question(at, typed, removable=len(draft) > MIN_QUESTIONS)


def _ways_on() -> None:
    """One question more, or the survey as it is; and who may join it."""
    said, expected = words.classroom, st.session_state.get("class_size", DEFAULT_CLASS_SIZE)
    with st.container(horizontal=True, key="class_ways_on"):
        if len(_draft()) < MAX_QUESTIONS:
            st.button(said.ADD, key="class_add", icon=":material/add:", on_click=_add)
        st.button(said.MAKE, type="primary", key="class_make", on_click=_make)
    with st.expander(said.MORE, key="class_who"):
        st.number_input(
            said.CAPACITY, expected, MAX_PHONES, min(2 * expected, MAX_PHONES), key=f"class_most_{expected}",
            help=said.CAPACITY_HELP,
        )  # fmt: skip


def _question(at: int, typed: Typed, *, removable: bool) -> None:
    """The two fields of a question, and the cross that takes it away.

    Without `max_chars`, here and for the title: the browser would drop what is longer without a word.
    """
    said = words.classroom
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="small", key=f"class_asked_{at}"
    ):
        st.text_input(
            said.question(at + 1), typed.text, key=_key("text", at), on_change=_typed, args=(at,),
            placeholder=said.QUESTION_HINT, autocomplete="off",
        )  # fmt: skip
        st.text_input(
            said.CHOICES, typed.choices, key=_key("choices", at), on_change=_typed, args=(at,), width=250,
            autocomplete="off",
        )  # fmt: skip
        if removable:
            st.button(
                said.remove(at + 1), key=_key("remove", at), icon=":material/close:", type="tertiary", on_click=_remove,
                args=(at,),
            )  # fmt: skip


def _beside() -> None:
    """Class size, privacy, and the forecast that follows them."""
    said = words.classroom
    if "class_epsilon" not in st.session_state:
        st.session_state["class_epsilon"] = DEFAULT_EPSILON
    expected = st.number_input(
        said.CLASS_SIZE, MIN_CLASS, MAX_PHONES, DEFAULT_CLASS_SIZE, key="class_size", help=said.CLASS_SIZE_HELP,
        persist_state="session",
    )  # fmt: skip
    epsilon = st.selectbox(
        said.PROTECTION, EPSILONS, format_func=said.protection, key="class_epsilon", help=said.PROTECTION_HELP,
        persist_state="session",
    )  # fmt: skip
    try:
        _forecast(_survey(_complete(), epsilon, title=said.OWN), expected)
    except UserError as error:
        st.markdown(said.NOT_COMPLETE if len(_complete()) < 2 else notices.as_sentence(error))


def _complete() -> list[tuple[int, Typed]]:
    """Questions that have a text, with their numbers in the form."""
    return [(at, typed) for at, typed in enumerate(_draft(), start=1) if clean_text(typed.text)]


def _survey(draft: list[tuple[int, Typed]], epsilon: float, title: str) -> Survey:
    """The survey of the form.

    Raises
    ------
    InputError
        Which question is refused, and why.
    """
    names, questions = short_names([typed.name or typed.text for _, typed in draft]), []
    for (number, typed), name in zip(draft, names):
        choices = tuple(clean_text(one) for one in typed.choices.split("/"))
        try:
            questions.append(Question(name, typed.text, choices))
        except InputError as error:
            raise InputError(words.classroom.question_incomplete(number, str(error))) from error
    return Survey(title, tuple(questions), epsilon, language())


def short_names(texts: list[str]) -> list[str]:
    """A different short name for every question, of its first words.

    >>> short_names(["Do you sleep less than seven hours in the night?", "Do you sleep less than seven hours"])
    ['Do you sleep less than seven hours in', 'Do you sleep less than seven hours']
    >>> short_names(["Why?", "Why?"])
    ['Why', 'Why 2']
    """
    found: list[str] = []
    for text in texts:
        name, room = "", MAX_NAME - 3
        for word in clean_text(text).rstrip("?!. ").split():
            if len(f"{name} {word}".strip()) > room:
                break
            name = f"{name} {word}".strip()
        name = name or clean_text(text)[:room]
        taken = {other.casefold() for other in found}
        tried = (name, *(f"{name} {number}" for number in range(2, MAX_QUESTIONS + 2)))
        found.append(next(one for one in tried if one.casefold() not in taken))
    return found


def foreseen(survey: Survey, n: int) -> Forecast:
    """The forecast, kept: what it says depends on sizes and epsilon, not on texts."""
    sizes = survey.domain.sizes
    return cached.get_result(
        "class forecast", (sizes, survey.epsilon, n), lambda: forecast_survey(survey, n)
    )


def _forecast(survey: Survey, n: int) -> None:
    said, found = words.classroom, foreseen(survey, n)
    if set(survey.domain.sizes) == {2}:
        st.caption(said.unchanged(survey.epsilon, 2**found.l))
    st.html(
        f'<p class="calm-class-number"><b>{said.half_width(found.half_width)}</b> {said.POINTS_UNIT}</p>'
    )
    st.markdown(said.learns(n, survey.d, survey.epsilon, found.half_width, found.verdict))
    if found.offers_more:
        three = foreseen(Survey(survey.title, survey.questions, 3.0), n)
        told, button = st.columns([3, 2], vertical_alignment="center")
        told.caption(said.three_instead(three.half_width, found.half_width))
        button.button(said.USE_THREE, key="class_three", on_click=_use_three)
    st.caption(said.plan(found.m, found.l, survey.d))
    st.caption(
        f"{said.source(found.source == MEASURED, count_simulated_classes(found.d))} {said.LINKS_RIGHT}"
    )


def _use_three() -> None:
    st.session_state["class_epsilon"] = 3.0


def _make() -> None:
    """Make the survey, or say what is missing."""
    if not held.first_press(None):
        return
    told = st.session_state
    expected = told["class_size"]
    with notices.show_user_errors():
        complete = dict(_complete())
        for number in range(1, len(_draft()) + 1):
            if len(complete) >= MIN_QUESTIONS and number not in complete:
                raise InputError(words.classroom.question_empty(number))
        survey = _survey([*complete.items()], told["class_epsilon"], told["class_title"])
        most = told.get(f"class_most_{expected}", min(2 * expected, MAX_PHONES))
        held.made(store().create(survey, expected=expected, capacity=most))
