"""Domain: the public shape of the data, and random sets of its attributes to query."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import accumulate, combinations
from operator import mul
from typing import Any, TypeVar

import numpy as np

from calm_core._checks import check_cells, check_count, check_k, check_rng, set_fields
from calm_core.errors import InputError

Said = TypeVar("Said")


@dataclass(frozen=True)
class Domain:
    """Attribute names with their numbers of values; the order given is the canonical order.

    Parameters
    ----------
    names : tuple of str
        d distinct, non-empty attribute names.
    sizes : tuple of int
        Number of values c_i >= 1 of every attribute, in the order of `names`.
    labels : tuple of tuple of str, optional
        What the codes 0..c_i-1 of every attribute mean; the codes themselves where omitted.
    titles, shorts : tuple of str, optional
        Title of every attribute on screen, and a short one for small spaces; by default its name, and
        empty.
    value_names : tuple of tuple of str, optional
        Names of the values of every attribute on screen; the labels where omitted or empty.

    Raises
    ------
    InputError
        If names repeat, lengths disagree or a size is below 1.

    Notes
    -----
    Domains that differ only in labels, titles or names of values are equal: reports do not depend on them.

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> domain.d, domain.shape_of(("age", "sex"))
    (2, (2, 3))
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    labels: tuple[tuple[str, ...], ...] | None = field(default=None, compare=False)
    titles: tuple[str, ...] | None = field(default=None, compare=False, repr=False)
    shorts: tuple[str, ...] | None = field(default=None, compare=False, repr=False)
    value_names: tuple[tuple[str, ...], ...] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "names", tuple(self.names))
        sizes = tuple(check_count(f"size of {n}", c) for n, c in zip(self.names, self.sizes))
        if len(self.names) != len(tuple(self.sizes)) or not self.names:
            raise InputError(
                f"names ({len(self.names)}) and sizes ({len(tuple(self.sizes))}) must be equally "
                "many and at least one"
            )
        object.__setattr__(self, "sizes", sizes)
        if any(not isinstance(n, str) or not n for n in self.names):
            raise InputError("names must be non-empty strings; give every attribute a name")
        if len(set(self.names)) != len(self.names):
            twice = next(n for n in self.names if self.names.count(n) > 1)
            raise InputError(f"names must be distinct; {twice!r} appears more than once")
        if self.labels is not None:
            labels = tuple(map(_as_texts, self.labels))
            object.__setattr__(self, "labels", labels)
            if tuple(len(values) for values in labels) != sizes:
                raise InputError("labels must give one text per value of every attribute")
        self._name_for_the_screen()

    def _name_for_the_screen(self) -> None:
        titles = self.names if self.titles is None else tuple(self.titles)
        shorts = ("",) * self.d if self.shorts is None else tuple(self.shorts)
        values = ((),) * self.d if self.value_names is None else tuple(map(tuple, self.value_names))
        if not len(titles) == len(shorts) == len(values) == self.d or not all(titles):
            raise InputError("titles, shorts and value_names must be one for every attribute")
        if any(len(texts) not in (0, size) for texts, size in zip(values, self.sizes)):
            raise InputError("value_names must give one text per value of an attribute, or none")
        set_fields(self, titles=titles, shorts=shorts, value_names=values)

    @property
    def d(self) -> int:
        """Number of attributes."""
        return len(self.names)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def positions(self, attrs: Iterable[str]) -> tuple[int, ...]:
        """Ascending positions of the given attributes; refuses unknown or repeated names."""
        attrs = _as_names(attrs)
        for name in attrs:
            if name not in self._positions:
                raise InputError(
                    f"attribute {name!r} is not in the data; choose from its attributes"
                )
        if len(set(attrs)) != len(attrs):
            raise InputError(f"attributes {attrs} must be distinct")
        return tuple(sorted(self._positions[name] for name in attrs))

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether every given attribute is one of these."""
        return set(_as_names(attrs)) <= set(self.names)

    def canonical(self, attrs: Iterable[str]) -> tuple[str, ...]:
        """The given attributes in domain order."""
        return tuple(self.names[i] for i in self.positions(attrs))

    def shape_of(self, attrs: Iterable[str]) -> tuple[int, ...]:
        """Numbers of values of the given attributes, in domain order."""
        return tuple(self.sizes[i] for i in self.positions(attrs))

    def count_fitting(self, max_cells: int) -> int:
        """Number of leading attributes whose joint table has at most `max_cells` cells.

        >>> Domain(("sex", "age", "area"), (2, 3, 4)).count_fitting(6)
        2
        """
        return sum(cells <= max_cells for cells in accumulate(self.sizes, mul))

    def cells_of(self, attrs: Iterable[str]) -> int:
        """Number of cells of the marginal over `attrs`; refuses more than 10^7."""
        shape = self.shape_of(attrs)
        return check_cells(shape, f"the table over {len(shape)} attributes")

    def labels_of(self, name: str) -> tuple[str, ...]:
        """Texts of the values of one attribute."""
        (i,) = self.positions((name,))
        return self.labels[i] if self.labels else tuple(str(v) for v in range(self.sizes[i]))

    def title_of(self, name: str) -> str:
        """Title of one attribute on screen."""
        return self._said(self.titles, name)

    def short_of(self, name: str) -> str:
        """Short title of one attribute; empty if there is none."""
        return self._said(self.shorts, name)

    def value_names_of(self, name: str) -> tuple[str, ...]:
        """Names of the values of one attribute on screen."""
        named = self._said(self.value_names, name) or self.labels_of(name)
        return tuple(text or label for text, label in zip(named, self.labels_of(name)))

    def check_same(self, domain: "Domain") -> None:
        """Refuse data of another domain than this one, for which a plan was made.

        Labels are compared if both have them: with other labels the codes would mean something else.
        """
        if domain.names != self.names:
            raise InputError(
                f"the data must have the attributes of the plan, {', '.join(self.names):.200}; they "
                f"have {', '.join(domain.names):.200}"
            )
        for name, planned, there in zip(self.names, self.sizes, domain.sizes):
            labels = self.labels_of(name), domain.labels_of(name)
            if planned != there or self.labels and domain.labels and labels[0] != labels[1]:
                labels_shown = [f"{', '.join(texts):.80}" for texts in labels]
                raise InputError(
                    f"the values of {name!r:.80} in the data ({labels_shown[1]}) must be those of the plan "
                    f"({labels_shown[0]}); read the data with the schema that the plan was made with"
                )

    def _said(self, texts: tuple[Said, ...] | None, name: str) -> Said:
        """The entry of one attribute."""
        (i,) = self.positions((name,))
        assert texts is not None  # `__post_init__` has filled in what was omitted
        return texts[i]

    def project(self, attrs: Iterable[str]) -> "Domain":
        """The domain of the given attributes only."""
        at = self.positions(attrs)

        def some(of: tuple | None) -> Any:
            return None if of is None else tuple(of[i] for i in at)

        return Domain(*(some(getattr(self, item.name)) for item in fields(self)))


def _as_texts(values: Iterable[object]) -> tuple[str, ...]:
    """The values as strings; tuples of strings are shared, not copied."""
    if type(values) is tuple and all(type(v) is str for v in values):
        return values
    return tuple(map(str, values))


def _as_names(attrs: Iterable[str]) -> tuple[str, ...]:
    """The names as a tuple; a single string is one name."""
    return (attrs,) if isinstance(attrs, str) else tuple(attrs)


# As many tables are scored unless said: all of up to eight attributes.
TABLES_SCORED = 70


def choose_queries(
    domain: Domain, k: int, count: int, *, rng: np.random.Generator
) -> list[tuple[str, ...]]:
    """`count` distinct random k-way marginals, or all of them where there are no more.

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> choose_queries(domain, 1, 50, rng=np.random.default_rng(1))
    [('sex',), ('age',)]
    """
    k = check_k(k, domain.d)
    count, rng = check_count("queries", count), check_rng(rng)
    if math.comb(domain.d, k) <= count:
        return list(combinations(domain.names, k))
    queries: dict[tuple[int, ...], None] = {}
    while len(queries) < count:
        queries[tuple(sorted(rng.choice(domain.d, size=k, replace=False).tolist()))] = None
    return [tuple(domain.names[i] for i in query) for query in queries]
