"""CALM+: answers to any marginal by shrunken interactions, from the reports that CALM has."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core._checks import check_cells, check_choice, check_count, check_fraction
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InputError
from calm_core.inference.consistency import ConsistentMarginals, make_consistent
from calm_core.inference.shrinkage.empirical_bayes import (
    OrderPriors,
    fit_with_adaptive_priors,
    learn_strengths,
)
from calm_core.inference.shrinkage.interactions import (
    Interactions,
    Subset,
    full_tables_from_parities,
    measure_interactions,
    subsets_within,
)
from calm_core.inference.shrinkage.intervals import (
    LaplaceApproximation,
    credible_interval,
    laplace_approximation,
)
from calm_core.inference.shrinkage.noise import MomentNoise, is_nearly_exact, round_to_people
from calm_core.inference.shrinkage.priors import Knowledge, learn_priors
from calm_core.inference.shrinkage.region_fits import RegionFit, RegionProblem, build_problems
from calm_core.inference.shrinkage.regions import (
    MAX_ORDER,
    estimable_order,
    find_neighborhoods,
    joint_order,
    view_order,
)
from calm_core.inference.single_thread import limit_blas_threads
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

# DOC of merged: """What an answer of CALM+ is made of, in words."""
#


@dataclass(frozen=True)
class PlusNote:
    """How one marginal was found.

    Attributes
    ----------
    method : str
        "shrunken", or "calm" where CALM's answer was given instead: where the fit did not converge, adds
        nothing to a view that holds the marginal, or hardly a report was changed.
    measured, unmeasured : tuple of tuple of str
        Pairs of the marginal that some view holds, and pairs that none does.
    neighbors : tuple of str
        Other attributes that were fitted together with those of the marginal, if the fit counts.
    text : str
        The same in one sentence.
    """

    method: str
    measured: tuple[tuple[str, ...], ...]
    unmeasured: tuple[tuple[str, ...], ...]
    neighbors: tuple[str, ...]
    text: str


def describe_answer(
    interactions: Interactions, query: Subset, fit: RegionFit, trust: float, counted: bool
) -> PlusNote:
    """How the answer to a query came about, of which the fit has a share (`trust`).

    Where reports of everybody count people (`count_checker`) it has none.
    """
    every = interactions.domain.names
    pairs = [s for s in subsets_within(query, 2) if len(s) == 2]
    names = {s: tuple(every[i] for i in s) for s in pairs}
    measured = tuple(names[s] for s in pairs if s in interactions.index)
    unmeasured = tuple(names[s] for s in pairs if s not in interactions.index)
    neighbors = tuple(every[i] for i in fit.region if trust and i not in query)
    text = f"{len(measured)} of {len(pairs)} pairs were measured."
    if not fit.converged:
        text += " The fit did not converge, so CALM's answer is given."
    elif counted:
        text += " Hardly a report was changed: they count people, as CALM's answer does."
    elif trust < 1:
        how = "partly CALM's" if trust else "CALM's"
        text += f" What holds of most data helps little here, so the answer is {how}."
    elif neighbors:
        others = "other attribute" if len(neighbors) == 1 else "other attributes"
        text += f" {len(neighbors)} {others} helped: all were fitted together."
    if unasked := sorted(interactions.unmeasured(query)):
        nobody = ", ".join(every[i] for i in unasked)
        text = f"Nobody reported on {nobody:.200}, so nothing is known of that. {text}"
    return PlusNote("shrunken" if trust else "calm", measured, unmeasured, neighbors, text)


FORMS = ("auto", "local", "neighborhood", "joint")
MAX_JOINT_CELLS, OLD_MAX_JOINT_CELLS = 2**10, 2**16


@dataclass(frozen=True, eq=False)
class PlusMarginals:
    """Answers of CALM+ from noisy views; every answer is a distribution.

    Attributes
    ----------
    noisy : NoisyMarginals
        The reports, aggregated: all that is known of the data.
    known : Knowledge
        Measured interactions and the priors learned from them.
    form : str
        "local": one fit per query, from what was measured inside it. "neighborhood": a fit of the
        query, for a pair of a view that holds it, and of the attributes that interact with it most, up to
        1,024 cells and 170 contrasts: 10 yes/no attributes where pairs were measured, 9 with triples.
        "joint": one fit of the whole domain, of which every answer is a marginal, so that all answers
        agree exactly, but where priors gain so little that CALM answers in part: then those to
        different numbers of attributes may differ.
    """

    noisy: NoisyMarginals
    known: Knowledge
    form: str = "local"

    @property
    def domain(self) -> Domain:
        """All attributes of the collection."""
        return self.noisy.domain

    @cached_property
    def views(self) -> ConsistentMarginals:
        """Faithful CALM's inference from the very same reports, for paired comparison.

        Where some tell parities, from the tables that follow from all of them.
        """
        return make_consistent(full_tables_from_parities(self.noisy))

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view holds every given attribute."""
        return self.noisy.covers(attrs)

    @cached_property
    def _learned(self) -> tuple[Knowledge, OrderPriors, list[RegionProblem]]:
        """How strong all interactions are, the priors, and the problems it was learned from.

        These are of the whole domain or of the neighborhoods of single attributes, never of what
        is asked: no answer depends on which others are asked.
        """
        everything = tuple(range(self.domain.d))
        alone = [(i,) for i in everything]
        regions = [everything] if self.form == "joint" else find_neighborhoods(self.known, alone)
        return learn_strengths(self.known, build_problems(self.known, regions), self._fit_noise)

    @cached_property
    def _joint_fit(self) -> RegionFit:
        """The joint fit of all attributes."""
        *_, (problem,) = self._learned
        (fit,) = fit_with_adaptive_priors(problem, self._fit_noise).values()
        return fit

    @cached_property
    def _joint_laplace(self) -> LaplaceApproximation | None:
        return self._laplace(self._joint_fit, self.domain.d)

    @cached_property
    def _noise(self) -> MomentNoise:
        return MomentNoise.from_views(self.noisy)

    @property
    def _fit_noise(self) -> MomentNoise | None:
        """How moments err together, where fits gain by it."""
        return self._noise if self._noise.depends_on_table else None

    def _laplace(self, fit: RegionFit, order: int) -> LaplaceApproximation | None:
        known, order_priors, _ = self._learned
        return laplace_approximation(known, order_priors, fit, self._noise, order)

    def _fit_regions(self, regions: Sequence[Subset]) -> list[RegionFit]:
        """Fits over the given attributes (positions); regions of one shape are fitted together."""
        known, *_ = self._learned
        found = {}
        for problem in build_problems(known, regions):
            checkpoint()
            found |= fit_with_adaptive_priors(problem, self._fit_noise)
        return [found[region] for region in regions]

    def _fit(self, queries: Sequence[Subset]) -> list[RegionFit]:
        """For every query (positions) the fit that it is answered from."""
        if self.form == "joint":
            return [self._joint_fit] * len(queries)
        near = self.form == "neighborhood"
        return self._fit_regions(find_neighborhoods(self.known, queries) if near else queries)

    @limit_blas_threads()
    def _ask(self, queries: Iterable[Iterable[str]]) -> list[tuple[Marginal, RegionFit]]:
        queries = [self.domain.canonical(attrs) for attrs in queries]
        for attrs in queries:
            self.domain.cells_of(attrs)
        positions = [self.domain.positions(attrs) for attrs in queries]
        fits = self._fit(positions)
        return [(self._answer(*asked), asked[-1]) for asked in zip(queries, positions, fits)]

    def _answer(self, attrs: Sequence[str], query: Subset, fit: RegionFit) -> Marginal:
        """The mean of the fit's answer and of CALM's, weighed by how far the fit is trusted."""
        trust = self._trust(query, fit)
        if trust == 0:
            return self.views.marginal(attrs)
        values = fit.marginal(query)
        if trust < 1:
            values = trust * values + (1 - trust) * self.views.marginal(attrs).values
        return Marginal(self.domain.project(attrs), values)

    def _trust(self, query: Subset, fit: RegionFit) -> float:
        """Share of the fit in an answer: CALM does not know better what no reports tell."""
        names, trust = [self.domain.names[i] for i in query], fit.trust_for(len(query))
        if not fit.converged or is_nearly_exact(self.noisy, names):
            return 0.0
        told = trust < 1 and self.known.interactions.is_complete(query) and self.covers(names)
        return trust if told else 1.0

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The marginal over `attrs`: non-negative, sum 1."""
        return self._ask([attrs])[0][0]

    def marginals(self, queries: Iterable[Iterable[str]]) -> list[Marginal]:
        """Many marginals in the order asked; queries of one shape are fitted together."""
        return [answer for answer, _ in self._ask(queries)]

    @limit_blas_threads()
    def interval(
        self, attrs: Iterable[str], level: float = 0.95, *, center: Marginal | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """An interval for every cell of the true marginal over `attrs`.

        Parameters
        ----------
        attrs : iterable of str
            The marginal.
        level : float
            Nominal probability, above 0 and below 1, that a cell lies in its interval.
        center : Marginal, optional
            Another answer from the same reports, for the intervals to lie around. They are longer where
            it differs.

        Returns
        -------
        low, high : ndarray, shape of the marginal
            Fractions in [0, 1], whole numbers of all people. Where nobody reported on an attribute, a cell may be
            anything from 0 to what the other attributes leave it: 1 where nobody reported on any.
        """
        return self._interval(attrs, level, center)

    @limit_blas_threads()
    def interval_of_sum(
        self,
        attrs: Iterable[str],
        inside: np.ndarray,
        level: float = 0.95,
        *,
        center: Marginal | None = None,
    ) -> tuple[float, float]:
        """An interval for the sum of some cells of the true marginal over `attrs`.

        Cells err together: it is neither the sum of their intervals nor of their deviations. What CALM
        answers otherwise from the same reports makes it longer.

        Parameters
        ----------
        attrs, level, center
            As of `interval`.
        inside : ndarray of bool, shape of the marginal
            Which cells, see `cells_inside`.

        Examples
        --------
        >>> domain = Domain(("sex", "age"), (2, 3))
        >>> table = Marginal(domain, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
        >>> plus = infer_plus(NoisyMarginals(domain, (table,), (1e-4,), (10**6,)))
        >>> [round(end, 2) for end in plus.interval_of_sum(domain.names, table.values < 0.15)]
        [0.28, 0.32]
        """
        inside = np.asarray(inside)
        if inside.dtype != bool or inside.shape != self.domain.shape_of(attrs):
            raise InputError("inside must be True or False for every cell; use cells_inside")
        low, high = self._interval(attrs, level, center, inside)
        return float(low), float(high)

    def _interval(self, attrs, level: float, center: Marginal | None, inside=None):
        """Of all cells one by one, or of the sum of those `inside`."""
        level = check_fraction("level", level, remedy="0.95 is usual", one=False)
        query = self.domain.positions(attrs)
        self.domain.cells_of(attrs)
        if unknown := self.known.interactions.unmeasured(query):
            return self._unmeasured_interval(
                query, [i for i in query if i not in unknown], level, inside
            )
        ((own, fit),) = self._ask([attrs])
        around = self._joint_laplace if self.form == "joint" else self._laplace(fit, len(query))
        tables = [(center or own).values, own.values]
        if fit.converged and self._trust(query, fit) < 1:
            # CALM's answer errs otherwise than the fit that its deviations are told from.
            tables.append(fit.marginal(query))
        if inside is not None and 1 < inside.sum() < inside.size - 1:
            # Where the prior is wrong it is in neighboring cells alike; CALM's answer has none.
            tables.append(self.views.marginal(attrs).values)
        ends = credible_interval(
            self.known, self._learned[1], query, tables, around, fit.axes_of(query), self._noise, level, inside,
        )  # fmt: skip
        return round_to_people(ends, self.noisy)

    def _unmeasured_interval(self, query: Subset, known: list[int], level: float, inside=None):
        """The same where only the attributes at the `known` positions were measured."""
        names = [self.domain.names[i] for i in known]
        if inside is not None:
            others = tuple(a for a, i in enumerate(query) if i not in known)
            ends = inside.all(axis=others), inside.any(axis=others)
            spans = [self._interval(names, level, None, end) if known else ends for end in ends]
            return spans[0][0], spans[1][1]
        most, shape = np.ones(()), [self.domain.sizes[i] if i in known else 1 for i in query]
        if known:
            _, most = self._interval(names, level, None)
        high = np.broadcast_to(most.reshape(shape), [self.domain.sizes[i] for i in query])
        return np.zeros(high.shape), high.copy()

    def explain(self, attrs: Iterable[str]) -> PlusNote:
        """Which pairs of `attrs` were measured, what helped, and whether the fit gave way to CALM's."""
        ((_, fit),) = self._ask([attrs])
        query = self.domain.positions(attrs)
        trust = self._trust(query, fit)
        return describe_answer(
            self.known.interactions, query, fit, trust, is_nearly_exact(self.noisy, attrs)
        )


@limit_blas_threads()
def infer_plus(
    noisy: NoisyMarginals, *, order: int | None = None, form: str = "auto"
) -> PlusMarginals:
    """CALM+ on noisy views: learn the priors from the reports, answer by penalized fits.

    Parameters
    ----------
    noisy : NoisyMarginals
        What CALM itself starts from.
    order : int, optional
        Largest interactions of interest, usually k; at most 6, which is the default. A joint fit of a
        small table models all that the views hold; where pairs are of interest, neighborhoods what the
        views tell beside their noise.
    form : str
        "local", "neighborhood" or "joint", see `PlusMarginals`; joint needs a whole table of at
        most 65,536 cells. "auto": joint where that table has at most 1,024 cells, since it knows
        most, else neighborhood.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> table = Marginal(domain, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    >>> noisy = NoisyMarginals(domain, (table,), variances=(1e-7,), users=(10**6,))
    >>> infer_plus(noisy).marginal(("sex", "age")).values.round(2).tolist()
    [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]]
    """
    if check_choice("form", form, FORMS) == "auto":
        small = math.prod(noisy.domain.sizes) <= MAX_JOINT_CELLS
        form = "joint" if small else "neighborhood"
    if form == "joint":
        check_cells(noisy.domain.sizes, "the joint fit", limit=OLD_MAX_JOINT_CELLS)
    order = MAX_ORDER if order is None else check_count("order", order)
    order = max(2, min(order, MAX_ORDER))
    if form == "joint":
        order = max(order, joint_order(noisy))
        return PlusMarginals(noisy, learn_priors(measure_interactions(noisy, order=order)), form)
    known = learn_priors(measure_interactions(noisy, order=view_order(noisy, order)))
    if form == "neighborhood":
        order = estimable_order(known, order)
    if order < known.interactions.order:
        known = learn_priors(known.interactions.restrict_order(order))
    return PlusMarginals(noisy, known, form)
