"""Figures of attacks: how often a guess from a report is right, against the error of the tables."""

import numpy as np
import plotly.graph_objects as go

from calm_core.attacks.guessing import attack_success
from calm_core.figures.theme import SERIES, apply_layout
from calm_core.oracles import ORACLES

EPSILONS = np.geomspace(0.1, 8, 14)


def success_by_error(size: int, epsilon: float, n: int) -> go.Figure:
    """The best guess from one report against the typical error of a cell: a line per oracle, over epsilon.

    At equal error, the lowest line gives least away. Marks show the given epsilon.

    Parameters
    ----------
    size : int
        Number of cells, equally likely.
    epsilon : float
    n : int
        Number of people who report on this table.

    References
    ----------
    Arcolezi and Gambs, arXiv 2503.01482.

    Examples
    --------
    >>> len(success_by_error(16, 1.0, 2000).data)
    8
    """
    figure = go.Figure()
    whole = attack_success([size], EPSILONS, n).groupby("oracle", sort=False)
    now = attack_success([size], [epsilon], n).set_index("oracle")
    for (name, points), color in zip(whole, SERIES):
        title = ORACLES[name].title
        figure.add_scatter(
            x=100 * np.sqrt(points["error"]), y=100 * points["success"], mode="lines", name=title,
            line={"color": color}, customdata=points["epsilon"],
            hovertemplate="ε = %{customdata:.2g}: %{y:.1f} of 100, %{x:.2g} points",
        )  # fmt: skip
        figure.add_scatter(
            x=[100 * np.sqrt(now["error"][name])], y=[100 * now["success"][name]], mode="markers",
            marker={"color": color, "size": 11}, name=f"{title}, ε = {epsilon:g}", showlegend=False,
        )  # fmt: skip
    return apply_layout(
        figure, height=340,
        xaxis={"type": "log", "title": "typical error of a cell, points", "dtick": "D2"},
        yaxis={"title": "guesses right, of 100", "rangemode": "tozero"},
    )  # fmt: skip
