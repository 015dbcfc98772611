"""Fourier: noise on the Fourier coefficients of order up to k (Barak et al.; PriView section 3.3)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calm_core._checks import check_cells, choice_checker
from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.methods.base import KWayAnswer, option, postprocess
from calm_core.methods.central.base import (
    MAX_TABLES,
    CentralTablesMethod,
    TablesAnswer,
    coefficient_sets,
    fit_least_deviation,
    from_coefficients,
    parity_sums,
    require_binary,
)
from calm_core.tables.dataset import People
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

LP_CELLS = 2**10


@dataclass(frozen=True, eq=False)
class CoefficientsAnswer(KWayAnswer):
    """Noisy Fourier coefficients of order 0 to k; answers marginals of at most k attributes."""

    trust: ClassVar[str] = "central"
    domain: Domain
    k: int
    coefficients: dict[tuple[int, ...], float]
    nonnegativity: str

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over at most k attributes."""
        at = self.domain.positions(attrs)
        if len(at) > self.k:
            raise InputError(
                f"a table over {len(at)} attributes needs coefficients of that order, but only "
                f"those up to k = {self.k} were released"
            )
        table = Marginal(self.domain.project(attrs), from_coefficients(self.coefficients, at))
        return postprocess(table, self.nonnegativity)


@dataclass(frozen=True)
class FourierCentral(CentralTablesMethod):
    """Release the M coefficients of order 0 to k with Lap(M/epsilon) on each; binary attributes only.

    Adding a user changes every coefficient by 1, so together they have sensitivity M.
    """

    nonnegativity: str = option(choice_checker(NONNEGATIVITY), "global")
    name: ClassVar[str] = "fourier"
    title: ClassVar[str] = "Fourier"
    summary: ClassVar[str] = "Noise on the Fourier coefficients of yes/no data (Barak et al.)."

    def count(self, d: int) -> int:
        """Return M, the number of coefficients released."""
        return sum(math.comb(d, order) for order in range(self.k + 1))

    def analytical_sse(self, domain, n, attrs, *, truth=None) -> float | None:
        """Expected SSE of a k-way marginal before negative cells are removed: M^2 V_u / n^2.

        None if an attribute does not have two values.
        """
        if set(domain.sizes) != {2}:
            return None
        return self.count(domain.d) ** 2 * self.unit_variance / n**2

    def check(self, domain, n) -> None:
        """Refuse data that `release` would refuse."""
        super().check(domain, n)
        require_binary(domain, self.title)
        count = self.count(domain.d)
        if count > MAX_TABLES:
            raise InfeasibleError(
                f"{self.title} would release {count:,} coefficients, more than {MAX_TABLES:,}; "
                "use a smaller k or fewer attributes",
                remedies=[("k", Toward.LESS), ("d", Toward.LESS)],
            )

    def noisy_coefficients(self, dataset: People, rng) -> dict[tuple[int, ...], float]:
        """Return all coefficients in fractions of n, with noise."""
        self.check(dataset.domain, dataset.n)
        count = self.count(dataset.domain.d)
        sums = parity_sums(dataset, self.k)
        noisy = self.add_noise(np.array(list(sums.values())), count / self.record_epsilon, rng=rng)
        return dict(zip(sums, (noisy / dataset.n).tolist()))

    def release(self, dataset, *, rng, notify=None) -> CoefficientsAnswer | TablesAnswer:
        """Sum the parities of all users and add noise."""
        noisy = self.noisy_coefficients(dataset, rng)
        return CoefficientsAnswer(dataset.domain, self.k, noisy, self.nonnegativity)


@dataclass(frozen=True)
class FourierLP(FourierCentral):
    """Fourier, then the non-negative full table with the nearest coefficients, by linear program."""

    name: ClassVar[str] = "fourier_lp"
    title: ClassVar[str] = "FourierLP"
    summary: ClassVar[str] = (
        "The non-negative table nearest to the noisy coefficients, by a linear program."
    )

    def analytical_sse(self, domain, n, attrs, *, truth=None) -> None:
        """None: the linear program has no formula."""
        return None

    def check(self, domain, n) -> None:
        """Refuse data that `release` would refuse."""
        super().check(domain, n)
        cells = check_cells(domain.sizes, "FourierLP")
        if cells > LP_CELLS:
            raise InfeasibleError(
                f"FourierLP would solve a linear program over {cells:,} cells, more than "
                f"{LP_CELLS:,}; use at most {LP_CELLS.bit_length() - 1} yes/no attributes",
                remedies=[("d", LP_CELLS.bit_length() - 1)],
            )

    def release(self, dataset, *, rng, notify=None) -> TablesAnswer:
        """Minimize the largest deviation of a non-negative table's coefficients from the noisy ones."""
        domain = dataset.domain
        noisy = self.noisy_coefficients(dataset, rng)
        table = nearest_table(domain.d, self.k, np.array(list(noisy.values())))
        return TablesAnswer(domain, (Marginal(domain, table),), self.nonnegativity)


def nearest_table(d: int, k: int, coefficients: np.ndarray) -> np.ndarray:
    """Return the non-negative table of shape (2,)*d that minimizes the largest coefficient deviation."""
    bits = (np.arange(2**d)[:, None] >> np.arange(d - 1, -1, -1)) & 1
    sets = list(coefficient_sets(d, k))
    signs = np.stack([1 - 2 * (bits[:, list(s)].sum(axis=1) & 1) for s in sets])
    solved = fit_least_deviation(signs, coefficients)
    if not solved.success:
        raise InfeasibleError(f"FourierLP found no table ({solved.message}); use another method")
    return np.maximum(solved.x[:-1], 0).reshape((2,) * d)
