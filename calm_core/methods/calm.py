"""CALM: consistent adaptive local marginals (Zhang et al., CCS 2018)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from calm_core._checks import check_theta
from calm_core.aggregating import NoisyMarginals, aggregate
from calm_core.collecting import Reports, collect
from calm_core.consistency import ConsistentMarginals, make_consistent
from calm_core.domain import Domain
from calm_core.marginal import Marginal
from calm_core.methods.base import Method
from calm_core.plans import Plan, make_plan


@dataclass(frozen=True, eq=False)
class CalmAnswer:
    """What a CALM collection leaves behind: the plan, the reports and what is inferred from them."""

    plan: Plan
    reports: Reports
    noisy: NoisyMarginals
    views: ConsistentMarginals

    @cached_property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.plan.domain

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view holds every given attribute."""
        return self.plan.covers(attrs)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The marginal over `attrs`, from a view or by maximum entropy; a distribution."""
        return self.views.marginal(attrs)

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """The marginals of many queries at once."""
        return self.views.marginals(queries)


@dataclass(frozen=True)
class Calm(Method):
    """CALM with every option the papers vary.

    Attributes
    ----------
    theta : float
        Error threshold of Algorithm 1.
    l, m : int or None
        View size and number of views by hand; None lets Algorithm 1 choose.
    oracle : str
        Rule of `choose_oracle` or an oracle's name.
    design : str
        "auto", "attributes" or "cells", see `make_plan`.
    nonnegativity : str
        One of `NONNEGATIVITY`; the paper's is "ripple".
    rounds : int
        How often non-negativity and consistency alternate.
    reconstruction : str
        One of `RECONSTRUCTIONS`; the paper's is "maxent".
    simulation : str
        "aggregate" or "per_user", see `collect`.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> answer = Calm(epsilon=2.0, k=2).release(data, rng=rng)
    >>> bool(abs(answer.marginal(("sex",)).values.sum() - 1) < 1e-9)
    True
    """

    theta: float = 1e-3
    l: int | None = None  # noqa: E741 - the paper's name
    m: int | None = None
    oracle: str = "adaptive"
    design: str = "auto"
    nonnegativity: str = "ripple"
    rounds: int = 3
    reconstruction: str = "maxent"
    simulation: str = "aggregate"
    name: ClassVar[str] = "calm"
    title: ClassVar[str] = "CALM"

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "theta", check_theta(self.theta))

    def plan(self, domain: Domain, n: int, *, rng) -> Plan:
        """Fix everything that is fixed before collection."""
        return make_plan(
            domain, n, epsilon=self.epsilon, k=self.k, theta=self.theta, rng=rng,
            l=self.l, m=self.m, oracle=self.oracle, design=self.design,
        )  # fmt: skip

    def infer(self, noisy: NoisyMarginals) -> ConsistentMarginals:
        """Everything after aggregation; sees estimates only."""
        return make_consistent(
            noisy,
            nonnegativity=self.nonnegativity,
            rounds=self.rounds,
            reconstruction=self.reconstruction,
        )

    def release(self, dataset, *, rng, notify=None) -> CalmAnswer:
        """Plan, collect, aggregate, infer."""
        plan = self.plan(dataset.domain, dataset.n, rng=rng)
        reports = collect(dataset, plan, rng=rng, simulation=self.simulation, notify=notify)
        noisy = aggregate(reports)
        return CalmAnswer(plan, reports, noisy, self.infer(noisy))
