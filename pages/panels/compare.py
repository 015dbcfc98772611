"""The parts of the page Methods: the request, the rows, and the drawer with curves, table and download."""

import math
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import streamlit as st

from calm_core.errors import InputError, UserError
from calm_core.evaluation.metrics import (
    Verdict,
    compare_with_best,
    describe_failures,
    judge_error,
    summarize_wrong,
)
from calm_core.experiments.background import ComparisonState
from calm_core.experiments.spec import ExperimentSpec, MethodSpec, parse_methods
from calm_core.figures.errors import describe_methods, failed_repetitions, method_curves
from calm_core.methods import METHODS, CalmPlus
from calm_core.methods.central.base import ADD_REMOVE, REPLACE
from calm_core.settings import Settings
from calm_core.tables.dataset import People
from pages import words
from pages.ui import cached_calls, display, downloads, frame, results, warnings, widgets
from pages.ui.state import to_sentence

SAID = words.compare

STYLE = f"<style>{Path(__file__).with_name('compare.css').read_text('utf-8')}</style>"
# Settings of the Lab that all methods of a comparison use, where they have them.
SHARED_SETTINGS = ("theta", "oracle", "nonnegativity", "rounds", "reconstruction", "design")
TITLES = {name: method.title for name, method in METHODS.items()}


def chosen_specs(names: list[str], settings: Settings, *, neighbors: str) -> tuple[MethodSpec, ...]:
    """Return what to measure for the chosen methods."""
    shared = {name: getattr(settings, name) for name in SHARED_SETTINGS}
    return parse_methods(",".join(names), neighbors=neighbors, **shared)


# Methods chosen by default, by trust.
DEFAULT_METHODS = {"local": ("calm", "calm_plus", "ft"), "central": ()}
# Values compared by default, and all that are offered.
DEFAULT_VALUES = {
    "epsilon": (0.2, 0.5, 1.0, 2.0, 4.0),
    "n": (1_000, 3_000, 10_000, 30_000, 100_000),
}
OFFERED_VALUES = {
    "epsilon": (0.1, 0.2, 0.5, 0.8, 1.0, 1.4, 2.0, 3.0, 4.0),
    "n": (500, *DEFAULT_VALUES["n"], 300_000, 1_000_000),
}


def _note_press() -> None:
    # A run may end early, for another press, before it reaches the end of the form.
    st.session_state["compare_pressed"] = True


def choose_axis() -> str:
    """Show the choice of what the methods are compared over; return "epsilon" or "n"."""
    return widgets.choose_segment(SAID.AXIS, SAID.AXES, "compare_over", persist_state="session")


def current_value(settings: Settings, over: str) -> float:
    """Return the epsilon or the number of people of the settings."""
    if over == "epsilon":
        return settings.epsilon
    return settings.n or cached_calls.people(settings).n


