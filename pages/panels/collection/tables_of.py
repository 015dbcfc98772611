"""Any table of a collection, with intervals in place of the true bars, and what it is expected to err."""

from functools import partial
from itertools import combinations
from typing import Any

import pandas as pd
import streamlit as st

from calm_core.evaluation.state_answers import (
    answer_state,
    available_methods,
    max_query_size,
    predict_state_points,
)
from calm_core.figures.plan import incidence
from calm_core.methods import METHODS, CalmPlus, Uniform
from calm_core.planning.expected_error import default_queries
from calm_core.reports import csv_text
from calm_core.tables.marginal import Marginal
from pages import words
from pages.ui import cached, frame, naming, opened, pictures, tables, view_state
from pages.ui.components.table import Chips, Side, draw_table
from pages.ui.uploads.session_store import Opened

MAX_ATTRIBUTES = 8
PREFERRED = CalmPlus.name


def _able(held: Opened) -> tuple[str, ...]:
    """Who can answer; the guess that looks at no report is not among them here."""
    others = (
        name for name in available_methods(held.state.plan) if name not in (PREFERRED, Uniform.name)
    )
    return PREFERRED, *others


def method(held: Opened) -> str:
    """Who answers, as chosen."""
    chosen = opened.place().by
    return chosen if chosen in _able(held) else PREFERRED


def choose_method(held: Opened, now: str) -> None:
    """The choice of who answers."""
    names = {name: METHODS[name].title for name in _able(held)}
    st.segmented_control(
        words.collection.METHOD, list(names), default=now, key="collection_method", on_change=_answered,
        format_func=names.__getitem__, required=True, label_visibility="collapsed", width="content",
    )  # fmt: skip


def _answered() -> None:
    chosen = st.session_state["collection_method"]
    view_state.change(by="" if chosen == PREFERRED else chosen)


def answer_of(held: Opened, name: str) -> Any:
    """The answer of a method, kept; what it has beside tables is declared in `offers`."""
    return cached.get_result(
        "collection", (held.digest, name), lambda: answer_state(held.state, name)
    )


def _most(held: Opened, name: str) -> int:
    """How many attributes a table can have."""
    return min(MAX_ATTRIBUTES, max_query_size(held.state.plan, name))


def attributes(held: Opened, name: str) -> tuple[str, ...]:
    """Attributes of the table looked at, in domain order; the first k where none are chosen."""
    names, most = held.state.plan.domain.names, _most(held, name)
    chosen = sorted({at for at in opened.place().table if at < len(names)})[:most]
    return tuple(names[at] for at in chosen) or names[: min(held.state.plan.k, most)]


def show(held: Opened, name: str) -> None:
    """The released table."""
    attrs, answer, plan = attributes(held, name), answer_of(held, name), held.state.plan
    found = answer.marginal(attrs)
    limits = answer.interval(attrs) if "intervals" in answer.offers else None
    low, high = (None, None) if limits is None else (part.ravel() for part in limits)
    frame.title(naming.question(found.domain))
    points = float(predict_state_points(plan, held.state.n, [attrs], name)[0])
    title = METHODS[name].title
    notes = () if limits is not None else (words.collection.no_intervals(title),)
    if found.values.min() < 0:
        notes += (words.collection.below_zero(title),)
    reading = tables.reading(
        points, tables.guess_of(found), tables.example(found.values), predicted=True
    )
    draw_table(
        tables.table_of(
            None, found, lecture=frame.lecture(),
            intervals=None if low is None or high is None else (low, high),
            reading=reading,
            texts=words.table.TEXTS | {"here": words.collection.EXPECTED}, side=Side(notes=notes), chips=_chips(held, attrs, _most(held, name)),
        ),
        key="collected", on_attrs=partial(_look_at, held, name),
    )  # fmt: skip
    if not frame.lecture():
        _cells(found, low, high)


def _look_at(held: Opened, name: str, told: dict) -> None:
    domain = held.state.plan.domain
    shown = tables.chosen(domain, attributes(held, name), told)
    view_state.change(table=domain.positions(shown))


def _chips(held: Opened, attrs: tuple[str, ...], most: int) -> Chips:
    domain = held.state.plan.domain
    others = [other for other in domain.names if other not in attrs]
    shown = others if len(attrs) < most else []
    return Chips(
        tuple((name, naming.title(domain, name)) for name in attrs),
        tuple((name, naming.title(domain, name)) for name in shown),
    )


def _cells(found: Marginal, low, high) -> None:
    """Every cell to take along."""
    labels = pd.MultiIndex.from_product(
        [naming.values(found.domain, name) for name in found.attrs], names=found.attrs
    )
    shown = pd.DataFrame({"released share": found.values.ravel()}, index=labels)
    if low is not None:
        shown = shown.assign(**{"95% from": low, "95% to": high})
    st.download_button(
        "Download CSV", csv_text(shown.reset_index()), "table.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="collection_csv",
    )  # fmt: skip


def errors(held: Opened, name: str) -> None:
    """What every pair and every table of k is expected to err, the least sure first."""
    plan = held.state.plan
    asked = dict.fromkeys(
        [*combinations(plan.domain.names, 2), *default_queries(plan.domain, plan.k)]
    )
    queries = list(asked)
    points = predict_state_points(plan, held.state.n, queries, name)
    st.markdown(words.collection.ERRORS)
    shown = (
        pd.DataFrame(
            {
                # First, so that a phone shows it.
                words.collection.TYPICAL: points,
                "table": [naming.joined(plan.domain, query, 24) for query in queries],
                "how": [
                    words.collection.COVERED if plan.covers(query) else words.collection.REBUILT
                    for query in queries
                ],
            }
        )
        .dropna()
        .sort_values(words.collection.TYPICAL, ascending=False, kind="stable")
    )
    column = st.column_config.NumberColumn(format="±%.2g points", width=130)
    st.dataframe(shown, hide_index=True, column_config={words.collection.TYPICAL: column})


def asked(held: Opened) -> None:
    """Which attributes were asked about together."""
    plan = held.state.plan
    frame.title(words.shared.views(plan.m, plan.l))
    st.markdown(words.plan.INCIDENCE)
    pictures.show(
        "collection_incidence", held.digest,
        lambda: (incidence(plan), words.plan.views(plan.m, plan.domain.d)), caption=False,
    )  # fmt: skip
