"""Faults in the local methods."""

from tests.faults.mutant import core

METHODS = ("tests/core/test_local_methods.py",)

MUTANTS = (
    core(
        "sign turned round (FT)", "methods/fourier",
        "fractions[:, 0] - fractions[:, 1]", "fractions[:, 1] - fractions[:, 0]", METHODS,
    ),
    core(
        "EM spends epsilon on every attribute", "methods/em",
        "share = self.epsilon / domain.d", "share = self.epsilon", METHODS,
    ),
)  # fmt: skip
