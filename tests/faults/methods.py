"""Faults in the local methods."""

from tests.faults.mutant import core

METHODS = ("tests/methods/test_local_methods.py",)

OPTIONS = ("tests/methods/test_method_options.py",)

FACTORISING = "tests/planning/test_factorising.py::"

MUTANTS = (
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
)  # fmt: skip
