"""The parts of the page about an open collection: opening one, its tables, errors, views, and Algorithm 1."""

from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.typing import UploadedFile

from calm_core.classroom.open_collection import MAX_LISTED, list_collections, state_from_content
from calm_core.evaluation.prediction import answer_state, expect_state_wrong
from calm_core.methods import CalmPlus
from calm_core.planning.plan import default_queries
from calm_core.settings import Settings
from pages import words
from pages.ui import (
    cached_calls,
    display,
    downloads,
    frame,
    navigation,
    opened_collections,
    plan_chart,
    results,
    state,
    tables,
    widgets,
)
from pages.ui.asking import Asked
from pages.ui.attacking import Target
from pages.ui.error_boundary import show_errors
from pages.ui.jobs import Notify
from pages.ui.tables import MAX_ATTRIBUTES, draw_table
from pages.ui.uploads import Opened

SAID = words.collection


def _open_upload(file: UploadedFile) -> None:
    collection = state_from_content(file.getvalue(), f"the file {file.name:.200}")
    opened_collections.open_state(collection, file.name)


def _open_from_root(root: Path) -> None:
    if (name := st.session_state.get("collection_below")) is not None:
        with state.show_user_errors():
            opened_collections.open_from_root(root, name)


def show_summary(opened: Opened) -> None:
    """Show what is open, in one line, with a button that closes it."""
    plan = opened.state.plan
    summary = SAID.collection_summary(
        reports=opened.state.n, batches=len(opened.state.batches), epsilon=plan.epsilon, d=plan.domain.d, k=plan.k
    )  # fmt: skip
    st.markdown(f"**{display.markdown(opened.name, 60)}** :small[{summary}]", width="stretch")
    st.button(
        SAID.CLOSE, key="collection_close", type="tertiary", icon=":material/close:",
        on_click=opened_collections.close_collection,
    )  # fmt: skip


def show_notes(opened: Opened) -> None:
    """Show refused reports by reason, and how a table of this server became reports."""
    if refused := opened.state.refused:
        reasons = "; ".join(f"{count:,} for {reason}" for reason, count in refused.items())
        refusals = SAID.refused_text(count=sum(refused.values()), reasons=reasons)
        st.caption(display.sentence(refusals))
    origin, *notes = opened.notes or ("",)
    if origin:
        st.caption(display.sentence(origin))
    if notes:
        with frame.drawer(SAID.ACCOUNT, key="collection_account"):
            st.markdown("\n".join(f"- {display.sentence(note)}" for note in notes))


def show_sources() -> None:
    """Show the uploader and the collections of the data root."""
    kinds = ["json", "npz", "zip"]
    widgets.show_upload(SAID.UPLOAD, kinds, "collection_file", _open_upload)
    with show_errors(stop=False):
        root = opened_collections.get_data_root()
        if root is not None:
            _show_root_collections(root)


def _show_root_collections(root: Path) -> None:
    names = list_collections(root)
    if not names:
        st.caption(SAID.NONE_BELOW)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(SAID.BELOW, names, key="collection_below")
        st.button(SAID.OPEN, key="collection_open", on_click=_open_from_root, args=(root,))
    if len(names) >= MAX_LISTED:
        st.caption(SAID.more_below(most=MAX_LISTED))


def answer_of(opened: Opened) -> Any:
    """Return the answer of CALM+, cached."""
    return cached_calls.get_result("collection", opened.digest, lambda: answer_state(opened.state))


def ask_state(opened: Opened) -> Asked:
    """Return what questions to the collection are put to."""
    calls = partial(words.ask.calls_text, "STATE", f"--method {CalmPlus.name}")
    return Asked((opened.digest,), answer_of(opened), None, calls)


def attack_state(held: Opened) -> Target:
    """Return what is attacked: the plan, and people as the collection has them."""
    return Target((held.digest,), lambda: held.state.plan, partial(answer_of, held), Settings.seed)


