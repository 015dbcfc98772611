"""Figures of a comparison: of methods over epsilon, and of a trusted curator with none."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calm_core.evaluation.summary import summarize
from calm_core.figures.theme import (
    COLORS,
    POINTS_AXIS,
    SERIES,
    add_reference_line,
    apply_layout,
)
from calm_core.text import shorten_number

TRUST_TITLES = {"local": "Local: nobody is trusted", "central": "Central: a curator is trusted"}
BY = ("trust", "method", "epsilon")


def summarize_points(scores: pd.DataFrame) -> pd.DataFrame:
    """Typical error in points with its deviation for each method and epsilon, local methods first.

    `scores` is the tidy table of an experiment; its column `square` is the mean squared error of a
    table's cells, in squared points. `low` and `high` are one standard deviation of the repetitions'
    squares away from their mean (at least a tenth of it, for the logarithmic axis).

    Examples
    --------
    >>> rows = [("calm", "local", 1.0, 0, 4.0), ("calm", "local", 1.0, 1, 8.0)]
    >>> table = pd.DataFrame(rows, columns=["method", "trust", "epsilon", "repetition", "square"])
    >>> summarize_points(table)[["mean", "low", "high"]].round(3).values.tolist()
    [[2.449, 1.781, 2.971]]
    """
    found = summarize(scores, "square", by=BY)
    off = found["sd"].fillna(0.0)
    low, high = (found["mean"] - off).clip(lower=found["mean"] / 10), found["mean"] + off
    points = {"mean": np.sqrt(found["mean"]), "low": np.sqrt(low), "high": np.sqrt(high)}
    found = found[[*BY, "repetitions", "failed"]].assign(**points)
    order = {trust: i for i, trust in enumerate(TRUST_TITLES)}
    place = found["trust"].map(order)
    return found.assign(place=place).sort_values(["place", "method", "epsilon"], ignore_index=True)


def failed_repetitions(summary: pd.DataFrame, titles: Mapping[str, str]) -> dict[str, str]:
    """Notes on the methods of which repetitions failed, by title; empty if none failed.

    Examples
    --------
    >>> table = pd.DataFrame({"method": "calm", "epsilon": [1, 2], "failed": [3, 0], "repetitions": 20})
    >>> failed_repetitions(table, {"calm": "CALM"})
    {'CALM': 'up to 3 of 20 repetitions failed'}
    """
    marks = {}
    for method, rows in summary[summary["failed"] > 0].groupby("method", sort=False):
        everywhere = summary.loc[summary["method"] == method, "failed"].nunique() == 1
        worst = rows.loc[rows["failed"].idxmax()]
        text = f"{worst['failed']:,} of {worst['repetitions']:,} repetitions failed"
        marks[titles.get(method, method)] = text if everywhere else f"up to {text}"
    return marks


def method_curves(
    summary: pd.DataFrame, titles: Mapping[str, str], *, guess: float | None = None, note: str = ""
) -> go.Figure:
    """Points over epsilon on a logarithmic axis: a line and a band per method; central ones dashed.

    The custom data of every point are its method and epsilon, so that a click can open it. Methods
    with failed repetitions are marked in the legend; `note` is written above the curves.
    """
    failed = failed_repetitions(summary, titles)
    figure = go.Figure()
    methods = list(dict.fromkeys(zip(summary["trust"], summary["method"])))
    for i, (trust, method) in enumerate(methods):
        part = summary[(summary["method"] == method) & (summary["trust"] == trust)]
        part = part.dropna(subset=["mean"])
        color, title = SERIES[i % len(SERIES)], titles.get(method, method)
        shown = f"{title} ({failed[title]})" if title in failed else title
        group = {"legendgroup": trust, "name": shown}
        x = [*part["epsilon"], *part["epsilon"][::-1]]
        y = [*part["high"], *part["low"][::-1]]
        figure.add_scatter(
            x=x, y=y, fill="toself", fillcolor=color, opacity=0.15, line={"width": 0},
            hoverinfo="skip", showlegend=False, legendgroup=trust, mode="lines",
        )  # fmt: skip
        line = {"color": color, "width": 2.5, "dash": "dash" if trust == "central" else "solid"}
        figure.add_scatter(
            x=part["epsilon"], y=part["mean"], mode="lines+markers", line=line, **group,
            marker={"size": 9, "symbol": i % 10}, legendgrouptitle={"text": TRUST_TITLES[trust], "font": {"size": 13}},
            customdata=[[method, e] for e in part["epsilon"]],
            hovertemplate="ε %{x}<br>±%{y:.2~g} points<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    if guess:  # a logarithmic axis has no 0
        line = {"color": COLORS["uniform"], "dash": "dot", "width": 2}
        add_reference_line(
            figure, "y", guess, f"equal shares ±{shorten_number(guess)}", log=True, **line
        )
    if note:
        figure.add_annotation(
            xref="paper", yref="paper", x=1, y=1, text=note, showarrow=False, xanchor="right",
            yanchor="bottom", name="note",
        )  # fmt: skip
    figure.update_xaxes(title="ε, privacy budget per person")
    figure.update_yaxes(title="points off in a typical cell (log scale)", **POINTS_AXIS)
    legend = {"groupclick": "toggleitem", "orientation": "h", "y": -0.2, "yanchor": "top", "x": 0}
    return apply_layout(figure, height=460, clickmode="event+select", legend=legend)


def describe_methods(summary: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """The comparison in one sentence."""
    lines = []
    summary = summary.dropna(subset=["mean"])
    for trust in dict.fromkeys(summary["trust"]):
        own = summary[summary["trust"] == trust]
        for epsilon in dict.fromkeys((own["epsilon"].min(), own["epsilon"].max())):
            held = own[own["epsilon"] == epsilon]
            best = held.loc[held["mean"].idxmin()]
            name = titles.get(best["method"], best["method"])
            lines.append(f"{name} at ε = {epsilon:g} (±{shorten_number(best['mean'])} points)")
    return "Closest of its kind: " + ", ".join(lines) + "."


WORLDS = {
    "curator": ("Trusted curator (PriView)", COLORS["accent"]),
    "local": ("Nobody trusted (CALM)", COLORS["estimate"]),
}


def error_lines(table: pd.DataFrame, over: str) -> go.Figure:
    """Points with and without a curator over "epsilon" or "n", and those of equal shares."""
    figure = go.Figure()
    for world in ("curator", "local"):
        title, color = WORLDS[world]
        rows = table[table.world == world].groupby(over).points.agg([_typical, "min", "max"])
        figure.add_scatter(
            x=rows.index, y=rows["_typical"], name=title, mode="lines+markers",
            line={"color": color, "width": 3}, marker={"size": 8},
            error_y={
                "array": rows["max"] - rows["_typical"], "arrayminus": rows["_typical"] - rows["min"],
                "thickness": 1, "width": 3,
            },
            hovertemplate="%{x:,}: ±%{y:.2~g} points<extra>" + title + "</extra>",
        )  # fmt: skip
    guess = table.groupby(over).guess_points.agg(_typical)
    figure.add_scatter(
        x=guess.index, y=guess, name="Equal shares", mode="lines",
        line={"color": COLORS["uniform"], "dash": "dash"},
        hovertemplate="±%{y:.2~g} points<extra>Equal shares</extra>",
    )  # fmt: skip
    title = "ε" if over == "epsilon" else "number of people n"
    values = sorted(guess.index)
    figure.update_xaxes(
        title=f"{title} (log scale)", type="log", tickvals=values,
        ticktext=[f"{value:,g}" if over == "epsilon" else f"{value:,}" for value in values],
    )  # fmt: skip
    figure.update_yaxes(
        title="points off in a typical cell (log scale)", type="log", tickformat="~g", dtick=1
    )
    return apply_layout(figure, height=400)


def _typical(points: pd.Series) -> float:
    """The typical points of several collections: the root of the mean square."""
    return float(np.sqrt((points**2).mean()))


def _two_digits(value: float) -> str:
    return f"{float(f'{value:.2g}'):,g}"


def describe_lines(table: pd.DataFrame, over: str) -> str:
    """The lines in one sentence."""
    means = table.groupby(["world", over]).points.agg(_typical)
    ratio = means["local"] / means["curator"]
    called = "ε" if over == "epsilon" else over
    return (
        f"Over {called} from {ratio.index.min():,g} to {ratio.index.max():,g} the points with nobody "
        f"trusted are {_two_digits(ratio.min())} to {_two_digits(ratio.max())} times those with a curator."
    )
