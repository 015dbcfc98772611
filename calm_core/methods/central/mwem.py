"""MWEM: multiplicative weights with the exponential mechanism (Hardt et al.; PriView section 3.6)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calm_core._checks import FEWER_CELLS, check_cells, count_checker, optional_checker
from calm_core.errors import InfeasibleError
from calm_core.methods.base import option
from calm_core.methods.central.base import CentralMethod, TablesAnswer, marginal_sets
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import draw_people
from calm_core.tables.marginal import Marginal

MAX_TABLE_CELLS = 2**16
REPLAYS = 100


@dataclass(frozen=True)
class MWEM(CentralMethod):
    """Improve a full table where it is most wrong, round after round.

    Each of T rounds spends half of its share epsilon/T to select the k-way marginal with the largest error and
    half to measure it with Lap(2T/epsilon); twice that for `neighbors="replace"`. With both improvements of its authors: all measurements are
    replayed 100 times a round, and the last table is the answer.

    Attributes
    ----------
    turns : int or None
        T; None is ceil(4 log2 d) + 2, as PriView's experiments have it (15 for d = 9).
    """

    turns: int | None = option(optional_checker(count_checker()), None)
    name: ClassVar[str] = "mwem"
    title: ClassVar[str] = "MWEM"
    summary: ClassVar[str] = (
        "A full table improved round after round where it is most wrong (Hardt et al.)."
    )

    def check(self, domain, n) -> None:
        """Refuse data that `release` would refuse."""
        super().check(domain, n)
        cells = check_cells(domain.sizes, "MWEM")
        if cells > MAX_TABLE_CELLS:
            raise InfeasibleError(
                f"MWEM would update a table of {cells:,} cells, more than {MAX_TABLE_CELLS:,}; "
                "use fewer attributes or merge values",
                remedies=FEWER_CELLS,
            )
        marginal_sets(domain, self.k, "MWEM")

    def release(self, dataset, *, rng, notify=None) -> TablesAnswer:
        """Select, measure and replay; the answer is one full table."""
        domain, n = dataset.domain, dataset.n
        self.check(domain, n)
        sets = marginal_sets(domain, self.k, "MWEM")
        outside = [tuple(i for i in range(domain.d) if domain.names[i] not in s) for s in sets]
        (full,) = draw_people(dataset, rng=rng).counts([domain.names])
        true = [full.sum(axis=axes, keepdims=True) for axes in outside]
        rounds = self.turns or math.ceil(4 * math.log2(max(2, domain.d))) + 2
        share = self.record_epsilon / rounds / 2
        table = np.full(domain.sizes, 1 / math.prod(domain.sizes))
        # Log weights: large noise would overflow the weights themselves.
        logs = np.zeros(domain.sizes)
        measured: dict[int, np.ndarray] = {}
        for _ in range(rounds):
            checkpoint()
            errors = np.array(
                [
                    np.abs(counts - n * table.sum(axis=axes, keepdims=True)).sum()
                    for counts, axes in zip(true, outside)
                ]
            )
            # Select none twice: the selected ones are already public.
            if len(measured) < len(sets):
                errors[list(measured)] = -np.inf
            # One user changes every error by at most 1, up or down.
            query_number = self.select(errors, 2 / share, rng=rng)
            measured[query_number] = self.add_noise(true[query_number], 1 / share, rng=rng) / n
            for _ in range(REPLAYS):
                for query, answer in measured.items():
                    checkpoint()
                    wrong = answer - table.sum(axis=outside[query], keepdims=True)
                    logs = logs + wrong / 2
                    table = np.exp(logs - logs.max())
                    table /= table.sum()
        return TablesAnswer(domain, (Marginal(domain, table),))
