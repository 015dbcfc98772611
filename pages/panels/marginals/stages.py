"""One view at four moments: raw, consistent, non-negative, final."""

import numpy as np
import streamlit as st

from calm_core.evaluation.run import Run
from calm_core.inference.consistency import ConsistentMarginals, consistency_stages
from calm_core.inference.shrinkage import full_tables_from_parities
from calm_core.methods.reporting import ViewsAnswer
from calm_core.settings import Settings
from calm_core.tables.marginal import Marginal
from pages import words
from pages.ui import cached, escape, naming, tables
from pages.ui.components.table import Axis, Head, draw_table


def stages_of(settings: Settings, outcome: Run) -> dict[str, tuple]:
    """Tables of all views at each of the four moments; of CALM+ its own answers as a fifth."""

    def make() -> dict[str, tuple]:
        answer = outcome.answer
        # The answer that offers views.
        assert isinstance(answer, ViewsAnswer) and isinstance(answer.views, ConsistentMarginals)
        # Reports of parities have no tables of their own; these follow from them.
        noisy = full_tables_from_parities(answer.noisy)
        # What the method did, which need not be what the settings offer to CALM.
        did = answer.views.report
        found = dict(
            consistency_stages(
                noisy,
                nonnegativity=did.nonnegativity,
                rounds=did.rounds,
                weights=did.weights,
            )
        )
        last = list(found)[-1]
        wanted = {"raw": "raw", "consistent": "consistent"}
        wanted |= {"non-negative": "non-negative 1"} if "non-negative 1" in found else {}
        wanted |= {"final": last}
        shown = {name: found[stage] for name, stage in wanted.items()}
        if answer.inferred is not answer.views:
            shown["plus"] = tuple(answer.marginals(noisy.views))
        return shown

    return cached.get_result("stages", settings.results_key, make)


def show(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """Choose a view that holds one of the attributes; see it change."""
    if "views" not in outcome.answer.offers:
        st.info(words.shared.ONLY_CALM, icon=":material/info:")
        return
    stages = stages_of(settings, outcome)
    views = [measured.attrs for measured in stages["raw"]]
    near = sorted(range(len(views)), key=lambda i: -len(set(views[i]) & set(attrs)))
    index = st.selectbox(
        words.marginals.STAGE_VIEW, near, key="stage_view", help=words.marginals.STAGE_HELP,
        format_func=lambda i: escape.short(naming.joined(outcome.domain, views[i], 24), 90),
    )  # fmt: skip
    truth = outcome.dataset.marginal(views[index])
    found = {name: stage[index] for name, stage in stages.items()}
    axis = _axis(truth, found)
    small = truth.values.size <= tables.MAX_NUMBERS
    places = st.columns(len(found), gap="small") if small else [st.container() for _ in found]
    for place, (name, stage) in zip(places, found.items()):
        with place:
            drawn = tables.table_of(
                truth, stage, reading=tables.measured(truth, stage), axis=axis, numbers=False,
                order=np.argsort(-truth.values.ravel(), kind="stable"), compact=small, height=280,
                grows=False, head=Head(words.marginals.STAGES[name]),
            )  # fmt: skip
            draw_table(drawn, key=f"stage_{name}")
    below = int((found["raw"].values < 0).sum())
    st.caption(words.marginals.stages(below, truth.values.size))
    st.caption(words.marginals.STAGES_LEAD)


def _axis(truth: Marginal, found: dict[str, Marginal]) -> Axis:
    """One axis for all stages, below zero as far as the raw shares are."""
    shares = [stage.values for stage in found.values()]
    axis = tables.axis_of(truth.values, *shares)
    least = min(float(values.min()) for values in shares)
    return Axis(axis.top, axis.tick, min(0.0, axis.tick / 2 * np.floor(least / (axis.tick / 2))))