def chosen_attributes(opened: Opened) -> tuple[str, ...]:
    """Return the chosen attributes in domain order; by default the first k."""
    plan = opened.state.plan
    names = plan.domain.names
    places = sorted({at for at in navigation.collection_route().table if at < len(names)})
    return tuple(names[at] for at in places[:MAX_ATTRIBUTES]) or names[: plan.k]


def show_table(opened: Opened) -> None:
    """Show the reconstructed table."""
    attrs, answer = chosen_attributes(opened), answer_of(opened)
    table, limits = answer.marginal(attrs), results.cell_intervals(answer, attrs)
    frame.set_title(display.table_question(table.domain))
    (wrong,) = cached_calls.get_result(
        "expected error",
        (opened.digest, attrs),
        lambda: expect_state_wrong(opened.state, answer, [attrs]).tolist(),
    )
    reading = results.make_reading(
        results.expected_wrong(wrong, table.values.size), results.guess_wrong(table)
    )
    draw_table(
        tables.make_table_data(
            None, table, lecture=frame.is_lecture(), intervals=limits, reading=reading,
            side={"notes": (), "actions": ()}, chips=tables.make_chips(opened.state.plan.domain, attrs),
        ),
        key="collected", on={"attrs": partial(_on_attributes_change, opened)},
    )  # fmt: skip
    if not frame.is_lecture():
        shares = {"reconstructed share": table.values.ravel()}
        cells = results.list_cells(table.domain, shares, limits)
        downloads.show_csv_download(lambda: cells, "table.csv", "collection_csv")


def _on_attributes_change(opened: Opened, change: dict) -> None:
    domain = opened.state.plan.domain
    attrs = tables.changed_attributes(domain, chosen_attributes(opened), change)
    navigation.change(table=domain.positions(attrs))


def show_expected_errors(opened: Opened) -> None:
    """Show the expected error of every pair and of every table of k, the largest first."""
    plan = opened.state.plan
    pairs = combinations(plan.domain.names, 2)
    queries = list(dict.fromkeys([*pairs, *default_queries(plan.domain, plan.k)]))
    answer = answer_of(opened)

    def work(notify: Notify) -> np.ndarray:
        parts = results.iter_parts(queries, notify)
        return np.hstack([expect_state_wrong(opened.state, answer, part) for part in parts])

    stop = partial(navigation.change, view="")
    wrong = cached_calls.get_long_result(
        "expected errors", opened.digest, work, words.common.scoring_progress, stop
    )
    table = pd.DataFrame(
        {
            # First: a phone shows only the left columns.
            SAID.WRONG: 100 * wrong,
            "table": [display.join_titles(plan.domain, query, 24) for query in queries],
            "how": [SAID.COVERED if plan.covers(query) else SAID.REBUILT for query in queries],
        }
    )
    table = table.dropna().sort_values(SAID.WRONG, ascending=False, kind="stable")
    st.markdown(SAID.ERRORS)
    column = st.column_config.NumberColumn(format="%.2g of 100", width=150)
    st.dataframe(table, hide_index=True, column_config={SAID.WRONG: column})


def show_steps(opened: Opened) -> None:
    """Show the chart of the page Plan for the plan of the collection; theta is fixed."""
    plan = opened.state.plan
    _, now = plan_chart.get_chart_data(plan)
    last = 1 + len(now["reasons"])
    at = last if frame.is_lecture() else min(navigation.collection_route().at, last)
    ended = at == last and "result" in now
    frame.set_title(
        words.plan.choice_title(l=plan.choice.l, m=plan.choice.m) if ended else words.plan.QUESTION
    )
    # Algorithm 1 would choose other views for a plan made by hand.
    by_hand = (plan.l, plan.m) != (plan.choice.l, plan.choice.m)
    if not frame.is_lecture():
        with frame.side():
            plan_chart.mount_side()
            if by_hand:
                st.caption(SAID.other_views_note(l=plan.l, m=plan.m))
    plan_chart.mount_chart(
        plan, at, fixed=True, by_hand=by_hand, on_move=lambda theta, at: navigation.change(at=at)
    )
