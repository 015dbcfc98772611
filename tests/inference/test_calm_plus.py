"""CALM+: interactions, priors, fits and answers against slow referees and known limits."""

import math
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ndtr
from threadpoolctl import ThreadpoolController

import calm_core as cc
from calm_core.inference.shrinkage import (
    calm_share,
    empirical_bayes,
    interactions,
    intervals,
    log_linear,
    regions,
)
from calm_core.inference.shrinkage import priors as shrinkage_priors
from calm_core.inference.shrinkage.answers import PlusMarginals, infer_plus
from calm_core.inference.shrinkage.empirical_bayes import compute_cavities
from calm_core.inference.shrinkage.interactions import (
    MomentNoise,
    contrasts_up_to_order,
    measure_interactions,
)
from calm_core.inference.shrinkage.priors import (
    Evidence,
    MixturePrior,
    compute_posterior,
    fit_mixture,
    learn_priors,
    mean_nonzero_probability,
)
from calm_core.inference.shrinkage.regions import find_prior_centers
from tests.reference import penalized_fit as referee
from tests.reference.agreement import is_consistent
from tests.reference.exact_collection import errors_of, mixture
from tests.reference.populations import few_cells, zipf

DOMAIN = cc.Domain(("a", "b", "c", "d"), (2, 3, 2, 4))


def random_table(rng, sizes, concentration=1.0):
    return rng.dirichlet(np.full(int(np.prod(sizes)), concentration)).reshape(sizes)


def noisy_views(joint, views, sd, rng, domain=DOMAIN):
    """Views of a joint table with normal noise of the given standard deviations per cell."""
    whole = cc.Marginal(domain, joint)
    tables, users = [], (1000,) * len(views)
    for view, s in zip(views, sd):
        table = whole.project(view)
        tables.append(
            cc.Marginal(table.domain, table.values + rng.normal(0, s, table.values.shape))
        )
    return cc.NoisyMarginals(domain, tuple(tables), tuple(s**2 for s in sd), users)


def test_interactions_are_precision_weighted_averages_over_the_views(rng):
    views, sd = [("a", "b", "c"), ("a", "b"), ("b", "d")], [0.02, 0.01, 0.03]
    noisy = noisy_views(random_table(rng, DOMAIN.sizes), views, sd, rng)
    found = measure_interactions(noisy)
    assert set(found.index) == {
        s for view in views for r in (1, 2, 3) for s in combinations(DOMAIN.positions(view), r)
    }
    for subset in ((0,), (1,), (0, 1), (1, 3), (0, 1, 2)):
        names = tuple(DOMAIN.names[i] for i in subset)
        total, mass = 0.0, 0.0
        for table, s in zip(noisy.tables, sd):
            if table.covers(names):
                part = table.project(names)
                variance = s**2 * table.values.size / part.values.size
                total = total + referee.moments(part.values, range(len(names))) / variance
                mass += 1 / variance
        np.testing.assert_allclose(found.values(subset), total / mass, atol=1e-12)
        # On top of the noise, sampling: at most one user's contrast, 1/L_S, per reporting user.
        cells = np.prod(DOMAIN.shape_of(names))
        assert 1 / mass <= found.variance(subset) <= 1 / mass + 1 / (1000 * cells)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(2, 2, 2), (2, 3, 4), (3, 1, 2)])
@pytest.mark.parametrize("errors", ["alone", "together", "of large tables"])
def test_modes_agree_with_a_general_optimizer(rng, monkeypatch, sizes, errors):
    monkeypatch.setattr(log_linear, "MODE_TOLERANCE", 1e-9)
    monkeypatch.setattr(log_linear, "MAX_MODE_STEPS", 300)
    dense = errors != "of large tables"
    if not dense:
        monkeypatch.setattr(interactions, "DENSE_NUMBERS", 0)
        monkeypatch.setattr(log_linear, "CG_TOLERANCE", 1e-4)
    contrasts = interactions.contrasts_up_to_order(sizes, 3)
    order = [s for s in sizes if s > 1]
    matrix = referee.feature_matrix(order, min(3, len(order)))
    count = len(contrasts.index)
    assert matrix.shape == (count, contrasts.cells)
    tables = np.stack([random_table(rng, (contrasts.cells,), 3.0) for _ in range(4)])
    # Noisy moments that no table has, some of them not measured, and something in common.
    moments = contrasts.moments(tables) + rng.normal(0, 0.02, (4, count))
    precisions = np.where(rng.random((4, count)) < 0.8, 10 ** rng.uniform(2, 5, (4, count)), 0)
    priors, centers = 10 ** rng.uniform(-2, 1, (4, count)), rng.normal(0, 0.3, (4, count))
    common = rng.normal(0, 0.5, (4, 2, count)) * (np.arange(count) % 2 == [[0], [1]])
    targets = log_linear.Targets(moments, precisions, centers, priors, common)
    white = np.sqrt(precisions)[:, :, None] * np.eye(count)
    if errors == "together":
        white = np.tril(rng.normal(0, 0.3, white.shape) + np.eye(count)) @ white
        targets = replace(targets, whitening=white)
    fits = log_linear.find_modes(contrasts, targets, centers)
    assert fits.converged.all()
    for q in range(4 if dense else 2):
        slow = referee.posterior_mode(
            matrix, moments[q], white[q], priors[q], centers[q], common[q],
            fits.coefficients[q] + rng.normal(0, 0.1, count),
        )  # fmt: skip
        np.testing.assert_allclose(fits.tables[q], slow, atol=2e-5)


def test_the_center_of_strong_pairs_exists_and_is_met(rng):
    # Rare attributes whose pairs cannot all have the mean correlation: no table has those moments.
    domain = cc.Domain(("a", "b", "c", "d"), (2, 2, 2, 3))
    rare = [[0.97, 0.03], [0.5, 0.5], [0.9, 0.1], [0.2, 0.3, 0.5]]
    table = np.einsum("i,j,k,l->ijkl", *rare)
    views = list(combinations(domain.names, 2))
    noisy = noisy_views(table, views, [1e-6] * 6, rng, domain)
    known = learn_priors(measure_interactions(noisy), MomentNoise.from_views(noisy))
    known = replace(
        known, shrinkages={**known.shrinkages, 2: MixturePrior(0.43, np.ones((1, 1)), np.ones(1))}
    )
    region, contrasts = (0, 1, 2, 3), interactions.contrasts_up_to_order(domain.sizes, 2)
    (found,) = find_prior_centers(known, contrasts, [region])
    slow = referee.center(known.one_way, 0.43)
    exponents = contrasts.exponents(found[None])
    tables = log_linear.softmax(exponents), log_linear.softmax(slow[None])
    np.testing.assert_allclose(*tables, atol=1e-5)
    assert np.abs(found).max() < 8


