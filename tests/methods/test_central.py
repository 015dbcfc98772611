"""Methods of a trusted curator: published numbers, expected against measured error, refusals."""

import math

import numpy as np
import pytest

import calm_core as cc
from calm_core.methods.central.base import TablesAnswer
from calm_core.methods.central.learning import conjunction_polynomial
from calm_core.methods.central.matrix import best_strategy


@pytest.fixture(scope="module")
def binary():
    """Six correlated yes/no attributes of 20,000 users."""
    rng = np.random.default_rng(11)
    hidden = rng.random((20_000, 1)) < 0.3
    codes = (rng.random((20_000, 6)) < np.where(hidden, 0.7, 0.2)).astype(int)
    return cc.Dataset.from_codes(codes, cc.Domain(tuple("abcdef"), (2,) * 6))


@pytest.fixture(scope="module")
def mixed():
    """Four attributes with 2, 3, 5 and 2 values of 5,000 users."""
    rng = np.random.default_rng(12)
    sizes = (2, 3, 5, 2)
    codes = np.stack([rng.integers(0, c, 5_000) for c in sizes], axis=1)
    return cc.Dataset.from_codes(codes, cc.Domain(tuple("abcd"), sizes))


def measured_sse(method, dataset, repetitions, seed=5):
    """SSE of each repetition, averaged over all k-way queries."""
    queries = cc.choose_queries(dataset.domain, method.k, 10**6, rng=np.random.default_rng(0))
    truths = [dataset.marginal(query) for query in queries]
    rng = np.random.default_rng(seed)
    errors = []
    for _ in range(repetitions):
        answers = method.release(dataset, rng=rng).marginals(queries)
        errors.append(np.mean([cc.sse(t, a) for t, a in zip(truths, answers)]))
    return np.array(errors)


@pytest.mark.parametrize("name", ["priview", "flat", "direct", "datacube", "matrix", "mwem"])
def test_mixed_domains_work(name, mixed):
    answer = cc.METHODS[name](epsilon=1.0, k=2).release(mixed, rng=np.random.default_rng(1))
    assert answer.marginal(("b", "c")).values.shape == (3, 5)
    assert cc.sse(mixed.marginal(("b", "c")), answer.marginal(("b", "c"))) < 0.01


@pytest.mark.parametrize("name", ["fourier", "fourier_lp", "learning"])
def test_binary_methods_refuse_other_attributes(name, mixed):
    with pytest.raises(cc.InputError, match="yes/no attributes, but 'b' has 3 values"):
        cc.METHODS[name](epsilon=1.0, k=2).release(mixed, rng=np.random.default_rng(1))


@pytest.mark.parametrize(
    ("name", "neighbors"),
    [
        *((name, "add-remove") for name in ("flat", "direct", "fourier", "matrix", "priview")),
        ("flat", "replace"),
    ],
)
def test_expected_error_is_the_measured_one(name, neighbors, binary):
    # Within 4 standard errors of 120 repetitions: a false alarm in about 1 of 16,000 runs a method.
    # The standard error is below 5% for each, so 30% more or less noise (70% in variance) shows.
    options = {"view_size": 5, "t": 3} if name == "priview" else {}
    method = cc.METHODS[name](
        epsilon=0.5, k=3, nonnegativity="none", neighbors=neighbors, **options
    )
    errors = measured_sse(method, binary, 120)
    queries = cc.choose_queries(binary.domain, 3, 100, rng=np.random.default_rng(0))
    expected = np.mean([method.analytical_sse(binary.domain, binary.n, q) for q in queries])
    standard_error = errors.std(ddof=1) / math.sqrt(len(errors))
    assert standard_error < 0.05 * expected
    assert abs(errors.mean() - expected) < 4 * standard_error


def test_published_formulas(binary):
    domain, n = binary.domain, binary.n
    unit = 2 / 0.5**2 / n**2
    expected = {"flat": 2**6, "direct": 2**3 * 20**2, "fourier": (1 + 6 + 15 + 20) ** 2}
    for name, units in expected.items():
        method = cc.METHODS[name](epsilon=0.5, k=3)
        assert method.analytical_sse(domain, n, ("a", "b", "e")) == pytest.approx(units * unit)
        # Doubled noise has four times the variance.
        method = cc.METHODS[name](epsilon=0.5, k=3, neighbors="replace")
        assert method.analytical_sse(domain, n, ("a", "b", "e")) == pytest.approx(4 * units * unit)


