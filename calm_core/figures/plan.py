"""Figures of a plan (Table 2, views, predicted errors), of its collection (counts, reports), and of the oracles."""

import math
from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calm_core.attacks.guessing import attack_success
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
from calm_core.planning.plan import Plan


def choices_map(table: pd.DataFrame, marked: tuple[float, int] | None = None) -> go.Figure:
    """The pair (l, m) of Algorithm 1 in every cell, colored by l: Table 2.

    Parameters
    ----------
    table : DataFrame
        Rows with n, d, k, epsilon, l and m; a row of the figure for every n, d and k.
    marked : (epsilon, k), optional
        A frame is drawn around the nearest epsilon, if there is one row of this k.

    Examples
    --------
    >>> table = pd.DataFrame({"n": 2**16, "d": 8, "k": 3, "epsilon": [0.2, 2.0], "l": [2, 4], "m": [28, 14]})
    >>> choices_map(table).data[0].text.tolist()
    [['2, 28', '4, 14']]
    """
    named = [name for name in ("n", "d", "k") if name == "k" or table[name].nunique() > 1]
    rows = [
        ", ".join(f"{name} = {row[name]:,}" for name in named) for _, row in table[named].iterrows()
    ]
    pairs = [f"{l}, {m:,}" for l, m in zip(table["l"], table["m"])]  # noqa: E741
    wide = table.assign(row=rows, pair=pairs).pivot(index="row", columns="epsilon")
    wide = wide.loc[list(dict.fromkeys(rows))]
    epsilons, sizes = wide["l"].columns, wide["l"].to_numpy()
    figure = go.Figure().add_heatmap(
        z=sizes, text=wide["pair"].to_numpy(), texttemplate="%{text}", x=[f"{e:g}" for e in epsilons],
        y=list(wide.index), colorscale=[[0, "#E3EEF5"], [1, "#0072B2"]], zmin=2, zmax=max(8, sizes.max()),
        showscale=False, xgap=3, ygap=3, hovertemplate="%{y}, ε = %{x}<br>(l, m) = (%{text})<extra></extra>",
    )  # fmt: skip
    if marked is not None and (row := f"k = {marked[1]}") in wide.index:
        x, y = np.abs(epsilons - marked[0]).argmin(), wide.index.get_loc(row)
        figure.add_shape(
            type="rect", x0=x - 0.5, x1=x + 0.5, y0=y - 0.5, y1=y + 0.5,
            line={"color": COLORS["threshold"], "width": 4},
        )  # fmt: skip
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_xaxes(title="privacy ε", type="category", side="top")
    height = 60 + max(24, 312 // len(wide)) * len(wide)
    return apply_layout(figure, height=height, margin={"l": 10, "r": 10, "t": 60, "b": 10})


def incidence(plan: Plan, limit: int = 400) -> go.Figure:
    """Which attribute (row) is in which view (column), for the first `limit` views."""
    views = plan.views[:limit]
    matrix = [[1 if name in view else 0 for view in views] for name in plan.domain.names]
    rows = list(range(plan.domain.d))
    names = [escape_label(plan.domain.title_of(name), 20) for name in plan.domain.names]
    figure = go.Figure().add_heatmap(
        z=matrix, x=list(range(1, len(views) + 1)), y=rows, showscale=False,
        colorscale=[[0, COLORS["faint"]], [1, COLORS["estimate"]]], zmin=0, zmax=1,
        xgap=1 if len(views) <= 130 else 0, ygap=2,
        hovertemplate="view %{x}: %{y}<extra></extra>",
    )  # fmt: skip
    figure.update_yaxes(autorange="reversed", tickvals=rows, ticktext=names)
    figure.update_xaxes(title="view")
    return apply_layout(figure, height=90 + max(18, 340 // plan.domain.d) * plan.domain.d)


def expected_curve(
    numbers: Sequence[int],
    curves: Sequence[Sequence[float]],
    *,
    now: float,
    title: str,
    chances: bool,
) -> go.Figure:
    """What is expected, of 100, over the number of people, with the current number.

    Of two curves the space between is filled; `chances` are on a scale from 0 to 100.
    """
    figure = go.Figure()
    for number, curve in enumerate(curves):
        figure.add_scatter(
            x=list(numbers), y=list(curve), mode="lines", showlegend=False, fill="tonexty" if number else None,
            line={"color": COLORS["estimate"], "width": 3},
            hovertemplate="people n = %{x:,}<br>%{y:.2g} of 100<extra></extra>",
        )  # fmt: skip
    add_reference_line(figure, "x", now, "now", log=True, color=COLORS["true"], dash="dot")
    log_axis(figure, "x", title="people n")
    if chances:
        figure.update_yaxes(title=title, range=[0, 102])
    else:
        log_axis(figure, "y", title=title)
    return apply_layout(figure, height=340)


MAX_CELLS = 64
# Lines of equally good oracles coincide: every second one is dashed.
DASHES = ("solid", "dash")


def raw_counts(view: ViewReports, labels: Sequence[str], titles: Sequence[str]) -> go.Figure:
    """Number of reports that support each cell, as the server receives them; a line at pure noise."""
    support = view.support[:MAX_CELLS]
    figure = go.Figure().add_bar(
        x=list(range(len(support))), y=support, marker_color=COLORS["true"], customdata=list(labels),
        hovertemplate="%{customdata}<br>%{y:,} reports<extra></extra>",
    )  # fmt: skip
    level = view.n * view.oracle.q
    figure.add_hline(level, line_dash="dash", line_color=COLORS["threshold"], line_width=3)
    figure.update_yaxes(title="reports supporting the cell")
    return apply_layout(_ticks(figure, labels, titles), height=340)


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
    oracle: Oracle, cell: int, labels: Sequence[str], titles: Sequence[str], report=()
) -> go.Figure:
    """Probability that each cell is in the report of a person in `cell`; those in `report` are filled."""
    cells = range(min(len(labels), MAX_CELLS))
    figure = go.Figure().add_bar(
        x=list(cells), y=[oracle.p if i == cell else oracle.q for i in cells], customdata=list(labels),
        marker={
            "color": [COLORS["estimate" if i in report else "faint"] for i in cells],
            "line": {
                "width": [3 if i == cell else 1 for i in cells],
                "color": [COLORS["accent" if i == cell else "true"] for i in cells],
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


def opposite_bars(shares: Mapping[str, float], sides: tuple[str, str]) -> go.Figure:
    """A row of two opposite bars for every name: its share to the left, the rest to the right.

    Examples
    --------
    >>> figure = opposite_bars({"before": 0.2}, ("the true cell", "any other cell"))
    >>> [(trace.name, trace.x) for trace in figure.data]
    [('the true cell', (-0.2,)), ('any other cell', (0.8,))]
    """
    left, right = [-share for share in shares.values()], [1 - share for share in shares.values()]
    figure = go.Figure()
    for name, color, places in zip(sides, ("estimate", "true"), (left, right)):
        figure.add_bar(
            x=places, y=[f"{name}: {share:.0%}" for name, share in shares.items()], orientation="h", name=name,
            marker_color=COLORS[color], hoverinfo="skip",
        )  # fmt: skip
    figure.update_xaxes(range=[-1, 1], showticklabels=False, showgrid=False)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return apply_layout(figure, height=90 + 40 * len(shares), barmode="relative")


def variance_by_size(epsilon: float, size: int) -> go.Figure:
    """Variance of one report of each oracle over the number of cells, with the paper's switch; `size` is marked.

    It is the variance of a normalized contrast.
    """
    figure, sizes = go.Figure(), np.unique(np.geomspace(2, 2048, 60).astype(int))
    for color, dash, kind in zip(cycle(SERIES), cycle(DASHES), ORACLES.values()):
        figure.add_scatter(
            x=sizes, y=[kind(epsilon, int(s)).contrast_variance(1) if s <= kind.largest else None for s in sizes],
            mode="lines", name=kind.title, line={"color": color, "width": 3, "dash": dash},
            hovertemplate=f"{kind.name.upper()}<br>%{{x:.3g}}: %{{y:.3g}}<extra></extra>",
        )  # fmt: skip
    switch = 3 * math.exp(epsilon) + 2
    add_reference_line(figure, "x", switch, f"GRR below {switch:,.0f} cells", log=True)
    # Two texts beside each other would overlap.
    now = "now" if abs(math.log(size / switch)) > 0.7 else ""
    add_reference_line(figure, "x", size, now, log=True, color=COLORS["true"], dash="dot")
    log_axis(figure, "x", title="cells in the view L")
    log_axis(figure, "y", title="variance of one report")
    return apply_layout(figure, height=400)


EPSILONS = np.geomspace(0.1, 8, 14)


def success_by_error(size: int, epsilon: float, n: int) -> go.Figure:
    """The best guess from one report against the typical error of a cell: a line per oracle, over epsilon.

    At equal error, the lowest line gives least away. Marks show the given epsilon.

    Parameters
    ----------
    size : int
        Number of cells, equally likely.
    epsilon : float
    n : int
        Number of people who report on this table.

    References
    ----------
    Arcolezi and Gambs, arXiv 2503.01482.

    Examples
    --------
    >>> success_by_error(16, 1.0, 2000).data[0].name
    'Randomized response (GRR)'
    """
    figure = go.Figure()
    curves = attack_success([size], EPSILONS, n).groupby("oracle", sort=False)
    now = attack_success([size], [epsilon], n).set_index("oracle")
    for (name, points), color in zip(curves, SERIES):
        title = ORACLES[str(name)].title
        figure.add_scatter(
            x=100 * np.sqrt(points["error"]), y=100 * points["success"], mode="lines", name=title,
            line={"color": color}, customdata=points["epsilon"],
            hovertemplate="ε = %{customdata:.2g}: %{y:.1f} of 100, %{x:.2g} points",
        )  # fmt: skip
        figure.add_scatter(
            x=[100 * np.sqrt(now["error"][name])], y=[100 * now["success"][name]], mode="markers",
            marker={"color": color, "size": 11}, name=f"{title}, ε = {epsilon:g}", showlegend=False,
        )  # fmt: skip
    return apply_layout(
        figure, height=340,
        xaxis={"type": "log", "title": "typical error of a cell, points", "dtick": "D2"},
        yaxis={"title": "guesses right, of 100", "rangemode": "tozero"},
    )  # fmt: skip
