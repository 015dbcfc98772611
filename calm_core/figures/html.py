"""Figures as HTML fragments, as text that is kept, and as options of the browser's own picture export."""

import json

import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure
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


class ReadyFigure(BaseFigure):
    """A figure that was made and kept as JSON: to be shown it is neither checked nor copied once more.

    Examples
    --------
    >>> made = go.Figure(layout={"height": 300})
    >>> ReadyFigure(made.to_json()).to_dict() == json.loads(made.to_json())
    True
    """

    def __init__(self, text: str):
        self._text = text

    def to_dict(self) -> dict:
        """All of it, as plain values."""
        return json.loads(self._text)


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