def test_cavities_agree_with_leaving_the_prior_out(rng):
    # Of one measured pair, whose prior is all that is left out.
    domain = cc.Domain(("a", "b"), (2, 2))
    table = np.array([[0.28, 0.22], [0.22, 0.28]])
    noisy = noisy_views(table, [domain.names], [0.01], rng, domain)
    problem = regions.build_problem(
        learn_priors(measure_interactions(noisy), MomentNoise.from_views(noisy)), [(0, 1)]
    )
    # About as much as the reports say: V = 1e-4, and moments move by a quarter of a coefficient.
    priors = np.array([[1e-6, 1e-6, 600.0]])
    problem = replace(problem, targets=replace(problem.targets, priors=priors))
    fits = problem.fit()
    seen = compute_cavities(problem, fits).sets[2]
    flat, alone = np.full((1, 3), 1e-6), 0 * problem.targets.common
    nothing = replace(problem.targets, priors=flat, common=alone)
    free = log_linear.find_modes(problem.contrasts, nothing, fits.coefficients)
    center = problem.targets.with_common_fixed(fits.coefficients).centers[0, 2]
    assert seen.first[0, 0] == pytest.approx((free.coefficients[0, 2] - center) / 2, rel=0.05)
    moved = problem.contrasts.covariances(free.tables)
    variances = log_linear.posterior_covariances(moved, nothing)[0].diagonal()
    assert seen.noise[0, 0] == pytest.approx(variances[2] / 4, rel=0.1)


def test_what_is_common_is_believed_by_its_posterior_under_reports_and_priors(rng):
    domain = cc.Domain(tuple("abcdef"), (2,) * 6)
    tables = [random_table(rng, domain.sizes, 20.0)]
    views = list(combinations(domain.names, 3))
    noisy = noisy_views(tables[0], views, [0.01] * len(views), rng, domain)
    problem = regions.build_problem(
        learn_priors(measure_interactions(noisy), MomentNoise.from_views(noisy)), [tuple(range(6))]
    )
    fits, targets = problem.fit(), problem.targets
    found = compute_cavities(problem, fits, 0.1).common[0]
    # How much is common, as further unknowns beside the coefficients, whose joint precision is plain.
    h = problem.contrasts.covariances(fits.tables)[0]
    prior, common = np.diag(targets.priors[0]), targets.common[0]
    told = h @ np.diag(targets.precisions[0]) @ h + prior
    own = np.eye(len(common)) + common @ prior @ common.T
    joint = np.block([[told, -prior @ common.T], [-common @ prior, own]])
    left = np.diag(np.linalg.inv(joint))[-len(common) :]
    off = prior @ (fits.coefficients - targets.centers)[0]
    odds = np.sqrt(left) * np.exp(np.linalg.solve(own, common @ off) ** 2 / left / 2)
    chance = 0.1 + 0.9 * odds / (1 + odds)
    # With so much less of it a priori, so much less of it is left.
    told = 1 / left - 1
    np.testing.assert_allclose(found * told / (1 + found * told), chance * (1 - left), rtol=1e-4)
    assert chance.min() < 0.5
    settled = compute_cavities(problem, fits, 1.0).common[0]
    np.testing.assert_allclose(settled, 1)


@pytest.mark.parametrize("together", [False, True])
def test_precisions_are_those_of_the_reports_and_of_a_prior_with_something_in_common(rng, together):
    root, numbers = rng.normal(size=(5, 5)), rng.uniform(1, 2, (4, 1, 5))
    # What pairs have in common, and what triples have.
    common = rng.random((2, 5)) * [[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]
    targets = log_linear.Targets(*numbers, common[None])
    told = np.diag(targets.precisions[0])
    if together:
        white = np.tril(rng.normal(size=(5, 5)))
        targets, told = replace(targets, whitening=white[None]), white.T @ white
    moved = root @ root.T
    system, unit = log_linear.posterior_precisions(moved[None], targets)
    prior = np.diag(1 / targets.priors[0]) + common.T @ common
    slow = moved @ told @ moved + np.linalg.inv(prior)
    np.testing.assert_allclose(system[0] / np.outer(unit[0], unit[0]), slow, rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (2, 3, 2, 2), (2,) * 6])
def test_answers_agree_with_the_slow_posterior_under_the_same_prior(rng, monkeypatch, sizes):
    monkeypatch.setattr(log_linear, "MODE_TOLERANCE", 1e-8)
    monkeypatch.setattr(log_linear, "MAX_MODE_STEPS", 300)
    domain = cc.Domain(tuple("abcdef"[: len(sizes)]), sizes)
    views = list(combinations(domain.names, 3))
    table = random_table(rng, sizes, 2.0)
    noisy = noisy_views(table, views, [0.02] * len(views), rng, domain)
    plus = infer_plus(noisy, order=3)
    assert plus.joint
    *_, (problem,) = plus._learned

    def slow(targets, white):
        return referee.posterior_mode(
            referee.feature_matrix(sizes, 3), targets.moments[0], white, targets.priors[0],
            targets.centers[0], targets.common[0], problem.start[0],
        ).reshape(sizes)  # fmt: skip

    # Here moments err as if alone.
    found = plus._joint_fit.table
    alone, white = problem.fit(), np.diag(np.sqrt(problem.targets.precisions[0]))
    np.testing.assert_allclose(found, slow(problem.targets, white), atol=5e-5)
    # Neither residuals nor what they hold asked for looser priors.
    check = empirical_bayes._check_residuals(problem, alone)
    assert not check.is_exceeded.any() and (check.helped > empirical_bayes.MIN_PRIOR_SHARE).all()
    # Together they err where the groups are small: then what is common stays as it came out before.
    noise = MomentNoise.from_views(noisy)
    heard, fits = empirical_bayes._refit_with_joint_noise(
        problem, alone, replace(noise, sampling=5 * noise.sampling)
    )
    targets = heard.targets.with_common_fixed(alone.coefficients)
    together = slow(targets, targets.whitening[0])
    np.testing.assert_allclose(fits.tables[0].reshape(sizes), together, atol=5e-5)
    assert np.abs(together - found).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("together", [False, True])
