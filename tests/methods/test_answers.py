"""Answers declare what can be asked of them beside marginals, and keep to it."""

import numpy as np
import pytest

import calm_core as cc

WAYS = {
    "plan": lambda answer: answer.plan,
    "reports": lambda answer: answer.reports,
    "views": lambda answer: (answer.noisy, answer.views),
    "intervals": lambda answer: (
        answer.interval(("a", "b")), answer.interval_of_sum(("a", "b"), np.eye(2, dtype=bool)),
    ),
    "explain": lambda answer: answer.explain(("a", "b")),
}  # fmt: skip


def answer_of(name: str, attributes: tuple[str, ...] = ("a", "b", "c")) -> cc.Answer:
    domain = cc.Domain(attributes, (2, 2, 2))
    codes = np.random.default_rng(1).integers(0, 2, size=(4000, 3))
    data = cc.Dataset.from_codes(codes, domain)
    return cc.METHODS[name](epsilon=1.0, k=2).release(data, rng=np.random.default_rng(2))


@pytest.mark.parametrize("name", cc.METHODS)
def test_an_answer_offers_what_it_says_and_nothing_else(name):
    answer = answer_of(name)
    assert answer.offers <= set(WAYS)
    for way, ask in WAYS.items():
        if way in answer.offers:
            assert ask(answer) is not None
        else:
            with pytest.raises((AttributeError, TypeError)):
                ask(answer)


@pytest.mark.parametrize("name", cc.METHODS)
def test_one_attribute_may_be_named_without_a_tuple(name):
    answer = answer_of(name, ("sex", "age", "vote"))
    assert answer.covers("sex") == answer.covers(("sex",))
    np.testing.assert_array_equal(answer.marginal("sex").values, answer.marginal(["sex"]).values)
    assert answer.marginal(("vote", "sex")).attrs == ("sex", "vote")
