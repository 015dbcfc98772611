"""What a class can expect to learn, before it answers: measured tables, else simulated classes."""

from dataclasses import dataclass

import numpy as np

from calm_core.classroom.survey import Survey

NOTHING, MAJORITY, ROUGH, COMPARE = "nothing", "majority", "rough", "compare"


@dataclass(frozen=True)
class Forecast:
    """What to expect of a class.

    Attributes
    ----------
    n, d : int
        Phones and questions.
    epsilon : float
    l, m : int
        Questions of a view and number of views.
    half_width : float
        Of the 95% interval of a share, as a fraction (0.21 is +-21 points).
    error : float
        Root mean square error of a share, as a fraction.
    pairs : float
        SSE of the tables of pairs, as a share of guessing every cell alike.
    source : str
        "measured" (interpolated between measured classes) or "simulated".
    """

    n: int
    d: int
    epsilon: float
    l: int  # noqa: E741
    m: int
    half_width: float
    error: float
    pairs: float
    source: str

    @property
    def verdict(self) -> str:
        """NOTHING: half-width above 0.30; COMPARE: below 0.08; else MAJORITY."""
        raise NotImplementedError

    @property
    def difference(self) -> float:
        """Two questions that differ by more than this can be compared: twice the half-width."""
        raise NotImplementedError

    @property
    def offers_more(self) -> bool:
        """Whether epsilon 3 is offered beside it: 5 questions and more, or fewer than 60 phones, and
        epsilon is below 3."""
        raise NotImplementedError


def forecast(survey: Survey, n: int) -> Forecast:
    """What n phones can expect to learn of these questions; under a second, and the same every time."""
    raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """A simulated class, where prediction and error are both known.

    Attributes
    ----------
    forecast : Forecast
        What was predicted.
    error, half_width, held : float
        Root mean square error of a share, mean half-width, and share of intervals that hold the truth.
    """

    forecast: Forecast
    error: float
    half_width: float
    held: float


def rehearse(survey: Survey, n: int, *, rng: np.random.Generator) -> Rehearsal:
    """One simulated class of the same n and plan."""
    raise NotImplementedError