def test_residuals_are_as_large_as_expected_where_priors_are_right(rng, monkeypatch, together):
    # People drawn from the prior, and noise from what is said of it: a thousand fits at once.
    contrasts = contrasts_up_to_order((2, 3, 2, 2), 3)
    shape = 1000, len(contrasts.index)
    sd, spread = 0.05, np.linspace(0.05, 0.3, shape[1])
    truth = rng.normal(0, spread, shape)
    moments = contrasts.moments(log_linear.softmax(contrasts.exponents(truth)))
    errors = rng.normal(0, sd, shape)
    # All have one error in common, which is larger than their own.
    white = np.linalg.inv(np.linalg.cholesky(np.eye(shape[1]) + 4 * together)) / sd
    moments += errors @ np.linalg.inv(sd * white).T
    nothing, told = np.zeros(shape), np.full(shape, sd**-2.0)
    # Of one triple nobody was asked.
    told[:, contrasts.parts[-1]] = 0
    priors = np.tile(spread**-2, (shape[0], 1))
    targets = log_linear.Targets(moments, told, nothing, priors, np.zeros((shape[0], 2, shape[1])))
    if together:
        measured = np.arange(shape[1]) < contrasts.parts[-1].start
        white = np.where(measured[:, None] & measured, white, 0)
        targets = replace(targets, whitening=np.tile(white, (shape[0], 1, 1)))
    fits = log_linear.find_modes(contrasts, targets, nothing)
    found = empirical_bayes.residual_sums(contrasts, fits, targets)
    should = empirical_bayes.expected_sums(contrasts, fits, targets)
    assert found.shape == should.mean.shape == (shape[0], 3)
    error = found.std(axis=0) / shape[0] ** 0.5
    assert (np.abs(found.mean(axis=0) - should.mean.mean(axis=0)) < 4 * error).all()
    np.testing.assert_allclose(found.var(axis=0), should.variance.mean(axis=0), rtol=0.2)
    assert should.is_exceeded(found).mean() < 0.03
    # Pairs alone that are twice as far off as they should be are heard.
    twice = should.mean.copy()
    twice[:, 1] *= 4
    assert should.is_exceeded(twice).all()
    if together:
        return
    # Without the matrix they are estimated.
    monkeypatch.setattr(interactions, "DENSE_NUMBERS", 0)
    monkeypatch.setattr(log_linear, "PROBES", 1000)
    told = empirical_bayes.expected_sums(contrasts, fits.select([0, 1]), targets.select([0, 1]))
    np.testing.assert_allclose(told.mean, should.mean[:2], rtol=0.05)
    np.testing.assert_allclose(told.variance, should.variance[:2], rtol=0.1)
    few, some = fits.select([0, 1]), targets.select(np.array([0, 1]))
    sums = [
        empirical_bayes._sum_by_order(contrasts, one)
        for one in empirical_bayes.estimate_followed_noise(contrasts, few, some)
    ]
    np.testing.assert_allclose(sums[0] - sums[1], sd**2 * should.mean[:2], rtol=0.05)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("sure", [0.3, 9.0])
def test_what_priors_gain_is_counted_in_the_cells_of_all_answers(rng, together, sure):
    sizes = (2, 3, 2)
    contrasts = contrasts_up_to_order(sizes, 2)
    moments = contrasts.moments(rng.dirichlet(np.ones(12))[None])
    count = moments.size
    own = rng.uniform(0.01, 0.05, count)
    noise = np.diag(own**2) + together * 0.8 * np.outer(own, own)
    # Of the last pair nobody was asked, and of no triple.
    on = np.arange(count) < contrasts.parts[-1].start
    noise[~on], noise[:, ~on] = 0, 0
    white = np.zeros_like(noise)
    white[np.ix_(on, on)] = np.linalg.inv(np.linalg.cholesky(noise[np.ix_(on, on)]))
    told = np.divide(1, noise.diagonal(), out=np.zeros(count), where=on)
    priors = np.full((1, count), sure**2)
    whitening, common = white[None] if together else None, np.zeros((1, 2, count))
    targets = log_linear.Targets(moments, told[None], 0 * moments, priors, common, whitening)
    fits = log_linear.find_modes(contrasts, targets, 0 * moments)
    np.testing.assert_allclose(targets.noise_covariance()[0], noise, atol=1e-12)
    found = empirical_bayes.compute_gains(contrasts, fits, targets)
    # CALM's answer is near the reports and follows half of their noise; of single attributes only a part is fitted.
    answer, probe = moments + rng.normal(0, 0.02, count), rng.normal(0, own)
    kept = np.where(np.arange(count) < 4, 0.7, 1.0)
    reports = moments + np.where(kept < 1, rng.normal(0, 0.02, count), 0)
    problem = SimpleNamespace(
        contrasts=contrasts,
        targets=targets,
        kept_shares=kept[None],
        find_moments=lambda given: given,
    )
    calm = calm_share.CalmAnswer(reports, answer, probe[None], answer + probe / 2, None)
    weights = empirical_bayes.weigh_beside_calm(problem, fits, found.noise, found.followed, calm)
    # Every cell of every answer, as it follows from the moments.
    p, features = fits.tables[0], contrasts.matrix()
    back = (features / contrasts.scale[:, None] ** 2).T.reshape(*sizes, count)
    h = features * p @ features.T - np.outer(features @ p, features @ p)
    left = noise - h @ np.linalg.inv(h @ white.T @ white @ h + np.diag(priors[0])) @ h
    off = np.where(on, features @ p - moments[0], 0)
    raw_off, calm_off = (np.where(on, one - reports[0], 0) for one in (features @ p, answer[0]))
    gains = (part[0] for part in (*found[:3], weights))
    for order, share, doubt, weight, beside in zip((1, 2, 3), *gains):
        cells = np.concatenate([
            back.sum(axis=tuple(a for a in range(3) if a not in kept)).reshape(-1, count)[:, on]
            for kept in combinations(range(3), order)
        ])  # fmt: skip
        right, whole = (cells @ one[np.ix_(on, on)] @ cells.T for one in (left, noise))
        squares, gained = ((cells @ off[on]) ** 2).sum(), np.trace(right)
        excess = (squares - gained) / np.sqrt(2 * (right**2).sum())
        assert doubt == pytest.approx(np.clip(excess, 0, 1))
        assert weight == pytest.approx(min(1, gained / squares))
        assert share == pytest.approx(gained * min(1, gained / squares) / np.trace(whole))
        assert 0.01 < share < 0.99
        squared = cells.T @ cells
        between = raw_off[on] - calm_off[on]
        closer = ((cells @ calm_off[on]) ** 2).sum() - ((cells @ raw_off[on]) ** 2).sum()
        raw = (noise.diagonal() / kept)[on]
        sd = 2 * np.sqrt((squared @ between) ** 2 @ raw)
        lead = closer + np.trace(squared * raw) - 2 * np.trace(whole - right)
        # The triple holds 2 of the 11 contrasts of all three.
        unmeasured = 2 / 11 if order == 3 else 0
        lead += (calm_share.SURE_BY - calm_share.SURE_UNMEASURED * unmeasured) * sd
        best = 0.5 + lead / (2 * between @ squared @ between)
        assert beside == pytest.approx(np.clip(best, 0, 1))
    # Priors that are too sure are doubted.
    assert (found.doubt > 0).all() == (sure > 1)


