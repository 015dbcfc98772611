"""All columns at a glance: kind, values, missing, and what will be done."""

import pandas as pd
import streamlit as st

from calm_core.ingest import ColumnSchema, Schema
from calm_core.ingest.encode import count_codes
from pages import words
from pages.ui import cached, escape, state, widgets

MOST_PICTURES = 100
AS_THEY_ARE = "as they are"
MERGES = ("2", "3", "4", "5", "6", "8", "10", "16")


def action(column: ColumnSchema, used: bool) -> str:
    """What will be done with a column, in a few words.

    >>> action(ColumnSchema("id", "id-like", keep=False, reason="id-like"), used=False)
    'left out: id-like'
    """
    if not used:
        return f"left out: {column.reason}" if column.reason else "not chosen"
    parts = []
    if column.is_number:
        parts.append(f"{words.data.RULES[column.binning]} ({len(column.edges) + 1})")
    elif column.size < len(set(column.values)) + (column.missing_code is not None):
        parts.append(f"merged to {column.size} values")
    else:
        parts.append("kept as it is")
    if column.n_missing:
        rows = column.missing == "rows"
        parts.append(words.data.ROWS_LEFT_OUT if rows else words.data.OWN_VALUE)
    return "; ".join(parts)


def table_of(schema: Schema, used: set[str], pictures: dict[str, list[int]]) -> pd.DataFrame:
    """One row per column."""
    return pd.DataFrame(
        {
            "column": [escape.short(column.name, 40) for column in schema.columns],
            "used": [column.name in used for column in schema.columns],
            "kind": [column.kind for column in schema.columns],
            "values found": [column.n_values for column in schema.columns],
            "missing": [column.n_missing for column in schema.columns],
            "becomes": [column.size for column in schema.columns],
            "rows per value": [pictures.get(column.name, []) for column in schema.columns],
            "what is done": [action(column, column.name in used) for column in schema.columns],
        }
    )


def pictures(settings) -> dict[str, list[int]]:
    """Rows per value of the first columns; kept, because it passes over the table."""
    schema, table = cached.schema(settings).columns[:MOST_PICTURES], cached.table(settings)
    return cached.kept(
        "pictures",
        (settings.source, settings.schema),
        lambda: {
            c.name: count_codes(table, c).tolist()
            for c in schema
            if c.size and c.name in table.names
        },
    )


def show(schema: Schema) -> None:
    """The table of columns, and the choice of attributes with their order."""
    settings = state.current()
    used = cached.encoded(settings).dataset.domain.names
    st.dataframe(
        table_of(schema, set(used), pictures(settings)),
        hide_index=True,
        height="content" if len(schema.columns) <= 12 else 460,
        column_config={
            "rows per value": st.column_config.BarChartColumn(y_min=0, width=110),
            "used": st.column_config.CheckboxColumn(width="small"),
            "what is done": st.column_config.TextColumn(width="large"),
        },
    )
    widgets.control(
        st.multiselect, "Attributes used, in this order", "columns", options=list(schema.names),
        show=lambda columns: list(columns or used), read=tuple, max_selections=64,
        format_func=lambda name: escape.short(name, 32),
        help=words.data.ATTRIBUTES_HELP,
    )  # fmt: skip
    widgets.control(
        st.selectbox, words.data.MAX_VALUES, "max_values",
        options=[AS_THEY_ARE, *MERGES], show=lambda c: AS_THEY_ARE if c is None else str(c),
        read=lambda text: None if text == AS_THEY_ARE else widgets.whole(text, "max_values"),
        accept_new_options=True,
        help=words.data.MAX_VALUES_HELP,
    )  # fmt: skip
