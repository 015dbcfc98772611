"""Ways to a survey: make a new one, come back with a key, show a wall, restore a saved one."""

import hmac
import os
import time
from collections.abc import Iterable
from functools import partial
from threading import Lock

import streamlit as st
from streamlit.typing import UploadedFile

from calm_core.classroom.export import read_zip
from calm_core.classroom.forecast import MEASURED, count_simulated_classes, forecast_survey
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
    load_template,
    template_names,
)
from calm_core.errors import InputError, UserError
from calm_core.runtime.installation import is_space
from pages import words
from pages.panels.classroom import address, open_survey
from pages.panels.classroom.open_survey import OpenSurvey, get_store
from pages.ui import display, downloads, frame, navigation, state, widgets
from pages.words import languages, numbers

SAID = words.classroom

EPSILONS = (1.0, 2.0, 3.0, 4.0)
MIN_CLASS = 2
_PASSWORD_LOCK = Lock()
# Numbers of the questions of the form, which are in the keys of their fields; short names that a template gave.
FIELDS, NAMES = "class_fields", "class_names"
TEXT, CHOICES = "class_text_{}", "class_answers_{}"


def _question_fields() -> list[int]:
    """Return the numbers of the questions of the form, at first those of the first template."""
    if FIELDS not in st.session_state:
        _fill_from(load_template(template_names()[0], current_language()))
    return st.session_state[FIELDS]


def _fill_from(survey: Survey) -> None:
    st.session_state["class_title"] = survey.title
    st.session_state[NAMES] = {one.text: one.name for one in survey.questions}
    _replace_questions((one.text, " / ".join(one.choices)) for one in survey.questions)


def _replace_questions(questions: Iterable[tuple[str, str]]) -> None:
    # Fields are never used again: the browser may still have what was in them.
    st.session_state[FIELDS] = []
    for question in questions:
        _add_question(*question)


def _add_question(text: str = "", choices: str = "") -> None:
    field = st.session_state["class_last_field"] = st.session_state.get("class_last_field", 0) + 1
    st.session_state[TEXT.format(field)] = text
    st.session_state[CHOICES.format(field)] = choices or SAID.yes_no(current_language())
    st.session_state[FIELDS] = [*st.session_state[FIELDS], field]


def _remove_question(field: int) -> None:
    st.session_state[FIELDS] = [one for one in st.session_state[FIELDS] if one != field]


def _use_template() -> None:
    """Callback: fill the form from the chosen template, or empty it."""
    name = st.session_state["class_template"]
    if name:
        _fill_from(load_template(name, current_language()))
    else:
        st.session_state["class_title"] = ""
        _replace_questions([("", "")] * DEFAULT_QUESTIONS)


def _change_language() -> None:
    """Callback: translate a template; the teacher's own questions stay as they are."""
    if st.session_state.get("class_template"):
        _use_template()


def current_language() -> str:
    """Return the chosen language, at first that of the page."""
    return st.session_state.setdefault("class_language", languages.current_language())


def choose_language(label: str) -> str:
    """Let the teacher choose the language of what phones show or what is printed."""
    current_language()
    return st.selectbox(
        label, LANGUAGES, format_func=languages.LANGUAGES.__getitem__, key="class_language",
        on_change=_change_language, persist_state="session", width=200,
    )  # fmt: skip


def show_form() -> None:
    """Show the form of a new survey and the forecast."""
    if not check_password():
        return
    if get_store().temporary:
        st.warning(SAID.TEMPORARY, icon=":material/warning:")
    elif is_space() and "CALM_CLASSROOM" not in os.environ:
        st.warning(SAID.ON_SPACE, icon=":material/warning:")
    form, beside = st.columns([7, 4], gap="large")
    with form:
        _show_questions()
        _show_form_actions()
    with beside, st.container(key="class_forecast"):
        _show_forecast_inputs()