def test_a_fit_that_follows_noise_as_calm_does_gives_way_where_no_view_holds_a_table(rng):
    # Both answers are as far apart as CALM's error is large, of which the fit has a part.
    apart = rng.normal(size=(3, 4))
    noise = calm_share.PROBE_SD * apart
    parts = (0.2, 0.4, 0.6, 1)
    found = [calm_share.weigh_unmeasured(0 * apart, apart, p * noise, noise) for p in parts]
    np.testing.assert_allclose(found, [1, 0.5, 0, 0], atol=1e-12)


def test_a_prior_that_the_reports_contradict_is_loosened(rng):
    # All the moments that the views hold are certain; the prior wants independence.
    table = random_table(rng, DOMAIN.sizes, 0.5)
    noisy = noisy_views(table, [DOMAIN.names], [1e-4], rng)
    known = learn_priors(measure_interactions(noisy), MomentNoise.from_views(noisy))
    problem = regions.build_problem(known, [(0, 1, 2, 3)])
    alone = sum(c - 1 for c in DOMAIN.sizes)
    stiff = np.where(np.arange(problem.start.shape[1]) < alone, 1e-6, 1e4)[None]
    targets = replace(problem.targets, priors=stiff, common=0 * problem.targets.common)
    problem, calm = replace(problem, targets=targets), infer_plus(noisy)._calm

    def error(times):
        fits = empirical_bayes.fit_with_adaptive_priors(problem, None, lambda: calm, times)
        (fit,) = fits.values()
        return np.abs(fit.table - table).max()

    assert error(empirical_bayes.MAX_LOOSENINGS) < 0.2 * error(0)


def asked_of_pairs(rng, sd):
    """A table of seven yes/no attributes that depend strongly, and noisy views of all its pairs."""
    domain = cc.Domain(tuple("abcdefg"), (2,) * 7)
    table = random_table(rng, domain.sizes, 0.5)
    views = list(combinations(domain.names, 2))
    noisy = noisy_views(table, views, [sd] * len(views), rng, domain)
    # Of everybody: nothing else errs.
    return table, replace(noisy, users=(0,) * len(views))


def test_a_fit_weighs_less_the_farther_it_is_from_the_reports(rng, monkeypatch):
    _, noisy = asked_of_pairs(rng, 5e-2)
    plus = infer_plus(noisy)
    problem, calm = plus._learned[2][0], lambda: plus._calm
    fits, shape = problem.fit(), (1, 3)
    # Nearly all of the noise is the prior's to take, but the best mean of both takes only 0.4 of the fit,
    # and the best mean with CALM's answer perhaps less.
    gains = [np.full(shape, value) for value in (0.9, 0.5, 0.4, 0.0, 0.0)]
    beside = np.empty(shape)
    monkeypatch.setattr(
        empirical_bayes, "compute_gains", lambda *args: empirical_bayes.PriorGains(*gains)
    )
    monkeypatch.setattr(empirical_bayes, "weigh_beside_calm", lambda *args: beside)
    for doubt, most, trust in ((0.5, 0.8, 1 - 0.5 * (1 - 0.4)), (0.5, 0.2, 0.2), (0.0, 0.2, 0.2)):
        gains[1][:], beside[:] = doubt, most
        found = empirical_bayes._trust_by_order(problem, fits, calm)
        np.testing.assert_allclose(found, trust)


def test_priors_that_would_hardly_help_are_let_go(rng):
    def residual(noisy):
        plus = infer_plus(noisy)
        *_, (problem,) = plus._learned
        moments = problem.contrasts.moments(plus._joint_fit.table.reshape(1, -1))
        return (problem.targets.precisions * (moments - problem.targets.moments) ** 2).sum()

    state = rng.bit_generator.state
    _, noisy = asked_of_pairs(rng, 6e-3)
    assert residual(noisy) < 1e-3
    rng.bit_generator.state = state
    _, noisy = asked_of_pairs(rng, 3e-2)
    assert residual(noisy) > 1


@pytest.mark.parametrize(
    "sd, method, said",
    [(6e-3, "calm", "so the answer is CALM's"), (2e-2, "shrunken", "so the answer is partly CALM's"),
     (5e-2, "shrunken", None)],
)  # fmt: skip
def test_the_less_priors_hold_the_more_of_an_answer_is_calms(rng, monkeypatch, sd, method, said):
    # What they gain for answers is another matter.
    monkeypatch.setattr(
        empirical_bayes, "_trust_by_order", lambda problem, fits, calm: np.ones((1, 3))
    )
    _, noisy = asked_of_pairs(rng, sd)
    plus = infer_plus(noisy)
    fit, pair, triple = plus._joint_fit, ("b", "e"), ("a", "b", "e")
    calm, own = plus.views.marginal(pair).values, fit.marginal((1, 4))
    problem = plus._learned[2][0]
    held = empirical_bayes._check_residuals(problem, problem.fit()).helped[0]
    ends = empirical_bayes.MIN_PRIOR_SHARE, empirical_bayes.TRUSTED_PRIOR_SHARE
    trust = np.interp(held, ends, (0, 1))
    assert trust == (0 if method == "calm" else 1 if said is None else pytest.approx(0.4, abs=0.2))
    np.testing.assert_allclose(plus.marginal(pair).values, trust * own + (1 - trust) * calm)
    note = plus.explain(pair)
    assert note.method == method and (note.neighbors == ()) == (method == "calm")
    assert said in note.text if said else "CALM" not in note.text
    # CALM's answer counts for what no view holds as it does for what a view holds.
    calm, own = plus.views.marginal(triple).values, fit.marginal((0, 1, 4))
    np.testing.assert_allclose(plus.marginal(triple).values, trust * own + (1 - trust) * calm)
    note = plus.explain(triple)
    assert note.method == method
    assert note.assumption.startswith("No group was asked about all 3 together")
    assert not plus.explain(pair).assumption


def test_calm_does_not_answer_by_a_view_without_reports(rng):
    table, noisy = asked_of_pairs(rng, 1e-3)
    silent = noisy.tables[-1].attrs
    variances = (*noisy.variances[:-1], math.inf)
    plus = infer_plus(replace(noisy, variances=variances, contrast_variances=variances))
    assert plus.explain(("a", "b")).method == "calm" and plus.covers(silent)
    assert plus.explain(silent).method == "shrunken"


