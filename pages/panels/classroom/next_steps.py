"""What can be done with a closed survey: save, look further, ask again, invent people, delete."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import streamlit as st

from calm_core.classroom.counts import ReportCounts
from calm_core.classroom.export import export_classes, read_classes
from calm_core.classroom.projector import Progress, SurveyDeleted
from calm_core.classroom.results import Results, sample_population
from calm_core.classroom.teacher import TeacherControls
from calm_core.ingest import LIMITS, ColumnSchema, Schema
from calm_core.ingest.table import make_table
from pages import words
from pages.panels.classroom import held
from pages.panels.classroom.held import Held
from pages.panels.classroom.live import PICTURES
from pages.ui import cached, notices, opened, state, view_state
from pages.ui.uploads.session_store import Source

SAID = words.classroom_results
PEOPLE = 10_000


def show(shown: Held, progress: Progress, found: Results | None) -> None:
    """A row for everything, with what it does in a sentence."""
    desk = shown.desk
    assert desk is not None  # results are the teacher's
    _save(desk)
    with _row("again", SAID.AGAIN_LEAD):
        st.button(SAID.AGAIN, key="class_again", on_click=_again, args=(shown, desk))
    with _row("add", SAID.ADD_LEAD), st.popover(SAID.ADD, key="class_add_saved"):
        st.file_uploader(
            words.classroom.FILE, type=["zip"], key="class_add_file", on_change=_add, args=(desk,),
            max_upload_size=LIMITS.upload_bytes >> 20,
        )  # fmt: skip
    if found is not None:
        with _row("open", SAID.OPEN_COLLECTION_LEAD):
            st.button(
                SAID.OPEN_COLLECTION, key="class_collection", on_click=_open, args=(found, progress)
            )
        with _row("invent", SAID.INVENT_LEAD):
            st.button(SAID.INVENT, key="class_invent", on_click=_invent, args=(found, progress))
    with _row("put", words.classroom.LEAVE_HELP):
        st.button(words.classroom.LEAVE, key="class_leave", on_click=held.put_away)
    with _row("delete", SAID.DELETE_LEAD):
        delete(shown, desk)


def _save(desk: TeacherControls) -> None:
    """All classes in one file; where there are several, this one alone too."""
    classes = len(desk.classes)
    with _row("save", SAID.saves(classes)):
        _download(
            desk.saved,
            SAID.EXPORT,
            SAID.export_file(desk.code, classes),
            key="class_save",
            type="primary",
        )
    if classes > 1:
        with _row("save_one", SAID.saves_one(desk.code)):
            _download(
                lambda: (desk.collected(),), SAID.EXPORT_ONE, SAID.export_file(desk.code, 1), key="class_save_one"
            )  # fmt: skip


def _download(
    saved: Callable[[], tuple[ReportCounts, ...]], label: str, file: str, *, key: str, type: Literal["primary", "secondary"] = "secondary"
) -> None:  # fmt: skip
    """What has come in by the time of the press; what is on screen where it was deleted meanwhile."""
    drawn = saved()

    def content() -> bytes:
        try:
            now = saved()
        except SurveyDeleted:
            now = drawn
        return export_classes(now, rng=np.random.default_rng())

    st.download_button(
        label, content, file, "application/zip", icon=":material/download:", on_click="ignore", key=key, type=type
    )  # fmt: skip


def _add(desk: TeacherControls) -> None:
    """A class that was saved is pooled with this one from now on."""
    sent = st.session_state.get("class_add_file")
    if sent is None:
        return
    with held.wished():
        found = read_classes(sent.getvalue(), f"the file {sent.name:.200}")
        desk.add(*found)
        st.session_state["class_said"] = SAID.added(len(desk.classes))
        st.session_state["class_all"] = True


def delete(shown: Held, desk: TeacherControls) -> None:
    """The button that deletes a survey for good, once it is pressed and meant."""
    with st.popover(SAID.DELETE, key="class_delete"):
        st.markdown(f"**{SAID.DELETE_SURE}** {SAID.DELETE_LEAD}")
        st.button(
            SAID.DELETE_YES,
            type="primary",
            key="class_delete_yes",
            on_click=_delete,
            args=(shown, desk),
        )


def _row(name: str, told: str):
    """A button and, beside it, what it does; gives the place of the button."""
    with st.container(key=f"class_do_{name}"):
        button, text = st.columns([3, 7], vertical_alignment="center")
        text.caption(told)
    return button


def _again(shown: Held, desk: TeacherControls) -> None:
    if not held.first_press(shown):
        return
    with held.wished():
        held.show(Held(desk.again(), shown.key))
        st.session_state["class_said"] = SAID.AGAIN_MADE


def _open(found: Results, progress: Progress) -> None:
    """The page "Open a collection" with the reports of this survey."""
    with notices.show_user_errors():
        name = SAID.collection(progress.title, progress.code, found.collected.classes)
        opened.show(found.collected.state, name)


def invented(found: Results) -> Source:
    """The invented people as a table, and its columns as the survey has them: nothing of them is found out anew.

    Answers that nobody of them gave, their order and the texts of the questions would be lost, and a column in which
    all are alike refused.
    """
    people = sample_population(found, PEOPLE, rng=np.random.default_rng())
    domain = found.collected.survey.domain
    labels = [domain.labels_of(name) for name in domain.names]
    table = make_table(
        {
            name: [called[code] for code in codes]
            for name, called, codes in zip(domain.names, labels, people.codes.T.tolist())
        }
    )
    # Questions may share a text, columns no title.
    texts = tuple(map(domain.title_of, domain.names))
    titles = texts if len(set(texts)) == domain.d else domain.names
    columns = (
        _column(name, title, called, codes)
        for name, title, called, codes in zip(domain.names, titles, labels, people.codes.T)
    )
    return Source(table, Schema(tuple(columns)))


def _column(name: str, title: str, labels: tuple[str, ...], codes: np.ndarray) -> ColumnSchema:
    counts = np.bincount(codes, minlength=len(labels))
    kind = "yes/no" if len(labels) == 2 else "category"
    return ColumnSchema(
        name, kind, n_values=int(np.count_nonzero(counts)), title=title, labels=labels, values=labels,
        counts=tuple(counts.tolist()), groups=tuple(range(len(labels))),
    )  # fmt: skip


def _invent(found: Results, progress: Progress) -> None:
    """The Lab's data are people like this class from now on."""
    with notices.show_user_errors():
        file = SAID.INVENTED_FILE.format(title=progress.title)
        if state.use_source(cached.keep_made(file, invented(found))):
            view_state.go("data")


def _delete(shown: Held, desk: TeacherControls) -> None:
    with notices.show_user_errors():
        desk.delete()
        PICTURES.forget(desk.code)
        held.let_go(shown)
        st.session_state["class_said"] = SAID.DELETED
