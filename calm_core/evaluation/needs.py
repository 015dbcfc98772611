"""What a question needs, solved for the one number that is not given: people, epsilon, or what comes out."""

import math
from dataclasses import dataclass, replace

import numpy as np

from calm_core.errors import InputError
from calm_core.evaluation.planned_questions import (
    USUAL_CORRELATION,
    DifferenceQuestion,
    Question,
    ShareQuestion,
)
from calm_core.evaluation.power import (
    expected_half_width,
    find_epsilon_for,
    find_users_for,
    outcome_curve,
    power_of_difference,
)
from calm_core.evaluation.survey_design import MAX_USERS, MIN_USERS
from calm_core.planning.plan import Plan
from calm_core.release.estimate import write_per_100
from calm_core.text import format_count

# Correlations of every two attributes that surveys have: hardly any, as in MSNBC, usual ones, and those of NLTCS.
CORRELATIONS = (0.0, USUAL_CORRELATION, 0.35)
# Pairs of draws for each of them: they lie further apart than few draws are off.
PAIRS = 3


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
    best : float or None
        What was looked for where attributes go together as is best; the number above is for the worst. None if the answer does
        not depend on it, or nothing is enough.
    """

    question: Question
    n: int | None
    epsilon: float | None
    half_width: float | None
    power: float | None
    solved: str
    best: float | None = None

    @property
    def plan(self) -> Plan | None:
        """The plan to use; None if nothing is enough."""
        if self.n is None or self.epsilon is None:
            return None
        return self.question.plan(self.n, self.epsilon)[0]

    @property
    def sentence(self) -> str:
        """The need in a sentence, in people and points of 100."""
        what = self.question.words
        if self.power is None:
            half = f"±{_points(self.half_width or 0.0)}"
            end = f"have a {100 * self.question.level:g}% interval of {half} for {what}"
        else:
            end = f"detect {what} in {write_per_100(self.power)} of 100 surveys"
        if self.n is None:
            text = f"No number of people at epsilon {self.epsilon:g} is enough to {end}."
        elif self.epsilon is None:
            text = f"With {format_count(self.n, 'person', 'people')}, no epsilon up to 10 is enough to {end}."
        else:
            people = f"{_round_up(self.n) if self.solved == 'n' else self.n:,} people"
            epsilon = f"{_round_up(self.epsilon) if self.solved == 'epsilon' else self.epsilon:g}"
            text = f"{people} at epsilon {epsilon} {end}."
        return text + self._range_text

    @property
    def _range_text(self) -> str:
        """What is enough if attributes go together as is best, after the sentence for the worst."""
        if self.best is None:
            return ""
        match self.solved:
            case "n":
                best = f"{_round_up(self.best):,} people are enough"
            case "epsilon":
                best = f"epsilon {_round_up(self.best):g} is enough"
            case "half_width":
                best = f"it is ±{_points(self.best)}"
            case _:
                best = f"it is {write_per_100(self.best)} of 100"
        return (
            f" That is the worst over how strongly attributes go together in surveys; at best {best}. A table of "
            "similar people gives one number."
        )

    def to_dict(self) -> dict:
        """Plain values for JSON; shares in points of 100."""
        plan, question = self.plan, self.question
        percent = 100 if self.solved in ("half_width", "power") else 1
        return {
            "solved": self.solved, "n": self.n, "epsilon": self.epsilon,
            "half_width": _percent(self.half_width), "power": _percent(self.power),
            "best": None if self.best is None else percent * self.best,
            **question.to_dict(),
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
        Where a correlation matters and is not given, the answer has a range.
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
    has_goal = half_width is not None or power is not None
    if (n is not None) + (epsilon is not None) + has_goal != 2:
        raise InputError(
            "give two of people (n), epsilon, and what is wanted (a length of the interval or a power)"
        )
    if power is not None and question.difference is None:
        raise InputError(
            f"a share has no power ({power:g}); give a difference, or a length of the interval"
        )
    targets = {"n": n, "epsilon": epsilon, "half_width": half_width, "power": power}
    cases = _cases(question)
    if len(cases) == 1:
        return _solve(question, targets)
    needs = [_solve(case, targets, pairs=PAIRS) for case in cases]
    solved = needs[0].solved
    values = [getattr(need, solved) for need in needs]
    ordered = sorted(
        zip(values, needs),
        key=lambda one: math.inf if one[0] is None else one[0],
        reverse=solved == "power",
    )
    best, worst = ordered[0][0], ordered[-1][1]
    return replace(worst, question=question, best=best)


def _cases(question: Question) -> list[Question]:
    """The question with each correlation that surveys have, where the answer depends on it and it is unknown."""
    if not (isinstance(question, ShareQuestion | DifferenceQuestion) and question.depends):
        return [question]
    return [replace(question, correlation=each) for each in CORRELATIONS]


def _solve(question: Question, targets: dict, **pairs: int) -> Need:
    """The need of a question with people of whom all is assumed; `pairs` of draws if not as many as usual."""
    n, epsilon, half_width, power = targets.values()
    if n is not None and epsilon is not None:
        if question.difference is not None:
            outcome = power_of_difference(question, n, epsilon=epsilon, **pairs)
            return Need(question, n, epsilon, None, outcome, "power")
        outcome = expected_half_width(question, n, epsilon=epsilon, **pairs)
        return Need(question, n, epsilon, outcome, None, "half_width")
    goal = {"half_width": half_width, "power": power}
    if n is None:
        assert epsilon is not None
        n = find_users_for(question, epsilon=epsilon, **goal, **pairs)
        return Need(question, n, epsilon, half_width, power, "n")
    epsilon = find_epsilon_for(question, n=n, **goal, **pairs)
    return Need(question, n, epsilon, half_width, power, "epsilon")


def need_curve(need: Need) -> tuple[list[int], list[list[float]]]:
    """What comes out with fewer and more people: numbers of people, and a curve, or those at worst and at best.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> need = solve_question(ShareQuestion(d=2, values=2), epsilon=1.0, half_width=0.1)
    >>> numbers, [halves] = need_curve(need)
    >>> numbers[0] < need.n < numbers[-1], halves[0] > 0.1 > halves[-1]
    (True, True)
    """
    assert need.n is not None and need.epsilon is not None
    ends = max(MIN_USERS, need.n / 10), min(need.n * 10, MAX_USERS)
    numbers = np.unique(np.geomspace(*ends, 13).astype(int)).tolist()
    power = need.power is not None
    curves = [
        outcome_curve(case, numbers, epsilon=need.epsilon, power=power)
        for case in _cases(need.question)
    ]
    if len(curves) == 1:
        return numbers, curves
    lower, upper = np.min(curves, axis=0).tolist(), np.max(curves, axis=0).tolist()
    return numbers, [lower, upper] if power else [upper, lower]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _points(share: float) -> str:
    return f"{write_per_100(share)} points"


def _round_up(value: float) -> float:
    """To two digits, so that it is enough.

    >>> _round_up(1721), _round_up(0.5021), _round_up(100)
    (1800, 0.51, 100)
    """
    digits = 1 - math.floor(math.log10(value))
    return round(math.ceil(round(value * 10.0**digits, 6)) / 10.0**digits, max(digits, 0) or None)
