"""Figures of errors: over pairs, over queries, by source, over (l, m), over n and epsilon."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calm_core.figures.theme import COLORS, SEQUENTIAL, finish, number, plain, shorten

METRIC_TITLES = {
    "sse": "SSE (squared shares)",
    "l1": "L1 distance (shares)",
    "l2": "L2 distance (shares)",
    "jensen_shannon": "Jensen-Shannon divergence (nats)",
}


def pair_heatmap(pairs: pd.DataFrame, names: Sequence[str], metric: str) -> go.Figure:
    """Error of every two-way marginal as a grid; `pairs` as from `sweeps.pair_scores`.

    Transparent points lie over the cells, because plotly selects points only, not heatmap cells;
    each carries its two attribute names as custom data.
    """
    at = {name: i for i, name in enumerate(names)}
    grid = np.full((len(names), len(names)), np.nan)
    points: dict[str, list] = {"x": [], "y": [], "pair": [], "text": []}
    for row in pairs.itertuples():
        a, b = row.attributes
        value = getattr(row, metric)
        where = "from a view" if row.covered else "rebuilt"
        for i, j in ((at[a], at[b]), (at[b], at[a])):
            grid[i, j] = value
            points["x"].append(j)
            points["y"].append(i)
            points["pair"].append([a, b])
            points["text"].append(f"{plain(a)} × {plain(b)}<br>{number(value)}, {where}")
    ticks = {"tickvals": list(range(len(names))), "ticktext": [plain(n, 20) for n in names]}
    figure = go.Figure(
        go.Heatmap(
            z=grid, colorscale=SEQUENTIAL, xgap=1, ygap=1, hoverinfo="skip",
            colorbar={"title": {"text": METRIC_TITLES[metric], "side": "right", "font": {"size": 12}}, "thickness": 12,
                      "tickformat": ".2~g"},
        )
    )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=points["x"], y=points["y"], mode="markers", customdata=points["pair"], text=points["text"],
            marker={"size": 22, "opacity": 0, "symbol": "square"}, hovertemplate="%{text}<extra></extra>",
        )
    )  # fmt: skip
    figure.update_xaxes(**ticks, tickangle=-40, showgrid=False, zeroline=False)
    figure.update_yaxes(**ticks, autorange="reversed", showgrid=False, zeroline=False)
    return finish(
        figure,
        height=150 + max(24, 40 - len(names)) * len(names),
        clickmode="event+select",
        dragmode=False,
    )


def _both(pair) -> str:
    """The names of a pair, shortened."""
    return " and ".join(shorten(name) for name in pair.attributes)


def describe_pairs(pairs: pd.DataFrame, metric: str) -> str:
    """The pair heatmap in one sentence."""
    worst, best = pairs.loc[pairs[metric].idxmax()], pairs.loc[pairs[metric].idxmin()]
    return (
        f"Error of all {len(pairs)} pairs of attributes: largest for {_both(worst)} "
        f"({number(worst[metric])}), smallest for {_both(best)} ({number(best[metric])})."
    )


def error_distribution(scores: pd.DataFrame) -> go.Figure:
    """How the SSE of the k-way queries is spread, with the mean and the uniform guess as lines."""
    positive, guess = (scores[name].clip(lower=1e-12) for name in ("sse", "uniform_sse"))
    low = math.floor(np.log10(min(positive.min(), guess.min())) * 4) / 4
    high = math.ceil(np.log10(max(positive.max(), guess.max())) * 4) / 4
    edges = np.arange(low, high + 0.126, 0.125)
    figure = go.Figure()
    highest = 1
    for covered, name, color in (
        (True, "from a view", "estimate"),
        (False, "rebuilt", "reconstruction"),
    ):
        held = positive[scores["covered"] == covered]
        if held.empty:
            continue
        counts, _ = np.histogram(np.log10(held), bins=edges)
        highest = max(highest, int(counts.max()))
        ends = [f"{number(10**a)} to {number(10**b)}" for a, b in zip(edges, edges[1:])]
        figure.add_trace(
            go.Bar(
                x=10 ** ((edges[:-1] + edges[1:]) / 2), y=counts, name=name, text=ends, textposition="none",
                width=np.diff(10**edges) * 0.94, marker_color=COLORS[color],
                hovertemplate="%{y} marginals with an SSE of %{text}<extra></extra>",
            )
        )  # fmt: skip
    lines = [
        (float(scores["sse"].mean()), "mean SSE", COLORS["estimate"]),
        (float(scores["uniform_sse"].mean()), "uniform guess", COLORS["negative"]),
    ]
    for (at, text, color), side, y in zip(sorted(lines), ("left", "right"), (1.0, 0.87)):
        _marker(figure, at, text, color, side, y)
    figure.update_xaxes(
        title="SSE of one marginal (squared shares, log scale)",
        type="log",
        exponentformat="power",
        dtick=1,
    )
    figure.update_yaxes(title="number of marginals", range=[0, 1.35 * highest])
    legend = {"orientation": "h", "y": 1.1, "yanchor": "bottom", "x": 0}
    return finish(figure, height=380, barmode="stack", legend=legend)


def _marker(figure: go.Figure, at: float, text: str, color: str, side: str, y: float):
    """A dashed line at `at` on a logarithmic axis with its name beside it."""
    figure.add_vline(at, line={"color": color, "width": 2, "dash": "dash"})
    figure.add_annotation(
        x=float(np.log10(max(at, 1e-12))), y=y, yref="paper", text=f"{text} {number(at)}", showarrow=False,
        xanchor=side, yanchor="top", xshift=6 if side == "left" else -6,
    )  # fmt: skip


def describe_distribution(scores: pd.DataFrame) -> str:
    """The distribution in one sentence."""
    better = float((scores["sse"] < scores["uniform_sse"]).mean())
    return (
        f"SSE of {len(scores)} marginals: half of them below {number(scores['sse'].median())}, 95% below "
        f"{number(scores['sse'].quantile(0.95))}; {better:.0%} are better than the uniform guess."
    )


def split_bar(parts: pd.DataFrame) -> go.Figure:
    """Mean SSE as one bar cut into its parts; `parts` as from `decomposition.split_error`."""
    figure = go.Figure()
    whole = float(parts[["sse", "direct"]].mean().max())
    for name, text in (
        ("noise", "noise of the reports"),
        ("sampling", "each group is a sample"),
        ("reconstruction", "rebuilding uncovered marginals"),
    ):
        value = float(parts[name].mean())
        figure.add_trace(
            go.Bar(
                y=["measured"], x=[value], name=text, orientation="h", marker_color=COLORS[name],
                text=number(value) if value > 0.12 * whole else "", textposition="inside",
                insidetextanchor="middle",
                hovertemplate=f"{text}: %{{x:.2~g}}<extra></extra>",
            )
        )  # fmt: skip
    for label, column in (
        ("without noise", "without_noise"),
        ("without noise and groups", "without_grouping"),
        ("full coverage", "direct"),
    ):
        value = float(parts[column].mean())
        figure.add_trace(
            go.Bar(y=[label], x=[value], orientation="h", marker_color=COLORS["true"], showlegend=False,
                   text=number(value), textposition="auto", hovertemplate="%{x:.2~g}<extra></extra>")
        )  # fmt: skip
    figure.update_xaxes(title="mean SSE (squared shares)", tickformat=".2~g")
    figure.update_yaxes(autorange="reversed", showgrid=False)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"}
    return finish(figure, height=330, barmode="relative", legend=legend)


def describe_split(parts: pd.DataFrame) -> str:
    """The split in one sentence."""
    total = float(parts["sse"].mean())
    if total == 0:
        return "No error at all: nothing to split."
    shares = {
        name: float(parts[name].mean()) / total for name in ("noise", "sampling", "reconstruction")
    }
    most = max(shares, key=lambda name: shares[name])
    text = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    return f"Mean SSE {number(total)} by source: {text}; {most} matters most."


def view_map(grid: pd.DataFrame, choice: tuple[int, int]) -> go.Figure:
    """Measured SSE of every pair (l, m), Algorithm 1's choice and the best one marked."""
    held = grid.dropna(subset=["sse"])
    level = np.log10(held["sse"].clip(lower=1e-12))
    ticks = np.linspace(level.min(), level.max(), 4)
    marker = {
        "size": 34, "symbol": "square", "color": level, "colorscale": SEQUENTIAL,
        "colorbar": {"title": {"text": "mean SSE (log scale)", "side": "right", "font": {"size": 12}}, "thickness": 12,
                     "tickvals": ticks, "ticktext": [number(10**t) for t in ticks]},
    }  # fmt: skip
    figure = go.Figure(
        go.Scatter(
            x=held["m"], y=held["l"], mode="markers", marker=marker, name="measured", showlegend=False,
            customdata=held["sse"],
            hovertemplate="l = %{y}, m = %{x}<br>SSE %{customdata:.2~g}<extra></extra>",
        )
    )  # fmt: skip
    best = held.loc[held["sse"].idxmin()]
    for (l, m), name, symbol, size in (  # noqa: E741 - the paper's name
        (choice, "Algorithm 1's choice", "square-open", 42),
        ((best["l"], best["m"]), "best measured", "star", 20),
    ):
        figure.add_trace(
            go.Scatter(
                x=[m], y=[l], mode="markers", name=name, hoverinfo="skip",
                marker={"symbol": symbol, "size": size, "color": COLORS["negative"],
                        "line": {"width": 4 if "open" in symbol else 1, "color": _edge(symbol)}},
            )
        )  # fmt: skip
    places = [step * 10**power for power in range(7) for step in (1, 2, 5)]
    figure.update_xaxes(
        title="m, number of views (log scale)", type="log", tickvals=places,
        ticktext=[f"{place:,}" for place in places],
    )  # fmt: skip
    figure.update_yaxes(title="l, attributes per view", dtick=1)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemsizing": "constant"}
    return finish(figure, height=420, legend=legend)


