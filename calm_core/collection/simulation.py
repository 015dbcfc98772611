"""Simulated collection: users are assigned to views and report; later steps never see the data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from calm_core._checks import as_readonly, check_count, check_rng, set_fields
from calm_core.errors import InputError
from calm_core.oracles import Oracle
from calm_core.planning.algorithm1 import check_users
from calm_core.planning.plan import Plan, check_views
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import Dataset, People, Population, count_cells
from calm_core.tables.domain import Domain

TICKET_BITS = np.uint64(16)


@dataclass(frozen=True)
class GroupDone:
    """Event: group i of m (counted from 1) has reported."""

    group: int
    groups: int
    users: int


@dataclass(frozen=True, eq=False)
class ViewReports:
    """The reports on one view: how many support each of its cells.

    Attributes
    ----------
    attrs : tuple of str
        The view.
    oracle : Oracle
        The randomizer of the users, which also gives the estimate.
    support : ndarray of int64, shape (L,)
        Number of reports that support each cell, row-major.
    n : int
        Number of reports.

    Raises
    ------
    InputError
        If there is not one whole number from 0 to n for each cell.
    """

    attrs: tuple[str, ...]
    oracle: Oracle
    support: np.ndarray
    n: int

    def __post_init__(self):
        n, support = check_count("n", self.n, low=0), np.asarray(self.support)
        if support.shape != (self.oracle.size,) or support.dtype.kind not in "iu":
            raise InputError(f"the reports on {self.attrs} must give a count for each cell")
        support = support.astype(np.int64, copy=False)
        # As unsigned integers, negative numbers are larger than n.
        if np.maximum.reduce(support.view(np.uint64)) > n:
            raise InputError(
                f"the reports on {self.attrs} must support each cell from 0 to n ({n:,}) times"
            )
        set_fields(self, n=n, support=as_readonly(support))

    def __add__(self, other: "ViewReports") -> "ViewReports":
        if (self.attrs, self.oracle) != (other.attrs, other.oracle):
            raise InputError("only reports on the same view through the same oracle add up")
        return ViewReports(self.attrs, self.oracle, self.support + other.support, self.n + other.n)


@dataclass(frozen=True, eq=False)
class Reports:
    """The reports on all views of a plan; partial collections of one plan can be added."""

    domain: Domain
    views: tuple[ViewReports, ...]

    def __post_init__(self):
        oracles = [view.oracle for view in self.views]
        check_views(self.domain, [view.attrs for view in self.views], oracles)

    @property
    def n(self) -> int:
        """Number of users who reported, each once."""
        return sum(view.n for view in self.views)

    def __add__(self, other: "Reports") -> "Reports":
        if self.domain != other.domain or len(self.views) != len(other.views):
            raise InputError("only reports collected under the same plan add up")
        return Reports(self.domain, tuple(a + b for a, b in zip(self.views, other.views)))


def draw_group_sizes(n: int, shares, *, rng: np.random.Generator) -> np.ndarray:
    """Draw group sizes that sum to n, proportional to the shares up to rounding, int64 of shape (m,).

    Examples
    --------
    >>> sorted(draw_group_sizes(7, (1 / 3,) * 3, rng=np.random.default_rng(1)).tolist())
    [2, 2, 3]
    """
    exact = n * np.asarray(shares, dtype=float)
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    remaining = n - int(sizes.sum())
    # Largest remainder; ties, common with equal shares, are broken at random.
    order = np.lexsort((rng.random(len(sizes)), -np.round(exact - sizes, 9)))
    sizes[order[:remaining]] += 1
    return sizes


@cache
def _deal_kernels():
    """Compiled once per machine (cached on disk); imported late so that starting up stays quick."""
    from numba import njit

    @njit(cache=True, nogil=True)
    def propose(tickets, groups, labels, excess):
        for user in range(len(tickets)):
            labels[user] = (np.uint64(tickets[user]) * groups) >> TICKET_BITS
        for group in labels:
            excess[np.uintp(group)] += 1

    @njit(cache=True, nogil=True)
    def move(users, vacancies, labels, excess):
        # Returns how many vacancies were filled.
        filled = 0
        for user in users:
            if filled == len(vacancies):
                break
            if excess[labels[user]] > 0:
                excess[labels[user]] -= 1
                labels[user] = vacancies[filled]
                filled += 1
        return filled

    return propose, move


def warm_up() -> None:
    """Compile the collection kernels ahead of the first collection."""
    from calm_core.planning.plan import make_plan

    domain = Domain(("a", "b"), (2, 3))
    rng = np.random.default_rng(0)
    data = Dataset.from_codes(np.array([[0, 1], [1, 2]]), domain)
    collect(data, make_plan(domain, 2, epsilon=1.0, k=2, theta=0.5, rng=rng), rng=rng)


def assign_groups(n: int, shares: Sequence[float], *, rng: np.random.Generator) -> np.ndarray:
    """Assign every user to a group at random, with group sizes by the shares; shape (n,).

    Every user draws a group independently; then random users move from groups that are too large to
    those that are too small. All users are treated alike, so every split is equally likely, at a
    fraction of the cost of a shuffle.
    """
    sizes = draw_group_sizes(n, shares, rng=rng)
    propose, move = _deal_kernels()
    tickets = rng.integers(2**64, size=-(-n // 4), dtype=np.uint64).view(np.uint16)[:n]
    numbers = np.arange(len(shares), dtype=np.min_scalar_type(len(shares) - 1))
    labels, excess = np.empty(n, dtype=numbers.dtype), -sizes
    propose(tickets, np.uint64(len(shares)), labels, excess)
    vacancies = np.repeat(numbers, np.maximum(-excess, 0))
    while len(vacancies):
        users = rng.integers(n, size=4 * len(vacancies) + 8192)
        vacancies = vacancies[move(users, vacancies, labels, excess) :]
    return labels


def _true_counts(dataset: Dataset, plan: Plan, labels: np.ndarray) -> list[np.ndarray]:
    """Cell counts of every group in its own view, with the group of every user in `labels`."""
    positions = [dataset.domain.positions(view) for view in plan.views]
    return count_cells(dataset.codes, dataset.domain.sizes, positions, labels)


def collect(
    dataset: People,
    plan: Plan,
    *,
    rng: np.random.Generator,
    notify: Callable[[GroupDone], None] | None = None,
) -> Reports:
    """Simulate a collection: every user reports once, on the view of their group, with the full epsilon.

    The support counts of each group are drawn at once, with exactly the distribution of summed reports.

    Parameters
    ----------
    dataset : Dataset or Population
        The true values of the users. No later function sees them.
    plan : Plan
        Views, oracles and shares.
    rng : numpy Generator
        Assigns the users to groups and randomizes their reports.
    notify : callable, optional
        Receives a `GroupDone` for each of the m groups.

    Returns
    -------
    Reports
        Support counts per view, without any true value.

    Raises
    ------
    InputError
        If the data does not have the plan's domain or has fewer users than views.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> rng = np.random.default_rng(1)
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(1000, 2)), domain)
    >>> reports = collect(data, make_plan(domain, 1000, epsilon=1.0, k=2, rng=rng), rng=rng)
    >>> reports.n, reports.views[0].support.shape
    (1000, (6,))
    """
    rng = check_rng(rng)
    if dataset.domain != plan.domain:
        raise InputError("the data must have the attributes the plan was made for; plan again")
    check_users(dataset.n, plan.m)
    if isinstance(dataset, Population):
        sizes = draw_group_sizes(dataset.n, plan.shares, rng=rng).tolist()
        counts = dataset.group_counts(plan.views, sizes, rng=rng)
    else:
        counts = _true_counts(dataset, plan, assign_groups(dataset.n, plan.shares, rng=rng))
    supports, users = _simulate(plan.oracles, counts, rng)
    views = []
    for i, (view, oracle) in enumerate(zip(plan.views, plan.oracles)):
        checkpoint()
        views.append(ViewReports(view, oracle, supports[i], users[i]))
        if notify:
            notify(GroupDone(i + 1, plan.m, users[i]))
    return Reports(plan.domain, tuple(views))


def _simulate(oracles: Sequence[Oracle], true_counts: list[np.ndarray], rng: np.random.Generator):
    """Support counts and sizes of all groups; views with the same oracle are drawn in one call."""
    together: dict[Oracle, list[int]] = {}
    for i, oracle in enumerate(oracles):
        together.setdefault(oracle, []).append(i)
    supports, users = [None] * len(oracles), [0] * len(oracles)
    for oracle, groups in together.items():
        counts = np.stack([true_counts[i] for i in groups])
        support_counts = oracle.simulate(counts, rng=rng)
        for i, support, n in zip(groups, support_counts, counts.sum(axis=1).tolist()):
            supports[i], users[i] = support, n
    return supports, users
