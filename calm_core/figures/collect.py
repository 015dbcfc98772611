"""Figures of a collection: groups, raw counts, estimates, oracles, and what a report reveals."""

import math
from collections.abc import Sequence
from itertools import cycle, product

import numpy as np
import plotly.graph_objects as go

from calm_core.collection.simulation import Reports, ViewReports
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
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

MAX_CELLS = 64
# Lines of equally good oracles coincide: every second one is dashed.
DASHES = ("solid", "dash")


def cell_labels(domain: Domain, width: int = 12) -> list[str]:
    """Escaped names of the cells of a table over all attributes of `domain`, row-major.

    Examples
    --------
    >>> cell_labels(Domain(("sex", "age"), (1, 2), (("f",), ("<20", "20+"))))
    ['f · &lt;20', 'f · 20+']
    """
    labels = [
        [escape_label(label, width) for label in domain.labels_of(name)] for name in domain.names
    ]
    return [" · ".join(parts) for parts in product(*labels)]


def group_sizes(reports: Reports) -> go.Figure:
    """Number of people who reported on each view."""
    names = [escape_label(" × ".join(view.attrs), 80) for view in reports.views]
    figure = go.Figure().add_bar(
        x=list(range(1, len(names) + 1)), y=[view.n for view in reports.views],
        customdata=names, marker_color=COLORS["estimate"],
        hovertemplate="view %{x}: %{customdata}<br>%{y:,} people<extra></extra>",
    )  # fmt: skip
    figure.update_xaxes(title="view")
    figure.update_yaxes(title="people")
    return apply_layout(figure, height=200, margin={"l": 10, "r": 10, "t": 10, "b": 10})


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
        x=places, y=flat, marker_color=colors, name="released", customdata=names,
        hovertemplate="%{customdata}<br>released %{y:.1%}<extra></extra>",
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
        x=cell, y=oracle.p, text="her cell", showarrow=True, arrowhead=0, ay=-28,
        arrowcolor=COLORS["accent"],
    )  # fmt: skip
    figure.update_yaxes(title="chance to be in the report", tickformat=".0%", range=[0, 1.1])
    return apply_layout(_ticks(figure, labels, titles), height=320)


def posterior(prior: float, p: float, q: float, times: int = 1) -> float:
    """Mean belief in the true cell after `times` independent reports, starting from `prior`.

    Each report supports a person's true cell with probability p and any other with probability q; the
    mean is over the reports of a person whose cell it is.

    Examples
    --------
    >>> round(posterior(0.5, 0.75, 0.25), 4), round(posterior(0.5, 0.75, 0.25, times=30), 2)
    (0.625, 1.0)
    """
    seen = np.arange(times + 1)
    log_choose = [
        math.lgamma(times + 1) - math.lgamma(s + 1) - math.lgamma(times - s + 1) for s in seen
    ]
    tiny = 1e-300
    yes, no = (
        np.array(log_choose)
        + seen * math.log(max(x, tiny))
        + (times - seen) * math.log(max(1 - x, tiny))
        for x in (p, q)
    )
    belief = 1 / (1 + (1 - prior) / max(prior, tiny) * np.exp(np.clip(no - yes, -700, 700)))
    return float((np.exp(yes) * belief).sum())


def belief_over_repeats(oracle: Oracle, prior: float, most: int = 40) -> go.Figure:
    """Mean belief in a person's true cell over the number of reports with fresh noise."""
    times = list(range(most + 1))
    beliefs = [prior, *(posterior(prior, oracle.p, oracle.q, t) for t in times[1:])]
    figure = go.Figure().add_scatter(
        x=times, y=beliefs, mode="lines", line={"color": COLORS["negative"], "width": 3},
        hovertemplate="%{x} reports: belief %{y:.1%}<extra></extra>", showlegend=False,
    )  # fmt: skip
    figure.add_scatter(
        x=[1], y=beliefs[1:2], mode="markers", showlegend=False,
        marker={"size": 14, "color": COLORS["estimate"], "line": {"width": 2, "color": "white"}},
        hovertemplate="one report: belief %{y:.1%}<extra></extra>",
    )  # fmt: skip
    figure.add_hline(prior, line_dash="dot", line_color=COLORS["true"], annotation_text="before")
    figure.add_annotation(x=1, y=beliefs[1], text="the one report she sends", ax=70, ay=30,
                          arrowcolor=COLORS["true"])  # fmt: skip
    figure.update_xaxes(title="reports with fresh noise, averaged")
    figure.update_yaxes(title="belief in the true cell", tickformat=".0%", range=[0, 1.05])
    return apply_layout(figure, height=320)


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
