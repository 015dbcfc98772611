"""FC, AM, FT, EM, Uni and CALM-binary against slow referees, formulas and small facts."""

import math
from itertools import combinations

import numpy as np
import pytest

from calm_core.errors import InfeasibleError, InputError
from calm_core.methods import METHODS, make_method, shared_settings
from calm_core.methods.calm_binary import BinaryEncoding
from calm_core.methods.em import EmAnswer, fit_em
from calm_core.methods.fourier import (
    FourierAnswer,
    coefficient_masks,
    count_coefficients,
    pack_bits,
    symmetric_sums,
)
from calm_core.oracles import GRR, OUE, choose_oracle
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import is_distribution
from tests.reference.local_methods import expectation_maximization, fourier_marginal

LOCAL = ("fc", "am", "ft", "em", "uni", "calm_binary")


def skewed_people(sizes, n, seed=5) -> Dataset:
    """Correlated data: later attributes lean on the first."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, sizes[0], size=n)
    columns = [first]
    for size in sizes[1:]:
        own = np.minimum(rng.geometric(0.6, size=n) - 1, size - 1)
        columns.append(np.where(rng.random(n) < 0.5, first % size, own))
    return Dataset.from_codes(np.stack(columns, axis=1), domain(sizes))


def domain(sizes) -> Domain:
    return Domain(tuple(f"a{i}" for i in range(len(sizes))), sizes)


MIXED = skewed_people((2, 3, 5, 2), 20_000)


@pytest.mark.parametrize("name", LOCAL)
def test_weak_privacy_gives_the_truth(name, rng):
    views = {"l": 5, "m": 21} if name == "calm_binary" else {}
    method = make_method(name, epsilon=16.0, k=2, **views)
    answer = method.release(MIXED, rng=rng)
    assert answer.domain == MIXED.domain
    queries = list(combinations(MIXED.domain.names, 2))
    for table, query in zip(answer.marginals(queries), queries):
        truth = MIXED.marginal(query)
        assert table.attrs == query
        far = np.abs(table.values - truth.values).max()
        # Splitting 20,000 users over up to 41 groups leaves sampling errors near 0.02.
        assert far < {"uni": 1, "em": 0.2, "calm_binary": 0.1}.get(name, 0.08)
        assert np.array_equal(table.values, answer.marginal(query[::-1]).values) or name == "em"


@pytest.mark.parametrize("name", ["am", "ft"])
def test_nothing_larger_than_k_is_made_up(name, rng):
    answer = make_method(name, epsilon=1.0, k=2).release(MIXED, rng=rng)
    assert answer.covers(("a0", "a1")) and not answer.covers(("a0", "a1", "a2"))
    with pytest.raises(InputError, match="set k to 3"):
        answer.marginal(("a0", "a1", "a2"))


def test_rivals_stay_as_published_whatever_is_chosen_for_calm():
    chosen = {"theta": 0.01, "nonnegativity": "ripple", "rounds": 3, "reconstruction": "maxent"}
    for name, method in METHODS.items():
        given = shared_settings(name, chosen)
        made = make_method(name, epsilon=1.0, k=2, **given)
        usual = method(epsilon=1.0, k=2)
        for key in ("nonnegativity", "rounds", "reconstruction"):
            if name not in ("calm", "calm_binary"):
                assert getattr(made, key, None) == getattr(usual, key, None), name
    assert shared_settings("calm", chosen) == chosen
    assert make_method("calm", epsilon=1.0, k=2, rounds=None).rounds == 3


def test_fc_names_the_size_and_what_fits(rng):
    data = Dataset.from_codes(np.zeros((10, 32), dtype=int), domain((2,) * 32))
    with pytest.raises(InfeasibleError, match="4,294,967,296 cells.*first 23 attributes"):
        make_method("fc", epsilon=1.0, k=3).release(data, rng=rng)


@pytest.mark.parametrize(("name", "groups"), [("am", "56"), ("ft", "92")])
def test_fewer_than_one_user_per_group_is_said(name, groups, rng):
    data = Dataset.from_codes(np.zeros((55, 8), dtype=int), domain((2,) * 8))
    with pytest.raises(InfeasibleError, match=f"fewer than one for.*at least {groups} people"):
        make_method(name, epsilon=1.0, k=3).release(data, rng=rng)
    enough = Dataset.from_codes(np.zeros((int(groups), 8), dtype=int), domain((2,) * 8))
    assert make_method(name, epsilon=1.0, k=3).release(enough, rng=rng).covers(("a0",))


def test_am_refuses_too_many_cells(rng):
    data = Dataset.from_codes(np.zeros((200_000, 20), dtype=np.uint8), domain((9,) * 20))
    with pytest.raises(InfeasibleError, match="cells for its 4,845 tables"):
        make_method("am", epsilon=1.0, k=4).release(data, rng=rng)
    sizes = (2, 3, 5, 2)
    by_hand = sum(math.prod(part) for part in combinations(sizes, 3))
    assert symmetric_sums(sizes, 3)[3] == by_hand


def test_am_averages_all_views_that_hold_the_attributes(rng):
    answer = make_method("am", epsilon=1.0, k=2).release(MIXED, rng=rng)
    total, weights = 0, 0
    for table, variance in zip(answer.noisy.tables, answer.noisy.variances):
        if "a1" in table.attrs:
            weight = 1 / (variance * (table.values.size // 3))
            total, weights = total + weight * table.project(("a1",)).values, weights + weight
    assert np.allclose(answer.marginal(("a1",)).values, total / weights)


# ---------------------------------------------------------------- binary encoding and FT


def test_bits_are_as_many_as_values_need_and_have_names_of_their_own():
    wide = BinaryEncoding(domain((1, 2, 3, 4, 5, 8, 9)))
    assert wide.bits == (0, 1, 2, 2, 3, 3, 4)
    names = BinaryEncoding(Domain(("a", "a#0", "a#1", "b"), (3, 2, 4, 2))).bit_domain.names
    assert len(set(names)) == 6


def test_coefficients_are_those_that_marginals_need():
    bits, k = (1, 2, 3, 1), 2
    masks = coefficient_masks(bits, k)[:, 0].tolist()
    assert len(masks) == len(set(masks)) == count_coefficients(bits, k)
    owner = [0, 1, 1, 2, 2, 2, 3]
    touched = {m: {owner[b] for b in range(7) if m >> b & 1} for m in range(1, 2**7)}
    assert sorted(masks) == [mask for mask, attributes in touched.items() if len(attributes) <= k]
    # The paper's 15,033,173 counts the empty set, which is known.
    assert count_coefficients((1,) * 32, 8) == 15_033_172


def test_bits_beyond_one_word():
    codes = np.zeros((2, 70), dtype=np.uint8)
    codes[1, [0, 63, 64, 69]] = 1
    words = pack_bits(codes)
    assert words.tolist() == [[0, 0], [1 + 2**63, 1 + 2**5]]
    data = Dataset.from_codes(np.tile(codes, (5000, 1)), domain((2,) * 70))
    answer = make_method("ft", epsilon=16.0, k=2).release(data, rng=np.random.default_rng(1))
    assert np.allclose(answer.marginal(("a63", "a69")).values, [[0.5, 0], [0, 0.5]], atol=0.4)


def test_ft_marginal_is_the_published_sum(rng):
    encoding = BinaryEncoding(domain((2,) * 5))
    estimates = rng.normal(size=count_coefficients(encoding.bits, 3))
    masks = coefficient_masks(encoding.bits, 3)[:, 0].tolist()
    by_set = {tuple(b for b in range(5) if m >> b & 1): e for m, e in zip(masks, estimates)}
    answer = FourierAnswer(encoding, 3, estimates, "none")
    for attrs in [(0, 1, 2), (1, 3, 4), (0, 4), (2,)]:
        table = answer.marginal(tuple(f"a{i}" for i in attrs))
        assert np.allclose(table.values, fourier_marginal(by_set, attrs))


@pytest.mark.parametrize("name", ["ft", "calm_binary"])
def test_an_attribute_with_one_value_costs_nothing(name):
    """The same numbers as without it, whatever place it has."""
    plain = skewed_people((2, 3, 2), 5000)
    codes = np.insert(plain.codes, (0, 2), 0, axis=1)
    wide = Dataset(codes, Domain(("x", "a0", "a1", "y", "a2"), (1, 2, 3, 1, 2)))
    answers = [
        make_method(name, epsilon=1.0, k=2).release(data, rng=np.random.default_rng(7))
        for data in (plain, wide)
    ]
    for query in (("a0", "a1"), ("a2",)):
        a, b = (answer.marginal(query).values for answer in answers)
        assert np.array_equal(a, b)
    alone = answers[1].marginal(("x",)).values
    both, one = answers[1].marginal(("a0", "y")), answers[1].marginal(("a0",))
    assert np.array_equal(alone, [1.0])
    assert np.allclose(both.values, one.values[:, None]) and math.isclose(both.values.sum(), 1)
    assert np.array_equal(answers[1].marginal(("x", "y")).values, [[1.0]])


def test_nobody_is_asked_where_everything_is_known(rng):
    data = Dataset(np.zeros((50, 3), int), domain((1, 1, 1)))
    method = make_method("ft", epsilon=1.0, k=2)
    answer = method.release(data, rng=rng)
    assert answer.marginal(("a0", "a2")).values.tolist() == [[1.0]]
    assert method.analytical_sse(data.domain, 50, ("a0", "a2")) == 0
    for sizes, bits in (((1, 1, 1), 0), ((1, 2, 1), 1)):
        few = Dataset(np.zeros((50, 3), int), domain(sizes))
        with pytest.raises(InputError, match=f"have {bits} bits together.*at least 2"):
            make_method("calm_binary", epsilon=1.0, k=2).release(few, rng=rng)
    with pytest.raises(InputError, match="nothing to encode"):
        BinaryEncoding(domain((1, 1))).encode(Dataset([[0, 0]], domain((1, 1))))


# ---------------------------------------------------------------- EM


def test_em_on_grouped_reports_is_em_user_by_user(rng):
    oracles = (GRR(0.8, 2), OUE(0.8, 3))
    reports = np.stack([rng.integers(0, 2, size=60), rng.integers(0, 8, size=60)], axis=1)
    chances = [oracle.likelihoods() for oracle in oracles]
    counts = np.zeros((2, 8))
    np.add.at(counts, tuple(reports.T), 1)
    start = np.array([[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    matrices = [chance[np.newaxis] for chance in chances]
    limits = {"tolerance": 0, "max_iterations": 25}
    grouped = fit_em(counts[np.newaxis], matrices, start[np.newaxis], **limits)
    slow = expectation_maximization(reports.tolist(), chances, start, 25)
    assert np.allclose(grouped[0], slow, atol=1e-12)


def test_em_never_grows_less_likely_and_stops(rng):
    data = skewed_people((2, 3, 2), 5000)
    answer = make_method("em", epsilon=3.0, k=2).release(data, rng=rng)
    query = ("a0", "a1")
    counts = answer._counts((0, 1))
    chances = [oracle.likelihoods() for oracle in answer.oracles[:2]]

    def log_likelihood(table):
        return float((counts * np.log(chances[0] @ table @ chances[1].T)).sum())

    def after(steps):
        part = EmAnswer(answer.domain, answer.oracles, answer.symbols, 0.0, steps)
        return part.marginal(query).values

    likely = [log_likelihood(after(steps)) for steps in range(1, 40, 3)]
    assert np.all(np.diff(likely) >= -1e-6)
    done = answer.marginal(query).values
    fewer = EmAnswer(answer.domain, answer.oracles, answer.symbols, answer.tolerance, 999)
    assert np.array_equal(done, fewer.marginal(query).values), "it stopped before"
    assert math.isclose(done.sum(), 1)


def test_em_answers_a_query_the_same_alone_and_among_others(rng):
    answer = make_method("em", epsilon=4.0, k=2).release(MIXED, rng=rng)
    queries = list(combinations(MIXED.domain.names, 2))
    for table, query in zip(answer.marginals(queries), queries):
        assert np.allclose(table.values, answer.marginal(query).values, atol=1e-12)
        assert is_distribution(table)


def test_em_refuses_reports_too_many_to_count(rng):
    data = Dataset.from_codes(np.zeros((50, 3), dtype=int), domain((12, 12, 2)))
    with pytest.raises(InfeasibleError, match='16,777,216 different.*oracle "grr" would fit'):
        make_method("em", epsilon=1.0, k=2).release(data, rng=rng)
    fits = make_method("em", epsilon=1.0, k=2, oracle="grr").release(data, rng=rng)
    assert fits.marginal(("a0", "a1")).values.shape == (12, 12)
    with pytest.raises(InfeasibleError, match="which the oracle olh does not allow.*choose one of"):
        make_method("em", epsilon=1.0, k=2, oracle="olh").release(data, rng=rng)
    with pytest.raises(InputError, match="oracle"):
        make_method("em", epsilon=1.0, k=2, oracle="rappor")


# ---------------------------------------------------------------- CALM-binary


def test_calm_binary_is_calm_where_everything_is_binary():
    data = skewed_people((2,) * 6, 10_000)
    answers = [
        METHODS[name](epsilon=1.0, k=3).release(data, rng=np.random.default_rng(1))
        for name in ("calm", "calm_binary")
    ]
    a, b = (answer.marginal(("a0", "a2", "a5")).values for answer in answers)
    assert np.allclose(a, b)


def test_calm_binary_passes_its_options_on(rng):
    method = make_method("calm_binary", epsilon=1.0, k=2, theta=0.01, l=3, m=7, rounds=1)
    answer = method.release(MIXED, rng=rng)
    assert (answer.plan.l, answer.plan.m, answer.plan.theta, answer.plan.k) == (3, 7, 0.01, 5)
    assert answer.plan.domain.d == 7
    assert is_distribution(answer.marginal(("a1", "a2")))
    assert answer.covers(("a2",)) == any(
        {"a2#0", "a2#1", "a2#2"} <= set(view) for view in answer.plan.views
    )


# ---------------------------------------------------------------- analytical errors


def test_ft_check_value_of_the_paper():
    method = make_method("ft", epsilon=0.2, k=3)
    expected = method.analytical_sse(domain((2,) * 16), 2**18, ("a0", "a1", "a2"))
    assert math.isclose(expected, 0.234, rel_tol=0.01)


def test_formulas_of_the_paper_at_small_epsilon():
    """About 256, 448 and 93 times Var0 at d = 8, k = 3 (FT: its 92 coefficients and the empty one)."""
    n, eps = 2**30, 0.01
    unit = 4 * math.exp(eps) / math.expm1(eps) ** 2 / n
    attrs = ("a0", "a1", "a2")
    found = {
        name: make_method(name, epsilon=eps, k=3).analytical_sse(domain((2,) * 8), n, attrs) / unit
        for name in ("fc", "am", "ft")
    }
    assert math.isclose(found["fc"], 256, rel_tol=0.01)
    assert choose_oracle(8, eps).name == "oue"
    assert math.isclose(found["am"], 448, rel_tol=0.01)
    assert math.isclose(found["ft"], 92 * 7 / 8, rel_tol=0.01)


def test_uniform_error_needs_the_truth():
    truth = MIXED.marginal(("a0", "a1"))
    method = make_method("uni", epsilon=1.0, k=2)
    assert method.analytical_sse(MIXED.domain, 10, truth.attrs) is None
    exact = ((truth.values - 1 / 6) ** 2).sum()
    assert math.isclose(method.analytical_sse(MIXED.domain, 10, truth.attrs, truth=truth), exact)
    assert make_method("calm", epsilon=1.0, k=2).analytical_sse(MIXED.domain, 10, ("a0",)) is None
