"""What passes between the phases refuses to exist when it cannot be: Plan, Reports, NoisyMarginals."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection.simulation import Reports, ViewReports
from calm_core.oracles import GRR

DOMAIN = cc.Domain(("sex", "age", "vote"), (2, 3, 3))
PLAN = cc.make_plan(DOMAIN, 1000, epsilon=1.0, k=2, l=2, m=3, rng=np.random.default_rng(1))
VIEW = ViewReports(("sex", "age"), GRR(1.0, 6), [40, 10, 10, 20, 10, 10], 100)
TABLE = cc.Marginal(DOMAIN.project(("sex", "age")), np.full((2, 3), 1 / 6))
NOISY = cc.NoisyMarginals(DOMAIN, (TABLE,), (0.1,), (100,), (0.2,))


def turned(table: cc.Marginal) -> cc.Marginal:
    """The same table with its axes in another order than the domain has them."""
    names, sizes = table.attrs[::-1], table.domain.sizes[::-1]
    return cc.Marginal(cc.Domain(names, sizes), table.values.T)


SQUARE = cc.Marginal(DOMAIN.project(("age", "vote")), np.full((3, 3), 1 / 9))


@pytest.mark.parametrize(
    ("good", "wrong"),
    [
        (PLAN, {"n": 0}),
        (PLAN, {"n": 10.5}),
        (PLAN, {"epsilon": 0.0}),
        (PLAN, {"epsilon": math.nan}),
        (PLAN, {"k": 4}),
        (PLAN, {"theta": 2.0}),
        (PLAN, {"views": ()}),
        (PLAN, {"views": PLAN.views[:2]}),
        (PLAN, {"views": (("age", "sex"), *PLAN.views[1:])}),
        (PLAN, {"views": (("height",), *PLAN.views[1:])}),
        (PLAN, {"views": ((), *PLAN.views[1:])}),
        (PLAN, {"oracles": (GRR(1.0, 7), *PLAN.oracles[1:])}),
        (PLAN, {"weights": (1.0, 2.0)}),
        (PLAN, {"weights": (1.0, 2.0, -1.0)}),
        (PLAN, {"weights": (0.0, 0.0, 0.0)}),
        (PLAN, {"weights": (math.nan, 1.0, 1.0)}),
        (PLAN, {"weights": (math.inf, 1.0, 1.0)}),
        (VIEW, {"support": [1, 2, 3]}),
        (VIEW, {"support": [101, 0, 0, 0, 0, 0]}),
        (VIEW, {"support": [-1, 0, 0, 0, 0, 0]}),
        (VIEW, {"support": [0.5, 0, 0, 0, 0, 0]}),
        (VIEW, {"n": -1}),
        (VIEW, {"n": 100.5}),
        (Reports(DOMAIN, (VIEW,)), {"views": ()}),
        (Reports(DOMAIN, (VIEW,)), {"views": (replace(VIEW, attrs=("age", "sex")),)}),
        (Reports(DOMAIN, (VIEW,)), {"views": (replace(VIEW, attrs=("age", "vote")),)}),
        (Reports(DOMAIN, (VIEW,)), {"views": (replace(VIEW, attrs=("height",)),)}),
        (NOISY, {"tables": ()}),
        (NOISY, {"tables": (TABLE, TABLE)}),
        (NOISY, {"tables": (turned(TABLE),)}),
        (NOISY, {"tables": (turned(SQUARE),)}),
        (NOISY, {"variances": (-0.1,)}),
        (NOISY, {"variances": (math.nan,)}),
        (NOISY, {"contrast_variances": (math.nan,)}),
        (NOISY, {"users": (-1,)}),
        (NOISY, {"users": (0.5,)}),
        (TABLE, {"values": [[1.0, 2.0]]}),
        (TABLE, {"values": np.full((2, 3), math.inf)}),
    ],
)
def test_what_cannot_be_is_refused(good, wrong):
    assert type(replace(good)) is type(good)
    with pytest.raises(cc.InputError):
        replace(good, **wrong)


def test_a_raw_marginal_comes_from_the_smallest_view():
    """Wherever it stands among the views; one that no view holds is refused."""
    tables = [
        cc.Marginal(DOMAIN.project(attrs), np.full(DOMAIN.shape_of(attrs), value))
        for attrs, value in ((("sex", "age", "vote"), 1.0), (("sex", "age"), 2.0), (("sex",), 3.0))
    ]
    for order in permutations(tables):
        noisy = cc.NoisyMarginals(DOMAIN, order, (0.1,) * 3, (100,) * 3)
        assert noisy.marginal(("sex",)).values.tolist() == [3.0, 3.0]
        assert noisy.marginal(("age",)).values.tolist() == [4.0, 4.0, 4.0]
        assert noisy.marginal(("vote", "age")).values.max() == 2.0
    with pytest.raises(cc.InputError, match="no view covers vote"):
        NOISY.marginal(("vote",))
    # However the attributes are given: an iterator ends at the first view.
    small = cc.NoisyMarginals(DOMAIN, tuple(tables[1:]), (0.1,) * 2, (100,) * 2)
    assert small.covers(map(str, ("age", "sex"))) and not small.covers(map(str, ("sex", "vote")))