def show_request_form(settings: Settings, dataset: People, over: str) -> ExperimentSpec | None:
    """Show the form; return a request once it is submitted."""
    n = settings.n or dataset.n
    # The number of people set is always among those offered.
    others = (n,) if over == "n" else ()
    with st.form("comparison"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(SAID.CHOICE, width="stretch")
            st.form_submit_button(
                "Compare", type="primary", icon=":material/play_arrow:", on_click=_note_press
            )
        selected: list[str] = []
        for trust, usual in DEFAULT_METHODS.items():
            names = [name for name, method in METHODS.items() if method.trust == trust]
            picked = st.pills(
                SAID.TRUST[trust], names, selection_mode="multi", default=[n for n in usual if n in names],
                format_func=lambda name: METHODS[name].title, key=f"compare_{trust}",
                persist_state="session", wrap=True, help=SAID.BELOW_ZERO_HELP if trust == "local" else None,
            )  # fmt: skip
            selected += picked
        equal = st.checkbox(
            SAID.EQUAL_LABEL, key="compare_equal", persist_state="session",
            help=SAID.EQUAL_HELP,
        )  # fmt: skip
        values = st.multiselect(
            SAID.VALUES, sorted({*OFFERED_VALUES[over], *others}),
            default=sorted({*DEFAULT_VALUES[over], *others}), format_func=partial(words.settings.setting_text, over),
            key=f"compare_{over}_{others}", persist_state="session",
        )  # fmt: skip
        left, right = st.columns(2, vertical_alignment="bottom")
        repetitions = left.number_input(
            "Repeats", 1, 400, 20, key="compare_repetitions", persist_state="session",
            help=SAID.REPETITIONS_HELP,
        )  # fmt: skip
        queries = right.number_input(
            "Tables", 1, 200, 20, key="compare_queries", persist_state="session",
            help=SAID.tables_help(k=settings.k),
        )  # fmt: skip
    st.caption(SAID.IDLE)
    # Where a run can end early no more: a press that is taken here leads to a comparison.
    if not st.session_state.pop("compare_pressed", False):
        return None
    if not values:
        raise InputError(SAID.NO_VALUES)
    neighbors = REPLACE if equal else ADD_REMOVE
    methods = chosen_specs(selected, settings, neighbors=neighbors)
    epsilons, ns = (settings.epsilon,), (n,)
    if over == "n":
        ns = tuple(sorted(map(int, values)))
    else:
        epsilons = tuple(sorted(values))
    return ExperimentSpec(
        dataset, methods, epsilons, ks=(settings.k,), ns=ns,
        repetitions=int(repetitions), queries=int(queries), seed=settings.seed,
    )  # fmt: skip


# More rows could not be read from the back of a lecture hall.
MAX_IN_LECTURE, MAX_NOTE = 8, 300


class Row(NamedTuple):
    """One line of a comparison: the share of people in the wrong cell; `note` says why there is none."""

    method: str
    wrong: float | None
    verdict: Verdict | None
    note: str = ""


def predicted_rows(settings: Settings) -> list[Row]:
    """Return all local methods with their expected errors, closest first; those without a number last."""
    rows = []
    for name, method in METHODS.items():
        if method.trust != "local":
            continue
        changed = settings.with_changes(method=name)
        try:
            wrong = warnings.predict_wrong(changed)
        except UserError as error:
            rows.append(Row(name, None, None, str(error)))
            continue
        kind = None if wrong is None else judge_error(wrong, cached_calls.guess_wrong(changed))
        note = "" if wrong is not None else SAID.NO_FORMULA
        rows.append(Row(name, wrong, kind, note))
    return sort_rows(rows)


def measured_rows(here: pd.DataFrame, guess: float, failed: dict[str, str]) -> list[Row]:
    """Return the methods of a summary at one value; `failed` maps methods to notes."""
    rows = []
    for name, wrong in zip(here["method"], here["mean"] / 100):
        measured = not pd.isna(wrong)
        note = failed.get(name, "" if measured else SAID.COULD_NOT)
        row = (float(wrong), judge_error(wrong, guess)) if measured else (None, None)
        rows.append(Row(name, *row, note))
    return sort_rows(rows)


def sort_rows(rows: Iterable[Row]) -> list[Row]:
    """Return local methods first and the closest first; those without a number last."""

    def rank(row: Row) -> tuple[bool, float]:
        wrong = math.inf if row.wrong is None else row.wrong
        return METHODS[row.method].trust != "local", wrong

    return sorted(rows, key=rank)


def show_rows(rows: list[Row]) -> None:
    """Draw the rows, with headings where both kinds of trust occur."""
    lecture = frame.is_lecture()
    shown = rows[:MAX_IN_LECTURE] if lecture else rows
    trusts = list(dict.fromkeys(METHODS[row.method].trust for row in shown))
    parts = []
    for trust in trusts:
        if len(trusts) > 1:
            parts.append(f'<h3 class="calm-trust">{SAID.TRUST[trust]}</h3>')
        rows_alike = [row for row in shown if METHODS[row.method].trust == trust]
        parts.append("".join(_row_html(row) for row in rows_alike))
    kind = "calm-rows lecture" if lecture else "calm-rows"
    label = f'role="list" aria-label="{SAID.ROWS}"'
    st.html(f'<div class="{kind}" {label}>{"".join(parts)}</div>{STYLE}')


def _row_html(row: Row) -> str:
    method = METHODS[row.method]
    kind = "" if row.note == SAID.NO_FORMULA else ' class="failed"'
    note = f"<em{kind}>{display.as_html(row.note, MAX_NOTE)}</em>" if row.note else ""
    number = verdict = ""
    if row.wrong is not None and row.verdict is not None:
        number, verdict = words.numbers.share_of_100(row.wrong), frame.verdict_html(row.verdict)
    # A lecture has two lines: the reason for a missing number replaces the summary.
    summary = (
        "" if note and not number and frame.is_lecture() else display.as_html(method.summary, 200)
    )
    return (
        f'<div class="calm-row" role="listitem"><b>{display.as_html(TITLES[row.method])}</b>'
        f"<span>{summary} {note}</span><strong>{number}</strong>{verdict or '<i></i>'}</div>"
    )


def nearest_value(scores: pd.DataFrame, over: str, value: float) -> float:
    """Return the measured value of `over` that is nearest to `value`."""
    measured = set(scores.dropna(subset=["l1"])[over])
    return min(measured, key=lambda one: abs(math.log(one / value)))


def best_title(scores: pd.DataFrame, over: str, value: float) -> str:
    """Return the best local method nearest to a value, and those that may be as good; "" without any."""
    at = nearest_value(scores, over, value)
    comparison = compare_with_best(scores, at, over)
    if comparison is None:
        return ""
    best, alike = comparison
    summary = summarize_wrong(scores, over).set_index(["method", over])["mean"]
    names = [(TITLES[name], summary[name, at] / 100) for name in (best, *alike)]
    place = words.settings.setting_text(over, at)
    return SAID.best_title(names, place, scores["repetition"].nunique())


def show_end(state: ComparisonState) -> None:
    """Say how the comparison ended."""
    if state.name == "died":
        st.error(to_sentence(state.sentence), icon=":material/error:")
    elif state.name == "stopped":
        st.info(to_sentence(state.sentence), icon=":material/stop:")


def expected_summary(settings: Settings, over: str = "epsilon") -> pd.DataFrame:
    """Return what is expected of the methods chosen by default, as `summarize_wrong` has what was measured."""

    def at(name: str, value: float) -> float:
        try:
            wrong = warnings.predict_wrong(settings.with_changes(**{"method": name, over: value}))
        except UserError:
            wrong = None
        return math.nan if wrong is None else 100 * wrong

    def make() -> pd.DataFrame:
        names = DEFAULT_METHODS["local"]
        rows = [("local", name, x, at(name, x)) for name in names for x in OFFERED_VALUES[over]]
        summary = pd.DataFrame(rows, columns=["trust", "method", over, "mean"])
        return summary.assign(low=summary["mean"], high=summary["mean"], failed=0, repetitions=0)

    return cached_calls.get_result(f"expected over {over}", settings.results_key, make)


def show_expected(settings: Settings, over: str) -> None:
    """Show the curves and rows of the formulas."""
    if not frame.is_lecture():
        now, summary = current_value(settings, over), expected_summary(settings, over)
        show_frontier(settings, summary, over, now, SAID.EXPECTED)
    show_rows(predicted_rows(settings))


def show_frontier(
    settings: Settings, summary: pd.DataFrame, over: str, now: float, note: str
) -> None:
    """Draw people in the wrong cell over ε or n for every method; `settings` are those at the start."""
    guess = 100 * cached_calls.guess_wrong(settings)
    bands = f" {SAID.BANDS}" if summary["repetitions"].any() else ""
    results.show_figure(
        # Only the numbers identify what was measured so far.
        "methods", (*cached_calls.data_key(settings), summary.to_csv(), guess, note, now),
        lambda: (
            method_curves(summary, TITLES, over, guess=guess, now=now, note=note),
            describe_methods(summary, TITLES, over) + bands,
        ),
    )  # fmt: skip


def show_results(
    settings: Settings, spec: ExperimentSpec, scores: pd.DataFrame, state: ComparisonState, over: str, value: float
) -> None:  # fmt: skip
    """Show the curves, the methods at the measured value of `over` nearest to `value`, and the drawer."""
    lecture = frame.is_lecture()
    summary = None if scores["l1"].isna().all() else summarize_wrong(scores, over)
    if summary is not None:
        at = nearest_value(scores, over, value)
        if not lecture:
            show_frontier(settings, summary, over, at, state.unfinished_mark)
            texts = [words.settings.setting_text(over, one) for one in (at, value)]
            st.caption(SAID.measured_note(*texts, spec.repetitions))
        failed = failed_repetitions(summary, {})
        guess = cached_calls.guess_wrong(settings)
        show_rows(measured_rows(summary[summary[over] == at], guess, failed))
    elif not scores.empty:
        st.caption(SAID.NOTHING_RAN)
    elif state.name == "running":
        st.caption(SAID.SOON)
    if not lecture:
        failures = list(describe_failures(scores, TITLES))
        for sentence in failures:
            st.caption(to_sentence(sentence))
        if failures:
            st.caption(SAID.SURVIVORS)
    if summary is not None and not lecture:
        show_table_drawer(settings, scores, summary, state, over)


def show_table_drawer(
    settings: Settings, scores: pd.DataFrame, summary: pd.DataFrame, state: ComparisonState, over: str
) -> None:  # fmt: skip
    """Show a drawer with table and download."""
    panel = st.expander(SAID.CURVES, on_change="rerun", key="compare_curves")
    if not panel.open:
        return
    with panel:
        if CalmPlus.name in set(summary["method"]) and settings.design != "algorithm1":
            design = words.common.DESIGNS[settings.design]
            st.caption(SAID.COMPARED_DESIGN.format(design=design))
        _show_table(scores, summary, state, over)


def _wrong_by_value(summary: pd.DataFrame, over: str) -> pd.DataFrame:
    """Return the people of 100 in the wrong cell of every method at every value of `over`."""
    titled = summary.assign(method=summary["method"].map(TITLES))
    wide = titled.pivot_table(
        "mean", ["trust", "method"], over, sort=False, dropna=False, observed=True
    )
    text = partial(words.settings.setting_text, over)
    return wide.reindex(columns=sorted(wide.columns)).rename(columns=text)


def export_table(scores: pd.DataFrame, state: ComparisonState) -> tuple[str, pd.DataFrame]:
    """Return name and content of the CSV; both mark an unfinished comparison."""
    if not state.unfinished_mark:
        return "comparison.csv", scores
    return "comparison-unfinished.csv", scores.assign(comparison=state.unfinished_mark)


def _show_table(
    scores: pd.DataFrame, summary: pd.DataFrame, state: ComparisonState, over: str
) -> None:
    wide = _wrong_by_value(summary, over)
    numbers = {
        name: st.column_config.NumberColumn(format="%.2g", help=SAID.MEASURED)
        for name in wide.columns
    }
    st.dataframe(wide.reset_index(), hide_index=True, alt=SAID.TABLE, column_config=numbers)
    file, table = export_table(scores, state)
    downloads.show_csv_download(lambda: table, file, "comparison_csv", help=SAID.CSV_HELP)
