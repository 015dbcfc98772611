"""The picture of an answer to a question: its interval on a line, with the truth beside it."""

import plotly.graph_objects as go

from calm_core.figures.theme import COLORS, apply_layout


def draw_interval(
    value: float, low: float, high: float, truth: float | None, title: str, *, zero: bool
) -> go.Figure:
    """An answer with its interval, and the truth where it is known.

    Parameters
    ----------
    value, low, high : float
        In the unit of the axis.
    truth : float or None
    title : str
        Of the axis, with the unit.
    zero : bool
        Whether the axis shows 0.

    Examples
    --------
    >>> [trace.name for trace in draw_interval(16, 9, 23, 15.2, "people of 100", zero=True).data]
    ['true', 'reconstructed']
    """
    figure = go.Figure()
    if truth is not None:
        figure.add_scatter(
            x=[truth], y=[""], mode="markers", name="true",
            marker={"color": COLORS["true"], "symbol": "diamond", "size": 15,
                    "line": {"color": "white", "width": 1}},
        )  # fmt: skip
    figure.add_scatter(
        x=[value], y=[""], mode="markers", name="reconstructed",
        marker={"color": COLORS["estimate"], "size": 16},
        error_x={"type": "data", "symmetric": False, "array": [high - value], "arrayminus": [value - low],
                 "thickness": 3, "width": 10, "color": COLORS["estimate"]},
    )  # fmt: skip
    axis = {
        "title": {"text": title, "font": {"size": 14}},
        "rangemode": "tozero" if zero else "normal",
    }
    return apply_layout(
        figure, height=190, xaxis=axis, yaxis={"showticklabels": False, "showgrid": False}
    )
