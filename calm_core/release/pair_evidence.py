"""What reports alone say about two attributes: an unbiased table with its covariance, and how it falls out by chance."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import Reports
from calm_core.errors import InputError
from calm_core.methods.base import Answer, CollectedAnswer

# Smallest share of a value that divides.
LEAST_SHARE = 1e-3


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
        p, found = self.independent_table.ravel(), np.zeros((self.independent_table.size,) * 2)
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
            found += weight**2 * (np.diag(even + of_value * p) - of_value * np.outer(p, p))
        return found

    def departures(self, table: np.ndarray) -> np.ndarray:
        """What a table has beyond independence, each cell over the root of its expected share."""
        beyond = table - np.outer(table.sum(axis=1), table.sum(axis=0))
        return beyond / np.sqrt(np.maximum(self.independent_table, LEAST_SHARE**2))

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
            found = np.zeros(self.independent_table.shape)
            for view, model, weight, (shape, order) in zip(
                self.reports.views, models, self.weights, self._orders()
            ):
                people = rng.multinomial(view.n, model).reshape(shape).transpose(order)
                support = view.oracle.simulate(people.ravel(), rng=rng)
                estimate = view.oracle.estimate(support, view.n).reshape(people.shape)
                table = estimate.transpose(np.argsort(order))
                found += weight * table.sum(axis=tuple(range(2, table.ndim)))
            yield found

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
