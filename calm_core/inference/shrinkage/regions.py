"""Regions: which attributes are fitted together, up to which order of interaction, and their fits.

Attributes that depend on those of a query add information that its own reports lack. A neighborhood is
the query and the attributes that interact most with it, few enough for a small table. A view of more
attributes than the query also restricts it by its larger interactions: no cell is negative, and where
many cells are empty all moments depend on each other. So orders above that of the query are fitted where
the views measure them well enough.

The prior center of a region uses only its one-way tables and the mean strength of pairs: the log-linear
table with the coefficients of single attributes and one common coefficient t of `sum_ij w_ij f_ij,1`,
w_ij = sqrt(L_ij) / number of pairs, that has these one-way moments and the mean of the expected pair
moments. It always exists, however strong the pairs are; a table in which every single pair has the mean
correlation need not exist.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.inference.shrinkage.interactions import (
    Contrasts,
    Interactions,
    MomentNoise,
    Subset,
    contrasts_of_subsets,
    count_contrasts,
    subsets_within,
)
from calm_core.inference.shrinkage.log_linear import (
    Fits,
    Targets,
    find_modes,
    softmax,
    whitening_matrix,
)
from calm_core.inference.shrinkage.priors import (
    FLAT_PRECISION,
    MIN_VARIANCE,
    TYPICAL_VARIANCE,
    Knowledge,
    Posterior,
    shared_by,
    strength_scales,
)
from calm_core.runtime.cancellation import checkpoint

# Limits of a neighborhood's table and of its measured contrasts, which grow as noise falls.
MAX_CELLS, MAX_CONTRASTS = 2**10, 170
# Queries of up to so many attributes are fitted within a whole view; for larger ones neighbors help as much.
MAX_COMPLETED = 2


def find_neighborhoods(known: Knowledge, queries: Sequence[Subset]) -> list[Subset]:
    """Return the attributes (ascending positions) to be fitted together for every query.

    Parameters
    ----------
    known : Knowledge
        Its measured pairs decide which attributes belong together.
    queries : sequence of tuple of int
        Positions of the attributes of every query, ascending.

    Returns
    -------
    list of tuple of int
        Supersets of the queries.
    """
    around = _InteractionGraph(known)
    return [around.grow(around.complete_to_view(query)) for query in queries]


class _InteractionGraph:
    """Strengths of the interactions between attributes, and the contrasts each adds to a region."""

    def __init__(self, known: Knowledge):
        self.sizes = np.array(known.interactions.domain.sizes)
        d = len(self.sizes)
        self.strengths = np.zeros((d, d))
        for (i, j), strength in known.strengths.items():
            self.strengths[i, j] = self.strengths[j, i] = strength
        large = [subset for subset in known.interactions.index if len(subset) > 2]
        self.holds = np.zeros((len(large), d), dtype=bool)
        for row, subset in enumerate(large):
            self.holds[row, list(subset)] = True
        self.contrasts = np.where(self.holds, self.sizes - 1, 1).prod(axis=1)

    def missing(self, region: Subset) -> np.ndarray:
        """Return which attributes of every larger set are missing in a region, shape (sets, d)."""
        missing = self.holds.copy()
        missing[:, list(region)] = False
        return missing

    def count(self, region: Subset) -> int:
        """Return the number of contrasts of a region: of all its pairs, and of larger measured sets."""
        inside = ~self.missing(region).any(axis=1)
        sizes = tuple(self.sizes[list(region)].tolist())
        return count_contrasts(sizes, 2) + int(self.contrasts[inside].sum())

    def added_contrasts(self, region: Subset) -> np.ndarray:
        """Return how many contrasts each other attribute adds to a region, shape (d,)."""
        missing = self.missing(region)
        one = missing.sum(axis=1) == 1
        pairs = (self.sizes - 1) * (1 + (self.sizes[list(region)] - 1).sum())
        return pairs + self.contrasts[one] @ missing[one]

    def complete_to_view(self, query: Subset) -> Subset:
        """Return the largest measured set that contains a small query, whose cells cannot be negative.

        Among several it is the one that interacts most with the query; larger queries stay as they are.
        """
        if len(query) > MAX_COMPLETED:
            return query
        rows = np.flatnonzero(self.holds[:, list(query)].all(axis=1))
        score = self.holds[rows] @ self.strengths[list(query)].sum(axis=0)
        for row in rows[np.lexsort((score, self.holds[rows].sum(axis=1)))[::-1]]:
            view = tuple(np.flatnonzero(self.holds[row]).tolist())
            cells = math.prod(self.sizes[list(view)].tolist())
            if cells <= MAX_CELLS and self.count(view) <= MAX_CONTRASTS:
                return view
        return query

    def grow(self, region: Subset) -> Subset:
        """Return a region extended by the attributes that interact most with it."""
        cells, count = math.prod(self.sizes[list(region)].tolist()), self.count(region)
        score = self.strengths[list(region)].sum(axis=0)
        score[list(region)] = -np.inf
        while True:
            brought = self.added_contrasts(region)
            # The table only grows, so an attribute that is too large now stays excluded.
            score[(cells * self.sizes > MAX_CELLS) | (count + brought > MAX_CONTRASTS)] = -np.inf
            nearest = int(np.argmax(score))
            if score[nearest] <= 0:
                return tuple(sorted(region))
            region = (*region, nearest)
            cells, count = cells * int(self.sizes[nearest]), count + int(brought[nearest])
            score += self.strengths[nearest]
            score[nearest] = -np.inf


MAX_ORDER = 6
MAX_JOINT_NUMBERS = 300_000
# Larger interactions are fitted if their variance is at least this share of their noise variance.
MIN_SIGNAL = 0.2


def joint_order(noisy: NoisyMarginals) -> int:
    """Return the largest order that some view measures and a joint fit can afford."""
    sizes = noisy.domain.sizes
    largest = max((len(table.attrs) for table in noisy.tables), default=0)
    for order in range(min(largest, MAX_ORDER), 2, -1):
        if math.prod(sizes) * count_contrasts(sizes, order) <= MAX_JOINT_NUMBERS:
            return order
    return 2


def view_order(noisy: NoisyMarginals, least: int) -> int:
    """Return the largest order, at least `least`, for which a neighborhood can contain a whole view."""
    if least > MAX_COMPLETED:
        return least
    shapes = {table.domain.sizes for table in noisy.tables}
    small = [shape for shape in shapes if math.prod(shape) <= MAX_CELLS]
    orders = range(3, MAX_ORDER + 1)
    possible = [
        order for shape in small for order in orders
        if order <= len(shape) and count_contrasts(shape, order) <= MAX_CONTRASTS
    ]  # fmt: skip
    return max(possible, default=least)


def signal_to_noise(known: Knowledge, order: int) -> float:
    """Return the variance of the interactions of an order over their median noise variance; 0 if unmeasured."""
    noise = [
        family.variances / known.spreads[family.subsets].prod(axis=1) * shared_by(family.sizes)
        for family in known.interactions.families if len(family.sizes) == order
    ]  # fmt: skip
    if not noise:
        return 0.0
    return float(known.shrinkages[order].variance / np.median(np.concatenate(noise)))


def estimable_order(known: Knowledge, least: int) -> int:
    """Return the largest order, at least `least`, up to which every order is measured well enough."""
    order = least
    while order < known.interactions.order and signal_to_noise(known, order + 1) >= MIN_SIGNAL:
        order += 1
    return order


# Ridges keep coefficients finite where a cell is empty, and the common one where the mean correlation
# exceeds what these attributes can have.
CENTER_RIDGE, COMMON_RIDGE = 1e-6, 1e-2
CENTER_STEPS, CENTER_TOLERANCE = 60, 1e-6


def _expected_moments(known: Knowledge, region: Subset, weights: dict[Subset, float]) -> np.ndarray:
    """Return the moments of single attributes, and of the common feature with signs applied."""
    alone = [known.contrasts[i] for i in region]
    common = 0.0
    for (a, b), weight in weights.items():
        i, j = region[a], region[b]
        turned = known.signs[i] * known.signs[j]
        independent = turned * known.contrasts[i][0] * known.contrasts[j][0]
        shared = shared_by([len(known.one_way[i]), len(known.one_way[j])])
        dependence = known.pair_mean * np.sqrt(known.spreads[i] * known.spreads[j] / shared)
        common += weight * (independent + dependence)
    return np.append(np.concatenate(alone), common)


def find_prior_centers(
    known: Knowledge, contrasts: Contrasts, regions: Sequence[Subset]
) -> np.ndarray:
    """Return the prior means of all coefficients of regions of one shape, shape (Q, F)."""
    pairs = [s for s in contrasts.subsets if len(s) == 2]
    first = {s: p.start for s, p in zip(contrasts.subsets, contrasts.parts) if len(s) == 2}
    weights = {
        (a, b): np.sqrt(contrasts.sizes[a] * contrasts.sizes[b]) / len(pairs) for a, b in pairs
    }
    singles = sum(size - 1 for size in contrasts.sizes)
    basis = np.zeros((singles + 1, len(contrasts.index)))
    basis[:singles, :singles] = np.eye(singles)
    for pair in pairs:
        basis[singles, first[pair]] = weights[pair]
    features = contrasts.exponents(basis)
    signs = contrasts.sign_factors(known.signs[np.array(regions)])
    targets = np.array([_expected_moments(known, region, weights) for region in regions])
    targets[:, :singles] *= signs[:, :singles]
    ridge = np.append(np.full(singles, CENTER_RIDGE), COMMON_RIDGE)
    return _fit_ridge(features, targets, ridge) @ basis * signs


def _fit_ridge(features: np.ndarray, targets: np.ndarray, ridge: np.ndarray) -> np.ndarray:
    """Return the coefficients of ridge-penalized maximum entropy tables, by damped Newton steps."""
    found = np.zeros(targets.shape)
    todo, diagonal = np.arange(len(targets)), np.arange(len(ridge))
    for _ in range(CENTER_STEPS):
        checkpoint()
        now = found[todo]
        p = softmax(now @ features)
        mean = p @ features.T
        gradient = targets[todo] - mean - ridge * now
        going = np.abs(gradient).max(axis=1, initial=0) > CENTER_TOLERANCE
        if not going.any():
            break
        todo, p, mean, gradient = todo[going], p[going], mean[going], gradient[going]
        root = features * np.sqrt(p)[:, None, :]
        hessian = root @ root.transpose(0, 2, 1) - mean[:, :, None] * mean[:, None, :]
        hessian[:, diagonal, diagonal] += ridge
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        # A step of length log(1 + s) / s never overshoots if exponents change by at most s.
        spread = np.maximum(np.ptp(step @ features, axis=1), 1e-9)
        found[todo] += (np.log1p(spread) / spread)[:, None] * step
    return found


# Newton's steps from a fit to that of slightly different reports: most of the way.
FOLLOWING_STEPS = 2
# Fixes a coefficient at its center, for subsets that no view contains.
UNMEASURED_PRECISION = 1e8
# Numbers per batch of regions: bounds memory.
MAX_BATCH_NUMBERS = 1_000_000


@dataclass(frozen=True, eq=False)
class RegionFit:
    """A fitted table over the attributes at some positions.

    Attributes
    ----------
    region : tuple of int
        Positions of the attributes, one for every axis.
    table : ndarray
        The mode.
    converged : bool
        Whether the mode was found.
    trust : ndarray
        Its weight, from 0 to 1, in answers of one, two, ... attributes that CALM could give as well.
    problem : RegionProblem
        What was fitted: of this region alone, and started from the fit.
    """

    region: Subset
    table: np.ndarray
    converged: bool
    trust: np.ndarray
    problem: "RegionProblem"

    def axes_of(self, query: Subset) -> Subset:
        """Return the axes of the table that hold the attributes of a query."""
        return tuple(self.region.index(i) for i in query)

    def trust_for(self, count: int) -> float:
        """Return its weight in answers of so many attributes; of a single one as of pairs, so that these agree."""
        return float(self.trust[min(max(count - 1, 1), len(self.trust) - 1)])

    def marginal(self, query: Subset) -> np.ndarray:
        """Return the table summed over all attributes but those of a query."""
        kept = self.axes_of(query)
        return self.table.sum(axis=tuple(a for a in range(self.table.ndim) if a not in kept))

    def follow(self, noise: Interactions, query: Subset) -> np.ndarray:
        """Return by how much the table of a query moves if noise is added to the reports, under the same priors."""
        contrasts, start = self.problem.contrasts, self.problem.start
        targets = self.problem.targets.with_common_fixed(start)
        off = self.problem.kept_shares * self.problem.find_moments(noise)
        targets = replace(targets, moments=targets.moments + off)
        moved = find_modes(contrasts, targets, start, FOLLOWING_STEPS).tables
        return replace(self, table=moved.reshape(self.table.shape) - self.table).marginal(query)


@dataclass(frozen=True, eq=False)
class RegionProblem:
    """The fits of Q regions of one shape.

    Attributes
    ----------
    regions : tuple of tuple of int
        Positions of the attributes.
    contrasts : Contrasts
        Features, pairs before higher orders.
    targets : Targets
        The moments and priors.
    wide_precisions : ndarray, shape (Q, F)
        Prior precisions that preserve the mixtures' posterior variance, at most those of `targets`.
    start : ndarray, shape (Q, F)
        Coefficients to start from.
    kept_shares : ndarray, shape (Q, F)
        Share of the measurement that the moments keep.
    """

    regions: tuple[Subset, ...]
    contrasts: Contrasts
    targets: Targets
    wide_precisions: np.ndarray
    start: np.ndarray
    kept_shares: np.ndarray

    @property
    def interaction_mask(self) -> np.ndarray:
        """Which contrasts are of several attributes and were measured, shape (Q, F)."""
        alone = sum(size - 1 for size in self.contrasts.sizes)
        measured = self.targets.precisions > 0
        return measured & (np.arange(measured.shape[1]) >= alone)

    def find_moments(self, found: Interactions) -> np.ndarray:
        """Return the same moments of other interactions, shape (Q, F); 0 where unmeasured."""
        moments, positions = np.zeros(self.targets.moments.shape), list(zip(*self.regions))
        for subset, part in zip(self.contrasts.subsets, self.contrasts.parts):
            keys = list(zip(*(positions[a] for a in subset)))
            rows = [row for row, key in enumerate(keys) if key in found.index]
            if rows:
                moments[rows, part], _ = found.get_batch([keys[row] for row in rows])
        return moments

    def keys(self, order: int) -> list[list[Subset]]:
        """Return the sets of one order of every region, by their positions in the domain."""
        within = [s for s in self.contrasts.subsets if len(s) == order]
        return [[tuple(region[a] for a in s) for s in within] for region in self.regions]

    def fit(self) -> Fits:
        """Return the modes under the current priors."""
        if not self.start.size:
            ones = np.ones((len(self.regions), 1))
            return Fits(ones, self.start, ones[:, 0] > 0)
        return find_modes(self.contrasts, self.targets, self.start)

    def with_joint_noise(self, fits: Fits, noise: MomentNoise) -> "RegionProblem":
        """Return the problem started from given fits, with the covariance of the moments under the fitted tables."""
        moved = self.contrasts.covariances(fits.tables)
        whitening = np.zeros_like(moved)
        for row, region in enumerate(self.regions):
            checkpoint()
            (on,) = np.nonzero(self.targets.precisions[row])
            errors = noise.covariance(
                region, self.contrasts, fits.tables[row], moved[row], include_means=False
            )
            # One-way moments already include their prior, which lowers their variance.
            errors *= np.sqrt(np.outer(self.kept_shares[row], self.kept_shares[row]))
            whitening[row, on[:, None], on] = whitening_matrix(errors[on[:, None], on])
        targets = replace(self.targets, whitening=whitening)
        return replace(self, targets=targets, start=fits.coefficients)

    def with_priors(
        self, fits: Fits, strengths: Mapping[int, Posterior], common: Mapping[int, float]
    ) -> "RegionProblem":
        """Return the problem started from given fits, with the posterior strengths (Q, sets) of every order."""
        priors, wide = self.targets.priors.copy(), self.wide_precisions.copy()
        at = dict.fromkeys(strengths, 0)
        parts = zip(self.contrasts.subsets, self.contrasts.parts, *strength_scales(self.contrasts))
        for subset, part, *scales in parts:
            order = len(subset)
            if order > 1:
                measured, after = self.targets.precisions[:, part.start] > 0, strengths[order]
                both = (priors, after.mean_matched), (wide, after.variance_matched)
                for (rho, s2), scale in zip(both, scales):
                    rho[measured, part] = 1 / (scale * s2[measured, at[order], None])
                at[order] += 1
        believed = self.targets.common * _common_scale(common, self.targets.common.shape[1])
        targets = replace(self.targets, priors=priors, common=believed)
        return replace(self, targets=targets, wide_precisions=wide, start=fits.coefficients)

    def select(self, rows: np.ndarray, fits: Fits, looser: float) -> "RegionProblem":
        """Return some of the regions, started from given fits, their interaction priors loosened."""
        targets = self.targets.select(rows)
        by = np.where(self.interaction_mask[rows], looser, 1.0)
        regions = tuple(region for region, row in zip(self.regions, rows) if row)
        return RegionProblem(
            regions, self.contrasts, replace(targets, priors=by * targets.priors),
            by * self.wide_precisions[rows], fits.coefficients[rows], self.kept_shares[rows],
        )  # fmt: skip

    def to_region_fits(self, fits: Fits, trust: np.ndarray) -> dict[Subset, RegionFit]:
        """Return the fits by region, with the weight of each in answers (Q, R)."""
        found = {}
        for row, region in enumerate(self.regions):
            at = np.array([row])
            alone = RegionProblem(
                (region,), self.contrasts, self.targets.select(at), self.wide_precisions[at],
                fits.coefficients[at], self.kept_shares[at],
            )  # fmt: skip
            table = fits.tables[row].reshape(self.contrasts.sizes)
            found[region] = RegionFit(region, table, bool(fits.converged[row]), trust[row], alone)
        return found


def _modeled_subsets(known: Knowledge, region: Subset) -> tuple[Subset, ...]:
    """Return the sets of axes with coefficients in a region's fit: all pairs, and larger measured sets."""
    sizes, index = known.interactions.domain.sizes, known.interactions.index
    axes = [axis for axis, i in enumerate(region) if sizes[i] > 1]
    within = subsets_within(axes, max(2, known.interactions.order))
    return tuple(s for s in within if len(s) <= 2 or tuple(region[a] for a in s) in index)


