"""Figures of errors: over pairs of attributes; of methods compared over epsilon or n; of an answer with its interval."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calm_core.figures.theme import (
    COLORS,
    SEQUENTIAL,
    SERIES,
    WRONG_AXIS,
    add_reference_line,
    apply_layout,
    escape_label,
)
from calm_core.release.estimate import Estimate
from calm_core.text import power_of_ten, shorten, shorten_number

OF_100 = "people of 100 in the wrong cell"

METRIC_TITLES = {
    "sse": "SSE (squared shares)",
    "l1": "L1 distance (shares)",
    "l2": "L2 distance (shares)",
    "jensen_shannon": "Jensen-Shannon divergence (nats)",
}
# Powers of ten that colors of errors cover: a color means the same at every setting.
DECADES = tuple(range(-7, 1))


def pair_heatmap(pairs: pd.DataFrame, names: Sequence[str], metric: str) -> go.Figure:
    """Error of every two-way marginal as a grid; `pairs` is from `score_pairs`."""
    at = {name: i for i, name in enumerate(names)}
    grid = np.full((len(names), len(names)), np.nan)
    texts = np.full(grid.shape, "", dtype=object)
    for (a, b), covered, value in zip(pairs["attributes"], pairs["covered"], pairs[metric]):
        where = "from a view" if covered else "rebuilt"
        text = f"{escape_label(a)} × {escape_label(b)}<br>{shorten_number(value)}, {where}"
        for cell in ((at[a], at[b]), (at[b], at[a])):
            grid[cell], texts[cell] = value, text
    ticks = {"tickvals": list(range(len(names))), "ticktext": [escape_label(n, 20) for n in names]}
    figure = go.Figure().add_heatmap(
        z=np.log10(np.maximum(grid, 10.0 ** DECADES[0])), zmin=DECADES[0], zmax=DECADES[-1], colorscale=SEQUENTIAL,
        xgap=1, ygap=1, text=texts, hovertemplate="%{text}<extra></extra>", hoverongaps=False,
        colorbar={"title": {"text": METRIC_TITLES[metric], "side": "right", "font": {"size": 12}}, "thickness": 12,
                  "tickvals": DECADES, "ticktext": [power_of_ten(power) for power in DECADES]},
    )  # fmt: skip
    figure.update_xaxes(**ticks, tickangle=-40, showgrid=False, zeroline=False)
    figure.update_yaxes(**ticks, autorange="reversed", showgrid=False, zeroline=False)
    height = 150 + max(24, 40 - len(names)) * len(names)
    return apply_layout(figure, height=height, dragmode=False)


def _pair_names(pair) -> str:
    """The shortened names of a pair."""
    return " and ".join(shorten(name, 28) for name in pair.attributes)


def describe_pairs(pairs: pd.DataFrame, metric: str) -> str:
    """The pair heatmap in one sentence."""
    worst, best = pairs.loc[pairs[metric].idxmax()], pairs.loc[pairs[metric].idxmin()]
    return (
        f"Error of all {len(pairs)} pairs of attributes: largest for {_pair_names(worst)} "
        f"({shorten_number(worst[metric])}), smallest for {_pair_names(best)} "
        f"({shorten_number(best[metric])})."
    )


AXES = {"epsilon": "ε, privacy budget per person", "n": "n, number of people"}
_SYMBOLS = {"epsilon": "ε", "n": "n"}


def _setting(name: str, value: float) -> str:
    """A value of an axis in a sentence."""
    return f"{_SYMBOLS[name]} = {value:,.12g}"


def _ticks(values: Iterable[float]) -> dict[str, list]:
    """A tick at every value."""
    places = sorted(set(values))
    return {"tickvals": places, "ticktext": [f"{value:,.12g}" for value in places]}


def failed_repetitions(summary: pd.DataFrame, titles: Mapping[str, str]) -> dict[str, str]:
    """Notes on the methods of which repetitions failed, by title; empty if none failed.

    Examples
    --------
    >>> table = pd.DataFrame({"method": "calm", "epsilon": [1, 2], "failed": [3, 0], "repetitions": 20})
    >>> failed_repetitions(table, {"calm": "CALM"})
    {'CALM': 'up to 3 of 20 repetitions failed'}
    """
    marks = {}
    for method, rows in summary[summary["failed"] > 0].groupby("method", sort=False):
        everywhere = summary.loc[summary["method"] == method, "failed"].nunique() == 1
        worst = rows.loc[rows["failed"].idxmax()]
        text = f"{worst['failed']:,} of {worst['repetitions']:,} repetitions failed"
        marks[titles.get(method, method)] = text if everywhere else f"up to {text}"
    return marks


def method_curves(
    summary: pd.DataFrame,
    titles: Mapping[str, str],
    over: str = "epsilon",
    *,
    guess: float | None = None,
    now: float | None = None,
    note: str = "",
) -> go.Figure:
    """People of 100 in the wrong cell over "epsilon" or "n": a line per method with its 95% band; central ones dashed.

    `summary` is from `summarize_wrong`; `guess` is the number with equal shares: above half of it tables are
    unusable. `now` is a value of `over` to mark, with the number of every method there. Names stand at the ends of
    a few lines, else in a legend, where methods with failed repetitions are marked; `note` is written at the foot
    of the curves.
    """
    failed = failed_repetitions(summary, titles)
    figure = go.Figure()
    ends, numbers = [], []
    methods = list(dict.fromkeys(zip(summary["trust"], summary["method"])))
    for i, (trust, method) in enumerate(methods):
        part = summary[(summary["method"] == method) & (summary["trust"] == trust)]
        part = part.dropna(subset=["mean"])
        color, title = SERIES[i % len(SERIES)], titles.get(method, method)
        label = f"{title} ({failed[title]})" if title in failed else title
        x = [*part[over], *part[over][::-1]]
        y = [*part["high"], *part["low"][::-1]]
        figure.add_scatter(
            x=x, y=y, fill="toself", fillcolor=color, opacity=0.15,
            hoverinfo="skip", showlegend=False, mode="none",
        )  # fmt: skip
        line = {"color": color, "width": 2.5, "dash": "dash" if trust == "central" else "solid"}
        figure.add_scatter(
            x=part[over], y=part["mean"], mode="lines+markers", line=line, name=label,
            marker={"size": 9, "symbol": i % 10},
            hovertemplate=f"{_SYMBOLS[over]} %{{x:,}}<br>%{{y:.2~g}} of 100<extra>%{{fullData.name}}</extra>",
        )  # fmt: skip
        ends += [(x, y, title, color) for x, y in zip(part[over][-1:], part["mean"][-1:])]
        here = part.loc[part[over] == now, "mean"]
        numbers += [(now, y, shorten_number(y), color) for y in here]
    # Names are placed on the axis that the verdicts set.
    is_named = bool(guess) and not failed and 0 < len(ends) <= MAX_NAMED
    if guess:  # a logarithmic axis has no 0
        low, top = _add_verdicts(figure, guess, lowest=float(summary["low"].min()))
        _add_labels(figure, [one for one in numbers if low < one[1] < top], low, top, up=10)
        if is_named:
            _add_labels(figure, ends, low, top)
    if now is not None:
        add_reference_line(
            figure, "x", now, "now", log=True, color=COLORS["true"], dash="dot", width=1.5
        )
    if note:
        figure.add_annotation(
            xref="paper", yref="paper", x=0, y=0, text=note, showarrow=False, xanchor="left",
            yanchor="bottom", name="note",
        )  # fmt: skip
    figure.update_xaxes(title=AXES[over], type="log", **_ticks(summary[over]))
    if is_named:
        # The ends are at the edge, for the names beside it.
        first, last = np.log10([summary[over].min(), summary[over].max()])
        pad = 0.03 * (last - first) or 0.5
        figure.update_xaxes(range=[first - pad, last + pad / 3])
    figure.update_yaxes(title=OF_100, **WRONG_AXIS)
    options: dict[str, Any] = {}
    if is_named:
        width = LETTER * max(len(name) for _, _, name, _ in ends)
        margin = {"l": 10, "r": 16 + width, "t": 40, "b": 10}
        options = {"showlegend": False, "margin": margin}
    return apply_layout(figure, height=HEIGHT, **options)


# Lines that are named at their ends; pixels of the figure, of what its axes leave, between two labels, and of a letter.
MAX_NAMED = 6
HEIGHT, INSIDE, GAP, LETTER = 400, 290, 18, 8


def _add_labels(
    figure: go.Figure, labels: Sequence[tuple], low: float, top: float, up: int = 0
) -> None:
    """Write texts to the right of points (x, y, text, color), `up` pixels above, moved apart; y is from low to top."""
    labels = sorted(labels, key=lambda one: one[1])
    places = [math.log10(min(max(y, low), top)) for _, y, *_ in labels]
    at = INSIDE * np.array(places) / math.log10(top / low)
    steps = GAP * np.arange(len(labels))
    # Lowest places above those below, and highest places below those above: their mean keeps the distance too.
    raised = np.maximum.accumulate(at - steps)
    lowered = np.minimum.accumulate((at - steps)[::-1])[::-1]
    shifts = (raised + lowered) / 2 + steps - at
    for (x, _, text, color), place, shift in zip(labels, places, shifts):
        figure.add_annotation(
            x=math.log10(x), y=place, text=f"<b>{text}</b>", font={"color": color}, showarrow=False,
            xanchor="left", xshift=8, yshift=up + float(shift),
        )  # fmt: skip


def _add_verdicts(figure: go.Figure, guess: float, *, lowest: float) -> tuple[float, float]:
    """Mark where tables are unusable or precise, and equal shares; return the ends of the axis."""
    line = {"color": COLORS["uniform"], "dash": "dot", "width": 2}
    add_reference_line(figure, "y", guess, f"guessing {shorten_number(guess)}", log=True, **line)
    precise, top = min(2.0, guess / 10), 1.3 * guess
    low = min(precise / 2, lowest if lowest > 0 else precise) / 1.2
    for y0, y1, name, color, side in (
        (guess / 2, top, "Unusable", "negative", "bottom"), (low, precise, "Precise", "accent", "top"),
    ):  # fmt: skip
        figure.add_hrect(
            y0=y0, y1=y1, fillcolor=COLORS[color], opacity=0.08, line_width=0, layer="below"
        )
        # Plotly takes the exponent for a place on a logarithmic axis.
        figure.add_annotation(
            xref="paper", x=1, y=math.log10(y0 if side == "bottom" else y1), text=name, showarrow=False,
            xanchor="right", yanchor=side,
        )  # fmt: skip
    figure.update_yaxes(range=[math.log10(low), math.log10(top)])
    return low, top


def describe_methods(
    summary: pd.DataFrame, titles: Mapping[str, str], over: str = "epsilon"
) -> str:
    """The comparison in one sentence."""
    lines = []
    summary = summary.dropna(subset=["mean"])
    for trust in dict.fromkeys(summary["trust"]):
        rows_alike = summary[summary["trust"] == trust]
        for value in dict.fromkeys((rows_alike[over].min(), rows_alike[over].max())):
            rows = rows_alike[rows_alike[over] == value]
            best = rows.loc[rows["mean"].idxmin()]
            name = titles.get(best["method"], best["method"])
            lines.append(
                f"{name} at {_setting(over, value)} ({shorten_number(best['mean'])} of 100)"
            )
    return "Closest of its kind: " + ", ".join(lines) + "."


class Bar(NamedTuple):
    """An answer drawn as a bar.

    Attributes
    ----------
    label : str
    answer, truth : Estimate or None
        Either may be unknown.
    """

    label: str
    answer: Estimate | None
    truth: Estimate | None


def draw_answers(bars: Sequence[Bar], title: str, *, main: int = 1, scale: float = 1) -> go.Figure:
    """Answers as bars with their intervals, the truth beside each where it is known.

    Parameters
    ----------
    bars : sequence of Bar
        From the top; their labels differ.
    title : str
        Of the axis, with the unit.
    main : int
        How many of them, from the first, are what is asked about; the others are paler.
    scale : float
        Times which values are drawn.

    Examples
    --------
    >>> ill = Estimate(0.16, 0.09, 0.23, (), "")
    >>> [trace.name for trace in draw_answers([Bar("ill", ill, None)], "people of 100", scale=100).data]
    ['reconstructed']
    """
    missing = Estimate(math.nan, math.nan, math.nan, (), "")
    labels = [escape_label(bar.label) for bar in bars]
    value, low, high = (
        scale
        * np.array([(a.value, a.low, a.high) for a in (bar.answer or missing for bar in bars)]).T
    )
    truths = [scale * (bar.truth or missing).value for bar in bars]
    figure = go.Figure()
    if any(bar.truth for bar in bars):
        # Named first, as everywhere; plotly draws marks above bars all the same.
        figure.add_scatter(
            x=truths, y=labels, mode="markers", name="true",
            marker={"color": COLORS["true"], "symbol": "diamond", "size": 16,
                    "line": {"color": "white", "width": 2}},
        )  # fmt: skip
    figure.add_bar(
        x=value, y=labels, orientation="h", name="reconstructed", showlegend=True,
        marker={"color": COLORS["estimate"], "opacity": [1.0 if at < main else 0.4 for at in range(len(bars))]},
        error_x={"type": "data", "symmetric": False, "array": high - value, "arrayminus": value - low,
                 "thickness": 2.5, "width": 9, "color": COLORS["threshold"]},
    )  # fmt: skip
    axis = {"title": {"text": title, "font": {"size": 14}}, "rangemode": "tozero"}
    return apply_layout(
        figure, height=110 + 44 * len(bars), xaxis=axis,
        yaxis={"autorange": "reversed", "showgrid": False}, bargap=0.35,
    )  # fmt: skip
