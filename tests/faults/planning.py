"""Faults in Algorithm 1 and covering designs."""

from tests.faults.mutant import core

PLANNING = ("tests/planning/test_algorithm1.py",)
FATES = ("tests/planning/test_fates.py::test_each_fate_is_what_the_errors_say",)

MUTANTS = (
    core(
        "Algorithm 1's comparison flipped", "planning/algorithm1",
        "holds = value <= limit if", "holds = value >= limit if", PLANNING,
    ),
    core(
        "noise error of one attribute for all k", "planning/algorithm1",
        "return self.k * noise_error(", "return noise_error(", PLANNING,
    ),
    core(
        "noise error not shared by the l attributes", "planning/algorithm1",
        "* cells / l * d / n", "* cells * d / n", PLANNING,
    ),
    core(
        "sum of the errors instead of the larger", "planning/algorithm1",
        "worst = max(sampling, noise)", "worst = sampling + noise", PLANNING,
    ),
    core(
        "last of equal pairs instead of the first", "planning/algorithm1",
        "if worst < least:\n", "if worst <= least:\n", PLANNING,
    ),
    core(
        "only the plan made for the largest number of people", "planning/survey_design",
        "return (low * STEP**i for i in range(steps + 1))", "return iter([low * STEP**steps])",
        ("tests/planning/test_survey_design.py::test_more_people_or_budget_are_never_expected_to_err_more",),
    ),
    core(
        "the papers' oracle in a survey", "planning/survey_design",
        'RULE = "contrast"', 'RULE = "adaptive"',
        ("tests/planning/test_survey_design.py::test_the_step_between_oracles_is_not_for_the_worse",),
    ),
    core(
        "no allowance for pairs that nobody is asked about", "planning/expected_error",
        "losses.append(theta + UNSEEN_CORRELATION * dims / cells)", "losses.append(theta)",
        ("tests/planning/test_survey_design.py::test_the_allowance_is_for_what_no_view_holds",),
        in_ci=True,
    ),
    core(
        "sampling variance of a share for the others'", "planning/expected_error",
        "(1 - share) / oracle.size", "share / oracle.size",
        ("tests/noise/test_prediction.py::test_sampling_is_predicted_too",),
    ),
    core(
        "oracles of another size than their views", "planning/plan",
        "if oracle.size != cells:", "if False:", ("tests/collection/test_phase_types.py",), in_ci=True,
    ),
    core(
        "a covering that only covers most", "designs/cover",
        "return bool(seen.all())", "return bool(seen.mean() > 0.9)", ("tests/designs/test_designs.py", *PLANNING),
    ),
    core(
        "smaller views blamed for sampling that is the lesser error", "planning/fates",
        "size.sampling_error > size.noise_error", "size.sampling_error < size.noise_error",
        FATES,
    ),
    core(
        "views that hold too few attributes said to need too many groups", "planning/fates",
        "if size.l < k:", "if False:", FATES,
    ),
    core(
        "views of fewer than k attributes as many as those of k", "planning/fates",
        "covering_size(d, l, min(k, l))", "covering_size(d, max(k, l), k)",
        ("calm_core/planning/fates.py",),
    ),
)  # fmt: skip
