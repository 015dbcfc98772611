"""Audit of the randomizer that the phones of a plan run."""

from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import ClassVar

import numpy as np
import pandas as pd

from calm_core._checks import EPSILON_LIMIT, check_fraction, count_checker
from calm_core.attacks.audit import CONFIDENCE, Audit, audit_oracle
from calm_core.attacks.base import Attack, AttackResult, Population
from calm_core.errors import InputError
from calm_core.methods.base import option
from calm_core.oracles import Oracle
from calm_core.planning.plan import Plan
from calm_core.runtime.cancellation import checkpoint

# Shares of the noise that are there, besides the chosen one.
SHARES = (1.0, 0.9, 0.8, 0.7)
MAX_TRIALS = 10**7


@dataclass(frozen=True)
class AuditPhones(Attack):
    """Run the randomizer of a plan many times, and prove from what it did how much of epsilon it uses.

    The gain is the proven epsilon over the promised one. It is below 1 where the randomizer keeps its promise;
    above 1 the promise is broken. The bound is the epsilon that the phones really use over the promised one.
    Audited is the view that most people answer, with the first two cells of its table.

    Attributes
    ----------
    noise : float
        Share of the noise that is there: the phones run with ``epsilon / noise``.
    trials : int
        Reports, half of them of each of two cells.

    Raises
    ------
    InputError
        If a setting is out of its range.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> rng = np.random.default_rng(1)
    >>> plan = make_plan(Domain(("sex", "age"), (2, 3)), 1000, epsilon=1.0, k=2, rng=rng)
    >>> AuditPhones(noise=0.7, trials=100_000).run(plan, rng=rng).sentence
    'At least epsilon 1.35 with 99.9% confidence, claimed 1.0: broken.'
    """

    noise: float = option(partial(check_fraction, remedy="1 is all of it"), 1.0)
    trials: int = option(count_checker(1000, MAX_TRIALS), 200_000)
    name: ClassVar[str] = "audit"
    title: ClassVar[str] = "Audit a randomizer"
    summary: ClassVar[str] = "Runs the phones' own randomizer to see whether it keeps its epsilon."

    def run(
        self, plan: Plan, population: Population | None = None, *, rng: np.random.Generator
    ) -> AttackResult:
        """As `Attack.run`; nobody's answers are needed, so the population is not looked at.

        The table has a row per share of the noise: `noise`, `epsilon` that is used, `lower_bound` that is proven, and
        `broken`.
        """
        oracle = plan.oracles[int(np.argmax(plan.shares))]
        min_noise = oracle.epsilon / EPSILON_LIMIT
        if self.noise < min_noise:
            raise InputError(
                f"noise ({self.noise:g}) must be at least {min_noise:.2g} for epsilon {oracle.epsilon:g}"
            )
        audits = {}
        for noise in sorted({*SHARES, self.noise}, reverse=True):
            if noise >= min_noise:
                checkpoint()
                audits[noise] = self._audit(oracle, oracle.epsilon / noise, rng)
        rows = [
            (noise, oracle.epsilon / noise, found.lower_bound, found.broken)
            for noise, found in audits.items()
        ]
        table = pd.DataFrame(rows, columns=["noise", "epsilon", "lower_bound", "broken"])
        result = audits[self.noise]
        gain, bound = result.lower_bound / oracle.epsilon, 1 / self.noise
        # A bound lies below the truth by as many standard errors as its confidence asks for.
        z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        return AttackResult(
            attack=self.name, gain=gain, standard_error=max(0.0, bound - gain) / z, bound=bound, defense=None,
            sentence=result.sentence, table=table,
        )  # fmt: skip

    def _audit(self, oracle: Oracle, used: float, rng: np.random.Generator) -> Audit:
        result = audit_oracle(replace(oracle, epsilon=used), trials=self.trials, rng=rng)
        return replace(result, epsilon=oracle.epsilon)
