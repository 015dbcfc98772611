"""The attributes used and those that could be: their rows, their order, and the size of the domain."""

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import streamlit as st

from calm_core.ingest import ColumnSchema, EncodedData, Schema
from calm_core.ingest.encode import count_codes
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached_calls, escape, frame, glossary_link, naming, state, widgets
from pages.ui.components import mount

# Unused columns shown; "Choose and order" lists the others.
MAX_UNUSED = 100


def show_attributes(schema: Schema, encoded: EncodedData) -> None:
    """Draw the rows; a lecture shows used attributes only."""
    used, spare = encoded.dataset.domain, _unused_columns(schema, encoded)
    rows = _used_rows(encoded)
    two = all(size == 2 for size in used.sizes)
    if not frame.is_lecture():
        rows += _unused_rows(spare)
    mount(
        "attributes",
        {
            "rows": rows, "first": used.d, "lecture": frame.is_lecture(),
            # Changes after every choice, so that the boxes are reset after a refused one.
            "heard": st.session_state.get("attributes_heard", 0),
            "words": words.data.ROWS | {
                "share": words.data.SECOND if two else words.data.SHARES,
                "more": f"Show {len(rows) - used.d} more",
                "locked": frame.is_lecture() or state.is_hidden("columns"),
            },
        },
        on={"used": on_use_change},
    )  # fmt: skip


def _unused_columns(schema: Schema, encoded: EncodedData) -> tuple[ColumnSchema, ...]:
    names = encoded.dataset.domain.names
    return tuple(column for column in schema.columns if column.name not in names)


def _used_rows(encoded: EncodedData) -> list[dict]:
    dataset = encoded.dataset
    return [
        _attribute_row(dataset.domain, name, dataset.marginal((name,)).values, used=True)
        for name in dataset.domain.names
    ]


def _unused_rows(columns: tuple[ColumnSchema, ...]) -> list[dict]:
    columns = columns[:MAX_UNUSED]
    shares, rows = value_shares(state.current(), columns), []
    for column in columns:
        reason = words.data.left_out_text(column.reason) if column.reason else ""
        if column.size:
            domain = Schema((replace(column, keep=True, reason=""),)).domain
            found = shares.get(column.name, np.zeros(0))
            rows.append(_attribute_row(domain, column.name, found, used=False, note=reason))
        else:
            domain = Domain((column.name,), (1,), titles=(column.title or column.name,))
            rows.append(_attribute_row(domain, column.name, np.zeros(0), used=False, note=reason))
    return rows


def value_shares(settings: Settings, columns: tuple[ColumnSchema, ...]) -> dict[str, np.ndarray]:
    """Return the share of every value of these columns, cached because it passes over the table."""

    def compute() -> dict[str, np.ndarray]:
        table = cached_calls.table(settings)
        counts = {
            column.name: count_codes(table, column)
            for column in columns
            if column.size and column.name in table.names
        }
        return {name: found / max(1, found.sum()) for name, found in counts.items()}

    names = tuple(column.name for column in columns)
    return cached_calls.get_result("shares", (settings.source, settings.schema, names), compute)


def _attribute_row(
    domain: Domain, name: str, shares: np.ndarray, *, used: bool, note: str = ""
) -> dict:
    values, known = naming.value_labels(domain, name), [float(share) for share in shares]
    return {
        "name": name, "title": naming.attribute_title(domain, name), "used": used, "note": note,
        "values": " / ".join(values), "shares": [round(s, 4) for s in known],
        "told": words.data.share_text(known), "alt": words.data.shares_text(values, known),
    }  # fmt: skip


def on_use_change(press: dict) -> None:
    """Handle a checkbox: add an attribute at the end, or remove it."""
    st.session_state["attributes_heard"] = st.session_state.get("attributes_heard", 0) + 1
    settings = state.current()
    names = list(cached_calls.encoded_data(settings).dataset.domain.names)
    known = {column.name for column in cached_calls.schema(settings).columns}
    name, wanted = press["name"], bool(press["used"])
    if name not in known or wanted == (name in names):
        return
    names = [*names, name] if wanted else [other for other in names if other != name]
    choose_attributes(tuple(names))


def choose_attributes(names: tuple[str, ...]) -> bool:
    """Use these attributes in this order; k shrinks with them, and the toast says so."""
    settings = state.current()
    usable = [
        column.name
        for column in cached_calls.schema(settings.with_changes(columns=())).used_columns
    ]
    # The first usable ones need no names in the address.
    first = list(names) == usable[: len(names)]
    k = min(settings.k, len(names) or settings.k)
    changes = {"columns": () if first else names, "k": k, "l": None, "m": None}
    if first:
        changes["d"] = len(names)
    return state.apply(
        f"{len(names)} attributes" + (f", k = {k}" if k != settings.k else ""), **changes
    )


AS_THEY_ARE = "as they are"
MERGES = ("2", "3", "4", "5", "6", "8", "10", "16")


def show_order(schema: Schema) -> None:
    """Show the controls for the attributes used, their number, and their largest number of values."""
    used = cached_calls.encoded_data(state.current()).dataset.domain.names
    titles = escape.make_distinct(c.title or c.name for c in schema.columns)
    called = dict(zip(schema.names, titles, strict=True))
    widgets.setting_widget(
        st.multiselect, words.data.ATTRIBUTES, "columns", options=list(schema.names),
        show=lambda columns: list(columns or used), read=tuple, max_selections=64,
        format_func=called.get, help=words.data.ATTRIBUTES_HELP,
    )  # fmt: skip
    usable = min(64, len(schema.used_columns))
    if usable > 2:
        widgets.setting_widget(
            st.slider, words.data.FIRST, "d", min_value=2, max_value=max(usable, len(used)),
            help=words.settings.HELP["d"],
        )  # fmt: skip
    widgets.setting_widget(
        st.selectbox, words.data.MAX_VALUES, "max_values",
        options=[AS_THEY_ARE, *MERGES], show=lambda c: AS_THEY_ARE if c is None else str(c),
        read=lambda text: None if text == AS_THEY_ARE else widgets.parse_int(text, "max_values"),
        accept_new_options=True,
        help=words.data.MAX_VALUES_HELP,
    )  # fmt: skip


def show_rows(encoded: EncodedData, elsewhere: Collection[str]) -> None:
    """Show how many rows and columns were read, left out, or changed.

    Parameters
    ----------
    encoded : EncodedData
    elsewhere : collection of str
        Notes that "What we saw" tells.
    """
    cells = math.prod(encoded.dataset.domain.sizes)
    with st.container(key="rows"):
        st.markdown(escape.sentence(words.data.rows_text(encoded.report, cells)))
        for note in encoded.report.notes:
            if note not in elsewhere and not frame.is_lecture():
                st.caption(escape.sentence(note))
        if not frame.is_lecture():
            glossary_link.show_text(words.data.TERMS, quiet=True)


def show_cells(encoded: EncodedData) -> None:
    """Show the numbers of attributes, cells and people."""
    settings, domain = state.current(), encoded.dataset.domain
    cells = math.prod(domain.sizes)
    n = settings.n or encoded.dataset.n
    largest = math.prod(sorted(domain.sizes)[-settings.k :])
    a, b, c, d = st.columns(4)
    a.metric("Attributes", domain.d)
    b.metric("Cells of the full table", words.numbers.count(cells))
    c.metric("People", words.numbers.amount(n))
    d.metric(words.data.largest_title(settings.k), words.numbers.count(largest))
    st.write(words.data.full_table_text(n / cells, settings.k, n / largest))
