"""One person: guess a cell from the only report."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd

from calm_core._checks import choice_checker, count_checker
from calm_core.attacks.base import (
    Attack,
    AttackResult,
    Defense,
    Population,
    ViewShares,
    list_views,
    release_tables,
)
from calm_core.attacks.guessing import check_prior, hit_rate, measure_hits
from calm_core.errors import InputError
from calm_core.methods.base import option
from calm_core.planning.plan import Plan

PRIORS = ("population", "equal", "released")
MAX_SIMULATED = 10**7


@dataclass(frozen=True)
class OnePerson(Attack):
    """Guess a person's cell from their only report, by Bayes' rule.

    The gain is the share of people whose cell the best guess hits; the bound is the same by formula. Nobody can do
    better with one report: that it is right has a chance of at most e^epsilon times that of the best blind guess.

    Attributes
    ----------
    prior : {"population", "equal", "released"}
        What the attacker knows beforehand: the shares of the population, nothing, or what CALM releases of such a
        collection, with its errors.
    people : int
        Number of simulated people.

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
    >>> found = OnePerson(people=2000).run(plan, rng=rng)
    >>> round(found.gain, 2), round(found.bound, 4)
    (0.37, 0.3522)
    """

    prior: str = option(choice_checker(PRIORS), "population")
    people: int = option(count_checker(1, MAX_SIMULATED), 20_000)
    name: ClassVar[str] = "one-person"
    title: ClassVar[str] = "One person"
    summary: ClassVar[str] = "Guesses one person's cell from the report, by Bayes' rule."

    def run(
        self, plan: Plan, population: Population | None = None, *, rng: np.random.Generator
    ) -> AttackResult:
        """As `Attack.run`; the table has a row per view: the share hit, by formula, and by a blind guess.

        Its columns are `view`, `oracle`, `cells`, `epsilon`, `weight`, `people`, `gain`, `expected`, `blind` and
        `defended`, the expected gain at half the budget.
        """
        belief = self._known(plan, population, rng)
        rows = []
        for view in list_views(plan, population, self.people, rng=rng):
            prior = check_prior(
                None if belief is None else np.maximum(belief.marginal(view.attrs).values, 0),
                view.oracle.size,
            )
            rows.append(_attack_view(view, prior, rng))
        table = pd.DataFrame(rows)
        gain = float((table["gain"] * table["people"]).sum() / self.people)
        bound, blind, defended = (
            float((table[column] * table["weight"]).sum())
            for column in ("expected", "blind", "defended")
        )
        dearer = float((table.pop("dearer") * table["weight"]).sum())
        return AttackResult(
            attack=self.name, gain=gain, standard_error=float(np.sqrt(gain * (1 - gain) / self.people)), bound=bound,
            defense=Defense(
                "Half the budget", defended,
                f"With epsilon {plan.epsilon / 2:g} the guess is right for {100 * defended:.3g} of 100 people; the variance of "
                f"the tables is {dearer:.2g} times as large. Sending the same report again gives nothing more away.",
            ),
            sentence=f"The best guess of a person's cell is right for {100 * gain:.3g} of 100 people; without the report "
            f"{100 * blind:.3g}.",
            table=table,
        )  # fmt: skip

    def _known(
        self, plan: Plan, population: Population | None, rng: np.random.Generator
    ) -> Population | None:
        """Whose shares the attacker takes for those of the population; None for equal ones."""
        if self.prior == "equal":
            return None
        if self.prior == "released" and population is None:
            raise InputError("prior (released) needs people to collect from; use equal")
        if self.prior == "population":
            return population
        return release_tables(plan, population, rng=rng)


def _attack_view(
    view: ViewShares, prior: np.ndarray, rng: np.random.Generator
) -> dict[str, object]:
    """A row of the table."""
    oracle, truth = view.oracle, view.shares
    hits = measure_hits(oracle, prior, truth, view.people, rng=rng)
    weaker = replace(oracle, epsilon=oracle.epsilon / 2)
    return {
        "view": ", ".join(view.attrs), "oracle": oracle.name, "cells": oracle.size, "epsilon": oracle.epsilon,
        "weight": view.weight, "people": view.people, "gain": hits / view.people if view.people else np.nan,
        "expected": hit_rate(oracle, prior, truth), "blind": float(truth[prior == prior.max()].mean()),
        "defended": hit_rate(weaker, prior, truth),
        "dearer": weaker.contrast_variance(1) / oracle.contrast_variance(1) if oracle.size > 1 else 1.0,
    }  # fmt: skip
