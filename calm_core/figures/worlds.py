"""Figures of the three worlds: one marginal, and error over epsilon or n."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calm_core.figures.theme import COLORS, finish, plain
from calm_core.tables.marginal import Marginal

WORLDS = {
    "truth": ("No privacy", COLORS["true"]),
    "curator": ("Trusted curator (PriView)", COLORS["accent"]),
    "local": ("Nobody trusted (CALM)", COLORS["estimate"]),
}
MOST_BARS, MOST_NAMED = 64, 32


def marginal_bars(truth: Marginal, curator: Marginal, local: Marginal) -> go.Figure:
    """The same cells in the three worlds, side by side; the 64 largest cells where there are more."""
    labels = [truth.domain.labels_of(name) for name in truth.attrs]
    order = np.argsort(-truth.values.ravel(), kind="stable")[:MOST_BARS]
    order = np.sort(order)
    cells = np.stack(np.unravel_index(order, truth.values.shape), axis=1)
    texts = [" · ".join(plain(labels[i][v], 18) for i, v in enumerate(row)) for row in cells]
    figure = go.Figure()
    for key, table in (("truth", truth), ("curator", curator), ("local", local)):
        title, color = WORLDS[key]
        figure.add_trace(
            go.Bar(
                x=list(range(len(order))),
                y=100 * table.values.ravel()[order],
                name=title,
                marker_color=color,
                customdata=texts,
                hovertemplate="%{customdata}<br>%{y:.2f}% of people<extra>" + title + "</extra>",
            )
        )
    title = " · ".join(plain(name, 18) for name in truth.attrs)
    if len(order) > MOST_NAMED:
        # The names of so many bars would lie over each other; they are in the tooltips.
        title = f"cells of {title}"
    figure.update_xaxes(
        title=title, tickvals=list(range(len(order))), ticktext=texts, tickangle=-40,
        showticklabels=len(order) <= MOST_NAMED,
    )  # fmt: skip
    figure.update_yaxes(title="% of people", rangemode="tozero")
    return finish(figure, height=420, barmode="group")


def describe_marginal(truth: Marginal, curator: Marginal, local: Marginal) -> str:
    """The bars in one sentence."""
    worst = {
        name: 100 * float(np.abs(table.values - truth.values).max())
        for name, table in (("curator", curator), ("local", local))
    }
    return (
        f"The largest error of a cell is {worst['curator']:.2g} percentage points with a trusted "
        f"curator and {worst['local']:.2g} with nobody trusted."
    )


def error_lines(table: pd.DataFrame, over: str) -> go.Figure:
    """Mean SSE of both worlds over "epsilon" or "n", with the uniform guess."""
    figure = go.Figure()
    for world in ("curator", "local"):
        title, color = WORLDS[world]
        rows = table[table.world == world].groupby(over).sse.agg(["mean", "min", "max"])
        figure.add_trace(
            go.Scatter(
                x=rows.index, y=rows["mean"], name=title, mode="lines+markers",
                line={"color": color, "width": 3}, marker={"size": 8},
                error_y={
                    "array": rows["max"] - rows["mean"], "arrayminus": rows["mean"] - rows["min"],
                    "thickness": 1, "width": 3,
                },
                hovertemplate="%{x:,}: SSE %{y:.2~g}<extra>" + title + "</extra>",
            )
        )  # fmt: skip
    guess = table.groupby(over).uniform_sse.mean()
    figure.add_trace(
        go.Scatter(
            x=guess.index, y=guess, name="Uniform guess", mode="lines",
            line={"color": COLORS["uniform"], "dash": "dash"},
            hovertemplate="SSE %{y:.2~g}<extra>Uniform guess</extra>",
        )
    )  # fmt: skip
    title = "epsilon" if over == "epsilon" else "number of people n"
    values = sorted(guess.index)
    figure.update_xaxes(
        title=f"{title} (log scale)", type="log", tickvals=values,
        ticktext=[f"{value:,g}" if over == "epsilon" else f"{value:,}" for value in values],
    )  # fmt: skip
    figure.update_yaxes(
        title="mean SSE (squared shares, log scale)", type="log", exponentformat="power", dtick=1
    )
    return finish(figure, height=400)


def _two_digits(value: float) -> str:
    return f"{float(f'{value:.2g}'):,g}"


def describe_lines(table: pd.DataFrame, over: str) -> str:
    """The lines in one sentence."""
    means = table.groupby(["world", over]).sse.mean()
    ratio = means["local"] / means["curator"]
    return (
        f"Over {over} from {ratio.index.min():,g} to {ratio.index.max():,g} the error with nobody "
        f"trusted is {_two_digits(ratio.min())} to {_two_digits(ratio.max())} times the error with a curator."
    )
