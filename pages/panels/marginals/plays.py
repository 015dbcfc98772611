"""Twenty collections of the same people: the bars move, the truth stays."""

import pandas as pd
import streamlit as st

from calm_core.evaluation.repeated_runs import replays
from calm_core.evaluation.run import Run
from calm_core.figures.marginals import MOST_BARS, collections_bars, compare_cells, spread
from calm_core.methods import make_method
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, pictures
from pages.ui.progress import Progress

TIMES = 20


def plays_of(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> pd.DataFrame:
    """Cells of the marginal in each of the 20 collections."""

    def make() -> pd.DataFrame:
        method = make_method(settings.method, **settings.method_settings)
        truth = outcome.dataset.marginal(attrs)
        tables = []
        # The rows are those of the run already, so no n is given here.
        again = replays(outcome.dataset, method, attrs, seed=settings.seed, times=TIMES)
        text = f"Collecting {TIMES} times"
        with Progress(text) as progress:
            progress.show(0, TIMES)
            for i, answer in enumerate(again, start=1):
                part = compare_cells(truth, answer)
                tables.append(part.assign(collection=i, cell=range(len(part))))
                progress.show(i, TIMES, f"{text}: {i} done")
        return pd.concat(tables, ignore_index=True)

    return cached.kept("plays", (settings.results_key, attrs), make)


def show(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """The animated bars with the band of all collections."""
    st.markdown(words.marginals.PLAYS_LEAD.format(times=TIMES))
    if outcome.dataset.domain.cells_of(attrs) > MOST_BARS:
        st.info(words.marginals.too_many_to_watch(MOST_BARS))
        return
    plays = plays_of(settings, outcome, attrs)
    band = spread(plays)
    truth = plays[plays["collection"] == 1].set_index("cell")["true"]
    inside = int(((truth >= band["low"]) & (truth <= band["high"])).sum())
    width = float((band["high"] - band["low"]).mean())
    sentence = words.marginals.plays(TIMES, width, inside, len(truth))
    pictures.show(collections_bars(plays, attrs), sentence, "collections")
