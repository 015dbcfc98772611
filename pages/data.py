"""Data: choose a table, see what its columns become, change that."""

import streamlit as st

from pages import words
from pages.panels.data import cleaning, column_editor, columns, source
from pages.ui import cached_calls, display, error_boundary, frame, navigation, state
from pages.ui.error_boundary import PageEnded, show_errors

VIEWS = {"": "", "seen": words.data.SEEN, "order": words.data.ORDER, "values": words.data.VALUES}
EDITORS = {"order": columns.show_order, "values": column_editor.show_column_editor}
settings = state.current()


def card() -> None:
    """Show the attributes used, or the review or an editor in their place."""
    usable = sum((c.size or 0) > 1 for c in schema.columns)
    with st.container(
        horizontal=True, vertical_alignment="center", wrap=False, key="attributes_head"
    ):
        st.subheader(f"{encoded.dataset.domain.d} of {usable} attributes used", anchor=False)
        for name in list(VIEWS)[1:] if not frame.is_lecture() else ():
            label = words.data.DONE if view == name else VIEWS[name]
            st.button(
                label, key=f"open_{name}", type="tertiary", on_click=navigation.change,
                kwargs={"view": "" if view == name else name},
            )  # fmt: skip
    # Why these columns, and which were left out.
    proposed = [note for note in encoded.schema.notes if note not in schema.notes]
    for note in proposed if not frame.is_lecture() else ():
        st.caption(display.sentence(note))
    if not frame.is_lecture():
        cleaning.show_cleaning(settings, schema)
        columns.show_joined_spellings(schema)
    if view == "seen":
        columns.show_review(schema, encoded)
    elif view:
        with st.container(key="attributes_edit"):
            EDITORS[view](schema)
    else:
        columns.show_attributes(schema, encoded)
        if not frame.is_lecture():
            columns.show_review_link(schema)
    # What was found out about columns is told beside each of them, as it is now.
    columns.show_rows(encoded, encoded.schema.notes)


source.show_style()
if not frame.is_lecture():
    with frame.side():
        source.show_drop_zone()
        source.show_source_cards()
        source.show_read_options()
        source.show_server_tables()
        with st.expander(words.data.PEOPLE):
            source.show_population_form()
        if navigation.is_shown("collection"):
            navigation.page_link("collection", words.data.OPEN_COLLECTION)
if state.awaited_settings() is not None:
    error_boundary.show_missing_file()
    raise PageEnded
with show_errors():
    schema, encoded = cached_calls.schema(settings), cached_calls.encoded_data(settings)
view = "" if frame.is_lecture() else navigation.current_view(VIEWS)
with st.container(border=True, key="attributes_card"):
    card()
if not frame.is_lecture():
    with frame.drawer(words.data.FIRST_ROWS, key="first_rows"):
        # A cell may hold a book, and the browser is sent all that is shown.
        head = cached_calls.table(settings).head(20).map(display.shorten_cell)
        head.columns = display.make_distinct(head.columns)
        st.dataframe(head, hide_index=True)
    with frame.drawer(words.data.SCHEMA, key="schema"):
        column_editor.show_schema_files(schema)
