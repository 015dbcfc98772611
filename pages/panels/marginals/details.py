"""What stands behind a table: its errors in other measures, every cell, the views it was made of."""

import numpy as np
import streamlit as st

from calm_core.evaluation.metrics import sse
from calm_core.evaluation.run import Run
from calm_core.figures.marginals import compare_cells, name_columns
from calm_core.methods import METHODS
from calm_core.reports import csv_text
from calm_core.settings import Settings
from calm_core.tables.marginal import uniform
from pages import words
from pages.panels.marginals.origin import remarks, views_of
from pages.ui import escape, naming, results

# More cells than anybody scrolls through; all of them as a message to the browser would be too large.
MAX_ROWS = 20_000


def intervals(outcome: Run, attrs: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Lowest and highest plausible share of every cell, where the method gives them."""
    if "intervals" not in outcome.answer.offers:
        return {}
    low, high = outcome.answer.interval(attrs)
    return {"95% from": low.ravel(), "95% to": high.ravel()}


def show(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """Errors with their units, the views used, and all cells to take along."""
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    method = METHODS[settings.method]
    if method.trust == "central":
        st.caption(words.warnings.CURATOR.format(method=method.title))
    results.error_metrics(truth, answer)
    guess = words.marginals.uniform(sse(truth, uniform(truth.domain, attrs)))
    st.markdown(" ".join([*map(escape.sentence, remarks(outcome, attrs)), guess]))
    views = views_of(outcome, attrs)
    if views:
        with st.popover(words.marginals.views_used(len(views)), key="views_used"):
            for view in views[:40]:
                st.markdown("- " + escape.markdown(naming.joined(outcome.domain, view, 24), 200))
    _cells(truth, answer, attrs, intervals(outcome, attrs))


def _cells(truth, answer, attrs, limits: dict[str, np.ndarray]) -> None:
    """Every cell in the file's own words, as a table and as CSV."""
    table = compare_cells(truth, answer)
    if limits:
        low, high = limits.values()
        inside = int(((table["true"] >= low - 1e-12) & (table["true"] <= high + 1e-12)).sum())
        st.caption(words.marginals.INTERVALS.format(inside=inside, cells=low.size))
    exact = table.assign(difference=table["estimate"] - table["true"], **limits)
    if len(exact) > MAX_ROWS:
        st.caption(words.marginals.first_cells(MAX_ROWS, len(exact)))
    shares = ["true", "estimate", "difference", *limits]
    decimals = words.numbers.decimals(len(exact))
    shown = exact.head(MAX_ROWS).copy()
    shown[shares] = shown[shares].round(decimals)
    # Of the shares as they stand beside it; zero has no sign.
    shown["difference"] = (shown["estimate"] - shown["true"]).round(decimals) + 0.0
    values = {"true": "true share", "estimate": "released share"}
    # The step fixes how many digits are written.
    share = st.column_config.NumberColumn(format="percent", step=10.0**-decimals)
    st.dataframe(
        name_columns(shown.rename(columns=values), attrs), hide_index=True, alt=words.marginals.TABLE,
        column_config={values.get(name, name): share for name in shares},
    )  # fmt: skip
    st.download_button(
        "Download CSV", csv_text(name_columns(exact.rename(columns=values), attrs)), "table.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="table_csv",
    )  # fmt: skip
