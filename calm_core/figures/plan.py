"""Figures of a plan (Table 2, views, predicted errors) and of its collection (counts, reports)."""

import math
from collections.abc import Sequence
from itertools import cycle

import numpy as np
import plotly.graph_objects as go

from calm_core.collection.simulation import ViewReports
from calm_core.figures.theme import (
    COLORS,
    SERIES,
    add_reference_line,
    apply_layout,
    escape_label,
    log_axis,
)
from calm_core.oracles import ORACLES
from calm_core.oracles.base import Oracle
from calm_core.planning.algorithm1 import Choice, choose_views
from calm_core.planning.plan import Plan
from calm_core.tables.marginal import Marginal

TABLE_EPSILONS = tuple(round(0.2 * i, 1) for i in range(1, 11))
TABLE_KS = tuple(range(3, 9))


def table_of_choices(n: int, d: int) -> list[list[Choice]]:
    """Algorithm 1 for every cell of one block of the paper's Table 2: rows k, columns epsilon.

    Examples
    --------
    >>> table = table_of_choices(2**16, 8)
    >>> table[0][9].l, table[0][9].m
    (4, 14)
    """
    return [[choose_views(n, (2,) * d, e, k) for e in TABLE_EPSILONS] for k in TABLE_KS if k <= d]


def choices_map(table: list[list[Choice]], marked: tuple[float, int] | None = None) -> go.Figure:
    """Table 2 as a heatmap: (l, m) in each cell, colored by l; `marked` is the current (epsilon, k)."""
    ks = TABLE_KS[: len(table)]
    sizes = [[choice.l for choice in row] for row in table]
    texts = [[f"{choice.l}, {choice.m}" for choice in row] for row in table]
    figure = go.Figure().add_heatmap(
        z=sizes, text=texts, texttemplate="%{text}", x=[f"{e:g}" for e in TABLE_EPSILONS],
        y=[str(k) for k in ks], colorscale=[[0, "#E3EEF5"], [1, "#0072B2"]], zmin=2,
        zmax=max(8, *map(max, sizes)), showscale=False, xgap=3, ygap=3,
        hovertemplate="k = %{y}, ε = %{x}<br>(l, m) = (%{text})<extra></extra>",
    )  # fmt: skip
    if marked is not None and marked[1] in ks:
        at = min(range(len(TABLE_EPSILONS)), key=lambda i: abs(TABLE_EPSILONS[i] - marked[0]))
        row = ks.index(marked[1])
        figure.add_shape(
            type="rect", x0=at - 0.5, x1=at + 0.5, y0=row - 0.5, y1=row + 0.5,
            line={"color": COLORS["threshold"], "width": 4},
        )  # fmt: skip
    figure.update_yaxes(title="k", autorange="reversed", type="category")
    figure.update_xaxes(title="privacy ε", type="category", side="top")
    return apply_layout(
        figure, height=60 + 52 * len(table), margin={"l": 10, "r": 10, "t": 60, "b": 10}
    )