@pytest.mark.parametrize("name", ["flat", "direct", "fourier", "matrix", "priview"])
def test_nothing_is_expected_of_noise_that_is_not_there(name, binary):
    method = cc.METHODS[name](epsilon=0.5, k=2, noise="none")
    # Next to nothing instead of nothing where weights are its inverse.
    assert method.analytical_sse(binary.domain, binary.n, ("a", "b")) < 1e-200


def test_formulas_tell_of_what_cannot_be_released(mixed):
    wide = cc.Domain(tuple(f"a{i}" for i in range(45)), (2,) * 45)
    flat = cc.METHODS["flat"](epsilon=0.5, k=6)
    assert flat.analytical_sse(wide, 1000, wide.names[:6]) == 2.0**45 * 8 / 1000**2
    fourier = cc.METHODS["fourier"](epsilon=0.5, k=2)
    assert fourier.analytical_sse(mixed.domain, 1000, ("a", "b")) is None


def test_the_error_rule_makes_the_papers_choices():
    binary32 = cc.Domain(tuple(f"a{i}" for i in range(32)), (2,) * 32)
    plan = cc.METHODS["priview"](epsilon=1.0, k=3).plan(binary32, 900_000)
    assert (plan.t, plan.m) == (3, 106)
    plan = cc.METHODS["priview"](epsilon=0.1, k=3).plan(binary32, 900_000)
    assert (plan.t, plan.m) == (2, 20)


def test_fourier_lp_is_a_distribution_with_near_coefficients(binary):
    rng = np.random.default_rng(1)
    answer = cc.METHODS["fourier_lp"](epsilon=1.0, k=2).release(binary, rng=rng)
    table = answer.marginal(binary.domain.names)
    assert table.values.min() >= 0
    assert table.values.sum() == pytest.approx(1, abs=0.02)
    noiseless = cc.METHODS["fourier_lp"](epsilon=1.0, k=2, noise="none").release(binary, rng=rng)
    assert cc.sse(binary.marginal(("a", "f")), noiseless.marginal(("a", "f"))) < 1e-12


def test_the_matrix_strategy_is_never_worse_than_flat():
    for sizes, k in [((2,) * 6, 2), ((2,) * 9, 4), ((2, 3, 5, 2), 2)]:
        _, error = best_strategy(sizes, k)
        assert error <= math.prod(sizes)
        direct = min(sizes) ** k * math.comb(len(sizes), k) ** 2
        assert error <= direct


def test_matrix_error_by_plain_linear_algebra():
    # The strategy as a matrix of weighted marginal queries on 2 x 3 cells, least squares, n known.
    sizes, k = (2, 3), 1
    weights, error = best_strategy(sizes, k)
    cells = np.indices(sizes).reshape(2, -1)
    rows = {(1, 0): cells[0], (0, 1): cells[1], (1, 1): np.arange(6)}
    strategy = [
        weights[chosen] * (group == value)
        for chosen, group in rows.items()
        for value in np.unique(group)
        if weights[chosen] > 0
    ]
    strategy = np.array(strategy, dtype=float)
    workload = np.array([g == v for g in (cells[0], cells[1]) for v in np.unique(g)], dtype=float)
    known = np.eye(6) - 1 / 6
    inverse = np.linalg.pinv(known @ strategy.T @ strategy @ known)
    plain = np.trace(workload @ inverse @ workload.T) * weights.sum() ** 2 / 2
    assert error == pytest.approx(plain, rel=1e-6)


def test_polynomials_keep_their_promise():
    for k in range(1, 9):
        for gamma in (0.5, 0.25, 0.125):
            a = conjunction_polynomial(k, gamma)
            p = [sum(c * math.comb(s, r) for r, c in enumerate(a)) for s in range(k + 1)]
            assert p[0] == pytest.approx(1)
            assert max(abs(x) for x in p[1:]) <= gamma + 1e-6
            lower = conjunction_polynomial(k, 0.9)
            assert len(lower) <= len(a)


def test_learning_without_noise_errs_at_most_gamma(binary):
    method = cc.METHODS["learning"](epsilon=1.0, k=4, gamma=0.25, noise="none")
    answer = method.release(binary, rng=np.random.default_rng(1))
    gap = answer.marginal(tuple("abcd")).values - binary.marginal(tuple("abcd")).values
    assert 0.01 < np.abs(gap).max() <= 0.25


def test_mwem_without_noise_learns_the_marginals(binary):
    method = cc.METHODS["mwem"](epsilon=1.0, k=2, noise="none", turns=20)
    answer = method.release(binary, rng=np.random.default_rng(1))
    assert cc.sse(binary.marginal(("a", "b")), answer.marginal(("a", "b"))) < 1e-4


