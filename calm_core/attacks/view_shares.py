"""The views under attack, with the shares of the people who answer them."""

from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_rng
from calm_core.attacks.base import Population
from calm_core.attacks.guessing import check_prior
from calm_core.collection.simulation import collect
from calm_core.errors import InputError
from calm_core.methods import Calm
from calm_core.oracles import Oracle
from calm_core.planning.plan import Plan
from calm_core.tables.dataset import Dataset
from calm_core.tables.population import Population as DrawnPeople

# Views that are attacked, at random where a plan has more.
VIEWS = 200


@dataclass(frozen=True, eq=False)
class ViewShares:
    """A view under attack.

    Attributes
    ----------
    attrs : tuple of str
        The view.
    oracle : Oracle
        Its oracle.
    weight : float
        Its share of the people.
    people : int
        How many simulated people report on it.
    shares : ndarray (L,)
        Shares of the cells in the population.
    """

    attrs: tuple[str, ...]
    oracle: Oracle
    weight: float
    people: int
    shares: np.ndarray


def list_views(
    plan: Plan, population: Population | None, people: int, *, rng: np.random.Generator
) -> list[ViewShares]:
    """Return the views of a plan, at most 200 random ones, with simulated people by their weights.

    Raises
    ------
    InputError
        If the population does not have the attributes of the plan.
    """
    chosen, weights = np.arange(plan.m), np.array(plan.shares)
    if plan.m > VIEWS:
        likely = np.flatnonzero(weights)
        size = min(VIEWS, len(likely))
        chosen = check_rng(rng).choice(likely, size, replace=False, p=weights[likely])
        # Drawn by their weights, they count equally.
        weights = np.ones(plan.m)
    weights = weights[chosen] / weights[chosen].sum()
    drawn = check_rng(rng).multinomial(people, weights)
    return [
        ViewShares(
            plan.views[i], plan.oracles[i], float(weight), int(number), find_shares(plan, i, population)
        )
        for i, weight, number in zip(chosen.tolist(), weights, drawn)
    ]  # fmt: skip


def release_tables(
    plan: Plan, population: Population | None, *, rng: np.random.Generator
) -> Population | None:
    """Return what CALM releases of such a collection, or the population where it is an answer, so a release, already."""
    if not isinstance(population, (Dataset, DrawnPeople)):
        return population
    calm = Calm(epsilon=plan.epsilon, k=plan.k, theta=plan.theta)
    return calm.answer(plan, collect(population, plan, rng=rng))


def find_shares(plan: Plan, i: int, population: Population | None) -> np.ndarray:
    """Return the shares of the cells of view i; negative ones of an answer count as 0."""
    cells = plan.oracles[i].size
    if population is None:
        return check_prior(None, cells)
    values = population.marginal(plan.views[i]).values.reshape(-1)
    if len(values) != cells:
        raise InputError(
            "the population must have the attributes the plan was made for; plan again"
        )
    return check_prior(np.maximum(values, 0), cells)
