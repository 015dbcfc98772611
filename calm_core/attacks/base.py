"""What every attack has in common: it runs on a plan and the shares of a population, and says what it gained.

The views under attack come with the shares of the people who answer them.
"""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from calm_core._checks import check_options, check_rng
from calm_core.attacks.guessing import check_prior
from calm_core.collection.simulation import collect
from calm_core.errors import InputError
from calm_core.methods import Calm
from calm_core.methods.base import Answer
from calm_core.oracles import Oracle
from calm_core.planning.plan import Plan
from calm_core.tables.dataset import People

# Where the people's shares come from: people, or the answer of an opened state or class.
Population = People | Answer


@dataclass(frozen=True)
class Defense:
    """What a defense leaves of an attack.

    Attributes
    ----------
    name : str
        What the defense is called.
    gain : float
        Gain of the same attack against it, in the unit of `AttackResult.gain`.
    sentence : str
        What it does and what it costs, in one sentence.
    """

    name: str
    gain: float
    sentence: str


@dataclass(frozen=True)
class AttackResult:
    """What an attack gained on a plan.

    Attributes
    ----------
    attack : str
        Key of the attack in `ATTACKS`.
    gain : float
        What was measured, as a fraction: a share of people found out, or a share added to a cell.
    standard_error : float
        Of the gain, over the people or repetitions drawn; 0 where it is computed exactly.
    bound : float
        What the formula says of the gain, in the same unit: the most that is possible, or what is expected.
    defense : Defense or None
        The best defense tried, if there is one.
    sentence : str
        The finding in one sentence with one number.
    table : DataFrame
        What a picture of it needs, tidy.
    """

    attack: str
    gain: float
    standard_error: float
    bound: float
    defense: Defense | None
    sentence: str
    table: pd.DataFrame = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the table as a list of rows, with None where it is empty."""
        defense = None if self.defense is None else asdict(self.defense)
        filled = self.table.astype(object).where(self.table.notna(), None)
        return vars(self) | {"defense": defense, "table": filled.to_dict("records")}


@dataclass(frozen=True)
class Attack(ABC):
    """An attack with its settings, which are checked when it is made.

    Every attack is a frozen configuration, like a method: its fields are what an attacker, or the one who
    runs the survey, can choose. A field made by `calm_core.methods.base.option` has a check.
    """

    # Key in `ATTACKS`; the name on screen; one sentence on what it does.
    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]

    def __post_init__(self):
        check_options(self)

    @abstractmethod
    def run(
        self, plan: Plan, population: Population | None = None, *, rng: np.random.Generator
    ) -> AttackResult:
        """Attack a collection by this plan.

        Parameters
        ----------
        plan : Plan
            The collection under attack.
        population : Dataset, Answer or None
            Where the people's shares come from; None for equal shares.
        rng : numpy.random.Generator
            Random numbers of the devices and of the attacker.

        Returns
        -------
        AttackResult
        """


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
    numbers, weights = np.arange(plan.m), np.array(plan.shares)
    if plan.m > VIEWS:
        likely = np.flatnonzero(weights)
        size = min(VIEWS, len(likely))
        numbers = check_rng(rng).choice(likely, size, replace=False, p=weights[likely])
        # Drawn by their weights, they count equally.
        weights = np.ones(plan.m)
    weights = weights[numbers] / weights[numbers].sum()
    people_of_views = check_rng(rng).multinomial(people, weights)
    return [
        ViewShares(
            plan.views[i], plan.oracles[i], float(weight), int(number), find_shares(plan, i, population)
        )
        for i, weight, number in zip(numbers.tolist(), weights, people_of_views)
    ]  # fmt: skip


def release_tables(
    plan: Plan, population: Population | None, *, rng: np.random.Generator
) -> Population | None:
    """Return what CALM releases of such a collection, or the population where it is an answer, so a release, already."""
    if not isinstance(population, People):
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
