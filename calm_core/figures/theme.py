"""Colors, layout and HTML that all figures share.

The colors are distinguishable with any common color blindness (Okabe and Ito, the lightest of them
darker), with a contrast of 3 : 1 to a white and to a dark background: one figure serves both themes.
"""

import html
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure
from plotly.offline import get_plotlyjs

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


def shorten(text: str, width: int = 28) -> str:
    """A name or label from a file in one line of at most `width` characters; not escaped."""
    text = " ".join(str(text).split()) or "(blank)"
    return text if len(text) <= width else text[: width - 1] + "…"


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
    chosen: dict[str, Any] = {"type": "log", "exponentformat": "power"} | ticks | options
    update(**chosen)


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


def picture_options(name: str, kind: str = "svg") -> dict:
    """Options of Plotly's mode bar, whose camera saves the file `name` as "svg" or "png".

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


def boundary_html(text: str) -> str:
    """The line between the users' devices and the collector, as HTML."""
    return (
        f'<div role="note" style="display:flex;align-items:center;gap:.8rem;color:inherit">'
        f'<span style="flex:1;border-top:3px dashed {COLORS["accent"]}"></span>'
        f'<strong style="font-size:1rem">{html.escape(text)}</strong>'
        f'<span style="flex:1;border-top:3px dashed {COLORS["accent"]}"></span></div>'
    )


def odds_bars_html(
    shares: dict[str, float], sides: tuple[str, str], say: Callable[[str, float], str]
) -> str:
    """Rows of two opposite bars as HTML: a share to the left, the rest to the right.

    Parameters
    ----------
    shares : dict
        Share to the left, by name of the row.
    sides : (str, str)
        Titles of the left and the right side.
    say : callable
        A row in words, for screen readers.
    """
    left, right = map(html.escape, sides)
    rows = [
        f'<span></span><b style="text-align:right;padding-right:.4rem">{left}</b>'
        f'<b style="padding-left:.4rem">{right}</b>'
    ]
    for name, share in shares.items():
        parts = [
            f'<span style="display:flex;align-items:center;gap:.5rem;flex-direction:{way}">'
            f'<i style="width:{round(75 * part, 1)}%;height:1.4rem;background:{color}"></i>'
            f"<span>{round(100 * part)}%</span></span>"
            for part, way, color in (
                (share, "row-reverse", COLORS["estimate"]),
                (1 - share, "row", COLORS["true"]),
            )
        ]
        rows.append(f"<span>{html.escape(name)}</span>{''.join(parts)}")
        rows[-1] = (
            f'<div role="img" aria-label="{html.escape(say(name, share))}" '
            f'style="display:contents">{rows[-1]}</div>'
        )
    return (
        '<div style="display:grid;grid-template-columns:max-content 1fr 1fr;gap:.4rem .2rem;'
        f'align-items:center">{"".join(rows)}</div>'
    )
