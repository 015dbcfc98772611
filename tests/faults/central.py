"""Faults in the methods of a trusted curator."""

from tests.faults.mutant import core

CENTRAL = ("tests/core/test_central.py::test_noise_covers_what_one_user_changes",)

MUTANTS = (
    core(
        "noise of one view for all of them (PriView)", "methods/central/priview",
        "scales = [plan.m / self.epsilon]", "scales = [1 / self.epsilon]", CENTRAL,
    ),
    core(
        "noise of one marginal for all of them (Direct)", "methods/central/direct",
        "scale = len(sets) / self.epsilon", "scale = 1 / self.epsilon", CENTRAL,
    ),
)  # fmt: skip
