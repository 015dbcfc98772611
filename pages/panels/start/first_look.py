"""The first chart a visitor sees: one released table beside the true one."""

from calm_core.evaluation.run import Run
from calm_core.figures.collect import cell_labels_of, estimates
from pages import words
from pages.ui import escape


def first_look(outcome: Run, most: int = 2):
    """Figure, title and text alternative of the first query, narrowed to at most `most` attributes."""
    attrs = outcome.queries[0][:most]
    truth = outcome.dataset.marginal(attrs)
    figure = estimates(outcome.answer.marginal(attrs).values, truth, cell_labels_of(truth.domain))
    names = " × ".join(escape.short(name, 24) for name in attrs)
    return figure, escape.markdown(names, 90), words.start.released(names)
