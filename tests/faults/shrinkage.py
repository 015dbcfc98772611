"""Faults in CALM+."""

from tests.faults.mutant import core

PLUS = ("tests/inference/test_calm_plus.py",)

MUTANTS = (
    core(
        "away from the posterior mode", "inference/shrinkage/fitting",
        "return -unit * np.linalg.solve(system", "return unit * np.linalg.solve(system", PLUS,
    ),
    core(
        "the prior counted twice", "inference/shrinkage/fitting",
        "return (off + (priors[rows] *", "return (off + 2 * (priors[rows] *", PLUS,
    ),
    core(
        "intervals a third too short", "inference/shrinkage/intervals",
        "moves = self.moves.sum(axis=others)", "moves = 0.67 * self.moves.sum(axis=others)", PLUS,
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
        "a noisy interaction kept whole", "inference/shrinkage/priors",
        "kept = GRID / (GRID + noise[:, None])", "kept = GRID / (GRID + 0 * noise[:, None])", PLUS,
    ),
)  # fmt: skip
