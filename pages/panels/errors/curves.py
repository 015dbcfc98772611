"""Error over epsilon and over n, measured and predicted."""

import streamlit as st

from calm_core.evaluation.repeated_runs import measure_sweep
from calm_core.evaluation.run import Run
from calm_core.figures.errors import describe_curve, error_curve
from calm_core.methods import make_method
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, pictures
from pages.ui.jobs import resumable

EPSILONS = (0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
REPETITIONS = 3


def show(settings: Settings, outcome: Run) -> None:
    """One curve at a time, measured on demand."""
    if settings.method != "calm":
        st.markdown(words.errors.VIEWS_ONLY_CALM)
        return
    name = st.segmented_control(
        "Error over", ("epsilon", "n"), default="epsilon", required=True, key="curve_over",
        persist_state="session", format_func={"epsilon": "ε", "n": "number of people"}.__getitem__,
    )  # fmt: skip
    st.markdown(words.errors.CURVE_LEAD.format(repetitions=REPETITIONS))
    values = EPSILONS if name == "epsilon" else SIZES
    method = make_method("calm", **settings.changed(l=None, m=None).method_settings)
    data = cached.people(settings)
    rows = resumable.measure_in_steps(
        f"curve_{name}", settings.results_key, len(values),
        lambda done: measure_sweep(
            data, method, name, values[done:], seed=settings.seed, n=settings.n, queries=20,
            repetitions=REPETITIONS,
        ),
        f"Measuring over {'ε' if name == 'epsilon' else name}",
    )  # fmt: skip
    if rows.empty or "sse" not in rows:
        return
    held = rows.dropna(subset=["sse"])
    pictures.show(
        f"curve_{name}", (settings.results_key, len(rows)),
        lambda: (error_curve(held, name), describe_curve(held, name)),
    )  # fmt: skip
    st.download_button(
        "Download CSV", csv_text(rows), f"error-over-{name}.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="curve_csv",
    )  # fmt: skip
