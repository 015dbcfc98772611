"""Parities: private by enumeration, exact in law, telling what they promise and nothing else."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from calm_core.errors import DataError, InputError
from calm_core.oracles import Parity
from calm_core.planning.optimal_design import PARITIES
from calm_core.tables.marginal import transform_contrasts
from tests.noise.test_oracle_noise import chi_square, per_user
from tests.oracles.test_oracles_privacy import EPSILONS, assert_private, law_of_code
from tests.reference.oracle_laws import exp_bounds, grr_law, table_law

ALL = (((0,),), *PARITIES, ((0, 1), (1, 2), (2, 3), (3, 4)))
every = pytest.mark.parametrize("parities", ALL, ids=str)


def make_parity(epsilon, parities):
    return Parity(epsilon, 2 ** (1 + max(map(max, parities))), parities)


def sums(oracle, cell):
    """The parities of a cell, written out from the definition."""
    attributes = oracle.size.bit_length() - 1
    answers = list(product((0, 1), repeat=attributes))[cell]
    return tuple(sum(answers[i] for i in parity) % 2 for parity in oracle.parities)


def law(oracle, e, cell):
    """Distribution of the report, a number whose binary digits are the sums."""
    own = int("".join(map(str, sums(oracle, cell))), 2)
    return grr_law(e, 2 ** len(oracle.parities), own)


@pytest.mark.parametrize("secure", [False, True], ids=["simulated", "secure"])
@pytest.mark.parametrize("epsilon", EPSILONS[1::3])
@every
def test_every_path_is_private_and_as_the_definition_says(parities, epsilon, secure, monkeypatch):
    oracle, e = make_parity(epsilon, parities), exp_bounds(epsilon)[0]
    # Every path of a few cells of every class; all cells of small views.
    cells = range(oracle.size) if oracle.size <= 8 else (0, 1, 6, 11, oracle.size - 1)
    laws = [law_of_code(oracle, cell, monkeypatch, secure=secure) for cell in cells]
    assert_private(laws, epsilon)
    for cell, found in zip(cells, laws):
        expected = law(oracle, e, cell)
        assert found.keys() == expected.keys()
        assert max(abs(found[y] / expected[y] - 1) for y in found) < Fraction(1, 10**14)


@pytest.mark.slow
@pytest.mark.parametrize("parities", [((0, 1), (1, 2)), ((0,), (1, 2))], ids=str)
@pytest.mark.parametrize("path", ["simulated", "per_user"])
def test_whole_tables_have_the_exact_joint_distribution(parities, path, rng):
    oracle, counts = make_parity(1.0, parities), (1, 0, 1, 0, 0, 0, 2, 0)

    def law_of(epsilon):
        e, found = exp_bounds(epsilon)[0].limit_denominator(10**12), []
        for cell, number in enumerate(counts):
            for _ in range(number):
                told = law(oracle, e, cell).items()
                found.append(
                    {tuple(int(v == y) for v in oracle.classes.tolist()): c for y, c in told}
                )
        return table_law(found)

    if path == "simulated":
        samples = oracle.simulate(np.tile(counts, (40_000, 1)), rng=rng)
    else:
        samples = per_user(oracle, counts, 20_000, rng)
    assert chi_square(samples, law_of(1.0)) > 1e-6
    for wrong in (0.7, 1.3):
        assert chi_square(samples, law_of(wrong)) < 1e-6


@every
def test_expected_estimates_tell_the_sets_and_nothing_else(parities, rng):
    oracle = make_parity(0.7, parities)
    attributes = oracle.size.bit_length() - 1
    table, e = rng.dirichlet(np.ones(oracle.size)), float(exp_bounds(0.7)[0])
    chances = np.array([[float(law(oracle, Fraction(e), c)[y]) for y in range(oracle.class_oracle.size)]
                        for c in range(oracle.size)])  # fmt: skip
    # What supports each cell on the average, of a million reports.
    support = (table @ chances)[oracle.classes] * 10**6
    found = oracle.estimate(support, 10**6)
    moved, told = (
        transform_contrasts(t[None], (2,) * attributes)[0].reshape((2,) * attributes)
        for t in (table, found)
    )
    assert told.flat[0] == pytest.approx(moved.flat[0])
    for r in range(1, attributes + 1):
        for subset in combinations(range(attributes), r):
            at = tuple(int(a in subset) for a in range(attributes))
            if subset in oracle.sets:
                assert told[at] == pytest.approx(moved[at])
            else:
                assert abs(told[at]) < 1e-9
    # Contrasts of the sets vary together as is promised: from every report there is.
    signs = {s: (-1.0) ** np.array([sum(a[i] for i in s) for a in product((0, 1), repeat=attributes)])
             for s in oracle.sets}  # fmt: skip
    contrasts = np.array(list(signs.values()))
    shares = (oracle.classes[:, None] == np.arange(oracle.class_oracle.size)).T / oracle.gap
    reports = shares @ contrasts.T
    exact = sum(
        f * ((reports - row @ reports).T * row) @ (reports - row @ reports)
        for f, row in zip(table, chances)
    )
    follows = oracle.value_variance(1)
    even = oracle.contrast_variance(1) - follows / oracle.size
    promised = even * contrasts @ contrasts.T + follows * (contrasts * table) @ contrasts.T
    np.testing.assert_allclose(promised, exact, rtol=1e-6, atol=1e-9)


@every
def test_the_variance_of_a_cell_is_exact_where_cells_of_a_class_are_alike(parities, rng):
    oracle = make_parity(1.0, parities)
    share = (
        rng.dirichlet(np.ones(oracle.class_oracle.size))[oracle.classes] / oracle.cells_per_class
    )
    own = share * oracle.cells_per_class
    p, q, n = oracle.p, oracle.q, 500
    exact = (
        (own * p * (1 - p) + (1 - own) * q * (1 - q))
        / n
        / (oracle.class_oracle.gap * oracle.cells_per_class) ** 2
    )
    np.testing.assert_allclose(oracle.variance(n, share), exact)


def test_reports_on_many_groups_are_counted_as_one_by_one(rng):
    oracle = make_parity(1.0, ((0, 1), (1, 2)))
    reports, starts = rng.integers(4, size=500), rng.choice([0, 8, 24], size=500)
    found, expected = np.zeros(32, dtype=np.int64), np.zeros(32, dtype=np.int64)
    oracle.add_support(reports, starts, found)
    for start in (0, 8, 24):
        expected[start : start + 8] += oracle.support(reports[starts == start])
    assert found.tolist() == expected.tolist()
    with pytest.raises(DataError, match="from 0 to 3"):
        oracle.add_support(np.array([4]), np.array([0]), found)


@pytest.mark.parametrize(
    ("size", "parities"),
    [(6, ((0,),)), (4, ()), (4, ((0, 2),)), (4, ((1, 0),)), (4, ((0, 0),)), (4, ((),)), (4, (0, 1)),
     (8, ((0, 1), (1, 2), (0, 2))), (4, ((0,), (0,)))],
)  # fmt: skip
def test_what_names_no_parities_is_refused(size, parities):
    with pytest.raises(InputError, match="must be"):
        Parity(1.0, size, parities)