@pytest.mark.parametrize("prior", [2.0, 200.0])
def test_the_estimated_error_is_met_on_the_average(rng, prior):
    # A prior that holds little, one that holds much, and one that holds the fit off the truth.
    apart, met = [], []
    for _ in range(30):
        table, noisy = asked_of_pairs(rng, 3e-2)
        problem = regions.build_problem(
            learn_priors(measure_interactions(noisy), MomentNoise.from_views(noisy)),
            [tuple(range(7))],
        )
        alone = np.arange(problem.start.shape[1]) < 7
        priors = np.where(alone, problem.targets.priors[0], prior)[None]
        targets = replace(problem.targets, priors=priors, common=0 * problem.targets.common)
        problem = replace(problem, targets=targets)
        fits = problem.fit()
        true, found = problem.contrasts.moments(np.array([table.ravel(), fits.tables[0]]))
        met.append((targets.precisions[0] * (found - true) ** 2).sum() - len(true))
        apart.append(empirical_bayes._estimated_error([problem], [fits]) - met[-1])
    assert abs(np.mean(apart)) < 3 * np.std(apart, ddof=1) / len(apart) ** 0.5
    assert (np.mean(met) > 10) == (prior == 200)


@pytest.mark.slow
def test_no_answer_depends_on_which_others_are_asked(rng):
    domain = cc.Domain(tuple("abcdefgh"), (2, 3, 2, 2, 3, 2, 2, 4))
    views = list(combinations(domain.names, 2))
    table = random_table(rng, domain.sizes, 0.3)
    noisy = noisy_views(table, views, [0.01] * len(views), rng, domain)
    queries = list(combinations(domain.names, 3))[::5]
    together = infer_plus(noisy).marginals(queries)
    for query, answer in zip(queries, together):
        alone = infer_plus(noisy).marginal(query).values
        np.testing.assert_allclose(alone, answer.values, atol=1e-9)


def test_without_noise_the_answer_is_the_table_of_maximum_entropy(rng):
    joint = random_table(rng, DOMAIN.sizes, 3.0)
    views = list(combinations(DOMAIN.names, 2))
    noisy = noisy_views(joint, views, [1e-9] * len(views), rng)
    noisy = cc.NoisyMarginals(DOMAIN, noisy.tables, noisy.variances, (0,) * len(views))
    whole = cc.make_consistent(noisy).marginal(DOMAIN.names)
    np.testing.assert_allclose(
        infer_plus(noisy).marginal(DOMAIN.names).values, whole.values, atol=2e-5
    )


def test_pure_noise_is_shrunk_away(rng):
    n = 400
    noise = np.full(n, 0.5)
    z = rng.normal(0, np.sqrt(0.5), n)
    seen = Evidence(z, z**2, noise, np.ones(n))
    prior = fit_mixture(seen, usual=0.02, free_mean=True)
    after = compute_posterior(prior, seen)
    kept = prior.mean + after.factor * (z - prior.mean)
    assert np.mean(kept**2) < 0.03 * np.mean(z**2)


def test_strong_interactions_are_kept_and_their_mean_is_found(rng):
    n = 400
    noise = np.full(n, 0.01)
    truth = rng.normal(0.4, 0.3, n)
    z = truth + rng.normal(0, 0.1, n)
    seen = Evidence(z, z**2, noise, np.ones(n))
    prior = fit_mixture(seen, usual=0.02, free_mean=True)
    after = compute_posterior(prior, seen)
    assert abs(prior.mean - 0.4) < 0.08
    assert 0.06 < prior.variance < 0.12
    assert after.factor.mean() > 0.8
    # The posterior variance is the error that is really made.
    error = prior.mean + after.factor * (z - prior.mean) - truth
    assert 0.7 < np.mean(error**2) / after.variance.mean() < 1.4


def test_a_fit_that_does_not_converge_gives_way_to_calm(rng, monkeypatch):
    views = [("a", "b"), ("c", "d"), ("b", "c")]
    noisy = noisy_views(random_table(rng, DOMAIN.sizes), views, [0.05] * 3, rng)
    plus = infer_plus(noisy)
    assert plus.explain(("a", "b", "d")).method == "shrunken"
    assert plus.explain(("a", "b", "d")).unmeasured == (("a", "d"), ("b", "d"))
    monkeypatch.setattr(log_linear, "MAX_MODE_STEPS", 0)
    plus = infer_plus(noisy)
    note = plus.explain(("a", "b", "d"))
    assert note.method == "calm" and "did not converge" in note.text
    answers = (answer.marginal(("a", "b", "d")).values for answer in (plus, plus.views))
    np.testing.assert_array_equal(*answers)


@pytest.mark.parametrize("joint", [True, False])
def test_what_nobody_reported_on_may_be_anything(joint):
    domain = cc.Domain(("a", "b", "c", "one"), (2, 3, 2, 1))
    table = cc.Marginal(domain.project(("a", "b")), np.full((2, 3), 1 / 6))
    other = cc.Marginal(domain.project(("b", "c")), np.full((3, 2), 1 / 6))

    def infer(variances, users):
        noisy = cc.NoisyMarginals(domain, (table, other), variances, users)
        return PlusMarginals(noisy, infer_plus(noisy).known, joint)

    nobody = infer((np.inf, np.inf), (0, 0))
    for query in (("a",), ("a", "c"), ("a", "b", "c"), ("c", "one")):
        low, high = nobody.interval(query)
        assert low.shape == high.shape == domain.shape_of(query)
        assert (low == 0).all() and (high == 1).all()
    assert nobody.explain(("a", "c", "one")).text.startswith("Nobody reported on a, c,")
    some = infer((1e-5, np.inf), (10**5, 0))
    low, high = some.interval(("c",))
    assert (low == 0).all() and (high == 1).all()
    # A cell is at most the upper limit of the measured attributes.
    low, high = some.interval(("a", "c"))
    assert (low == 0).all() and 0.5 < high.max() < 0.52
    np.testing.assert_array_equal(high, np.repeat(some.interval(("a",))[1][:, None], 2, axis=1))
    assert some.explain(("a", "c")).text.startswith("Nobody reported on c,")
    assert "Nobody" not in some.explain(("a", "b", "one")).text
    low, high = some.interval(("a", "b", "one"))
    assert (low > 0.1).all() and (high < 0.25).all()
    assert (some.interval(("one",))[0] == 1).all()


