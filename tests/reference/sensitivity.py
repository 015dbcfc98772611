"""An account, kept from outside, of the epsilon that a method of a trusted curator spends.

A method is run twice: on some records, and on records with one user changed, with the same published
number of users. The second run is given the same noisy numbers and the same selections as the first,
so that what is noised later depends on the same past, as composition demands. What the two runs put
into the noise is compared: numbers a and b with Laplace noise of scale s spend |a - b| / s, a
selection among scores spends at most the range of their differences over its scale. Everything else
the runs do must then be equal, or the records leave by another way than through the noise.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations, permutations
from unittest.mock import patch

import numpy as np

from calm_core.methods.central.base import CentralMethod
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain


@dataclass(frozen=True, eq=False)
class Published(Dataset):
    """Records with a published number of users, which need not be theirs."""

    users: int

    @property
    def n(self) -> int:
        """The published number."""
        return self.users


@dataclass(frozen=True)
class Step:
    """One use of noise: what went in, the scale, and what came out."""

    kind: str
    given: np.ndarray
    scale: float
    out: object


@contextmanager
def record_noise(past: list[Step] | None = None) -> Iterator[list[Step]]:
    """All uses of noise, in order; with a past, each gives what it gave then."""
    steps: list[Step] = []

    def listening(kind):
        real = getattr(CentralMethod, kind)

        def used(self, given, scale, *, rng):
            if past is None:
                out = real(self, given, scale, rng=rng)
            else:
                then = past[len(steps)]
                assert (kind, scale, given.shape) == (then.kind, then.scale, then.given.shape)
                out = then.out
            steps.append(Step(kind, np.array(given, dtype=float), scale, out))
            return out

        return patch.object(CentralMethod, kind, used)

    with listening("add_noise"), listening("select"):
        yield steps


def step_spends(one: Step, other: Step) -> float:
    """Epsilon that one use of noise spends on telling two data sets apart."""
    if one.kind == "add_noise":
        # Integer noise hides whole numbers only.
        assert np.array_equal(one.given, np.rint(one.given))
        return float(np.abs(one.given - other.given).sum() / one.scale)
    barred = np.isneginf(one.given)
    assert np.array_equal(barred, np.isneginf(other.given))
    moved = one.given[~barred] - other.given[~barred]
    return float((moved.max() - moved.min()) / one.scale)


def neighbors(codes: np.ndarray, *, replace: bool) -> Iterator[np.ndarray]:
    """The records without one user, or with one user's record replaced by another's."""
    kinds, first = np.unique(codes, axis=0, return_index=True)
    if not replace:
        yield from (np.delete(codes, row, axis=0) for row in first)
        return
    for (_, row), (record, _) in permutations(zip(kinds, first), 2):
        changed = codes.copy()
        changed[row] = record
        yield changed


def account(
    method: CentralMethod, codes: np.ndarray, domain: Domain, *, rng, replace: bool = False
) -> list[float]:
    """Epsilon spent on every neighbor of the records, n public; the answers must be the same."""
    users = len(codes)
    queries = list(combinations(domain.names, method.k))

    def released(rows, past=None):
        with record_noise(past) as steps:
            answer = method.release(Published(rows, domain, users), rng=rng)
        return steps, [table.values for table in answer.marginals(queries)]

    past, tables = released(codes)
    spent = []
    for rows in neighbors(codes, replace=replace):
        steps, others = released(rows, past)
        assert len(steps) == len(past)
        assert all(np.allclose(a, b, rtol=0, atol=1e-9) for a, b in zip(tables, others))
        spent.append(sum(step_spends(a, b) for a, b in zip(past, steps)))
    return spent