def show_invitation() -> None:
    """Show who uses local privacy, and a button that opens a survey for everybody in the room."""
    frame.show_number(SAID.LECTURE_NUMBER)
    rows = "".join(
        f"<tr><th scope=row>{year}</th><td>{text}</td></tr>" for year, text in SAID.LECTURE_USERS
    )
    st.html(f'<table class="calm-adopters">{rows}</table>')
    if wanted_password():
        st.markdown(SAID.LECTURE_EMPTY)
    else:
        st.button(
            SAID.LECTURE_JOIN,
            type="primary",
            key="class_invite",
            icon=":material/qr_code:",
            on_click=_create_from_template,
        )


def _create_from_template() -> None:
    """Callback: open the lobby of a new survey with the questions of the first template."""
    if open_survey.is_first_press(None):
        with state.show_user_errors():
            survey = load_template(template_names()[0], current_language())
            open_survey.open_created(get_store().create(survey, expected=DEFAULT_CLASS_SIZE))


def wanted_password() -> str:
    """Return the password that this visitor has still to give before a survey can be made, or ""."""
    return (
        "" if st.session_state.get("class_allowed") else os.environ.get("CALM_TEACHER_PASSWORD", "")
    )


def check_password() -> bool:
    """Whether this visitor may create surveys; asks for the password of the server if it has one."""
    password = wanted_password()
    if not password:
        return True
    with st.form("class_password_form", width=480):
        st.markdown(SAID.PASSWORD_WHY)
        label, autocomplete = SAID.PASSWORD, "current-password"
        st.text_input(label, type="password", key="class_password", autocomplete=autocomplete)
        press = partial(_try_password, password)
        st.form_submit_button(SAID.GO_ON, key="class_password_go", on_click=press)
    return False


def _try_password(password: str) -> None:
    typed = st.session_state["class_password"]
    with state.show_user_errors():
        if not hmac.compare_digest(typed.encode(), password.encode()):
            # At most five tries a second of all visitors together.
            with _PASSWORD_LOCK:
                time.sleep(0.2)
            raise InputError(SAID.PASSWORD_WRONG)
        st.session_state["class_allowed"] = True


def _show_questions() -> None:
    spoken, fields = current_language(), _question_fields()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = {name: load_template(name, spoken).title for name in template_names()}
        titles[""] = SAID.OWN
        st.selectbox(
            SAID.TEMPLATE, list(titles), format_func=titles.__getitem__, key="class_template", on_change=_use_template,
            persist_state="session",
        )  # fmt: skip
        choose_language(SAID.LANGUAGE)
    st.text_input(
        SAID.SURVEY_TITLE, key="class_title", placeholder=SAID.SURVEY_TITLE_HINT, persist_state="session",
        autocomplete="off",
    )  # fmt: skip
    for number, field in enumerate(fields, start=1):
        _show_question(number, field, removable=len(fields) > MIN_QUESTIONS)


def _show_form_actions() -> None:
    """Show the buttons to add a question and to create the survey."""
    with st.container(horizontal=True, key="class_ways_on"):
        if len(_question_fields()) < MAX_QUESTIONS:
            st.button(SAID.ADD, key="class_add", icon=":material/add:", on_click=_add_question)
        st.button(SAID.MAKE, type="primary", key="class_make", on_click=_create)


def _show_question(number: int, field: int, *, removable: bool) -> None:
    """Show the two fields of a question and the button that removes it.

    Without `max_chars`, because the browser would cut a longer text silently.
    """
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="small", key=f"class_asked_{number}"
    ):
        st.text_input(
            SAID.question(number=number), key=TEXT.format(field), placeholder=SAID.QUESTION_HINT, autocomplete="off",
            persist_state="session",
        )  # fmt: skip
        st.text_input(
            SAID.CHOICES, key=CHOICES.format(field), width=250, autocomplete="off", persist_state="session"
        )  # fmt: skip
        if removable:
            st.button(
                SAID.remove_question(number=number), key=f"class_remove_{field}", icon=":material/close:",
                type="tertiary", on_click=_remove_question, args=(field,),
            )  # fmt: skip


