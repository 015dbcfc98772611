"""Answers of CALM+: any marginal from shrunken interactions, with intervals and notes."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from calm_core._checks import check_count, check_level
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InputError
from calm_core.inference.consistency import ConsistentMarginals, make_consistent
from calm_core.inference.shrinkage.calm_share import CalmAnswer, weigh_unmeasured
from calm_core.inference.shrinkage.empirical_bayes import (
    OrderPriors,
    fit_with_adaptive_priors,
    learn_strengths,
)
from calm_core.inference.shrinkage.interactions import (
    Interactions,
    MomentNoise,
    Subset,
    full_tables_from_parities,
    is_nearly_exact,
    measure_interactions,
    round_to_people,
    subsets_within,
)
from calm_core.inference.shrinkage.intervals import (
    AnswerErrors,
    LaplaceApproximation,
    laplace_approximation,
)
from calm_core.inference.shrinkage.priors import Knowledge, learn_priors, shared_by
from calm_core.inference.shrinkage.regions import (
    MAX_ORDER,
    RegionFit,
    RegionProblem,
    build_problems,
    estimable_order,
    find_neighborhoods,
    joint_order,
    view_order,
)
from calm_core.runtime.cancellation import checkpoint
from calm_core.runtime.processes import limit_blas_threads
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal


@dataclass(frozen=True)
class PlusNote:
    """How one marginal was computed.

    Attributes
    ----------
    method : str
        "shrunken", or "calm" if CALM's answer was given instead: the fit did not converge, it adds
        nothing to a view that covers the marginal, or the reports are nearly exact.
    measured, unmeasured : tuple of tuple of str
        Pairs of the marginal that some view covers, and pairs that none does.
    neighbors : tuple of str
        Other attributes that were fitted together with those of the marginal, if the fit has weight.
    text : str
        The same in one sentence.
    assumption : str
        What of the marginal is assumed and not measured, a sentence; empty if a view holds the marginal.
    """

    method: str
    measured: tuple[tuple[str, ...], ...]
    unmeasured: tuple[tuple[str, ...], ...]
    neighbors: tuple[str, ...]
    text: str
    assumption: str = ""


def describe_answer(
    interactions: Interactions,
    query: Subset,
    fit: RegionFit,
    trust: float,
    *,
    counted: bool,
    covered: bool,
) -> PlusNote:
    """Describe how a query was answered; `trust` is the weight of the fit, `covered` whether a view holds the query.

    The weight is 0 if all users reported on the query with hardly any noise (`counted`).
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
        text += " Hardly a report was changed, so CALM's answer, which counts them, is given."
    elif trust < 1:
        how = "partly CALM's" if trust else "CALM's"
        text += f" What is typical of other data helps little here, so the answer is {how}."
    elif neighbors:
        others = "other attribute" if len(neighbors) == 1 else "other attributes"
        text += f" {len(neighbors)} {others} helped: all were fitted together."
    assumption = ""
    if not covered and len(query) > 2:
        assumption = (
            f"No group was asked about all {len(query)} together: what goes beyond smaller sets is assumed, not "
            "measured, and intervals hold as far as it is typical."
        )
    if unmeasured_attributes := sorted(interactions.find_unmeasured(query)):
        listed = ", ".join(every[i] for i in unmeasured_attributes)
        text = f"Nobody reported on {listed:.200}, so nothing is known about it. {text}"
    method = "shrunken" if trust else "calm"
    return PlusNote(method, measured, unmeasured, neighbors, text, assumption)


