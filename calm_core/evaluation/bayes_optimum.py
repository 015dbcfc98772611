"""How near to the truth anybody could come: the Bayes optimum on people whose dependence is known.

People are drawn from a log-linear population whose coefficients are normal, with a known variance for every
number of attributes they join. Who knows these variances and nothing else can do no better, in mean squared
error, than the posterior mean of a table given the reports; its expected error is the mean posterior variance,
found here by Hamiltonian Monte Carlo. Estimates of views are taken as normal with their exact covariance.
Reports alone do not tell what that optimum is told: `untold_posterior` has the best answer without it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_count, check_rng
from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import Reports, ViewReports, draw_group_sizes
from calm_core.errors import InfeasibleError, Toward
from calm_core.evaluation.metrics import ratio_of_means, sse
from calm_core.evaluation.table_posterior import (
    NEWTON_STEPS,
    SetPrior,
    TablePosterior,
    UnknownStructurePosterior,
)
from calm_core.inference.consistency import make_consistent
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.inference.shrinkage.interactions import Contrasts, contrasts_up_to_order
from calm_core.inference.shrinkage.log_linear import softmax
from calm_core.planning.plan import Plan
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

ORDERS = 3
# Limits because the sampler evaluates the whole table and its contrasts thousands of times.
MAX_CELLS, MAX_CONTRASTS = 1024, 400
ROUNDS = 12
MIN_VARIANCE = 1e-8


@dataclass(frozen=True)
class Dependence:
    """Strength of dependence: variances of log-linear coefficients on the margin-free scale.

    A coefficient of a set of attributes S with L cells is normal with mean 0 and variance L times this, over
    orthonormal contrasts; in +-1 coding of yes/no attributes it is the variance itself.

    Attributes
    ----------
    variances : tuple of float
        Variances for single attributes, pairs and triples.
    weak : tuple of float
        Variances of the sets that hardly interact; the optimum knows which these are.
    shares : tuple of float
        Probability of a set of each size to interact; 1 by default.

    Examples
    --------
    >>> DENSE.variances[1], SPARSE.shares[1] < 0.2
    (0.02, True)
    """

    variances: tuple[float, ...]
    weak: tuple[float, ...] = (MIN_VARIANCE,) * ORDERS
    shares: tuple[float, ...] = (1.0,) * ORDERS


# The populations of the specification of the limit of CALM+.
DENSE = Dependence((0.15, 0.02, 0.003))
SPARSE = Dependence((0.15, 0.12, 0.02), weak=(0.15, 2e-4, 1e-4), shares=(1.0, 1 / 6, 1 / 10))


@dataclass(frozen=True)
class Optimum:
    """Mean squared errors of the optimum, CALM+ and CALM on the same people.

    Attributes
    ----------
    best, calm_plus, calm : tuple of float
        SSE of a table, averaged over the queries, for every repetition.
    untold : tuple of float
        SSE of the best estimator that does not know which sets interact or, if all do, how strongly; empty
        if not computed.
    untold_expected : tuple of float
        Its posterior expectation given the reports, with less variance. If all sets interact it equals
        `untold`, because the population is not drawn from the prior of that estimator.
    """

    best: tuple[float, ...]
    calm_plus: tuple[float, ...]
    calm: tuple[float, ...]
    untold: tuple[float, ...] = ()
    untold_expected: tuple[float, ...] = ()

    def ratio(self, method: str, of: str = "best") -> tuple[float, float]:
        """Error of "calm_plus", "calm" or the like as a multiple of another's, with its standard error."""
        return ratio_of_means(getattr(self, method), getattr(self, of))

    def typical(self, method: str) -> tuple[float, float]:
        """The ratio for the root mean square error of a cell.

        Examples
        --------
        >>> Optimum(best=(1.0, 1.0), calm_plus=(1.0, 1.0), calm=(4.0, 4.0)).typical("calm")
        (2.0, 0.0)
        """
        ratio, error = self.ratio(method)
        return math.sqrt(ratio), error / (2 * math.sqrt(ratio))


