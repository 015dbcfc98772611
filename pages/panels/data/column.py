"""One column: its kind, bins or values, and what happens to empty cells."""

import pandas as pd
import streamlit as st

from calm_core.errors import UserError
from calm_core.ingest import ColumnSchema, Schema, detect_as
from calm_core.ingest.editing import (
    bin_numbers,
    group_values,
    read_edges,
    treat_missing,
    words_are_missing,
    write_edges,
)
from pages import words
from pages.ui import cached, escape, notices, state
from pages.ui.guard import guarded

AS_FOUND = "as it is"
KINDS = (AS_FOUND, "category", "ordered", "number", "date")


def show(schema: Schema) -> None:
    """Choose a column and change it."""
    names = list(schema.names)
    name = st.selectbox(
        "Column to change", names, key="edit_column", format_func=lambda n: escape.short(n, 60)
    )
    column = schema.column(name if name in names else names[0])
    # A new key for every state of the column: a changed column fills the form anew.
    key = f"edit_{names.index(column.name)}_{schema.digest}"
    with st.form(key):
        left, right = st.columns(2)
        kind = left.selectbox(f"Kind (now {column.kind})", KINDS, key=f"{key}_kind")
        missing = right.radio(
            f"Empty cells ({column.n_missing:,})", list(words.data.MISSING), format_func=words.data.MISSING.get,
            index=list(words.data.MISSING).index(column.missing), key=f"{key}_missing", horizontal=True,
        )  # fmt: skip
        also_missing = right.multiselect(
            "Values that also mean empty", column.values, key=f"{key}_words",
            format_func=lambda word: escape.short(word, 30), placeholder='such as "NA" or "?"',
        )  # fmt: skip
        wished = _bins(column, key) if column.is_number else _values(column, key)
        if st.form_submit_button("Apply to this column", type="primary"):
            with guarded(stop=False):
                edited = schema.with_column(_edited(column, kind, missing, also_missing, wished))
                if state.change(schema=cached.keep_schema(edited, state.current())):
                    st.rerun()


def _bins(column: ColumnSchema, key: str):
    """Widgets for numbers and dates."""
    left, middle, right = st.columns([2, 1, 3])
    rule = left.selectbox(
        "Bins", list(words.data.RULES), index=list(words.data.RULES).index(column.binning or "quantiles"),
        format_func=words.data.RULES.get, key=f"{key}_rule",
    )  # fmt: skip
    bins = middle.number_input("How many", 1, 100, len(column.edges) + 1, key=f"{key}_bins")
    edges = right.text_input(
        "Edges, if typed (upper ends)", write_edges(column), key=f"{key}_edges",
    )  # fmt: skip
    if column.binning != "fixed":
        st.caption(words.data.EDGES_HINT)
    return rule, int(bins), edges


def _values(column: ColumnSchema, key: str) -> pd.DataFrame:
    """A small table to rename, merge and reorder values."""
    st.caption(words.data.VALUES_HINT)
    frame = pd.DataFrame(
        {
            "value": column.values,
            "rows": column.counts,
            "label": [column.labels[group] for group in column.groups],
            "position": [group + 1 for group in column.groups],
        }
    )
    return st.data_editor(
        frame, key=f"{key}_values", hide_index=True, disabled=("value", "rows"), height="auto",
        column_config={"position": st.column_config.NumberColumn(min_value=1, step=1)},
    )  # fmt: skip


def _edited(column: ColumnSchema, kind: str, missing: str, also_missing, wished) -> ColumnSchema:
    """The column with everything the form says."""
    if kind not in (AS_FOUND, column.kind):
        return treat_missing(detect_as(_table(), column.name, kind), missing)
    if column.is_number:
        rule, bins, edges = wished
        typed = read_edges(column, edges) if rule == "fixed" else ()
        if rule != column.binning or bins != len(column.edges) + 1 or typed != column.edges:
            column = bin_numbers(column, rule, bins=bins, edges=typed)
    else:
        order = wished.sort_values("position", kind="stable")["label"].astype(str).str.strip()
        column = group_values(column, wished["label"].fillna("").tolist(), order=list(order))
    return treat_missing(words_are_missing(column, also_missing), missing)


def _table():
    return cached.table(state.current())


def files(schema: Schema) -> None:
    """Save the columns' meaning to a file, load one, or start again."""
    left, right = st.columns(2)
    left.download_button(
        "Save as schema.json", schema.to_json(), "schema.json", "application/json",
        icon=":material/download:", on_click="ignore",
        help=words.data.SCHEMA_HELP,
    )  # fmt: skip
    left.button(
        "Back to what was detected", disabled=not state.current().schema, key="schema_reset",
        on_click=state.change, kwargs={"schema": ""},
    )  # fmt: skip
    right.file_uploader("Load schema.json", type=["json"], key="schema_file", on_change=_load)


def _load() -> None:
    file = st.session_state.get("schema_file")
    if file is None:
        return
    try:
        loaded = Schema.from_json(file.getvalue())
    except UserError as error:
        notices.refuse(error)
        return
    state.use_schema(loaded)
