"""Faults in the methods of a trusted curator."""

from tests.faults.mutant import app, core

LEARNING = (
    "tests/core/test_central.py::test_integer_noise_of_learning_hides_what_counts_leave_over",
)
SPLIT = ("tests/core/test_central.py::test_learning_splits_epsilon_with_the_least_noise",)
SAID = "tests/app/test_results_pages.py::test_what_a_curator_guarantees_is_said"
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
    core(
        "whole noise on weighted counts (Learning)", "methods/central/learning",
        "weights[order] * self.noisy(counts, scale, rng=rng)",
        "self.noisy(weights[order] * counts, scale, rng=rng)", LEARNING, in_ci=True,
    ),
    core(
        "epsilon split evenly over the orders (Learning)", "methods/central/learning",
        "roots = [p ** (1 / 3) for p in pull]", "roots = [1.0 for p in pull]", SPLIT, in_ci=True,
    ),
    app(
        "About is silent on neighbours", "about",
        'if trust == "central":', "if False:", (f"{SAID}[about]",), in_ci=True,
    ),
    app(
        "Three worlds are silent on neighbours", "worlds",
        "st.caption(words.CENTRAL_GUARANTEE)", "pass", (f"{SAID}[worlds]",),
    ),
    app(
        "Compare is silent on neighbours", "shared/comparing/request",
        "column.caption(words.CENTRAL_GUARANTEE)", "pass", (f"{SAID}[compare]",), in_ci=True,
    ),
    app(
        "central methods promise epsilon for a replaced record", "shared/words",
        "2 epsilon is guaranteed", "epsilon is guaranteed",
        ("tests/app/test_results_pages.py::test_the_guarantee_names_both_kinds_of_neighbours",),
        in_ci=True,
    ),
)  # fmt: skip
