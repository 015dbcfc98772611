"""The results of a closed survey: shares, links, precision, the lesson, and what can be done next."""

from functools import partial

import numpy as np
import streamlit as st

from calm_core.classroom.export import export_zip
from calm_core.classroom.forecast import forecast_survey, rehearse
from calm_core.classroom.results import (
    Results,
    compare_hand_count,
    sample_population,
    simulate_larger_class,
)
from calm_core.classroom.survey import MAX_PHONES, Survey
from calm_core.classroom.teacher import Progress, TeacherControls
from calm_core.errors import UserError
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.table import make_table
from calm_core.randomness import stream
from pages import words
from pages.panels.classroom import open_survey, start, wall
from pages.panels.classroom.open_survey import OpenSurvey, find_results
from pages.ui import cached_calls, display, downloads, frame, navigation, opened_collections, state
from pages.ui.error_boundary import show_errors
from pages.ui.result_cache import forget_results
from pages.ui.uploads import Source
from pages.words import numbers

SAID = words.classroom_results
# Sizes of the simulated larger classes, one a column.
LARGER_CLASSES, INVENTED_PEOPLE = (400, 4000), 10_000


def show_results(survey: OpenSurvey, progress: Progress) -> None:
    """Show the chosen view of a closed survey: the steps of the wall, or what else there is."""
    view, lecture = navigation.current_view(SAID.VIEWS), frame.is_lecture()
    navigation.show_views(SAID.VIEWS)
    if not lecture:
        st.caption(display.sentence(words.classroom.title_line(progress.title, progress.code)))
        start.choose_other_survey(survey)
    if view == "":
        wall.show_wall(survey, progress)
        return
    pooled = wall.choose_classes(survey)
    results = find_results(survey.view, progress, pooled=pooled)
    if view == "next":
        frame.set_title(wall.wall_title(progress))
        show_next_steps(survey, progress, results, pooled)
    elif results is None:
        frame.set_title(SAID.FEW_TITLE)
        st.markdown(SAID.too_few(reports=progress.reports))
    elif view == "sure":
        show_precision(results, progress)
    else:
        wall.show_lesson(results)


def show_precision(results: Results, progress: Progress) -> None:
    """Show the width of the intervals beside the predicted one, and three ways to see what it means."""
    survey, n = results.report_counts.survey, results.report_counts.n
    width = mean_half_width(results)
    frame.set_title(SAID.precision_title(width=width))
    st.markdown(SAID.precision(width, n))
    # Several classes together may be larger than any forecast.
    if n <= MAX_PHONES:
        expected = forecast_survey(survey, n).half_width
        st.markdown(SAID.compare_predicted(width=expected, came=width, n=n))
    st.caption(SAID.SURE_LEAD)
    if frame.is_lecture():
        return
    with frame.drawer(SAID.MORE, key="class_more"):
        st.caption(SAID.MORE_LEAD)
        with show_errors(stop=False):
            _show_larger_classes(results, progress)
    with frame.drawer(SAID.HANDS, key="class_hands"):
        st.caption(SAID.HANDS_LEAD)
        _show_hand_count(results)
    with frame.drawer(SAID.REHEARSAL, key="class_rehearsal"):
        st.caption(SAID.REHEARSAL_LEAD)
        with show_errors(stop=False):
            _show_rehearsal(survey, n)


def _show_rehearsal(survey: Survey, n: int) -> None:
    """Simulate another class of this size at every press."""
    played = st.session_state.get("class_played", 0)
    press = partial(st.session_state.update, class_played=played + 1)
    st.button(SAID.REHEARSE, key="class_play", on_click=press)
    if played:
        score = cached_calls.get_result(
            "class rehearsal", (survey.domain.sizes, survey.epsilon, n, played),
            lambda: rehearse(survey, n, rng=stream(played, "rehearsal")),
        )  # fmt: skip
        expected = forecast_survey(survey, n).half_width
        st.markdown(
            SAID.rehearsal_result(
                predicted=expected,
                came=score.half_width,
                error=score.error,
                held=numbers.percent(score.coverage, 0),
            )
        )


def mean_half_width(results: Results) -> float:
    """Return the mean half-width of the intervals of all questions."""
    tables = [results.share(question.name) for question in results.report_counts.survey.questions]
    widths = [table.half_width for table in tables if table is not None]
    return sum(widths) / len(widths)


def _show_larger_classes(results: Results, progress: Progress) -> None:
    """Show the shares of simulated larger classes in columns beside those of the class."""
    key = (progress.code, progress.version, results.report_counts.n, results.report_counts.classes)
    bigger = [
        cached_calls.get_result(
            "class more", (*key, n), partial(simulate_larger_class, results, n, rng=stream(1, "more", n))
        )
        for n in LARGER_CLASSES
    ]  # fmt: skip
    counts = results.report_counts
    columns = [
        SAID.this_class(counts.n, counts.classes),
        *(SAID.invented(n=n) for n in LARGER_CLASSES),
    ]
    questions = wall.build_questions([results, *bigger], wall.CORRECTED, counts.survey.questions)
    wall.draw_wall(questions=questions, columns=columns, key="class_more_wall")


