"""Answers take the names of attributes in any form."""

import numpy as np
import pytest

import calm_core as cc


def answer_of(name: str, attributes: tuple[str, ...] = ("a", "b", "c")) -> cc.Answer:
    domain = cc.Domain(attributes, (2, 2, 2))
    codes = np.random.default_rng(1).integers(0, 2, size=(4000, 3))
    data = cc.Dataset.from_codes(codes, domain)
    return cc.METHODS[name](epsilon=1.0, k=2).release(data, rng=np.random.default_rng(2))


@pytest.mark.parametrize("name", cc.METHODS)
def test_one_attribute_may_be_named_without_a_tuple(name):
    answer = answer_of(name, ("sex", "age", "vote"))
    assert answer.covers("sex") == answer.covers(("sex",))
    np.testing.assert_array_equal(answer.marginal("sex").values, answer.marginal(["sex"]).values)
    assert answer.marginal(("vote", "sex")).attrs == ("sex", "vote")
