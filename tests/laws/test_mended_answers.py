"""Cells made non-negative are a distribution, for every method and however loud the noise."""

from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.methods import METHODS
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain

BINARY = ("fourier", "fourier_lp", "learning")
OPTIONS = [
    (name, option)
    for name, method in METHODS.items()
    for option in (
        NONNEGATIVITY if "nonnegativity" in {f.name for f in fields(method)} else (None,)
    )
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option"), OPTIONS)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(30, 60), binary=st.booleans())
def test_mended_answers_are_distributions(name, option, seed, n, binary):
    sizes = (2, 2, 2) if binary or name in BINARY else (2, 3, 1)
    data = Dataset.from_codes(
        np.random.default_rng(seed).integers(0, sizes, size=(n, 3)), Domain(tuple("abc"), sizes)
    )
    chosen = {} if option is None else {"nonnegativity": option}
    method = METHODS[name](epsilon=0.01, k=2, **chosen)
    answer = method.release(data, rng=np.random.default_rng(seed + 1))
    for query in (*combinations("abc", 2), *combinations("abc", 1)):
        cells = answer.marginal(query).values
        assert np.isfinite(cells).all()
        if option not in (None, "none") or name in ("em", "uni", "mwem"):
            assert cells.min() >= 0
            assert cells.sum() == pytest.approx(1, abs=1e-9)
