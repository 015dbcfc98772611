"""Figures of one marginal: true against released, stage by stage, collection by collection.

Every function takes a tidy table made by one of the functions at the top, one row per cell.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calm_core.figures.theme import COLORS, SEQUENTIAL, finish, plain
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

MOST_BARS = 64
# Seen on the bar it belongs to as well as beside it, on a white and on a dark ground.
WHISKER = COLORS["negative"]


def cells_of(domain: Domain, attrs: Sequence[str]) -> pd.DataFrame:
    """One row per cell of the table over `attrs`: labels in a column 0, 1, ... per attribute.

    Numbered columns, since an attribute may be called "true" or anything else.
    """
    labels = [domain.labels_of(name) for name in attrs]
    return pd.DataFrame(list(product(*labels)), columns=range(len(labels)))


def compare_cells(truth: Marginal, answer: Marginal) -> pd.DataFrame:
    """Cells with their `true` and `estimate` fractions.

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> table = Marginal(domain, [[0.5, 0, 0], [0, 0.2, 0.3]])
    >>> compare_cells(table, table).columns.tolist()
    [0, 1, 'true', 'estimate']
    """
    found = cells_of(truth.domain, truth.attrs)
    return found.assign(true=truth.values.ravel(), estimate=answer.values.ravel())


def named(table: pd.DataFrame, attrs: Sequence[str]) -> pd.DataFrame:
    """The table with its numbered columns named after the attributes, to be shown or saved."""
    taken = set(table.columns)
    names = [f"{name} (attribute)" if name in taken else name for name in attrs]
    return table.rename(columns=dict(enumerate(names)))


def cell_names(table: pd.DataFrame, attrs: Iterable[str]) -> list[str]:
    """Short escaped names of the cells, joined over the attributes."""
    parts = [[plain(value, 18) for value in table[i]] for i, _ in enumerate(attrs)]
    return [" · ".join(row) for row in zip(*parts)]


def cell_texts(table: pd.DataFrame, attrs: Sequence[str]) -> list[str]:
    """Full names of the cells, attribute by attribute; not escaped."""
    return [
        ", ".join(f"{name} = {value}" for name, value in zip(attrs, row))
        for row in zip(*(table[i] for i, _ in enumerate(attrs)))
    ]


def marginal_bars(
    table: pd.DataFrame, attrs: Sequence[str], *, band: pd.DataFrame | None = None
) -> go.Figure:
    """True and released share of each cell; `band` (`low`, `high` per cell) as whiskers.

    Tables of more than 64 cells become a scatter plot of released against true shares.
    """
    if len(table) > MOST_BARS:
        return _scatter(table, attrs)
    if len(attrs) > 2:
        return _facets(table, attrs, band)
    figure = go.Figure()
    for trace in _series(table, _axis(table, range(len(attrs))), band):
        figure.add_trace(trace)
    figure.update_xaxes(title=_axis_title(attrs))
    figure.update_yaxes(title="share of people")
    return _finish_bars(figure)


def _axis(table: pd.DataFrame, columns: Iterable[int]) -> list:
    """Bar positions: the values of one attribute, or of the second nested in those of the first."""
    values = [[plain(value, 14) for value in table[i]] for i in columns]
    return values if len(values) > 1 else values[0]


def _axis_title(attrs: Sequence[str]) -> str:
    return " within ".join(plain(name) for name in reversed(attrs))


def _series(table, x, band, legend: bool = True) -> list[go.Bar]:
    """The bars of one panel: true, reconstructed, and a guess where the table has one."""
    hover = "%{x}<br>%{y:.2%}<extra>%{fullData.name}</extra>"
    shown = [("true", "True", "true"), ("estimate", "Reconstructed", "estimate")]
    shown += [("guess", "Your guess", "uniform")] if "guess" in table else []
    bars = [
        go.Bar(
            x=x, y=table[column], name=name, marker_color=COLORS[color], legendgroup=column,
            showlegend=legend, hovertemplate=hover,
        )
        for column, name, color in shown
    ]  # fmt: skip
    if band is not None:
        middle = table["estimate"]
        reach = [(band["high"] - middle).clip(lower=0), (middle - band["low"]).clip(lower=0)]
        bars[1].error_y = {
            "array": reach[0],
            "arrayminus": reach[1],
            "thickness": 2,
            "color": WHISKER,
        }
    return bars


def _finish_bars(figure: go.Figure, height: int = 380, **layout) -> go.Figure:
    figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    return finish(figure, height=height, barmode="group", **layout)


def _facets(table, attrs, band) -> go.Figure:
    """One panel per combination of all attributes but the last two."""
    at = list(range(len(attrs)))
    outer, inner = attrs[:-2], attrs[-2:]
    groups = list(table.groupby(at[:-2], sort=False))
    columns = min(len(groups), 4)
    rows = math.ceil(len(groups) / columns)
    titles = [
        ", ".join(f"{plain(n, 16)} = {plain(v, 14)}" for n, v in zip(outer, key))
        for key, _ in groups
    ]
    figure = make_subplots(
        rows, columns, subplot_titles=titles, shared_yaxes=True,
        vertical_spacing=min(0.2, 0.5 / rows), horizontal_spacing=0.02,
    )  # fmt: skip
    for i, (_, part) in enumerate(groups):
        x = _axis(part, at[-2:])
        held = None if band is None else band.loc[part.index]
        for trace in _series(part, x, held, legend=i == 0):
            figure.add_trace(trace, i // columns + 1, i % columns + 1)
    figure.update_annotations(font_size=12)
    # One title is for all panels: one per panel would run into the next.
    title = _axis_title(inner).replace(" within ", "<br>within ")
    figure.update_xaxes(title=title, row=rows, col=(columns + 1) // 2)
    figure.update_yaxes(title="share of people", col=1)
    height = max(400, 230 * rows)
    legend = {"orientation": "h", "y": 1 + 34 / (height - 130), "yanchor": "bottom", "x": 0}
    return _finish_bars(
        figure, height=height, legend=legend, margin={"l": 10, "r": 10, "t": 70, "b": 10}
    )


def _scatter(table, attrs) -> go.Figure:
    """Released against true share, one point per cell, with the line where they agree."""
    top = float(max(table["true"].max(), table["estimate"].max(), 1e-6)) * 1.05
    figure = go.Figure()
    line = {"color": COLORS["true"], "dash": "dot"}
    figure.add_trace(
        go.Scatter(
            x=[0, top], y=[0, top], mode="lines", line=line, name="agreement", hoverinfo="skip"
        )
    )
    figure.add_trace(
        go.Scatter(
            x=table["true"], y=table["estimate"], mode="markers", name="cells",
            text=cell_names(table, attrs), marker={"color": COLORS["estimate"], "opacity": 0.7},
            hovertemplate="%{text}<br>true %{x:.2%}, reconstructed %{y:.2%}<extra></extra>",
        )
    )  # fmt: skip
    figure.update_xaxes(title="true share of people", tickformat=".1%")
    figure.update_yaxes(title="reconstructed share", tickformat=".1%")
    return finish(figure, height=460, showlegend=False)


def describe_bars(table: pd.DataFrame, attrs: Sequence[str]) -> str:
    """The figure in one sentence, for readers who do not see it."""
    worst = (table["estimate"] - table["true"]).abs().idxmax()
    cell = cell_texts(table.loc[[worst]], attrs)[0]
    return (
        f"True and reconstructed shares of {len(table)} cells; they differ most at {cell}: "
        f"{table.loc[worst, 'true']:.1%} is true, {table.loc[worst, 'estimate']:.1%} was released."
    )


def marginal_heatmap(
    table: pd.DataFrame, attrs: Sequence[str], column: str, *, top: float | None = None
) -> go.Figure:
    """Two attributes as a grid of `column`: "true", "estimate", or "difference" on its own scale."""
    rows, columns = table[0].unique(), table[1].unique()
    z = table[column].to_numpy().reshape(len(rows), len(columns))
    diverging = column == "difference"
    limit = float(np.abs(z).max()) or 1e-9
    scale = {"colorscale": "RdBu", "zmin": -limit, "zmax": limit} if diverging else {
        "colorscale": SEQUENTIAL, "zmin": 0, "zmax": top or float(z.max())
    }  # fmt: skip
    small = len(rows) <= 6 and len(columns) <= 6
    figure = go.Figure(
        go.Heatmap(
            z=z, x=[plain(v, 16) for v in columns], y=[plain(v, 16) for v in rows],
            xgap=2, ygap=2, showscale=not small, colorbar={"tickformat": ".0%", "thickness": 10},
            texttemplate=("%{z:+.1%}" if diverging else "%{z:.1%}") if small else None,
            hovertemplate="%{y}, %{x}<br>%{z:.2%}<extra></extra>", **scale,
        )
    )  # fmt: skip
    figure.update_xaxes(title=plain(attrs[1]), type="category")
    figure.update_yaxes(title=plain(attrs[0]), type="category", autorange="reversed")
    return finish(figure, height=max(260, 90 + 44 * len(rows)))


def stage_bars(stages: pd.DataFrame, attrs: Sequence[str]) -> go.Figure:
    """One panel per stage (`stage`, in order): bars of `estimate`, the `true` share as a line.

    Cells below zero, which only early stages have, take another colour.
    """
    names = list(stages["stage"].unique())
    figure = make_subplots(
        1, len(names), subplot_titles=names, shared_yaxes=True, horizontal_spacing=0.02
    )
    for i, name in enumerate(names, start=1):
        part = stages[stages["stage"] == name]
        x = cell_names(part, attrs)
        color = [COLORS["negative" if v < 0 else "estimate"] for v in part["estimate"]]
        hover = "%{x}<br>%{y:.2%}<extra>%{fullData.name}</extra>"
        figure.add_trace(
            go.Bar(x=x, y=part["estimate"], marker_color=color, name=name, hovertemplate=hover),
            1, i,
        )  # fmt: skip
        for mark in _true_marks(x, part["true"], 16):
            figure.add_trace(mark, 1, i)
    figure.update_xaxes(type="category", showticklabels=len(stages) // len(names) <= 16)
    figure.update_yaxes(tickformat=".0%", zeroline=True)
    figure.update_yaxes(title="share of people", col=1)
    figure.update_annotations(font_size=13)
    return finish(figure, height=400, showlegend=False)


def _true_marks(x, y, size: int) -> list[go.Scatter]:
    """A grey dash per cell with a light rim, to be seen on the bars and beside them."""
    hover = "%{x}<br>%{y:.2%}<extra>True</extra>"
    return [
        go.Scatter(
            x=x, y=y, mode="markers", name="True", showlegend=rim == 0, hovertemplate=hover,
            marker={"symbol": "line-ew", "size": size + rim, "line": {"width": 3 + rim, "color": color}},
        )
        for rim, color in ((3, "white"), (0, "#4A5563"))
    ]  # fmt: skip


def collections_bars(plays: pd.DataFrame, attrs: Sequence[str]) -> go.Figure:
    """Bars that move through independent collections; `plays` has `collection`, `true`, `estimate`.

    A play button and a slider step through the frames; the band of all collections stays behind.
    """
    counts = sorted(plays["collection"].unique())
    first = plays[plays["collection"] == counts[0]]
    x = cell_names(first, attrs)
    band = spread(plays)
    hover = "%{x}<br>%{y:.2%}<extra>%{fullData.name}</extra>"
    whisker = go.Bar(
        x=x, y=band["high"] - band["low"], base=band["low"], width=0.85, name="90% of collections",
        marker={"color": COLORS["sampling"], "opacity": 0.35}, hoverinfo="skip",
    )  # fmt: skip
    bars = go.Bar(x=x, y=first["estimate"], name="this collection", width=0.5,
                  marker_color=COLORS["estimate"], hovertemplate=hover)  # fmt: skip
    truth = _true_marks(x, first["true"], 20)
    # Every frame repeats the resting traces: plotly takes bars that a frame leaves out off the plot.
    frames = [
        go.Frame(
            name=str(count), traces=[0, 1, 2, 3],
            data=[whisker, go.Bar(x=x, y=plays.loc[plays["collection"] == count, "estimate"]), *truth],
        )
        for count in counts
    ]  # fmt: skip
    figure = go.Figure([whisker, bars, *truth], frames=frames)
    top = float(max(plays["estimate"].max(), first["true"].max())) * 1.1
    title = " · ".join(plain(name) for name in attrs)
    figure.update_xaxes(type="category", showticklabels=len(x) <= 16, title=title)
    figure.update_yaxes(title="share of people", tickformat=".0%", range=[0, top])
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    return finish(figure, height=500, barmode="overlay", legend=legend, **_player(counts))


def spread(plays: pd.DataFrame) -> pd.DataFrame:
    """`low` and `high` of each cell: the middle 90 percent over the collections."""
    wide = plays.pivot(columns="collection", values="estimate", index="cell")
    return pd.DataFrame({"low": wide.quantile(0.05, axis=1), "high": wide.quantile(0.95, axis=1)})


def _player(counts: Sequence[int]) -> dict:
    """Play, pause and the slider of an animated figure."""
    move = {
        "frame": {"duration": 400, "redraw": False},
        "transition": {"duration": 250},
        "fromcurrent": True,
    }
    stop = {"frame": {"duration": 0}, "mode": "immediate"}
    buttons = [
        {"label": "▶ Play", "method": "animate", "args": [None, move]},
        {"label": "❚❚ Pause", "method": "animate", "args": [[None], stop]},
    ]
    jump = {
        "frame": {"duration": 0, "redraw": False},
        "mode": "immediate",
        "transition": {"duration": 0},
    }
    steps = [
        {"label": str(count), "method": "animate", "args": [[str(count)], jump]} for count in counts
    ]
    menu = {
        "type": "buttons", "direction": "left", "buttons": buttons, "showactive": False,
        "x": 0, "xanchor": "left", "y": -0.24, "yanchor": "top", "pad": {"t": 14, "r": 10},
    }  # fmt: skip
    slider = {
        "steps": steps, "x": 0.22, "len": 0.78, "y": -0.24, "yanchor": "top", "pad": {"t": 8},
        "currentvalue": {"prefix": "collection ", "xanchor": "right"},
    }  # fmt: skip
    return {"updatemenus": [menu], "sliders": [slider]}
