"""Stacked answers: CALM+, latent classes and CALM from the same reports, each with its weight."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from calm_core.collection.aggregating import NoisyMarginals, aggregate
from calm_core.collection.collecting import Reports
from calm_core.inference.consistency import ConsistentMarginals
from calm_core.inference.shrinkage import PlusMarginals, PlusNote, infer_plus
from calm_core.inference.single_thread import limit_blas_threads
from calm_core.inference.stacking.classes import LatentClasses, fit_latent_classes
from calm_core.inference.stacking.weighing import compute_weights, score_members
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

CLASS_COUNTS = (2, 4, 8)


@dataclass(frozen=True, eq=False)
class Members:
    """What is stacked, all from the same noisy views.

    Attributes
    ----------
    plus : PlusMarginals
        CALM+, and with it CALM.
    mixtures : tuple of Classes
        Latent classes, as many as the domain is small enough for.
    """

    plus: PlusMarginals
    mixtures: tuple[LatentClasses, ...]

    @classmethod
    def of(cls, noisy: NoisyMarginals, k: int) -> "Members":
        """Infer everything from noisy views."""
        plus = infer_plus(noisy, order=k)
        fitted = (fit_latent_classes(plus.known, count) for count in CLASS_COUNTS)
        return cls(plus, tuple(classes for classes in fitted if classes is not None))

    @property
    def names(self) -> tuple[str, ...]:
        """The members in the order of their tables."""
        classes = (f"{len(classes.shares)} classes" for classes in self.mixtures)
        return "CALM+", *classes, "CALM"

    def tables(self, queries: Sequence[Iterable[str]]) -> list[list[Marginal]]:
        """The answers of every member to all queries."""
        domain = self.plus.domain
        named = [domain.canonical(attrs) for attrs in queries]
        found = [self.plus.marginals(named)]
        for classes in self.mixtures:
            found.append([
                Marginal(domain.project(attrs), classes.table(domain.positions(attrs)))
                for attrs in named
            ])  # fmt: skip
        return [*found, self.plus.views.marginals(named)]


@dataclass(frozen=True, eq=False)
class StackedMarginals:
    """Answers of several members, each with its weight; every answer is a distribution.

    Attributes
    ----------
    reports : Reports
        All that is known of the data.
    k : int
        Number of attributes in the marginals that the weights are for.
    members : Members
        What is weighed, inferred from all reports.
    """

    reports: Reports
    k: int
    members: Members

    @property
    def domain(self) -> Domain:
        """All attributes of the collection."""
        return self.reports.domain

    @property
    def views(self) -> ConsistentMarginals:
        """Faithful CALM's inference from the very same reports, for paired comparison."""
        return self.members.plus.views

    @cached_property
    @limit_blas_threads()
    def weights(self) -> np.ndarray:
        """Share of every member, in the order of `Members.names`."""
        if not any(view.n for view in self.reports.views):
            return np.append(1.0, np.zeros(len(self.members.mixtures) + 1))
        return compute_weights(score_members(self.reports, self._foretold, self.k))

    def _foretold(self, noisy: NoisyMarginals, queries) -> list[list[Marginal]]:
        return Members.of(noisy, self.k).tables(queries)

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view holds every given attribute."""
        return self.members.plus.covers(attrs)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The marginal over `attrs`: non-negative, sum 1."""
        return self.marginals([attrs])[0]

    def marginals(self, queries: Iterable[Iterable[str]]) -> list[Marginal]:
        """Many marginals in the order asked."""
        queries = list(queries)
        if self.weights[0] == 1:
            return self.members.plus.marginals(queries)
        shares = self.weights
        return [
            Marginal(same[0].domain, np.tensordot(shares, [one.values for one in same], axes=1))
            for same in zip(*self.members.tables(queries))
        ]

    def interval(self, attrs: Iterable[str], level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """An interval for every cell: around the stacked answer, longer where CALM+ answers otherwise.

        Parameters
        ----------
        attrs : iterable of str
            The marginal.
        level : float
            Nominal probability, above 0 and below 1, that a cell lies in its interval.

        Returns
        -------
        low, high : ndarray, shape of the marginal
            Fractions in [0, 1]; of attributes that nobody reported on those of CALM+.
        """
        return self.members.plus.interval(attrs, level, centre=self.marginal(attrs))

    def interval_of_sum(
        self, attrs: Iterable[str], inside: np.ndarray, level: float = 0.95
    ) -> tuple[float, float]:
        """The same for the sum of the cells that are True in `inside`."""
        return self.members.plus.interval_of_sum(attrs, inside, level, centre=self.marginal(attrs))

    def explain(self, attrs: Iterable[str]) -> PlusNote:
        """What CALM+ tells of the marginal, and the weights."""
        note = self.members.plus.explain(attrs)
        shares = [
            f"{name} {share:.0%}"
            for name, share in zip(self.members.names, self.weights)
            if share >= 0.005
        ]
        return replace(note, text=f"{note.text} Weights: {', '.join(shares)}.")


@limit_blas_threads()
def infer_stacked(reports: Reports, k: int) -> StackedMarginals:
    """CALM+, mixtures of 2, 4 and 8 latent classes and CALM, weighed on reports left out.

    Parameters
    ----------
    reports : Reports
        Support counts of all views; see `is_divisible` for the oracles that they may be of.
    k : int
        Attributes of the tables whose error the weights are to make small.

    Examples
    --------
    >>> from calm_core.collection.collecting import ViewReports
    >>> from calm_core.oracles import GRR
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> view = ViewReports(("sex", "age"), GRR(1.0, 6), [40, 10, 10, 20, 10, 10], 100)
    >>> stacked = infer_stacked(Reports(domain, (view,)), k=2)
    >>> stacked.members.names
    ('CALM+', '2 classes', '4 classes', '8 classes', 'CALM')
    >>> round(float(stacked.marginal(("age",)).values.sum()), 6)
    1.0
    """
    return StackedMarginals(reports, k, Members.of(aggregate(reports), k))
