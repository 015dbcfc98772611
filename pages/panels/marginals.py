"""The table of the page Marginals with its notes and details, and its other views: guess first, all tables, stages."""

import math
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import streamlit as st

from calm_core.evaluation.metrics import METRICS, Verdict, sse, wrong_share
from calm_core.evaluation.run import Run
from calm_core.inference.consistency import ConsistentMarginals, consistency_stages
from calm_core.inference.shrinkage.answers import PlusNote
from calm_core.inference.shrinkage.interactions import full_tables_from_parities
from calm_core.methods import METHODS
from calm_core.methods.base import ViewsAnswer
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, uniform
from pages import words
from pages.ui import (
    cached_calls,
    display,
    downloads,
    error_by_epsilon,
    frame,
    navigation,
    results,
    state,
    tables,
    warnings,
)
from pages.ui.tables import draw_table

SAID = words.marginals

# Smaller tables that are named; further ones are counted.
MAX_NAMED = 8
STAGES_ACTION = ("stages", SAID.SEE_STAGES)


def _explain(outcome: Run, attrs: tuple[str, ...]):
    """Return how the table was made, where its method says so."""
    answer = outcome.answer
    return answer.explain(attrs) if isinstance(answer, ViewsAnswer) else None


def table_origin(outcome: Run, attrs: tuple[str, ...]) -> dict:
    """Return how the table was made, for the note beside the chart."""
    answer, note = outcome.answer, _explain(outcome, attrs)
    text = ""
    if note is None:
        finding = SAID.MEASURED if answer.covers(attrs) else SAID.COMPUTED
    elif isinstance(note, PlusNote):
        finding, text = note.text, note.assumption
    elif note.covered:
        finding, text = SAID.covered(groups=len(note.views)), SAID.SUMMED
    else:
        sizes = {len(part) for part in note.constraints}
        finding, text = SAID.NOT_COVERED, SAID.rebuilt_text(len(note.constraints), sizes)
    action = STAGES_ACTION if isinstance(answer, ViewsAnswer) else None
    return {"finding": finding, "text": text, "action": action}


def origin_remarks(outcome: Run, attrs: tuple[str, ...]) -> list[str]:
    """Return further sentences about how the table was made."""
    note = _explain(outcome, attrs)
    if note is None:
        return []
    if isinstance(note, PlusNote):
        helped = [display.short_title(outcome.domain, name) for name in note.neighbors]
        return [f"Fitted together with {', '.join(helped)}."] if helped else []
    if note.covered:
        return []
    parts = [display.join_titles(outcome.domain, part, 24) for part in note.constraints]
    remarks = [SAID.agreement_text(parts[:MAX_NAMED], len(parts))]
    return remarks if note.converged else [*remarks, SAID.gap_text(violation=note.violation)]


# All cells of a large table would be too much for one message to the browser.
MAX_ROWS = 20_000


