"""One view at four moments: raw, consistent, non-negative, final."""

import pandas as pd
import streamlit as st

from calm_core.evaluation.metrics import sse
from calm_core.evaluation.run import Run
from calm_core.figures.marginals import compare_cells, stage_bars
from calm_core.inference.consistency import consistency_stages
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, escape, pictures, results


def stages_of(settings: Settings, outcome: Run) -> dict[str, tuple]:
    """Tables of all views at each of the four moments; of CALM+ its own answers as a fifth."""

    def make() -> dict[str, tuple]:
        answer = outcome.answer
        # What the method did, which need not be what the sidebar offers to CALM.
        did = answer.views.report
        found = dict(
            consistency_stages(
                answer.noisy,
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
            shown["plus"] = tuple(answer.marginals(answer.noisy.views))
        return shown

    return cached.kept("stages", settings.results_key, make)


def show(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """Choose a view that holds one of the attributes; see it change."""
    if "views" not in outcome.answer.offers:
        st.info(words.shared.ONLY_CALM, icon=":material/info:")
        return
    st.markdown(words.marginals.STAGES_LEAD)
    views = outcome.answer.noisy.views
    near = sorted(range(len(views)), key=lambda i: -len(set(views[i]) & set(attrs)))
    index = st.selectbox(
        "View", near, format_func=lambda i: escape.short(results.joined(views[i], 24), 90),
        key="stage_view", help=words.marginals.STAGE_HELP,
    )  # fmt: skip
    truth = outcome.dataset.marginal(views[index])
    tables = []
    for name, stage in stages_of(settings, outcome).items():
        part = compare_cells(truth, stage[index])
        tables.append(part.assign(stage=words.marginals.STAGES[name]))
    table = pd.concat(tables, ignore_index=True)
    errors = {
        words.marginals.STAGES[name]: sse(truth, stage[index])
        for name, stage in stages_of(settings, outcome).items()
    }
    below = int((tables[0]["estimate"] < 0).sum())
    sentence = words.marginals.stages(below, len(tables[0]), errors)
    pictures.show(stage_bars(table, views[index]), sentence, "stages")
