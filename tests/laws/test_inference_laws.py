"""Laws that consistency, non-negativity and reconstruction keep for any views."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.inference.consistency import make_consistent
from calm_core.inference.nonnegativity import NONNEGATIVITY, make_nonnegative
from calm_core.inference.reconstruction.answers import reconstruct
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, is_distribution
from tests.reference.agreement import is_consistent

NAMES = tuple("abcdef")
seeds = st.integers(0, 2**32 - 1)
# Cases differ much in size, and machines are shared: no time limit per case.
laws = settings(max_examples=60)


@st.composite
def noisy_marginals(draw) -> NoisyMarginals:
    """Any views over up to six attributes of up to four values, with any noise."""
    d = draw(st.integers(2, 6))
    sizes = draw(st.lists(st.integers(1, 4), min_size=d, max_size=d))
    domain = Domain(NAMES[:d], tuple(sizes))
    view = st.sets(st.sampled_from(NAMES[:d]), min_size=1, max_size=4)
    views = [domain.canonical(v) for v in draw(st.lists(view, min_size=1, max_size=7))]
    rng = np.random.default_rng(draw(seeds))
    noise = draw(st.sampled_from([1e-3, 0.05, 1.0]))
    tables, variances = [], []
    for attrs in views:
        shape = domain.shape_of(attrs)
        variances.append(float(noise**2 * rng.uniform(0.2, 5)))
        exact = rng.dirichlet(np.ones(int(np.prod(shape)))).reshape(shape)
        values = exact + np.sqrt(variances[-1]) * rng.normal(size=shape)
        tables.append(Marginal(domain.project(attrs), values))
    return NoisyMarginals(domain, tuple(tables), tuple(variances), (1,) * len(tables))


@st.composite
def noisy_batches(draw) -> np.ndarray:
    """Three tables of one shape with totals of 1 and negative cells."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(seeds))
    batch = rng.normal(scale=draw(st.sampled_from([0.1, 1, 30])), size=(3, *sizes))
    cells = tuple(range(1, batch.ndim))
    return batch + (1 - batch.sum(axis=cells, keepdims=True)) / np.prod(sizes)


@laws
@given(noisy_marginals())
def test_consistency_is_idempotent(noisy):
    once = make_consistent(noisy, nonnegativity="none").tables
    again = NoisyMarginals(noisy.domain, once, noisy.variances, noisy.users)
    for one, other in zip(once, make_consistent(again, nonnegativity="none").tables):
        np.testing.assert_allclose(one.values, other.values, rtol=0, atol=1e-12)


@laws
@given(noisy_marginals(), st.sampled_from(NONNEGATIVITY))
def test_views_agree_and_sum_to_one(noisy, nonnegativity):
    result = make_consistent(noisy, nonnegativity=nonnegativity, rounds=2)
    assert is_consistent(result.tables, 1e-11)
    assert all(abs(table.values.sum() - 1) < 1e-12 for table in result.tables)


@laws
@given(noisy_marginals())
def test_the_order_of_the_views_does_not_matter(noisy):
    turned = NoisyMarginals(
        noisy.domain, noisy.tables[::-1], noisy.variances[::-1], noisy.users[::-1]
    )
    forward, backward = (
        make_consistent(each, nonnegativity="norm_sub") for each in (noisy, turned)
    )
    for one, other in zip(forward.tables, backward.tables[::-1]):
        np.testing.assert_allclose(one.values, other.values, rtol=0, atol=1e-11)


@laws
@given(noisy_marginals(), seeds)
def test_the_order_of_the_attributes_does_not_matter(noisy, seed):
    order = np.random.default_rng(seed).permutation(noisy.domain.d)
    domain = Domain(
        tuple(noisy.domain.names[i] for i in order), tuple(noisy.domain.sizes[i] for i in order)
    )
    turns = [
        [table.attrs.index(a) for a in domain.canonical(table.attrs)] for table in noisy.tables
    ]
    tables = tuple(
        Marginal(domain.project(table.attrs), table.values.transpose(turn))
        for table, turn in zip(noisy.tables, turns)
    )
    turned = NoisyMarginals(domain, tables, noisy.variances, noisy.users)
    ours, theirs = (make_consistent(each, nonnegativity="norm_sub") for each in (noisy, turned))
    for one, other, turn in zip(ours.tables, theirs.tables, turns):
        np.testing.assert_allclose(one.values.transpose(turn), other.values, rtol=0, atol=1e-11)


@laws
@given(noisy_batches(), st.sampled_from(NONNEGATIVITY))
def test_nonnegativity_keeps_the_total(batch, name):
    result = make_nonnegative(batch, name)
    totals = result.sum(axis=tuple(range(1, batch.ndim)))
    if name == "none":
        np.testing.assert_array_equal(result, batch)
        return
    assert result.min() >= (-1e-3 / batch[0].size if name == "ripple" else 0)
    if name == "simple":
        assert (totals >= 1 - 1e-9).all()
    else:
        np.testing.assert_allclose(totals, 1, atol=1e-9)


@laws
@given(noisy_marginals(), st.sampled_from(NONNEGATIVITY), seeds)
def test_every_answer_is_a_distribution(noisy, nonnegativity, seed):
    result = make_consistent(noisy, nonnegativity=nonnegativity, rounds=1)
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, noisy.domain.d + 1))
    query = tuple(rng.choice(noisy.domain.names, size=k, replace=False).tolist())
    answer = result.marginal(query)
    assert is_distribution(answer, tol=1e-12) and answer.values.min() >= 0


@laws
@given(noisy_marginals())
def test_any_tables_at_all_can_be_reconstructed_from(noisy):
    answer, note = reconstruct(noisy.domain, noisy.tables, noisy.domain.names)
    assert is_distribution(answer, tol=1e-12) and answer.values.min() >= 0
    assert note.converged == (note.violation <= note.tolerance)
