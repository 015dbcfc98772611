"""Methods with a trusted curator: noise on counts, exact counts, and answers made of tables.

Two data sets are neighbors if one user is added or removed (PriView section 2), so a table of counts has
sensitivity 1. The number of users n is published as well, as in the papers' experiments: plans and
fractions use it, and no budget is spent on it. The guarantee is therefore epsilon for adding or removing
one user's record with n public. Two data sets with the same n differ by replacing a record, a removal and
an addition: for these the guarantee is 2 epsilon. Local methods guarantee epsilon for replacing a record, and
so do these with `neighbors="replace"`: whatever a record changes by 1, its replacement changes by up to 2, so
every scale is doubled, that of Laplace noise and that of the exponential mechanism.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from calm_core._checks import choice_checker
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.inference.consistency import make_consistent
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.methods.base import Answer, Method, option, postprocess
from calm_core.methods.fourier import pack_bits, walsh_hadamard
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import People, draw_people
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

MAX_TABLES = 200_000
MAX_TOTAL_CELLS = 20_000_000


def marginal_sets(domain: Domain, k: int, what: str) -> list[tuple[str, ...]]:
    """Return all k-way attribute sets; refused if their tables would not fit in memory."""
    count = math.comb(domain.d, k)
    largest = math.prod(sorted(domain.sizes)[-k:])
    if count > MAX_TABLES or count * largest > MAX_TOTAL_CELLS:
        raise InfeasibleError(
            f"{what} would release all {count:,} tables of {k} attributes (about {count * largest:,} "
            f"cells, the limit is {MAX_TOTAL_CELLS:,}); use a smaller k or fewer attributes",
            remedies=[("k", Toward.LESS), ("d", Toward.LESS)],
        )
    return list(combinations(domain.names, k))


def require_binary(domain: Domain, what: str) -> None:
    """Refuse attributes that do not have two values."""
    for name, size in zip(domain.names, domain.sizes):
        if size != 2:
            raise InputError(
                f"{what} needs yes/no attributes, but {name!r} has {size} values; "
                "leave it out or merge its values to two",
                remedies=[("max_values", 2)],
            )


def coefficient_sets(d: int, k: int) -> Iterator[tuple[int, ...]]:
    """Yield the attribute positions of every Fourier coefficient of order 0 to k."""
    for order in range(k + 1):
        checkpoint()
        yield from combinations(range(d), order)


def parity_sums(dataset: People, k: int) -> dict[tuple[int, ...], int]:
    """Return Fourier coefficients of order 0 to k: sum over users of (-1)^(number of ones in the set).

    Bits are packed eight users to a byte, so a coefficient costs n/8 byte operations; prefixes are shared
    between coefficients.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> domain = Domain(("a", "b"), (2, 2))
    >>> parity_sums(Dataset.from_codes([[0, 1], [1, 1], [0, 0]], domain), 2)
    {(): 3, (0,): 1, (1,): -1, (0, 1): 1}
    """
    # The actual number of rows: a user adds 1 or -1 to every sum, whatever n is published.
    n = len(dataset.codes)
    bits = pack_bits(dataset.codes.T)
    sums: dict[tuple[int, ...], int] = {(): n}
    level = {(): np.zeros(bits.shape[1], dtype=np.uint64)}
    for order in range(1, k + 1):
        checkpoint()
        following = {}
        for head, parity in level.items():
            for i in range(head[-1] + 1 if head else 0, len(bits)):
                mixed = parity ^ bits[i]
                sums[*head, i] = n - 2 * int(np.bitwise_count(mixed).sum())
                if order < k:
                    following[*head, i] = mixed
        level = following
    return {subset: sums[subset] for subset in coefficient_sets(len(bits), k)}


def from_coefficients(coefficients: dict[tuple[int, ...], float], at: tuple[int, ...]):
    """Return the table over binary attributes `at` with the given Fourier coefficients.

    T(v) = 2^-k sum over subsets alpha of A of coefficient(alpha) (-1)^(alpha . v).
    """
    table = np.zeros((2,) * len(at))
    for order in range(len(at) + 1):
        for axes in combinations(range(len(at)), order):
            where = tuple(int(axis in axes) for axis in range(len(at)))
            table[where] = coefficients[tuple(at[axis] for axis in axes)]
    return walsh_hadamard(table).reshape(table.shape) / table.size


def fit_least_deviation(rows: np.ndarray, targets: np.ndarray, *, lower: float | None = 0.0):
    """Solve the linear program of numbers x, from `lower` on, with the smallest largest |rows x - wanted|.

    Returns
    -------
    OptimizeResult
        Of scipy; the last number of its `x` and `fun` are that deviation.
    """
    from scipy.optimize import linprog

    numbers, slack = rows.shape[1], np.full((len(rows), 1), -1.0)
    return linprog(
        np.append(np.zeros(numbers), 1.0),
        A_ub=np.block([[rows, slack], [-rows, slack]]),
        b_ub=np.concatenate([targets, -targets]),
        bounds=[(lower, None)] * numbers + [(0, None)],
        method="highs",
    )


NOISES = ("laplace", "none")
ADD_REMOVE, REPLACE = "add-remove", "replace"
NEIGHBORS = (ADD_REMOVE, REPLACE)


@dataclass(frozen=True)
class CentralMethod(Method):
    """A method that needs a curator who sees all the data.

    Its release depends on the records only through `add_noise` and `select`. If one user is added or removed
    and n stays as published, their inputs change by at most `record_epsilon` of their scales in total; by at most
    twice that if one user's record is replaced.

    Attributes
    ----------
    epsilon : float
        Privacy budget, with n public: for what `neighbors` says.
    noise : {"laplace", "none"}
        "laplace": seeded Laplace noise as in the papers, for simulation only: its rounding can be attacked
        (Mironov 2012). "none": no privacy, to see a method's own approximation error.
    neighbors : {"add-remove", "replace"}
        What epsilon holds for: adding or removing one user, as in the papers; or replacing one user's record,
        as local methods promise, with every scale of noise doubled.
    """

    noise: str = option(choice_checker(NOISES), "laplace")
    neighbors: str = option(choice_checker(NEIGHBORS), ADD_REMOVE)
    trust: ClassVar[str] = "central"

    @property
    def record_epsilon(self) -> float:
        """What adding or removing one record may spend: the whole budget, or half of it for a replacement."""
        return self.epsilon / 2 if self.neighbors == REPLACE else self.epsilon

    @property
    def unit_variance(self) -> float:
        """V_u = 2 / `record_epsilon`^2: variance of Laplace noise on one count with the whole budget.

        0 without noise.
        """
        return 0.0 if self.noise == "none" else 2 / self.record_epsilon**2

    def measure(
        self, dataset: People, views: Sequence[tuple[str, ...]], scales, *, rng
    ) -> NoisyMarginals:
        """Return noisy tables over the views as fractions of n; `scales` is the noise scale of each, in users."""
        tables, variances = [], []
        everybody = draw_people(dataset, rng=rng)
        for view, counts, scale in zip(views, everybody.counts(views), scales):
            checkpoint()
            noisy = self.add_noise(counts, scale, rng=rng) / dataset.n
            tables.append(Marginal(dataset.domain.project(view), noisy))
            variances.append(2 * (scale / dataset.n) ** 2)
        return NoisyMarginals(dataset.domain, tuple(tables), tuple(variances), (0,) * len(tables))

    def add_noise(
        self, counts: np.ndarray, scale: float, *, rng: np.random.Generator
    ) -> np.ndarray:
        """Return whole counts with independent noise of the given scale (in users).

        Integer noise would not hide the fractions of other numbers.
        """
        if counts.dtype.kind not in "iu":
            raise TypeError(f"noise is added to whole counts, not to {counts.dtype}")
        if self.noise == "none":
            return counts.astype(float)
        return counts + rng.laplace(scale=scale, size=counts.shape)

    def select(self, scores: np.ndarray, scale: float, *, rng: np.random.Generator) -> int:
        """Run the exponential mechanism: index i with probability proportional to exp(scores_i / scale).

        Drawn as the largest score with Gumbel noise; without noise the largest score.
        """
        if self.noise != "none":
            scores = scores + rng.gumbel(scale=scale, size=len(scores))
        return int(np.argmax(scores))


@dataclass(frozen=True)
class CentralTablesMethod(CentralMethod):
    """A curator's method whose tables have noise in every cell; negative cells may be removed.

    Attributes
    ----------
    nonnegativity : str
        "none" (unbiased) or another of `NONNEGATIVITY`, applied to every answer.
    """

    nonnegativity: str = option(choice_checker(NONNEGATIVITY), "none")

    @property
    def is_nonnegative(self) -> bool:
        """Whether released shares are never negative."""
        return self.nonnegativity != "none"


@dataclass(frozen=True)
class MeasuredTablesMethod(CentralTablesMethod):
    """A `CentralTablesMethod` that measures tables and releases them, reconciled if they overlap on purpose."""

    reconciles: ClassVar[bool] = False

    def views(self, domain: Domain) -> list[tuple[str, ...]]:
        """Return the attributes of the tables to measure; refuses too many or too large ones."""
        raise NotImplementedError

    def scales(self, domain: Domain, count: int) -> list[float]:
        """Return the noise scale of each table, in users: by default alike."""
        return [count / self.record_epsilon] * count

    def check(self, domain, n) -> None:
        """Refuse data that `release` would refuse."""
        self._checked_views(domain, n)

    def _checked_views(self, domain: Domain, n: int) -> list[tuple[str, ...]]:
        super().check(domain, n)
        views = self.views(domain)
        for view in views:
            domain.cells_of(view)
        return views

    def release(self, dataset, *, rng, notify=None) -> "TablesAnswer":
        """Count the tables, add noise, and reconcile them by least squares if that is the method's way."""
        domain = dataset.domain
        views = self._checked_views(domain, dataset.n)
        noisy = self.measure(dataset, views, self.scales(domain, len(views)), rng=rng)
        tables = make_consistent(noisy, nonnegativity="none") if self.reconciles else noisy
        return TablesAnswer(domain, tables.tables, self.nonnegativity)


