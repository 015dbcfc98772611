"""What twenty collections of the same people have in common, in words."""

import numpy as np
import streamlit as st

from calm_core.evaluation.run import Run
from calm_core.settings import Settings
from pages import words
from pages.ui import error_by_epsilon


def show(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """What is seen, and once the collections are made how much they differ."""
    known = error_by_epsilon.known_of(settings, outcome.domain, attrs)
    if outcome.dataset.domain.cells_of(attrs) > error_by_epsilon.MAX_CELLS:
        st.info(words.marginals.too_many_to_watch(error_by_epsilon.MAX_CELLS))
        return
    st.caption(words.marginals.PLAYS_LEAD.format(times=error_by_epsilon.TIMES))
    released = known.released.get(settings.epsilon)
    if released is not None:
        truth = outcome.dataset.marginal(attrs).values.ravel()
        st.caption(sentence(released, truth))


def sentence(released: np.ndarray, truth: np.ndarray) -> str:
    """How much the collections differ, and how often the truth lies between them.

    >>> sentence(np.array([[0.2, 0.8], [0.3, 0.7]]), np.array([0.25, 0.75]))
    '2 independent collections: in 9 of 10 of them a cell stays within a band 9.0 points wide on average; the true share lies inside it for 2 of 2 cells.'
    """
    low, high = np.quantile(released, (0.05, 0.95), axis=0)
    inside = int(((truth >= low) & (truth <= high)).sum())
    return words.marginals.plays(len(released), float((high - low).mean()), inside, truth.size)
