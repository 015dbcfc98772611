"""Faults in stacking."""

from tests.faults.mutant import core

STACKING = "tests/inference/test_stacking.py"

MUTANTS = (
    core(
        "bits are divided cell by cell", "inference/stacking/thinning",
        "expected = values * p + share * (view.support - values * p - others * q)",
        "expected = values * view.support / view.n",
        (f"{STACKING}::test_bits_divided_by_their_counts_go_together_as_those_of_people",), in_ci=True,
    ),
    core(
        "a fold is not left out", "inference/stacking/weighing",
        "tables = members(aggregate(without(reports, part)), left_out.views)",
        "tables = members(aggregate(reports), left_out.views)",
        (f"{STACKING}::test_members_are_told_nothing_of_the_people_left_out",), in_ci=True,
    ),
    core(
        "the noise of what is left out is forgotten", "inference/stacking/weighing",
        "weight**2 * np.einsum(\"imf,m,jmf->ij\", beside, family.variances, beside)",
        "0 * np.einsum(\"imf,m,jmf->ij\", beside, family.variances, beside)",
        (f"{STACKING}::test_scores_are_those_of_the_true_errors_and_as_noisy_as_they_say",),
    ),
    core(
        "odds that move a class the wrong way", "inference/stacking/classes",
        "found.append(square - mean[:, :, None] * mean[:, None, :])",
        "found.append(square + mean[:, :, None] * mean[:, None, :])",
        (f"{STACKING}::test_steps_of_a_mixture_follow_its_slopes_and_end_where_a_general_optimiser_does",),
    ),
    core(
        "weights that do not sum to one", "inference/stacking/weighing",
        "return np.append(1 - shares.sum(), shares)", "return np.append(1.0, shares)",
        (f"{STACKING}::test_many_attributes_with_one_thing_behind_them_are_answered_better_than_by_calm_plus",),
    ),
)  # fmt: skip
