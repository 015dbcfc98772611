"""Microdata keep the tables of a release, whichever method made it, and only what was released."""

from importlib import import_module
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.errors import InfeasibleError, InputError
from calm_core.methods.base import Answer, KWayAnswer
from calm_core.methods.uniform import UniformAnswer

# The package shows the function of the same name.
MODULE = import_module("calm_core.release.microdata")


def make_people(d=6, n=20_000) -> cc.Dataset:
    """Two kinds of people with very different chances of every yes."""
    rng = np.random.default_rng(1)
    chances = np.where(rng.random((n, 1)) < 0.4, np.linspace(0.6, 0.9, d), np.linspace(0.1, 0.3, d))
    domain = cc.Domain(tuple("abcdefghijklmnop"[:d]), (2,) * d, (("no", "yes"),) * d)
    return cc.Dataset.from_codes((rng.random((n, d)) < chances).astype(int), domain)


class ExactAnswer(Answer):
    """Exact tables, of at most k attributes if k is given."""

    def __init__(self, dataset: cc.Dataset):
        self.dataset, self.domain = dataset, dataset.domain

    def marginal(self, attrs):
        return self.dataset.marginal(attrs)


class ExactKWayAnswer(ExactAnswer, KWayAnswer):
    k = 2

    def marginal(self, attrs):
        if len(attrs) > self.k:
            raise AssertionError("larger tables than k were asked for")
        return super().marginal(attrs)


@pytest.mark.parametrize("method", [name for name in cc.METHODS if name != "fourier_lp"])
def test_rows_are_about_as_close_to_the_truth_as_the_release(method):
    people, rng, n = make_people(), np.random.default_rng(2), 5000
    answer = cc.METHODS[method](epsilon=1.0, k=3).release(people, rng=rng)
    truth = people.marginals(list(combinations(people.domain.names, 3)))
    card = cc.release.score_card(answer, cc.release.microdata(answer, n=n, rng=rng), truth=truth)
    assert (card.rows, card.k, card.tables) == (n, 3, 20)
    # Central methods are so close that counting whole rows is what is left.
    assert card.error_ratio < 1.05 or card.sse < 30 / n**2
    assert card.error_ratio < 1.05 or cc.METHODS[method].trust == "central"


def card_of(answer: Answer, n: int, seed: int):
    """The score card of invented rows."""
    rows = cc.release.microdata(answer, n=n, rng=np.random.default_rng(seed))
    return cc.release.score_card(answer, rows)


@pytest.mark.parametrize("n", [1, 2, 30, 300])
def test_few_rows_are_as_close_as_whole_rows_can_be(n):
    card = card_of(ExactAnswer(make_people(n=3000)), n, 3)
    # Rows drawn independently have (1 - sum of squares) / n, about 0.8 / n.
    assert card.rows == n and card.sse < min(0.9, 4 / n**1.5)


def test_the_table_of_all_attributes_is_kept_where_it_is_small():
    codes = np.array([bits for bits in np.ndindex(2, 2, 2, 2) if sum(bits) % 2 == 0])
    domain = cc.Domain(tuple("abcd"), (2, 2, 2, 2))
    answer = ExactAnswer(cc.Dataset.from_codes(np.tile(codes, (100, 1)), domain))
    rows = cc.release.microdata(answer, n=800, rng=np.random.default_rng(4))
    # Every table of three attributes is uniform; only that of all four says that the number of ones is even.
    assert (rows.astype(int).sum(axis=1) % 2 == 0).mean() > 0.95


def test_tables_larger_than_those_released_are_not_asked_for():
    card = card_of(ExactKWayAnswer(make_people()), 500, 5)
    assert (card.k, card.tables) == (2, 15)


def test_many_tables_are_all_pairs_and_some_of_the_larger_ones(monkeypatch):
    asked = []

    class Recorder(ExactAnswer):
        def marginals(self, queries):
            asked.extend(queries)
            return super().marginals(queries)

    monkeypatch.setattr(MODULE, "MAX_TABLES", 60)
    people = make_people(d=10, n=4000)
    rows = cc.release.microdata(Recorder(people), n=2000, rng=np.random.default_rng(6))
    assert set(combinations(people.domain.names, 2)) < set(asked) and len(asked) == 60
    card = cc.release.score_card(ExactAnswer(people), rows)
    assert card.tables == 60 and card.sse < 1e-4


def test_information_that_is_lost_shows_in_the_card():
    people = make_people()
    answer, independent = ExactAnswer(people), people.codes.copy()
    rng = np.random.default_rng(7)
    for column in independent.T:
        rng.shuffle(column)
    labels = np.array(["no", "yes"])
    rows = pd.DataFrame(labels[independent], columns=list(people.domain.names))
    card = cc.release.score_card(answer, rows, truth=people.marginals([("a", "b")]))
    assert card.information_kept < 0.01 and card.wrong_cell_share > 5
    assert card.error_ratio == np.inf
    kept = cc.release.score_card(answer, pd.DataFrame(labels[people.codes], columns=rows.columns))
    assert (kept.information_kept, kept.sse) == (pytest.approx(1), 0.0)


def test_rows_depend_on_the_generator_alone_and_repeat_after_a_limit(monkeypatch):
    monkeypatch.setattr(MODULE, "MAX_DISTINCT", 50)
    answer = ExactAnswer(make_people(d=3, n=500))
    first, again, other = (
        cc.release.microdata(answer, n=120, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first.equals(again) and not first.equals(other)
    assert first[:50].equals(first[50:100].reset_index(drop=True)) and len(first) == 120


def test_blocks_of_rows_are_fitted_together_at_last(monkeypatch):
    monkeypatch.setattr(MODULE, "BLOCK", 64)
    card = card_of(ExactAnswer(make_people(d=4)), 6400, 8)
    # A block of 64 is off by about a whole row in a cell of a hundred; all of them together hardly are.
    assert card.sse < 1e-5


def test_what_cannot_be_made_is_refused_in_a_sentence():
    rng = np.random.default_rng(9)
    answer = UniformAnswer(cc.Domain(("a", "b"), (2, 3)))
    for n in (0, -1, 1.5):
        with pytest.raises(InputError, match="rows"):
            cc.release.microdata(answer, n=n, rng=rng)
    with pytest.raises(InputError, match="Generator"):
        cc.release.microdata(answer, n=1, rng=1)
    with pytest.raises(InfeasibleError, match="fewer attributes or merge values"):
        cc.release.microdata(UniformAnswer(cc.Domain(("a", "b"), (3000, 3000))), n=1, rng=rng)
    rows = cc.release.microdata(answer, n=3, rng=rng)
    with pytest.raises(InputError, match="columns of the release"):
        cc.release.score_card(answer, rows[["b", "a"]])
    with pytest.raises(InputError, match="columns of the release"):
        cc.release.score_card(answer, rows[:0])
    with pytest.raises(InputError, match="'b' has values"):
        cc.release.score_card(answer, rows.assign(b="7"))


def test_a_card_compares_some_tables_where_there_are_many():
    domain = cc.Domain(tuple(f"a{i}" for i in range(100)), (2,) * 100)
    rows = pd.DataFrame("0", index=range(3), columns=list(domain.names))
    assert cc.release.score_card(UniformAnswer(domain), rows).tables == 1000
