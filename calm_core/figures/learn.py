"""Figures of the lessons: each shows one idea with as few marks as it takes."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calm_core.figures.theme import COLORS, finish


def coin_figure(yes_reports: int, no_reports: int, yes_truth: int, estimate: float) -> go.Figure:
    """What the collector receives, what it estimates, and what is true, out of all people."""
    total = yes_reports + no_reports
    names = ["reports that say yes", "estimate of the true yes", "true yes"]
    shares = [yes_reports / total, estimate, yes_truth / total]
    colors = [COLORS["sampling"], COLORS["estimate"], COLORS["true"]]
    figure = go.Figure(
        go.Bar(
            x=shares, y=names, orientation="h", marker_color=colors, text=[f"{s:.1%}" for s in shares],
            textposition="outside", cliponaxis=False, hovertemplate="%{y}: %{x:.1%}<extra></extra>",
        )
    )  # fmt: skip
    figure.update_xaxes(
        range=[min(0.0, estimate * 1.1), 1.08], tickformat=".0%", title="share of people"
    )
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return finish(figure, height=240, showlegend=False)


def odds_figure(epsilon: float, prior: float) -> go.Figure:
    """How sure an observer can be of a yes after a report, over all priors; one prior marked."""
    priors = np.linspace(0.001, 0.999, 200)
    up, down = (_posterior(priors, s * epsilon) for s in (1, -1))
    figure = go.Figure()
    for y, name, color in (
        (up, "after a yes report", "estimate"),
        (down, "after a no report", "reconstruction"),
    ):
        figure.add_trace(
            go.Scatter(x=priors, y=y, name=name, line={"color": COLORS[color], "width": 3},
                       hovertemplate="before %{x:.0%}, after %{y:.0%}<extra></extra>")
        )  # fmt: skip
    figure.add_trace(
        go.Scatter(x=[0, 1], y=[0, 1], name="nothing learned", mode="lines", hoverinfo="skip",
                   line={"color": COLORS["true"], "dash": "dot"})
    )  # fmt: skip
    marks = [float(_posterior(np.array(prior), s * epsilon)) for s in (1, -1)]
    figure.add_trace(
        go.Scatter(x=[prior, prior], y=marks, mode="markers", showlegend=False, hoverinfo="skip",
                   marker={"size": 12, "color": COLORS["negative"]})
    )  # fmt: skip
    figure.update_xaxes(title="believed before the report", tickformat=".0%", range=[0, 1])
    figure.update_yaxes(title="believed after", tickformat=".0%", range=[0, 1])
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    return finish(figure, height=380, legend=legend)


def _posterior(prior: np.ndarray, log_odds: float) -> np.ndarray:
    """Bayes: the odds are multiplied by e^log_odds."""
    return prior / (prior + (1 - prior) * math.exp(-log_odds))


def cells_figure(
    truth: Sequence[float], counts: Sequence[float], labels: Sequence[str]
) -> go.Figure:
    """Share of reports that support each answer against its true share."""
    figure = go.Figure(
        [
            go.Bar(x=list(labels), y=list(truth), name="True", marker_color=COLORS["true"]),
            go.Bar(
                x=list(labels), y=list(counts), name="Estimate", marker_color=COLORS["estimate"]
            ),
        ]
    )
    figure.update_yaxes(title="share of people", tickformat=".0%", zeroline=True)
    figure.update_xaxes(type="category")
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    return finish(figure, height=340, barmode="group", legend=legend)


def splitting_figure(rows: pd.DataFrame, questions: int) -> go.Figure:
    """Variance of one share when users (`users`) or the budget (`budget`) are split over questions."""
    figure = go.Figure()
    for column, name, color in (
        ("budget", "split the budget", "negative"),
        ("users", "split the users", "estimate"),
    ):
        figure.add_trace(
            go.Scatter(
                x=rows["questions"], y=rows[column], mode="lines", name=name,
                line={"color": COLORS[color], "width": 3},
                hovertemplate="%{x} questions: off by about %{y:.1%}<extra></extra>",
            )
        )  # fmt: skip
    figure.add_vline(questions, line={"color": COLORS["true"], "dash": "dot"})
    figure.update_xaxes(title="number of questions")
    figure.update_yaxes(
        title="typical error of one share (log scale)", type="log",
        tickvals=[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5], tickformat="~%",
    )  # fmt: skip
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    return finish(figure, height=360, legend=legend)


def agreement_figure(rows: pd.DataFrame) -> go.Figure:
    """The share of yes to one question as each view reports it and as all agree; `who`, `share`, `kind`."""
    colors = {"view": COLORS["sampling"], "together": COLORS["estimate"], "true": COLORS["true"]}
    figure = go.Figure(
        go.Bar(
            x=rows["share"], y=rows["who"], orientation="h", text=[f"{s:.1%}" for s in rows["share"]],
            marker_color=[colors[kind] for kind in rows["kind"]], textposition="auto",
            hovertemplate="%{y}: %{x:.2%}<extra></extra>",
        )
    )  # fmt: skip
    figure.update_xaxes(
        title="share of yes to the shared question", tickformat=".0%", rangemode="tozero"
    )
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    return finish(figure, height=130 + 34 * len(rows), showlegend=False)
