"""Three worlds: the same data with no privacy, a trusted curator, and local privacy."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from calm_core._checks import check_count
from calm_core.evaluation.run import Run, run
from calm_core.methods import make_method
from calm_core.planning.algorithm1 import check_users
from calm_core.planning.expected_error import expected_sse
from calm_core.planning.plan import make_plan
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain

CURATOR, LOCAL = "priview", "calm"
MOST_USERS = 10**12


@dataclass(frozen=True, eq=False)
class Worlds:
    """One data set, seed and epsilon in the two private worlds; the truth is the third.

    Attributes
    ----------
    curator, local : Run
        PriView's and CALM's release of the same rows, asked the same queries.
    """

    curator: Run
    local: Run

    @property
    def price(self) -> float:
        """How many times larger the local mean SSE is than the curator's."""
        return float(self.local.scores.sse.mean() / max(self.curator.scores.sse.mean(), 1e-300))


def three_worlds(
    dataset: Dataset,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    seed: int,
    n: int | None = None,
    queries: int = 50,
    repetition: int = 0,
) -> Worlds:
    """Release the same rows with a trusted curator and without one.

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> worlds = three_worlds(Dataset.from_codes(codes, domain), epsilon=1.0, k=2, seed=1)
    >>> worlds.price > 1
    True
    """
    runs = [
        run(
            dataset,
            make_method(name, epsilon=epsilon, k=k, theta=theta),
            seed=seed,
            n=n,
            queries=queries,
            repetition=repetition,
        )
        for name in (CURATOR, LOCAL)
    ]
    return Worlds(*runs)


def error_table(
    dataset: Dataset,
    *,
    epsilons: Iterable[float],
    ns: Iterable[int],
    k: int,
    theta: float = 1e-3,
    seed: int,
    queries: int = 50,
    repetitions: int = 1,
) -> pd.DataFrame:
    """Mean SSE of both private worlds over epsilon and n.

    Returns
    -------
    DataFrame
        Columns world ("curator" or "local"), epsilon, n, repetition, sse (mean over the queries,
        fractions squared) and uniform_sse.
    """
    rows = []
    for n in ns:
        for epsilon in epsilons:
            for repetition in range(check_count("repetitions", repetitions)):
                worlds = three_worlds(
                    dataset, epsilon=epsilon, k=k, theta=theta, seed=seed, n=n, queries=queries,
                    repetition=repetition,
                )  # fmt: skip
                for world in ("curator", "local"):
                    scores = getattr(worlds, world).scores
                    rows.append(
                        {
                            "world": world,
                            "epsilon": epsilon,
                            "n": n,
                            "repetition": repetition,
                            "sse": float(scores.sse.mean()),
                            "uniform_sse": float(scores.uniform_sse.mean()),
                        }
                    )
    return pd.DataFrame(rows)


def users_needed(
    domain: Domain, sse: float, *, epsilon: float, k: int, theta: float = 1e-3, n: int
) -> int | None:
    """A number of users, n or more, for whom CALM's expected error is at most `sse`.

    The error counts noise, sampling and an allowance for rebuilding, see `expected_sse`. Found by
    bisection: the smallest number to 2% unless the views of Algorithm 1 change for the worse on the
    way. None where even 10^12 users would not do.

    Examples
    --------
    >>> domain = Domain(tuple("abcdefgh"), (2,) * 8)
    >>> few = users_needed(domain, 1e-2, epsilon=1.0, k=3, n=1000)
    >>> few < users_needed(domain, 1e-3, epsilon=1.0, k=3, n=1000)
    True
    """

    def predicted(users: int) -> float:
        # The prediction does not depend on which attribute takes which place in the design much;
        # a fixed stream keeps it a function of n.
        plan = make_plan(domain, users, epsilon=epsilon, k=k, theta=theta, rng=stream(0, "users"))
        return expected_sse(plan)

    check_users(n, 1)
    low, high = n, n
    while predicted(high) > sse:
        low, high = high, high * 4
        if high > MOST_USERS:
            return None
    while high > low * 1.02:
        middle = int(np.sqrt(float(low) * high))
        if predicted(middle) > sse:
            low = middle
        else:
            high = middle
    return high
