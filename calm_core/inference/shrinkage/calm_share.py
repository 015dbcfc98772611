"""How much CALM's answer counts beside a fit's: as far as it is better beyond noise, or follows the noise less."""

import math
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import combinations
from typing import NamedTuple

import numpy as np

from calm_core._checks import as_readonly
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.inference.consistency import ConsistentMarginals, make_consistent
from calm_core.inference.shrinkage.interactions import Contrasts, Interactions, measure_interactions
from calm_core.inference.shrinkage.log_linear import Fits
from calm_core.inference.shrinkage.regions import RegionProblem
from calm_core.tables.marginal import Marginal

# CALM's answer counts for more than the fit's as far as it is better by more than so many standard deviations; by how
# many fewer where all of a table is an interaction that no view holds, about which reports say nothing.
SURE_BY, SURE_UNMEASURED = 1.0, 2.0
# Noise added to the reports to see how CALM's answer follows it, in their standard deviations; always the same.
PROBE_SD, PROBE_SEED = 0.3, 0
# Where no view holds a set, CALM answers if the weight that is estimated as best for the fit is at most the first, the
# fit from the second on: the estimate is rough.
LEAST_SHARE, WHOLE_SHARE = 0.4, 0.8


class CalmAnswer(NamedTuple):
    """CALM's answer to the same reports, and how it follows their noise.

    Attributes
    ----------
    reports : Interactions
        The measured ones.
    moments : Interactions
        Of CALM's consistent views.
    noise : Interactions
        Of random noise like that of the reports.
    shifted : Interactions
        Of CALM's consistent views if that noise is added to the reports.
    shifted_views : ConsistentMarginals
        These views.
    """

    reports: Interactions
    moments: Interactions
    noise: Interactions
    shifted: Interactions
    shifted_views: ConsistentMarginals

    @classmethod
    def from_views(cls, noisy: NoisyMarginals, views: ConsistentMarginals, order: int):
        """Measure it; `views` are those of full tables `noisy`."""
        rng = np.random.default_rng(PROBE_SEED)
        noise, shifted = [], []
        spreads = noisy.contrast_variances, noisy.value_variances
        for table, view, even, value in zip(noisy.tables, views.tables, *spreads):
            # Reports on a large cell may err more.
            spread = even + value * (view.values - view.values.mean())
            sd = PROBE_SD * np.sqrt(np.maximum(spread, 0)) if math.isfinite(even) else 0.0
            drawn = sd * rng.standard_normal(table.values.shape)
            noise.append(Marginal(table.domain, drawn))
            shifted.append(Marginal(table.domain, table.values + drawn - drawn.mean()))
        other = make_consistent(replace(noisy, tables=tuple(shifted)))
        tables = noisy.tables, views.tables, tuple(noise), other.tables
        measured = (replace(noisy, tables=one) for one in tables)
        return cls(*(measure_interactions(one, order=order) for one in measured), other)


def weigh_beside_calm(
    problem: RegionProblem, fits: Fits, noise: np.ndarray, followed: np.ndarray, calm: CalmAnswer
) -> np.ndarray:
    """Return the largest weight of each fit in a mean with CALM's answer, for sets of one, two, ... axes, (Q, rows).

    CALM's answer is better than the measurements where cells would be negative. Errors of two answers differ as
    their squared deviations from the measurements and, twice, their covariances with the noise do (Stein 1981), up
    to the noise of the measurements along the difference of both answers. Nothing of this is seen where no view holds
    a set: the benefit of the doubt is CALM's there, the more, the more of the table is unmeasured.

    Parameters
    ----------
    problem, fits
        The regions.
    noise, followed
        As of `PriorGains`.
    calm : CalmAnswer
        CALM's answer.
    """
    measured, answer, probe, shifted = map(
        problem.find_moments, (calm.reports, calm.moments, calm.noise, calm.shifted)
    )
    fitted = problem.contrasts.moments(fits.tables)
    # Single attributes are fitted to shrunken shares, whose variance is lower than that of the reports.
    noise = noise / problem.kept_shares
    apart, drawn, calm_followed = (fitted - answer) ** 2, probe**2, probe * (shifted - answer)
    closer = (answer - measured) ** 2 - (fitted - measured) ** 2
    found = []
    for order, row in enumerate(answer_weights(problem.contrasts), start=1):
        weights = row * (problem.targets.precisions > 0)
        between, whole, all_drawn, follows = (
            np.maximum((weights * one).sum(axis=1), 1e-300)
            for one in (apart, noise, drawn, calm_followed)
        )
        lead = (weights * (closer - 2 * followed)).sum(axis=1) + 2 * whole * follows / all_drawn
        sure = SURE_BY - SURE_UNMEASURED * unmeasured_share(problem.contrasts, order)
        lead += sure * 2 * np.sqrt((weights**2 * noise * apart).sum(axis=1))
        found.append(np.clip(0.5 + lead / (2 * between), 0, 1))
    return np.stack(found, axis=1)


def weigh_unmeasured(
    own: np.ndarray, calm: np.ndarray, follows: np.ndarray, calm_follows: np.ndarray
) -> float:
    """Return the largest weight of a fit's table in a mean with CALM's, of attributes that no view holds together.

    Nothing tells which is nearer the truth. With errors e of the fit and f of CALM the weight of the best mean is
    E<f, f - e> / E|own - calm|^2. How the errors follow the noise is seen by adding some.

    Parameters
    ----------
    own, calm : ndarray
        The tables of the fit and of CALM.
    follows, calm_follows : ndarray
        By how much either moves with the noise of `CalmAnswer`.
    """
    gained = (calm_follows * (calm_follows - follows)).sum() / PROBE_SD**2
    share = gained / max(((own - calm) ** 2).sum(), 1e-300)
    return float(np.clip((share - LEAST_SHARE) / (WHOLE_SHARE - LEAST_SHARE), 0, 1))


@lru_cache(maxsize=32)
def answer_weights(contrasts: Contrasts) -> np.ndarray:
    """Weight of the square of every coefficient in the answers to all sets of one, two, ... axes, (rows, F).

    The last row is of sets of one axis more than any coefficient has, if the table has as many.
    """
    orders = range(1, min(len(order_ends(contrasts)) + 1, len(contrasts.sizes)) + 1)
    found = np.zeros((len(orders), len(contrasts.index)))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        others = [size for axis, size in enumerate(contrasts.sizes) if axis not in subset]
        # For each number of other axes: 1 / cells, summed over all choices of these axes.
        chosen = reduce(lambda sums, size: np.convolve(sums, (1, 1 / size)), others, np.ones(1))
        for row, order in enumerate(orders):
            more = order - len(subset)
            if 0 <= more < len(chosen):
                found[row, part] = chosen[more]
    return as_readonly(found)


def unmeasured_share(contrasts: Contrasts, order: int) -> float:
    """Share of interactions of all of so many axes, if none has a coefficient, in what tables of them hold; else 0."""
    if order in order_ends(contrasts):
        return 0.0
    sizes = np.array(list(combinations(contrasts.sizes, order)))
    return float((sizes - 1).prod(axis=1).sum() / (sizes.prod(axis=1) - 1).sum())


def order_ends(contrasts: Contrasts) -> dict[int, int]:
    """Number of coefficients of sets of at most one, two, ... axes."""
    return {len(s): part.stop for s, part in zip(contrasts.subsets, contrasts.parts)}
