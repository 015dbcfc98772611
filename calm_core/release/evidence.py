"""What questions rest on: the tables of an answer, with the errors of sums of their cells."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from calm_core.errors import InputError
from calm_core.inference.shrinkage.answers import PlusMarginals, PlusNote, TableSums, infer_plus
from calm_core.methods.base import Answer, ViewsAnswer
from calm_core.runtime.weak_cache import cache_per_object
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

MAX_ATTRIBUTES = 6


@dataclass(eq=False)
class TrueTables(Answer):
    """The true tables, to ask the same questions where they are known: in a simulation.

    Attributes
    ----------
    domain : Domain
    find_table : callable
        Gives the true marginal over some attributes.
    """

    domain: Domain
    find_table: Callable[[tuple[str, ...]], Marginal]

    def covers(self, attrs: Iterable[str]) -> bool:
        """True: nothing is rebuilt."""
        return True

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the true marginal."""
        return self.find_table(self.domain.canonical(attrs))


@dataclass(frozen=True, eq=False)
class ExactSums:
    """A table without errors."""

    table: np.ndarray

    def interval(self, weights: np.ndarray, level: float = 0.95) -> tuple[float, float]:
        """Return the sum of the cells with these weights, twice."""
        total = float((self.table * weights).sum())
        return total, total

    def is_mostly_assumed(self, weights: np.ndarray) -> bool:
        """Return False: nothing is assumed."""
        return False


Sums = TableSums | ExactSums


@cache_per_object
def _infer_errors(answer: ViewsAnswer) -> PlusMarginals:
    """CALM+'s inference from the reports of an answer, which knows its errors."""
    inferred = answer.inferred
    if isinstance(inferred, PlusMarginals):
        return inferred
    return infer_plus(answer.noisy)


def find_sums(answer: Answer | PlusMarginals, attrs: Iterable[str]) -> Sums:
    """The table over some attributes and the errors of its sums; the table is the answer's own.

    Raises
    ------
    InputError
        If the answer does not come from reports, the attributes are unknown or too many, or nobody
        reported on one.
    """
    attrs = answer.domain.canonical(attrs)
    if len(attrs) > MAX_ATTRIBUTES:
        raise InputError(
            f"a question can be about at most {MAX_ATTRIBUTES} attributes; this one is about {len(attrs)}"
        )
    if isinstance(answer, PlusMarginals):
        return answer.sums(attrs)
    if isinstance(answer, TrueTables):
        return ExactSums(answer.marginal(attrs).values)
    if not isinstance(answer, ViewsAnswer):
        raise InputError(
            "this answer has no intervals, so it cannot be asked; collect with calm_plus or calm"
        )
    return _infer_errors(answer).sums(attrs, center=answer.marginal(attrs))


def describe_basis(answer: Answer | PlusMarginals, attrs: tuple[str, ...]) -> tuple[str, ...]:
    """Sentences about what a table over some attributes rests on."""
    if answer.covers(attrs):
        return ("Some people reported on all of these attributes together.",)
    rebuilt = "Nobody reported on all of these attributes together: the table is rebuilt from smaller ones."
    note = answer.explain(attrs) if isinstance(answer, ViewsAnswer | PlusMarginals) else None
    return (note.assumption or rebuilt if isinstance(note, PlusNote) else rebuilt,)