def _show_forecast_inputs() -> None:
    """Show class size, epsilon and the forecast for them."""
    st.session_state.setdefault("class_epsilon", DEFAULT_EPSILON)
    expected = st.number_input(
        SAID.CLASS_SIZE, MIN_CLASS, MAX_PHONES, DEFAULT_CLASS_SIZE, key="class_size", help=SAID.CLASS_SIZE_HELP,
        persist_state="session",
    )  # fmt: skip
    protections = {epsilon: SAID.protection(epsilon) for epsilon in EPSILONS}
    epsilon = st.selectbox(
        SAID.PROTECTION, EPSILONS, format_func=protections.__getitem__, key="class_epsilon", help=SAID.PROTECTION_HELP,
        persist_state="session",
    )  # fmt: skip
    complete = _complete_questions()
    try:
        _show_forecast(_build_survey(complete, epsilon, title=SAID.OWN), expected)
    except UserError as error:
        st.markdown(SAID.NOT_COMPLETE if len(complete) < 2 else state.to_sentence(error))


def _complete_questions() -> dict[int, tuple[str, str]]:
    """Return text and answers of the questions with a text, by their numbers in the form."""
    questions = {}
    for number, field in enumerate(_question_fields(), start=1):
        text, choices = (st.session_state[key.format(field)] for key in (TEXT, CHOICES))
        if clean_text(text):
            questions[number] = text, choices
    return questions


def _build_survey(typed: dict[int, tuple[str, str]], epsilon: float, title: str) -> Survey:
    """Return the survey of the form.

    Raises
    ------
    InputError
        Which question is refused, and why.
    """
    given, questions = st.session_state[NAMES], []
    plain = [
        given.get(text) or clean_text(text).rstrip("?!. ") or text for text, _ in typed.values()
    ]
    names = display.make_distinct(plain, MAX_NAME)
    for (number, (text, answers)), name in zip(typed.items(), names):
        choices = tuple(clean_text(one) for one in answers.split("/"))
        try:
            questions.append(Question(name, text, choices))
        except InputError as error:
            raise InputError(f"question {number}: {error}") from error
    return Survey(title, tuple(questions), epsilon, current_language())


def _show_forecast(survey: Survey, n: int) -> None:
    forecast = forecast_survey(survey, n)
    if set(survey.domain.sizes) == {2}:
        st.caption(SAID.true_report_odds(survey.epsilon, 2**forecast.l))
    width = numbers.points(100 * forecast.half_width, unit=False)
    st.html(f'<p class="calm-class-number"><b>{width}</b> {SAID.POINTS_UNIT}</p>')
    st.markdown(SAID.learns(n, survey.d, survey.epsilon, forecast.half_width))
    if forecast.offers_more:
        three = forecast_survey(Survey(survey.title, survey.questions, 3.0), n)
        advice, button = st.columns([3, 2], vertical_alignment="center")
        advice.caption(
            SAID.with_three(
                strength=SAID.strength(3.0), width=three.half_width, now=forecast.half_width
            )
        )
        press = partial(st.session_state.update, class_epsilon=3.0)
        button.button(SAID.USE_THREE, key="class_three", on_click=press)
    st.caption(SAID.plan(forecast.m, forecast.l, survey.d))
    source = SAID.MEASURED_CLASSES
    if forecast.source != MEASURED:
        source = SAID.simulated_classes(classes=count_simulated_classes(forecast.d))
    st.caption(f"{source} {SAID.LINKS_RIGHT}")


def _create() -> None:
    """Callback: create the survey, or say what is missing."""
    if not open_survey.is_first_press(None):
        return
    typed = st.session_state
    with state.show_user_errors():
        complete = _complete_questions()
        for number in range(1, len(_question_fields()) + 1):
            if len(complete) >= MIN_QUESTIONS and number not in complete:
                raise InputError(SAID.question_empty(number=number))
        survey = _build_survey(complete, typed["class_epsilon"], typed["class_title"])
        open_survey.open_created(get_store().create(survey, expected=typed["class_size"]))


