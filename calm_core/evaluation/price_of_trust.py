"""What trusting nobody costs in people: a table by a trusted curator and by local privacy, both repeated."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calm_core._checks import MAX_PEOPLE, check_count
from calm_core.evaluation.metrics import wrong_share
from calm_core.evaluation.run import repeat_answers
from calm_core.methods import Calm
from calm_core.methods.base import Method
from calm_core.methods.central import PriView
from calm_core.tables.dataset import People, Population

CURATOR, LOCAL = PriView.name, Calm.name
# Repeats until the standard error of a mean is at most this part of it.
PRECISION = 0.03
LEAST, MOST = 20, 1000
# The people needed are tried; they are corrected until the errors are as alike as this.
ALIKE, CORRECTIONS = 0.1, 4


@dataclass(frozen=True)
class MeanWrong:
    """Share of people in the wrong cell of a table, mean of some repeats, with its standard error."""

    mean: float
    error: float
    repeats: int


@dataclass(frozen=True)
class Price:
    """Both worlds for one table.

    Attributes
    ----------
    curator, local : MeanWrong
        With as many people as there are.
    people : int or None
        People by which local privacy is as close as the curator; None beyond 10^12.
    reached : MeanWrong or None
        Local privacy tried with so many people.
    """

    curator: MeanWrong
    local: MeanWrong
    people: int | None
    reached: MeanWrong | None


def curator_epsilon(epsilon: float) -> float:
    """The budget of a curator who promises epsilon for replacing one person's answers, as local privacy does.

    PriView is calibrated to adding or removing a person; replacing one is both.
    """
    return epsilon / 2


def iter_wrong(
    dataset: People, method: Method, attrs: tuple[str, ...], *, seed: int
) -> Iterator[MeanWrong]:
    """Yield the mean share of people in the wrong cell after each of 20 repeats or more.

    It ends once the standard error is 3% of the mean, or after 1000 repeats.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> people = Dataset.from_codes(codes, Domain(("sex", "voted"), (2, 2)))
    >>> *_, found = iter_wrong(people, Calm(epsilon=1.0, k=2), ("sex", "voted"), seed=1)
    >>> found.repeats >= 20, found.error <= 0.03 * found.mean
    (True, True)
    """
    truth, found = dataset.marginal(attrs), []
    for answer in repeat_answers(dataset, method, seed=seed, times=MOST):
        found.append(wrong_share(truth, answer.marginal(attrs)))
        error = float(np.std(found, ddof=1)) / len(found) ** 0.5 if len(found) > 1 else 0.0
        now = MeanWrong(float(np.mean(found)), error, len(found))
        yield now
        if now.repeats >= LEAST and now.error <= PRECISION * now.mean:
            return


def iter_price(
    dataset: People,
    attrs: tuple[str, ...],
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    seed: int,
) -> Iterator[MeanWrong | Price]:
    """Yield every repeat of both worlds, and at last the people by which local privacy is as close as the curator.

    The number of people is scaled by the squared ratio of the errors, and tried. Where more people change CALM's
    plan, or rebuilding remains, it is scaled again.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> people = Dataset.from_codes(codes, Domain(("sex", "voted"), (2, 2)))
    >>> *_, found = iter_price(people, ("sex", "voted"), epsilon=1.0, k=2, seed=1)
    >>> found.people > 100_000, abs(found.reached.mean / found.curator.mean - 1) < 0.1
    (True, True)
    """
    check_count("seed", seed, low=0)
    trusted = PriView(epsilon=curator_epsilon(epsilon), k=k)
    local = Calm(epsilon=epsilon, k=k, theta=theta)
    curator = ours = MeanWrong(0.0, 0.0, 0)
    for curator in iter_wrong(dataset, trusted, attrs, seed=seed):
        yield curator
    for ours in iter_wrong(dataset, local, attrs, seed=seed):
        yield ours
    rows = dataset.rows if isinstance(dataset, Population) else dataset
    needed, reached = dataset.n, ours
    for _ in range(1 + CORRECTIONS):
        needed = round(needed * (reached.mean / max(curator.mean, 1e-300)) ** 2)
        if needed > MAX_PEOPLE:
            yield Price(curator, ours, None, None)
            return
        for reached in iter_wrong(Population(rows, needed), local, attrs, seed=seed):
            yield reached
        if abs(reached.mean / curator.mean - 1) <= ALIKE:
            break
    yield Price(curator, ours, needed, reached)
