"""The same data without privacy, with a trusted curator, and with local privacy."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import pandas as pd

from calm_core._checks import check_count
from calm_core.evaluation.run import Run, run
from calm_core.methods import make_method
from calm_core.tables.population import People

CURATOR, LOCAL = "priview", "calm"


@dataclass(frozen=True, eq=False)
class Worlds:
    """Releases of one data set with a trusted curator and with local privacy.

    Attributes
    ----------
    curator, local : Run
        The runs of PriView and CALM on the same rows and queries.
    """

    curator: Run
    local: Run

    @property
    def price(self) -> float:
        """Ratio of the local mean SSE to that of the curator."""
        return float(self.local.scores.sse.mean() / max(self.curator.scores.sse.mean(), 1e-300))


def three_worlds(
    dataset: People,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    seed: int,
    n: int | None = None,
    queries: int = 50,
    repetition: int = 0,
    notify: Callable[[object], None] | None = None,
) -> Worlds:
    """Release the same rows with a trusted curator and with local privacy; `notify` as in `run`.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> worlds = three_worlds(Dataset.from_codes(codes, domain), epsilon=1.0, k=2, seed=1)
    >>> worlds.price > 1
    True
    """
    methods = (make_method(name, epsilon=epsilon, k=k, theta=theta) for name in (CURATOR, LOCAL))
    release = partial(
        run, dataset, seed=seed, n=n, queries=queries, repetition=repetition, notify=notify
    )
    return Worlds(*map(release, methods))


def measure_curator_sse(
    dataset: People,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    seed: int,
    n: int | None = None,
    queries: int = 50,
    repetitions: int,
    known: Run | None = None,
    notify: Callable[[], None] | None = None,
) -> float:
    """Mean SSE of several releases of a curator, since a single one of few cells varies much.

    `known` is the first release, if it exists; `notify` is called before each of the others.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> people = Dataset.from_codes(codes, Domain(("sex", "voted"), (2, 2)))
    >>> one, many = (
    ...     measure_curator_sse(people, epsilon=1.0, k=2, seed=1, repetitions=times) for times in (1, 20)
    ... )
    >>> many < 1e-6, one != many
    (True, True)
    """
    method = make_method(CURATOR, epsilon=epsilon, k=k, theta=theta)
    found = [] if known is None else [float(known.scores.sse.mean())]
    for repetition in range(len(found), check_count("repetitions", repetitions)):
        if notify is not None:
            notify()
        released = run(dataset, method, seed=seed, n=n, queries=queries, repetition=repetition)
        found.append(float(released.scores.sse.mean()))
    return sum(found) / len(found)


def measure_both_worlds(
    dataset: People,
    *,
    epsilons: Iterable[float],
    ns: Iterable[int],
    k: int,
    theta: float = 1e-3,
    seed: int,
    queries: int = 50,
    repetitions: int = 1,
    notify: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Errors with a trusted curator and with local privacy over epsilon and n.

    `notify` receives the numbers of pairs of releases done and in total; an exception it raises ends it.

    Returns
    -------
    DataFrame
        Columns world ("curator" or "local"), epsilon, n, repetition, sse (mean over the queries,
        fractions squared) and uniform_sse; points and guess_points, the same as typical errors in
        percentage points.
    """
    rows, repetitions = [], check_count("repetitions", repetitions)
    epsilons, ns = tuple(epsilons), tuple(ns)

    def tell(event: object = None) -> None:
        if notify is not None:
            notify(len(rows) // 2, len(ns) * len(epsilons) * repetitions)

    for n in ns:
        for epsilon in epsilons:
            for repetition in range(repetitions):
                worlds = three_worlds(
                    dataset, epsilon=epsilon, k=k, theta=theta, seed=seed, n=n, queries=queries,
                    repetition=repetition, notify=tell,
                )  # fmt: skip
                for world in ("curator", "local"):
                    found = getattr(worlds, world)
                    rows.append(
                        {
                            "world": world,
                            "epsilon": epsilon,
                            "n": n,
                            "repetition": repetition,
                            "sse": float(found.scores.sse.mean()),
                            "uniform_sse": float(found.scores.uniform_sse.mean()),
                            "points": found.points,
                            "guess_points": found.guess_points,
                        }
                    )
    return pd.DataFrame(rows)