def check_size(domain: Domain) -> Contrasts:
    """Return the contrasts of a domain, refusing one that is too large.

    Raises
    ------
    InfeasibleError
        If the table has more than 1,024 cells, or more than 400 contrasts of up to three attributes.
    """
    cells = math.prod(domain.sizes)
    contrasts = contrasts_up_to_order(domain.sizes, ORDERS) if cells <= MAX_CELLS else None
    if contrasts is None or len(contrasts.index) > MAX_CONTRASTS:
        raise InfeasibleError(
            f"the best possible error is computed for at most {MAX_CELLS:,} possible people, and there are "
            f"{cells:,}; use fewer attributes or merge values",
            remedies=[("d", Toward.LESS), ("max_values", Toward.LESS)],
        )
    return contrasts


def _laws(contrasts: Contrasts, dependence: Dependence) -> list[SetPrior]:
    """The prior of every set before it is drawn which of them interact."""
    laws = []
    for subset, part, cells in zip(contrasts.subsets, contrasts.parts, contrasts.subset_cells):
        order = len(subset)
        weak, strong = (cells * each[order - 1] for each in (dependence.weak, dependence.variances))
        laws.append(SetPrior(part, order, cells, weak, strong, dependence.shares[order - 1]))
    return laws


def _sums(domain: Domain, view: Sequence[str]) -> np.ndarray:
    """The linear map from the full table to that of a view, shape (cells of the view, cells)."""
    digits = np.indices(domain.sizes)[list(domain.positions(view))]
    number = np.ravel_multi_index(digits, domain.shape_of(view))
    return np.eye(domain.cells_of(view))[:, number.ravel()]


def _whitened(noisy: NoisyMarginals, views: list[np.ndarray], truth: np.ndarray, reports: Reports):
    """Maps and estimates of the contrasts of all views, scaled to noise with identity covariance."""
    maps, measured = [], []
    for table, sums, view in zip(noisy.tables, views, reports.views):
        oracle = view.oracle
        cells = oracle.size
        if not view.n or cells == 1:
            continue
        f = sums @ truth
        # Noise of the reports for given values, and of the sample of users.
        followed = float(oracle.value_variance(view.n))
        even = float(oracle.contrast_variance(view.n)) - followed / cells
        noise = (
            even * np.eye(cells) + (followed + 1 / view.n) * np.diag(f) - np.outer(f, f) / view.n
        )
        contrasts = contrasts_up_to_order((cells,), 1).matrix()
        if oracle.sets is not None:
            every = contrasts_up_to_order(table.domain.sizes, len(table.attrs))
            measured_parts = [p for s, p in zip(every.subsets, every.parts) if s in oracle.sets]
            contrasts = np.concatenate([every.matrix()[part] for part in measured_parts])
        root = np.linalg.inv(np.linalg.cholesky(contrasts @ noise @ contrasts.T)) @ contrasts
        maps.append(root @ sums)
        measured.append(root @ table.values.ravel())
    # Views overlap: reduce the estimates to independent ones.
    left, size, right = np.linalg.svd(np.concatenate(maps), full_matrices=False)
    kept = size > 1e-9 * size[0]
    return size[kept, None] * right[kept], left[:, kept].T @ np.concatenate(measured)


def _collect(
    plan: Plan, views: list[np.ndarray], table: np.ndarray, rng: np.random.Generator
) -> Reports:
    """Simulate the reports of independent people from this table."""
    found, sizes = [], draw_group_sizes(plan.n, plan.shares, rng=rng)
    for view, oracle, sums, size in zip(plan.views, plan.oracles, views, sizes):
        share = sums @ table
        held = rng.multinomial(size, share / share.sum())
        found.append(ViewReports(view, oracle, oracle.simulate(held[None], rng=rng)[0], int(size)))
    return Reports(plan.domain, tuple(found))


def _spread(draws: np.ndarray, asked: Sequence[np.ndarray]) -> float:
    """Mean over tables of the sum of the variances of their cells."""
    return float(np.mean([(draws @ sums.T).var(axis=0, ddof=1).sum() for sums in asked]))


