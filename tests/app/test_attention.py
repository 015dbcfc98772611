"""Long work ends where nobody waits for it: loops of the library ask, and pages say how."""

import numpy as np
import pytest

from calm_core import Dataset, Domain
from calm_core.evaluation.run import run
from calm_core.inference.nonnegativity import ripple
from calm_core.methods import METHODS, make_method
from calm_core.methods.base import ReportingMethod
from calm_core.runtime.cancellation import cancellable


class WaitingEnded(Exception):
    """Nobody waits any more."""


CODES = np.random.default_rng(5).integers(0, 2, size=(4_000, 10))
DATA = Dataset.from_codes(CODES, Domain(tuple("abcdefghij"), (2,) * 10))


def asks_of(work) -> int:
    """How often a work asks whether it is wanted."""
    asked = []
    with cancellable(lambda: asked.append(1)):
        work()
    return len(asked)


def collects_nothing(kind) -> bool:
    return getattr(kind, "uses_counts_only", False) and kind.plan is ReportingMethod.plan


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        n
        for n, kind in METHODS.items()
        if n not in ("flat", "matrix") and not collects_nothing(kind)
    ],
)
def test_a_run_asks_and_can_be_ended(name):
    def work():
        run(DATA, make_method(name, epsilon=1.0, k=3), seed=1, queries=20)

    asks = asks_of(work)
    assert asks >= 10
    left = iter(range(asks // 2))

    def ask():
        if next(left, None) is None:
            raise WaitingEnded

    with cancellable(ask), pytest.raises(WaitingEnded):
        work()


def test_a_table_that_ripples_for_long_can_be_left(rng):
    table = rng.normal(1 / 2**10, 0.01, (1, *(2,) * 10))
    assert asks_of(lambda: ripple(table)) > 10
