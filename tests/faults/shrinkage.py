"""Faults in CALM+."""

from tests.faults.mutant import core

PLUS = ("tests/inference/test_calm_plus.py",)

MUTANTS = (
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
        "answers wait for a second core", "inference/shrinkage/answers",
        "    @one_core()\n    def _ask", "    def _ask",
        (f"{PLUS[0]}::test_linear_algebra_keeps_to_one_core",),
    ),
    core(
        "intervals wait for a second core", "inference/shrinkage/answers",
        "    @one_core()\n    def interval", "    def interval",
        (f"{PLUS[0]}::test_linear_algebra_keeps_to_one_core",),
    ),
    core(
        "sure of what nobody reported on", "inference/shrinkage/answers",
        "        if unknown:\n", "        if False:\n",
        ("tests/inference/test_calm_plus.py::test_what_nobody_reported_on_may_be_anything",), in_ci=True,
    ),
    core(
        "strangers for neighbours", "inference/shrinkage/regions",
        "np.argsort(-score)", "np.argsort(score)", PLUS,
    ),
    core(
        "a noisy interaction kept whole", "inference/shrinkage/mixtures",
        "kept = GRID / (GRID + seen.noise[:, None])",
        "kept = GRID / (GRID + 0 * seen.noise[:, None])", PLUS,
    ),
    core(
        "a prior is never loosened", "inference/shrinkage/learning",
        "if loosenings and tight.any():", "if False:",
        (f"{PLUS[0]}::test_a_prior_that_the_reports_contradict_is_loosened",), in_ci=True,
    ),
    core(
        "the prior counted twice in how strong interactions are", "inference/shrinkage/cavities",
        "seen = Evidence(off[:, 0], (off**2).sum(axis=1), spread / share, dims)",
        "seen = Evidence(off[:, 0], (off**2).sum(axis=1), spread, dims)",
        (f"{PLUS[0]}::test_cavities_agree_with_leaving_the_prior_out",),
    ),
    core(
        "interactions have nothing in common", "inference/shrinkage/fitting",
        "system -= targets.lift.transpose(0, 2, 1) @ targets.lift", "pass",
        (f"{PLUS[0]}::test_modes_agree_with_a_general_optimiser",),
    ),
    core(
        "the centre forgets the mean correlation", "inference/shrinkage/centres",
        "common += weight * (apart", "common += 0 * weight * (apart",
        (f"{PLUS[0]}::test_the_centre_of_strong_pairs_exists_and_is_met",), in_ci=True,
    ),
)  # fmt: skip