def show_details(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """Show errors with units, and all cells."""
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    if METHODS[settings.method].trust == "central":
        st.caption(words.settings.CENTRAL_GUARANTEE)
    results.show_error_metrics({name: metric(truth, answer) for name, metric in METRICS.items()})
    guess = SAID.uniform_text(guess=sse(truth, uniform(truth.domain, attrs)))
    st.markdown(" ".join([*map(display.sentence, origin_remarks(outcome, attrs)), guess]))
    _show_cells(truth, answer, results.cell_intervals(outcome.answer, attrs))


def _show_cells(
    truth: Marginal, answer: Marginal, limits: tuple[np.ndarray, np.ndarray] | None
) -> None:
    """Show every cell in the file's own words, with a download."""
    true, reconstructed = truth.values.ravel(), answer.values.ravel()
    columns = {
        "true share": true, "reconstructed share": reconstructed, "difference": reconstructed - true,
    }  # fmt: skip
    if limits is not None:
        low, high = limits
        inside = int(((true >= low - 1e-12) & (true <= high + 1e-12)).sum())
        st.caption(SAID.INTERVALS.format(inside=inside, cells=low.size))
    exact = results.list_cells(truth.domain, columns, limits)
    if len(exact) > MAX_ROWS:
        st.caption(SAID.first_cells(shown=MAX_ROWS, cells=len(exact)))
    decimals = words.numbers.decimals(len(exact))
    table = exact.head(MAX_ROWS).round(decimals)
    # The difference of the rounded shares; adding 0 removes the sign of -0.
    off = table["reconstructed share"] - table["true share"]
    table["difference"] = off.round(decimals) + 0.0
    # The step sets the number of digits.
    share = st.column_config.NumberColumn(format="percent", step=10.0**-decimals)
    st.dataframe(
        table, hide_index=True, alt=SAID.TABLE,
        column_config=dict.fromkeys(table.columns[truth.domain.d :], share),
    )  # fmt: skip
    downloads.show_csv_download(lambda: exact, "table.csv", "table_csv")


def repeats_note(domain: Domain, attrs: tuple[str, ...]) -> str:
    """Return what the repeats of a table are, or why there are none."""
    if domain.cells_of(attrs) > error_by_epsilon.MAX_CELLS:
        return SAID.too_many_to_watch(most=error_by_epsilon.MAX_CELLS)
    return SAID.PLAYS_LEAD.format(times=error_by_epsilon.COLLECTIONS)


MAX_SUGGESTIONS = 2
# Up to so many attributes have long titles in their chips.
LONG_CHIPS = 3


def table_views(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> dict[str, str]:
    """Return the secondary views of this table with their names."""
    domain = outcome.dataset.domain
    cells, views = domain.cells_of(attrs), dict(SAID.VIEWS)
    views["all"] = SAID.all_tables(tables=math.comb(domain.d, settings.k))
    views["list"] = SAID.list_label(cells=cells)
    if cells > tables.MAX_BARS:
        views["table"] = SAID.RANKED
    rows, columns = tables.make_grid(domain.project(attrs)).values()
    views["grid"] = f"Grid {len(rows)} × {len(columns)}"
    if cells <= tables.MAX_NUMBERS:
        # The numbers are printed below the bars.
        del views["list"]
        if len(attrs) != 2 or cells == 4:
            del views["grid"]
    return views


def table_title(settings: Settings, outcome: Run, attrs: tuple[str, ...], view: str) -> str:
    """Return the question the table answers; in a lecture what it is good for."""
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    if frame.is_lecture():
        errors = error_by_epsilon.error_by_epsilon(
            settings, error_by_epsilon.compare_table(outcome, attrs), attrs
        ).errors
        return " ".join(results.measured_reading(truth, answer, errors).sentence).strip()
    if truth.values.size > tables.MAX_BARS and view in ("table", "plays"):
        return f"{truth.values.size:,} cells, largest first"
    return display.table_question(truth.domain)


def show_table(settings: Settings, outcome: Run, attrs: tuple[str, ...], view: str) -> None:
    """Draw the chart with its column; `view` is "table", "grid", "list" or "plays"."""
    compared = error_by_epsilon.compare_table(outcome, attrs)
    titled = display.attribute_title if len(attrs) <= LONG_CHIPS else display.short_title
    chips = tables.make_chips(outcome.domain, attrs, titled=titled)
    beside = {
        "side": _side_column(settings, outcome, compared.truth, compared.answer),
        "chips": None if state.is_hidden("attrs") else chips,
        "intervals": results.cell_intervals(outcome.answer, attrs),
    }
    choose = partial(_on_attributes_change, outcome.domain)

    def draw(spread: error_by_epsilon.ErrorByEpsilon) -> None:
        data = _table_data(compared.truth, compared.answer, view, spread, beside)
        draw_table(data, key="marginal", on={"act": _on_action, "attrs": choose})

    error_by_epsilon.draw_with_updates(settings, compared, attrs, draw)


def _table_data(
    truth: Marginal,
    answer: Marginal,
    view: str,
    spread: error_by_epsilon.ErrorByEpsilon,
    beside: dict,
) -> dict:
    fields = beside | spread.table_fields(truth.values.size)
    if view == "plays":
        # The repeats show themselves how much they vary.
        fields |= {"intervals": None, "spread": spread.here.spread if spread.here else 0.0}
        if spread.plays is not None:
            texts = SAID.TABLE_TEXTS
            fields["texts"] = texts | {"ghosts": texts["all"], "ghosts_short": texts["all_short"]}
            if spread.here and spread.here.spread > 0:
                # Errors of real collections.
                fields["ghosts"] = (spread.plays - truth.values.ravel()) / spread.here.spread
    elif beside["intervals"] is None and spread.plays is not None:
        # Methods without intervals have those of their repeats.
        fields["intervals"] = results.repeat_intervals(answer, spread.plays)
    return tables.make_table_data(
        truth, answer, style="pale" if view == "plays" else "solid",
        mode=view if view in ("grid", "list") else "", lecture=frame.is_lecture(),
        reading=results.measured_reading(truth, answer, spread.errors), **fields,
    )  # fmt: skip


def _side_column(settings: Settings, outcome: Run, truth: Marginal, answer: Marginal) -> dict:
    off = (answer.values - truth.values).ravel()
    worst = int(np.argmax(np.abs(off)))
    code = [int(i) for i in np.unravel_index(worst, truth.domain.sizes)]
    name = tables.cell_name(truth.domain, range(truth.domain.d), code)
    shares = float(truth.values.ravel()[worst]), float(answer.values.ravel()[worst])
    unusable = results.measured_reading(truth, answer).verdict == Verdict.UNUSABLE.value
    helps = warnings.suggested_fixes(settings)[:MAX_SUGGESTIONS] if unusable else ()
    return {
        "mean": SAID.mean_note(
            tables=results.tables_scored(outcome), k=settings.k, wrong=outcome.wrong
        ),
        "furthest": SAID.furthest_text(name, *shares),
        "origin": table_origin(outcome, truth.attrs),
        "notes": warnings.method_notes(settings, outcome.plan),
        "actions": [(f"suggestion {offer.id}", warnings.promise_text(offer)) for offer in helps],
    }


def _on_attributes_change(domain: Domain, change: dict) -> None:
    attrs = state.attributes_shown(state.current(), domain)
    state.set_field("attrs", tables.changed_attributes(domain, attrs, change))


def _on_action(pressed: str) -> None:
    """Handle a button beside the chart."""
    kind, _, what = pressed.partition(" ")
    if kind == "stages":
        navigation.change(view="stages", at=0)
    for offer in warnings.suggested_fixes(state.current()) if kind == "suggestion" else ():
        if offer.id == what:
            warnings.change_settings(offer.changes)


MAX_SLIDERS = 12


def show_guess(outcome: Run, attrs: tuple[str, ...]) -> None:
    """Show a form to guess every cell; then the guess beside the truth and the collection."""
    st.markdown(SAID.GUESS_LEAD)
    cells = outcome.dataset.domain.cells_of(attrs)
    if cells > MAX_SLIDERS:
        st.info(SAID.too_many_to_guess(most=MAX_SLIDERS, cells=cells))
        return
    truth = outcome.dataset.marginal(attrs)
    answer, domain = outcome.answer.marginal(attrs), truth.domain
    codes = product(*map(range, domain.sizes))
    names = [tables.cell_name(domain, range(domain.d), code) for code in codes]
    with st.form("guess", border=True):
        with st.grid(4, min_column_width=180):
            percents = [
                st.slider(
                    display.markdown(name), 0, 100, round(100 / cells), format="%d%%",
                    key=f"guess_{'|'.join(attrs)}_{i}",
                )
                for i, name in enumerate(names)
            ]  # fmt: skip
        revealed = st.form_submit_button("Reveal", type="primary", icon=":material/visibility:")
    if not revealed:
        return
    total = sum(percents)
    shares = np.array(percents) / total if total else np.full(cells, 1 / cells)
    guess = Marginal(truth.domain, shares.reshape(truth.domain.sizes))
    if total != 100:
        st.caption(SAID.scaled_text(total=total))
    others = (guess, answer, uniform(truth.domain, attrs))
    mine, theirs, nothing = (wrong_share(truth, other) for other in others)
    with st.grid(3, min_column_width=180):
        for name, wrong in zip(SAID.GUESSED, (mine, theirs, nothing)):
            st.metric(name, words.numbers.people_wrong(wrong), border=True)
    data = tables.make_table_data(
        truth, answer, guess=shares, reading=results.measured_reading(truth, answer), height=300,
        head={"title": display.table_question(domain)},
    )  # fmt: skip
    draw_table(data, key="guessed")
    st.info(SAID.CLOSER_THAN_REPORTS if mine < theirs else SAID.REPORTS_ARE_CLOSER)


def _open_row() -> None:
    rows = st.session_state["ranking"]["selection"]["rows"]
    attrs = st.session_state.get("ranking_attrs", ())
    if rows and rows[0] < len(attrs) and state.change(attrs=attrs[rows[0]]):
        navigation.change(view="")


def show_ranking(settings: Settings, outcome: Run) -> None:
    """Show one row per table: origin, error, and the error of a guess."""
    scores = results.score_all_tables(settings, outcome)
    ordered = scores.sort_values("l1", ascending=False, ignore_index=True)
    which = SAID.scores_text(len(ordered), math.comb(outcome.domain.d, settings.k), settings.k)
    st.markdown(f"{which} {SAID.RANKING_HINT}")
    st.session_state["ranking_attrs"] = tuple(ordered["attributes"])
    names = SAID.RANKING_COLUMNS
    table = pd.DataFrame(
        {
            "title": [display.join_titles(outcome.domain, at, 24) for at in ordered["attributes"]],
            "origin": ["view" if covered else "rebuilt" for covered in ordered["covered"]],
            "wrong": 50 * ordered["l1"],
            "guess": 50 * ordered["uniform_l1"],
            "ratio": 100 * ordered["l1"] / ordered["uniform_l1"],
        }
    ).rename(columns=names)
    number = st.column_config.NumberColumn
    st.dataframe(
        table, hide_index=True, key="ranking", on_select=_open_row, selection_mode="single-row",
        height=360, alt=SAID.RANKING,
        column_config={
            names["title"]: st.column_config.TextColumn(width="large"),
            names["wrong"]: number(format="%.3g"), names["guess"]: number(format="%.3g"),
            names["ratio"]: number(format="%.3g%%"),
        },
    )  # fmt: skip


def show_ranking_details(settings: Settings, outcome: Run) -> None:
    """Show the mean of every measure of error over the same tables, with all of them as a download."""
    scores = results.score_all_tables(settings, outcome)
    st.markdown(SAID.MEAN_ERRORS)
    results.show_error_metrics(scores[list(SAID.METRICS)].mean().to_dict())
    exact = scores.sort_values("l1", ascending=False).drop(columns="query")
    downloads.show_csv_download(lambda: exact, "tables.csv", "ranking_csv")


def compute_stages(settings: Settings, outcome: Run) -> dict[str, tuple]:
    """Return the tables of all views at four stages; for CALM+ its own answers as a fifth."""

    def make() -> dict[str, tuple]:
        answer = outcome.answer
        assert isinstance(answer, ViewsAnswer) and isinstance(answer.views, ConsistentMarginals)
        # Parity reports have no tables; these are computed from them.
        noisy = full_tables_from_parities(answer.noisy)
        # What the method did may differ from CALM's settings.
        did = answer.views.report
        options = {name: getattr(did, name) for name in ("nonnegativity", "rounds", "weights")}
        all_stages = dict(consistency_stages(noisy, **options))
        sources = {"raw": "raw", "consistent": "consistent", "non-negative": "non-negative 1"}
        sources |= {"final": list(all_stages)[-1]}
        stages = {name: all_stages[stage] for name, stage in sources.items() if stage in all_stages}
        if answer.inferred is not answer.views:
            stages["plus"] = tuple(answer.marginals(noisy.views))
        return stages

    return cached_calls.get_result("stages", settings.results_key, make)


def show_stages(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """Show the stages of a view that holds one of the attributes."""
    if not isinstance(outcome.answer, ViewsAnswer):
        st.info(words.common.ONLY_CALM, icon=":material/info:")
        return
    stages = compute_stages(settings, outcome)
    views = [measured.attrs for measured in stages["raw"]]
    near = sorted(range(len(views)), key=lambda i: -len(set(views[i]) & set(attrs)))
    index = near[0] if frame.is_lecture() else st.selectbox(
        SAID.STAGE_VIEW, near, key="stage_view", help=SAID.STAGE_HELP,
        format_func=lambda i: display.shorten(display.join_titles(outcome.domain, views[i], 24), 90),
    )  # fmt: skip
    truth = outcome.dataset.marginal(views[index])
    found = {name: stage[index] for name, stage in stages.items()}
    axis = tables.shared_axis(truth, *found.values())
    lecture = frame.is_lecture()
    if lecture:
        # One stage a screen; the keys go through them.
        frame.set_step_count(len(found))
        name = list(found)[min(navigation.current().at, len(found) - 1)]
        frame.set_title(SAID.STAGES[name])
        found = {name: found[name]}
    small = truth.values.size <= tables.MAX_NUMBERS
    places = st.columns(len(found), gap="small") if small else [st.container() for _ in found]
    for place, (name, stage) in zip(places, found.items()):
        with place:
            data = tables.make_table_data(
                truth, stage, reading=results.measured_reading(truth, stage), axis=axis, numbers=False,
                order=np.argsort(-truth.values.ravel(), kind="stable"), compact=small and not lecture, height=280, lecture=lecture,
                grows=False, head={"title": SAID.STAGES[name]},
            )  # fmt: skip
            draw_table(data, key=f"stage_{name}")
    if lecture:
        return
    below = int((found["raw"].values < 0).sum())
    st.caption(SAID.stages_text(below=below, cells=truth.values.size))
    st.caption(SAID.STAGES_LEAD)
