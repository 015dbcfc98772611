"""Why: the square of the typical error as one bar, cut into its three sources."""

import math

import pandas as pd
import streamlit as st

from calm_core.evaluation.error_sources import PARTS, split_error
from calm_core.evaluation.run import Run
from calm_core.methods import Calm
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached, escape, state

COLOURS = {"noise": "released", "sampling": "sampling", "reconstruction": "rebuilding"}
# Without colours the three are equally grey: plain, striped and dotted tell them apart.
PATTERNS = {
    "noise": "",
    "sampling": "var(--striped),",
    "reconstruction": "var(--dotted),",
}


def parts_of(settings: Settings, outcome: Run) -> pd.DataFrame:
    """The split of the run's own queries, kept; its first collection is the run itself."""

    def make() -> pd.DataFrame:
        method = Calm(**settings.method_settings)
        rng = stream(settings.seed, 0, Calm.name)
        with st.spinner("Collecting three more times"):
            return split_error(outcome.dataset, method, outcome.queries, rng=rng)

    return cached.get_result("split", settings.results_key, make)


def squares(parts: pd.DataFrame, domain: Domain) -> dict[str, float]:
    """Mean squared error of a cell in squared points: of the whole, its parts and the reruns."""
    cells = [math.prod(domain.shape_of(attrs)) for attrs in parts["attributes"]]
    columns = (*words.errors.RERUNS, *PARTS)
    return {name: 1e4 * float((parts[name] / cells).mean()) for name in columns}


def show(settings: Settings, outcome: Run) -> None:
    """The bar with its three numbers."""
    if settings.method != Calm.name:
        st.markdown(words.errors.NOT_SPLIT)
        st.button(
            words.errors.USE_CALM, key="why_calm", on_click=_use_calm,
        )  # fmt: skip
        return
    found = squares(parts_of(settings, outcome), outcome.domain)
    cancelled = any(found[name] < 0 for name in PARTS)
    st.markdown(words.errors.why(outcome.points, cancelled=cancelled))
    st.html(bar(found, found["sse"], high=30, gap=3) + legend(found, settings, outcome))
    say_below_zero(found)


def _use_calm() -> None:
    state.apply(words.errors.METHOD_CALM, method=Calm.name)


def say_below_zero(found: dict[str, float]) -> None:
    """That a source is missing from the bar."""
    below = [words.errors.SOURCES[name][0].lower() for name in PARTS if found[name] < 0]
    if below:
        st.caption(words.errors.below_zero(below))


def points_of(square: float) -> float | None:
    """The root of a square; None below zero."""
    return math.sqrt(square) if square >= 0 else None


def _fill(name: str) -> str:
    return f"background:{PATTERNS[name]}var(--calm-{COLOURS[name]})"


def bar(found: dict[str, float], whole: float, *, high: int, gap: int = 0) -> str:
    """The parts side by side as HTML; `whole` is the square that fills the width."""
    drawn = [name for name in PARTS if found[name] > 0]
    scale = 100 / max(whole, sum(found[name] for name in drawn), 1e-300)
    pieces = "".join(
        f'<span style="width:{round(scale * found[name], 2)}%;{_fill(name)};border-radius:4px"></span>'
        for name in drawn
    )
    told = words.errors.sources({name: points_of(found[name]) for name in PARTS})
    return (
        f'<div role="img" aria-label="{escape.as_html(told, 300)}" '
        f'style="display:flex;gap:{gap}px;height:{high}px;margin:2px 0 8px">{pieces}</div>'
    )


def legend(found: dict[str, float], settings: Settings, outcome: Run) -> str:
    """One line per source: its colour, what it is, its points."""
    lines = []
    for name in PARTS:
        label, text, _ = words.errors.SOURCES[name]
        if name == PARTS[-1]:
            text = words.errors.rebuilding(outcome.plan.l, settings.k)
        points = points_of(found[name])
        number = "–" if points is None else words.numbers.points(points, unit=False)
        lines.append(
            '<div style="display:flex;align-items:center;gap:8px;line-height:1.6">'
            f'<i class="swatch" style="flex:none;width:14px;height:14px;border-radius:3px;{_fill(name)}"></i>'
            f'<b style="font-weight:650">{label}</b><span style="color:var(--calm-muted);flex:1">{text}</span>'
            f'<b style="font-weight:650;font-variant-numeric:tabular-nums">{number}</b></div>'
        )
    return "".join(lines)
