"""States of a collection: what has been counted so far; they merge in any order, nothing counts twice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add

import numpy as np

from calm_core.collection.report_files import REASONS
from calm_core.collection.simulation import Reports, ViewReports
from calm_core.collection.tally import Tally
from calm_core.errors import InputError
from calm_core.planning.plan import Plan

# Batches are kept apart while there are no more counts than this in all: then states merge whichever
# batches they share. Above it they become one tally, which merges only as a whole.
MAX_COUNTS = 1 << 22


@dataclass(frozen=True, eq=False)
class State:
    """What has been counted of a collection: support counts, and which batches they are of.

    Attributes
    ----------
    plan : Plan
        What the people were asked.
    tallies : tuple of Tally
        What was counted, batch by batch where that is still known.

    Raises
    ------
    InputError
        If a tally is not of the plan, or a batch is in two of them.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> one = State(plan, (Tally((("a", "0f"),), [4, 1, 1, 2, 1, 1], [10]),))
    >>> other = State(plan, (Tally((("b", "1f"),), [1, 1, 0, 0, 0, 0], [2]),))
    >>> merge_states((one, other, one)).n, merge((one, other)).reports.views[0].support.tolist()
    (12, [5, 2, 1, 2, 1, 1])
    """

    plan: Plan
    tallies: tuple[Tally, ...] = ()

    def __post_init__(self):
        sizes = [oracle.size for oracle in self.plan.oracles]
        cells = sum(sizes)
        for tally in self.tallies:
            if tally.support.shape != (cells,) or tally.people.shape != (self.plan.m,):
                raise InputError(
                    f"a tally must have a count for each of the {cells:,} cells and {self.plan.m:,} "
                    "views of the plan"
                )
            if np.any(tally.support > np.repeat(tally.people, sizes)):
                raise InputError(
                    "a tally must not support a cell more often than there are reports"
                )
        if len(self.batches) != sum(len(tally.batches) for tally in self.tallies):
            raise InputError("a batch must be in one tally only")
        object.__setattr__(self, "tallies", _apart(self.tallies, cells))

    @cached_property
    def batches(self) -> dict[str, str]:
        """The sha256 of every batch that is counted, by its random name."""
        return {name: sha for tally in self.tallies for name, sha in tally.batches}

    @cached_property
    def reports(self) -> Reports:
        """Support counts of every view: what `aggregate` turns into noisy tables."""
        cells = sum(oracle.size for oracle in self.plan.oracles)
        support = sum((tally.support for tally in self.tallies), np.zeros(cells, dtype=np.int64))
        people = sum((tally.people for tally in self.tallies), np.zeros(self.plan.m, np.int64))
        return self._reports_of(support, people)

    def _reports_of(self, support: np.ndarray, people: np.ndarray) -> Reports:
        ends = np.cumsum([oracle.size for oracle in self.plan.oracles])[:-1]
        parts = zip(self.plan.views, self.plan.oracles, np.split(support, ends), people.tolist())
        return Reports(self.plan.domain, tuple(ViewReports(*part) for part in parts))

    @property
    def n(self) -> int:
        """Number of reports that are counted."""
        return self.reports.n

    @property
    def refused(self) -> dict[str, int]:
        """How many reports were refused, by reason; reasons that nobody gave are left out."""
        sums = np.sum([tally.refused for tally in self.tallies] or [(0,) * len(REASONS)], axis=0)
        return {reason: count for reason, count in zip(REASONS, sums.tolist()) if count}


def merge_states(states: Sequence[State]) -> State:
    """What is counted in any of the states of one plan, every batch once.

    Commutative, associative and idempotent while states keep their batches apart (`MAX_COUNTS`).

    Raises
    ------
    InputError
        If the states are of different plans, a batch has two contents, or two states share some
        batches of a tally that cannot be taken apart.
    """
    if not states:
        raise InputError("there must be at least one state to merge")
    plan = states[0].plan
    if any(state.plan != plan for state in states):
        raise InputError("the states must be of one plan; merge those of each plan on their own")
    contents: dict[str, str] = {}
    for state in states:
        for name, sha in state.batches.items():
            if contents.setdefault(name, sha) != sha:
                raise InputError(
                    f"batch {name:.40} was counted with two contents; find out which of the two is right"
                )
    return State(plan, tuple(_once(tally for state in states for tally in state.tallies)))


def _once(tallies: Iterable[Tally]) -> list[Tally]:
    """Tallies that hold every batch once, the largest first, in an order that is always the same."""
    taken: list[Tally] = []
    counted: set[str] = set()
    for tally in sorted(tallies, key=lambda tally: (-len(tally.batches), tally.batches)):
        names = {name for name, _ in tally.batches}
        if names <= counted:
            continue
        if names & counted:
            raise InputError(
                f"the states share {len(names & counted):,} batches that cannot be told apart any more "
                "from others they do not share; aggregate the report files again"
            )
        counted |= names
        taken.append(tally)
    return taken


def _apart(tallies: tuple[Tally, ...], cells: int) -> tuple[Tally, ...]:
    """The same batches, in one tally where they are too many to keep apart."""
    if len(tallies) <= max(1, MAX_COUNTS // cells):
        return tallies
    return (reduce(add, tallies),)
