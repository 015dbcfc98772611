"""EM: every user reports every attribute with a share of the budget; joints by maximum likelihood."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from calm_core._checks import FEWER_CELLS, MAX_CELLS, check_fraction, choice_checker, count_checker
from calm_core.collection.simulation import GroupDone
from calm_core.errors import InfeasibleError
from calm_core.inference.nonnegativity import norm_sub
from calm_core.methods.base import Answer, Method, ReportingMethod, option
from calm_core.oracles import GRR, ORACLE_RULES, RULE_CANDIDATES, Oracle, choose_oracle
from calm_core.runtime.cancellation import checkpoint, iter_cancellable
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

# Share of the uniform table in the start: a cell that starts at 0 would stay there.
START_UNIFORM = 1e-3
# Rules that choose among oracles with countable reports.
EM_ORACLES = tuple(
    rule for rule, kinds in RULE_CANDIDATES.items() if all(kind.countable for kind in kinds)
)


def _apply(tables: np.ndarray, matrices: Sequence[np.ndarray]) -> np.ndarray:
    """Multiply axis i + 1 of a batch (queries, c_1, ..., c_k) by matrices[i] (queries, rows, c_i)."""
    for axis, matrix in enumerate(matrices, start=1):
        # The axis goes last and comes back; `moveaxis` would take longer than the product.
        other_axes, last = [i for i in range(tables.ndim) if i != axis], tables.ndim - 1
        axis_last = tables.transpose(*other_axes, axis)
        shape = axis_last.shape
        product = axis_last.reshape(len(axis_last), -1, shape[-1]) @ matrix.swapaxes(1, 2)
        product = product.reshape(*shape[:-1], matrix.shape[1])
        tables = product.transpose(*range(axis), last, *range(axis, last))
    return tables


def fit_em(
    counts: np.ndarray,
    matrices: Sequence[np.ndarray],
    start: np.ndarray,
    *,
    tolerance: float,
    max_iterations: int,
) -> np.ndarray:
    """Joints of many queries at once, by expectation maximization on counts of equal report tuples.

    Parameters
    ----------
    counts : ndarray, shape (queries, symbols_1, ..., symbols_k)
        Number of users with each tuple of reports.
    matrices : k arrays, shape (queries, symbols_i, c_i)
        Likelihoods of the reports.
    start : ndarray, shape (queries, c_1, ..., c_k)
        Starting tables.
    tolerance : float
        A query is done when a step changes no cell of its table by more.
    max_iterations : int
        Maximum number of steps.

    Returns
    -------
    ndarray, shape (queries, c_1, ..., c_k)
    """
    values = np.array(start, dtype=float)
    active = np.arange(len(values))
    weights = counts / counts.reshape(len(counts), -1).sum(axis=1).reshape(-1, *[1] * len(matrices))
    backward = [matrix.swapaxes(1, 2) for matrix in matrices]
    for _ in range(max_iterations):
        checkpoint()
        now = values[active]
        expected = _apply(now, [matrix[active] for matrix in matrices])
        ratio = np.divide(
            weights[active], expected, out=np.zeros_like(expected), where=expected > 0
        )
        after = now * _apply(ratio, [matrix[active] for matrix in backward])
        values[active] = after
        changes = np.abs(after - now).reshape(len(active), -1).max(axis=1)
        active = active[changes > tolerance]
        if not len(active):
            break
    return values


@dataclass(frozen=True, eq=False)
class EmAnswer(Answer):
    """The reports of all users on all attributes; joints are fitted on demand.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    oracles : tuple of Oracle
        The oracle of every attribute, with epsilon / d each.
    symbols : ndarray of int, shape (d, n)
        The randomized report of every user on every attribute.
    """

    domain: Domain
    oracles: tuple[Oracle, ...]
    symbols: np.ndarray
    tolerance: float
    max_iterations: int

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether the query has one attribute; joints are fitted."""
        return len(self.domain.positions(attrs)) == 1

    def one_way(self, i: int) -> np.ndarray:
        """Return the unbiased estimate of the fractions of attribute i, shape (c_i,)."""
        oracle = self.oracles[i]
        counts = np.bincount(self.symbols[i], minlength=oracle.symbols)
        return oracle.estimate(oracle.support_from_counts(counts), self.symbols.shape[1])

    def _counts(self, at: Sequence[int]) -> np.ndarray:
        shape = tuple(self.oracles[i].symbols for i in at)
        flat = np.zeros(self.symbols.shape[1], dtype=np.int64)
        for i, size in zip(at, shape):
            flat *= size
            flat += self.symbols[i]
        return np.bincount(flat, minlength=math.prod(shape)).reshape(shape)

    def _start(self, at: Sequence[int]) -> np.ndarray:
        table = np.ones(())
        for i in at:
            table = table[..., np.newaxis] * norm_sub(self.one_way(i)[np.newaxis], total=1.0)[0]
        return (1 - START_UNIFORM) * table + START_UNIFORM / table.size

    def fit(self, queries: Sequence[Iterable[str]]) -> np.ndarray:
        """Fit the joints of queries whose attributes have the same oracles."""
        positions = [self.domain.positions(query) for query in queries]
        _check_size(self.domain, self.oracles, positions[0])
        matrices = [
            np.stack([self.oracles[at[axis]].likelihoods() for at in positions])
            for axis in range(len(positions[0]))
        ]
        return fit_em(
            np.stack([self._counts(at) for at in iter_cancellable(positions)]),
            matrices,
            np.stack([self._start(at) for at in iter_cancellable(positions)]),
            tolerance=self.tolerance,
            max_iterations=self.max_iterations,
        )

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the fitted joint over `attrs`; a distribution."""
        return self.marginals([attrs])[0]

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """Return the fitted joints of many queries at once; those with the same oracles share every step."""
        queries = [self.domain.canonical(query) for query in queries]
        alike: dict[tuple, list[int]] = {}
        for number, query in enumerate(queries):
            kinds = tuple(self.oracles[i] for i in self.domain.positions(query))
            alike.setdefault(kinds, []).append(number)
        answers: dict[int, Marginal] = {}
        for kinds, numbers in alike.items():
            # Batches bound memory.
            cells = math.prod(oracle.symbols for oracle in kinds)
            batch = max(1, MAX_CELLS // (8 * cells))
            for first in range(0, len(numbers), batch):
                checkpoint()
                part = numbers[first : first + batch]
                for number, values in zip(part, self.fit([queries[i] for i in part])):
                    answers[number] = Marginal(self.domain.project(queries[number]), values)
        return [answers[number] for number in range(len(queries))]


def _check_size(domain: Domain, oracles: Sequence[Oracle], at: Sequence[int]) -> None:
    """Refuse report tuples that are too many to count; the error suggests what would fit."""
    tuples = math.prod(oracles[i].symbols for i in at)
    if tuples > MAX_CELLS:
        cells = math.prod(domain.sizes[i] for i in at)
        remedy, remedies = "use fewer attributes or merge values", list(FEWER_CELLS)
        if cells <= MAX_CELLS:
            remedy = f'oracle "{GRR.name}" would fit with {cells:,}; or merge values to at most 5'
            remedies = [("oracle", GRR.name), ("max_values", 5)]
        raise InfeasibleError(
            f"EM would have to count {tuples:,} different reports on "
            f"{', '.join(domain.names[i] for i in at)}, more than the limit of {MAX_CELLS:,}; {remedy}",
            remedies=remedies,
        )


@dataclass(frozen=True)
class Em(ReportingMethod):
    """EM (Ren et al., LoPub; CALM section 3.2): epsilon / d for each of a user's d reports.

    The joint of a query is fitted to the counts of equal report tuples, so the cost of a step does not depend
    on the number of users. It starts from the product of the unbiased one-way estimates and stops when a step
    changes no cell by more than `tolerance`. Steps are short under strong privacy (proportional to (p - q)^2),
    so for small epsilon / d the answer hardly leaves the start: the results then show its one-way estimates.

    Attributes
    ----------
    oracle : str
        One of `EM_ORACLES`, see `choose_oracle`.
    tolerance : float
        Change of a cell, as a fraction of the population, below which the fit stops.
    max_iterations : int
        Maximum number of steps.

    Raises
    ------
    InfeasibleError
        On release, if the reports on some k attributes have more than 10^7 different tuples, or
        the oracle's reports cannot be counted at all.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> answer = Em(epsilon=8.0, k=2).release(data, rng=rng)
    >>> answer.marginal(("sex",)).values.round(1).tolist()
    [0.5, 0.5]
    """

    oracle: str = option(choice_checker(ORACLE_RULES), "adaptive")
    tolerance: float = option(partial(check_fraction, remedy="1e-5 is usual"), 1e-5)
    max_iterations: int = option(count_checker(), 1000)
    name: ClassVar[str] = "em"
    title: ClassVar[str] = "EM"
    summary: ClassVar[str] = (
        "Everybody reports every attribute with a share of ε (Ren et al., LoPub)."
    )
    no_public_plan_reason: ClassVar[str] = (
        "it needs all reports of one person together, and a state contains only the counts of each"
    )

    def check(self, domain, n) -> None:
        """Refuse data that `release` would refuse."""
        if self.oracle not in EM_ORACLES:
            raise InfeasibleError(
                f"EM counts equal reports, which the oracle {self.oracle} does not allow; "
                f"choose one of {', '.join(EM_ORACLES)}",
                remedies=[("oracle", name) for name in EM_ORACLES],
            )
        Method.check(self, domain, n)
        oracles = self._oracles(domain)
        largest = sorted(range(domain.d), key=lambda i: oracles[i].symbols)[-self.k :]
        _check_size(domain, oracles, largest)

    def _oracles(self, domain: Domain) -> tuple[Oracle, ...]:
        share = self.epsilon / domain.d
        return tuple(choose_oracle(size, share, self.oracle) for size in domain.sizes)

    def release_parts(self, parts, domain, n, *, rng, notify=None) -> EmAnswer:
        """Collect one report on every attribute from every user.

        All reports are kept, since EM needs those of one user together, in the smallest integer type.
        """
        self.check(domain, n)
        oracles, start = self._oracles(domain), 0
        largest = max(oracle.symbols for oracle in oracles) - 1
        symbols = np.empty((domain.d, n), dtype=np.min_scalar_type(largest))
        for part in parts():
            end = start + part.n
            for i, oracle in enumerate(oracles):
                reports = oracle.perturb(part.codes[:, i].astype(np.int64), rng=rng)
                symbols[i, start:end] = oracle.number(reports)
                if notify:
                    notify(GroupDone(i + 1, domain.d, part.n))
            start = end
        return EmAnswer(domain, oracles, symbols, self.tolerance, self.max_iterations)
