"""What holds for every covering, partial and mixed design, whatever the arguments."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calm_core.designs import mixed_covering
from calm_core.designs.covering import covering_size, find_covering
from calm_core.designs.mixed_covering import cells_of, choose_mixed_blocks, find_mixed_covering
from calm_core.designs.partial_covering import choose_blocks
from tests.reference.mixed_coverings import is_mixed_covering


@st.composite
def designs(draw, most=26):
    d = draw(st.integers(2, most))
    k = draw(st.integers(1, min(d + 2, 12)))
    t = draw(st.integers(1, min(k, d, 4)))
    return d, k, t


@settings(max_examples=40)
@given(designs())
def test_found_designs_cover_and_never_beat_the_lower_bound(design):
    d, k, t = design
    blocks = find_covering(d, k, t)
    assert is_mixed_covering(blocks, (2,) * d, 2 ** min(k, d), t)
    assert {len(block) for block in blocks} == {min(k, d)}
    assert len(blocks) == covering_size(d, k, t)
    bound = 1  # Schoenheim's
    for i in range(t - 1, -1, -1):
        bound = -(-(d - i) * bound // (k - i))
    assert k >= d or len(blocks) >= bound


@settings(max_examples=40)
@given(designs())
def test_sizes_are_monotone(design):
    d, k, t = design
    size = covering_size(d, k, t)
    assert covering_size(d + 1, k, t) >= size
    assert covering_size(d, k + 1, t) <= size
    if t > 1:
        assert covering_size(d, k, t - 1) <= size


@settings(max_examples=40)
@given(st.integers(2, 20), st.integers(1, 8), st.floats(0, 1))
def test_partial_designs(d, k, share):
    k = min(k, d)
    every = math.comb(d, k)
    m = max(1, min(every, round(share * min(every, 200))))
    blocks = choose_blocks(d, k, m)
    assert blocks == tuple(sorted(set(blocks))) and len(blocks) == m
    assert all(len(set(b)) == k and b == tuple(sorted(b)) for b in blocks)
    assert blocks == choose_blocks(d, k, m)
    for t in range(1, k):
        held = len({s for b in blocks for s in combinations(b, t)})
        if covering_size(d, k, t) <= m:
            assert held == math.comb(d, t)
    used = np.bincount(np.ravel(blocks), minlength=d)
    assert m * k < d or used.min() >= 1


@pytest.fixture(scope="module")
def short_search():
    """What holds for every covering holds for one that was searched for a tenth of the time."""
    coverings = mixed_covering.find_mixed_covering, mixed_covering.covering_that_fits
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixed_covering, "MAX_STEPS", 400)
        for cached in coverings:
            cached.cache_clear()
        yield
    for cached in coverings:
        cached.cache_clear()


@st.composite
def mixed(draw):
    sizes = draw(st.lists(st.integers(1, 9), min_size=2, max_size=9))
    return tuple(sizes), draw(st.integers(2, 300)), draw(st.integers(1, min(3, len(sizes))))


@pytest.mark.usefixtures("short_search")
@settings(max_examples=40)
@given(mixed())
def test_mixed_coverings_hold_all_and_keep_the_budget(case):
    sizes, cells, t = case
    views = find_mixed_covering(sizes, cells, t)
    assert is_mixed_covering(views, sizes, cells, t)
    assert len(set(views)) == len(views)
    for view in views:
        assert cells_of(sizes, view) <= cells or len(view) == t
    for i in range(len(views)):
        rest = views[:i] + views[i + 1 :]
        held = {s for v in rest for s in combinations(v, t)}
        assert is_mixed_covering(rest, sizes, cells, t) is (len(held) == math.comb(len(sizes), t))


@pytest.mark.usefixtures("short_search")
@settings(max_examples=40)
@given(mixed(), st.integers(1, 12))
def test_partial_mixed_designs(case, m):
    sizes, cells, _ = case
    number = sum(
        cells_of(sizes, v) <= cells
        for n in range(1, len(sizes) + 1)
        for v in combinations(range(len(sizes)), n)
    )
    m = min(m, number)
    if m == 0:
        return
    views = choose_mixed_blocks(sizes, cells, m)
    assert len(set(views)) == m
    assert all(v == tuple(sorted(set(v))) for v in views)
    assert all(cells_of(sizes, v) <= cells or len(v) == 1 for v in views)