def find_optimum(
    plan: Plan,
    dependence: Dependence,
    queries: Sequence[Sequence[str]],
    *,
    repetitions: int,
    rng: np.random.Generator,
    untold: bool = False,
    notify: Callable[[int], None] | None = None,
) -> Optimum:
    """Simulate collections from random populations and measure the errors of the optimum, CALM+ and CALM.

    Parameters
    ----------
    plan : Plan
        The plan; its domain has at most 1,024 cells.
    dependence : Dependence
        The distribution of the populations.
    queries : sequence of attribute sets
        The tables to measure.
    repetitions : int
        Number of repetitions.
    rng : numpy Generator
        Draws the populations, people, reports and posterior samples.
    untold : bool
        Whether to compute `Optimum.untold` too, which takes three times as long.
    notify : callable, optional
        Receives the number of repetitions done.

    Raises
    ------
    InfeasibleError
        If the domain is too large, see `check_size`.
    """
    repetitions, domain = check_count("repetitions", repetitions), plan.domain
    check_rng(rng)
    contrasts = check_size(domain)
    features = contrasts.matrix().T
    views, asked = ([_sums(domain, attrs) for attrs in each] for each in (plan.views, queries))
    found: dict[str, list[float]] = {"best": [], "calm_plus": [], "calm": []}
    laws = _laws(contrasts, dependence)
    for done in range(1, repetitions + 1):
        checkpoint()
        prior = np.empty(len(contrasts.index))
        for law in laws:
            prior[law.part] = law.strong if rng.random() < law.share else law.weak
        table = softmax(features @ (rng.standard_normal(len(prior)) * np.sqrt(prior)))
        reports = _collect(plan, views, table, rng)
        noisy, truth = aggregate(reports), Marginal(domain, table.reshape(domain.sizes))
        estimates = _whitened(noisy, views, table, reports)
        draws = TablePosterior(features, prior, *estimates).draws(rng)
        found["best"].append(_spread(draws, asked))
        truths = [truth.project(query) for query in queries]
        for name, inferred in (
            ("calm_plus", infer_plus(noisy, order=plan.k)), ("calm", make_consistent(noisy)),
        ):  # fmt: skip
            answers = inferred.marginals(queries)
            found[name].append(float(np.mean([sse(*pair) for pair in zip(truths, answers)])))
        if untold:
            # A generator of its own keeps the people the same with and without this.
            (own,) = rng.spawn(1)
            draws = UnknownStructurePosterior(features, laws, *estimates).draws(own)
            off = draws.mean(axis=0) - table
            error = float(np.mean([((sums @ off) ** 2).sum() for sums in asked]))
            known = any(law.is_uncertain for law in laws)
            found.setdefault("untold", []).append(error)
            expected = _spread(draws, asked) if known else error
            found.setdefault("untold_expected", []).append(expected)
        if notify:
            notify(done)
    return Optimum(**{name: tuple(errors) for name, errors in found.items()})


def dependence_of(table: Marginal, n: float) -> Dependence:
    """Estimate the strength of dependence in a known table by empirical Bayes.

    Parameters
    ----------
    table : Marginal
        The joint table of all attributes, as fractions.
    n : float
        Number of people of the table, for its sampling noise.

    Raises
    ------
    InfeasibleError
        If the table is too large, see `check_size`.
    """
    contrasts = check_size(table.domain)
    features, known = contrasts.matrix().T, table.values.ravel()
    orders = np.array([len(subset) for subset in contrasts.subsets])[contrasts.owner]
    scale = np.array(contrasts.subset_cells)[contrasts.owner]
    variances, at = np.array([0.15, 0.02, 0.003]), np.zeros(len(orders))
    for _ in range(ROUNDS):
        checkpoint()
        at, curvature = _fitted(features, known, n, 1 / (variances[orders - 1] * scale), at)
        spread = (at**2 + np.diag(np.linalg.inv(curvature))) / scale
        for order in range(1, ORDERS + 1):
            if (orders == order).any():
                variances[order - 1] = max(spread[orders == order].mean(), MIN_VARIANCE)
    return Dependence(tuple(variances.tolist()))


def _fitted(features, known, n, precision, at) -> tuple[np.ndarray, np.ndarray]:
    """The mode of the coefficients of a known table of n people, and the curvature there."""
    curvature = np.diag(precision)
    for _ in range(NEWTON_STEPS):
        p = softmax(features @ at)
        mean = p @ features
        curvature = np.diag(precision) + n * ((features.T * p) @ features - np.outer(mean, mean))
        slope = n * (known @ features - mean) - precision * at
        step = np.linalg.solve(curvature, slope)
        at = at + step / max(1.0, np.abs(features @ step).max())
        if np.abs(step).max() < 1e-7:
            break
    return at, curvature
