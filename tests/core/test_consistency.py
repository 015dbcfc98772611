"""Consistency: the closed form against the procedure of the papers."""

import itertools

import numpy as np
import pytest

from calm_core.aggregating import NoisyMarginals
from calm_core.consistency import is_consistent, make_consistent
from calm_core.domain import Domain
from calm_core.marginal import Marginal
from tests.reference.topological import topological_consistency


def noisy_views(domain, views, rng, *, noise=0.05, equal=False) -> NoisyMarginals:
    """Views of a random population with unequal noise on every cell."""
    truth = rng.dirichlet(np.full(domain.cells_of(domain.names), 0.3)).reshape(domain.sizes)
    spread = [noise * (1 if equal else rng.uniform(0.3, 3)) for _ in views]
    tables = []
    for view, sigma in zip(views, spread):
        exact = Marginal(domain, truth).project(view)
        tables.append(
            Marginal(exact.domain, exact.values + sigma * rng.normal(size=exact.values.shape))
        )
    return NoisyMarginals(domain, tuple(tables), tuple(s**2 for s in spread), (100,) * len(views))


def letters(count: int) -> tuple[str, ...]:
    return tuple("abcdefghijkl"[:count])


CASES = {
    "binary pairs": ((2,) * 5, tuple(itertools.combinations(letters(5), 2))),
    "binary mixed sizes": (
        (2,) * 6,
        (("a", "b", "c"), ("c", "d"), ("b", "c", "d", "e"), ("f",), ("a", "f", "e")),
    ),
    "categorical": ((3, 2, 4, 2), (("a", "b", "c"), ("b", "c", "d"), ("a", "d"), ("c",))),
    "one value": ((3, 1, 2, 5), (("a", "b"), ("b", "c", "d"), ("a", "d"))),
    "same view twice": ((2, 3, 2), (("a", "b"), ("a", "b"), ("b", "c"))),
}


@pytest.mark.parametrize("weights", ["precision", "equal"])
@pytest.mark.parametrize("case", CASES)
def test_closed_form_equals_topological_procedure(case, weights, rng):
    sizes, views = CASES[case]
    noisy = noisy_views(Domain(letters(len(sizes)), sizes), views, rng)
    ours = make_consistent(noisy, nonnegativity="none", weights=weights).tables
    theirs = topological_consistency(noisy, weights=weights)
    for one, other in zip(ours, theirs):
        np.testing.assert_allclose(one.values, other.values, rtol=0, atol=1e-12)
    assert is_consistent(ours, 1e-12)
