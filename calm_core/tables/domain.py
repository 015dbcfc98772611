"""Domain: the public shape of the data."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from calm_core._checks import check_cells, check_count
from calm_core.errors import InputError


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

    Raises
    ------
    InputError
        If names repeat, lengths disagree or a size is below 1.

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> domain.d, domain.shape_of(("age", "sex"))
    (2, (2, 3))
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    labels: tuple[tuple[str, ...], ...] | None = field(default=None, compare=False)

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
            labels = tuple(tuple(str(v) for v in values) for values in self.labels)
            object.__setattr__(self, "labels", labels)
            if tuple(len(values) for values in labels) != sizes:
                raise InputError("labels must give one text per value of every attribute")

    @property
    def d(self) -> int:
        """Number of attributes."""
        return len(self.names)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def positions(self, attrs: Iterable[str]) -> tuple[int, ...]:
        """Ascending positions of the given attributes; refuses unknown or repeated names."""
        attrs = (attrs,) if isinstance(attrs, str) else tuple(attrs)
        for name in attrs:
            if name not in self._positions:
                raise InputError(
                    f"attribute {name!r} is not in the data; choose from its attributes"
                )
        if len(set(attrs)) != len(attrs):
            raise InputError(f"attributes {attrs} must be distinct")
        return tuple(sorted(self._positions[name] for name in attrs))

    def canonical(self, attrs: Iterable[str]) -> tuple[str, ...]:
        """The given attributes in domain order."""
        return tuple(self.names[i] for i in self.positions(attrs))

    def shape_of(self, attrs: Iterable[str]) -> tuple[int, ...]:
        """Numbers of values of the given attributes, in domain order."""
        return tuple(self.sizes[i] for i in self.positions(attrs))

    def cells_of(self, attrs: Iterable[str]) -> int:
        """Number of cells of the marginal over `attrs`; refuses more than 10^7."""
        shape = self.shape_of(attrs)
        return check_cells(shape, f"the marginal over {len(shape)} attributes")

    def labels_of(self, name: str) -> tuple[str, ...]:
        """Texts of the values of one attribute."""
        (i,) = self.positions((name,))
        return self.labels[i] if self.labels else tuple(str(v) for v in range(self.sizes[i]))

    def project(self, attrs: Iterable[str]) -> "Domain":
        """The domain of the given attributes only."""
        at = self.positions(attrs)
        labels = tuple(self.labels[i] for i in at) if self.labels else None
        return Domain(tuple(self.names[i] for i in at), tuple(self.sizes[i] for i in at), labels)
