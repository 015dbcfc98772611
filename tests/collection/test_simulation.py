"""Collection: the split of the users, exact counts, sums of parts, and what is refused."""

from collections import Counter
from functools import partial
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection import simulation, tally
from calm_core.collection.aggregation import draw_arrivals, draw_first_reports
from calm_core.collection.simulation import (
    ViewReports,
    _true_counts,
    assign_groups,
    draw_group_sizes,
)
from calm_core.errors import InputError
from calm_core.oracles import GRR, ORACLES, olh
from calm_core.tables import dataset as datasets


@pytest.fixture
def domain():
    return cc.Domain(("sex", "age", "vote", "smokes"), (2, 3, 5, 2))


@pytest.fixture
def dataset(domain, rng):
    codes = np.stack([rng.integers(0, c, 4001) for c in domain.sizes], axis=1)
    return cc.Dataset.from_codes(codes, domain)


@pytest.fixture
def plan(domain, rng):
    return cc.make_plan(domain, 4001, epsilon=1.0, k=2, l=2, m=6, rng=rng)


def test_every_user_reports_once_in_nearly_equal_groups(dataset, plan, rng):
    labels = assign_groups(dataset.n, plan.shares, rng=rng)
    sizes = np.bincount(labels, minlength=plan.m)
    assert sizes.sum() == dataset.n
    assert sizes.max() - sizes.min() <= 1
    assert cc.collect(dataset, plan, rng=rng).n == dataset.n


@pytest.mark.parametrize("shares", [(0.25, 0.25, 0.5), (0.5, 0.25, 0.25)])
def test_every_split_is_equally_likely(shares):
    # 4 users in groups of 1, 1 and 2: 12 splits. Chi-square with 11 degrees of freedom over 6,000
    # deals: above 45 once in 200,000 runs.
    rng = np.random.default_rng(11)
    seen = Counter(tuple(assign_groups(4, shares, rng=rng).tolist()) for _ in range(6000))
    assert len(seen) == 12
    assert sum((count - 500) ** 2 / 500 for count in seen.values()) < 45


def test_views_of_any_length_are_counted_in_any_number_of_blocks(rng):
    domain = cc.Domain(tuple("abcdefghij"), (2, 3, 2, 4, 2, 2, 3, 2, 2, 2))
    codes = np.stack([rng.integers(0, c, 20_001) for c in domain.sizes], axis=1)
    data = cc.Dataset.from_codes(codes, domain)
    views = tuple(domain.names[:size] for size in (1, 2, 3, 4, 5, 7, 8, 9))
    split = SimpleNamespace(views=views)
    labels = assign_groups(data.n, (1 / 8,) * 8, rng=rng)
    for i, counts in enumerate(_true_counts(data, split, labels)):
        members = data.select_users(labels == i)
        assert (counts == np.bincount(members.cells(views[i]), minlength=len(counts))).all()


def test_partial_collections_of_one_plan_add_up(dataset, plan, rng):
    first = cc.Dataset(dataset.codes[:2000], dataset.domain)
    rest = cc.Dataset(dataset.codes[2000:], dataset.domain)
    total = cc.collect(first, plan, rng=rng) + cc.collect(rest, plan, rng=rng)
    assert total.n == dataset.n and all(view.n >= 666 for view in total.views)
    assert cc.aggregate(total).users == tuple(view.n for view in total.views)
    with pytest.raises(cc.InputError, match="same view"):
        total.views[0] + total.views[1]


def test_events_count_the_groups(dataset, plan, rng):
    events = []
    cc.collect(dataset, plan, rng=rng, notify=events.append)
    assert [event.group for event in events] == list(range(1, 7))
    assert sum(event.users for event in events) == dataset.n


def test_group_sizes_sum_exactly(rng):
    shares = np.array([0.5, 0.25, 0.125, 0.125])
    for n in (1, 5, 6, 7, 1000003, 10**12 - 1):
        sizes = draw_group_sizes(n, shares, rng=rng)
        assert sizes.sum() == n
        assert np.abs(sizes - n * shares).max() < 1


def test_foreign_data_and_too_few_users_are_refused(dataset, plan, rng):
    with pytest.raises(cc.InputError, match="plan again"):
        cc.collect(dataset.select(("sex", "age")), plan, rng=rng)
    few = cc.Dataset(dataset.codes[:5], dataset.domain)
    with pytest.raises(cc.InputError, match="at least the number of views"):
        cc.collect(few, plan, rng=rng)
    with pytest.raises(cc.InputError, match="rng"):
        cc.collect(dataset, plan, rng=7)


def test_a_view_without_reports_has_equal_shares_and_no_weight():
    view = ViewReports(("a", "b"), GRR(1.0, 6), [0] * 6, 0)
    noisy = cc.aggregate(cc.Reports(cc.Domain(("a", "b"), (2, 3)), (view,)))
    np.testing.assert_allclose(noisy.tables[0].values, 1 / 6)
    assert noisy.variances == (np.inf,)


