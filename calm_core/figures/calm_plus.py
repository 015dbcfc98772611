"""The figure of CALM+'s error against another method's, and the interaction of two attributes."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calm_core.figures.experiments import SETTING, SYMBOLS, apply_panel_layout, panels
from calm_core.figures.theme import COLORS, SERIES
from calm_core.tables.marginal import Marginal

TITLES = {
    "estimator": "CALM+ on CALM's reports",
    "oracle": "with the best oracle",
    "design": "with the optimal design",
    "design in two phases": "with a design in two phases",
}


def ratios_over_epsilon(
    ratios: pd.DataFrame, titles: Mapping[str, str] = TITLES, reference: str = "CALM"
) -> go.Figure:
    """Error as a share of a reference's over epsilon, one panel per setting.

    Parameters
    ----------
    ratios : DataFrame
        Ratios with their standard errors, as from `experiments.figures_calm_plus.error_ratios`.
    titles : mapping
        Names of the variants.
    reference : str
        What has the error 1.
    """
    figure, parts, rows = panels(ratios, SETTING)
    for number, (part, row, column) in enumerate(parts):
        for i, (variant, title) in enumerate(titles.items()):
            line = part[part["variant"] == variant].sort_values("epsilon")
            error = {"type": "data", "array": line["stderr"].fillna(0), "thickness": 1, "width": 3}
            figure.add_scatter(
                x=line["epsilon"], y=line["ratio"], error_y=error, mode="lines+markers",
                name=title, legendgroup=variant, showlegend=not number,
                line={"color": SERIES[i]}, marker={"symbol": SYMBOLS[i], "size": 8},
                hovertemplate="epsilon %{x:g}<br>ratio %{y:.3f}",
                row=row, col=column,
            )  # fmt: skip
    figure.add_hline(y=1, line={"color": COLORS["true"], "dash": "dot"})
    figure.update_xaxes(title_text="epsilon", rangemode="tozero")
    figure.update_yaxes(title_text=f"SSE, {reference} = 1", rangemode="tozero")
    return apply_panel_layout(figure, rows)


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
