"""Range queries, and chosen values: the share of the people within ranges of values of some attributes."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

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


# Limit of the codes of an attribute.
MAX_VALUES = 1_000_000
# Number of attributes with a proper subset of values by default.
USUALLY_ASKED = 2
# Maximum number of ranges of a choice.
MAX_RANGES = 1_000


@dataclass(frozen=True)
class ChosenValues:
    """Values of one attribute.

    Parameters
    ----------
    attr : str
        The attribute.
    runs : tuple of (int, int)
        First and last code, inclusive, of every run of adjacent values, ascending with gaps in between.

    Examples
    --------
    >>> ChosenValues("age", ((0, 0), (2, 4))).word
    'age=0+2-4'
    """

    attr: str
    runs: tuple[tuple[int, int], ...]

    def __post_init__(self):
        if not isinstance(self.attr, str) or not self.attr:
            raise InputError("the attribute whose values are chosen must have a name")
        told, least = f"{self.attr!r:.40}", 0
        try:
            runs = tuple((first, last) for first, last in self.runs)
        except (TypeError, ValueError):
            raise InputError(
                f"the values of {told} must be pairs of a first and a last code"
            ) from None
        if not runs:
            raise InputError(f"the values of {told} must be at least one")
        found = []
        for first, last in runs:
            first = check_count(f"first value of {told}", first, low=least, high=MAX_VALUES)
            last = check_count(f"last value of {told}", last, low=first, high=MAX_VALUES)
            found.append((first, last))
            least = last + 2
        object.__setattr__(self, "runs", tuple(found))

    @classmethod
    def from_codes(cls, attr: str, codes: Iterable[int]) -> "ChosenValues":
        """The values with these codes.

        >>> ChosenValues.from_codes("age", (4, 0, 3, 2)).runs
        ((0, 0), (2, 4))
        """
        runs: list[list[int]] = []
        for code in sorted(set(codes)):
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
        return cls(attr, tuple((first, last) for first, last in runs))

    @classmethod
    def from_word(cls, word: str) -> "ChosenValues":
        """Parse the text of `word`.

        >>> ChosenValues.from_word("age=0+2-4") == ChosenValues("age", ((0, 0), (2, 4)))
        True
        """
        attr, _, told = str(word).rpartition("=")
        ends = [run.split("-") for run in told.split("+")]
        if not attr or not all(len(run) < 3 and all(map(_whole, run)) for run in ends):
            raise InputError(
                f"values chosen ({word!s:.40}) must be an attribute and its codes, such as age=0+2-4"
            )
        return cls(attr, tuple((int(run[0]), int(run[-1])) for run in ends))

    @property
    def word(self) -> str:
        """The choice as text: "age=0+2-4"."""
        runs = (str(a) if a == b else f"{a}-{b}" for a, b in self.runs)
        return f"{self.attr}={'+'.join(runs)}"

    @property
    def codes(self) -> tuple[int, ...]:
        """All codes, ascending."""
        return tuple(code for first, last in self.runs for code in range(first, last + 1))

    def fits(self, domain: Domain) -> bool:
        """Whether the domain has the attribute and all of these values."""
        return domain.covers((self.attr,)) and self.runs[-1][1] < domain.shape_of((self.attr,))[0]

    def everybody(self, domain: Domain) -> bool:
        """Whether these are all values of the attribute."""
        return self.runs == ((0, domain.shape_of((self.attr,))[0] - 1),)

    def span(self, domain: Domain) -> tuple[int, int] | None:
        """First and last of the ordered values chosen; None if they are not a range, or have no order.

        Other values, such as "missing", may be chosen as well.

        >>> domain = Domain(("age",), (6,), ordered=(5,))
        >>> [ChosenValues.from_word(word).span(domain) for word in ("age=1-3+5", "age=0+2", "age=5")]
        [(1, 3), None, None]
        """
        if self.attr not in ordered_attributes(domain):
            return None
        inside = [code for code in self.codes if code < domain.ordered_of(self.attr)]
        if not inside or inside[-1] - inside[0] >= len(inside):
            return None
        return inside[0], inside[-1]


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 8


def check_chosen_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words as `ChosenValues` writes them; refuses what is none, and an attribute that is named twice.

    >>> check_chosen_words(["age=0-0+2", "sex=1"])
    ('age=0+2', 'sex=1')
    """
    found = [ChosenValues.from_word(word) for word in words]
    names = [chosen.attr for chosen in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"values of {name!r:.40} are chosen twice; name each attribute once")
    return tuple(chosen.word for chosen in found)


def default_choice(domain: Domain) -> tuple[ChosenValues, ...]:
    """The default choice of values for every attribute.

    The middle half of two ordered attributes, or the last value of two attributes if none is ordered; all
    values of the others.

    Examples
    --------
    >>> domain = Domain(("sex", "area", "age"), (2, 3, 8), ordered=(2, 0, 8))
    >>> [chosen.word for chosen in default_choice(domain)]
    ['sex=0-1', 'area=0-2', 'age=2-5']
    """
    ordered = ordered_attributes(domain)
    asked = (ordered or domain.names)[:USUALLY_ASKED]
    found = []
    for name, size in zip(domain.names, domain.sizes):
        run = 0, size - 1
        if name in asked and name in ordered:
            values = domain.ordered_of(name)
            run = values // 4, values // 4 + (values + 1) // 2 - 1
        elif name in asked:
            run = size - 1, size - 1
        found.append(ChosenValues(name, (run,)))
    return tuple(found)


def parse_choice(domain: Domain, words: Iterable[str]) -> tuple[ChosenValues, ...]:
    """The values of every attribute that `words` name, or the default choice where none fits.

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 8))
    >>> [chosen.word for chosen in parse_choice(domain, ("sex=1", "income=3"))]
    ['sex=1', 'age=2-5']
    """
    named = {
        chosen.attr: chosen for chosen in map(ChosenValues.from_word, words) if chosen.fits(domain)
    }
    return tuple(named.get(usual.attr, usual) for usual in default_choice(domain))


def replace_codes(
    domain: Domain, words: Iterable[str], attr: str, codes: Iterable[int]
) -> tuple[str, ...]:
    """The words with the values of one attribute replaced; without codes by all values.

    >>> replace_codes(Domain(("sex", "age"), (2, 8)), ("sex=1", "age=2-5"), "sex", ())
    ('age=2-5', 'sex=0-1')
    """
    chosen = ChosenValues.from_codes(attr, [*codes] or range(*domain.shape_of((attr,))))
    kept = (word for word in words if ChosenValues.from_word(word).attr != attr)
    return (*kept, chosen.word)


def choice_to_ranges(domain: Domain, choice: Sequence[ChosenValues]) -> list[Ranges]:
    """The choice as disjoint range queries, whose shares add up to its share.

    Attributes with all values chosen are left out, unless that leaves none.

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 8))
    >>> choice_to_ranges(domain, (ChosenValues("sex", ((0, 1),)), ChosenValues("age", ((0, 1), (4, 7)))))
    [{'age': (0, 1)}, {'age': (4, 7)}]
    """
    told = [chosen for chosen in choice if not chosen.everybody(domain)] or list(choice)
    count = prod(len(chosen.runs) for chosen in told)
    if count > MAX_RANGES:
        raise InputError(
            f"the values chosen are {count:,} separate ranges together, more than {MAX_RANGES:,}; choose "
            "values that stand next to each other"
        )
    names = [chosen.attr for chosen in told]
    return [dict(zip(names, runs)) for runs in product(*(chosen.runs for chosen in told))]
