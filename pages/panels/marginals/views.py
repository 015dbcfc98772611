"""Secondary views of the page Tables: guess first, all tables, stages."""

import math
from itertools import product

import numpy as np
import pandas as pd
import streamlit as st

from calm_core.evaluation.error_units import typical_points
from calm_core.evaluation.metrics import sse
from calm_core.evaluation.run import Run
from calm_core.inference.consistency import ConsistentMarginals, consistency_stages
from calm_core.inference.shrinkage import full_tables_from_parities
from calm_core.methods.reporting import ViewsAnswer
from calm_core.reports import csv_text
from calm_core.settings import Settings
from calm_core.tables.marginal import Marginal, uniform
from pages import words
from pages.ui import cached_calls, escape, naming, results, state, tables, view_state
from pages.ui.components.table import Axis, Head, draw_table

MAX_SLIDERS = 12


def show_guess(outcome: Run, attrs: tuple[str, ...]) -> None:
    """Show a form to guess every cell; then the guess beside the truth and the collection."""
    st.markdown(words.marginals.GUESS_LEAD)
    cells = outcome.dataset.domain.cells_of(attrs)
    if cells > MAX_SLIDERS:
        st.info(words.marginals.too_many_to_guess(MAX_SLIDERS, cells))
        return
    truth = outcome.dataset.marginal(attrs)
    answer, domain = outcome.answer.marginal(attrs), truth.domain
    codes = product(*map(range, domain.sizes))
    names = [tables.cell_name(domain, range(domain.d), code) for code in codes]
    with st.form("guess", border=True):
        with st.grid(4, min_column_width=180):
            given = [
                st.slider(
                    escape.markdown(name), 0, 100, round(100 / cells), format="%d%%",
                    key=f"guess_{'|'.join(attrs)}_{i}",
                )
                for i, name in enumerate(names)
            ]  # fmt: skip
        revealed = st.form_submit_button("Reveal", type="primary", icon=":material/visibility:")
    if not revealed:
        return
    total = sum(given)
    shares = np.array(given) / total if total else np.full(cells, 1 / cells)
    guess = Marginal(truth.domain, shares.reshape(truth.domain.sizes))
    if total != 100:
        st.caption(words.marginals.scaled_text(total))
    others = (guess, answer, uniform(truth.domain, attrs))
    mine, theirs, nothing = (typical_points([sse(truth, other)], cells) for other in others)
    with st.grid(3, min_column_width=180):
        for name, points in zip(words.marginals.GUESSED, (mine, theirs, nothing)):
            st.metric(name, words.numbers.points(points), border=True)
    drawn = tables.make_table_data(
        truth, answer, guess=shares, reading=tables.measured_reading(truth, answer), height=300,
        head=Head(naming.table_question(domain)),
    )  # fmt: skip
    draw_table(drawn, key="guessed")
    if mine < theirs:
        st.success(words.marginals.CLOSER_THAN_REPORTS)
    elif math.isclose(mine, nothing):
        st.info(words.marginals.UNIFORM_GUESSED)
    elif mine < nothing:
        st.info(words.marginals.BETTER_THAN_NOTHING)
    elif theirs < nothing:
        st.info(words.marginals.WORSE_THAN_NOTHING)
    else:
        st.info(words.marginals.NOTHING_WINS)


def _open_row() -> None:
    chosen = st.session_state["ranking"]["selection"]["rows"]
    attrs = st.session_state.get("ranking_attrs", ())
    if chosen and chosen[0] < len(attrs) and state.change(attrs=attrs[chosen[0]]):
        view_state.change(view="")


def _sorted_scores(settings: Settings, outcome: Run) -> pd.DataFrame:
    scores = results.score_all_tables(settings, outcome)
    return scores.sort_values("sse", ascending=False, ignore_index=True)


def show_ranking(settings: Settings, outcome: Run) -> None:
    """Show one row per table: origin, error, and the error of a guess."""
    domain, ordered = outcome.dataset.domain, _sorted_scores(settings, outcome)
    held = results.scores_text(ordered, settings, domain.d)
    st.markdown(f"{held} {words.marginals.RANKING_HINT}")
    st.session_state["ranking_attrs"] = tuple(ordered["attributes"])
    cells = np.array([domain.cells_of(attrs) for attrs in ordered["attributes"]])
    names = words.marginals.RANKING_COLUMNS
    shown = pd.DataFrame(
        {
            "title": [naming.join_titles(domain, attrs, 24) for attrs in ordered["attributes"]],
            "origin": ["view" if covered else "rebuilt" for covered in ordered["covered"]],
            "points": 100 * np.sqrt(ordered["sse"] / cells),
            "guess": 100 * np.sqrt(ordered["uniform_sse"] / cells),
            "ratio": 100 * np.sqrt(ordered["sse"] / ordered["uniform_sse"]),
        }
    ).rename(columns=names)
    number = st.column_config.NumberColumn
    st.dataframe(
        shown, hide_index=True, key="ranking", on_select=_open_row, selection_mode="single-row",
        height=360, alt=words.marginals.RANKING,
        column_config={
            names["title"]: st.column_config.TextColumn(width="large"),
            names["points"]: number(format="%.3g"), names["guess"]: number(format="%.3g"),
            names["ratio"]: number(format="%.3g%%"),
        },
    )  # fmt: skip


