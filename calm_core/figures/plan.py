"""Figures of a plan: noise curves, Table 2, views, and predicted errors."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from calm_core.evaluation.metrics import typical_points
from calm_core.figures.theme import (
    COLORS,
    SERIES,
    add_reference_line,
    apply_layout,
    escape_label,
    log_axis,
)
from calm_core.planning.algorithm1 import Choice, choose_views, mean_cells, noise_error
from calm_core.planning.plan import Plan

EPSILONS_OF_FIGURE = np.round(np.arange(0.2, 2.01, 0.05), 2)
TABLE_EPSILONS = tuple(round(0.2 * i, 1) for i in range(1, 11))
TABLE_KS = tuple(range(3, 9))


def noise_curves(
    n: int, sizes: Sequence[int], k: int, theta: float, epsilon: float, chosen: int
) -> go.Figure:
    """Noise in points over epsilon for each view size (figure 3 of CALM), with theta and the current choice."""
    d = len(sizes)
    grid = np.union1d(EPSILONS_OF_FIGURE, [epsilon])

    def points(l: int, e: float) -> float:  # noqa: E741
        return _points(k * noise_error(n, d, e, l, mean_cells(sizes, l)), sizes, k)

    figure = go.Figure()
    for i, l in enumerate(range(2, min(d, max(6, chosen)) + 1)):  # noqa: E741
        figure.add_scatter(
            x=grid, y=[points(l, float(e)) for e in grid], mode="lines", name=f"views of {l}",
            line={"color": SERIES[i % len(SERIES)], "width": 4 if l == chosen else 2},
            hovertemplate=f"views of {l}, ε = %{{x}}<br>noise ±%{{y:.2g}} points<extra></extra>",
        )  # fmt: skip
    figure.add_scatter(
        x=[epsilon], y=[points(chosen, epsilon)], mode="markers", name="now", showlegend=False,
        marker={"size": 14, "color": COLORS["threshold"], "line": {"width": 2, "color": "white"}},
        hovertemplate="now: ε = %{x}, noise ±%{y:.2g} points<extra></extra>",
    )  # fmt: skip
    add_reference_line(figure, "y", _points(theta, sizes, k), "θ", log=True)
    log_axis(figure, "y", title="noise, points")
    figure.update_xaxes(title="privacy ε")
    return apply_layout(figure, height=420)


def _points(error: float, sizes: Sequence[int], k: int) -> float:
    """An error of a k-way table, as Algorithm 1 computes it, in points."""
    return typical_points([error], [mean_cells(sizes, k)])


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


def pair_coverage(plan: Plan) -> go.Figure:
    """How many views contain each pair of attributes; pairs in no view are marked."""
    names = plan.domain.names
    held = np.array([[name in view for view in plan.views] for name in names], dtype=int)
    together = (held @ held.T).astype(float)
    np.fill_diagonal(together, np.nan)
    texts = [["" if np.isnan(v) else f"{v:.0f}" for v in row] for row in together]
    show = "%{text}" if plan.domain.d <= 18 else ""
    figure = go.Figure().add_heatmap(
        z=together, x=_rows(plan), y=_rows(plan), text=texts, texttemplate=show,
        colorscale=[[0, "#F0C9A8"], [0.001, "#E3EEF5"], [1, "#0072B2"]], zmin=0,
        zmax=max(1.0, float(np.nanmax(together))), showscale=False, xgap=2, ygap=2,
        hovertemplate="views with both: %{z}<extra></extra>",
    )  # fmt: skip
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(tickvals=_rows(plan), ticktext=_names(plan), showgrid=False)
    figure.update_yaxes(autorange="reversed")
    return apply_layout(figure, height=90 + max(18, 340 // plan.domain.d) * plan.domain.d)


def expected_curve(
    x: Sequence[float], errors: Sequence[float], now: float, *, what: str
) -> go.Figure:
    """Predicted error in points over epsilon or the number of people, with the current value."""
    figure = go.Figure()
    figure.add_scatter(
        x=list(x), y=list(errors), mode="lines", name="predicted",
        line={"color": COLORS["estimate"], "width": 3},
        hovertemplate=f"{what} = %{{x:,}}<br>±%{{y:.2g}} points<extra></extra>", showlegend=False,
    )  # fmt: skip
    add_reference_line(figure, "x", now, "now", log=True, color=COLORS["true"], dash="dot")
    log_axis(figure, "x", title=what)
    log_axis(figure, "y", title="predicted, points")
    return apply_layout(figure, height=340)


def _rows(plan: Plan) -> list[int]:
    return list(range(plan.domain.d))


def _names(plan: Plan) -> list[str]:
    return [escape_label(plan.domain.title_of(name), 20) for name in plan.domain.names]
