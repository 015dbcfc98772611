"""What the result pages share: the verdict, scores of all queries, names of attributes."""

import math
from collections.abc import Iterable
from functools import partial

import pandas as pd
import streamlit as st

from calm_core.evaluation.metrics import METRICS, score
from calm_core.evaluation.run import Run
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.queries import choose_queries
from pages import words
from pages.ui import cached, escape, view_state
from pages.ui.progress import Notify

# All tables over k attributes are scored up to this many; beyond it, 200 random ones.
ALL_UP_TO, RANDOM = 600, 200
# So many of them together, which is faster than one by one, before it is told how far they are.
AT_ONCE = 25


def joined(attrs: Iterable[str], width: int = 60) -> str:
    """Names of attributes as plain text: a × b."""
    return " × ".join(escape.shorten(name, width) for name in attrs)


def score_all_tables(settings: Settings, outcome: Run) -> pd.DataFrame:
    """Scores of all tables over k attributes, or of 200 random ones where there are more than 600."""

    def work(notify: Notify) -> pd.DataFrame:
        domain = outcome.dataset.domain
        many = math.comb(domain.d, settings.k) > ALL_UP_TO
        rng = stream(settings.seed, 0, "all queries")
        queries = choose_queries(domain, settings.k, RANDOM if many else ALL_UP_TO, rng=rng)
        truths, answers = [], []
        for start in range(0, len(queries), AT_ONCE):
            part = queries[start : start + AT_ONCE]
            truths += outcome.dataset.marginals(part)
            answers += outcome.answer.marginals(part)
            notify(len(truths), len(queries))
        return score(truths, answers, [outcome.answer.covers(query) for query in queries])

    # Stopped, the page goes back to its first view, which has its tables already.
    stop = partial(view_state.change, view="")
    return cached.get_long_result(
        "all scores", settings.results_key, work, words.shared.scoring, stop
    )


def scores_text(scores: pd.DataFrame, settings: Settings, d: int) -> str:
    """Which tables a table of scores holds, in words."""
    return words.marginals.scores_text(len(scores), math.comb(d, settings.k), settings.k)


def show_error_metrics(truth, answer) -> None:
    """The four errors of one table, each with its unit and its meaning."""
    values = {name: metric(truth, answer) for name, metric in METRICS.items()}
    with st.grid(4, min_column_width=150):
        for name, value in values.items():
            title, unit, text = words.marginals.METRICS[name]
            st.metric(
                title, words.numbers.digits(value), unit, delta_color="off", delta_arrow="off", help=text,
                border=True, height="stretch",
            )  # fmt: skip
