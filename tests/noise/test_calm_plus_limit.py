"""The law of CALM+: as users or epsilon grow, its error falls at least to CALM's.

The margin of the quick tests is that of few repetitions; an estimator whose prior holds it away from
the truth is worse by half and more. `python -m tests.benchmarks.bench_calm_plus_limit` prints the whole table.
"""

import pytest

from tests.reference.exact_collection import FILES, compared, measured, mixture, ratio

# Most have no impairment, few have all: everything depends strongly on everything, as in surveys of
# disability. And page views: all rare, together in few busy people.
STRONG = mixture(
    (0.5, 0.3, 0.12, 0.08),
    ((0.02, 0.01, 0.03, 0.05, 0.08, 0.04, 0.02, 0.1), (0.1, 0.05, 0.3, 0.5, 0.6, 0.2, 0.15, 0.6),
     (0.5, 0.2, 0.8, 0.9, 0.95, 0.7, 0.6, 0.9), (0.95, 0.85, 0.98, 0.97, 0.99, 0.96, 0.9, 0.97)),
)  # fmt: skip
BUSY = mixture(
    (0.7, 0.25, 0.05),
    ((0.3, 0.2, 0.15, 0.08, 0.05, 0.04, 0.02, 0.01), (0.5, 0.1, 0.3, 0.2, 0.3, 0.05, 0.15, 0.1),
     (0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.4, 0.4)),
)  # fmt: skip


@pytest.mark.parametrize("people", [STRONG, BUSY], ids=["strong", "busy"])
@pytest.mark.parametrize("n, epsilon", [(2**20, 2.0), (2**24, 1.0)])
def test_with_little_noise_it_is_no_worse_than_calm(people, n, epsilon):
    found, _ = ratio(compared(people, n=n, epsilon=epsilon, k=3, repetitions=6, covered=0))
    assert found < 1.02


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("name", FILES)
def test_at_sixteen_million_users_it_is_no_worse_on_real_tables(name, k):
    rows = compared(measured(name, 6), n=2**24, epsilon=2.0, k=k, repetitions=4, covered=4)
    found, error = ratio(rows)
    assert found < 1.02 + 3 * error
    assert rows[:, 2].mean() > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["acs", "msnbc", "nltcs"])
def test_neither_is_it_where_neighbours_help(name):
    rows = compared(measured(name, 16), n=2**24, epsilon=2.0, k=2, repetitions=4, covered=4)
    found, error = ratio(rows)
    assert found < 1.02 + 3 * error
    assert rows[:, 2].mean() > 0.8
