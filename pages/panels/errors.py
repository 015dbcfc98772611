"""The parts of the page Errors: pairs, reasons and suggestions."""

from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from calm_core.evaluation.error_sources import PARTS, split_error
from calm_core.evaluation.run import Run, score_pairs
from calm_core.figures import errors as figures
from calm_core.methods import Calm
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import (
    cached_calls,
    display,
    downloads,
    frame,
    navigation,
    results,
    state,
    warnings,
    widgets,
)
from pages.ui.components import mount

SAID = words.errors

STYLE = f"<style>{Path(__file__).with_name('errors.css').read_text('utf-8')}</style>"
# More labels could not be read from the back of a lecture hall.
MAX_IN_LECTURE = 12


def pair_errors(settings: Settings, outcome: Run) -> pd.DataFrame:
    """Return the scores of all pairs, cached."""
    return cached_calls.get_result(
        "pairs", settings.results_key, lambda: score_pairs(outcome.dataset, outcome.answer)
    )


def find_worst_pair(domain: Domain, scored: pd.DataFrame) -> tuple[str, float]:
    """Return the titles of the pair with most people in the wrong cell, and their share."""
    worst = scored.loc[scored["l1"].idxmax()]
    return _pair_name(domain, worst["attributes"]), float(worst["l1"]) / 2


def worst_pair_text(settings: Settings, outcome: Run) -> str:
    """Return the result of this step in the stepper: the error of the worst pair, cached."""

    def make() -> str:
        _, wrong = find_worst_pair(outcome.domain, pair_errors(settings, outcome))
        return SAID.worst_result(wrong=wrong)

    return cached_calls.get_result("worst", settings.results_key, make)


def _pair_name(domain: Domain, attrs: tuple[str, ...]) -> str:
    """Return two attributes in a few words: smoked × drank."""
    return " × ".join(display.short_titles(domain.project(attrs)))


def open_pair_table(attrs: tuple[str, ...]) -> None:
    """Open the table over these attributes."""
    if state.change(attrs=attrs):
        navigation.go("marginals")


def attributes_drawn(domain: Domain, scored: pd.DataFrame, lecture: bool) -> tuple[str, ...]:
    """Return the attributes of the triangle: all, or in a lecture the twelve with the largest errors."""
    if not lecture or domain.d <= MAX_IN_LECTURE:
        return domain.names
    ordered = scored.sort_values("l1", ascending=False)["attributes"]
    worst = dict.fromkeys(name for attrs in ordered for name in attrs)
    return domain.canonical(list(worst)[:MAX_IN_LECTURE])


def show_pairs(outcome: Run, scored: pd.DataFrame, *, lecture: bool) -> None:
    """Draw the errors of all pairs as a triangle."""
    domain = outcome.domain
    names = attributes_drawn(domain, scored, lecture)
    place = {name: i for i, name in enumerate(names)}
    titles = {name: display.attribute_title(domain, name, 28) for name in names}
    pairs = scored.loc[[set(attrs) <= place.keys() for attrs in scored["attributes"]], :]
    cells = [
        {
            "row": place[b], "column": place[a], "wrong": float(wrong),
            "text": SAID.cell_number(wrong),
            "alt": SAID.pair_text(f"{titles[a]} × {titles[b]}", wrong, bool(covered)),
        }
        for (a, b), wrong, covered in zip(pairs["attributes"], pairs["l1"] / 2, pairs["covered"])
    ]  # fmt: skip
    best, (worst, worst_wrong) = pairs.loc[pairs["l1"].idxmin()], find_worst_pair(domain, pairs)
    closest = _pair_name(domain, best["attributes"]), float(best["l1"]) / 2
    sentence = SAID.pairs_text(len(pairs), worst, worst_wrong, *closest)
    if len(names) < domain.d:
        sentence = f"{SAID.shown_text(count=len(names), there=domain.d)} {sentence}"
    mount(
        "pairs", {"labels": list(titles.values()), "cells": cells, "alt": sentence, "lecture": lecture},
        on={"open": lambda pair: open_pair_table((names[pair[1]], names[pair[0]]))},
    )  # fmt: skip


METRICS = {"sse": "SSE", "l1": "L1", "jensen_shannon": "Jensen-Shannon"}


def show_details(settings: Settings, outcome: Run, scored: pd.DataFrame) -> None:
    """Show a drawer with a heat map of all pairs, drawn once it is open."""
    panel = st.expander(SAID.DETAILS, on_change="rerun", key="errors_details")
    if not panel.open:
        return
    with panel:
        st.markdown(words.common.SSE)
        metric = widgets.choose_segment(
            "Error measured as", METRICS, "pairs_metric", persist_state="session"
        )
        results.show_figure(
            "pairs", (settings.results_key, metric),
            lambda: (
                figures.pair_heatmap(scored, outcome.domain.names, metric), figures.describe_pairs(scored, metric)
            ),
        )  # fmt: skip
        downloads.show_csv_download(
            lambda: scored.drop(columns="query"), "pairs.csv", "pairs_csv",
            help=f"All pairs with {', '.join(figures.METRIC_TITLES.values())}.",
        )  # fmt: skip


COLORS = {"noise": "reconstructed", "sampling": "sampling", "reconstruction": "rebuilding"}
# In gray the three colors look alike: patterns tell them apart.
PATTERNS = {"noise": "", "sampling": "var(--striped),", "reconstruction": "var(--dotted),"}


