"""Range queries asked of an answer, and how far they are from the truth."""

from collections.abc import Callable, Sequence

import numpy as np

from calm_core.methods.base import Answer
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People
from calm_core.tables.ranges import Ranges, share_inside


def range_shares(answer: Answer, queries: Sequence[Ranges]) -> np.ndarray:
    """The share of the people inside the ranges of every query, as `answer` has it.

    Where a method does not answer ranges itself it is the sum of the cells inside, of the table over
    the attributes of the query.

    Parameters
    ----------
    answer : Answer
        What any method released.
    queries : sequence of mapping
        For every query the first and the last code, both inside, of each attribute it is about.

    Examples
    --------
    >>> from calm_core import METHODS, Dataset, Domain
    >>> domain, rng = Domain(("age", "income"), (16, 16)), np.random.default_rng(1)
    >>> data = Dataset.from_codes(rng.integers(0, 16, size=(50_000, 2)), domain)
    >>> answer = METHODS["hdg"](epsilon=2.0, k=2).release(data, rng=rng)
    >>> range_shares(answer, [{"age": (0, 7)}, {"age": (0, 7), "income": (4, 15)}]).round(1).tolist()
    [0.5, 0.4]
    """
    if "ranges" in answer.offers:
        return np.array([answer.share(query) for query in queries])
    return _from_tables(answer.marginals, queries)


def true_range_shares(people: People, queries: Sequence[Ranges]) -> np.ndarray:
    """The same of the people themselves."""
    return _from_tables(people.marginals, queries)


def _from_tables(
    marginals: Callable[[Sequence[tuple[str, ...]]], list[Marginal]], queries: Sequence[Ranges]
) -> np.ndarray:
    # Many queries are about the same attributes.
    asked = [tuple(sorted(query)) for query in queries]
    distinct = list(dict.fromkeys(asked))
    tables = dict(zip(distinct, marginals(distinct)))
    return np.array([share_inside(tables[attrs], query) for attrs, query in zip(asked, queries)])
