"""The first chart a visitor sees: one released table beside the true one."""

from calm_core.figures.marginals import compare_cells, marginal_bars
from calm_core.running import Run
from pages.shared import escape


def first_look(outcome: Run, most: int = 4):
    """Figure, title and text alternative of the first query, narrowed to at most `most` attributes."""
    attrs = outcome.queries[0][:most]
    answer = outcome.answer.marginal(attrs)
    truth = outcome.dataset.marginal(attrs)
    figure = marginal_bars(compare_cells(truth, answer), attrs)
    names = " × ".join(escape.short(name, 24) for name in attrs)
    return figure, escape.markdown(names, 90), f"True and released shares of {names}"