def error_parts(settings: Settings, outcome: Run) -> pd.DataFrame:
    """Return the split of the run's own queries, cached; its first collection is the run itself."""

    def make() -> pd.DataFrame:
        method = Calm(**settings.method_settings)
        rng = stream(settings.seed, 0, Calm.name)
        with st.spinner("Collecting three more times"):
            return split_error(outcome.dataset, method, outcome.queries, rng=rng)

    return cached_calls.get_result("split", settings.results_key, make)


def mean_parts(parts: pd.DataFrame, domain: Domain) -> dict[str, float]:
    """Return shares of people in the wrong cell: `wrong`, and by source, which add up to it.

    Each source has the part that it has of the mean squared error of a cell; below 0 where errors cancel.
    """
    cells = parts["attributes"].map(domain.cells_of)
    squares = {name: float((parts[name] / cells).mean()) for name in (*PARTS, "sse")}
    wrong = float(parts["wrong"].mean())
    shares = {name: wrong * squares[name] / max(squares["sse"], 1e-300) for name in PARTS}
    return {"wrong": wrong} | shares


def show_reasons(settings: Settings, outcome: Run) -> None:
    """Show the bar of error sources with their numbers."""
    if settings.method != Calm.name:
        st.markdown(SAID.NOT_SPLIT)
        st.button(
            SAID.USE_CALM, key="why_calm", on_click=state.apply_change,
            args=(SAID.METHOD_CALM,), kwargs={"method": Calm.name},
        )  # fmt: skip
        return
    shares = mean_parts(error_parts(settings, outcome), outcome.domain)
    st.markdown(SAID.reasons_title(wrong=shares["wrong"]))
    st.html(bar_html(shares) + legend_html(shares, settings, outcome))
    show_negative_parts(shares)


def show_negative_parts(shares: dict[str, float]) -> None:
    """Say which sources are missing from the bar because they are negative."""
    below = [SAID.SOURCES[name][0].lower() for name in PARTS if shares[name] < 0]
    if below:
        st.caption(SAID.below_zero_note(names=" or ".join(below)))


def _fill_style(name: str) -> str:
    return f"background:{PATTERNS[name]}var(--calm-{COLORS[name]})"


def bar_html(shares: dict[str, float]) -> str:
    """Return the parts side by side as HTML."""
    names = [name for name in PARTS if shares[name] > 0]
    scale = 100 / max(sum(shares[name] for name in names), 1e-300)
    pieces = "".join(
        f'<span style="width:{round(scale * shares[name], 2)}%;{_fill_style(name)}"></span>'
        for name in names
    )
    text = display.as_html(SAID.sources_text({name: shares[name] for name in PARTS}), 300)
    return f'<div class="calm-bar" role="img" aria-label="{text}">{pieces}</div>'


def part_number(part: float) -> str:
    """Return a part of the error, or a dash where errors cancel."""
    return "–" if part < 0 else words.numbers.share_of_100(part)


def legend_html(shares: dict[str, float], settings: Settings, outcome: Run) -> str:
    """Return one line per source: its color, what it is, its number."""
    lines = []
    for name in PARTS:
        label, text = SAID.SOURCES[name]
        if name == PARTS[-1]:
            text = SAID.rebuilding_text(outcome.plan.l, settings.k)
        lines.append(
            f'<div class="calm-part"><i class="swatch" style="{_fill_style(name)}"></i>'
            f"<b>{label}</b><span>{text}</span><b>{part_number(shares[name])}</b></div>"
        )
    return "".join(lines)


def show_suggestions(settings: Settings, outcome: Run) -> None:
    """Show one row per suggestion: the change, what is expected and what one collection gave, Apply.

    Each is tried once: one that saves less than a tenth in fact is not shown.
    """
    now = SAID.current_text(warnings.predict_wrong(settings), outcome.wrong)
    st.html(STYLE)
    st.markdown(f"{SAID.HELP} {now}")
    offers = [
        (offer, tried)
        for offer in warnings.suggest_changes(settings)
        if (tried := warnings.try_suggestion(settings, offer)) is None
        or tried.wrong <= (1 - warnings.MIN_GAIN) * outcome.wrong
    ]
    if not offers:
        st.caption(SAID.NOTHING_HELPS)
    with st.container(key="offers"):
        for offer, tried in offers:
            with st.container(
                key=f"offer_{offer.id}", horizontal=True, vertical_alignment="center", border=True, wrap=False
            ):  # fmt: skip
                hint = words.settings.HINTS[offer.id].format(value=offer.changes[offer.id])
                st.html(
                    f'<b>{offer.label}</b> <span class="calm-hint">{hint}</span>', width="stretch"
                )
                st.html(_promise_html(offer, tried), width="content")
                press = partial(warnings.apply_suggestion, offer)
                st.button(SAID.APPLY, key=f"apply_{offer.id}", on_click=press)


def _promise_html(offer: warnings.Suggestion, tried: Run | None) -> str:
    text = SAID.tried_text(offer.wrong, None if tried is None else tried.wrong)
    verdict = offer.verdict if tried is None else tried.verdict
    if verdict is None:
        return f'<span class="calm-hint">{words.settings.NO_FORMULA}</span>'
    return f'<b class="calm-promise">{text}</b> &nbsp;{frame.verdict_html(verdict)}'
