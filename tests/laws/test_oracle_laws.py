"""Laws that hold for every frequency oracle, whatever its parameters."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from calm_core.oracles import ORACLES

epsilons = st.floats(0.01, 16)
sizes = st.integers(1, 40)
oracles = st.builds(
    lambda name, epsilon, size: ORACLES[name](epsilon, size),
    st.sampled_from(tuple(ORACLES)),
    epsilons,
    sizes,
)
seeds = st.integers(0, 2**32)


@given(oracles, seeds, st.integers(0, 60))
@settings(max_examples=150)
def test_reports_support_between_none_and_all(oracle, seed, n):
    rng = np.random.default_rng(seed)
    values = rng.integers(oracle.size, size=n)
    counts = np.bincount(values, minlength=oracle.size)
    reports = oracle.perturb(values, rng=rng)
    assert len(reports) == n
    for support in (oracle.support(reports), oracle.simulate(counts, rng=rng)):
        assert support.shape == (oracle.size,) and support.dtype == np.int64
        assert support.min() >= 0 and support.max() <= n
        if oracle.fixed_support:
            assert support.sum() == n * getattr(oracle, "width", 1)
