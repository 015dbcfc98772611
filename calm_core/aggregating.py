"""Aggregation: from randomised reports to unbiased estimates of the views."""

from collections.abc import Iterable
from dataclasses import dataclass

from calm_core.domain import Domain
from calm_core.errors import InputError
from calm_core.marginal import Marginal


@dataclass(frozen=True, eq=False)
class NoisyMarginals:
    """Unbiased estimates of the views: cells may be negative, overlapping views may disagree.

    Attributes
    ----------
    domain : Domain
        All attributes of the collection.
    tables : tuple of Marginal
        One estimate per view, m of them, as fractions of the population.
    variances : tuple of float
        Variance of one cell of each table (small-frequency form of the oracle's variance, fractions
        squared); infinite where nobody reported.
    users : tuple of int
        Number of users who reported on each view (0 where noise was not added by users).
    """

    domain: Domain
    tables: tuple[Marginal, ...]
    variances: tuple[float, ...]
    users: tuple[int, ...]

    def __post_init__(self):
        if not self.tables or not len(self.tables) == len(self.variances) == len(self.users):
            raise InputError("tables, variances and users must be equally many and at least one")
        for table in self.tables:
            if self.domain.shape_of(table.attrs) != table.domain.sizes:
                raise InputError(f"the view over {table.attrs} does not fit the domain")
        if any(not v >= 0 for v in self.variances):
            raise InputError("variances must not be negative")

    @property
    def views(self) -> tuple[tuple[str, ...], ...]:
        """Attribute names of every view."""
        return tuple(table.attrs for table in self.tables)

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether some view holds every given attribute."""
        return any(table.covers(attrs) for table in self.tables)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The raw estimate from the view with the fewest cells that covers `attrs`."""
        attrs = self.domain.canonical(attrs)
        covering = [table for table in self.tables if table.covers(attrs)]
        if not covering:
            raise InputError(f"no view covers {', '.join(attrs)}; make the views consistent first")
        return min(covering, key=lambda table: table.values.size).project(attrs)
