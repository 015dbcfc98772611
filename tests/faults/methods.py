"""Faults in the local methods."""

from tests.faults.mutant import core

METHODS = ("tests/core/test_local_methods.py",)

OPTIONS = ("tests/core/test_method_options.py",)

MUTANTS = (
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
        "sign turned round (FT)", "methods/fourier",
        "fractions[:, 0] - fractions[:, 1]", "fractions[:, 1] - fractions[:, 0]", METHODS,
    ),
    core(
        "EM spends epsilon on every attribute", "methods/em",
        "share = self.epsilon / domain.d", "share = self.epsilon", METHODS,
    ),
)  # fmt: skip
