"""Covering designs: every one checked by enumeration, sizes against the best known."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp

from calm_core.designs.covering import (
    _class_product,
    bundled_blocks,
    bundled_sizes,
    covering_rules,
    covering_size,
    find_covering,
    from_membership,
    geometry_catalog,
    known_size,
    pad_blocks,
)
from calm_core.designs.mixed_covering import (
    cells_of,
    choose_mixed_blocks,
    find_mixed_covering,
    maximal_views,
    smallest_cover,
)
from calm_core.designs.partial_covering import choose_blocks
from calm_core.errors import InfeasibleError, InputError
from tests.reference.mixed_coverings import is_mixed_covering

PAPER_DOMAIN = (2, 2, 5, 7, 14, 9, 2, 16, 41, 6)


def is_covering(blocks, d, k, t) -> bool:
    """Whether blocks of min(k, d) different points hold every t-subset, each told by its colexicographic number."""
    rows = np.sort(np.array(blocks), axis=1)
    assert rows.shape[1] == min(k, d) and rows.min() >= 0 and rows.max() < d
    assert (np.diff(rows, axis=1) > 0).all()
    choose = np.array([[math.comb(x, i) for i in range(t + 1)] for x in range(d)])
    held = np.zeros(math.comb(d, t), dtype=bool)
    for places in combinations(range(rows.shape[1]), t):
        held[sum(choose[rows[:, place], i + 1] for i, place in enumerate(places))] = True
    return bool(held.all())


@pytest.mark.parametrize(
    ("d", "l", "t"), [(8, 4, 3), (16, 8, 2), (13, 4, 2), (10, 4, 3), (9, 6, 2)]
)
def test_no_block_of_a_tight_design_is_needless(d, l, t):  # noqa: E741
    blocks = find_covering(d, l, t)
    assert is_covering(blocks, d, l, t)
    for i in range(len(blocks)):
        assert not is_covering(blocks[:i] + blocks[i + 1 :], d, l, t)


@pytest.mark.slow
def test_every_bundled_design_is_a_covering_of_distinct_blocks():
    assert len(bundled_sizes()) > 200
    for (d, k, t), size in bundled_sizes().items():
        blocks = bundled_blocks(d, k, t).tolist()
        assert len({tuple(b) for b in blocks}) == size, (d, k, t)
        assert is_covering(blocks, d, k, t), (d, k, t)
        assert size == covering_size(d, k, t), (d, k, t)


BEST_KNOWN = {
    (8, 4, 3): 14, (8, 5, 3): 8, (8, 5, 4): 20, (8, 6, 3): 4, (8, 6, 4): 7, (16, 4, 3): 140, (16, 5, 3): 65,
    (32, 4, 3): 1240, (32, 8, 2): 20, (45, 8, 2): 42, (64, 8, 2): 72, (9, 6, 2): 3, (32, 8, 3): 106,
    (26, 5, 3): 260, (25, 6, 3): 130, (16, 8, 2): 6, (20, 6, 2): 16, (32, 8, 4): 620, (5, 9, 3): 1,
    (7, 3, 3): 35, (10, 1, 1): 10,
}  # fmt: skip


def test_sizes_equal_the_best_known():
    for design, size in BEST_KNOWN.items():
        blocks = find_covering(*design)
        assert len(blocks) == size == covering_size(*design), design
        assert is_covering(blocks, *design), design
    assert covering_size(45, 8, 3) <= 1.05 * 326


def test_size_table_is_the_least_over_all_rules():
    for design in [(16, 4, 3), (23, 7, 4), (31, 9, 3), (40, 6, 2), (64, 8, 3), (12, 7, 6)]:
        assert known_size(*design) == min(size for size, _ in covering_rules(*design))


@pytest.mark.parametrize(
    ("d", "k", "left", "share"), [(9, 4, 3, 2), (14, 4, 6, 2), (22, 8, 8, 4), (17, 6, 8, 2)]
)
def test_class_products_of_unequal_sides_cover_all_triples(d, k, left, share):
    table = pad_blocks(_class_product(d, k, left, share), k)
    assert is_covering(from_membership(table).tolist(), d, k, 3)


def test_designs_beyond_the_table():
    for design in ((70, 4, 3), (100, 6, 2), (130, 10, 2), (20, 12, 9)):
        blocks = find_covering(*design)
        assert len(blocks) == covering_size(*design), design
        assert is_covering(blocks, *design), design


@pytest.mark.slow
def test_geometries_have_the_size_they_state():
    for g in geometry_catalog():
        if g.size <= 3000 and math.comb(g.points, g.t) <= 3_000_000:
            blocks = g.build()
            assert len(blocks) == g.size
            assert is_covering(blocks, g.points, g.block, g.t), g


@pytest.mark.parametrize(
    ("args", "message"),
    [((4, 2, 3), "t \\(3\\)"), ((0, 2, 1), "d \\(0\\)"), ((5, 2.5, 2), "l \\(2.5\\)")],
)
def test_wrong_arguments_are_refused_in_words(args, message):
    for function in (find_covering, covering_size):
        with pytest.raises(InputError, match=message):
            function(*args)


def test_designs_too_large_are_refused_but_their_size_is_known():
    assert covering_size(64, 8, 7) > 2_000_000
    with pytest.raises(InfeasibleError, match="2,000,000"):
        find_covering(64, 8, 7)


def appearances(blocks, d) -> np.ndarray:
    return np.bincount([i for b in blocks for i in b], minlength=d)


def test_partial_designs_cover_much_and_use_all_points_alike():
    for d, k, m, t, held in (
        (32, 2, 262, 2, 262), (32, 4, 262, 2, 496), (32, 4, 262, 3, 1048), (16, 3, 262, 2, 120),
        (64, 4, 2000, 3, 7950), (64, 8, 5000, 3, 41664), (16, 4, 1500, 3, 560),
    ):  # fmt: skip
        blocks = choose_blocks(d, k, m)
        assert len(set(blocks)) == m and all(len(set(b)) == k for b in blocks)
        assert len({s for b in blocks for s in combinations(b, t)}) >= held, (d, k, m)
        assert np.ptp(appearances(blocks, d)) <= 2, (d, k, m)


def test_choose_blocks_returns_the_covering_where_m_is_its_size():
    assert choose_blocks(16, 4, 140, t=3) == find_covering(16, 4, 3)
    assert choose_blocks(8, 3, 56, t=5) == tuple(combinations(range(8), 3))


def test_mixed_covering_reaches_the_reference():
    reference = {100: 31, 200: 24, 300: 21, 500: 17, 700: 15, 1000: 13, 1500: 12, 2000: 11}
    for cells, views in reference.items():
        blocks = find_mixed_covering(PAPER_DOMAIN, cells, 2)
        assert len(blocks) == views, cells
        assert is_mixed_covering(blocks, PAPER_DOMAIN, cells, 2)
    for cells, views in {256: 20, 512: 18, 1024: 14}.items():
        assert len(find_mixed_covering((2,) * 32, cells, 2)) == views, (
            "equal sizes: the uniform one"
        )


@pytest.mark.slow
def test_set_cover_search_is_as_good_as_an_integer_program(rng):
    for _ in range(8):
        sizes = rng.integers(2, 8, size=8).tolist()
        wanted = [s for s in combinations(range(8), 2) if cells_of(sizes, s) <= 60]
        views = maximal_views(sizes, 60)
        holds = np.array([[set(s) <= set(v) for v in views] for s in wanted], dtype=float)
        ones = np.ones(len(views))
        optimum = milp(ones, constraints=LinearConstraint(holds, lb=1), integrality=1).fun
        chosen = smallest_cover(views, wanted)
        assert all(any(set(s) <= set(v) for v in chosen) for s in wanted)
        assert len(chosen) == round(optimum)


def test_maximal_views_by_enumeration():
    sizes, cells = (2, 3, 5, 2, 4), 24
    fits = {s for n in range(6) for s in combinations(range(5), n) if cells_of(sizes, s) <= cells}
    maximal = {s for s in fits if not any(set(s) < set(other) for other in fits)}
    assert set(maximal_views(sizes, cells)) == maximal


def test_partial_mixed_views_stay_within_the_budget():
    blocks = choose_mixed_blocks(PAPER_DOMAIN, 500, 30)
    assert len(set(blocks)) == 30
    assert all(cells_of(PAPER_DOMAIN, b) <= 500 for b in blocks)
    assert appearances(blocks, 10).min() >= 5
    with pytest.raises(InputError, match="no more views"):
        choose_mixed_blocks((2, 3, 3), 6, 9)
