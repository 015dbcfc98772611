"""The editor of one column: its kind, bins or values, names, and missing cells."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from calm_core.errors import UserError
from calm_core.ingest import editing
from calm_core.ingest.schema import ColumnSchema, Schema
from pages import words
from pages.ui import cached_calls, display, downloads, state, widgets

SAID = words.data

AS_FOUND = "as it is"
KINDS = (AS_FOUND, "category", "ordered", "number", "date")


def show_column_editor(schema: Schema) -> None:
    """Show the choice of a column and the form that changes it."""
    names = list(schema.names)
    titles = display.make_distinct((c.title or c.name for c in schema.columns), 60)
    title_of = dict(zip(schema.names, titles, strict=True))
    name = st.selectbox(
        "Column to change", names, key="edit_column", format_func=lambda name: title_of.get(name) or str(name)
    )  # fmt: skip
    column = schema.column(name if name in names else names[0])
    # A new key for every state of the column fills the form again.
    key = f"edit_{names.index(column.name)}_{schema.digest}"
    with st.form(key):
        left, right = st.columns(2)
        kind = left.selectbox(f"Kind (now {column.kind})", KINDS, key=f"{key}_kind")
        choices: list[str] = list(SAID.MISSING)
        missing = right.radio(
            f"Empty cells ({column.n_missing:,})", choices, format_func=SAID.MISSING.get,
            index=choices.index(column.missing), key=f"{key}_missing", horizontal=True,
        )  # fmt: skip
        also_missing = right.multiselect(
            "Values that also mean empty", column.values, key=f"{key}_words",
            format_func=lambda word: display.shorten(word, 30), placeholder='such as "NA" or "?"',
        )  # fmt: skip
        wished = _bin_widgets(column, key) if column.is_number else _value_editor(column, key)
        called = _name_widgets(column, key)
        applied = st.form_submit_button("Apply to this column", type="primary")
    # Outside the form, so that an error is shown below it.
    if applied:
        try:
            changed = _edited_column(column, kind, missing, also_missing, wished, called)
            edited = schema.with_column(changed)
        except UserError as error:
            state.show_refusal(state.to_sentence(error))
            return
        state.use_schema(edited, f"{title_of[column.name]}: changed.")
        st.rerun()


def _bin_widgets(column: ColumnSchema, key: str):
    """Show widgets for numbers and dates; return rule, number of bins, and edges."""
    left, middle, right = st.columns([2, 1, 3])
    rule = left.selectbox(
        "Bins", list(SAID.RULES), index=list(SAID.RULES).index(column.binning or "quantiles"),
        format_func=SAID.RULES.get, key=f"{key}_rule",
    )  # fmt: skip
    bins = middle.number_input("How many", 1, 100, len(column.edges) + 1, key=f"{key}_bins")
    edges = right.text_input(
        "Edges, if typed (upper ends)", editing.write_edges(column), key=f"{key}_edges",
    )  # fmt: skip
    if column.binning != "fixed":
        st.caption(SAID.EDGES_HINT)
    return rule, int(bins), edges


def _value_editor(column: ColumnSchema, key: str) -> pd.DataFrame:
    """Show a table that renames, merges and reorders values; return it."""
    st.caption(SAID.VALUES_HINT)
    values = {
        "value": column.values, "rows": column.counts,
        "label": [column.labels[group] for group in column.groups],
        "position": [group + 1 for group in column.groups],
    }  # fmt: skip
    return st.data_editor(
        pd.DataFrame(values), key=f"{key}_values", hide_index=True, disabled=("value", "rows"), height="auto",
        column_config={"position": st.column_config.NumberColumn(min_value=1, step=1)},
    )  # fmt: skip


def _name_widgets(column: ColumnSchema, key: str) -> tuple[str, str, dict[str, str]]:
    """Show widgets for titles and value names; return title, short title, and new names."""
    st.caption(SAID.NAMES_HINT)
    left, right = st.columns([2, 1])
    title = left.text_input("Title", column.title, key=f"{key}_title", placeholder=column.name)
    short = right.text_input("Short title", column.short, key=f"{key}_short")
    names = column.value_names or ("",) * column.size
    table = pd.DataFrame({"label": column.labels, "name": names})
    typed = st.data_editor(
        table, key=f"{key}_names", hide_index=True, disabled=("label",), height="auto",
    )["name"].fillna("").astype(str).str.strip()  # fmt: skip
    changed = {label: new for label, old, new in zip(column.labels, names, typed) if new != old}
    return title.strip(), short.strip(), changed


def _edited_column(
    column: ColumnSchema, kind: str, missing: str, also_missing, wished, called
) -> ColumnSchema:
    """Return the column with everything in the form applied."""
    title, short, names = called
    column = replace(column, title=title, short=short)
    if kind not in (AS_FOUND, column.kind):
        column = editing.change_kind(cached_calls.table(state.current()), column, kind)
        return editing.name_values(editing.set_missing_rule(column, missing), names)
    if column.is_number:
        rule, bins, edges = wished
        typed = editing.read_edges(column, edges) if rule == "fixed" else ()
        if rule != column.binning or bins != len(column.edges) + 1 or typed != column.edges:
            column = editing.bin_numbers(column, rule, bins=bins, edges=typed)
    else:
        order = wished.sort_values("position", kind="stable")["label"].astype(str).str.strip()
        column = editing.group_values(
            column, wished["label"].fillna("").tolist(), order=list(order)
        )
    if also_missing:
        column = editing.detect_yes_no(editing.mark_missing(column, also_missing))
    return editing.name_values(editing.set_missing_rule(column, missing), names)


def show_schema_files(schema: Schema) -> None:
    """Show buttons that save a schema file, load one, or reset the schema."""
    left, right = st.columns(2)
    with left:
        downloads.show_download(
            "Save as schema.json", schema.to_json, "schema.json", "application/json",
            key="schema_save", help=SAID.SCHEMA_HELP,
        )  # fmt: skip
    left.button(
        "Back to what was detected", disabled=not state.current().schema, key="schema_reset",
        on_click=_reset_schema,
    )  # fmt: skip
    with right:
        widgets.show_upload(
            "Load schema.json", ["json"], "schema_file",
            lambda file: state.load_schema(Schema.from_json(file.getvalue())), max_upload_size=None,
        )  # fmt: skip


def _reset_schema() -> None:
    state.use_schema(cached_calls.detected_schema(state.current()), SAID.DETECTED)
