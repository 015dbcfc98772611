"""Direct and Flat: noise on every k-way marginal, or on the full table (PriView sections 3.1 and 3.2)."""

import math
from dataclasses import dataclass
from typing import ClassVar

from calm_core._checks import check_cells, choice_checker
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.methods.base import option
from calm_core.methods.central.base import MeasuredTablesMethod, marginal_sets


@dataclass(frozen=True)
class Flat(MeasuredTablesMethod):
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

        Also computed if the full table is too large to be released, as in PriView's figure 2.
        """
        return math.prod(domain.sizes) * self.unit_variance / n**2

    def views(self, domain):
        """The full table."""
        check_cells(domain.sizes, "Flat, which releases the full contingency table,")
        return [domain.names]


@dataclass(frozen=True)
class Direct(MeasuredTablesMethod):
    """Release all C(d, k) marginals with Lap(C(d, k)/epsilon) on each cell.

    Attributes
    ----------
    nonnegativity : str
        The paper removes negative cells and spreads the difference evenly ("global"), here with the
        total set to 1 first; "none" keeps the unbiased estimate, with the error of `analytical_sse`.
    """

    nonnegativity: str = option(choice_checker(NONNEGATIVITY), "global")
    name: ClassVar[str] = "direct"
    title: ClassVar[str] = "Direct"
    summary: ClassVar[str] = (
        "Noise on each table of k attributes by itself, scaled for how many there are."
    )

    def analytical_sse(self, domain, n, attrs, *, truth=None) -> float:
        """Expected SSE of a k-way marginal before negative cells are removed (equation 4).

        Cells times C(d, k)^2 V_u / n^2, in fractions squared.
        """
        count = math.comb(domain.d, self.k)
        return domain.cells_of(attrs) * count**2 * self.unit_variance / n**2

    def views(self, domain):
        """All k-way marginals."""
        return marginal_sets(domain, self.k, "Direct")