def test_intervals_hold_the_answer_and_widen_with_the_level(rng):
    views = [("a", "b"), ("c", "d"), ("b", "c")]
    plus = infer_plus(noisy_views(random_table(rng, DOMAIN.sizes), views, [0.05] * 3, rng))
    for query in (("a",), ("a", "b"), ("a", "b", "d"), DOMAIN.names):
        answer = plus.marginal(query).values
        low, high = plus.interval(query)
        wider_low, wider_high = plus.interval(query, 0.99)
        assert low.shape == answer.shape
        assert (0 <= wider_low).all() and (wider_high <= 1).all()
        assert (wider_low <= low).all() and (low <= answer).all()
        assert (answer <= high).all() and (high <= wider_high).all()


def test_linear_algebra_keeps_to_one_core(rng, monkeypatch):
    """Beside other work a second one is waited for: ten times as long was measured."""
    pools, seen = ThreadpoolController().select(user_api="blas"), set()
    monkeypatch.setattr(np.linalg, "inv", note_threads(np.linalg.inv, pools, seen))
    monkeypatch.setattr(np.linalg, "solve", note_threads(np.linalg.solve, pools, seen))
    with pools.limit(limits=2):
        plus = infer_plus(noisy_views(random_table(rng, DOMAIN.sizes), [("a", "b")], [0.05], rng))
        plus.marginals([("a", "b"), ("a", "c")])
        solved = len(seen)
        plus.interval(("a", "b"))
    assert solved and seen == {1}


def note_threads(function, pools, seen: set):
    """`function`, noting to how many threads it may go."""

    def call(*args):
        seen.update(library.num_threads for library in pools.lib_controllers)
        return function(*args)

    return call


def test_an_unmeasured_pair_is_less_certain_than_a_measured_one(rng):
    domain = cc.Domain(("a", "b", "c"), (2, 2, 2))
    views = [("a", "b"), ("b", "c")]
    noisy = noisy_views(np.full((2, 2, 2), 1 / 8), views, [0.001] * 2, rng, domain)
    plus = infer_plus(noisy)
    width = {pair: np.ptp(plus.interval(pair), axis=0).mean() for pair in (("a", "b"), ("a", "c"))}
    assert width[("a", "c")] > 3 * width[("a", "b")]


def test_large_tables_have_intervals_of_similar_width(rng, monkeypatch):
    views = list(combinations(DOMAIN.names, 2))
    plus = infer_plus(noisy_views(random_table(rng, DOMAIN.sizes, 5), views, [0.02] * 6, rng))
    query = ("a", "b", "d")
    exact = np.ptp(plus.interval(query), axis=0).mean()
    monkeypatch.setattr(intervals, "MAX_LAPLACE_CONTRASTS", 0)
    assert 0.7 < np.ptp(plus.interval(query), axis=0).mean() / exact < 1.5


def test_what_no_view_measures_changes_large_cells_more_than_small_ones(rng):
    # Independent and skewed; all that is not known is the interaction of three.
    table = np.einsum("a,b,c,d->abcd", *(zipf(size, 1.5) for size in DOMAIN.sizes))
    noisy = noisy_views(table, list(combinations(DOMAIN.names, 2)), [1e-5] * 6, rng)
    sums = infer_plus(replace(noisy, users=(0,) * 6)).sums(("a", "b", "d"))
    near, alone = sums.errors.compare_sources(sums.table)
    assert near.max() > 5 * near.min()
    large_table = replace(sums.errors, around=None)
    for found in (alone, *large_table.compare_sources(sums.table)):
        np.testing.assert_allclose(found, near, rtol=0.1)


@pytest.mark.parametrize("few", [True, False])
def test_whether_few_sets_interact_is_separated_from_how_strong_they_are(rng, few):
    believed = []
    for _ in range(20):
        variances = np.where(np.arange(28) < 5, 0.12, 2e-4) if few else np.full(28, 0.02)
        truth, noise = rng.normal(0, np.sqrt(variances)), np.full(28, 0.003)
        z = truth + rng.normal(0, np.sqrt(noise))
        seen = Evidence(z, z**2, noise, np.ones(28))
        perhaps = fit_mixture(seen, usual=0.02, few=0.4)
        never = fit_mixture(seen, usual=0.02)
        errors = [
            np.sum((compute_posterior(p, seen).factor * z - truth) ** 2) for p in (perhaps, never)
        ]
        believed.append((perhaps.population_probabilities[1], *errors))
    chance, error, without = np.mean(believed, axis=0)
    assert chance > 0.7 if few else chance < 0.5
    assert error < (0.9 if few else 1.06) * without


@pytest.mark.parametrize("alike", [True, False])
def test_where_all_pairs_are_alike_nobody_thinks_of_few_that_interact(rng, monkeypatch, alike):
    # Two kinds of people who say yes to everything with different chances, or with the same.
    chances = np.array([0.2, 0.8] if alike else [0.5, 0.5])
    ones = np.indices((2,) * 8).sum(axis=0)[..., None]
    table = (chances**ones * (1 - chances) ** (8 - ones)).mean(axis=-1)
    domain = cc.Domain(tuple("abcdefgh"), (2,) * 8)
    pairs = list(combinations(domain.names, 2))
    first = []

    def noted(*args, **options):
        first.append(fit_mixture(*args, **options))
        return first[-1]

    monkeypatch.setattr(shrinkage_priors, "fit_mixture", noted)
    plus = infer_plus(noisy_views(table, pairs, [0.01] * 28, rng, domain), order=2)
    known, order_priors, _ = plus._learned
    # Of the mean of pairs the chance is kept that it is one.
    assert known.pair_mean == pytest.approx(known.common_mean_probability * first[0].mean)
    chances = order_priors[2].population_probabilities
    if alike:
        assert known.common_mean_probability > 0.999 and abs(known.pair_mean) > 0.2
        assert chances[-1] < 1e-3 or len(chances) == 1
    else:
        assert known.common_mean_probability < 0.5 and known.common[2] < 0.1
        assert len(chances) == 2


