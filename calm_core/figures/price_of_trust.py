"""The figure of the price of trust: points over epsilon or n, with a trusted curator and without one."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calm_core.figures.theme import COLORS, apply_layout

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
