"""Fit, look how strong interactions are, fit again.

A first fit of some regions tells how strong every interaction is, as noisy as it was measured
(`cavities`); from all of them the prior of each order is learnt (`mixtures`), which all further fits
follow. Where pairs are not alike, perhaps few sets interact. A second look, from the fits under these priors,
counts where the error that it leaves is estimated to be less. What real populations do that no such prior
foresees shows in residuals larger than noise makes them (`discrepancy`): such a region is fitted again under
looser priors, so that the error falls with the noise whatever the population is. And the less priors hold of
what was measured, the less is gained by them and the more of an answer is left to CALM.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from calm_core.inference.shrinkage.cavities import CavityEvidence, compute_cavities
from calm_core.inference.shrinkage.discrepancy import (
    compute_gains,
    expected_sums,
    expected_sums_diagonal,
    list_orders,
    residual_sums,
)
from calm_core.inference.shrinkage.fitting import Fits
from calm_core.inference.shrinkage.interactions import Subset
from calm_core.inference.shrinkage.local import RegionFit, RegionProblem
from calm_core.inference.shrinkage.mixtures import (
    SPARSE_PROBABILITY,
    TYPICAL_VARIANCE,
    Evidence,
    MixturePrior,
    Posterior,
    compute_posterior,
    fit_mixture,
)
from calm_core.inference.shrinkage.noise import MomentNoise
from calm_core.inference.shrinkage.priors import Knowledge
from calm_core.runtime.cancellation import checkpoint

# Priors that residuals contradict are looser by this, so often.
LOOSENING_FACTOR, MAX_LOOSENINGS = 0.3, 8
# Where priors hold little of what was measured, they gain less than one wrong one loses. Below the first share of it
# hardly anything is left of them, and CALM answers where it can; from the second on they are trusted.
MIN_PRIOR_SHARE, TRUSTED_PRIOR_SHARE, NEARLY_FLAT = 0.1, 0.4, 1e-4
# From here on nobody looks what they gain for answers.
HIGH_PRIOR_SHARE = 0.7
# Of the estimated squared error of a region, in noise variances of a moment, that a second look must win.
MIN_GAIN = 2.0

OrderPriors = Mapping[int, MixturePrior]


def learn_strengths(
    known: Knowledge, problems: Sequence[RegionProblem], noise: MomentNoise | None
) -> tuple[Knowledge, OrderPriors, list[RegionProblem]]:
    """How strong every measured set is and the prior of every order, learnt from some regions.

    Parameters
    ----------
    known : Knowledge
        What was learnt at first look.
    problems : sequence of LocalProblem
        Those of the regions.
    noise : Noise, optional
        As of `fit_with_adaptive_priors`.

    Returns
    -------
    known : Knowledge
        With `guesses` and `wide` as they came out.
    spectra : mapping of int to Shrinkage
        The priors.
    problems : list of LocalProblem
        Those of the regions under them.
    """
    fits = [problem.fit() for problem in problems]
    first = _learn_from(known, problems, fits, known.alike)
    heard = [_refit_with_joint_noise(problem, problem.fit(), noise) for problem in first[2]]
    fits = [fit for _, fit in heard]
    first = (*first[:2], [problem for problem, _ in heard])
    # How much sets have in common has been doubted by now.
    again = _learn_from(first[0], first[2], fits, 1.0)
    better = [problem.fit() for problem in again[2]]
    gain = _estimated_error(first[2], fits) - _estimated_error(again[2], better)
    (known, spectra, problems), fits = (again, better) if gain > MIN_GAIN else (first, fits)
    return known, spectra, [replace(p, start=f.coefficients) for p, f in zip(problems, fits)]


def _learn_from(
    known: Knowledge, problems: Sequence[RegionProblem], fits: Sequence[Fits], undoubted: float
) -> tuple[Knowledge, OrderPriors, list[RegionProblem]]:
    """The same from given fits on; that sets have something in common is `undoubted` by this chance."""
    guesses, wide, spectra = dict(known.guesses), dict(known.wide), {}
    seen = [_cavity_evidence(*each, undoubted) for each in zip(problems, fits)]
    for order in range(2, max(2, known.interactions.order) + 1):
        checkpoint()
        keys, pooled = _pool_evidence(known, order, problems, seen)
        usual = TYPICAL_VARIANCE.get(order, TYPICAL_VARIANCE[3])
        spectra[order] = fit_mixture(
            pooled, usual=usual, few=SPARSE_PROBABILITY * (1 - known.alike)
        )
        after = compute_posterior(spectra[order], pooled)
        guesses |= dict(zip(keys, after.alone.tolist()))
        wide |= dict(zip(keys, after.wide.tolist()))
    shared = {order: _common_shares(seen, order) for order in spectra}
    common = {order: float(np.mean(shares)) for order, shares in shared.items() if len(shares)}
    problems = [_update_priors(*each, spectra, common) for each in zip(problems, fits, seen)]
    common = {order: known.common.get(order, 1.0) * share for order, share in common.items()}
    return replace(known, guesses=guesses, wide=wide, common=common), spectra, problems


def fit_with_adaptive_priors(
    problem: RegionProblem, noise: MomentNoise | None, loosenings: int = MAX_LOOSENINGS
) -> dict[Subset, RegionFit]:
    """The fits of regions, under looser priors where the residuals ask for it or priors hardly help.

    Parameters
    ----------
    problem : LocalProblem
        What is fitted.
    noise : Noise, optional
        How moments err together; as if each erred alone where that makes no difference.
    loosenings : int
        How often priors may still be made looser.
    """
    problem, fits = _refit_with_joint_noise(problem, problem.fit(), noise)
    if not problem.start.size:
        return problem.told(fits, np.ones((len(problem.regions), 1)))
    if not loosenings:
        return problem.told(fits, np.zeros((len(problem.regions), 1)))
    tight, helped = _check_residuals(problem, fits)
    found = problem.told(
        fits, np.minimum(_trust_in_share(helped)[:, None], _trust_by_order(problem, fits, helped))
    )
    idle = helped < MIN_PRIOR_SHARE
    for rows, looser, left in (
        (tight & ~idle, LOOSENING_FACTOR, loosenings - 1),
        (idle, NEARLY_FLAT, 0),
    ):
        if rows.any():
            found |= fit_with_adaptive_priors(problem.of(rows, fits, looser), noise, left)
    return found


def _trust_in_share(share: np.ndarray) -> np.ndarray:
    """How far priors are trusted that hold, or gain, a share of what was measured."""
    return np.clip((share - MIN_PRIOR_SHARE) / (TRUSTED_PRIOR_SHARE - MIN_PRIOR_SHARE), 0, 1)


def _trust_by_order(problem: RegionProblem, fits: Fits, helped: np.ndarray) -> np.ndarray:
    """How far they are for answers to two, three, ... attributes of every region, (Q, R); 1 for large tables."""
    contrasts, targets = problem.contrasts, problem.targets.settled(fits.coefficients)
    trust = np.ones((len(helped), len(list_orders(contrasts))))
    asked = np.flatnonzero((helped < HIGH_PRIOR_SHARE) & contrasts.dense)
    if len(asked):
        found = compute_gains(contrasts, fits.of(asked), targets.of(asked))
        trust[asked] = 1 - found.doubt * (1 - _trust_in_share(found.share))
    return trust


def _refit_with_joint_noise(
    problem: RegionProblem, fits: Fits, noise: MomentNoise | None
) -> tuple[RegionProblem, Fits]:
    """The problem with moments that err together as they do under its fits, and the fits to that."""
    if noise is None or not problem.contrasts.dense or not problem.start.size:
        return problem, fits
    problem = problem.heard(fits, noise)
    # What is common has been found: it does not move with single moments.
    settled = replace(problem, targets=problem.targets.settled(fits.coefficients))
    return problem, settled.fit()


def _check_residuals(problem: RegionProblem, fits: Fits) -> tuple[np.ndarray, np.ndarray]:
    """Of which regions residuals are larger than noise makes them, and which share of it all priors hold, (Q,).

    What coefficients would hold alone is too little: what they hold is looked up only where it is not enough.
    """
    contrasts, targets = problem.contrasts, problem.targets.settled(fits.coefficients)
    found = residual_sums(contrasts, fits, targets)
    should = expected_sums_diagonal(contrasts, fits, targets)
    count = problem.interacting.sum(axis=1)
    # Of large tables nobody looks what priors gain, and the exact sums are dear.
    share = HIGH_PRIOR_SHARE if contrasts.dense else TRUSTED_PRIOR_SHARE
    asked = np.flatnonzero(should.exceeded(found) | (should.mean[:, -1] < share * count))
    if len(asked):
        exact = expected_sums(contrasts, fits.of(asked), targets.of(asked))
        should.mean[asked], should.variance[asked] = exact
    helped = np.divide(should.mean[:, -1], count, out=np.ones(len(count)), where=count > 0)
    return should.exceeded(found), helped


def _estimated_error(problems: Sequence[RegionProblem], fits: Sequence[Fits]) -> float:
    """Mean squared error of a region, of all measured moments in units of their noise, less their number.

    It is unbiased where noise is normal (Stein 1981): the residuals, and twice by how much the fit follows
    the noise, which is all that the priors do not hold.
    """
    each = []
    for problem, fit in zip(problems, fits):
        if problem.start.size:
            targets = problem.targets.settled(fit.coefficients)
            held = expected_sums(problem.contrasts, fit, targets).mean
            found = residual_sums(problem.contrasts, fit, targets)
            each.append((found - 2 * held)[:, -1])
    return float(np.concatenate(each).mean()) if each else 0.0


def _cavity_evidence(problem: RegionProblem, fits: Fits, alike: float) -> CavityEvidence:
    if not problem.start.size:
        return CavityEvidence({}, np.ones(problem.targets.common.shape[:2]))
    return compute_cavities(problem.contrasts, fits, problem.targets, alike)


def _common_shares(seen: Sequence[CavityEvidence], order: int) -> np.ndarray:
    """How much of what sets of an order have in common is believed, of all regions that have such sets."""
    return np.concatenate([look.common[:, order - 2 : order - 1].ravel() for look in seen])


def _update_priors(
    problem: RegionProblem, fits: Fits, seen: CavityEvidence, spectra: OrderPriors, common
):
    """The problem under the prior variances that its own fit calls for."""
    strengths = {}
    for order, all_sets in seen.sets.items():
        after = compute_posterior(spectra[order], Evidence(*map(np.ravel, all_sets)))
        shape = all_sets.first.shape
        strengths[order] = Posterior(
            *(getattr(after, f.name).reshape(shape) for f in fields(after))
        )
    return problem.weighed(fits, strengths, common)


def _pool_evidence(known: Knowledge, order: int, problems, seen) -> tuple[list[Subset], Evidence]:
    """Every measured set of one order once: where its region tells most, else at first look."""
    rows = {key: look for key, look in known.looks.items() if len(key) == order}
    least: dict[Subset, float] = dict.fromkeys(rows, np.inf)
    for problem, found in zip(problems, seen):
        checkpoint()
        if order not in found.sets:
            continue
        sets = Evidence(*(part.tolist() for part in found.sets[order]))
        for row, keys in enumerate(problem.keys(order)):
            for column, key in enumerate(keys):
                if key in rows and sets.noise[row][column] < least[key]:
                    rows[key] = Evidence(*(part[row][column] for part in sets))
                    least[key] = float(rows[key].noise)
    return list(rows), Evidence(*np.array(list(rows.values()), dtype=float).reshape(-1, 4).T)
