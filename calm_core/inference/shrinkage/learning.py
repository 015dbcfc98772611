"""Fit, look how strong interactions are, fit again.

A first fit of some regions tells how strong every interaction is, as noisy as it was measured
(`cavities`); from all of them the prior of each order is learnt (`mixtures`), which all further fits
follow. Where pairs are not alike, perhaps few sets interact. What real populations do that no such prior
foresees shows in residuals larger than noise makes them (the discrepancy principle, Morozov 1966): such a
region is fitted again under looser priors, so that the error falls with the noise whatever the population is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from calm_core.attention import attend
from calm_core.inference.shrinkage.cavities import (
    Look,
    coefficient_variances,
    find_cavities,
    lone_variances,
)
from calm_core.inference.shrinkage.fitting import Fits
from calm_core.inference.shrinkage.interactions import Subset
from calm_core.inference.shrinkage.large import LargeSystem
from calm_core.inference.shrinkage.local import LocalProblem, RegionFit
from calm_core.inference.shrinkage.mixtures import (
    FEW,
    USUAL,
    Evidence,
    Posterior,
    Shrinkage,
    fit_shrinkage,
    posterior,
)
from calm_core.inference.shrinkage.priors import Knowledge

# Residuals may be larger than expected by so many standard deviations; looser by this, so often.
EXCESS, LOOSER, MOST_LOOSENINGS = 3.0, 0.3, 8

Spectra = Mapping[int, Shrinkage]


def learn_strengths(
    known: Knowledge, problems: Sequence[LocalProblem]
) -> tuple[Knowledge, Spectra, list[LocalProblem]]:
    """How strong every measured set is and the prior of every order, learnt from some regions.

    Returns
    -------
    known : Knowledge
        With `guesses` and `wide` as they came out.
    spectra : mapping of int to Shrinkage
        The priors.
    problems : list of LocalProblem
        Those of the regions under them.
    """
    guesses, wide, spectra = dict(known.guesses), dict(known.wide), {}
    fits = [problem.fit() for problem in problems]
    seen = [_look(*each, known.alike) for each in zip(problems, fits)]
    for order in range(2, max(2, known.interactions.order) + 1):
        attend()
        keys, pooled = _pooled(known, order, problems, seen)
        usual = USUAL.get(order, USUAL[3])
        spectra[order] = fit_shrinkage(pooled, usual=usual, few=FEW * (1 - known.alike))
        after = posterior(spectra[order], pooled)
        guesses |= dict(zip(keys, after.alone.tolist()))
        wide |= dict(zip(keys, after.wide.tolist()))
    shared = {order: _shares(seen, order) for order in spectra}
    common = {order: float(np.mean(shares)) for order, shares in shared.items() if len(shares)}
    problems = [_weighed(*each, spectra, common) for each in zip(problems, fits, seen)]
    return replace(known, guesses=guesses, wide=wide, common=common), spectra, problems


def settle(problem: LocalProblem, loosenings: int = MOST_LOOSENINGS) -> dict[Subset, RegionFit]:
    """The fits of regions, under looser priors where the residuals ask for it."""
    fits = problem.fit()
    found, tight = problem.told(fits), _too_tight(problem, fits)
    if loosenings and tight.any():
        found |= settle(problem.of(tight, fits, LOOSER), loosenings - 1)
    return found


def _too_tight(problem: LocalProblem, fits: Fits) -> np.ndarray:
    """Whether the residuals of each region are larger than noise makes them, shape (Q,).

    Weighed by 1/V their squares sum to about the number of moments less those that the reports
    determine, which is the share of the prior in all coefficients, sum rho_S v_S. Variances of
    coefficients as if each were alone are too small: the sum is looked up only where they are not enough.
    """
    targets = problem.targets.settled(fits.coefficients)
    if not problem.start.size:
        return np.zeros(len(problem.regions), dtype=bool)
    held = (targets.precisions > 0) * targets.priors
    expected = (held * lone_variances(problem.contrasts, fits, targets)).sum(axis=1)
    off = problem.contrasts.moments(fits.tables) - targets.moments
    residual = (targets.precisions * off**2).sum(axis=1)
    asked = np.flatnonzero(_excessive(residual, expected))
    if len(asked) and problem.contrasts.dense:
        variances = coefficient_variances(problem.contrasts, fits.of(asked), targets.of(asked))
        expected[asked] = (held[asked] * variances).sum(axis=1)
    elif len(asked):
        for row in asked:
            expected[row] = LargeSystem(
                problem.contrasts, fits.tables[row], targets.precisions[row], targets.priors[row],
                targets.lift[row],
            ).prior_share()  # fmt: skip
    return _excessive(residual, expected)


def _excessive(residual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    return residual > expected + EXCESS * np.sqrt(2 * expected)


def _look(problem: LocalProblem, fits: Fits, alike: float) -> Look:
    if not problem.start.size:
        return Look({}, np.ones(problem.targets.common.shape[:2]))
    return find_cavities(problem.contrasts, fits, problem.targets, alike)


def _shares(seen: Sequence[Look], order: int) -> np.ndarray:
    """How much of what sets of an order have in common is believed, of all regions that have such sets."""
    return np.concatenate([look.common[:, order - 2 : order - 1].ravel() for look in seen])


def _weighed(problem: LocalProblem, fits: Fits, seen: Look, spectra: Spectra, common):
    """The problem under the prior variances that its own fit calls for."""
    strengths = {}
    for order, all_sets in seen.sets.items():
        after = posterior(spectra[order], Evidence(*map(np.ravel, all_sets)))
        shape = all_sets.first.shape
        strengths[order] = Posterior(
            *(getattr(after, f.name).reshape(shape) for f in fields(after))
        )
    return problem.weighed(fits, strengths, common)


def _pooled(known: Knowledge, order: int, problems, seen) -> tuple[list[Subset], Evidence]:
    """Every measured set of one order once: where its region tells most, else at first look."""
    rows = {key: look for key, look in known.looks.items() if len(key) == order}
    least: dict[Subset, float] = dict.fromkeys(rows, np.inf)
    for problem, found in zip(problems, seen):
        attend()
        if order not in found.sets:
            continue
        sets = Evidence(*(part.tolist() for part in found.sets[order]))
        for row, keys in enumerate(problem.keys(order)):
            for column, key in enumerate(keys):
                if key in rows and sets.noise[row][column] < least[key]:
                    rows[key] = Evidence(*(part[row][column] for part in sets))
                    least[key] = float(rows[key].noise)
    return list(rows), Evidence(*np.array(list(rows.values()), dtype=float).reshape(-1, 4).T)
