"""Faults in the local methods."""

from tests.faults.mutant import core

METHODS = ("tests/methods/test_local_methods.py",)

OPTIONS = ("tests/methods/test_method_options.py",)

MUTANTS = (
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
        OPTIONS, in_ci=True,
    ),
    core(
        "not a number passes for a fraction", "_checks",
        "not 0 < value <= 1 or (", "value <= 0 or value > 1 or (", OPTIONS, in_ci=True,
    ),
    core(
        "a bit for an attribute of one value", "methods/binary_encoding",
        "(size - 1).bit_length() for", "max(1, (size - 1).bit_length()) for",
        ("tests/methods/test_local_methods.py::test_an_attribute_with_one_value_costs_nothing",),
        in_ci=True,
    ),
    core(
        "more attributes per marginal than there are (FC)", "methods/full_contingency",
        "        check_k(self.k, domain.d)\n", "",
        ("tests/methods/test_limits.py::test_k_above_the_number_of_attributes_is_refused_alike",),
        in_ci=True,
    ),
    core(
        "more attributes per marginal than there are (Flat)", "methods/central/flat",
        "        check_k(self.k, domain.d)\n", "",
        ("tests/methods/test_limits.py::test_k_above_the_number_of_attributes_is_refused_alike",),
        in_ci=True,
    ),
    core(
        "any budget above 0", "_checks",
        "if not least <= epsilon <= EPSILON_LIMIT:", "if not 0 < epsilon <= EPSILON_LIMIT:",
        ("tests/methods/test_limits.py::test_less_than_the_least_budget_is_refused_alike",),
        in_ci=True,
    ),
    core(
        "weights beyond what exp can hold (MWEM)", "methods/central/mwem",
        "np.exp(logs - logs.max())", "np.exp(logs)",
        ("tests/methods/test_limits.py::test_every_number_is_finite_at_the_least_budget",), in_ci=True,
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