def show_ranking_details(settings: Settings, outcome: Run) -> None:
    """Show the same tables with every measure of error, and a download."""
    ordered = _sorted_scores(settings, outcome)
    titles = [
        naming.join_titles(outcome.dataset.domain, attrs, 24) for attrs in ordered["attributes"]
    ]
    number = st.column_config.NumberColumn
    st.dataframe(
        ordered.assign(title=titles), hide_index=True, alt=words.marginals.RANKING,
        column_order=("title", "sse", "l1", "l2", "jensen_shannon", "uniform_sse"),
        column_config={
            "title": words.marginals.RANKING_COLUMNS["title"],
            "sse": number("SSE, squared shares", format="%.2e"),
            "l1": number("L1, shares", format="%.3g"),
            "l2": number("L2, shares", format="%.3g"),
            "jensen_shannon": number("Jensen-Shannon, nats", format="%.3g"),
            "uniform_sse": number("SSE of equal shares", format="%.2e"),
        },
    )  # fmt: skip
    st.download_button(
        "Download CSV", csv_text(ordered.drop(columns="query")), "tables.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="ranking_csv",
    )  # fmt: skip


def compute_stages(settings: Settings, outcome: Run) -> dict[str, tuple]:
    """Return the tables of all views at four stages; for CALM+ its own answers as a fifth."""

    def make() -> dict[str, tuple]:
        answer = outcome.answer
        # Only this answer offers views.
        assert isinstance(answer, ViewsAnswer) and isinstance(answer.views, ConsistentMarginals)
        # Parity reports have no tables; these are computed from them.
        noisy = full_tables_from_parities(answer.noisy)
        # What the method did may differ from CALM's settings.
        did = answer.views.report
        found = dict(
            consistency_stages(
                noisy,
                nonnegativity=did.nonnegativity,
                rounds=did.rounds,
                weights=did.weights,
            )
        )
        last = list(found)[-1]
        wanted = {"raw": "raw", "consistent": "consistent"}
        wanted |= {"non-negative": "non-negative 1"} if "non-negative 1" in found else {}
        wanted |= {"final": last}
        shown = {name: found[stage] for name, stage in wanted.items()}
        if answer.inferred is not answer.views:
            shown["plus"] = tuple(answer.marginals(noisy.views))
        return shown

    return cached_calls.get_result("stages", settings.results_key, make)


def show_stages(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """Show the stages of a view that holds one of the attributes."""
    if "views" not in outcome.answer.offers:
        st.info(words.common.ONLY_CALM, icon=":material/info:")
        return
    stages = compute_stages(settings, outcome)
    views = [measured.attrs for measured in stages["raw"]]
    near = sorted(range(len(views)), key=lambda i: -len(set(views[i]) & set(attrs)))
    index = st.selectbox(
        words.marginals.STAGE_VIEW, near, key="stage_view", help=words.marginals.STAGE_HELP,
        format_func=lambda i: escape.shorten(naming.join_titles(outcome.domain, views[i], 24), 90),
    )  # fmt: skip
    truth = outcome.dataset.marginal(views[index])
    found = {name: stage[index] for name, stage in stages.items()}
    axis = _stage_axis(truth, found)
    small = truth.values.size <= tables.MAX_NUMBERS
    places = st.columns(len(found), gap="small") if small else [st.container() for _ in found]
    for place, (name, stage) in zip(places, found.items()):
        with place:
            drawn = tables.make_table_data(
                truth, stage, reading=tables.measured_reading(truth, stage), axis=axis, numbers=False,
                order=np.argsort(-truth.values.ravel(), kind="stable"), compact=small, height=280,
                grows=False, head=Head(words.marginals.STAGES[name]),
            )  # fmt: skip
            draw_table(drawn, key=f"stage_{name}")
    below = int((found["raw"].values < 0).sum())
    st.caption(words.marginals.stages_text(below, truth.values.size))
    st.caption(words.marginals.STAGES_LEAD)


def _stage_axis(truth: Marginal, found: dict[str, Marginal]) -> Axis:
    """Return one axis for all stages, below zero as far as the raw shares are."""
    shares = [stage.values for stage in found.values()]
    axis = tables.make_axis(truth.values, *shares)
    least = min(float(values.min()) for values in shares)
    return Axis(axis.top, axis.tick, min(0.0, axis.tick / 2 * np.floor(least / (axis.tick / 2))))
