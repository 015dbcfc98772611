"""What every attack has in common: it runs on a plan and the shares of a population, and says what it gained."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import pandas as pd

from calm_core._checks import check_options
from calm_core.planning.plan import Plan
from calm_core.tables.marginal import Marginal


class Population(Protocol):
    """Where the people's shares come from: a data set, or the answer of an opened state or class."""

    def marginal(self, attributes: Iterable[str], /) -> Marginal:
        """Return the shares of the cells of these attributes."""
        ...


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
