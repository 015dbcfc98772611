"""Data: choose a table, see what its columns become, change that."""

import streamlit as st

from pages import words
from pages.panels.data import advice, attributes, column, order, seen, shared, source, summary
from pages.ui import cached, escape, frame, state, view_state
from pages.ui.error_boundary import PageEnded, show_errors
from pages.ui.jobs import waiting_page

VIEWS = {
    "": "",
    "seen": words.import_review.SEEN,
    "order": words.data.ORDER,
    "values": words.data.VALUES,
}
EDITORS = {"order": order.show, "values": column.show}
settings = state.current()


def card() -> None:
    """The attributes used; or what was seen, or an editor, in their place."""
    usable = sum((c.size or 0) > 1 for c in schema.columns)
    with st.container(
        horizontal=True, vertical_alignment="center", wrap=False, key="attributes_head"
    ):
        st.subheader(words.data.used(encoded.dataset.domain.d, usable), anchor=False)
        for name in list(VIEWS)[1:] if not frame.lecture() else ():
            label = words.data.DONE if view == name else VIEWS[name]
            st.button(
                label, key=f"open_{name}", type="tertiary", on_click=view_state.change,
                kwargs={"view": "" if view == name else name},
            )  # fmt: skip
    if view == "seen":
        seen.show(schema, encoded)
    elif view:
        with st.container(key="attributes_edit"):
            EDITORS[view](schema)
    else:
        attributes.show(schema, encoded)
        if not frame.lecture():
            seen.foot(schema)
            advice.show(settings, schema)
    # What was found out about columns is told beside each of them, as it is now.
    summary.rows(encoded, schema.notes)


source.style()
top = None
if not frame.lecture():
    with frame.side():
        top = st.container(key="side_top")
        source.drop_zone()
        source.cards()
        source.reading()
        shared.show()
        with st.expander(words.data.PEOPLE):
            source.population()
        view_state.link("collection", words.data.OPEN_COLLECTION)
if state.awaited_settings() is not None:
    waiting_page.show_missing_file()
    raise PageEnded
with show_errors():
    schema, encoded = cached.schema(settings), cached.encoded_data(settings)
if top is not None:
    with top:
        seen.asked(schema)
view = "" if frame.lecture() else view_state.view(VIEWS)
with st.container(border=True, key="attributes_card"):
    card()
if not frame.lecture():
    with frame.drawer(words.data.CELLS, key="cells"):
        summary.show(encoded)
    with frame.drawer(words.data.FIRST_ROWS, key="first_rows"):
        # A cell may hold a book, and the browser is sent all that is shown.
        head = cached.table(settings).head(20).map(escape.brief)
        head.columns = escape.distinct(head.columns)
        st.dataframe(head, hide_index=True)
    with frame.drawer(words.data.SCHEMA, key="schema"):
        column.files(schema)
