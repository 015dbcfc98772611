"""Figures as HTML fragments and as options of the browser's own picture export."""

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs


def plotly_script() -> str:
    """The whole of plotly.js, so that a page needs no connection."""
    return get_plotlyjs()


def figure_html(figure: go.Figure, name: str) -> str:
    """The figure as a fragment; `plotly_script` must stand once on the page before it.

    Examples
    --------
    >>> "Plotly.newPlot" in figure_html(go.Figure(), "empty")
    True
    """
    return figure.to_html(
        full_html=False,
        include_plotlyjs=False,
        auto_play=False,
        div_id=name,
        config=picture_options(name),
    )


def picture_options(name: str, kind: str = "svg") -> dict:
    """Configuration of the mode bar: the camera saves `name` as "svg" or "png".

    Examples
    --------
    >>> picture_options("errors", "png")["toImageButtonOptions"]["format"]
    'png'
    """
    image = {"format": kind, "filename": name, "scale": 1 if kind == "svg" else 3}
    return {
        "displaylogo": False,
        "responsive": True,
        "toImageButtonOptions": image,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    }
