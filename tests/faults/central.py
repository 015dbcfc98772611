"""Faults in the methods of a trusted curator."""

from tests.faults.mutant import app, core

LEARNING = (
    "tests/methods/test_central.py::test_integer_noise_of_learning_hides_what_counts_leave_over",
)
SPLIT = ("tests/methods/test_central.py::test_learning_splits_epsilon_with_the_least_noise",)
FIGURE2 = (
    "tests/experiments/test_reproduce.py::test_what_cannot_run_in_figure_2_of_priview_is_told_by_formula",
)
MENDED = "tests/laws/test_mended_answers.py::test_mended_answers_are_distributions"
SAID = "tests/app/test_results_pages.py::test_what_a_curator_guarantees_is_said"
ACCOUNT = "tests/methods/test_sensitivity.py::test_one_user_more_or_less_costs_epsilon"

MUTANTS = (
    core(
        "noise of one view for all of them (PriView)", "methods/central/priview",
        "scales = [plan.m / self.epsilon]", "scales = [1 / self.epsilon]",
        (f"{ACCOUNT}[priview]",),
    ),
    core(
        "noise of one marginal for all of them (Direct)", "methods/central/direct",
        "scale = len(sets) / self.epsilon", "scale = 1 / self.epsilon",
        (f"{ACCOUNT}[direct]",),
    ),
    core(
        "half the noise (Flat)", "methods/central/flat",
        "1 / self.epsilon", "0.5 / self.epsilon", (f"{ACCOUNT}[flat]",),
    ),
    core(
        "noise for the coefficients of order k alone (Fourier)", "methods/central/fourier",
        "for order in range(self.k + 1))", "for order in [self.k])", (f"{ACCOUNT}[fourier]",),
    ),
    core(
        "the linear program sees the truth (FourierLP)", "methods/central/fourier",
        "np.array(list(noisy.values()))",
        "np.array(list(parity_sums(dataset, self.k).values())) / dataset.n",
        (f"{ACCOUNT}[fourier_lp]",),
    ),
    core(
        "noise for one view too few (DataCube)", "methods/central/datacube",
        "scales = [len(views) / self.epsilon]", "scales = [(len(views) - 1) / self.epsilon]",
        (f"{ACCOUNT}[datacube]",),
    ),
    core(
        "weights that sum to more than 1 (Matrix Mechanism)", "methods/central/matrix",
        "weights /= weights.sum()", "weights /= weights.max()", (f"{ACCOUNT}[matrix]",), in_ci=True,
    ),
    core(
        "twice epsilon (MWEM)", "methods/central/mwem",
        "share = self.epsilon / rounds / 2", "share = self.epsilon / rounds",
        (f"{ACCOUNT}[mwem]",),
    ),
    core(
        "scores of the exponential mechanism doubled (MWEM)", "methods/central/mwem",
        "self.select(errors, 2 / share, rng=rng)", "self.select(errors, 1 / share, rng=rng)",
        (f"{ACCOUNT}[mwem]",),
    ),
    core(
        "selection with twice the scores (exponential mechanism)", "methods/central/base",
        "rng.gumbel(scale=scale, size=len(scores))", "rng.gumbel(scale=scale / 2, size=len(scores))",
        ("tests/methods/test_sensitivity.py::test_selection_follows_the_exponential_mechanism",),
        in_ci=True,
    ),
    core(
        "a marginal selected twice (MWEM)", "methods/central/mwem",
        "errors[list(measured)] = -np.inf", "pass",
        ("tests/methods/test_sensitivity.py::test_mwem_selects_no_marginal_twice_while_one_is_left",),
    ),
    core(
        "the marginal most wrongly answered told without noise (MWEM)", "methods/central/mwem",
        "chosen = self.select(errors, 2 / share, rng=rng)", "chosen = int(np.argmax(errors))",
        (f"{ACCOUNT}[mwem]",),
    ),
    core(
        "all of epsilon for every order (Learning)", "methods/central/learning",
        "self.epsilon * root / sum(roots) for root", "self.epsilon for root",
        (f"{ACCOUNT}[learning]",),
    ),
    core(
        "whole noise on weighted counts (Learning)", "methods/central/learning",
        "weights[order] * self.noisy(counts, scale, rng=rng)",
        "self.noisy(weights[order] * counts, scale, rng=rng)", LEARNING,
    ),
    core(
        "epsilon split evenly over the orders (Learning)", "methods/central/learning",
        "roots = [p ** (1 / 3) for p in pull]", "roots = [1.0 for p in pull]", SPLIT,
    ),
    app(
        "About is silent on neighbours", "about",
        'if trust == "central":', "if False:", (f"{SAID}[about]",),
    ),
    app(
        "Three worlds are silent on neighbours", "worlds",
        "st.caption(words.privacy.CENTRAL_GUARANTEE)", "pass", (f"{SAID}[worlds]",),
    ),
    app(
        "Methods is silent on neighbours", "compare",
        "st.caption(words.privacy.CENTRAL_GUARANTEE)", "pass", (f"{SAID}[compare]",),
    ),
    app(
        "central methods promise epsilon for a replaced record", "words/privacy",
        "2 epsilon is guaranteed", "epsilon is guaranteed",
        ("tests/app/test_results_pages.py::test_the_guarantee_names_both_kinds_of_neighbours",),
        in_ci=True,
    ),
    core(
        "the noisy total kept", "methods/unbiased",
        "whole = table.values + (1 - table.values.sum()) / table.values.size", "whole = table.values",
        ("tests/methods/test_central.py::test_a_total_below_nothing_becomes_one",),
    ),
    core(
        "cells just below 0 left by ripple", "methods/unbiased",
        "np.maximum(make_nonnegative(whole[np.newaxis], nonnegativity)[0], 0.0)",
        "make_nonnegative(whole[np.newaxis], nonnegativity)[0]", (f"{MENDED}[direct-ripple]",),
    ),
    core(
        "the larger total of simple left", "methods/unbiased",
        "return Marginal(table.domain, cells / cells.sum())", "return Marginal(table.domain, cells)",
        (f"{MENDED}[fc-simple]",),
    ),
    core(
        "answers of tables not mended", "methods/central/base",
        "return finish(table.project(attrs), self.nonnegativity)", "return table.project(attrs)",
        (f"{MENDED}[flat-norm_sub]",),
    ),
    core(
        "answers of coefficients not mended", "methods/central/fourier",
        "return finish(table, self.nonnegativity)", "return table", (f"{MENDED}[fourier-global]",),
    ),
    core(
        "FourierLP ignores its setting", "methods/central/fourier",
        "{domain.names: Marginal(domain, table)}, self.nonnegativity)",
        "{domain.names: Marginal(domain, table)})", (f"{MENDED}[fourier_lp-global]",),
    ),
    core(
        "expected errors above 1 (PriView figure 2)", "experiments/figures_priview",
        "min(1.0, math.sqrt(error))", "math.sqrt(error)", FIGURE2,
    ),
    core(
        "expected passed for measured (PriView figure 2, table)", "experiments/figures_priview",
        'errors, "expected"', 'errors, "measured"', FIGURE2,
    ),
    core(
        "expected passed for measured (PriView figure 2, figure)", "experiments/figures_priview",
        'table["method"] + " (expected)"', 'table["method"]', FIGURE2,
    ),
    core(
        "Flat's formula only where it runs", "methods/central/flat",
        "return math.prod(domain.sizes) *", 'return check_cells(domain.sizes, "Flat") *', FIGURE2,
    ),
    core(
        "noise expected where none is added", "methods/central/base",
        'return 0.0 if self.noise == "none" else 2', "return 2",
        ("tests/methods/test_central.py::test_nothing_is_expected_of_noise_that_is_not_there",),
    ),
    core(
        "noise on fractions", "methods/central/base",
        'if counts.dtype.kind not in "iu":', "if False:",
        ("tests/methods/test_central.py::test_noise_is_refused_for_what_is_no_count",),
    ),
)  # fmt: skip
