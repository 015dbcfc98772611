"""The first reports of a collection: parts of it, one within the other, and all of it in the end."""

from functools import partial

import numpy as np
import pytest

from calm_core.collection.early_reports import draw_arrivals, draw_first_reports
from calm_core.collection.simulation import ViewReports
from calm_core.errors import InputError
from calm_core.oracles import GRR, ORACLES

COUNTS = np.array([150, 90, 30, 20, 10, 0])
MOMENTS = (0, 0, 1, 7, 120, 299, 300)


def group(kind, rng, epsilon=0.5):
    oracle = kind(epsilon, len(COUNTS))
    return ViewReports(("a",), oracle, oracle.simulate(COUNTS, rng=rng), int(COUNTS.sum()))


def test_groups_fill_to_what_they_are_and_never_empty(rng):
    sizes = [3, 0, 500, 497]
    came = draw_arrivals(sizes, [0, 1, 10, 10, 999, 1000], rng=rng)
    assert came.sum(axis=1).tolist() == [0, 1, 10, 10, 999, 1000]
    assert came[-1].tolist() == sizes and np.diff(came, axis=0).min() >= 0


@pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)
def test_the_last_moment_is_the_collection_and_each_is_part_of_the_next(kind, rng):
    view = group(kind, rng)
    found = draw_first_reports(view, MOMENTS, rng=rng)
    assert [part.n for part in found] == list(MOMENTS)
    assert (found[-1].support == view.support).all()
    for early, late in zip(found, found[1:]):
        came = late.support - early.support
        assert came.min() >= 0 and came.max() <= late.n - early.n


def test_reports_that_support_equally_many_cells_do_so_at_every_moment(rng):
    for kind in (kind for kind in ORACLES.values() if kind.fixed_support):
        for epsilon in (0.1, 1.0):
            view = group(kind, rng, epsilon)
            found = draw_first_reports(view, MOMENTS, rng=rng)
            width = view.support.sum() // view.n
            sums = [int(part.support.sum()) for part in found]
            assert sums == [width * r for r in MOMENTS], (kind, epsilon)


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