@dataclass(frozen=True, eq=False)
class TableSums:
    """A table and the errors of weighted sums of its cells.

    Attributes
    ----------
    errors : AnswerErrors
        What is known about the errors of its cells.
    tables : tuple of ndarray
        The answer, that of CALM+, and perhaps others from the same reports.
    views : ConsistentMarginals
        CALM's own inference from them.
    """

    errors: AnswerErrors
    tables: tuple[np.ndarray, ...]
    views: ConsistentMarginals

    @cached_property
    def calm_table(self) -> np.ndarray:
        """CALM's answer."""
        domain = self.errors.known.interactions.domain
        return self.views.marginal([domain.names[i] for i in self.errors.query]).values

    @property
    def table(self) -> np.ndarray:
        """The answer, shape (c_1, ..., c_k)."""
        return self.tables[0]

    def interval(self, weights: np.ndarray, level: float = 0.95) -> tuple[float, float]:
        """Return an interval for the sum of the cells with any weights.

        Examples
        --------
        >>> domain = Domain(("sex", "age"), (2, 3))
        >>> table = Marginal(domain, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
        >>> plus = infer_plus(NoisyMarginals(domain, (table,), (1e-4,), (10**6,)))
        >>> [round(end, 2) for end in plus.sums(domain.names).interval(np.array([[10, 20, 30]] * 2))]
        [17.6, 18.4]
        """
        low, high = float(weights.min()), float(weights.max())
        if low == high:
            return low, high
        scaled = _scale(weights)
        tables = list(self.tables)
        if np.unique(scaled).size > 2 or 1 < scaled.sum() < scaled.size - 1:
            # A wrong prior is wrong in neighboring cells alike; CALM's answer has no prior.
            tables.append(self.calm_table)
        errors = replace(self.errors, weights=scaled)
        # Another answer than CALM+'s own may be far off: what CALM+ holds for plausible is part of the interval.
        first = (0,) if np.array_equal(tables[0], tables[1]) else (0, 1)
        ends = np.array([errors.interval(tables[at:], level) for at in first])
        span = high - low
        return low + span * float(ends[:, 0].min()), low + span * float(ends[:, 1].max())

    def is_mostly_assumed(self, weights: np.ndarray) -> bool:
        """Whether a sum of cells rests more on the prior than on the reports on these attributes.

        So it is where these reports alone have more than twice the variance: most of what is known then
        comes from what is typical, as learned from the rest of the data. CALM's answer has no prior.
        """
        if weights.min() == weights.max() or np.allclose(self.table, self.calm_table, atol=1e-12):
            return False
        near, alone = replace(self.errors, weights=_scale(weights)).compare_sources(self.table)
        return bool(alone**2 > 2 * near**2)


def _scale(weights: np.ndarray) -> np.ndarray:
    """Weights from 0 to 1, so that sums are treated as shares."""
    low, high = float(weights.min()), float(weights.max())
    return (weights - low) / (high - low)


# Up to so many cells the whole domain is fitted at once.
MAX_JOINT_CELLS = 2**10