def incidence(plan: Plan, most: int = 400) -> go.Figure:
    """Which attribute (row) is in which view (column), for the first `most` views."""
    views = plan.views[:most]
    held = [[1 if name in view else 0 for view in views] for name in plan.domain.names]
    figure = go.Figure().add_heatmap(
        z=held, x=list(range(1, len(views) + 1)), y=_rows(plan), showscale=False,
        colorscale=[[0, COLORS["faint"]], [1, COLORS["estimate"]]], zmin=0, zmax=1,
        xgap=1 if len(views) <= 130 else 0, ygap=2,
        hovertemplate="view %{x}: %{y}<extra></extra>",
    )  # fmt: skip
    figure.update_yaxes(autorange="reversed", tickvals=_rows(plan), ticktext=_names(plan))
    figure.update_xaxes(title="view")
    return apply_layout(figure, height=90 + max(18, 340 // plan.domain.d) * plan.domain.d)


def expected_curve(
    x: Sequence[float],
    *curves: Sequence[float],
    now: float,
    what: str,
    title: str = "expected in the wrong cell, of 100",
    chances: bool = False,
) -> go.Figure:
    """What is expected, of 100, over epsilon or the number of people, with the current value.

    Of two curves the space between is filled; `chances` are on a scale from 0 to 100.
    """
    figure = go.Figure()
    for number, curve in enumerate(curves):
        figure.add_scatter(
            x=list(x), y=list(curve), mode="lines", name="expected",
            line={"color": COLORS["estimate"], "width": 3}, fill="tonexty" if number else None,
            hovertemplate=f"{what} = %{{x:,}}<br>%{{y:.2g}} of 100<extra></extra>", showlegend=False,
        )  # fmt: skip
    add_reference_line(figure, "x", now, "now", log=True, color=COLORS["true"], dash="dot")
    log_axis(figure, "x", title=what)
    if chances:
        figure.update_yaxes(title=title, range=[0, 102])
    else:
        log_axis(figure, "y", title=title)
    return apply_layout(figure, height=340)


def _rows(plan: Plan) -> list[int]:
    return list(range(plan.domain.d))


def _names(plan: Plan) -> list[str]:
    return [escape_label(plan.domain.title_of(name), 20) for name in plan.domain.names]


MAX_CELLS = 64
# Lines of equally good oracles coincide: every second one is dashed.
DASHES = ("solid", "dash")


def raw_counts(view: ViewReports, labels: Sequence[str], titles: Sequence[str]) -> go.Figure:
    """Number of reports that support each cell, as the server receives them; a line at pure noise."""
    shown = slice(0, MAX_CELLS)
    figure = go.Figure().add_bar(
        x=list(range(len(labels)))[shown], y=view.support[shown], marker_color=COLORS["true"],
        customdata=list(labels)[shown],
        hovertemplate="%{customdata}<br>%{y:,} reports<extra></extra>",
    )  # fmt: skip
    level = view.n * view.oracle.q
    figure.add_hline(level, line_dash="dash", line_color=COLORS["threshold"], line_width=3)
    figure.update_yaxes(title="reports supporting the cell")
    return apply_layout(_ticks(figure, labels, titles), height=340)


def estimates(estimate: np.ndarray, truth: Marginal, labels: Sequence[str]) -> go.Figure:
    """True shares and unbiased estimates, with negative ones as they are."""
    flat, true = np.ravel(estimate)[:MAX_CELLS], truth.values.ravel()[:MAX_CELLS]
    places = list(range(len(flat)))
    colors = np.where(flat < 0, COLORS["negative"], COLORS["estimate"])
    names = list(labels)[:MAX_CELLS]
    figure = go.Figure()
    figure.add_bar(
        x=places, y=true, marker_color=COLORS["true"], name="true (simulation only)",
        customdata=names, hovertemplate="%{customdata}<br>true %{y:.1%}<extra></extra>",
    )  # fmt: skip
    figure.add_bar(
        x=places, y=flat, marker_color=colors, name="reconstructed", customdata=names,
        hovertemplate="%{customdata}<br>reconstructed %{y:.1%}<extra></extra>",
    )  # fmt: skip
    figure.update_yaxes(title="share of people", tickformat=".0%")
    figure.add_hline(0, line_color=COLORS["true"], line_width=1)
    return apply_layout(
        _ticks(figure, labels, [truth.domain.title_of(name) for name in truth.attrs]), height=340
    )


def _ticks(figure: go.Figure, labels: Sequence[str], titles: Sequence[str]) -> go.Figure:
    """Label the x axis with the cells, if there are few, and the titles of the attributes."""
    title = " · ".join(escape_label(name, 30) for name in titles)
    names = list(labels)[:MAX_CELLS]
    if len(names) <= 16:
        figure.update_xaxes(tickvals=list(range(len(names))), ticktext=names, title=title)
    else:
        figure.update_xaxes(title=f"cells of {title}", showticklabels=False)
    return figure


def report_chances(
    oracle: Oracle, cell: int, labels: Sequence[str], titles: Sequence[str], report=None
) -> go.Figure:
    """Probability that each cell is in the report of a person in `cell`; those in `report` are filled."""
    names = list(labels)[:MAX_CELLS]
    chances = [oracle.p if i == cell else oracle.q for i in range(len(names))]
    sent = set() if report is None else set(report)
    figure = go.Figure().add_bar(
        x=list(range(len(names))), y=chances, customdata=names,
        marker={
            "color": [COLORS["estimate"] if i in sent else COLORS["faint"] for i in range(len(names))],
            "line": {
                "width": [3 if i == cell else 1 for i in range(len(names))],
                "color": [COLORS["accent"] if i == cell else COLORS["true"] for i in range(len(names))],
            },
        },
        hovertemplate="%{customdata}<br>in the report with chance %{y:.1%}<extra></extra>",
    )  # fmt: skip
    figure.add_annotation(
        x=cell, y=oracle.p, text="true cell", showarrow=True, arrowhead=0, ay=-28,
        arrowcolor=COLORS["accent"],
    )  # fmt: skip
    figure.update_yaxes(title="chance to be in the report", tickformat=".0%", range=[0, 1.1])
    return apply_layout(_ticks(figure, labels, titles), height=320)


def variance_by_size(epsilon: float, size: int) -> go.Figure:
    """Variance of each oracle over the number of cells at one epsilon, with the paper's switch."""
    grid = np.unique(np.round(np.geomspace(2, 2048, 60)).astype(int))
    figure = _variances([(int(s), epsilon) for s in grid], grid, "cells in the view L")
    switch = 3 * math.exp(epsilon) + 2
    _mark(figure, switch, f"GRR below {switch:,.0f} cells", size)
    return figure


def variance_by_epsilon(size: int, epsilon: float) -> go.Figure:
    """Variance of each oracle over epsilon for one number of cells, with the paper's switch."""
    grid = np.geomspace(0.1, 8, 60)
    figure = _variances([(size, float(e)) for e in grid], grid, "privacy ε")
    # From L - 2 < 3 e^epsilon; there is no switch at or below epsilon = 0.
    switch = math.log((size - 2) / 3) if size > 5 else 0.0
    _mark(figure, switch if switch > 0.1 else None, f"GRR above {switch:.1f}", epsilon)
    return figure


def _mark(figure: go.Figure, switch: float | None, text: str, now: float) -> None:
    if switch is not None:
        add_reference_line(figure, "x", switch, text, log=True)
    add_reference_line(figure, "x", now, "now" if switch is None or abs(math.log(now / switch)) > 0.7 else "",
         log=True, color=COLORS["true"], dash="dot")  # fmt: skip


def _variances(points: list[tuple[int, float]], x, title: str) -> go.Figure:
    """One line per oracle: variance of a normalized contrast for a single report."""
    figure = go.Figure()
    for color, dash, kind in zip(cycle(SERIES), cycle(DASHES), ORACLES.values()):
        values = [
            kind(e, size).contrast_variance(1) if size <= kind.largest else None
            for size, e in points
        ]
        figure.add_scatter(
            x=list(x), y=values, mode="lines", name=kind.title,
            line={"color": color, "width": 3, "dash": dash},
            hovertemplate=f"{kind.name.upper()}<br>%{{x:.3g}}: %{{y:.3g}}<extra></extra>",
        )  # fmt: skip
    log_axis(figure, "x", title=title)
    log_axis(figure, "y", title="variance of one report")
    return apply_layout(figure, height=400)