def test_mwem_is_a_distribution_under_noise_of_thousands_of_times_the_users(rng):
    # Three users, noise of scale 8,000: weights of e^1000 and more.
    data = cc.Dataset.from_codes([[0, 2], [1, 0], [1, 1]], cc.Domain(("sex", "age"), (2, 3)))
    answer = cc.METHODS["mwem"](epsilon=0.01, k=2, turns=40).release(data, rng=rng)
    cells = answer.marginal(("sex", "age")).values
    assert cells.min() >= 0 and cells.sum() == pytest.approx(1, abs=1e-9)


def test_a_total_below_nothing_becomes_one(binary):
    # PriView's own way: clip, spread the difference; the total is the published number of users.
    noisy = cc.Marginal(binary.domain.project(("a", "b")), [[-0.9, 0.2], [0.1, -0.2]])
    answer = TablesAnswer(binary.domain, (noisy,), "global")
    # To a total of 1 each cell gets 0.45; then 0.45 are missing, 0.15 from each positive cell.
    assert np.allclose(answer.marginal(("a", "b")).values, [[0.0, 0.5], [0.4, 0.1]])
    assert np.allclose(answer.marginal(("b",)).values, [0.1, 0.9])


def test_no_noise_is_the_truth_for_unbiased_methods(binary):
    for name in ("flat", "direct", "fourier", "datacube", "matrix"):
        answer = cc.METHODS[name](epsilon=1.0, k=2, noise="none").release(
            binary, rng=np.random.default_rng(1)
        )
        assert cc.sse(binary.marginal(("b", "d")), answer.marginal(("b", "d"))) < 1e-12


@pytest.mark.parametrize("noise", ["laplace", "none"])
def test_noise_is_refused_for_what_is_no_count(noise, rng):
    method = cc.METHODS["flat"](epsilon=1.0, k=1, noise=noise)
    with pytest.raises(TypeError, match="whole counts"):
        method.add_noise(np.array([1.5, 2.0]), 1.0, rng=rng)


def test_learning_splits_epsilon_with_the_least_noise():
    method = cc.METHODS["learning"](epsilon=0.7, k=4, gamma=0.125)
    shares, d = np.array(method.budget(12)), 12
    weights = conjunction_polynomial(4, 0.125)[1:]
    orders = range(1, len(weights) + 1)
    load = [
        math.comb(4, r) * (a * math.comb(d, r)) ** 2 for r, a in zip(orders, weights, strict=True)
    ]
    assert len(shares) == 3 and shares.sum() == pytest.approx(0.7, rel=1e-12)
    least = (load / shares**2).sum()
    for up, down in [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)]:
        moved = shares.copy()
        moved[up] += 0.02
        moved[down] -= 0.02
        assert (load / moved**2).sum() > least


def test_too_large_requests_name_their_size():
    names = tuple(f"a{i}" for i in range(32))
    codes = np.random.default_rng(1).integers(0, 2, size=(100, 32))
    wide = cc.Dataset.from_codes(codes, cc.Domain(names, (2,) * 32))
    sizes = {
        "flat": ("4,294,967,296", {}),
        "direct": ("10,518,300", {"k": 8}),
        "fourier": ("15,033,173", {"k": 8}),
        "fourier_lp": ("4,294,967,296", {}),
        "datacube": ("4,294,967,296", {}),
        "matrix": ("4,294,967,296", {}),
        "mwem": ("4,294,967,296", {}),
    }
    for name, (size, options) in sizes.items():
        method = cc.METHODS[name](**({"epsilon": 1.0, "k": 2} | options))
        with pytest.raises(cc.InfeasibleError, match=size):
            method.release(wide, rng=np.random.default_rng(1))


@pytest.mark.slow
def test_figure_1_of_the_paper(shared_data):
    """MSNBC, first 9 columns, epsilon 1: PriView about as good as Flat, both far ahead of the rest."""
    from calm_core.ingest.encode import load_dataset

    dataset = load_dataset(shared_data / "msnbc.parquet", d=9).dataset
    for k in (2, 4):
        options = {"learning": {"gamma": 0.25}}
        error = {}
        for name in ("priview", "flat", "direct", "mwem", "learning"):
            method = cc.METHODS[name](epsilon=1.0, k=k, **options.get(name, {}))
            outcome = cc.run(dataset, method, seed=1, queries=60)
            error[name] = outcome.scores.l2.mean()
        assert error["priview"] < 3 * error["flat"]
        rest = min(error["direct"], error["mwem"], error["learning"])
        assert error["priview"] < 0.7 * rest
        assert error["flat"] < 0.5 * rest