@pytest.mark.parametrize("sizes", [(2, 2), (2, 4)])
def test_views_of_other_sizes_than_their_domain_are_refused(sizes):
    names = ("a", "b")
    table = cc.Marginal(cc.Domain(names, sizes), np.full(sizes, 1 / np.prod(sizes)))
    with pytest.raises(InputError, match="does not fit the domain"):
        cc.NoisyMarginals(cc.Domain(names, (2, 3)), (table,), (0.1,), (10,))


def test_a_raw_marginal_comes_from_the_smallest_view():
    """Wherever it stands among the views; one that no view covers is refused."""
    domain = cc.Domain(("sex", "age", "vote"), (2, 3, 3))
    tables = [
        cc.Marginal(domain.project(attrs), np.full(domain.shape_of(attrs), value))
        for attrs, value in ((("sex", "age", "vote"), 1.0), (("sex", "age"), 2.0), (("sex",), 3.0))
    ]
    for order in permutations(tables):
        noisy = cc.NoisyMarginals(domain, order, (0.1,) * 3, (100,) * 3)
        assert noisy.marginal(("sex",)).values.tolist() == [3.0, 3.0]
        assert noisy.marginal(("age",)).values.tolist() == [4.0, 4.0, 4.0]
        assert noisy.marginal(("vote", "age")).values.max() == 2.0
    with pytest.raises(cc.InputError, match="no view covers vote"):
        cc.NoisyMarginals(domain, (tables[1],), (0.1,), (100,)).marginal(("vote",))
    # However the attributes are given: an iterator ends at the first view.
    small = cc.NoisyMarginals(domain, tuple(tables[1:]), (0.1,) * 2, (100,) * 2)
    assert small.covers(map(str, ("age", "sex"))) and not small.covers(map(str, ("sex", "vote")))


def test_kernels_are_found_again_by_the_next_process():
    """Numba finds one by what it encloses; a compiled function is another thing in every process."""
    from numba.core.dispatcher import Dispatcher

    made = (simulation._deal_kernels(), tally._kernels(), datasets._kernels(), (olh._kernel(),))
    for kernel in (kernel for group in made for kernel in group):
        enclosed = [cell.cell_contents for cell in kernel.py_func.__closure__ or ()]
        assert not any(isinstance(part, Dispatcher) for part in enclosed), kernel.__name__


COUNTS = np.array([150, 90, 30, 20, 10, 0])
MOMENTS = (0, 0, 1, 7, 120, 299, 300)


def group(kind, rng, epsilon):
    oracle = kind(epsilon, len(COUNTS))
    return ViewReports(("a",), oracle, oracle.simulate(COUNTS, rng=rng), int(COUNTS.sum()))


def test_groups_fill_to_what_they_are_and_never_empty(rng):
    sizes = [3, 0, 500, 497]
    came = draw_arrivals(sizes, [0, 1, 10, 10, 999, 1000], rng=rng)
    assert came.sum(axis=1).tolist() == [0, 1, 10, 10, 999, 1000]
    assert came[-1].tolist() == sizes and np.diff(came, axis=0).min() >= 0


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)
def test_the_last_moment_is_the_collection_and_each_is_part_of_the_next(kind, epsilon, rng):
    view = group(kind, rng, epsilon)
    found = draw_first_reports(view, MOMENTS, rng=rng)
    assert [part.n for part in found] == list(MOMENTS)
    assert (found[-1].support == view.support).all()
    for early, late in zip(found, found[1:]):
        came = late.support - early.support
        assert came.min() >= 0 and came.max() <= late.n - early.n
    if kind.fixed_support:
        width = view.support.sum() // view.n
        assert [part.support.sum() for part in found] == [width * r for r in MOMENTS]


@pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)
def test_a_group_without_reports_and_a_table_of_one_cell(kind, rng):
    nobody = ViewReports(("a",), kind(1.0, 3), np.zeros(3, dtype=int), 0)
    (found,) = draw_first_reports(nobody, [0], rng=rng)
    assert found.support.tolist() == [0, 0, 0]
    certain = ViewReports(("a",), kind(1.0, 1), np.array([9]), 9)
    assert [part.support.tolist() for part in draw_first_reports(certain, [4, 9], rng=rng)] == [
        [4],
        [9],
    ]


def test_moments_that_fall_or_leave_the_range_are_refused(rng):
    view = ViewReports(("a",), GRR(1.0, 2), np.array([4, 6]), 10)
    for moments in ([], [5, 4], [-1, 2], [2, 11]):
        for draw in (partial(draw_first_reports, view), partial(draw_arrivals, [4, 6])):
            with pytest.raises(InputError, match="never fall, from 0 to 10"):
                draw(moments, rng=rng)
