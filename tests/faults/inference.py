"""Faults in consistency, non-negativity, reconstruction and error measures."""

from tests.faults.mutant import Mutant, core

CONSISTENCY = ("tests/inference/test_consistency.py",)
NONNEGATIVITY = ("tests/inference/test_nonnegativity.py",)
RECONSTRUCTION = ("tests/inference/test_reconstruction.py",)

MUTANTS = (
    Mutant(
        "a deadline for every example", "tests/conftest.py",
        "derandomize=True, deadline=None)", "derandomize=True)",
        ("tests/test_architecture.py::test_no_profile_of_examples_has_a_deadline",),
    ),
    core(
        "axes swapped in consistency", "inference/averaging",
        "digits[tuple(sizes[i] for i in views[index])][axis]",
        "digits[tuple(sizes[i] for i in views[index])][-1 - axis]", CONSISTENCY,
    ),
    core(
        "wrong weights in consistency", "inference/averaging",
        "precision[self.structure.owner] / self.structure.scale**2",
        "precision[self.structure.owner] * self.structure.scale**2", CONSISTENCY,
    ),
    core(
        "total not fixed", "inference/averaging",
        "shared[0] = 1.0", "shared[0] += 0.0", CONSISTENCY,
    ),
    core(
        "consistency that changes nothing", "inference/averaging",
        "self._move(shared[s.block] / s.scale, inverse=True)",
        "self._move(own / s.scale, inverse=True)", CONSISTENCY,
    ),
    core(
        "ends on non-negativity", "inference/consistency",
        '        cells = averager.average(cells)\n        yield f"consistent {i}"',
        '        yield f"consistent {i}"', CONSISTENCY,
    ),
    core(
        "every cell a neighbour in ripple", "inference/nonnegativity",
        "neighbours = sum(tables.shape[axis] - 1 for axis in axes)",
        "neighbours = cells - 1", NONNEGATIVITY,
    ),
    core(
        "ripple gives back to the cell itself", "inference/nonnegativity",
        "keepdims=True) - lacking", "keepdims=True)", NONNEGATIVITY,
    ),
    core(
        "ripple along one attribute only", "inference/nonnegativity",
        "        for axis in axes:\n            part +=", "        for axis in axes[:1]:\n            part +=",
        NONNEGATIVITY,
    ),
    core(
        "norm-sub keeps one cell too few", "inference/nonnegativity",
        "constants, kept - 1, axis=1", "constants, np.maximum(kept - 2, 0), axis=1", NONNEGATIVITY,
    ),
    core(
        "IPF skips a constraint (compiled)", "inference/reconstruction/compiled",
        "for j in range(maps.shape[0]):", "for j in range(1, maps.shape[0]):", RECONSTRUCTION,
    ),
    core(
        "what ran before decides what is compiled", "inference/reconstruction/maxent",
        "compiled = pattern.cells * len(pattern.masks) <= COMPILED_INDICES",
        "compiled = compiled_ipf.cache_info().currsize > 0",
        ("tests/inference/test_reconstruction.py::test_what_ran_before_does_not_change_a_digit",),
    ),
    core(
        "IPF skips a constraint (numpy)", "inference/reconstruction/maxent",
        "for part, out in zip(parts, axes):", "for part, out in zip(parts[1:], axes[1:]):",
        RECONSTRUCTION,
    ),
    core(
        "small constraints kept, large ones dropped", "inference/reconstruction/patterns",
        "mask & larger == mask for larger", "mask & larger == larger for larger", RECONSTRUCTION,
    ),
    core(
        "Newton's matrix without the mean (dual)", "inference/reconstruction/maxent",
        "hessian -= mean[:, :, None] * mean[:, None]", "pass", RECONSTRUCTION,
    ),
    Mutant(
        "a reference as rough as its solver", "tests/reference/cvxpy_entropy.py",
        "polish(matrix, wanted, -sums.dual_value)", "table.value",
        ("tests/inference/test_reconstruction.py::test_the_reference_does_not_rest_on_its_solver",),
        in_ci=True,
    ),
    core(
        "cells that must be empty left open (dual)", "inference/reconstruction/maxent",
        "return ~closed", "return np.ones_like(closed)", RECONSTRUCTION,
    ),
    core(
        "blocks of a smaller table not rescaled (dual)", "inference/reconstruction/patterns",
        "math.sqrt(self.cells / math.prod(shape))", "math.sqrt(math.prod(shape) / self.cells)",
        RECONSTRUCTION,
    ),
    core(
        "bits of a question read backwards", "inference/reconstruction/patterns",
        "size if mask >> i & 1 else 1 for i, size",
        "size if mask >> (len(self.sizes) - 1 - i) & 1 else 1 for i, size", RECONSTRUCTION,
    ),
    core(
        "always says that it converged", "inference/reconstruction/answers",
        "converged=bool(self.violation <= TOLERANCE)", "converged=True", RECONSTRUCTION,
    ),
    core(
        "highest and lowest claim confused (LP)", "inference/reconstruction/linear",
        "b_ub=np.r_[low, -high]", "b_ub=np.r_[high, -low]", RECONSTRUCTION,
    ),
    core(
        "keys of coefficients overflow", "inference/averaging",
        "if bound > 2**62 // size:", "if False:", CONSISTENCY,
    ),
    core(
        "a view without reports has a say", "inference/averaging",
        "(precision > 0).astype(float)", "(precision >= 0).astype(float)", CONSISTENCY,
    ),
    core(
        "empty cells are far from a middle", "evaluation/metrics", "out=np.ones(tables.shape), where=there", "out=np.full(tables.shape, np.inf), where=there",
        ("tests/evaluation/test_metrics.py::test_jensen_shannon_of_disjoint_tables_is_ln_2",),
    ),
    core(
        "small cells are as far as larger ones", "evaluation/metrics", "np.log(ratio)", "np.log1p(ratio - 1)",
        ("tests/evaluation/test_metrics.py::test_jensen_shannon_keeps_cells_as_small_as_can_be_and_empty_ones",),
    ),
    core(
        "mean instead of sum of squared errors", "evaluation/metrics",
        "((truths - answers) ** 2).sum(axis=1)", "((truths - answers) ** 2).mean(axis=1)", ("tests/evaluation/test_metrics.py",),
    ),
)  # fmt: skip