@dataclass(frozen=True, eq=False)
class TablesAnswer(Answer):
    """Released tables; a query is answered from the smallest one that covers it.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    tables : tuple of Marginal
        The released tables, as fractions.
    nonnegativity : str
        How negative cells of an answer are removed, one of `NONNEGATIVITY`; see `postprocess`.
    """

    trust: ClassVar[str] = "central"
    domain: Domain
    tables: tuple[Marginal, ...]
    nonnegativity: str = "none"

    @cached_property
    def _by_attrs(self) -> dict[tuple[str, ...], Marginal]:
        return {table.attrs: table for table in self.tables}

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a released table contains all given attributes."""
        return self._covering(self.domain.canonical(attrs)) is not None

    def _covering(self, attrs: tuple[str, ...]) -> Marginal | None:
        if attrs in self._by_attrs:
            return self._by_attrs[attrs]
        covering = (table for table in self.tables if table.covers(attrs))
        return min(covering, key=lambda table: table.values.size, default=None)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the released marginal over `attrs`; refuses one that no table covers."""
        attrs = self.domain.canonical(attrs)
        table = self._covering(attrs)
        if table is None:
            raise InputError(
                f"the table over {', '.join(attrs)} was not released; ask for one of at most "
                f"{max(len(names) for names in self._by_attrs)} attributes"
            )
        return postprocess(table.project(attrs), self.nonnegativity)