def show_key_form(kind: str) -> None:
    """Show the form that opens a survey with its teacher key ("back"), or a wall with its key ("wall")."""
    lead, label, go = {
        "back": (SAID.BACK_LEAD, SAID.TEACHER_KEY, SAID.OPEN_BACK),
        "wall": (SAID.WALL_LEAD, SAID.WALL_KEY, SAID.OPEN_WALL),
    }[kind]
    st.markdown(lead)
    with st.form(f"class_{kind}", width=480, border=False):
        # A password manager stores the key under the code as its name.
        st.text_input(
            SAID.CODE, navigation.current().survey, key=f"class_{kind}_code", autocomplete="username",
            placeholder=SAID.CODE_HINT,
        )  # fmt: skip
        st.text_input(
            label, key=f"class_{kind}_key", type="password", autocomplete="current-password"
        )
        press = partial(_open_with_key, kind)
        st.form_submit_button(go, type="primary", key=f"class_{kind}_go", on_click=press)


def _open_with_key(kind: str) -> None:
    key, code = (st.session_state[f"class_{kind}_{field}"] for field in ("key", "code"))
    with state.show_user_errors():
        open_survey.open_with_key(key, code, wall=kind == "wall")


def choose_other_survey(survey: OpenSurvey) -> None:
    """Let the teacher switch to another survey of the same key, if there are several."""
    codes = survey.teacher.codes if survey.teacher is not None else ()
    if len(codes) < 2:
        return
    key = f"class_other_{survey.code}"
    st.selectbox(
        SAID.OTHERS, codes, codes.index(survey.code), format_func=SAID.code, key=key,
        on_change=_switch_survey, args=(survey, key), width=260,
    )  # fmt: skip


def _switch_survey(survey: OpenSurvey, key: str) -> None:
    with state.show_user_errors():
        open_survey.open_with_key(survey.key, st.session_state[key])


def show_leave_button() -> None:
    """Show the button that leaves the survey."""
    label, help = SAID.LEAVE, SAID.LEAVE_HELP
    st.button(label, key="class_leave", type="tertiary", on_click=open_survey.leave, help=help)


def show_file_upload() -> None:
    """Show the upload that restores a saved survey."""
    if not check_password():
        return
    st.markdown(SAID.FILE_LEAD)
    widgets.show_upload(SAID.FILE, ["zip"], "class_file", _restore_upload)


def _restore_upload(file: UploadedFile) -> None:
    saved = read_zip(file.getvalue(), f"the file {file.name:.200}")
    open_survey.open_created(get_store().restore(saved))


def show_keys(survey: OpenSurvey, closed: bool) -> None:
    """Show both keys of a new survey, once; `closed` if it was restored from a file."""
    keys, view = survey.keys, survey.view
    assert keys is not None  # the page shows this only while there are keys
    frame.set_title(SAID.KEYS_TITLE)
    st.markdown(SAID.KEYS_LEAD)
    with st.container(key="class_keys", width=760):
        teacher = SAID.TEACHER_KEY, SAID.TEACHER_KEY_FOR, keys.teacher
        for title, why, key in (teacher, (SAID.WALL_KEY, SAID.WALL_KEY_FOR, keys.wall)):
            st.markdown(f"**{title}.** {why}")
            st.code(key, language=None)
        st.markdown(SAID.WALL_LINK)
        link = address.wall_link(view, keys.wall)
        st.code(link, language=None, wrap_lines=True)
        address.warn_if_local(view, "" if closed else SAID.OR_TYPE_NEXT)
        text = SAID.keys_text(view.progress().title, keys.code, keys.teacher, keys.wall, link)
        with st.container(horizontal=True):
            downloads.show_download(
                SAID.SAVE_KEYS, lambda: text, SAID.KEYS_FILE.format(code=keys.code), "text/plain", key="class_save_keys"
            )  # fmt: skip
            on = SAID.ON_TO_RESULTS if closed else SAID.ON_TO_LOBBY
            st.button(on, type="primary", key="class_on", on_click=open_survey.hide_keys)
