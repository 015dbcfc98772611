"""Whatever the views, sizes and noise, CALM+ answers with distributions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calm_core as cc
from calm_core.inference.shrinkage.answers import infer_plus


@st.composite
def noisy_marginals(draw):
    sizes = tuple(draw(st.lists(st.integers(1, 5), min_size=2, max_size=8)))
    domain = cc.Domain(tuple(f"x{i}" for i in range(len(sizes))), sizes)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tables, variances, users = [], [], []
    for _ in range(draw(st.integers(1, 6))):
        size = int(rng.integers(1, min(3, len(sizes)) + 1))
        names = domain.canonical(domain.names[i] for i in rng.permutation(len(sizes))[:size])
        shape = domain.shape_of(names)
        sd = 10.0 ** draw(st.integers(-12, 2))
        # Some tables are nearly empty but for one cell, some even.
        table = rng.dirichlet(np.full(int(np.prod(shape)), 10.0 ** rng.integers(-2, 2)))
        values = table.reshape(shape) + rng.normal(0, sd, shape)
        tables.append(cc.Marginal(domain.project(names), values))
        variances.append(sd**2)
        users.append(int(rng.integers(0, 1000)))
    return cc.NoisyMarginals(domain, tuple(tables), tuple(variances), tuple(users))


@pytest.mark.slow
@settings(max_examples=25)
@given(noisy_marginals(), st.data())
def test_every_answer_is_a_distribution(noisy, data):
    names = noisy.domain.names
    k = data.draw(st.integers(1, len(names)))
    query = tuple(data.draw(st.permutations(names))[:k])
    plus = infer_plus(noisy)
    answer = plus.marginal(query)
    assert cc.is_distribution(answer)
    assert answer.attrs == noisy.domain.canonical(query)
    assert [m.values.tolist() for m in plus.marginals([query])] == [answer.values.tolist()]
