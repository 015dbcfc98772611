"""Collection: users are dealt to views and report; nothing after this module sees the data."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from calm_core._checks import check_choice, check_rng, readonly
from calm_core._counting import count_cells
from calm_core.dataset import Dataset
from calm_core.domain import Domain
from calm_core.errors import InputError
from calm_core.planning import check_users
from calm_core.plans import Plan

SIMULATIONS = ("aggregate", "per_user")


@dataclass(frozen=True)
class GroupDone:
    """Event: group i of m (counted from 1) has reported."""

    group: int
    groups: int
    users: int


@dataclass(frozen=True, eq=False)
class ViewReports:
    """What left the devices for one view: how many reports support each of its cells.

    Attributes
    ----------
    attrs : tuple of str
        The view.
    oracle : Oracle
        What the users applied, and what the aggregator undoes.
    support : ndarray of int64, shape (L,)
        Number of reports that support each cell, row-major.
    n : int
        Number of reports.
    """

    attrs: tuple[str, ...]
    oracle: object
    support: np.ndarray
    n: int

    def __post_init__(self):
        support = np.asarray(self.support, dtype=np.int64)
        if support.shape != (self.oracle.size,) or self.n < 0:
            raise InputError(f"the reports on {self.attrs} must give a count for each cell")
        object.__setattr__(self, "support", readonly(support))

    def __add__(self, other: "ViewReports") -> "ViewReports":
        if (self.attrs, self.oracle) != (other.attrs, other.oracle):
            raise InputError("only reports on the same view through the same oracle add up")
        return ViewReports(self.attrs, self.oracle, self.support + other.support, self.n + other.n)


@dataclass(frozen=True, eq=False)
class Reports:
    """The reports on all views of a plan; partial collections of the same plan add up."""

    domain: Domain
    views: tuple[ViewReports, ...]

    @property
    def n(self) -> int:
        """Number of users who reported; each sent exactly one report."""
        return sum(view.n for view in self.views)

    def __add__(self, other: "Reports") -> "Reports":
        if self.domain != other.domain or len(self.views) != len(other.views):
            raise InputError("only reports collected under the same plan add up")
        return Reports(self.domain, tuple(a + b for a, b in zip(self.views, other.views)))


def group_sizes(n: int, shares, *, rng: np.random.Generator) -> np.ndarray:
    """Nearly equal (or nearly proportional) group sizes that sum to n, int64 of shape (m,).

    Examples
    --------
    >>> sorted(group_sizes(7, (1 / 3,) * 3, rng=np.random.default_rng(1)).tolist())
    [2, 2, 3]
    """
    exact = n * np.asarray(shares, dtype=float)
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    left = n - int(sizes.sum())
    # Largest remainder; ties, the usual case of equal shares, fall at random.
    order = np.lexsort((rng.random(len(sizes)), -np.round(exact - sizes, 9)))
    sizes[order[:left]] += 1
    return sizes


@cache
def _deal_kernel():
    """Compiled once per machine (cached on disk); imported late so that starting up stays quick."""
    from numba import njit

    @njit(cache=True, nogil=True)
    def deal(labels, draws):
        # Fisher-Yates; 32-bit draws scaled to the bound, and drawn again where that would favour
        # some place, so that every order is equally likely. Returns the first label not yet placed.
        used = 0
        for i in range(len(labels) - 1, 0, -1):
            bound = np.uint64(i + 1)
            unfair = (np.uint64(1 << 32) - bound) % bound
            while True:
                if used == len(draws):
                    return i
                scaled = np.uint64(draws[used]) * bound
                used += 1
                if (scaled & np.uint64(0xFFFFFFFF)) >= unfair:
                    break
            j = scaled >> np.uint64(32)
            labels[i], labels[j] = labels[j], labels[i]
        return 0

    return deal


def warm_up() -> None:
    """Compile the collection kernels, so that nobody waits for it later."""
    from calm_core.plans import make_plan

    domain = Domain(("a", "b"), (2, 3))
    rng = np.random.default_rng(0)
    data = Dataset.from_codes(np.array([[0, 1], [1, 2]]), domain)
    collect(data, make_plan(domain, 2, epsilon=1.0, k=2, theta=0.5, rng=rng), rng=rng)


def assign_groups(n: int, plan: Plan, *, rng: np.random.Generator) -> np.ndarray:
    """The group (view number) of every user: a random split into nearly equal groups, shape (n,)."""
    sizes = group_sizes(n, plan.shares, rng=rng)
    labels = np.repeat(np.arange(plan.m, dtype=np.min_scalar_type(plan.m - 1)), sizes)
    deal = _deal_kernel()
    left = n - 1
    while left:
        draws = rng.bit_generator.random_raw(left // 2 + 64).view(np.uint32)
        left = deal(labels[: left + 1], draws)
    return labels


def _true_counts(dataset: Dataset, plan: Plan, labels: np.ndarray) -> list[np.ndarray]:
    """Exact cell counts of every group on its own view."""
    views = [dataset.domain.positions(view) for view in plan.views]
    return count_cells(dataset.codes, dataset.domain.sizes, views, labels)


def collect(
    dataset: Dataset,
    plan: Plan,
    *,
    rng: np.random.Generator,
    simulation: str = "aggregate",
    notify: Callable[[GroupDone], None] | None = None,
) -> Reports:
    """Simulate the collection: every user reports once, on the view of her group, with full epsilon.

    Parameters
    ----------
    dataset : Dataset
        The users' true values. This is the last function that sees them.
    plan : Plan
        Views and oracles.
    rng : numpy Generator
        Deals the users to the groups and randomises their reports.
    simulation : {"aggregate", "per_user"}
        "aggregate" draws each group's support counts at once, with exactly the distribution of
        summed per-user reports; "per_user" makes every single report.
    notify : callable, optional
        Receives a `GroupDone` for each of the m groups.

    Returns
    -------
    Reports
        Support counts per view; holds no true value.

    Raises
    ------
    InputError
        If the data does not have the plan's domain or has fewer users than views.

    Examples
    --------
    >>> from calm_core.plans import make_plan
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> rng = np.random.default_rng(1)
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(1000, 2)), domain)
    >>> reports = collect(data, make_plan(domain, 1000, epsilon=1.0, k=2, rng=rng), rng=rng)
    >>> reports.n, reports.views[0].support.shape
    (1000, (6,))
    """
    check_choice("simulation", simulation, SIMULATIONS)
    rng = check_rng(rng)
    if dataset.domain != plan.domain:
        raise InputError("the data must have the attributes the plan was made for; plan again")
    check_users(dataset.n, plan.m)
    labels = assign_groups(dataset.n, plan, rng=rng)
    if simulation == "per_user":
        supports, users = _report_each(dataset, plan, labels, rng)
    else:
        true_counts = _true_counts(dataset, plan, labels)
        users = [int(counts.sum()) for counts in true_counts]
        supports = _simulate(plan.oracles, true_counts, rng)
    views = []
    for i, (view, oracle) in enumerate(zip(plan.views, plan.oracles)):
        views.append(ViewReports(view, oracle, supports[i], users[i]))
        if notify:
            notify(GroupDone(i + 1, plan.m, users[i]))
    return Reports(plan.domain, tuple(views))


def _simulate(oracles, true_counts: list[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
    """Support counts of all groups; views that share an oracle are drawn in one call."""
    together: dict[object, list[int]] = {}
    for i, oracle in enumerate(oracles):
        together.setdefault(oracle, []).append(i)
    supports: list[np.ndarray] = [None] * len(oracles)
    for oracle, groups in together.items():
        drawn = oracle.simulate(np.stack([true_counts[i] for i in groups]), rng=rng)
        for i, support in zip(groups, drawn):
            supports[i] = support
    return supports


def _report_each(dataset: Dataset, plan: Plan, labels: np.ndarray, rng: np.random.Generator):
    """Support counts and group sizes with every user's report made on its own."""
    supports, users = [], []
    for i, (view, oracle) in enumerate(zip(plan.views, plan.oracles)):
        members = Dataset(dataset.codes[labels == i], dataset.domain)
        supports.append(oracle.support(oracle.perturb(members.cells(view), rng=rng)))
        users.append(members.n)
    return supports, users
