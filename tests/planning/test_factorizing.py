"""The matrix of workload factorization against dense algebra, outcome by outcome."""

import math
from itertools import combinations

import numpy as np
import pytest

import calm_core as cc
from calm_core.planning.workload import (
    Strategy,
    descend,
    factorize,
    k_way_workload,
    project,
    variance,
)
from calm_core.runtime.cancellation import cancellable

SHAPES = [((2, 3, 2), 2), ((3, 4), 1), ((2, 1, 2, 2), 3), ((5, 3), 2)]


def queries(sizes: tuple[int, ...], k: int) -> np.ndarray:
    """All k-way tables as rows over the cells: the W of the paper."""
    cells = np.indices(sizes).reshape(len(sizes), -1)
    rows = []
    for at in combinations(range(len(sizes)), k):
        held = np.ravel_multi_index(cells[list(at)], [sizes[i] for i in at])
        rows += [held == value for value in range(held.max() + 1)]
    return np.array(rows, dtype=float)


def random_rows(
    sizes: tuple[int, ...], epsilon: float, seed: int = 1, count: int = 4
) -> np.ndarray:
    rows = np.random.default_rng(seed).random((count, math.prod(sizes)))
    least = np.full(count, (1 + math.exp(-epsilon)) / (2 * rows.size))
    return project(rows / rows.sum(), least, math.exp(epsilon))


def dense(sizes: tuple[int, ...], rows: np.ndarray) -> np.ndarray:
    """The matrix Q, one output after the other."""
    cells = list(np.ndindex(*sizes))
    number = {cell: i for i, cell in enumerate(cells)}
    return np.array([
        [row[number[tuple((a - b) % c for a, b, c in zip(x, y, sizes))]] for x in cells]
        for row in rows for y in cells
    ])  # fmt: skip


@pytest.mark.parametrize(("sizes", "k"), SHAPES)
def test_what_is_made_small_is_the_papers_and_slopes_are_those_of_small_steps(sizes, k):
    load, rows, asked = k_way_workload(sizes, k), random_rows(sizes, 1.2), queries(sizes, k)
    q = dense(sizes, rows)
    inner = q.T @ np.diag(1 / q.sum(axis=1)) @ q
    whole = np.trace(np.linalg.pinv(inner) @ asked.T @ asked)
    tables = math.comb(len(sizes), k)
    found, slopes = variance(load, rows)
    # Of the total nothing is to be learned.
    known = np.mean([1 / math.prod(part) for part in combinations(sizes, k)])
    assert found + known == pytest.approx(whole / math.prod(sizes) / tables)
    for j, x in [(0, 0), (1, 3), (3, math.prod(sizes) - 1)]:
        moved = np.zeros_like(rows)
        moved[j, x] = 1e-6
        step = (variance(load, rows + moved)[0] - variance(load, rows - moved)[0]) / 2e-6
        assert slopes[j, x] == pytest.approx(step, rel=1e-5)


def test_a_projection_is_the_nearest_that_is_allowed(rng):
    import cvxpy

    rows, least = rng.normal(size=(3, 6)) / 6, np.array([0.01, 0.03, 0.05])
    wanted = cvxpy.Variable(rows.shape)
    low = np.repeat(least, 6).reshape(3, 6)
    cvxpy.Problem(
        cvxpy.Minimize(cvxpy.sum_squares(wanted - rows)),
        [cvxpy.sum(wanted) == 1, wanted >= low, wanted <= 2.5 * low],
    ).solve()
    assert project(rows, least, 2.5) == pytest.approx(wanted.value, abs=1e-5)


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 3.0, 16.0])
@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (2, 3, 4), (1, 1), (7,)])
def test_every_outcome_is_private_and_every_column_a_distribution(sizes, epsilon):
    made = factorize(sizes, 1 if len(sizes) == 1 else 2, epsilon)
    matrix = made.matrix
    assert np.array_equal(matrix, dense(sizes, made.rows))
    assert matrix.sum(axis=0) == pytest.approx(np.ones(math.prod(sizes)), abs=1e-12)
    for chances, slack in ((matrix, 1e-12), (matrix.astype(np.float32).astype(float), 1e-6)):
        assert chances.min() > 0
        assert (chances.max(axis=1) <= math.exp(epsilon) * (1 + slack) * chances.min(axis=1)).all()


@pytest.mark.parametrize(("sizes", "k"), SHAPES)
def test_the_descent_keeps_the_rules_and_never_climbs(sizes, k):
    load, rows = k_way_workload(sizes, k), random_rows(sizes, 1.0)
    before = variance(load, rows)[0]
    found = descend(load, rows, 1.0)
    Strategy(sizes, k, 1.0, found)
    assert variance(load, found)[0] < 0.9 * before
    made = factorize(sizes, k, 1.0)
    best = variance(load, made.rows)[0]
    assert variance(load, descend(load, made.rows, 1.0))[0] <= best * (1 + 1e-12)
    assert best <= variance(load, found)[0] * (1 + 1e-4)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_it_is_never_worse_than_the_methods_it_contains(epsilon):
    sizes, n = (2,) * 5, 10**9
    domain = cc.Domain(tuple("abcde"), sizes)
    for k in (1, 2, 3):
        own = cc.METHODS["factor"](epsilon=epsilon, k=k)
        asked = list(combinations(domain.names, k))
        mine = np.mean([own.analytical_sse(domain, n, query) for query in asked])
        for name in ("fc", "am", "ft"):
            for oracle in ("grr", "subset"):
                other = cc.make_method(name, epsilon=epsilon, k=k, oracle=oracle)
                theirs = np.mean([other.analytical_sse(domain, n, query) for query in asked])
                assert mine <= 1.002 * theirs, (k, name, oracle)


def test_the_answer_is_the_papers_and_its_error_is_foretold(rng):
    sizes, k = (2, 3, 2, 1), 2
    made, asked = factorize(sizes, k, 1.0), queries(sizes, k)
    q = made.matrix
    weighted = q.T / q.sum(axis=1)
    rebuild = asked @ np.linalg.pinv(weighted @ q) @ weighted
    counts = rng.integers(0, 50, size=made.rows.shape)
    found = asked @ made.cells(counts)
    assert found == pytest.approx(rebuild @ counts.ravel() / counts.sum())
    # Unbiased, and the same error whoever the people are.
    assert rebuild @ q == pytest.approx(asked, abs=1e-9)
    for people in (np.eye(12)[3], rng.dirichlet(np.ones(12))):
        spread = np.diag(q @ people) - (q * people) @ q.T
        noise, first = np.diag(rebuild @ spread @ rebuild.T), 0
        for at in combinations(range(4), k):
            cells = math.prod(sizes[i] for i in at)
            assert made.error(at) == pytest.approx(noise[first : first + cells].sum())
            first += cells


def test_the_same_matrix_is_made_again_and_can_be_left():
    made = factorize((2, 2, 3), 2, 0.8)
    assert np.array_equal(factorize.__wrapped__((2, 2, 3), 2, 0.8).rows, made.rows)
    asked = []
    with cancellable(lambda: asked.append(1)):
        factorize.__wrapped__((2,) * 6, 2, 0.8)
    assert len(asked) >= 50