def _edge(symbol: str) -> str:
    return COLORS["negative"] if "open" in symbol else "white"


def describe_views(grid: pd.DataFrame, choice: tuple[int, int]) -> str:
    """The (l, m) map in one sentence."""
    held = grid.dropna(subset=["sse"])
    best = held.loc[held["sse"].idxmin()]
    text = (
        f"Best measured is l = {best['l']:.0f}, m = {best['m']:.0f} with SSE {number(best['sse'])}"
    )
    own = held[(held["l"] == choice[0]) & (held["m"] == choice[1])]
    if own.empty:
        return (
            f"{text}; Algorithm 1's choice l = {choice[0]}, m = {choice[1]} could not be measured."
        )
    ratio = float(own["sse"].iloc[0]) / float(best["sse"])
    return f"{text}; Algorithm 1's l = {choice[0]}, m = {choice[1]} has {ratio:.1f} times that."


def error_curve(rows: pd.DataFrame, name: str) -> go.Figure:
    """Measured SSE (line with band), predicted and uniform over `name` ("epsilon" or "n")."""
    figure = go.Figure()
    x = rows[name]
    band = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    figure.add_trace(go.Scatter(x=x, y=rows["high"], **band))
    figure.add_trace(
        go.Scatter(x=x, y=rows["low"], fill="tonexty", fillcolor="rgba(0,114,178,0.2)", **band)
    )
    lines = (
        ("sse", "measured", {"color": COLORS["estimate"], "width": 3}, "lines+markers"),
        (
            "predicted",
            "predicted: noise and sampling",
            {"color": COLORS["accent"], "dash": "dash"},
            "lines",
        ),
        ("uniform_sse", "uniform guess", {"color": COLORS["negative"], "dash": "dot"}, "lines"),
    )
    for column, title, line, mode in lines:
        figure.add_trace(
            go.Scatter(x=x, y=rows[column], mode=mode, line=line, name=title,
                       hovertemplate=f"{name} %{{x:,}}<br>SSE %{{y:.2~g}}<extra>{title}</extra>")
        )  # fmt: skip
    title = "epsilon, privacy budget per person" if name == "epsilon" else "n, number of people"
    ticks = {"tickvals": list(x), "ticktext": [f"{value:,.6g}" for value in x]}
    figure.update_xaxes(title=f"{title} (log scale)", type="log", **ticks)
    figure.update_yaxes(title="mean SSE (log scale)", type="log", exponentformat="power", dtick=1)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    return finish(figure, height=400, legend=legend)


def describe_curve(rows: pd.DataFrame, name: str) -> str:
    """The curve in one sentence."""
    first, last = rows.iloc[0], rows.iloc[-1]
    return (
        f"Mean SSE falls from {number(first['sse'])} at {name} = {first[name]:,.6g} to {number(last['sse'])} "
        f"at {name} = {last[name]:,.6g}."
    )
