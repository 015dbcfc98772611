"""Figures of one marginal, true against reconstructed, from a tidy table with one row per cell."""

import math
from collections.abc import Iterable, Sequence
from itertools import product

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calm_core.figures.theme import COLORS, apply_layout, escape_label
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

MAX_BARS = 64


def cell_table(domain: Domain, attrs: Sequence[str]) -> pd.DataFrame:
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
    found = cell_table(truth.domain, truth.attrs)
    return found.assign(true=truth.values.ravel(), estimate=answer.values.ravel())


def name_columns(table: pd.DataFrame, attrs: Sequence[str]) -> pd.DataFrame:
    """The table with its numbered columns named after the attributes, for display and export."""
    taken = set(table.columns)
    names = [f"{name} (attribute)" if name in taken else name for name in attrs]
    return table.rename(columns=dict(enumerate(names)))


def cell_names(table: pd.DataFrame, attrs: Iterable[str]) -> list[str]:
    """Short escaped names of the cells: their labels, joined."""
    parts = [[escape_label(value, 18) for value in table[i]] for i, _ in enumerate(attrs)]
    return [" · ".join(row) for row in zip(*parts)]


def cell_texts(table: pd.DataFrame, attrs: Sequence[str]) -> list[str]:
    """Full names of the cells, with the attributes; not escaped."""
    return [
        ", ".join(f"{name} = {value}" for name, value in zip(attrs, row))
        for row in zip(*(table[i] for i, _ in enumerate(attrs)))
    ]


def marginal_bars(table: pd.DataFrame, attrs: Sequence[str]) -> go.Figure:
    """True and reconstructed share of each cell.

    Tables of more than 64 cells become a scatter plot of reconstructed against true shares.
    """
    if len(table) > MAX_BARS:
        return _scatter(table, attrs)
    if len(attrs) > 2:
        return _facets(table, attrs)
    figure = go.Figure()
    figure.add_traces(_series(table, _axis(table, range(len(attrs)))))
    figure.update_xaxes(title=_axis_title(attrs))
    figure.update_yaxes(title="share of people")
    return _finish_bars(figure)


def _axis(table: pd.DataFrame, columns: Iterable[int]) -> list:
    """Bar positions: the values of one attribute, or of the second nested in the first."""
    values = [[escape_label(value, 14) for value in table[i]] for i in columns]
    return values if len(values) > 1 else values[0]


def _axis_title(attrs: Sequence[str]) -> str:
    return " within ".join(escape_label(name) for name in reversed(attrs))


def _series(table, x, legend: bool = True) -> list[go.Bar]:
    """The bars of one panel, true and reconstructed."""
    hover = "%{x}<br>%{y:.2%}<extra>%{fullData.name}</extra>"
    return [
        go.Bar(
            x=x, y=table[column], name=name, marker_color=COLORS[column], legendgroup=column,
            showlegend=legend, hovertemplate=hover,
        )
        for column, name in (("true", "True"), ("estimate", "Reconstructed"))
    ]  # fmt: skip


def _finish_bars(figure: go.Figure, height: int = 380, **layout) -> go.Figure:
    figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    return apply_layout(figure, height=height, barmode="group", **layout)


def _facets(table, attrs) -> go.Figure:
    """One panel per combination of all attributes but the last two."""
    at = list(range(len(attrs)))
    outer, inner = attrs[:-2], attrs[-2:]
    groups = list(table.groupby(at[:-2], sort=False))
    columns = min(len(groups), 4)
    rows = math.ceil(len(groups) / columns)
    titles = [
        ", ".join(f"{escape_label(n, 16)} = {escape_label(v, 14)}" for n, v in zip(outer, key))
        for key, _ in groups
    ]
    figure = make_subplots(
        rows, columns, subplot_titles=titles, shared_yaxes=True,
        vertical_spacing=min(0.2, 0.5 / rows), horizontal_spacing=0.02,
    )  # fmt: skip
    for i, (_, part) in enumerate(groups):
        for trace in _series(part, _axis(part, at[-2:]), legend=i == 0):
            figure.add_trace(trace, i // columns + 1, i % columns + 1)
    figure.update_annotations(font_size=12)
    # One title for all panels: one per panel would overlap the next.
    title = _axis_title(inner).replace(" within ", "<br>within ")
    figure.update_xaxes(title=title, row=rows, col=(columns + 1) // 2)
    figure.update_yaxes(title="share of people", col=1)
    height = max(400, 230 * rows)
    legend = {"orientation": "h", "y": 1 + 34 / (height - 130), "yanchor": "bottom", "x": 0}
    return _finish_bars(
        figure, height=height, legend=legend, margin={"l": 10, "r": 10, "t": 70, "b": 10}
    )


def _scatter(table, attrs) -> go.Figure:
    """Reconstructed against true share, one point per cell, with the diagonal."""
    top = float(max(table["true"].max(), table["estimate"].max(), 1e-6)) * 1.05
    figure = go.Figure()
    line = {"color": COLORS["true"], "dash": "dot"}
    figure.add_scatter(
        x=[0, top], y=[0, top], mode="lines", line=line, name="agreement", hoverinfo="skip"
    )
    figure.add_scatter(
        x=table["true"], y=table["estimate"], mode="markers", name="cells",
        text=cell_names(table, attrs), marker={"color": COLORS["estimate"], "opacity": 0.7},
        hovertemplate="%{text}<br>true %{x:.2%}, reconstructed %{y:.2%}<extra></extra>",
    )  # fmt: skip
    figure.update_xaxes(title="true share of people", tickformat=".1%")
    figure.update_yaxes(title="reconstructed share", tickformat=".1%")
    return apply_layout(figure, height=460, showlegend=False)


def describe_bars(table: pd.DataFrame, attrs: Sequence[str]) -> str:
    """The figure in one sentence, for screen readers."""
    worst = (table["estimate"] - table["true"]).abs().idxmax()
    cell = cell_texts(table.loc[[worst]], attrs)[0]
    return (
        f"True and reconstructed shares of {len(table)} cells; they differ most at {cell}: "
        f"{table.loc[worst, 'true']:.1%} is true, {table.loc[worst, 'estimate']:.1%} was reconstructed."
    )
