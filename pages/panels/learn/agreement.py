"""Lesson 5: views that share a question can be made to agree, and become more accurate by it."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from calm_core import Dataset, Domain, aggregate, choose_oracle, make_consistent, stream
from calm_core.collection.collecting import Reports, ViewReports
from calm_core.figures.learn import agreement_figure
from pages import words
from pages.panels.learn.frame import Lesson, again
from pages.ui import pictures

PEOPLE = 30_000
EPSILON = 1.0
SHARE = 0.35


def collect_views(views: int, press: int) -> tuple[pd.DataFrame, float, float]:
    """The shared share of yes as each view sees it, as all agree, and as it is; both typical errors.

    Attribute "s" is in every view, beside one question of the view's own.
    """
    rng = stream(press, "agreement", views)
    names = ("s", *(f"q{i}" for i in range(1, views + 1)))
    shared = (rng.random(PEOPLE) < SHARE).astype(np.int64)
    own = (rng.random((PEOPLE, views)) < 0.25 + 0.4 * shared[:, None]).astype(np.int64)
    data = Dataset.from_codes(np.column_stack([shared, own]), Domain(names, (2,) * len(names)))
    oracle = choose_oracle(4, EPSILON)
    parts = []
    for i, group in enumerate(np.array_split(rng.permutation(PEOPLE), views)):
        view = ("s", names[i + 1])
        counts = np.bincount(data.cells(view)[group], minlength=4)
        support = oracle.simulate(counts[None], rng=rng)[0]
        parts.append(ViewReports(view, oracle, support, len(group)))
    noisy = aggregate(Reports(data.domain, tuple(parts)))
    together = make_consistent(noisy, nonnegativity="none").marginal(("s",)).values[1]
    truth = data.marginal(("s",)).values[1]
    seen = [table.project(("s",)).values[1] for table in noisy.tables]
    rows = [{"who": f"view {i}", "share": s, "kind": "view"} for i, s in enumerate(seen, start=1)]
    rows += [
        {"who": "all agree on", "share": together, "kind": "together"},
        {"who": "true", "share": truth, "kind": "true"},
    ]
    apart = float(np.mean(np.abs(np.array(seen) - truth)))
    return pd.DataFrame(rows), apart, float(abs(together - truth))


def show() -> Mapping[str, object]:
    """Controls and figure."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        views = st.slider(
            "Views that share a question",
            2,
            8,
            4,
            key="agree_views",
            persist_state="session",
            width=320,
        )
        press = again("agreement", "Collect again")
    rows, apart, together = collect_views(views, press)
    pictures.show(
        agreement_figure(rows),
        words.learn.agreement(views, apart, together),
        "agreement",
    )
    return {"epsilon": EPSILON, "k": 2}


LESSON = Lesson(key="agreement", told=words.learn.AGREEMENT, show=show, page="marginals")