@dataclass(frozen=True, eq=False)
class PlusMarginals:
    """Answers of CALM+ from noisy views; every answer is a distribution.

    Attributes
    ----------
    noisy : NoisyMarginals
        The aggregated reports.
    known : Knowledge
        Measured interactions and the priors learned from them.
    joint : bool
        Whether one fit of the whole domain answers every query. Then all answers agree exactly, except
        where priors gain so little that part of an answer is CALM's. Otherwise each query is answered
        from a fit of its neighborhood: of the query, for a pair of a view that covers it, and of the
        attributes that interact with it most, up to 1,024 cells and 170 contrasts.
    """

    noisy: NoisyMarginals
    known: Knowledge
    joint: bool = False

    @property
    def domain(self) -> Domain:
        """All attributes of the collection."""
        return self.noisy.domain

    @cached_property
    def views(self) -> ConsistentMarginals:
        """CALM's own inference from the same reports, for paired comparison.

        Parities are converted to full tables first.
        """
        return make_consistent(self._full)

    @cached_property
    def _full(self) -> NoisyMarginals:
        return full_tables_from_parities(self.noisy)

    @cached_property
    def _calm(self) -> CalmAnswer:
        return CalmAnswer.from_views(self._full, self.views, self.known.interactions.order)

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view contains all given attributes."""
        return self.noisy.covers(attrs)

    @cached_property
    def _learned(self) -> tuple[Knowledge, OrderPriors, list[RegionProblem]]:
        """The priors of all interactions, and the problems they were learned from.

        The problems are of the whole domain or of the neighborhoods of single attributes, not of the
        queries: no answer depends on what else is asked.
        """
        everything = tuple(range(self.domain.d))
        alone = [(i,) for i in everything]
        regions = [everything] if self.joint else find_neighborhoods(self.known, alone)
        return learn_strengths(self.known, build_problems(self.known, regions), self._fit_noise)

    @cached_property
    def _joint_fit(self) -> RegionFit:
        """The joint fit of all attributes."""
        *_, (problem,) = self._learned
        (fit,) = fit_with_adaptive_priors(problem, self._fit_noise, lambda: self._calm).values()
        return fit

    @cached_property
    def _joint_laplace(self) -> LaplaceApproximation | None:
        return self._laplace(self._joint_fit, self.domain.d)

    @cached_property
    def _noise(self) -> MomentNoise:
        return MomentNoise.from_views(self.noisy)

    @property
    def _fit_noise(self) -> MomentNoise | None:
        """The covariance of the moments, if fits gain by it."""
        return self._noise if self._noise.depends_on_table else None

    def _laplace(self, fit: RegionFit, order: int) -> LaplaceApproximation | None:
        known, order_priors, _ = self._learned
        return laplace_approximation(known, order_priors, fit, self._noise, order)

    def _fit(self, queries: Sequence[Subset]) -> list[RegionFit]:
        """Return the fit that answers each query (positions); regions of one shape are fitted together."""
        if self.joint:
            return [self._joint_fit] * len(queries)
        known, *_ = self._learned
        regions, fits = find_neighborhoods(self.known, queries), {}
        for problem in build_problems(known, regions):
            checkpoint()
            fits |= fit_with_adaptive_priors(problem, self._fit_noise, lambda: self._calm)
        return [fits[region] for region in regions]

    @limit_blas_threads()
    def _answer(self, queries: Iterable[Iterable[str]]) -> list[tuple[Marginal, RegionFit, float]]:
        """Return the answers, the fits, and the weight of each fit in its answer."""
        queries = [self.domain.canonical(attrs) for attrs in queries]
        for attrs in queries:
            self.domain.cells_of(attrs)
        positions = [self.domain.positions(attrs) for attrs in queries]
        fits = self._fit(positions)
        trusts = [self._trust(*each) for each in zip(positions, fits)]
        partly = [attrs for attrs, trust in zip(queries, trusts) if trust < 1]
        calm = iter(self.views.marginals(partly) if partly else ())
        answers = []
        for attrs, query, fit, trust in zip(queries, positions, fits, trusts):
            values = fit.marginal(query)
            if trust < 1:
                # A fit that did not converge may hold no numbers.
                values = trust * np.nan_to_num(values) + (1 - trust) * next(calm).values
            answers.append((Marginal(self.domain.project(attrs), values), fit, trust))
        return answers

    def _trust(self, query: Subset, fit: RegionFit) -> float:
        """Weight of the fit in an answer, the rest being CALM's."""
        names, trust = [self.domain.names[i] for i in query], fit.trust_for(len(query))
        if not fit.converged or is_nearly_exact(self.noisy, names):
            return 0.0
        if self.covers(names) or shared_by([self.domain.sizes[i] for i in query]) == 1:
            return trust if self.known.interactions.is_complete(query) else 1.0
        # That many values share their dependence is assumed, and no report here can contradict it.
        calm = self.views.rough_cells(names)
        calm_follows = self._calm.shifted_views.rough_cells(names) - calm
        follows = fit.follow(self._calm.noise, query)
        return min(trust, weigh_unmeasured(fit.marginal(query), calm, follows, calm_follows))

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`: non-negative, sum 1."""
        return self._answer([attrs])[0][0]

    def marginals(self, queries: Iterable[Iterable[str]]) -> list[Marginal]:
        """Return many marginals in the given order; queries of one shape are fitted together."""
        return [answer for answer, *_ in self._answer(queries)]

    @limit_blas_threads()
    def interval(
        self, attrs: Iterable[str], level: float = 0.95, *, center: Marginal | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return an interval for every cell of the true marginal over `attrs`.

        Parameters
        ----------
        attrs : iterable of str
            The marginal.
        level : float
            Nominal probability, above 0 and below 1, that a cell lies in its interval.
        center : Marginal, optional
            Another answer from the same reports to center the intervals at. They are longer where it differs.

        Returns
        -------
        low, high : ndarray, shape of the marginal
            Fractions in [0, 1], whole numbers of people. For attributes without reports a cell can be
            anything from 0 to the upper limit of the other attributes; 1 if none has reports.
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
        """Return an interval for the sum of some cells of the true marginal over `attrs`.

        Errors of cells are correlated, so neither intervals nor deviations of cells add up. The interval is
        longer where CALM's answer to the same reports differs.

        Parameters
        ----------
        attrs, level, center
            As of `interval`.
        inside : ndarray of bool, shape of the marginal
            Which cells, an array of the table's shape.

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
            raise InputError("inside must be an array of True or False for every cell of the table")
        low, high = self._interval(attrs, level, center, inside)
        return float(low), float(high)

    def _interval(self, attrs, level: float, center: Marginal | None, inside=None):
        """Intervals of all cells, or of the sum of those `inside`."""
        level = check_level(level)
        query = self.domain.positions(attrs)
        self.domain.cells_of(attrs)
        if unknown := self.known.interactions.find_unmeasured(query):
            measured = [i for i in query if i not in unknown]
            return self._unmeasured_interval(query, measured, level, inside)
        sums = self.sums(attrs, center=center)
        if inside is None:
            return round_to_people(sums.errors.interval(sums.tables, level), self.noisy)
        low, high = sums.interval(inside, level)
        return round_to_people((np.array(low), np.array(high)), self.noisy)

    @limit_blas_threads()
    def sums(self, attrs: Iterable[str], *, center: Marginal | None = None) -> "TableSums":
        """Return the marginal over `attrs` with what is known about the errors of sums of its cells.

        Raises
        ------
        InputError
            If nobody reported on an attribute.
        """
        query = self.domain.positions(attrs)
        self.domain.cells_of(attrs)
        if unknown := self.known.interactions.find_unmeasured(query):
            listed = ", ".join(self.domain.names[i] for i in sorted(unknown))
            raise InputError(f"nobody reported on {listed:.200}; ask about other attributes")
        ((own, fit, trust),) = self._answer([attrs])
        around = self._joint_laplace if self.joint else self._laplace(fit, len(query))
        tables = [(center or own).values, own.values]
        if fit.converged and trust < 1:
            # The deviations are those of the fit, not of CALM's answer.
            tables.append(fit.marginal(query))
        errors = AnswerErrors(
            self.known, self._learned[1], self._noise, query, around, fit.axes_of(query)
        )
        return TableSums(errors, tuple(tables), self.views)

    def _unmeasured_interval(self, query: Subset, known: list[int], level: float, inside=None):
        """The same if only the attributes at the `known` positions were measured."""
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
        """Return which pairs of `attrs` were measured, what helped, and the weight of CALM's answer."""
        ((_, fit, trust),) = self._answer([attrs])
        query = self.domain.positions(attrs)
        return describe_answer(
            self.known.interactions, query, fit, trust,
            counted=is_nearly_exact(self.noisy, attrs), covered=self.covers(attrs),
        )  # fmt: skip


@limit_blas_threads()
def infer_plus(noisy: NoisyMarginals, *, order: int | None = None) -> PlusMarginals:
    """Infer marginals by CALM+: learn the priors from the reports, answer by penalized fits.

    Parameters
    ----------
    noisy : NoisyMarginals
        The same noisy views as CALM's.
    order : int, optional
        Largest interactions of interest, usually k; at most 6, which is the default. Larger ones are
        modeled as well where the views measure them and the fits can afford it.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> table = Marginal(domain, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    >>> noisy = NoisyMarginals(domain, (table,), variances=(1e-7,), users=(10**6,))
    >>> infer_plus(noisy).marginal(("sex", "age")).values.round(2).tolist()
    [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]]
    """
    order = MAX_ORDER if order is None else check_count("order", order)
    order = max(2, min(order, MAX_ORDER))
    noise = MomentNoise.from_views(noisy)
    if math.prod(noisy.domain.sizes) <= MAX_JOINT_CELLS:
        order = max(order, joint_order(noisy))
        known = learn_priors(measure_interactions(noisy, order=order), noise)
        return PlusMarginals(noisy, known, True)
    known = learn_priors(measure_interactions(noisy, order=view_order(noisy, order)), noise)
    order = estimable_order(known, order)
    if order < known.interactions.order:
        known = learn_priors(known.interactions.restrict_order(order), noise)
    return PlusMarginals(noisy, known)
