"""Reconstruction: the optimum against a convex solver, and constraints that cannot be met."""

import itertools
import os

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from calm_core.errors import InfeasibleError, InputError
from calm_core.inference.reconstruction import maxent
from calm_core.inference.reconstruction.answers import TOLERANCE, answer_queries, reconstruct
from calm_core.inference.reconstruction.maxent import compile_ipf
from calm_core.inference.reconstruction.patterns import ViewIndex, maximal_masks, pattern_of
from calm_core.runtime.processes import limit_blas_threads
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, is_distribution
from tests.reference.cvxpy_entropy import solve_max_entropy

# All 200 in the long run; a sample of them otherwise.
CASES = 200 if os.environ.get("CALM_ALL_CASES") else 40


def random_case(seed: int):
    """A feasible case: projections of a random table, every fourth with empty cells, k up to 8."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 9))
    most = 4 if k <= 4 else 3 if k <= 6 else 2
    sizes = tuple(int(c) for c in rng.integers(2, most + 1, size=k))
    names = tuple("abcdefgh"[:k])
    truth = rng.dirichlet(np.full(np.prod(sizes), rng.choice([0.5, 1.0, 5.0]))).reshape(sizes)
    if seed % 4 == 3:
        truth = np.where(rng.random(sizes) < 0.5, truth, 0.0)
        truth.flat[0] += 0.1
    whole = Marginal(Domain(names, sizes), truth / truth.sum())
    sets = {
        tuple(sorted(rng.choice(names, size=rng.integers(1, min(k, 5)), replace=False).tolist()))
        for _ in range(rng.integers(1, 2 * k + 1))
    }
    return whole, [whole.project(attrs) for attrs in sorted(sets)]


@pytest.mark.slow
def test_equals_the_convex_solver():
    for seed in range(CASES):
        whole, constraints = random_case(seed)
        table, note = reconstruct(whole.domain, constraints, whole.attrs)
        exact = solve_max_entropy(whole.attrs, whole.domain.sizes, constraints)
        assert note.converged and note.violation <= TOLERANCE, seed
        np.testing.assert_allclose(
            table.values.ravel(), exact, rtol=0, atol=1e-6, err_msg=str(seed)
        )


def test_three_ways_to_the_same_table():
    for seed in range(12):
        whole, constraints = random_case(seed)
        names = whole.attrs
        masks = {sum(1 << names.index(a) for a in c.attrs): c.values.ravel() for c in constraints}
        kept = maximal_masks(list(masks))
        pattern = pattern_of(whole.domain.sizes, kept)
        targets = np.concatenate([masks[mask] for mask in kept])[None]
        plain = maxent.fit_ipf_numpy(pattern, targets, 1e-9)
        fast = maxent.fit_ipf_compiled(pattern, targets, 1e-9)
        dual = maxent.fit_relaxed(pattern, targets, 1e-9)
        np.testing.assert_allclose(fast.tables, plain.tables, rtol=0, atol=1e-14, err_msg=str(seed))
        assert fast.iterations == plain.iterations, seed
        np.testing.assert_allclose(dual.tables, plain.tables, rtol=0, atol=1e-6, err_msg=str(seed))


def test_what_ran_before_does_not_change_a_digit(rng):
    # Sums of 8 and more cells: numpy adds those in another order than the compiled code.
    domain = Domain(tuple("abcd"), (2, 3, 9, 11))
    whole = Marginal(domain, rng.dirichlet(np.ones(594)).reshape(domain.sizes))
    pairs = [whole.project(pair) for pair in itertools.combinations(domain.names, 2)]
    triples = list(itertools.combinations(range(domain.d), 3))

    def answers(batch) -> list[bytes]:
        questions = answer_queries(ViewIndex(domain, pairs), batch)
        return [question.values.tobytes() for question in questions]

    # As in a process that has only just started.
    compile_ipf.cache_clear()
    alone = [answers([triple])[0] for triple in triples]
    compile_ipf()
    assert [answers([triple])[0] for triple in triples] == alone
    assert answers(triples) == alone


def pairs_of(correlations) -> tuple[Domain, list[Marginal]]:
    """Three attributes with even one-way tables and the given pairwise correlations."""
    domain = Domain(("a", "b", "c"), (2, 2, 2))
    tables = []
    for pair, rho in zip(itertools.combinations(domain.names, 2), correlations):
        same, other = (1 + rho) / 4, (1 - rho) / 4
        tables.append(Marginal(domain.project(pair), [[same, other], [other, same]]))
    return domain, tables


@pytest.mark.parametrize("method", ["maxent", "lp", "clp", "cln"])
@pytest.mark.parametrize("correlations", [(-0.9, -0.9, -0.9), (-1, -1, -1), (1.04, 0.9, 0.9)])
def test_constraints_that_no_table_meets(correlations, method):
    domain, tables = pairs_of(correlations)
    answer, note = reconstruct(domain, tables, domain.names, method)
    assert is_distribution(answer, tol=1e-15 if method == "maxent" else 1e-9)
    assert method != "maxent" or answer.values.min() >= 0
    assert not note.converged and note.violation > 1e-3
    # By symmetry the nearest tables treat the attributes alike.
    if method == "maxent" and correlations[0] == correlations[1]:
        values = answer.values
        np.testing.assert_allclose(values, values.transpose(2, 0, 1), atol=1e-6)
        assert values[0, 0, 0] < 1e-3


def test_slow_iterative_fitting_is_taken_over_by_newton():
    domain, tables = pairs_of((0.99, 0.99, 0.9802))
    table, note = reconstruct(domain, tables, domain.names)
    assert note.converged
    for wanted in tables:
        np.testing.assert_allclose(table.project(wanted.attrs).values, wanted.values, atol=1e-7)


def test_no_view_touches_the_question():
    domain = Domain(("sex", "age", "job"), (2, 3, 2))
    age = Marginal(domain.project(("age",)), [0.5, 0.3, 0.2])
    table, note = reconstruct(domain, [age], ("sex", "job"))
    np.testing.assert_allclose(table.values, 0.25)
    assert note.constraints == () and note.views == () and note.converged


def test_covered_question_is_summed(rng):
    domain = Domain(("a", "b", "c"), (2, 3, 2))
    whole = Marginal(domain, rng.dirichlet(np.ones(12)).reshape(2, 3, 2))
    table, note = reconstruct(domain, [whole], ("c", "a"))
    np.testing.assert_allclose(table.values, whole.values.sum(axis=1), atol=1e-15)
    assert note.covered and note.method == "sum" and note.views == (("a", "b", "c"),)


@pytest.mark.parametrize("method", ["lp", "clp", "cln"])
def test_alternatives_meet_feasible_constraints(method):
    whole, constraints = random_case(3)
    table, note = reconstruct(whole.domain, constraints, whole.attrs, method)
    assert note.converged
    for wanted in constraints:
        np.testing.assert_allclose(table.project(wanted.attrs).values, wanted.values, atol=1e-6)


def test_least_norm_is_the_least():
    whole, constraints = random_case(3)
    norms = {
        method: (reconstruct(whole.domain, constraints, whole.attrs, method)[0].values ** 2).sum()
        for method in ("maxent", "clp", "cln")
    }
    assert norms["cln"] <= min(norms.values()) + 1e-8
    assert norms["cln"] < norms["maxent"] - 1e-6


def test_linear_programme_balances_views_that_disagree():
    domain = Domain(("a", "b"), (2, 2))
    claims = [Marginal(domain.project(("a",)), values) for values in ([0.3, 0.7], [0.6, 0.6])]
    table, note = reconstruct(domain, claims, ("a", "b"), "lp")
    np.testing.assert_allclose(table.project(("a",)).values, [0.4, 0.6], atol=1e-9)
    assert note.violation == pytest.approx(0.1)


def test_wrong_questions_are_refused():
    domain = Domain(tuple("abcdefghijklmnopqrstuvwxyz"), (2,) * 26)
    view = [Marginal(domain.project(("a",)), [0.5, 0.5])]
    with pytest.raises(InputError, match="at least one"):
        reconstruct(domain, view, ())
    with pytest.raises(InputError, match="not in the data"):
        reconstruct(domain, view, ("A",))
    with pytest.raises(InfeasibleError, match="67,108,864 cells"):
        reconstruct(domain, view, domain.names)
    wide = Domain(tuple(f"x{i}" for i in range(70)), (1,) * 70)
    with pytest.raises(InfeasibleError, match="70 attributes is more than the limit of 62"):
        reconstruct(wide, [Marginal(wide.project(("x3",)), [1.0])], wide.names)
    with pytest.raises(InputError, match="must be one of maxent, lp, clp, cln"):
        reconstruct(domain, view, ("a",), "entropy")


def test_one_core_is_restored_by_the_last_to_leave():
    def threads():
        return [library.num_threads for library in ThreadpoolController().lib_controllers]

    before = threads()
    first, second = limit_blas_threads(), limit_blas_threads()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(threads()) - {1} <= set(before) and 1 in threads()
    second.__exit__(None, None, None)
    assert threads() == before


@pytest.mark.parametrize("concentration, most_steps", [(0.3, 20), (0.1, 35)])
def test_dual_needs_few_steps_on_skewed_tables(concentration, most_steps, rng):
    pattern = pattern_of((2, 3, 2, 2), (0b0011, 0b0110, 0b1100, 0b1001))
    tables = rng.dirichlet(np.full(24, concentration), size=6) * (1 - 1e-6) + 1e-6 / 24
    fit = maxent.fit_relaxed(pattern, pattern.sums(tables), 1e-9)
    assert (fit.violations <= 1e-9).all() and (fit.iterations <= most_steps).all()


def test_dual_keeps_cells_that_must_be_empty_at_exactly_zero(rng):
    pattern = pattern_of((2, 3, 2), (0b011, 0b110))
    table = rng.dirichlet(np.ones(12)).reshape(2, 3, 2)
    table[1, 2, :] = 0.0
    fit = maxent.fit_relaxed(pattern, pattern.sums(table.reshape(1, 12) / table.sum()), 1e-9)
    np.testing.assert_array_equal(fit.tables.reshape(2, 3, 2)[1, 2], 0.0)
    assert fit.violations[0] <= 1e-9


def test_many_coefficients_go_by_conjugate_gradients(rng, monkeypatch):
    pattern = pattern_of((2, 3, 2, 2), (0b0011, 0b0110, 0b1100, 0b1001))
    targets = pattern.sums(rng.dirichlet(np.ones(24), size=3))
    exact = maxent.fit_relaxed(pattern, targets, 1e-9)
    monkeypatch.setattr(maxent, "DENSE_WORK", 0)
    truncated = maxent.fit_relaxed(pattern, targets, 1e-9)
    np.testing.assert_allclose(truncated.tables, exact.tables, rtol=0, atol=1e-7)


def test_a_table_is_fitted_the_same_whoever_is_fitted_beside_it(rng, monkeypatch):
    pattern = pattern_of((2, 3, 2), (0b011, 0b101, 0b110))
    # Of noise: constraints that no table meets, negative ones, and so steps that differ from table to table.
    targets = pattern.sums(rng.dirichlet(np.full(12, 0.2), size=30))
    targets += rng.normal(scale=0.05, size=targets.shape) * (rng.random((30, 1)) < 0.7)
    together = maxent.fit_relaxed(pattern, targets, 1e-9)
    alone = [maxent.fit_relaxed(pattern, target[None], 1e-9) for target in targets]
    monkeypatch.setattr(maxent, "DUAL_NUMBERS", 7 * 12 * len(pattern.known_coefficients))
    by_sevens = maxent.fit_relaxed(pattern, targets, 1e-9)
    assert len(set(together.iterations)) > 3
    np.testing.assert_array_equal(together.tables, np.concatenate([fit.tables for fit in alone]))
    np.testing.assert_array_equal(together.tables, by_sevens.tables)
    np.testing.assert_array_equal(together.iterations, by_sevens.iterations)
