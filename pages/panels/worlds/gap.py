"""How far the two worlds are apart: the price in people, and the gap over epsilon and n."""

import pandas as pd
import streamlit as st

from calm_core.evaluation import price_of_trust
from calm_core.evaluation.run import Run
from calm_core.figures.price_of_trust import describe_lines, error_lines
from calm_core.planning.remedies import find_users
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, pictures, widgets
from pages.ui.progress import Notify

EPSILONS, SIZES = (0.2, 0.5, 1.0, 2.0, 4.0), (4_000, 16_000, 64_000, 256_000)
QUERIES, REPETITIONS = 20, 3
# Collections of the curator that the price rests on: noise of one alone may be ten times too small or too large.
CURATORS = 10


def _key(settings: Settings) -> tuple:
    asked = (settings.epsilon, settings.k, settings.theta, settings.seed, settings.queries)
    return (*cached.data_key(settings), settings.n, *asked)


def needed(settings: Settings, curator: Run) -> int | None:
    """People for whom trusting nobody errs as little as a curator usually does; None beyond a trillion."""
    asked = {"epsilon": settings.epsilon, "k": settings.k, "theta": settings.theta}
    people = cached.people(settings)

    def weigh(notify: Notify) -> int | None:
        sse = price_of_trust.measure_curator_sse(
            people, n=settings.n, seed=settings.seed, queries=settings.queries, known=curator, repetitions=CURATORS,
            notify=lambda: notify(0, 0), **asked,
        )  # fmt: skip
        return find_users(
            curator.domain, sse, n=curator.n, notify=lambda done: notify(done, 0), **asked
        )

    return cached.get_long_result("people needed", _key(settings), weigh, words.worlds.weighing)


def rows_of(settings: Settings, over: str, n: int) -> pd.DataFrame:
    """Both worlds measured over "epsilon" or "n", kept."""
    dataset = cached.people(settings)
    grid = (EPSILONS, (n,)) if over == "epsilon" else ((settings.epsilon,), SIZES)

    def measure(notify: Notify) -> pd.DataFrame:
        return price_of_trust.measure_both_worlds(
            dataset, epsilons=grid[0], ns=grid[1], k=settings.k, theta=settings.theta,
            seed=settings.seed, queries=QUERIES, repetitions=REPETITIONS, notify=notify,
        )  # fmt: skip

    return cached.get_long_result(
        f"worlds {over}", _key(settings), measure, words.worlds.measuring, stop=_close
    )


def _close() -> None:
    """Callback of Stop: an open drawer would measure again."""
    st.session_state["worlds_gap"] = False


def drawer(settings: Settings, curator: Run, local: Run) -> None:
    """A closed drawer; what is in it is measured once it is opened."""
    panel = st.expander(words.worlds.GAP, on_change="rerun", key="worlds_gap")
    if not panel.open:
        return
    with panel:
        ratio = local.points / max(curator.points, 1e-300)
        st.markdown(
            words.worlds.in_full(ratio, settings.k, settings.epsilon, curator.points, local.points)
        )
        over = st.segmented_control(
            "Points over", tuple(words.worlds.OVER), default="epsilon", required=True, key="worlds_over",
            persist_state="session", format_func=words.worlds.OVER.__getitem__,
        )  # fmt: skip
        rows = rows_of(settings, over, local.n)
        pictures.show(
            f"worlds_{over}", _key(settings),
            lambda: (error_lines(rows, over), describe_lines(rows, over)),
        )  # fmt: skip
        st.download_button(
            "Download CSV", csv_text(rows), f"three-worlds-over-{over}.csv", "text/csv",
            icon=":material/download:", on_click="ignore", key="worlds_csv",
        )  # fmt: skip
        widgets.table_attributes(local.domain)
