"""Figures as HTML, as cached JSON and as options of the browser's picture export; small pictures in HTML."""

import html
import json
from collections.abc import Callable

import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure
from plotly.offline import get_plotlyjs

from calm_core.figures.theme import COLORS


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