def test_a_weak_interaction_is_shrunk_by_its_posterior_factor(rng, monkeypatch):
    domain = cc.Domain(tuple("abcdefgh"), (2,) * 8)
    pairs = list(combinations(domain.names, 2))
    walsh = np.array([[1, -1], [-1, 1]]) / 2
    values = rng.normal(0, 0.03, len(pairs))
    tables = tuple(
        cc.Marginal(domain.project(pair), 0.25 + value * walsh)
        for pair, value in zip(pairs, values)
    )
    m = len(pairs)
    noisy = cc.NoisyMarginals(domain, tables, (0.02**2,) * m, (0,) * m)
    # Fair coins: a contrast has variance 1/2 per attribute, so G = 1/4.
    z, noise = values / 0.5, np.full(m, 0.02**2 / 0.25)
    seen = Evidence(z, z**2, noise, np.ones(m))
    prior = fit_mixture(seen, usual=0.02, free_mean=True)
    alike = mean_nonzero_probability(prior, seen, usual=0.02)
    mean = alike * prior.mean
    centered = seen.centered_at(mean)
    after = compute_posterior(fit_mixture(centered, usual=0.02), centered)
    expected = 0.5 * (mean + after.factor * (z - mean))
    # Were few to interact factors would be steeper, and what differs in the evidence would count for more.
    monkeypatch.setattr(empirical_bayes, "SPARSE_PROBABILITY", 0.0)
    known, *_ = PlusMarginals(noisy, infer_plus(noisy).known)._learned
    problems = regions.build_problems(known, [domain.positions(pair) for pair in pairs])
    calm, fits = infer_plus(noisy)._calm, {}
    for problem in problems:
        fits |= empirical_bayes.fit_with_adaptive_priors(problem, None, lambda: calm)
    found = [(fits[domain.positions(pair)].table * walsh).sum() for pair in pairs]
    assert 0.05 < after.factor.mean() < 0.95
    # An eighth of the noise: how strong pairs are is read off fits, not off the reports alone.
    np.testing.assert_allclose(found, expected, atol=2.5e-3)


def test_where_the_reports_are_precise_the_interval_is_their_noise(rng):
    domain = cc.Domain(("a", "b"), (2, 2))
    table = cc.Marginal(domain, [[0.4, 0.1], [0.2, 0.3]])
    noisy = cc.NoisyMarginals(domain, (table,), (0.002**2,), (0,))
    low, high = infer_plus(noisy).interval(domain.names)
    # Three of the four dimensions of the noise are contrasts; the total is known.
    expected = 2 * 1.96 * 0.002 * np.sqrt(3 / 4)
    np.testing.assert_allclose(high - low, expected, rtol=0.15)


