"""Figures of one marginal, true against reconstructed, from a tidy table with one row per cell."""

from collections.abc import Iterable, Sequence
from itertools import product

import pandas as pd
import plotly.graph_objects as go

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
    figure = go.Figure()
    for column, name in (("true", "True"), ("estimate", "Reconstructed")):
        figure.add_bar(
            x=cell_names(table, attrs), y=table[column], name=name, marker_color=COLORS[column],
            hovertemplate="%{x}<br>%{y:.2%}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    figure.update_xaxes(title=" · ".join(map(escape_label, attrs)))
    figure.update_yaxes(title="share of people", tickformat=".0%", rangemode="tozero")
    return apply_layout(figure, height=380, barmode="group")


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
