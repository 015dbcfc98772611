"""True against reconstructed, and where the table comes from."""

import numpy as np
import pandas as pd
import streamlit as st

from calm_core.evaluation.metrics import sse
from calm_core.evaluation.run import Run
from calm_core.figures.marginals import (
    MOST_BARS,
    cell_texts,
    compare_cells,
    describe_bars,
    marginal_bars,
    marginal_heatmap,
    named,
)
from calm_core.inference.shrinkage import PlusNote
from calm_core.reports import csv_text
from calm_core.tables.marginal import uniform
from pages import words
from pages.ui import escape, pictures, results


def show(outcome: Run, attrs: tuple[str, ...]) -> None:
    """Errors, origin, bars, and for two attributes heatmaps side by side."""
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    results.error_metrics(truth, answer)
    origin(outcome, attrs, sse(truth, uniform(truth.domain, attrs)))
    table = compare_cells(truth, answer)
    heat = len(attrs) == 2 and st.segmented_control(
        "Show as", ("Bars", "Heatmaps"), default="Bars", key="look_as", persist_state="session",
        label_visibility="collapsed", required=True,
    ) == "Heatmaps"  # fmt: skip
    limits = intervals(outcome, attrs)
    if heat:
        _heatmaps(table, attrs)
    else:
        band = pd.DataFrame(dict(zip(("low", "high"), limits.values()))) if limits else None
        pictures.show(
            marginal_bars(table, attrs, band=band), describe_bars(table, attrs), "marginal"
        )
    if limits:
        low, high = limits.values()
        inside = int(((table["true"] >= low - 1e-12) & (table["true"] <= high + 1e-12)).sum())
        drawn = not heat and low.size <= MOST_BARS
        where = "whiskers, and the table below" if drawn else "in the table below"
        st.caption(words.marginals.INTERVALS.format(inside=inside, cells=low.size, where=where))
    with st.expander("As a table", icon=":material/table_rows:"):
        values = {"true": "true share", "estimate": "reconstructed share"}
        shown = table.assign(difference=table["estimate"] - table["true"], **limits)
        shown = shown.rename(columns=values)
        shown = named(shown, attrs)
        share = st.column_config.NumberColumn(format="percent")
        st.dataframe(
            shown, hide_index=True, alt=words.marginals.TABLE,
            column_config={name: share for name in (*values.values(), "difference", *limits)},
        )  # fmt: skip
        st.download_button(
            "Download CSV", csv_text(shown), "marginal.csv", "text/csv", icon=":material/download:",
            on_click="ignore", key="marginal_csv",
        )  # fmt: skip


def intervals(outcome: Run, attrs: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Lowest and highest plausible share of every cell, where the method gives them."""
    if "intervals" not in outcome.answer.offers:
        return {}
    low, high = outcome.answer.interval(attrs)
    return {"95% from": low.ravel(), "95% to": high.ravel()}


def _heatmaps(table, attrs) -> None:
    table = table.assign(difference=table["estimate"] - table["true"])
    top = float(max(table["true"].max(), table["estimate"].max(), 1e-9))
    titles = {
        "true": "True", "estimate": "Reconstructed", "difference": "Reconstructed minus true",
    }  # fmt: skip
    for column, (name, title) in zip(st.columns(3), titles.items()):
        with column:
            st.markdown(f"**{title}**")
            figure = marginal_heatmap(table, attrs, name, top=top)
            worst = table.loc[table[name].abs().idxmax()]
            cell = cell_texts(worst.to_frame().T, attrs)[0]
            pictures.show(figure, words.marginals.largest(title, cell, worst[name]), f"heat_{name}")


def origin(outcome: Run, attrs: tuple[str, ...], guess: float) -> None:
    """Whether a view covers the attributes or the table was rebuilt, and from which views."""
    beside = words.marginals.uniform(guess)
    if "explain" not in outcome.answer.offers:
        st.markdown(f"{words.marginals.derived(outcome.answer.covers(attrs))} {beside}")
        return
    note = outcome.answer.explain(attrs)
    if isinstance(note, PlusNote):
        named = ", ".join(escape.markdown(name, 24) for name in note.neighbours)
        st.markdown(f"{note.text} {beside}", help=named and f"Fitted together with {named}")
        return
    if note.covered:
        count = len(note.views)
        head = "One view" if count == 1 else f"{count} views"
        text = words.marginals.COVERED.format(views=head, hold="holds" if count == 1 else "hold")
    else:
        parts = [results.joined(part, 24) for part in note.constraints]
        shown = ", ".join(escape.markdown(part, 120) for part in parts[:8])
        more = f" and {len(parts) - 8} more" if len(parts) > 8 else ""
        text = words.marginals.REBUILT.format(constraints=shown + more)
        if not note.converged:
            text += f" {words.marginals.gap(note.violation)}"
    st.markdown(f"{text} {beside}")
    with st.popover(f"Views used ({len(note.views)})", icon=":material/grid_on:", key="views_used"):
        for view in note.views[:40]:
            st.markdown("- " + escape.markdown(results.joined(view, 24), 200))
