"""The attributes used, and those that could be: one row each."""

from dataclasses import replace

import numpy as np
import streamlit as st

from calm_core.ingest import ColumnSchema, Encoded, Schema
from calm_core.ingest.encode import count_codes
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached, frame, naming, state
from pages.ui.components import mount

# Columns that are not used; of a wider table the rest is listed by "Choose and order".
MAX_SPARE = 100


def show(schema: Schema, encoded: Encoded) -> None:
    """Draw the rows; a lecture has those that are used only."""
    used, spare = encoded.dataset.domain, _spare(schema, encoded)
    rows = _used(encoded)
    two = all(size == 2 for size in used.sizes)
    if not frame.lecture():
        rows += _not_used(spare)
    mount(
        "attributes",
        {
            "rows": rows, "first": used.d, "lecture": frame.lecture(),
            # Another number even where a choice was refused: the boxes are set as they were.
            "heard": st.session_state.get("attributes_heard", 0),
            "words": words.data.ROWS | {
                "share": words.data.SECOND if two else words.data.SHARES,
                "more": words.data.more(len(rows) - used.d),
                "locked": frame.lecture() or state.is_hidden("columns"),
            },
        },
        on={"used": use},
    )  # fmt: skip


def _spare(schema: Schema, encoded: Encoded) -> tuple[ColumnSchema, ...]:
    names = encoded.dataset.domain.names
    return tuple(column for column in schema.columns if column.name not in names)


def _used(encoded: Encoded) -> list[dict]:
    dataset = encoded.dataset
    return [
        _row(dataset.domain, name, dataset.marginal((name,)).values, used=True)
        for name in dataset.domain.names
    ]


def _not_used(columns: tuple[ColumnSchema, ...]) -> list[dict]:
    columns = columns[:MAX_SPARE]
    shares, rows = shares_of(state.current(), columns), []
    for column in columns:
        reason = words.data.left_out(column.reason) if column.reason else ""
        if column.size:
            domain = Schema((replace(column, keep=True, reason=""),)).domain
            found = shares.get(column.name, np.zeros(0))
            rows.append(_row(domain, column.name, found, used=False, note=reason))
        else:
            domain = Domain((column.name,), (1,), titles=(column.title or column.name,))
            rows.append(_row(domain, column.name, np.zeros(0), used=False, note=reason))
    return rows


def shares_of(settings: Settings, columns: tuple[ColumnSchema, ...]) -> dict[str, np.ndarray]:
    """Share of every value of these columns; kept, because it passes over the table."""

    def compute() -> dict[str, np.ndarray]:
        table = cached.table(settings)
        counts = {
            column.name: count_codes(table, column)
            for column in columns
            if column.size and column.name in table.names
        }
        return {name: found / max(1, found.sum()) for name, found in counts.items()}

    names = tuple(column.name for column in columns)
    return cached.get_result("shares", (settings.source, settings.schema, names), compute)


def _row(domain: Domain, name: str, shares: np.ndarray, *, used: bool, note: str = "") -> dict:
    values, known = naming.values(domain, name), [float(share) for share in shares]
    return {
        "name": name, "title": naming.title(domain, name), "used": used, "note": note,
        "values": words.data.values(values), "shares": [round(s, 4) for s in known],
        "told": words.data.told(known), "alt": words.data.shares(values, known),
    }  # fmt: skip


def use(told: dict) -> None:
    """A box was set or cleared: one attribute more, at the end, or one less."""
    st.session_state["attributes_heard"] = st.session_state.get("attributes_heard", 0) + 1
    settings = state.current()
    names = list(cached.encoded_data(settings).dataset.domain.names)
    known = {column.name for column in cached.schema(settings).columns}
    name, wanted = told["name"], bool(told["used"])
    if name not in known or wanted == (name in names):
        return
    names = [*names, name] if wanted else [other for other in names if other != name]
    choose(tuple(names))


def choose(names: tuple[str, ...]) -> bool:
    """Use these attributes, in this order; k follows where there are fewer, and that is said."""
    settings = state.current()
    usable = [column.name for column in cached.schema(settings.changed(columns=())).kept]
    # The first usable ones need no names in the address.
    first = list(names) == usable[: len(names)]
    k = min(settings.k, len(names) or settings.k)
    changes = {"columns": () if first else names, "k": k, "l": None, "m": None}
    if first:
        changes["d"] = len(names)
    return state.apply(words.data.attributes_changed(len(names), k, settings.k), **changes)
