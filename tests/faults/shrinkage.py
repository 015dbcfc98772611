"""Faults in CALM+ and in what is stacked upon it."""

from tests.faults.mutant import core

PLUS = ("tests/inference/test_calm_plus.py",)
NOISE = "tests/inference/test_calm_plus_noise.py"
STACKING = "tests/inference/test_stacking.py"
LAW = "tests/noise/test_calm_plus_limit.py"
AS_LARGE = "test_residuals_are_as_large_as_told_where_priors_are_right"
GAINED = "test_what_priors_gain_is_counted_in_the_cells_of_all_answers"
SUMS = "tests/inference/test_calm_plus_sums.py"

SENSES = "tests/inference/test_senses.py"
NEAR = f"{PLUS[0]}::test_neighbours_are_not_those_with_the_largest_noise"

MUTANTS = (
    core(
        "an interval of hardly any probability is no number", "inference/shrinkage/intervals",
        "max(ndtri((1 + level) / 2), LEAST_SPREAD)", "ndtri((1 + level) / 2)",
        ("tests/inference/test_calm_plus_sums.py",),
    ),
    core(
        "attributes are never turned", "inference/shrinkage/senses",
        "return turned._replace(chance=1 / (1 + math.exp(-odds)))", "return coded", (SENSES,),
    ),
    core(
        "the best of many senses taken for the only one", "inference/shrinkage/senses",
        "turned.prior.evidence - nothing.evidence - others", "turned.prior.evidence - nothing.evidence",
        (f"{SENSES}::test_attributes_are_turned_where_all_pairs_go_together_and_only_there",),
    ),
    core(
        "senses that are not the best", "inference/shrinkage/senses",
        "senses[agreement.argmin()] *= -1", "break", (f"{SENSES}::test_the_senses_are_the_best_there_are",),
    ),
    core(
        "evidence without what the mean could be", "inference/shrinkage/mixtures",
        "evidence -= (math.log1p(usual * told_of_mean) + mean**2 / usual) / 2", "pass",
        (f"{SENSES}::test_evidence_is_what_all_means_together_foretell",),
    ),
    core(
        "regions forget who is turned", "inference/shrinkage/local",
        "(measured * contrasts.signs(senses))", "(measured * abs(contrasts.signs(senses)))",
        (f"{SENSES}::test_what_pairs_of_a_region_have_in_common_follows_their_senses",),
    ),
    core(
        "centres as if nobody was turned", "inference/shrinkage/centres",
        "return found * signs", "return found",
        (f"{SENSES}::test_answers_do_not_depend_on_which_way_attributes_are_coded",),
    ),
    core(
        "neighbours chosen by noise", "inference/shrinkage/priors",
        "(length + np.sqrt(after.variance) * chance) ** 2", "length**2", (NEAR,),
    ),
    core(
        "away from the posterior mode", "inference/shrinkage/fitting",
        "return -unit * np.linalg.solve(system", "return unit * np.linalg.solve(system",
        (f"{PLUS[0]}::test_modes_agree_with_a_general_optimiser",),
    ),
    core(
        "the prior counted twice", "inference/shrinkage/fitting",
        "drag = self.priors *", "drag = 2 * self.priors *",
        (f"{PLUS[0]}::test_modes_agree_with_a_general_optimiser",),
    ),
    core(
        "intervals a third too short", "inference/shrinkage/intervals",
        "moves = self.moves.sum(axis=others)", "moves = 0.67 * self.moves.sum(axis=others)", PLUS,
    ),
    core(
        "cells of a sum err alone", "inference/shrinkage/intervals",
        "moves = moves[inside].sum(axis=0)", "moves = np.sqrt((moves[inside] ** 2).sum(axis=0))",
        (f"{SUMS}::test_where_the_reports_are_precise_the_interval_of_a_sum_is_their_noise",),
    ),
    core(
        "sums trust the prior", "inference/shrinkage/answers",
        "if inside is not None and 1 < inside.sum() < inside.size - 1:", "if False:",
        (f"{SUMS}::test_intervals_of_ranges_hold_the_truth_about_as_often_as_they_say",),
    ),
    core(
        "a sum of cells above 1", "inference/shrinkage/intervals",
        "np.clip(table[inside].sum(), 0, 1)", "table[inside].sum()",
        (f"{SUMS}::test_everybody_is_certain_where_the_cells_are_rounded_to_a_sum_above_1",),
    ),
    core(
        "answers wait for a second core", "inference/shrinkage/answers",
        "    @one_core()\n    def _ask", "    def _ask",
        (f"{PLUS[0]}::test_linear_algebra_keeps_to_one_core",),
    ),
    core(
        "intervals wait for a second core", "inference/shrinkage/answers",
        "    @one_core()\n    def interval(", "    def interval(",
        (f"{PLUS[0]}::test_linear_algebra_keeps_to_one_core",),
    ),
    core(
        "sure of what nobody reported on", "inference/shrinkage/answers",
        "        if unknown := self.known.interactions.unknown(query):\n", "        if unknown := ():\n",
        ("tests/inference/test_calm_plus.py::test_what_nobody_reported_on_may_be_anything",), in_ci=True,
    ),
    core(
        "strangers for neighbours", "inference/shrinkage/regions",
        "score = self.strengths[list(region)].sum(axis=0)",
        "score = 9 - self.strengths[list(region)].sum(axis=0)", PLUS,
    ),
    core(
        "few neighbours", "inference/shrinkage/regions",
        "MOST_CONTRASTS = 2**10, 170", "MOST_CONTRASTS = 2**6, 170",
        (f"{PLUS[0]}::test_more_neighbours_tell_more_where_one_thing_is_behind_all_attributes",),
    ),
    core(
        "neighbours as if pairs alone were measured", "inference/shrinkage/regions",
        "return count_contrasts(sizes, 2) + int(", "return count_contrasts(sizes, 2) + 0 * int(",
        (f"{PLUS[0]}::test_a_pair_is_fitted_within_the_whole_view_that_interacts_most_with_it",),
    ),
    core(
        "larger sets take no room", "inference/shrinkage/regions",
        "return pairs + self.contrasts[one]", "return pairs + 0 * self.contrasts[one]",
        (f"{PLUS[0]}::test_a_neighbourhood_is_as_large_as_what_was_measured_lets_it_be",),
    ),
    core(
        "pairs are fitted without their views", "inference/shrinkage/regions",
        "around.grown(around.completed(query))", "around.grown(query)", (f"{LAW}::test_pairs_gain_what_their_views_tell_beyond_pairs",),
    ),
    core(
        "no view tells of more than is asked", "inference/shrinkage/answers",
        "order = told_order(known, order)", "pass",
        (f"{PLUS[0]}::test_larger_interactions_than_asked_for_count_where_views_tell_them",),
    ),
    core(
        "larger interactions count however noisy they are", "inference/shrinkage/orders",
        "LEAST_TOLD = 0.2", "LEAST_TOLD = 0.0",
        (f"{PLUS[0]}::test_larger_interactions_than_asked_for_count_where_views_tell_them",),
    ),
    core(
        "contrasts of two sets go together as those of all their attributes", "inference/shrinkage/features",
        "contrasts.index[:, None] ^ contrasts.index", "contrasts.index[:, None] | contrasts.index",
        (f"{PLUS[0]}::test_covariances_of_contrasts_are_those_of_their_products",),
    ),
    core(
        "a noisy interaction kept whole", "inference/shrinkage/mixtures",
        "kept = GRID / (GRID + seen.noise[:, None])",
        "kept = GRID / (GRID + 0 * seen.noise[:, None])", PLUS,
    ),
    core(
        "few sets interact or not, whatever was seen", "inference/shrinkage/mixtures",
        "np.exp(log - evidence)", "before",
        (f"{PLUS[0]}::test_whether_few_sets_interact_is_told_from_how_strong_they_are",),
    ),
    core(
        "few interact where all are alike", "inference/shrinkage/learning",
        "few=FEW * (1 - known.alike)", "few=FEW",
        (f"{PLUS[0]}::test_where_all_pairs_are_alike_nobody_thinks_of_few_that_interact",),
    ),
    core(
        "a doubtful mean is a mean", "inference/shrinkage/priors",
        "mean=alike * prior.mean", "mean=prior.mean",
        (f"{PLUS[0]}::test_where_all_pairs_are_alike_nobody_thinks_of_few_that_interact",),
    ),
    core(
        "what is common is known without doubt", "inference/shrinkage/cavities",
        "told -= weighed @ inverse", "told -= 0 * weighed @ inverse",
        (f"{PLUS[0]}::test_what_is_common_is_believed_by_its_posterior_under_reports_and_priors",),
    ),
    core(
        "a prior is never loosened", "inference/shrinkage/learning",
        "(tight & ~idle, LOOSER, loosenings - 1)", "(tight & ~tight, LOOSER, loosenings - 1)",
        (f"{PLUS[0]}::test_a_prior_that_the_reports_contradict_is_loosened",), in_ci=True,
    ),
    core(
        "priors that hardly help are kept", "inference/shrinkage/learning",
        "LEAST_HELP, ENOUGH_HELP, FREE = 0.1, 0.4, 1e-4", "LEAST_HELP, ENOUGH_HELP, FREE = 0.0, 0.4, 1e-4",
        (f"{PLUS[0]}::test_priors_that_would_hardly_help_are_let_go",),
    ),
    core(
        "priors that hardly help answer alone", "inference/shrinkage/answers",
        "trust if told else 1.0", "1.0",
        (f"{PLUS[0]}::test_the_less_priors_hold_the_more_of_an_answer_is_calms",),
    ),
    core(
        "CALM answers what no view holds", "inference/shrinkage/answers",
        "trust if told else 1.0", "trust",
        (f"{PLUS[0]}::test_the_less_priors_hold_the_more_of_an_answer_is_calms",),
    ),
    core(
        "CALM answers by a view that nobody reported on", "inference/shrinkage/answers",
        "trust < 1 and self.known.interactions.complete(query)", "trust < 1",
        (f"{PLUS[0]}::test_calm_does_not_answer_by_a_view_without_reports",),
    ),
    core(
        "priors that gain nothing for answers are trusted", "inference/shrinkage/learning",
        "found.doubt * (1 - _enough(found.share))", "0 * found.doubt",
        (f"{LAW}::test_neither_is_it_where_one_view_holds_all_and_some_are_changed",),
    ),
    core(
        "intervals end amid a person", "inference/shrinkage/answers",
        "return whole_people(ends, self.noisy)", "return ends",
        (f"{LAW}::test_an_interval_holds_an_answer_that_is_one_person_off",),
    ),
    core(
        "what priors gain is asked where nobody doubts it", "inference/shrinkage/discrepancy",
        "doubt.append(np.clip((found - gained) / np.maximum(spread, 1e-300), 0, 1))", "doubt.append(np.ones(len(found)))",
        (f"{PLUS[0]}::{GAINED}",),
    ),
    core(
        "a fit gains all that it might", "inference/shrinkage/discrepancy",
        "gained * np.minimum(1, gained / np.maximum(found, 1e-300))", "gained", (f"{PLUS[0]}::{GAINED}",),
    ),
    core(
        "gains are those of moments", "inference/shrinkage/discrepancy",
        "(1, 1 / size)", "(1, 1)", (f"{PLUS[0]}::{GAINED}",),
    ),
    core(
        "what nobody was asked about errs too", "inference/shrinkage/fitting",
        "found[:, diagonal, diagonal] -= ~on", "pass", (f"{PLUS[0]}::{GAINED}",),
    ),
    core(
        "triples are trusted as pairs are", "inference/shrinkage/local",
        "self.trust[min(max(count - 2, 0), len(self.trust) - 1)]", "self.trust[0]",
        (f"{PLUS[0]}::test_a_fit_is_trusted_by_how_many_attributes_are_asked_about",),
    ),
    core(
        "residuals of pairs hide among those of larger sets", "inference/shrinkage/discrepancy",
        "return np.any(found > self.mean + EXCESS * np.sqrt(self.variance), axis=1)",
        "return (found > self.mean + EXCESS * np.sqrt(self.variance))[:, -1]", (f"{PLUS[0]}::{AS_LARGE}",),
    ),
    core(
        "residuals err as if the prior held them whole", "inference/shrinkage/discrepancy",
        "Expected(mean, 2 * np.stack(squares, axis=1))", "Expected(mean, 2 * mean)", (f"{PLUS[0]}::{AS_LARGE}",),
    ),
    core(
        "what nobody was asked is held by its prior", "inference/shrinkage/discrepancy",
        "left[:, diagonal, diagonal] += targets.precisions > 0", "left[:, diagonal, diagonal] += 1.0",
        (f"{PLUS[0]}::{AS_LARGE}",),
    ),
    core(
        "residuals of all sets are those of pairs", "inference/shrinkage/large",
        "(root > 0) & (np.arange(len(root)) < end)", "root > 0", (f"{PLUS[0]}::{AS_LARGE}",),
    ),
    core(
        "a second look always counts", "inference/shrinkage/learning",
        "if gain > LEAST_GAIN else", "if gain > -np.inf else", (f"{LAW}::test_a_second_look_counts_where_it_pays",),
    ),
    core(
        "priors hold nothing of the noise", "inference/shrinkage/learning",
        "(found - 2 * held)[:, -1]", "found[:, -1]",
        (f"{PLUS[0]}::test_the_estimated_error_is_met_on_the_average",),
    ),
    core(
        "the prior counted twice in how strong interactions are", "inference/shrinkage/cavities",
        "seen = Evidence(off[:, 0], (off**2).sum(axis=1), spread / share, dims)",
        "seen = Evidence(off[:, 0], (off**2).sum(axis=1), spread, dims)",
        (f"{PLUS[0]}::test_cavities_agree_with_leaving_the_prior_out",),
    ),
    core(
        "interactions have nothing in common", "inference/shrinkage/fitting",
        "(covariance), targets.lift\n", "(covariance), 0 * targets.lift\n",
        (f"{PLUS[0]}::test_precisions_are_those_of_the_reports_and_of_a_prior_with_something_in_common",),
    ),
    core(
        "the centre forgets the mean correlation", "inference/shrinkage/centres",
        "common += weight * (apart", "common += 0 * weight * (apart",
        (f"{PLUS[0]}::test_the_centre_of_strong_pairs_exists_and_is_met",),
    ),
    core(
        "people who report on several values err alone", "inference/shrinkage/noise",
        "found += value * np.outer(mean, mean)", "found += value * np.diag(mean**2)",
        (f"{NOISE}::test_moments_err_together_as_the_reports_of_their_views",),
    ),
    core(
        "fits take from the largest cells what empty ones lack", "inference/shrinkage/noise",
        "        if whole:\n", "        if True:\n",
        (f"{NOISE}::test_moments_err_together_as_the_reports_of_their_views",),
    ),
    core(
        "whoever is drawn to report is taken for chance alone", "inference/shrinkage/noise",
        "drawn = spread(self.sampling) - self.everyone", "drawn = spread(self.sampling) - 0 * self.everyone",
        (f"{NOISE}::test_moments_err_together_as_the_reports_of_their_views",),
    ),
    core(
        "fits take moments to err alone", "inference/shrinkage/learning",
        "problem = problem.heard(fits, noise)\n", "return problem, fits\n",
        (f"{PLUS[0]}::test_answers_agree_with_the_slow_posterior_under_the_same_prior",),
    ),
    core(
        "the prior of one attribute is forgotten where moments err together", "inference/shrinkage/local",
        "told *= np.sqrt(np.outer(", "told *= 1 + 0 * np.sqrt(np.outer(",
        (f"{NOISE}::test_fits_take_moments_to_err_as_the_reports_of_their_views",),
    ),
    core(
        "nobody is drawn to report on what nobody reports on", "inference/shrinkage/noise",
        "self.everyone * np.outer(counted, counted)", "self.everyone",
        ("tests/laws/test_calm_plus_laws.py::test_every_answer_is_a_distribution",),
    ),
    core(
        "what is common moves with the noise", "inference/shrinkage/learning",
        "targets=problem.targets.settled(fits.coefficients))\n    return problem, settled.fit()",
        "targets=problem.targets)\n    return problem, settled.fit()",
        (f"{PLUS[0]}::test_answers_agree_with_the_slow_posterior_under_the_same_prior",),
    ),
    core(
        "intervals know only the noise that fits know", "inference/shrinkage/intervals",
        "off = noise.covariance(*place)\n", "off = noise.covariance(*place, whole=False)\n",
        (f"{NOISE}::test_the_interval_of_a_cell_with_nearly_everybody_is_as_long_as_its_noise",),
    ),
    core(
        "intervals count twice what fits know of the noise", "inference/shrinkage/intervals",
        "off -= noise.covariance(*place, whole=False)", "off -= 0 * noise.covariance(*place)",
        (f"{NOISE}::test_the_interval_of_a_cell_with_nearly_everybody_is_as_long_as_its_noise",),
    ),
    core(
        "intervals take every cell's noise for the mean's", "inference/shrinkage/intervals",
        "covariance += _misjudged(", "covariance += 0 * _misjudged(",
        (f"{NOISE}::test_the_interval_of_a_cell_with_nearly_everybody_is_as_long_as_its_noise",),
    ),
    core(
        "a cell at 0 has no room", "inference/shrinkage/intervals",
        "return np.sqrt(found**2 + DOUBTED * more)", "return near",
        (f"{NOISE}::test_intervals_of_rare_values_hold_them",),
    ),
    core(
        "intervals believe the prior of a rare cell", "inference/shrinkage/intervals",
        "DOUBTED = 0.12", "DOUBTED = 0.06",
        ("tests/noise/test_calm_plus_limit.py::test_intervals_of_what_is_rare_and_together_hold_it",),
    ),
    core(
        "noise that follows the table is forgotten", "oracles/base",
        "apart += 2 * (between - mixed)", "apart += 2 * between",
        ("tests/noise/test_oracle_noise.py::test_contrasts_vary_together_as_their_law_says",),
    ),
    core(
        "large tables never know enough", "inference/shrinkage/discrepancy",
        "    if not contrasts.dense:\n        each",
        "    if not contrasts.dense:\n        return expected_alone(contrasts, fits, targets)\n        each",
        (f"{NOISE}::test_what_the_residuals_of_a_large_table_should_be_is_told_without_its_matrix",),
    ),
    core(
        "a step too long is computed anew", "inference/shrinkage/fitting",
        "TRIES, SHORTER = 6, 0.3", "TRIES, SHORTER = 1, 0.3",
        (f"{NOISE}::test_modes_of_large_tables_are_found_in_few_steps",),
    ),
    core(
        "answers that differ are as sure as one", "inference/shrinkage/intervals",
        "np.hypot(deviations, share - other)", "np.hypot(deviations, 0)",
        (f"{STACKING}::test_intervals_are_longer_where_the_answers_differ",),
    ),
    core(
        "bits are divided cell by cell", "inference/stacking/thinning",
        "expected = values * p + share * (view.support - values * p - others * q)",
        "expected = values * view.support / view.n",
        (f"{STACKING}::test_bits_divided_by_their_counts_go_together_as_those_of_people",),
    ),
    core(
        "a fold is not left out", "inference/stacking/weighing",
        "tables = members(aggregate(without(reports, part)), left_out.views)",
        "tables = members(aggregate(reports), left_out.views)",
        (f"{STACKING}::test_members_are_told_nothing_of_the_people_left_out",),
    ),
    core(
        "of some views the sets of all are kept", "inference/stacking/weighing",
        '"value_variances", "sets")', '"value_variances")',
        (f"{STACKING}::test_of_many_views_some_are_foretold",),
    ),
    core(
        "the noise of what is left out is forgotten", "inference/stacking/weighing",
        "weight**2 * np.einsum(\"imf,m,jmf->ij\", beside, family.variances, beside)",
        "0 * np.einsum(\"imf,m,jmf->ij\", beside, family.variances, beside)",
        (f"{STACKING}::test_scores_are_those_of_the_true_errors_and_as_noisy_as_they_say",),
    ),
    core(
        "odds that move a class the wrong way", "inference/stacking/classes",
        "found.append(square - mean[:, :, None] * mean[:, None, :])",
        "found.append(square + mean[:, :, None] * mean[:, None, :])",
        (f"{STACKING}::test_steps_of_a_mixture_follow_its_slopes_and_end_where_a_general_optimiser_does",),
    ),
    core(
        "weights that do not sum to one", "inference/stacking/weighing",
        "return np.append(1 - shares.sum(), shares)", "return np.append(1.0, shares)",
        (f"{STACKING}::test_many_attributes_with_one_thing_behind_them_are_answered_better_than_by_calm_plus",),
    ),
    core(
        "a prior corrects reports that count people", "inference/shrinkage/noise", "VERY_FEW = 1.6", "VERY_FEW = 0.0",
        ("tests/noise/test_calm_plus_limit.py::test_where_reports_count_people_the_answer_is_calms",),
    ),
    core(
        "the noise of an answer is that of a view's cell", "inference/shrinkage/noise",
        "math.sqrt(variance * table.values.size / cells)", "math.sqrt(variance)",
        ("tests/noise/test_calm_plus_limit.py::test_what_counts_is_the_noise_of_the_cells_that_are_asked_about",),
    ),
    core(
        "an interval of CALM's answer as short as the fit's", "inference/shrinkage/answers",
        "            tables.append(fit.marginal(query))\n", "            pass\n",
        ("tests/noise/test_calm_plus_limit.py::test_what_the_fit_says_makes_intervals_of_calms_answer_longer",),
    ),
    core(
        "an interval of an answer that is partly CALM's as short as the fit's", "inference/shrinkage/answers",
        "if fit.converged and self._trust(query, fit) < 1:",
        "if fit.converged and counted(self.noisy, attrs):",
        ("tests/noise/test_calm_plus_limit.py::test_what_the_fit_says_makes_intervals_of_calms_answer_longer",),
    ),
)  # fmt: skip
