"""What a question needs, solved for the one number that is not given: people, epsilon, or what comes out."""

import math
from dataclasses import dataclass

from calm_core.errors import InputError
from calm_core.evaluation.planned_questions import Question
from calm_core.evaluation.power import (
    expected_half_width,
    find_epsilon_for_power,
    find_epsilon_for_width,
    find_users_for_power,
    find_users_for_width,
    power_of_difference,
)
from calm_core.planning.plan import Plan
from calm_core.release.estimate import write_per_100
from calm_core.text import format_count


@dataclass(frozen=True)
class Need:
    """A question with people, epsilon and what comes out.

    Attributes
    ----------
    question : ShareQuestion, DifferenceQuestion or PilotQuestion
    n : int or None
        People; None if no number is enough.
    epsilon : float or None
        None if 10 is not enough.
    half_width, power : float or None
        Half the length of the interval, or the probability to detect the difference; one of them is None.
    solved : {"n", "epsilon", "half_width", "power"}
        Which of them was looked for.
    """

    question: Question
    n: int | None
    epsilon: float | None
    half_width: float | None
    power: float | None
    solved: str

    @property
    def plan(self) -> Plan | None:
        """The plan to use; None if nothing is enough."""
        if self.n is None or self.epsilon is None:
            return None
        return self.question.plan(self.n, self.epsilon)[0]

    @property
    def sentence(self) -> str:
        """The need in a sentence, in people and points of 100."""
        asked = self.question
        if self.power is None:
            half = f"±{_points(self.half_width or 0.0)}"
            end = f"have a {100 * asked.level:g}% interval of {half} for {asked.words}"
        else:
            end = f"detect {asked.words} in {write_per_100(self.power)} of 100 surveys"
        if self.n is None:
            return f"No number of people at epsilon {self.epsilon:g} is enough to {end}."
        if self.epsilon is None:
            return f"With {format_count(self.n, 'person', 'people')}, no epsilon up to 10 is enough to {end}."
        people = f"{_round_up(self.n) if self.solved == 'n' else self.n:,} people"
        epsilon = f"{_round_up(self.epsilon) if self.solved == 'epsilon' else self.epsilon:g}"
        return f"{people} at epsilon {epsilon} {end}."

    def to_dict(self) -> dict:
        """Plain values for JSON; shares in points of 100."""
        plan = self.plan
        return {
            "solved": self.solved, "n": self.n, "epsilon": self.epsilon,
            "half_width": None if self.half_width is None else 100 * self.half_width,
            "power": None if self.power is None else 100 * self.power,
            **self.question.to_dict(),
            "l": plan and plan.l, "m": plan and plan.m, "oracle": "contrast", "method": "calm_plus",
            "sentence": self.sentence,
        }  # fmt: skip


def solve_question(
    question: Question,
    *,
    n: int | None = None,
    epsilon: float | None = None,
    half_width: float | None = None,
    power: float | None = None,
) -> Need:
    """Find what is not given of people, epsilon and what comes out, as `solve_power` of statsmodels does.

    Parameters
    ----------
    question : ShareQuestion, DifferenceQuestion or PilotQuestion
    n : int, optional
        People.
    epsilon : float, optional
    half_width : float, optional
        Wanted half length of the interval, as a fraction.
    power : float, optional
        Wanted probability to detect the difference. With n and epsilon, neither is given: a difference then has its
        power predicted, a share its half length.

    Raises
    ------
    InputError
        If not exactly one is left open, or a share is to have a power.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> need = solve_question(ShareQuestion(d=2, values=2), epsilon=1.0, half_width=0.4)
    >>> need.n, need.sentence
    (100, '100 people at epsilon 1 have a 95% interval of ±40 points for the share of one of 2 equally large cells.')
    """
    if half_width is not None and power is not None:
        raise InputError("give a length of the interval or a power, not both")
    wanted = half_width is not None or power is not None
    if (n is not None) + (epsilon is not None) + wanted != 2:
        raise InputError(
            "give two of people (n), epsilon, and what is wanted (a length of the interval or a power)"
        )
    if power is not None:
        if question.difference is None:
            raise InputError(
                f"a share has no power ({power:g}); give a difference, or a length of the interval"
            )
        if epsilon is not None:
            users = find_users_for_power(question, power, epsilon=epsilon)
            return Need(question, users, epsilon, None, power, "n")
        assert n is not None
        budget = find_epsilon_for_power(question, power, n=n)
        return Need(question, n, budget, None, power, "epsilon")
    if half_width is not None:
        if epsilon is not None:
            users = find_users_for_width(question, half_width, epsilon=epsilon)
            return Need(question, users, epsilon, half_width, None, "n")
        assert n is not None
        budget = find_epsilon_for_width(question, half_width, n=n)
        return Need(question, n, budget, half_width, None, "epsilon")
    assert n is not None and epsilon is not None
    if question.difference is not None:
        found = power_of_difference(question, n, epsilon=epsilon)
        return Need(question, n, epsilon, None, found, "power")
    found = expected_half_width(question, n, epsilon=epsilon)
    return Need(question, n, epsilon, found, None, "half_width")


def _points(share: float) -> str:
    return f"{write_per_100(share)} points"


def _round_up(value: float) -> float:
    """To two digits, so that it is enough.

    >>> _round_up(1721), _round_up(0.5021), _round_up(100)
    (1800, 0.51, 100)
    """
    digits = 1 - math.floor(math.log10(value))
    return round(math.ceil(round(value * 10.0**digits, 6)) / 10.0**digits, max(digits, 0) or None)
