"""Faults in Algorithm 1 and covering designs."""

from tests.faults.mutant import core

PLANNING = ("tests/core/test_planning.py",)

MUTANTS = (
    core(
        "Algorithm 1's comparison flipped", "planning",
        "holds = value <= limit if", "holds = value >= limit if", PLANNING,
    ),
    core(
        "noise error of one attribute for all k", "planning",
        "return self.k * noise_error(", "return noise_error(", PLANNING,
    ),
    core(
        "noise error not shared by the l attributes", "planning",
        "* cells / l * d / n", "* cells * d / n", PLANNING,
    ),
    core(
        "sum of the errors instead of the larger", "planning",
        "worst = max(sampling, noise)", "worst = sampling + noise", PLANNING,
    ),
    core(
        "last of equal pairs instead of the first", "planning",
        "if worst < least:\n", "if worst <= least:\n", PLANNING,
    ),
    core(
        "oracles of another size than their views", "plans",
        "if oracle.size != cells:", "if False:", ("tests/core/test_phase_types.py",), in_ci=True,
    ),
    core(
        "a covering that only covers most", "designs/cover",
        "return bool(seen.all())", "return bool(seen.mean() > 0.9)", ("tests/core/test_designs.py", *PLANNING),
    ),
)  # fmt: skip
