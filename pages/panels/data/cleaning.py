"""Clean the table: one button, then what was done, each with Undo, and at most three questions."""

from collections.abc import Callable

import streamlit as st

from calm_core.ingest.cleaning_changes import (
    CleaningQuestion,
    answer_cleaning,
    list_changes,
    list_questions,
    undo_change,
)
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import Table
from calm_core.settings import Settings
from pages import words
from pages.panels.data import source
from pages.ui import cached_calls, display, state

SAID = words.data


def show_cleaning(settings: Settings, schema: Schema) -> None:
    """Show the button, or what the cleaning did and asks; samples are clean."""
    if not settings.is_upload or state.is_hidden("columns"):
        return
    with st.container(key="cleaning"):
        _show_header_rows(settings)
        if not settings.schema or not is_cleaned(settings, schema):
            st.button(
                SAID.CLEAN, key="clean", icon=":material/mop:", on_click=clean,
                help=SAID.CLEAN_HELP,
            )  # fmt: skip
            return
        changes = list_changes(schema, cached_calls.detected_schema(settings))
        for key, sentence in changes.items():
            _show_line(sentence, f"undo_{key}", _undo, key)
        for question in get_questions(settings, schema):
            key = f"clean_{settings.schema}_{question.key}"
            st.segmented_control(
                display.sentence(question.sentence), range(len(question.choices)), key=key,
                default=question.taken, format_func=lambda at, q=question: display.markdown(q.choices[at]),
                on_change=_answer, args=(question.key, key), required=True,
            )  # fmt: skip


def get_questions(settings: Settings, schema: Schema) -> tuple[CleaningQuestion, ...]:
    """Return what the cleaning asks."""
    return cached_calls.get_result(
        "asked", (settings.source, settings.schema),
        lambda: list_questions(cached_calls.file_table(settings), schema),
    )  # fmt: skip


def is_cleaned(settings: Settings, schema: Schema) -> bool:
    """Return whether the schema is a cleaned one, perhaps edited since."""
    detected = cached_calls.detected_schema(settings)
    used = {column.name for column in detected.used_columns}
    unused = [column for column in schema.columns if not column.keep and column.reason]
    return bool(schema.steps) or any(column.name in used for column in unused)


def _show_line(sentence: str, key: str, act, *args) -> None:
    """Show what was done, with a button that undoes it."""
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, key=f"line_{key}"):
        st.markdown(display.sentence(sentence))
        st.button(SAID.UNDO, key=key, type="tertiary", on_click=act, args=args)


def _show_header_rows(settings: Settings) -> None:
    """Show that rows were read as a header, with a button that reads them as people."""
    rows = cached_calls.file_table(settings).dialect.header_rows or 1
    if rows > 1 and source.can_read_again():
        _show_line(SAID.header_rows(rows=rows), "undo_header", source.read_one_header_row)


def clean() -> None:
    """Clean the table."""
    with state.show_user_errors():
        cleaned = cached_calls.cleaned_schema(settings := state.current())
        if cleaned == cached_calls.schema(settings):
            st.toast(SAID.NOTHING_TO_CLEAN)
        else:
            state.use_schema(cleaned, SAID.CLEANED_TOAST, propose=True)


def _undo(key: str) -> None:
    def undo(table: Table, schema: Schema) -> Schema:
        return undo_change(table, schema, cached_calls.detected_schema(state.current()), key)

    _change(undo, toast=SAID.UNDONE)


def _answer(key: str, widget: str) -> None:
    choice = st.session_state[widget]
    _change(lambda table, schema: answer_cleaning(table, schema, key, choice), toast=SAID.ANSWERED)


def _change(make: Callable[[Table, Schema], Schema], toast: str) -> None:
    """Use the schema made of the table and the schema in use."""
    settings = state.current()
    schema, table = cached_calls.schema(settings), cached_calls.file_table(settings)
    with state.show_user_errors():
        state.use_schema(make(table, schema), toast, propose=True)
