"""A small set cover of subsets by given views: row weighting local search for the unicost problem.

One view of a cover is removed again and again: then the view with the least loss leaves, a view that
covers a random uncovered subset enters, and uncovered subsets gain weight, so that those that are hard to
cover decide.
"""

import numpy as np

from calm_core.runtime.cancellation import checkpoint

MAX_STEPS = 12_000
MAX_WORK = 1_500_000_000  # steps times views times subsets: some seconds


def smallest_cover(
    views: list[tuple[int, ...]], wanted: list[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """Choose as few views as the search finds that cover every wanted subset; the same every time.

    Parameters
    ----------
    views : list of tuple of int
        Candidates; together they must cover every wanted subset.
    wanted : list of tuple of int
        Ascending subsets, all of one size.
    """
    if not wanted:
        return []
    member = np.zeros((len(views), 1 + max(map(max, (*wanted, *views)))), dtype=bool)
    for j, view in enumerate(views):
        member[j, list(view)] = True
    # Which view (axis 1) holds which wanted subset (axis 0).
    holds = np.logical_and.reduce([member[:, column] for column in np.array(wanted).T]).T
    forced = np.unique(holds[holds.sum(axis=1) == 1].argmax(axis=1))
    rest = ~holds[:, forced].any(axis=1)
    useful = np.flatnonzero(holds[rest].any(axis=0))
    if rest.any():
        found = _CoverSearch(holds[rest][:, useful]).run(patience=400 + 8 * int(rest.sum()))
        forced = np.concatenate([forced, useful[found]])
    return [views[j] for j in sorted(forced.tolist())]


class _CoverSearch:
    """State of the search: the number of views that cover each subset, and its weight."""

    def __init__(self, holds: np.ndarray):
        self.holds = holds
        self.by_view = np.ascontiguousarray(holds.T, dtype=np.float32)
        self.rows_of = [np.flatnonzero(holds[:, j]) for j in range(holds.shape[1])]
        self.columns_of = [np.flatnonzero(row) for row in holds]
        self.count = np.zeros(len(holds), dtype=np.int64)
        self.weight = np.ones(len(holds), dtype=np.int64)
        self.chosen: list[int] = []
        self.changed = np.zeros(holds.shape[1], dtype=np.int64)
        self.blocked = np.zeros(holds.shape[1], dtype=bool)

    def run(self, patience: int) -> list[int]:
        """Indices of the views of the smallest cover found."""
        rng = np.random.default_rng(len(self.columns_of))
        while not self.count.all():
            checkpoint()
            gains = self.by_view @ (self.count == 0).astype(np.float32)
            self._add(int(gains.argmax()))
        best, found_at = list(self.chosen), 0
        work = len(best) * len(self.columns_of)
        for step in range(min(MAX_STEPS, MAX_WORK // work)):
            while (self.count > 0).all():
                checkpoint()
                best, found_at = list(self.chosen), step
                if len(best) == 1:
                    return best
                self._leave(step, but=-1)
            if step - found_at >= patience:
                break
            self._leave(step, but=self.chosen[-1])
            open_ = np.flatnonzero(self.count == 0)
            row = int(open_[rng.integers(len(open_))])
            self._enter(row, step)
            self.weight[self.count == 0] += 1
        return best

    def _add(self, j: int) -> None:
        self.count[self.rows_of[j]] += 1
        self.chosen.append(j)

    def _leave(self, step: int, but: int) -> None:
        """Drop the chosen view of least loss; among equal ones the longest unchanged."""
        chosen = np.array([j for j in self.chosen if j != but])
        if not len(chosen):
            return
        losses = self.by_view[chosen] @ (self.weight * (self.count == 1)).astype(np.float32)
        tied = chosen[losses == losses.min()]
        j = int(tied[self.changed[tied].argmin()])
        self.chosen.remove(j)
        rows = self.rows_of[j]
        self.count[rows] -= 1
        self.changed[j] = step
        self.blocked[self._neighbours(rows)] = False
        self.blocked[j] = True

    def _enter(self, row: int, step: int) -> None:
        """Add the view of most gain that covers `row` and was not just dropped."""
        columns = self.columns_of[row]
        free = columns[~self.blocked[columns]]
        columns = free if len(free) else columns
        gains = self.by_view[columns] @ (self.weight * (self.count == 0)).astype(np.float32)
        tied = columns[gains == gains.max()]
        j = int(tied[self.changed[tied].argmin()])
        self._add(j)
        self.changed[j] = step
        self.blocked[self._neighbours(self.rows_of[j])] = False

    def _neighbours(self, rows: np.ndarray) -> np.ndarray:
        return np.logical_or.reduce(self.holds[rows], axis=0)
