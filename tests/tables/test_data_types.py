"""Domain, Marginal and Dataset refuse what cannot be, and compute the obvious."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import calm_core as cc
from calm_core.methods.calm_binary import BinaryEncoding


@pytest.fixture
def domain():
    return cc.Domain(("sex", "age", "vote"), (2, 3, 4))


@pytest.mark.parametrize(
    "wrong",
    [
        {"names": (), "sizes": ()},
        {"names": ("a", "a"), "sizes": (2, 2)},
        {"names": ("a", ""), "sizes": (2, 2)},
        {"names": ("a", "b"), "sizes": (2,)},
        {"names": ("a",), "sizes": (2, 3)},
        {"names": ("a", "b"), "sizes": (2, 0)},
        {"names": ("a", "b"), "sizes": (2, 2.5)},
        {"names": ("a",), "sizes": (2,), "labels": (("x",),)},
    ],
)
def test_domain_refuses(wrong):
    with pytest.raises(cc.InputError):
        cc.Domain(**wrong)


def test_attributes_come_in_domain_order(domain):
    assert domain.canonical(("vote", "sex")) == ("sex", "vote")
    assert domain.shape_of(("vote", "sex")) == (2, 4)
    with pytest.raises(cc.InputError, match="height"):
        domain.positions(("height",))
    with pytest.raises(cc.InputError, match="distinct"):
        domain.positions(("sex", "sex"))


def test_too_many_cells_are_refused_before_allocation():
    domain = cc.Domain(tuple(f"a{i}" for i in range(64)), (2,) * 64)
    with pytest.raises(cc.InfeasibleError, match="18,446,744,073,709,551,616"):
        domain.cells_of(domain.names)


def test_marginal_is_the_plain_count(domain, rng):
    codes = np.stack([rng.integers(0, c, 500) for c in domain.sizes], axis=1)
    data = cc.Dataset.from_codes(codes, domain)
    table = data.marginal(("age", "vote"))
    for a in range(3):
        for v in range(4):
            plain = sum((row[1], row[2]) == (a, v) for row in codes.tolist()) / 500
            assert table.values[a, v] == pytest.approx(plain)
    assert np.allclose(table.project(("age",)).values, data.marginal(("age",)).values)
    assert cc.is_distribution(table)


def test_codes_of_wide_attributes_do_not_overflow(rng):
    codes = rng.integers(0, 300, (1000, 2))
    data = cc.Dataset.from_codes(codes, cc.Domain(("a", "b"), (300, 300)))
    slow = np.zeros((300, 300), dtype=int)
    np.add.at(slow, tuple(codes.T), 1)
    (counts,) = data.counts([("a", "b")])
    assert (counts.reshape(300, 300) == slow).all()


@pytest.mark.parametrize(
    ("codes", "word"),
    [
        (np.zeros((0, 3), int), "no rows"),
        (np.zeros((5, 2), int), "3 attributes"),
        (np.full((5, 3), -1), "outside"),
        (np.array([[0, 0, 4]]), "vote"),
        (np.array([[0.0, 1.0, 2.0]]), "whole numbers"),
    ],
)
def test_dataset_refuses(domain, codes, word):
    with pytest.raises(cc.DataError, match=word):
        cc.Dataset.from_codes(codes, domain)
    with pytest.raises(cc.DataError, match=word):
        cc.Dataset(codes, domain)


def test_a_data_set_cannot_be_changed_into_a_wrong_one(domain):
    data = cc.Dataset([[0, 1, 2], [1, 2, 3]], domain)
    with pytest.raises(cc.DataError, match="'vote' holds the code 3"):
        replace(data, domain=cc.Domain(domain.names, (2, 3, 3)))
    with pytest.raises(FrozenInstanceError):
        data.codes = np.full((2, 3), 9)


def parts_of(data, rng):
    """Data sets that follow from a checked one, and how their rows are found in it."""
    yield data.select(data.domain.names[::-1])
    yield data.resample(250, rng=rng)
    yield data.select_users(np.arange(data.n) % 3 == 0)
    yield BinaryEncoding(data.domain).encode(data)
    yield pickle.loads(pickle.dumps(data))
    yield copy.deepcopy(data)


def test_what_follows_from_a_data_set_would_pass_its_check(domain, rng):
    codes = np.stack([rng.integers(0, c, 100) for c in domain.sizes], axis=1)
    for part in parts_of(cc.Dataset(codes, domain), rng):
        again = cc.Dataset(part.codes, part.domain)
        assert np.array_equal(again.codes, part.codes) and again.codes.dtype == np.uint8
        assert part.codes.flags.c_contiguous and not part.codes.flags.writeable


def test_what_follows_from_a_data_set_is_not_checked_again(domain, rng, monkeypatch):
    data = cc.Dataset(np.zeros((100, 3), int), domain)
    monkeypatch.setattr(cc.Dataset, "__post_init__", None)
    assert len(list(parts_of(data, rng))) == 6


def test_dataset_keeps_its_own_small_copy(domain):
    codes = np.array([[0, 1, 2], [1, 2, 3]])
    data = cc.Dataset.from_codes(codes, domain)
    codes[:] = 0
    assert data.codes.dtype == np.uint8
    assert data.codes[1].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        data.codes[0, 0] = 1


def test_resample_draws_or_duplicates(domain, rng):
    codes = np.stack([rng.integers(0, c, 100) for c in domain.sizes], axis=1)
    data = cc.Dataset.from_codes(codes, domain)
    assert data.resample(40, rng=rng).n == 40
    more = data.resample(250, rng=rng)
    assert more.n == 250
    extra = more.marginal(domain.names).values * 250 - data.marginal(domain.names).values * 200
    assert extra.min() > -1e-9
    assert extra.sum() == pytest.approx(50)


def test_too_many_users_are_refused_before_allocation(domain, rng):
    data = cc.Dataset.from_codes(np.zeros((10, domain.d), dtype=int), domain)
    with pytest.raises(cc.InfeasibleError, match="n \\(1,000,000,000,000\\) people"):
        data.resample(10**12, rng=rng)


def test_marginal_refuses_wrong_shape_and_nan(domain):
    with pytest.raises(cc.InputError, match="shape"):
        cc.Marginal(domain, np.ones((2, 3)))
    with pytest.raises(cc.InputError, match="finite"):
        cc.Marginal(domain, np.full((2, 3, 4), np.nan))