def _common_directions(contrasts: Contrasts, measured: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Return the directions shared by the first contrasts of measured sets of every order, (Q, R, F).

    They are as uncertain as the strength of one typical set. A common mean of N strengths improves estimates
    from N = 4 on (Efron and Morris 1975), hence the factor (N - 3) / N.
    """
    orders = {len(subset) for subset in contrasts.subsets if len(subset) > 1}
    first = np.zeros((len(orders), len(contrasts.index)))
    for subset, part, scale in zip(
        contrasts.subsets, contrasts.parts, strength_scales(contrasts)[0]
    ):
        if len(subset) > 1:
            usual = TYPICAL_VARIANCE.get(len(subset), TYPICAL_VARIANCE[3])
            first[len(subset) - 2, part.start] = math.sqrt(usual * scale)
    common = first * (measured * contrasts.sign_factors(signs))[:, None, :]
    count = np.maximum((common != 0).sum(axis=2, keepdims=True), 3)
    return common * np.sqrt((count - 3) / count)


def _common_scale(common: Mapping[int, float], orders: int) -> np.ndarray:
    """Return the scale of the common directions, from the weight of each order, shape (R, 1)."""
    return np.sqrt([[common.get(order, 1.0)] for order in range(2, orders + 2)]).reshape(-1, 1)


def build_problem(known: Knowledge, regions: Sequence[Subset]) -> RegionProblem:
    """Build the problem of regions (positions) of one shape and with the same measured sets."""
    sizes = tuple(known.interactions.domain.sizes[i] for i in regions[0])
    contrasts = contrasts_of_subsets(sizes, _modeled_subsets(known, regions[0]))
    shape = len(regions), len(contrasts.index)
    moments, precisions, kept = np.zeros(shape), np.zeros(shape), np.ones(shape)
    priors, wide = np.full(shape, UNMEASURED_PRECISION), np.full(shape, UNMEASURED_PRECISION)
    positions = list(zip(*regions))
    for subset, part, *scales in zip(
        contrasts.subsets, contrasts.parts, *strength_scales(contrasts)
    ):
        keys = list(zip(*(positions[a] for a in subset)))
        if len(subset) == 1:
            # The target of one attribute already includes its prior.
            moments[:, part] = [known.target(key) for key in keys]
            precisions[:, part] = [[known.measured_precision(key)] for key in keys]
            kept[:, part] = [[known.kept_share(key)] for key in keys]
            priors[:, part] = wide[:, part] = FLAT_PRECISION
            continue
        rows = [row for row, key in enumerate(keys) if key in known.prior_variances]
        if rows:
            measured = [keys[row] for row in rows]
            moments[rows, part], variances = known.interactions.get_batch(measured)
            precisions[rows, part] = 1 / np.maximum(variances, MIN_VARIANCE)[:, None]
            both = (priors, known.prior_variances), (wide, known.wide_variances)
            for (rho, s2), scale in zip(both, scales):
                rho[rows, part] = 1 / (scale * np.array([[s2[key]] for key in measured]))
    centers = find_prior_centers(known, contrasts, regions) if len(contrasts.index) else moments
    common = _common_directions(contrasts, precisions > 0, known.signs[np.array(regions)])
    common *= _common_scale(known.common, common.shape[1])
    targets = Targets(moments, precisions, centers, priors, common)
    return RegionProblem(tuple(regions), contrasts, targets, wide, centers, kept)


def build_problems(known: Knowledge, regions: Sequence[Subset]) -> list[RegionProblem]:
    """Build the problems of all regions, similar regions together as far as memory allows."""
    kinds: dict[tuple, list[Subset]] = {}
    for region in dict.fromkeys(regions):
        sizes = tuple(known.interactions.domain.sizes[i] for i in region)
        kinds.setdefault((sizes, _modeled_subsets(known, region)), []).append(region)
    problems = []
    for (sizes, subsets), alike in kinds.items():
        checkpoint()
        count = len(contrasts_of_subsets(sizes, subsets).index)
        together = max(1, MAX_BATCH_NUMBERS // max(1, math.prod(sizes) * count))
        parts = (alike[i : i + together] for i in range(0, len(alike), together))
        problems += [build_problem(known, part) for part in parts]
    return problems
