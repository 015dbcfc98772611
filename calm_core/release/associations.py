"""How strongly two attributes go together, and whether they do at all.

Reports alone say it: an unbiased table of the two with its covariance, and how it falls out by chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core._checks import check_count, check_level, check_rng
from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import Reports
from calm_core.errors import InputError
from calm_core.methods.base import Answer, CollectedAnswer
from calm_core.release.estimate import Estimate, Finding, TrueTables

# Smallest share of a value that divides.
MIN_SHARE = 1e-3


@dataclass(frozen=True, eq=False)
class PairEvidence:
    """Reports of the views that hold two attributes.

    Attributes
    ----------
    names : tuple of str
        The two attributes, in domain order.
    people : int
        Number of people of the whole collection.
    reports : Reports
        Of the views that hold both.
    fitted : tuple of ndarray
        The answer's table of each of these views, its first two axes those of the attributes.
    shares : tuple of ndarray
        Shares of the values of both, from the answer.
    """

    names: tuple[str, str]
    people: int
    reports: Reports
    fitted: tuple[np.ndarray, ...]
    shares: tuple[np.ndarray, np.ndarray]

    @property
    def independent_table(self) -> np.ndarray:
        """Table of independent attributes, shape (c_1, c_2)."""
        return np.outer(*self.shares)

    @cached_property
    def noisy(self) -> NoisyMarginals:
        """Unbiased tables of the views."""
        return aggregate(self.reports)

    @cached_property
    def weights(self) -> np.ndarray:
        """Weight of each view in the mean, by its precision."""
        cells = np.array([table.values.size for table in self.noisy.tables])
        precision = 1 / (np.array(self.noisy.contrast_variances) * cells)
        return precision / precision.sum()

    @property
    def table(self) -> np.ndarray:
        """Unbiased table of the pair, the mean over the views."""
        tables = np.array([view.project(self.names).values for view in self.noisy.tables])
        return np.tensordot(self.weights, tables, 1)

    def covariance(self) -> np.ndarray:
        """Covariance of the cells of `table` if the attributes are independent, shape (C, C)."""
        p, total = self.independent_table.ravel(), np.zeros((self.independent_table.size,) * 2)
        for weight, table, users, all_of, of_value in zip(
            self.weights,
            self.noisy.tables,
            self.noisy.users,
            self.noisy.contrast_variances,
            self.noisy.value_variances,
        ):
            cells = table.values.size
            even = max(all_of - of_value / cells, 0.0) * cells / p.size
            # Those who report on this view are a sample of all people.
            of_value += 1 / users - 1 / self.people
            total += weight**2 * (np.diag(even + of_value * p) - of_value * np.outer(p, p))
        return total

    def departures(self, table: np.ndarray) -> np.ndarray:
        """What a table has beyond independence, each cell over the root of its expected share."""
        difference = table - np.outer(table.sum(axis=1), table.sum(axis=0))
        return difference / np.sqrt(np.maximum(self.independent_table, MIN_SHARE**2))

    def draw_tables(self, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Yield tables as they would be found if the attributes were independent, through the same oracles."""
        models = []
        for fitted in self.fitted:
            pair = fitted.sum(axis=tuple(range(2, fitted.ndim)), keepdims=True)
            alike = fitted / np.maximum(pair, 1e-300)
            shaped = self.independent_table.reshape(pair.shape)
            model = np.where(pair > 0, alike * shaped, shaped * pair.size / fitted.size)
            models.append(model.ravel() / model.sum())
        for _ in range(draws):
            total = np.zeros(self.independent_table.shape)
            for view, model, weight, (shape, order) in zip(
                self.reports.views, models, self.weights, self._orders()
            ):
                people = rng.multinomial(view.n, model).reshape(shape).transpose(order)
                support = view.oracle.simulate(people.ravel(), rng=rng)
                estimate = view.oracle.estimate(support, view.n).reshape(people.shape)
                table = estimate.transpose(np.argsort(order))
                total += weight * table.sum(axis=tuple(range(2, table.ndim)))
            yield total

    def _orders(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Shape of each fitted table, and the order of axes that makes it the view's own."""
        for view, fitted in zip(self.reports.views, self.fitted):
            rest = [name for name in view.attrs if name not in self.names]
            now = [*self.names, *rest]
            yield fitted.shape, tuple(now.index(name) for name in view.attrs)


def check_reports(answer: Answer) -> CollectedAnswer:
    """The answer, if it keeps reports."""
    if not isinstance(answer, CollectedAnswer):
        raise InputError(
            "this answer keeps no reports, so it cannot be tested; collect with calm_plus or calm"
        )
    return answer


def find_pair(answer: Answer, one: str, two: str) -> PairEvidence:
    """The reports about two attributes.

    Raises
    ------
    InputError
        If the answer keeps no reports, or nobody reported on both.
    """
    if one == two:
        raise InputError("two different attributes are needed")
    first, second = answer.domain.canonical((one, two))
    names = first, second
    answer = check_reports(answer)
    views = [
        view
        for view in answer.reports.views
        if {*names} <= {*view.attrs} and view.n and view.oracle.sets is None
    ]
    if not views:
        raise InputError(
            f"nobody reported on {names[0]!r:.60} and {names[1]!r:.60} together, so nothing about them was measured"
        )
    fitted = []
    for view in views:
        table = answer.marginal(view.attrs).values
        rest = [name for name in view.attrs if name not in names]
        order = [view.attrs.index(name) for name in (*names, *rest)]
        fitted.append(np.transpose(table, order))
    shares = answer.marginal(names[:1]).values, answer.marginal(names[1:]).values
    return PairEvidence(
        names, answer.reports.n, Reports(answer.domain, tuple(views)), tuple(fitted), shares
    )


DRAWS = 999


def association(answer: Answer, first: str, second: str, *, level: float = 0.95) -> Estimate:
    """Cramér's V of two attributes, from 0 (independent) to 1, with what noise adds taken off.

    Parameters
    ----------
    answer : Answer
        With reports.
    first, second : str
        Attributes that some view holds together.
    level : float

    Returns
    -------
    Estimate
        The interval begins at 0 where the reports do not rule out independence.

    Examples
    --------
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> sex = rng.integers(0, 2, 50_000)
    >>> people = cc.Dataset.from_codes(np.stack([sex, sex], 1), cc.Domain(("sex", "name"), (2, 2)))
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = association(answer, "sex", "name")
    >>> found.value > 0.95 and found.high == 1.0
    True
    """
    level = check_level(level)
    if isinstance(answer, TrueTables):
        attrs = answer.domain.canonical((first, second))
        value = cramers_v(answer.marginal(attrs).values)
        return Estimate(value, value, value, (attrs,), f"Cramér's V {value:.2f}.", (), level)
    pair = find_pair(answer, first, second)
    spread = _spread(pair)
    squares = float((pair.departures(pair.table) ** 2).sum())
    value, low, high = (
        _strength(pair, square)
        for square in (squares - spread.sum(), *_square_interval(squares, spread, level))
    )
    titles = [answer.domain.title_of(name) for name in pair.names]
    text = f"{titles[0]} and {titles[1]} go together with Cramér's V {value:.2f} ({low:.2f} to {high:.2f})."
    notes = ["What noise adds is taken off; 0 is the least."]
    if low <= 0:
        notes.append("The reports do not rule out that they are independent.")
    return Estimate(value, low, high, (pair.names,), text, tuple(notes), level)


def cramers_v(table: np.ndarray) -> float:
    """Cramér's V of a table of shares.

    Examples
    --------
    >>> cramers_v(np.array([[0.5, 0.0], [0.0, 0.5]])), cramers_v(np.full((2, 3), 1 / 6))
    (1.0, 0.0)
    """
    independent = np.outer(table.sum(axis=1), table.sum(axis=0))
    departures = (table - independent) ** 2 / np.where(independent > 0, independent, 1.0)
    return float(np.sqrt(departures.sum() / (min(table.shape) - 1)))


def _spread(pair: PairEvidence) -> np.ndarray:
    """Variances that noise gives the departures along their own axes."""
    rows, columns = pair.independent_table.shape
    # A table less the product of its sums, as a linear map around independence.
    first, second = (np.outer(share, np.ones(share.size)) for share in pair.shares)
    project = np.kron(np.eye(rows) - first, np.eye(columns) - second)
    scale = 1 / np.sqrt(np.maximum(pair.independent_table.ravel(), 1e-6))
    project = scale[:, None] * project
    values = np.linalg.eigvalsh(project @ pair.covariance() @ project.T)
    return values[values > 1e-9 * values.max(initial=0.0)]


def _square_interval(square: float, spread: np.ndarray, level: float) -> tuple[float, float]:
    """Interval for the sum of squared departures without noise: the sum is about a scaled noncentral chi-square."""
    from scipy.special import chndtr, chndtrinc

    scale = float((spread**2).sum() / spread.sum())
    freedom = float(spread.sum() ** 2 / (spread**2).sum())
    x, tails = square / scale, ((1 + level) / 2, (1 - level) / 2)
    low, high = (
        0.0 if chndtr(x, freedom, 0.0) <= tail else float(chndtrinc(x, freedom, tail)) * scale
        for tail in tails
    )
    return low, high


def _strength(pair: PairEvidence, square: float) -> float:
    """Cramér's V of a sum of squared departures."""
    return float(np.sqrt(np.clip(square / (min(pair.independent_table.shape) - 1), 0.0, 1.0)))


@dataclass(frozen=True)
class IndependenceTest(Finding):
    """A test of independence.

    Attributes
    ----------
    p_value : float
        Chance of so large a statistic if the attributes were independent.
    statistic : float
        Sum of squared departures from independence, as found.
    sentence : str
    notes : tuple of str
    """

    p_value: float
    statistic: float
    sentence: str
    notes: tuple[str, ...] = ()


def independence(
    answer: Answer, first: str, second: str, *, rng: np.random.Generator, draws: int = DRAWS
) -> IndependenceTest:
    """Test whether two attributes are independent, with draws of independent ones through the same oracles.

    Parameters
    ----------
    answer : Answer
        With reports.
    first, second : str
        Attributes that some view holds together.
    rng : numpy Generator
    draws : int
        How many; the least p-value is 1 / (draws + 1).

    Examples
    --------
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> sex = rng.integers(0, 2, 50_000)
    >>> people = cc.Dataset.from_codes(np.stack([sex, sex], 1), cc.Domain(("sex", "name"), (2, 2)))
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> independence(answer, "sex", "name", rng=rng).p_value
    0.001
    """
    rng, draws, pair = check_rng(rng), check_count("draws", draws), find_pair(answer, first, second)

    def statistic(table: np.ndarray) -> float:
        return float((pair.departures(table) ** 2).sum())

    observed = statistic(pair.table)
    larger = sum(statistic(table) >= observed for table in pair.draw_tables(draws, rng))
    p_value = (1 + larger) / (1 + draws)
    titles = [answer.domain.title_of(name) for name in pair.names]
    verdict = "go together" if p_value < 0.05 else "may be independent"
    text = f"{titles[0]} and {titles[1]} {verdict} (p = {p_value:.3f})."
    note = f"Compared with {draws:,} draws of independent attributes through the same oracles."
    return IndependenceTest(p_value, observed, text, (note,))
