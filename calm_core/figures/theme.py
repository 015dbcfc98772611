"""Colors, layout and HTML that all figures share.

The colors are distinguishable with any common color blindness (Okabe and Ito, the lightest of them
darker), with a contrast of 3 : 1 to a white and to a dark background: one figure serves both themes.
"""

import html
import json
import math
import re
from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure
from plotly.offline import get_plotlyjs

from calm_core.text import shorten

COLORS = {
    "true": "#7A8699",
    "estimate": "#0072B2",
    "negative": "#D55E00",
    "uniform": "#A67C00",
    "noise": "#0072B2",
    "sampling": "#8A6FD6",
    "reconstruction": "#B85C93",
    "accent": "#009E73",
    "threshold": "#D55E00",
    "faint": "rgba(122, 134, 153, 0.25)",
}
SERIES = ("#0072B2", "#D55E00", "#009E73", "#B85C93", "#8A6FD6", "#A67C00", "#7A8699")
SEQUENTIAL = "Cividis"
# People in the wrong cell span few decades: ticks at 1, 2 and 5, not at powers.
WRONG_AXIS: dict[str, Any] = {"type": "log", "dtick": "D2", "tickformat": "~g"}
AXIS = {
    "automargin": True, "ticklabeloverflow": "allow", "zeroline": False, "gridcolor": COLORS["faint"], "tickfont": {"size": 14},
}  # fmt: skip
_AXIS = re.compile("[xy]axis[0-9]+")
FONT = "Source Sans, Source Sans Pro, system-ui, sans-serif"


def escape_label(text: str, width: int = 28) -> str:
    """A name or label from a file, shortened and escaped, since Plotly reads texts as HTML.

    Examples
    --------
    >>> escape_label("<b>sex</b>")
    '&lt;b&gt;sex&lt;/b&gt;'
    """
    return html.escape(shorten(text, width), quote=False)


def apply_layout(figure: go.Figure, *, height: int = 380, **layout) -> go.Figure:
    """The figure with the shared layout, which `layout` overrides (axes as `xaxis` and `yaxis`).

    It is a new figure: Plotly takes several times as long to change the layout of an existing one.
    """
    shared = {
        "height": height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 10, "r": 10, "t": 40, "b": 10},
        "font": {"family": FONT, "size": 14},
        "legend": {
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "font": {"size": 14},
        },
        "hoverlabel": {"font": {"size": 14}},
        "bargap": 0.25,
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#7A8699", "activecolor": "#0072B2"},
    }
    merged = figure.layout.to_plotly_json()
    # The template is the default one, which is slow to validate.
    del merged["template"]
    merged = _merge(merged, shared | layout)
    for name in {"xaxis", "yaxis", *filter(_AXIS.fullmatch, merged)}:
        merged = _merge(merged, {name: AXIS})
    return go.Figure(figure.data, merged)


def enlarge(figure: go.Figure, size: int) -> go.Figure:
    """The figure with all texts of at least this size, and higher by as much, for a projector."""
    axis = {"tickfont": {"size": size}, "title": {"font": {"size": size}}}
    for ax in (*figure.select_xaxes(), *figure.select_yaxes()):
        # Exponents and the digits between powers would be smaller.
        ax.update({**axis, **({"dtick": 1, "exponentformat": "none"} if ax.type == "log" else {})})
    figure.update_layout(
        height=(figure.layout.height or 380) * size // 14, font_size=size, legend_font_size=size
    )
    figure.update_annotations(font_size=size)
    figure.update_traces(textfont_size=size, selector={"type": "heatmap"})
    return figure


def _merge(old: dict, new: Mapping) -> dict:
    """Update a layout as Plotly does, with nested values updated too."""
    nested = {
        name: _merge(old[name], value)
        for name, value in new.items()
        if isinstance(value, Mapping) and isinstance(old.get(name), dict)
    }
    return old | dict(new) | nested


def log_axis(figure: go.Figure, axis: str, **options) -> None:
    """Make the x or y axis logarithmic, labeled at powers of ten only (x: also at 2 and 5)."""
    ticks = {"dtick": 1} if axis == "y" else {"dtick": "D2"}
    update = figure.update_xaxes if axis == "x" else figure.update_yaxes
    settings: dict[str, Any] = {"type": "log", "exponentformat": "power"} | ticks | options
    update(**settings)


def add_reference_line(
    figure: go.Figure, axis: str, value: float, text: str, *, log: bool, **line
) -> None:
    """Add a labeled line across the figure at one value of an axis.

    Plotly's own lines with annotations take a position on a logarithmic axis as its exponent and stretch the axis.
    """
    style = {"dash": "dash", "color": COLORS["threshold"], "width": 2} | line
    place = math.log10(value) if log else value
    if axis == "y":
        figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=value, y1=value, line=style)
        figure.add_annotation(
            xref="paper", x=0, y=place, text=text, showarrow=False, xanchor="left", yanchor="bottom",
        )  # fmt: skip
    else:
        figure.add_shape(type="line", yref="paper", y0=0, y1=1, x0=value, x1=value, line=style)
        figure.add_annotation(
            yref="paper", y=1, x=place, text=text, showarrow=False, xanchor="left", yanchor="top",
            xshift=3,
        )  # fmt: skip


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
    """A figure cached as JSON, which Plotly neither validates nor copies again.

    Examples
    --------
    >>> made = go.Figure(layout={"height": 300})
    >>> ReadyFigure(made.to_json()).to_dict() == json.loads(made.to_json())
    True
    """

    def __init__(self, text: str):
        self._text = text

    def to_dict(self) -> dict:
        """The figure as plain values."""
        return json.loads(self._text)


def picture_options(name: str) -> dict:
    """Options of Plotly's mode bar, whose camera saves the file `name` in three times the size on screen."""
    return {
        "displaylogo": False,
        "responsive": True,
        "toImageButtonOptions": {"format": "png", "filename": name, "scale": 3},
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    }
