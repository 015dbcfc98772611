"""Range queries: the share of the people within ranges of values of some attributes."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from calm_core._checks import check_count, check_fraction, check_k, check_rng
from calm_core.errors import InputError
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

# The first and the last code, inclusive, of every attribute of a query.
Ranges = Mapping[str, tuple[int, int]]


def check_ranges(domain: Domain, ranges: Ranges) -> dict[str, tuple[int, int]]:
    """The ranges in domain order; refuses empty and invalid ones.

    Examples
    --------
    >>> check_ranges(Domain(("sex", "age"), (2, 9)), {"age": (3, 7), "sex": (1, 1)})
    {'sex': (1, 1), 'age': (3, 7)}
    """
    if not ranges:
        raise InputError("ranges () must name at least one attribute")
    found = {}
    for name in domain.canonical(ranges):
        size = domain.project((name,)).sizes[0]
        try:
            low, high = ranges[name]
        except (TypeError, ValueError):
            raise InputError(
                f"the range of {name!r:.80} must be two codes, the first and the last"
            ) from None
        low = check_count(f"first code of {name!r:.80}", low, low=0, high=size - 1)
        found[name] = low, check_count(f"last code of {name!r:.80}", high, low=low, high=size - 1)
    return found


def range_share(table: Marginal, ranges: Ranges) -> float:
    """The share of a table inside all of the ranges.

    Examples
    --------
    >>> table = Marginal(Domain(("sex", "age"), (2, 3)), [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    >>> round(range_share(table, {"sex": (1, 1), "age": (0, 1)}), 3)
    0.5
    """
    ranges = check_ranges(table.domain, ranges)
    cells = table.project(tuple(ranges)).values
    return float(cells[tuple(slice(low, high + 1) for low, high in ranges.values())].sum())


def range_mask(domain: Domain, queries: Sequence[Ranges]) -> np.ndarray:
    """Boolean mask of the cells of the full table of `domain` inside any of the queries.

    Examples
    --------
    >>> range_mask(Domain(("sex", "age"), (2, 3)), [{"age": (1, 2), "sex": (0, 0)}]).tolist()
    [[False, True, True], [False, False, False]]
    """
    found = np.zeros(domain.sizes, bool)
    for ranges in queries:
        ranges = check_ranges(domain, ranges)
        inside = (ranges.get(name, (0, size - 1)) for name, size in zip(domain.names, domain.sizes))
        found[tuple(slice(low, high + 1) for low, high in inside)] = True
    return found


def range_shares(
    marginals: Callable[[Sequence[tuple[str, ...]]], Sequence[Marginal]], queries: Sequence[Ranges]
) -> np.ndarray:
    """The shares of many range queries, from the tables over the attributes of each.

    Parameters
    ----------
    marginals : callable
        Returns the tables over several sets of attributes, such as `Dataset.marginals`.
    queries : sequence of mapping
        For every query the first and the last code, inclusive, of each of its attributes.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> data = Dataset.from_codes([[0, 2], [1, 0], [1, 2], [1, 1]], Domain(("sex", "age"), (2, 3)))
    >>> range_shares(data.marginals, [{"age": (1, 2)}, {"sex": (1, 1), "age": (0, 1)}]).tolist()
    [0.75, 0.5]
    """
    # Many queries have the same attributes.
    asked = [tuple(sorted(query)) for query in queries]
    distinct = list(dict.fromkeys(asked))
    tables = dict(zip(distinct, marginals(distinct)))
    return np.array([range_share(tables[attrs], query) for attrs, query in zip(asked, queries)])


def ordered_attributes(domain: Domain) -> tuple[str, ...]:
    """The attributes with at least three ordered values, which range queries can use."""
    return tuple(name for name in domain.names if domain.ordered_of(name) > 2)


def choose_ranges(
    domain: Domain, k: int, count: int, *, volume: float = 0.5, rng: np.random.Generator
) -> list[dict[str, tuple[int, int]]]:
    """Random range queries over k attributes, each with a share `volume` of its ordered values.

    Parameters
    ----------
    domain : Domain
        Shape of the data; only attributes with at least three ordered values are used.
    k : int
        Attributes of every query.
    count : int
        Number of queries; they may repeat.
    volume : float
        Share of the ordered values of every attribute in the range, above 0 and at most 1; the number
        of values is rounded and at least 1.
    rng : numpy Generator
        Chooses the attributes and the start of every range.

    Examples
    --------
    >>> domain = Domain(("age", "income"), (8, 16))
    >>> choose_ranges(domain, 2, 1, rng=np.random.default_rng(1))
    [{'age': (3, 6), 'income': (8, 15)}]
    """
    names, rng = ordered_attributes(domain), check_rng(rng)
    if not names:
        raise InputError(
            "ranges need an attribute with three values or more in an order, and there is none; "
            "choose numbers, dates or a scale"
        )
    k, count = check_k(k, len(names)), check_count("ranges", count)
    volume = check_fraction("volume", volume, remedy="0.5 is usual")
    found = []
    for _ in range(count):
        query = {}
        for i in np.sort(rng.choice(len(names), size=k, replace=False)):
            values = domain.ordered_of(names[i])
            inside = max(1, math.floor(volume * values + 0.5))
            first = int(rng.integers(values - inside + 1))
            query[names[i]] = (first, first + inside - 1)
        found.append(query)
    return found
