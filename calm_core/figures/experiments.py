"""Figures of the reproduced experiments, from tidy tables."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calm_core.evaluation.metrics import summarize
from calm_core.figures.theme import COLORS, SEQUENTIAL, SERIES, apply_layout, escape_label
from calm_core.tables.marginal import Marginal

# The columns with a panel for each of their values.
SETTING = ("data", "d", "k", "n")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star")


def _style(number: int) -> dict:
    """Color, symbol and dash of the number-th method, so that color alone distinguishes none."""
    turn = number // len(SERIES)
    return {
        "line": {"color": SERIES[number % len(SERIES)], "dash": ("solid", "dash", "dot")[turn % 3]},
        "marker": {"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 8},
    }


def panels(table: pd.DataFrame, split: Sequence[str], **options):
    """A figure with one panel per combination of `split`, its parts (rows, row, column), and the rows of panels."""
    split = [column for column in split if table[column].nunique() > 1]
    keys = (
        list(table[split].drop_duplicates().itertuples(index=False, name=None)) if split else [()]
    )
    titles = [", ".join(_setting(name, v) for name, v in zip(split, key)) for key in keys]
    columns = min(3, len(keys))
    rows = -(-len(keys) // columns)
    figure = make_subplots(
        rows=rows, cols=columns, subplot_titles=titles if split else None,
        horizontal_spacing=0.08, vertical_spacing=0.14 if rows < 3 else 0.08, **options,
    )  # fmt: skip
    parts = []
    for i, key in enumerate(keys):
        part = table
        for column, value in zip(split, key):
            part = part[part[column] == value]
        parts.append((part, i // columns + 1, i % columns + 1))
    return figure, parts, rows


def apply_panel_layout(figure: go.Figure, rows: int, **layout) -> go.Figure:
    """The shared layout, with the legend above the titles of the panels."""
    figure = apply_layout(figure, height=100 + 340 * rows, **layout)
    legend = {"yref": "container", "y": 0.99, "yanchor": "top"}
    return figure.update_layout(legend=legend, margin={"t": 80})


def _setting(name: str, value) -> str:
    if name == "data":
        return escape_label(value)
    return f"{name} = {value:,}" if isinstance(value, int | np.integer) else f"{name} = {value}"


def _by_method(table: pd.DataFrame, value: str, across: str, split: Sequence[str]):
    """A figure with a panel per setting, what is drawn in it, and the rows of panels.

    For every panel and method with a value: the number of the method, its summary over the column `across`,
    and the options of its trace that do not depend on its kind.
    """
    table = table.assign(data=table["data"].fillna("")) if "data" in table else table
    figure, parts, rows = panels(summarize(table, value, ["method", *split, across]), split)
    in_legend, traces = set(), []
    for part, row, column in parts:
        for number, method in enumerate(dict.fromkeys(table["method"])):
            line = part[part["method"] == method].dropna(subset=["mean"])
            if not line.empty:
                options = {
                    "name": escape_label(method),
                    "legendgroup": method,
                    "row": row,
                    "col": column,
                }
                traces.append((number, line, options | {"showlegend": method not in in_legend}))
                in_legend.add(method)
    return figure, traces, rows


def lines_over_epsilon(
    table: pd.DataFrame, value: str = "sse", *, title: str = "SSE", log: bool = True
) -> go.Figure:
    """Mean of `value` over epsilon, one line per method, a panel per setting (figures 4 and 5).

    Parameters
    ----------
    table : DataFrame
        Tidy rows of `experiments.compare`; rows without a value are left out.
    value, title : str
        Column, and its name on the axis; error bars are the standard deviation of the repetitions' means.
    log : bool
        Logarithmic axis.

    Examples
    --------
    >>> table = pd.DataFrame({"method": "uni", "d": 8, "k": 3, "n": 9, "epsilon": [1.0, 2.0],
    ...                       "repetition": 0, "sse": [0.4, 0.4], "data": ""})
    >>> len(lines_over_epsilon(table).data)
    1
    """
    figure, traces, rows = _by_method(table, value, "epsilon", SETTING)
    for number, line, options in traces:
        line = line.sort_values("epsilon")
        sd = line["sd"].fillna(0)
        error = {"type": "data", "array": sd, "thickness": 1, "width": 3}
        figure.add_scatter(
            x=line["epsilon"], y=line["mean"], error_y=error, mode="lines+markers",
            customdata=np.stack([line["p50"], line["p95"], sd], axis=1),
            hovertemplate="epsilon %{x:g}<br>mean %{y:.4g}, sd %{customdata[2]:.2g}<br>"
            "median %{customdata[0]:.4g}, 95% below %{customdata[1]:.4g}",
            **options, **_style(number),
        )  # fmt: skip
    figure.update_xaxes(title_text="epsilon", rangemode="tozero")
    figure.update_yaxes(title_text=title, exponentformat="power", type="log" if log else None)
    return apply_panel_layout(figure, rows)


def candlesticks(
    table: pd.DataFrame,
    value: str = "sse",
    *,
    title: str = "SSE",
    across: str = "epsilon",
    split: Sequence[str] = SETTING,
) -> go.Figure:
    """Boxes from the 25 to the 75 percentile, whisker to 95, median and mean (PriView section 5).

    `across` is the column on the horizontal axis; percentiles are over all queries of all repetitions.
    """
    figure, traces, rows = _by_method(table, value, across, split)
    for number, box, options in traces:
        figure.add_box(
            x=[f"{v:g}" if isinstance(v, float) else str(v) for v in box[across]],
            q1=box["p25"], median=box["p50"], q3=box["p75"], mean=box["mean"],
            boxmean=True, lowerfence=box["p25"], upperfence=box["p95"], offsetgroup=options["legendgroup"],
            line_color=_style(number)["line"]["color"], **options,
        )  # fmt: skip
    figure.update_xaxes(title_text=across, type="category")
    figure.update_yaxes(title_text=title, type="log", exponentformat="power")
    return apply_panel_layout(figure, rows, boxmode="group", boxgap=0.1, boxgroupgap=0.1)


def view_heatmaps(table: pd.DataFrame, now: Mapping[float, tuple[int, int]]) -> go.Figure:
    """SSE for every (l, m), a panel per epsilon; a star marks the pair of Algorithm 1 (figure 8).

    Parameters
    ----------
    table : DataFrame
        Tidy rows with columns l and m.
    now : mapping of float to (l, m)
        The choice at each epsilon.
    """
    means = summarize(table, "sse", ["epsilon", "l", "m"])
    figure, parts, rows = panels(means, ["epsilon"])
    low, high = np.log10(means["mean"].min()), np.log10(means["mean"].max())
    for part, row, column in parts:
        wide = part.pivot(index="l", columns="m", values="mean").sort_index(axis=1)
        figure.add_heatmap(
            z=np.log10(wide.to_numpy()), x=[f"{m:,}" for m in wide.columns],
            y=[str(l) for l in wide.index],  # noqa: E741
            customdata=wide.to_numpy(), zmin=low, zmax=high, colorscale=SEQUENTIAL,
            colorbar={"title": "log10 SSE"}, showscale=(row, column) == (1, 1),
            hovertemplate="l = %{y}, m = %{x}<br>SSE %{customdata:.4g}<extra></extra>",
            row=row, col=column,
        )  # fmt: skip
        l, m = now[float(part["epsilon"].iloc[0])]  # noqa: E741
        figure.add_scatter(
            x=[f"{m:,}"], y=[str(l)], mode="markers", name="Algorithm 1",
            marker={"symbol": "star", "size": 16, "color": "white",
                    "line": {"color": COLORS["threshold"], "width": 2}},
            hovertemplate=f"Algorithm 1: l = {l}, m = {m:,}<extra></extra>",
            showlegend=(row, column) == (1, 1), row=row, col=column,
        )  # fmt: skip
    figure.update_xaxes(title_text="views m", type="category")
    figure.update_yaxes(title_text="attributes per view l", type="category")
    return apply_panel_layout(figure, rows)


def noise_over_epsilon(table: pd.DataFrame, theta: float) -> go.Figure:
    """k NE over epsilon for each l, and theta as a line (figure 3).

    Examples
    --------
    >>> table = pd.DataFrame({"l": [2, 2], "epsilon": [1.0, 2.0], "k_ne": [2e-3, 1e-4]})
    >>> [trace.name for trace in noise_over_epsilon(table, 1e-3).data]
    ['2']
    """
    figure = px.line(
        table, x="epsilon", y="k_ne", color="l", symbol="l", log_y=True, labels={"k_ne": "k·NE"},
        color_discrete_sequence=SERIES, symbol_sequence=SYMBOLS,
    )  # fmt: skip
    figure.add_hline(
        y=theta, line={"dash": "dash", "color": COLORS["threshold"]},
        annotation_text=f"theta = {theta:g}", annotation_position="bottom right",
    )  # fmt: skip
    return apply_layout(figure.update_yaxes(exponentformat="power"))


def interaction(table: Marginal) -> float:
    """Correlation of the first contrasts of two attributes, from -1 to 1 for a distribution.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> table = Marginal(Domain(("sex", "age"), (2, 3)), [[0.4, 0.1, 0.0], [0.0, 0.1, 0.4]])
    >>> round(interaction(table), 3)
    0.894
    """
    scores = [np.cos(np.pi * (np.arange(c) + 0.5) / c) for c in table.domain.sizes]
    total = table.values.sum() or 1.0
    values = table.values / total
    parts = []
    for axis, score in enumerate(scores):
        edge = values.sum(axis=1 - axis)
        mean = edge @ score
        # A noisy table may have no spread at all: take that of a fair coin.
        spread = edge @ (score - mean) ** 2
        parts.append((score - mean) / np.sqrt(spread if spread > 1e-3 else 0.5))
    return float(parts[0] @ values @ parts[1])