def _show_hand_count(results: Results) -> None:
    """Compare hands counted in public with the interval."""
    questions = {question.name: question for question in results.report_counts.survey.questions}
    titles = {name: question.text for name, question in questions.items()}
    name = st.selectbox(
        SAID.HANDS_QUESTION, list(titles), format_func=titles.__getitem__, key="class_hands_of"
    )
    choices = questions[name].choices
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice = st.selectbox(
            SAID.HANDS_CHOICE, range(len(choices)), len(choices) - 1, format_func=choices.__getitem__,
            key=f"class_hands_choice_{name}",
        )  # fmt: skip
        n = results.report_counts.n
        max_people = max(MAX_PHONES, n)
        hands = st.number_input(SAID.HANDS_UP, 0, max_people, None, key="class_hands_up")
        people = st.number_input(SAID.HANDS_PEOPLE, 1, max_people, n, key="class_hands_people")
    if hands is None:
        return
    try:
        interval = compare_hand_count(results, name, choice, hands, people)
    except UserError as error:
        st.error(state.to_sentence(error))
        return
    st.markdown(display.sentence(SAID.compare_hand_count(*interval)))


def show_next_steps(
    survey: OpenSurvey, progress: Progress, results: Results | None, pooled: bool
) -> None:
    """Show what can be done with a closed survey, a row each."""
    teacher = survey.teacher
    assert teacher is not None  # results are the teacher's
    _show_save(teacher, pooled)
    with _row("again", SAID.AGAIN_LEAD):
        st.button(SAID.AGAIN, key="class_again", on_click=_run_again, args=(survey, teacher))
    if results is not None:
        with _row("open", SAID.OPEN_COLLECTION_LEAD):
            press = partial(_open_as_collection, results, progress)
            st.button(SAID.OPEN_COLLECTION, key="class_collection", on_click=press)
        with _row("invent", SAID.INVENT_LEAD):
            press = partial(_use_invented, results, progress)
            st.button(SAID.INVENT, key="class_invent", on_click=press)
    with _row("put", words.classroom.LEAVE_HELP):
        st.button(words.classroom.LEAVE, key="class_leave", on_click=open_survey.leave)
    with _row("delete", SAID.DELETE_LEAD):
        show_delete_button(survey, teacher)


def _show_save(teacher: TeacherControls, pooled: bool) -> None:
    """Show the download of the reports of this class, or of all classes where they are pooled."""
    counts = teacher.pooled_counts() if pooled else teacher.report_counts()
    with _row("save", SAID.saves_classes(counts.classes)):
        downloads.show_download(
            SAID.EXPORT, lambda: export_zip(counts, rng=np.random.default_rng()),
            SAID.export_file(teacher.code, counts.classes), "application/zip", key="class_save", type="primary",
        )  # fmt: skip


def show_delete_button(survey: OpenSurvey, teacher: TeacherControls) -> None:
    """Show the button that deletes a survey, after a confirmation."""
    with st.popover(SAID.DELETE, key="class_delete"):
        st.markdown(f"**{SAID.DELETE_SURE}** {SAID.DELETE_LEAD}")
        press = partial(_delete, survey, teacher)
        st.button(SAID.DELETE_YES, type="primary", key="class_delete_yes", on_click=press)


def _row(name: str, text: str):
    """Draw a row with a description; return the column of its button."""
    with st.container(key=f"class_do_{name}"):
        button, beside = st.columns([3, 7], vertical_alignment="center")
        beside.caption(text)
    return button


def _run_again(survey: OpenSurvey, teacher: TeacherControls) -> None:
    if not open_survey.is_first_press(survey):
        return
    with open_survey.teacher_action():
        open_survey.switch_to(OpenSurvey(teacher.run_again(), survey.key))
        st.session_state["class_said"] = SAID.AGAIN_MADE


def _open_as_collection(results: Results, progress: Progress) -> None:
    """Callback: open the reports of this survey as a collection."""
    with state.show_user_errors():
        name = SAID.collection_name(progress.title, progress.code, results.report_counts.classes)
        opened_collections.open_state(results.report_counts.state, name)


def invented_source(results: Results) -> Source:
    """Return invented people as a table, with the columns of the survey.

    The import would lose answers that nobody gave, their order and the texts of the questions, and refuse a
    column with a single value.
    """
    people = sample_population(results, INVENTED_PEOPLE, rng=np.random.default_rng())
    domain = results.report_counts.survey.domain
    # Questions may share a text, columns no title.
    texts = tuple(map(domain.title_of, domain.names))
    titles = texts if len(set(texts)) == domain.d else domain.names
    values, columns = {}, []
    for name, title, codes in zip(domain.names, titles, people.codes.T):
        labels = domain.labels_of(name)
        values[name] = [labels[code] for code in codes.tolist()]
        counts = np.bincount(codes, minlength=len(labels))
        column = ColumnSchema(
            name, "yes/no" if len(labels) == 2 else "category", n_values=int(np.count_nonzero(counts)), title=title,
            labels=labels, values=labels, counts=tuple(counts.tolist()), groups=tuple(range(len(labels))),
        )  # fmt: skip
        columns.append(column)
    return Source(make_table(values), Schema(tuple(columns)))


def _use_invented(results: Results, progress: Progress) -> None:
    """Callback: use invented people like this class as the data of the Lab."""
    with state.show_user_errors():
        file = words.data.INVENTED_FILE.format(title=progress.title)
        if state.use_source(cached_calls.keep_made(file, invented_source(results))):
            navigation.go("data")


def _delete(survey: OpenSurvey, teacher: TeacherControls) -> None:
    """Callback: delete the survey, and show another one of the same key if there is one."""
    with state.show_user_errors():
        other_codes = [code for code in teacher.codes if code != teacher.code]
        teacher.delete()
        forget_results(teacher.code)
        open_survey.leave()
        if other_codes:
            open_survey.open_with_key(survey.key, other_codes[0])
        st.session_state["class_said"] = SAID.DELETED