@pytest.mark.parametrize("doubt", [0.0, 0.3])
def test_an_interval_cut_at_zero_holds_its_probability(doubt):
    centers, sd = np.array([0.0, 0.01, 0.03, 0.5, 0.99, 0.3]), np.array([0.02] * 5 + [0.6])
    reported, noise = centers + 0.01, 2 * sd

    def below(end):
        first, second = ndtr((end - centers) / sd), ndtr((end - reported) / noise)
        return (1 - doubt) * first + doubt * second

    for level in (0.5, 0.9):
        low, high = intervals.mixture_interval(centers, sd, reported, noise, doubt, level)
        held = (below(high) - below(low)) / (below(1) - below(0))
        np.testing.assert_allclose(held, level, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("values, noise", [(10, 0.1), (50, 0.08)])
def test_the_largest_share_is_held_though_the_prior_pulls_it_down(rng, values, noise):
    # 0.76 and 0.80 where the interval had the same length to both sides.
    domain, held = cc.Domain(("a",), (values,)), []
    for _ in range(60):
        measured = cc.Marginal(domain, zipf(values, 1) + rng.normal(0, noise, values))
        reports = cc.NoisyMarginals(domain, (measured,), (noise**2,), (0,))
        low, high = infer_plus(reports).interval(("a",))
        held.append(low[0] <= zipf(values, 1)[0] <= high[0])
    assert np.mean(held) > 0.87


@pytest.mark.slow
def test_tables_that_no_view_holds_are_held_where_few_cells_are_common():
    # 0.77 where interactions that nobody measured were taken for weaker than they often are.
    rows = errors_of(few_cells(), n=2**17, epsilon=1.0, k=3, repetitions=12)
    assert rows[:, 2].mean() > 0.86


@pytest.mark.slow
def test_intervals_of_a_joint_fit_hold_the_truth_as_often_as_they_say():
    # 12 populations of Dirichlet(1) tables, every cell of every 3-way marginal. Over 200 seeds the
    # share inside was 0.952 to 0.995; of intervals 30% too short it was 0.850 to 0.942.
    rng = np.random.default_rng(5)
    domain = cc.Domain(("a", "b", "c", "d"), (2, 3, 2, 2))
    inside = []
    for _ in range(12):
        table = random_table(rng, domain.sizes)
        views = list(combinations(domain.names, 3))
        plus = infer_plus(noisy_views(table, views, [0.01] * 4, rng, domain))
        for query in views:
            low, high = plus.interval(query)
            truth = cc.Marginal(domain, table).project(query).values
            inside.append(((truth >= low) & (truth <= high)).mean())
    assert 0.947 < np.mean(inside) < 0.997


def test_the_joint_form_models_all_orders_that_the_views_hold(rng):
    domain = cc.Domain(("a", "b", "c", "d"), (2, 2, 2, 2))
    table = np.full((2,) * 4, 1 / 16)
    parity = np.indices((2,) * 4).sum(axis=0) % 2
    table = table * np.where(parity, 0.2, 1.8)
    noisy = noisy_views(table, [domain.names], [1e-4], rng, domain)
    found = infer_plus(noisy, order=2).marginal(domain.names).values
    np.testing.assert_allclose(found, table, atol=1e-3)


@pytest.mark.parametrize("joint", [True, False])
def test_other_attributes_tell_of_pairs_that_no_view_covers(rng, joint):
    # A chain a - b - c; no view covers a and c.
    table = np.einsum("ab,bc->abc", [[0.45, 0.05], [0.05, 0.45]], [[0.9, 0.1], [0.1, 0.9]])
    domain, views = cc.Domain(("a", "b", "c"), (2, 2, 2)), [("a", "b"), ("b", "c")]
    noisy = noisy_views(table, views, [1e-3] * 2, rng, domain)
    plus = PlusMarginals(noisy, infer_plus(noisy).known, joint)
    np.testing.assert_allclose(plus.marginal(("a", "c")).values, table.sum(axis=1), atol=0.02)
    # Precise reports are answered by CALM where a view covers the query.
    assert plus.explain(("a", "b")).method == "calm" != plus.explain(("a", "c")).method
    if joint:
        vague = infer_plus(noisy_views(table, views, [0.3] * 2, rng, domain))
        assert is_consistent([vague.marginal(pair) for pair in (*views, ("a", "c"))], 1e-12)


def test_a_neighborhood_holds_the_query_and_what_interacts_with_it(rng):
    # b nearly always copies a, and d copies c; e to l are coins.
    domain = cc.Domain(tuple("abcdefghijkl"), (2,) * 12)
    codes = rng.integers(0, 2, (50_000, 12))
    for copy, of in ((1, 0), (3, 2)):
        codes[:, copy] = np.where(rng.random(len(codes)) < 0.9, codes[:, of], codes[:, copy])
    data = cc.Dataset.from_codes(codes, domain)
    answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(data, rng=rng)
    known = answer.inferred.known
    queries = [(0, 4), (2, 5), tuple(range(12))]
    near = regions.find_neighborhoods(known, queries)
    assert all(set(query) <= set(region) for query, region in zip(queries, near))
    assert 1 in near[0] and 3 in near[1] and near[2] == tuple(range(12))
    assert all(len(region) < 12 for region in near[:2])
    plus = infer_plus(answer.noisy)
    assert "b" in plus.explain(("a", "e")).neighbors
    low, high = plus.interval(("a", "e"))
    assert (low <= plus.marginal(("a", "e")).values).all() and low.shape == (2, 2)


@pytest.mark.parametrize("sd, least, most", [(0.1, -0.5, 0.5), (0.0005, 0.95, 1.0)])
def test_neighbors_are_not_those_with_the_largest_noise(rng, sd, least, most):
    """Attributes that all go with one thing, each as much as chance will have it."""
    domain = cc.Domain(tuple("abcdefghijkl"), (2,) * 12)
    pairs = list(combinations(domain.names, 2))
    rates = np.array([0.5 - rng.uniform(0.1, 0.3, 12), np.full(12, 0.6)])
    people = mixture([0.5, 0.5], rates).values
    noisy = noisy_views(people, pairs, [sd] * len(pairs), rng, domain)
    plus = infer_plus(replace(noisy, users=(10**8,) * len(pairs)), order=2)
    known = plus.known
    places = list(combinations(range(12), 2))
    told = [
        (known.interactions.values((i, j))[0] - known.contrasts[i][0] * known.contrasts[j][0])
        / math.sqrt(known.spreads[i] * known.spreads[j])
        for i, j in places
    ]
    ranks = np.argsort(np.argsort([np.abs(told), [known.strengths[p] for p in places]]))
    found = np.corrcoef(ranks)[0, 1]
    assert least <= found <= most
    assert not plus.joint


def known_of(sizes, views, rng):
    """What these views tell, of random tables nearly without noise."""
    domain = cc.Domain(tuple("abcdefghijklmnop"[: len(sizes)]), sizes)
    tables = tuple(
        cc.Marginal(part, random_table(rng, part.sizes))
        for part in (domain.project([domain.names[i] for i in view]) for view in views)
    )
    noisy = cc.NoisyMarginals(domain, tables, (1e-9,) * len(views), (10**6,) * len(views))
    return learn_priors(measure_interactions(noisy), MomentNoise.from_views(noisy))


def test_a_neighborhood_is_as_large_as_what_was_measured_lets_it_be(rng):
    def region(views):
        known = known_of((2,) * 16, list(views), rng)
        (found,) = regions.find_neighborhoods(known, [(0, 5, 7)])
        measured = [s for s in known.interactions.index if len(s) > 2 and set(s) <= set(found)]
        contrasts = len(found) + math.comb(len(found), 2) + len(measured)
        assert {0, 5, 7} <= set(found) and contrasts <= regions.MAX_CONTRASTS
        return len(found)

    pairs = list(combinations(range(16), 2))
    assert [region(combinations(range(16), r)) for r in (2, 3, 4)] == [10, 9, 8]
    # What nobody measured takes no room.
    assert region(pairs + [(0, 5, 7, 9), (1, 2, 3, 4)]) == 10
    # The nearest has too many values, so that the next one helps.
    known = known_of((2, 30, 20, 3), list(combinations(range(4), 2)), rng)
    near = {pair: 0.1 * pair[1] * (pair[1] != 3) + 0.05 for pair in known.strengths}
    (found,) = regions.find_neighborhoods(replace(known, strengths=near), [(0, 1)])
    assert found == (0, 1, 3)


def test_a_pair_is_fitted_within_the_whole_view_that_interacts_most_with_it(rng):
    views = [(0, 1, 2, 3, 4), (0, 1, 5, 6, 7), (8, 9), (0, 8), (2, 9)]
    known = known_of((2,) * 10, views, rng)
    near = {pair: 1.0 if pair == (1, 6) else 0.01 for pair in known.strengths}
    around = regions._InteractionGraph(replace(known, strengths=near))
    assert around.complete_to_view((0, 1)) == (0, 1, 5, 6, 7)
    assert around.complete_to_view((2,)) == (0, 1, 2, 3, 4)
    # No view holds both; and of three attributes neighbors tell as much as the rest of a view.
    for query in ((3, 8), (0, 1, 2)):
        assert around.complete_to_view(query) == query
    # Views with too many cells, and with too many contrasts, for a neighborhood.
    for sizes in ((11, 10, 10), (8, 8, 8)):
        large = regions._InteractionGraph(known_of(sizes, [(0, 1, 2)], rng))
        assert large.complete_to_view((0, 1)) == (0, 1)


def test_larger_interactions_than_asked_for_count_where_views_tell_them(rng):
    people, names = rng.dirichlet(np.full(64, 0.1)).reshape((2,) * 6), "abcdef"
    domain = cc.Domain(tuple(names + "ghijk"), (2,) * 11)
    whole = np.multiply.outer(people, np.full((2,) * 5, 1 / 32))
    views = [tuple(names), *combinations("ghijk", 2), ("a", "g")]
    for deviation, order in ((1e-5, 6), (1.0, 2)):
        noisy = noisy_views(whole, views, [deviation**2] * len(views), rng, domain)
        plus = infer_plus(noisy, order=2)
        assert not plus.joint and plus.known.interactions.order == order
        # Of three attributes neighbors tell as much.
        assert infer_plus(noisy, order=3).known.interactions.order == 3


@pytest.mark.parametrize("sizes", [(2, 2, 1, 2), (2, 3, 2), (1,)])
def test_covariances_of_contrasts_are_those_of_their_products(rng, sizes):
    contrasts = interactions.contrasts_up_to_order(sizes, 2)
    tables = rng.dirichlet(np.ones(contrasts.cells), 3)
    for table, found in zip(tables, contrasts.covariances(tables)):
        mean = contrasts.matrix() @ table
        slow = (contrasts.matrix() * table) @ contrasts.matrix().T - np.outer(mean, mean)
        np.testing.assert_allclose(found, slow, atol=1e-12)


def test_intervals_without_noise_and_with_empty_cells_are_short():
    domain = cc.Domain(("a", "b", "c"), (2, 3, 2))
    table = np.zeros(domain.sizes)
    table[0, 0, 0], table[1, 2, 1], table[1, 2, 0] = 0.5, 0.3, 0.2
    noisy = cc.NoisyMarginals(domain, (cc.Marginal(domain, table),), (1e-18,), (0,))
    low, high = infer_plus(noisy).interval(domain.names)
    assert np.isfinite([low, high]).all()
    assert (high - low < 1e-3).all() and (np.abs((low + high) / 2 - table) < 1e-3).all()
