"""Faults in the local methods, and in range queries."""

from tests.faults.mutant import app, core

METHODS = ("tests/methods/test_local_methods.py",)

HDG = "tests/methods/test_hdg.py"
RANGES = "tests/tables/test_ranges.py"
OPTIONS = ("tests/methods/test_method_options.py",)

FACTORISING = "tests/planning/test_factorising.py::"

MUTANTS = (
    core(
        "a method that is not installed is one that nobody knows", "methods/__init__", "if name in ABSENT:", "if False:",
        OPTIONS,
    ),
    core(
        "views by hand are ignored where the design has its own", "methods/calm_plus",
        "value is not None and self.design in OWN_VIEWS", "False", OPTIONS,
    ),
    core(
        "views chosen for CALM keep another design from being made", "methods/__init__",
        '        known -= {"l", "m"}\n', "        pass\n",
        (*OPTIONS, "tests/test_settings.py::test_the_command_carries_the_design_of_calm_plus_and_of_no_other"),
    ),
    core(
        "the range of epsilon is told with exponents", "_checks", "from {plain(least)} (strong", "from {least:g} (strong",
        ("tests/methods/test_limits.py::test_less_than_the_least_budget_is_refused_alike",),
    ),
    core(
        "theta is taken beside views it says nothing of", "methods/__init__",
        '("l", "m", "theta") if design in BY_RISK', '("l", "m") if design in BY_RISK',
        (*OPTIONS, "tests/test_settings.py::test_the_command_carries_the_design_of_calm_plus_and_of_no_other"),
    ),
    core(
        "theta is refused beside a design that it decides", "methods/__init__",
        "if design in BY_RISK else", "if design in OWN_VIEWS else", OPTIONS,
    ),
    core(
        "non-negativity is taken where nothing is mended", "methods/__init__",
        'elif settings.get("rounds") == 0:', 'elif settings.get("rounds") == -1:', OPTIONS,
    ),
    core(
        "without non-negativity and rounds both are left out", "methods/__init__",
        'elif settings.get("rounds") == 0:', 'if settings.get("rounds") == 0:', OPTIONS,
    ),
    core(
        "a row spends more than its epsilon", "planning/descent",
        "ratio, least = math.exp(epsilon), rows", "ratio, least = math.exp(1.1 * epsilon), rows",
        (f"{FACTORISING}test_the_descent_keeps_the_rules_and_never_climbs",),
    ),
    core(
        "chances below the least allowed", "planning/descent",
        "return np.clip(rows + np.interp(1.0, sums, breaks), low, high)",
        "return np.minimum(rows + np.interp(1.0, sums, breaks), high)",
        (f"{FACTORISING}test_a_projection_is_the_nearest_that_is_allowed",),
    ),
    core(
        "the slope forgets that rows are divided by their sums", "planning/descent",
        "slopes - (power / shares) @ slope[:, np.newaxis]", "slopes",
        (f"{FACTORISING}test_what_is_made_small_is_the_papers_and_slopes_are_those_of_small_steps",),
    ),
    core(
        "the descent takes steps that climb", "planning/descent", "if found < value:", "if True:",
        (f"{FACTORISING}test_the_descent_keeps_the_rules_and_never_climbs",),
    ),
    core(
        "mirrored waves count once in the table", "planning/descent",
        "load.spread(load.times / self.information)", "load.spread(1 / self.information)",
        (f"{FACTORISING}test_the_answer_is_the_papers_and_its_error_is_foretold",),
    ),
    core(
        "outputs are shifted the other way", "methods/factorisation",
        "less[np.repeat(np.arange(cells), counts), shifts]",
        "less[shifts, np.repeat(np.arange(cells), counts)]",
        ("tests/methods/test_factorisation.py::test_outputs_are_sent_by_the_chances_of_the_matrix",),
    ),
    core(
        "a name is taken for its letters", "tables/domain",
        "return (attrs,) if isinstance(attrs, str) else tuple(attrs)", "return tuple(attrs)",
        ("tests/methods/test_answers.py::test_one_attribute_may_be_named_without_a_tuple[fc]",),
    ),
    core(
        "decomposition deals other groups", "evaluation/error_sources",
        "collect(dataset, truthful, rng=same_groups)", "collect(dataset, truthful, rng=rng)",
        ("tests/evaluation/test_error_sources.py::test_the_same_groups_are_dealt_without_noise",),
        in_ci=True,
    ),
    core(
        "options are taken as they come", "methods/base",
        'item.metadata["check"](item.name, getattr(self, item.name))', "getattr(self, item.name)",
        OPTIONS, in_ci=True,
    ),
    core(
        "one option without a check", "methods/em",
        'partial(check_fraction, remedy="1e-5 is usual")', "lambda name, value: value",
        OPTIONS,
    ),
    core(
        "not a number passes for a fraction", "_checks",
        "not 0 < value <= 1 or (", "value <= 0 or value > 1 or (", OPTIONS,
    ),
    core(
        "a bit for an attribute of one value", "methods/binary_encoding",
        "(size - 1).bit_length() for", "max(1, (size - 1).bit_length()) for",
        ("tests/methods/test_local_methods.py::test_an_attribute_with_one_value_costs_nothing",),
    ),
    core(
        "more attributes per marginal than there are (FC)", "methods/full_contingency",
        "        check_k(self.k, domain.d)\n", "",
        ("tests/methods/test_limits.py::test_k_above_the_number_of_attributes_is_refused_alike",),
    ),
    core(
        "more attributes per marginal than there are (every method)", "methods/base",
        "        check_k(self.k, domain.d)\n", "        return\n",
        ("tests/methods/test_limits.py::test_k_above_the_number_of_attributes_is_refused_alike",),
    ),
    core(
        "FT is not checked before anybody reports", "methods/reporting",
        '        self.plan(domain, n, rng=stream(0, "check"))\n', "        super().check(domain, n)\n",
        ("tests/methods/test_limits.py::test_what_release_refuses_is_refused_before_anybody_reports",),
    ),
    core(
        "any budget above 0", "_checks",
        "if not least <= epsilon <= EPSILON_LIMIT:", "if not 0 < epsilon <= EPSILON_LIMIT:",
        ("tests/methods/test_limits.py::test_less_than_the_least_budget_is_refused_alike",),
    ),
    core(
        "weights beyond what exp can hold (MWEM)", "methods/central/mwem",
        "np.exp(logs - logs.max())", "np.exp(logs)",
        ("tests/methods/test_limits.py::test_every_number_is_finite_at_the_least_budget",),
    ),
    core(
        "sign turned round (FT)", "methods/fourier",
        "fractions[:, 0] - fractions[:, 1]", "fractions[:, 1] - fractions[:, 0]", METHODS,
    ),
    core(
        "EM spends epsilon on every attribute", "methods/em",
        "share = self.epsilon / domain.d", "share = self.epsilon", METHODS,
    ),
    core(
        "grids of many cells weigh as much as others", "inference/grids",
        "np.full(several, several / len(own))", "np.full(several, 1.0)",
        (f"{HDG}::test_grids_are_made_to_agree_as_in_the_paper",),
    ),
    core(
        "grids end with cells below 0", "inference/grids",
        "        done = flat.min() >= 0\n        without_negative()\n", "        done = flat.min() >= 0\n",
        (f"{HDG}::test_grids_that_agree_are_distributions_with_one_opinion",),
    ),
    core(
        "the second attribute of a pair is not asked", "inference/grids",
        "tables.sum(axis=1), columns)[:, None, :]", "tables.sum(axis=1), tables.sum(axis=1))[:, None, :]",
        (f"{HDG}::test_a_response_matrix_is_that_of_algorithm_1",),
    ),
    core(
        "values of a cell share it by the number of cells", "planning/grids",
        "np.repeat(1 / self.widths, self.widths)", "np.full(self.size, len(self.fine) / self.size)",
        (f"{HDG}::test_a_response_matrix_is_that_of_algorithm_1",),
    ),
    core(
        "outside of a range for inside", "inference/grids",
        "(0 if i in pair else slice(None) for i in range(k))", "(1 if i in pair else slice(None) for i in range(k))",
        (f"{HDG}::test_ranges_of_many_attributes_are_those_of_algorithm_2",),
    ),
    core(
        "the last value of a range is left out", "inference/grids",
        "axis.fine_of[low : high + 1],\n                    weights=axis.shares[low : high + 1]",
        "axis.fine_of[low:high],\n                    weights=axis.shares[low:high]",
        (f"{HDG}::test_ranges_and_tables_are_one_thing_up_to_two_attributes",),
    ),
    core(
        "too many cells for the noise", "planning/grids",
        "(ALPHA_1**2 / (2 * quarter)) ** (1 / 3)", "(ALPHA_1**2 / quarter) ** (1 / 2)",
        (f"{HDG}::test_the_guideline_has_the_least_error_of_all_powers_of_two_but_one",),
    ),
    core(
        "coarse cells cut through fine ones", "planning/grids",
        "coarse = (*(_cuts(first, g2) if first else ()), *range(first, len(fine)))",
        "coarse = tuple(range(min(g2, len(fine))))",
        (f"{HDG}::test_cuts_are_nested_even_and_leave_values_without_an_order_alone",),
    ),
    core(
        "values without an order share a cell", "methods/hdg",
        "cut(size, domain.ordered_of(name), ", "cut(size, size, ",
        (f"{HDG}::test_values_of_a_cell_are_alike_and_others_have_their_own",),
    ),
    core(
        "half of epsilon (HDG)", "methods/hdg",
        "OLH(self.epsilon, grids", "OLH(self.epsilon / 2, grids",
        (f"{HDG}::test_everybody_reports_one_cell_once_with_all_of_epsilon",),
    ),
    core(
        "missing values stand in the order", "ingest/column",
        "            return len(self.edges) + 1\n", "            return self.size\n",
        (f"{RANGES}::test_columns_say_how_many_values_have_an_order",),
    ),
    core(
        "a comparison takes all values for ordered", "experiments/background",
        '("names", "sizes", "ordered")', '("names", "sizes")',
        ("tests/experiments/test_background.py::test_the_request_says_all_of_the_experiment",),
    ),
    core(
        "an order changes the digest of a plan", "planning/plan_file",
        '    del plain["ordered"]\n', "", (f"{RANGES}::test_a_plan_does_not_depend_on_an_order",),
    ),
    app(
        "rows do not say where HDG meets values without an order", "panels/compare/rows",
        "    if row.remark:\n", "    if False:\n",
        ("tests/app/test_compare_pages.py::test_rows_are_in_order_of_trust_and_points",),
    ),
)  # fmt: skip
