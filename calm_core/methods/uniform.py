"""Uni: the uniform table, which collects nothing; the baseline of every method."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from calm_core.methods.base import Answer, Method, ReportingMethod
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, uniform


@dataclass(frozen=True)
class UniformAnswer(Answer):
    """Every cell equal, for every query."""

    domain: Domain

    def covers(self, attrs: Iterable[str]) -> bool:
        """Return False: nothing was measured."""
        return False

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the uniform table over `attrs`."""
        return uniform(self.domain, attrs)


@dataclass(frozen=True)
class Uniform(ReportingMethod):
    """Uni (CALM section 5.1): the baseline that needs no data and loses no privacy.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.tables.dataset import Dataset
    >>> data = Dataset.from_codes([[0, 2], [1, 1]], Domain(("sex", "age"), (2, 3)))
    >>> answer = Uniform(epsilon=1.0, k=2).release(data, rng=np.random.default_rng(1))
    >>> answer.marginal(("sex", "age")).values.round(3).tolist()
    [[0.167, 0.167, 0.167], [0.167, 0.167, 0.167]]
    """

    uses_counts_only: ClassVar[bool] = True
    name: ClassVar[str] = "uni"
    title: ClassVar[str] = "Uniform"
    summary: ClassVar[str] = "All cells equal: what knowing nothing costs."
    no_public_plan_reason: ClassVar[str] = "it collects nothing"

    def check(self, domain, n) -> None:
        """Refuse k beyond the attributes; nothing is planned."""
        Method.check(self, domain, n)

    def explain_unsupported(self, plan) -> str:
        """Return an empty string: reports of any plan will do."""
        return ""

    def answer(self, plan, reports) -> UniformAnswer:
        """Return the uniform answer, whatever was reported."""
        return UniformAnswer(plan.domain)

    def release_parts(self, parts, domain, n, *, rng, notify=None) -> UniformAnswer:
        """Use the domain only."""
        self.check(domain, n)
        return UniformAnswer(domain)

    def analytical_sse(self, domain, n, attrs, *, truth=None) -> float | None:
        """Return the squared distance of the truth from uniform; None without the truth."""
        if truth is None:
            return None
        return float((truth.values**2).sum() - 1 / truth.values.size)
