"""Flat: noise on every cell of the full contingency table (PriView section 3.1)."""

import math
from dataclasses import dataclass
from typing import ClassVar

from calm_core._checks import check_cells
from calm_core.methods.central.base import CentralTablesMethod, TablesAnswer
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import each_once


@dataclass(frozen=True)
class Flat(CentralTablesMethod):
    """Release the full table with Lap(1/epsilon) on each of its cells.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> Flat(epsilon=1.0, k=2).release(data, rng=rng).marginal(("age",)).values.shape
    (3,)
    """

    name: ClassVar[str] = "flat"
    title: ClassVar[str] = "Flat"
    summary: ClassVar[str] = "Noise on every cell of the full table, summed out."

    def analytical_sse(self, domain, n, attrs, *, truth=None) -> float:
        """ESE of any marginal in fractions squared: number of cells times V_u / n^2 (equation 3).

        Also told where the full table is too large to be released, as PriView's figure 2 does.
        """
        return math.prod(domain.sizes) * self.unit_variance / n**2

    def check(self, domain, n) -> None:
        """Refuse what `release` would refuse of such data."""
        super().check(domain, n)
        check_cells(domain.sizes, "Flat, which releases the full contingency table,")

    def release(self, dataset, *, rng, notify=None) -> TablesAnswer:
        """Count the full table and add noise."""
        domain = dataset.domain
        self.check(domain, dataset.n)
        (counts,) = each_once(dataset, rng=rng).counts([domain.names])
        noisy = self.noisy(counts, 1 / self.epsilon, rng=rng) / dataset.n
        tables = {domain.names: Marginal(domain, noisy)}
        return TablesAnswer(domain, tables, self.nonnegativity)
