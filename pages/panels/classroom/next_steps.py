"""What can be done with a closed survey: save, look further, ask again, invent people, delete."""

import csv
import io

import numpy as np
import streamlit as st

from calm_core.classroom.desk import Desk
from calm_core.classroom.export import export_zip
from calm_core.classroom.results import Results, invent
from calm_core.classroom.wall import Progress
from calm_core.errors import UserError
from pages import words
from pages.panels.classroom import held
from pages.panels.classroom import wall as walls
from pages.panels.classroom.held import Held
from pages.panels.classroom.live import PICTURES
from pages.ui import cached, notices, opened, places, state

SAID = words.classroom_results
PEOPLE = 10_000


def show(shown: Held, progress: Progress) -> None:
    """A row for everything, with what it does in a sentence."""
    desk = shown.desk
    assert desk is not None  # results are the teacher's
    pooled = walls.whose(shown)
    found = PICTURES.get(shown.wall, progress, pooled=pooled)
    with _row("save", SAID.EXPORT_LEAD):
        st.download_button(
            SAID.EXPORT, lambda: export_zip(desk.collected(), rng=np.random.default_rng()),
            SAID.EXPORT_FILE.format(code=progress.code), "application/zip", key="class_save", type="primary",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip
    with _row("again", SAID.AGAIN_LEAD):
        st.button(SAID.AGAIN, key="class_again", on_click=_again, args=(desk, shown.key))
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
        delete(desk)


def delete(desk: Desk) -> None:
    """The button that deletes a survey for good, once it is pressed and meant."""
    with st.popover(SAID.DELETE, key="class_delete"):
        st.markdown(f"**{SAID.DELETE_SURE}** {SAID.DELETE_LEAD}")
        st.button(
            SAID.DELETE_YES, type="primary", key="class_delete_yes", on_click=_delete, args=(desk,)
        )


def _row(name: str, told: str):
    """A button and, beside it, what it does; gives the place of the button."""
    with st.container(key=f"class_do_{name}"):
        button, text = st.columns([3, 7], vertical_alignment="center")
        text.caption(told)
    return button


def _again(desk: Desk, key: str) -> None:
    try:
        held.show(Held(desk.again(), key))
        st.session_state["class_said"] = SAID.AGAIN_MADE
    except UserError as error:
        notices.refuse(error)


def _open(found: Results, progress: Progress) -> None:
    """The page "Open a collection" with the reports of this survey."""
    try:
        opened.show(found.collected.state, f"{progress.title} {progress.code}")
    except UserError as error:
        notices.refuse(error)


def invented_table(found: Results) -> bytes:
    """The invented people as a CSV table, for our own reader only."""
    people = invent(found, PEOPLE, rng=np.random.default_rng())
    questions = found.collected.survey.questions
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow([question.name for question in questions])
    rows.writerows(
        [question.choices[code] for question, code in zip(questions, codes)]
        for codes in people.codes.tolist()
    )
    return text.getvalue().encode()


def _invent(found: Results, progress: Progress) -> None:
    """The Lab's data are people like this class from now on."""
    try:
        file = SAID.INVENTED_FILE.format(title=progress.title)
        digest = cached.keep_upload(file, invented_table(found))
    except UserError as error:
        notices.refuse(error)
        return
    if state.use_source(digest):
        places.go("data")


def _delete(desk: Desk) -> None:
    try:
        desk.delete()
    except UserError as error:
        notices.refuse(error)
        return
    PICTURES.forget(desk.code)
    held.put_away()
    st.session_state["class_said"] = SAID.DELETED
