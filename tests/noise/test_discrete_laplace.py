"""Integer noise against another implementation: OpenDP's discrete Laplace."""

import numpy as np
import pytest

from calm_core.methods.central.base import discrete_laplace

dp = pytest.importorskip("opendp.prelude", reason="needs the package opendp")
dp.enable_features("contrib")
DRAWS, EDGE = 20_000, 8


def theirs(scale: float) -> np.ndarray:
    """As many draws of OpenDP's mechanism on zeros."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    return np.array((space >> dp.m.then_laplace(scale=scale))([0] * DRAWS))


def difference(first: np.ndarray, second: np.ndarray) -> float:
    """Chi-square of two samples of equal size over -8..8, the tails joined: 16 degrees of freedom."""
    counts = [
        np.bincount(np.clip(x, -EDGE, EDGE) + EDGE, minlength=2 * EDGE + 1) for x in (first, second)
    ]
    return float(((counts[0] - counts[1]) ** 2 / np.maximum(counts[0] + counts[1], 1)).sum())


@pytest.mark.parametrize("scale", [0.7, 2.0])
def test_integer_noise_is_distributed_as_opendps(scale):
    # 16 degrees of freedom: above 65 less than once in 10^7 runs, where the laws are equal.
    ours = discrete_laplace((DRAWS,), scale)
    assert difference(ours, theirs(scale)) < 65
    assert difference(ours, theirs(1.3 * scale)) > 65


def test_the_budget_of_integer_noise_is_opendps():
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    mechanism = space >> dp.m.then_laplace(scale=2.0)
    assert mechanism.map(d_in=1) == pytest.approx(1 / 2.0)
