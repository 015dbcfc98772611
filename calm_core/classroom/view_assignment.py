"""The plan of a class, the assignment of views to phones, and the questions that a phone is sent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_count, check_rng
from calm_core.classroom.survey import MAX_PHONES, Survey
from calm_core.designs import covering_size
from calm_core.errors import DataError, InfeasibleError, InputError, UserError
from calm_core.io.json_types import build_fields, check_types
from calm_core.oracles import GRR
from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.plan import Plan, make_plan

# Larger than the papers' threshold, with which a class would have one view and few pairs.
THETA, K, ORACLE = 0.5, 2, GRR.name
# Noise grows with the cells; four digits hold a report.
MAX_CELLS = 64


@dataclass(frozen=True)
class _StoredPlan:
    """A plan as stored: questions as positions, the threshold of the true cell as hexadecimal."""

    views: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    keep: tuple[str, ...]
    epsilon: float
    n: int
    oracle: str


def plan_class(survey: Survey, n: int, *, rng: np.random.Generator) -> Plan:
    """Return the plan for n phones: `make_plan` with theta 0.5, k 2 and GRR.

    Views of more than 64 cells get fewer questions.

    Parameters
    ----------
    survey : Survey
        The questions.
    n : int
        Number of phones.
    rng : numpy Generator
        Draws the place of each question in the design.

    Raises
    ------
    InfeasibleError
        If there are fewer phones than views needed for all questions.

    Examples
    --------
    >>> from calm_core.classroom.survey import Question
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "abc"]
    >>> plan = plan_class(Survey("T", questions), 40, rng=np.random.default_rng(1))
    >>> plan.l, plan.m
    (2, 3)
    """
    check_rng(rng)
    check_count("phones", n, low=0, high=MAX_PHONES)
    try:
        return _small_views(survey, n, rng)
    except InputError as error:
        needed = next(more for more in range(n + 1, MAX_PHONES) if _is_feasible(survey, more))
        raise InfeasibleError(
            f"there are too few phones ({n:,}) for {survey.d} questions; wait for more phones: at least {needed}",
            remedies=[("n", needed)],
        ) from error


def _is_feasible(survey: Survey, n: int) -> bool:
    try:
        _small_views(survey, n, np.random.default_rng(0))
    except InputError:
        return False
    return True


def _small_views(survey: Survey, n: int, rng: np.random.Generator) -> Plan:
    """Return the plan of Algorithm 1, with smaller views if they have too many cells."""
    plan = _make_plan(survey, n, rng)
    while _max_cells(plan) > MAX_CELLS:
        plan = _make_plan(survey, n, rng, plan.l - 1)
    return plan


def _max_cells(plan: Plan) -> int:
    return max(oracle.size for oracle in plan.oracles)


def _make_plan(survey: Survey, n: int, rng, l: int | None = None) -> Plan:  # noqa: E741
    """Return the plan of Algorithm 1, or with l questions a view, as few as cover every pair if n allows."""
    sizes, m = survey.domain.sizes, None
    if l is not None:
        covering = covering_size(survey.d, l, K)
        most = choose_views(n, sizes, survey.epsilon, K, THETA).max_views
        m = covering if covering <= most else None
    return make_plan(
        survey.domain, n, epsilon=survey.epsilon, k=K, theta=THETA, rng=rng, l=l, m=m, oracle=ORACLE
    )


def plan_to_text(plan: Plan) -> str:
    """Return the plan as JSON: views as positions, sizes, keep (hex), epsilon, n, oracle."""
    return json.dumps(
        {
            "views": [plan.domain.positions(view) for view in plan.views],
            "sizes": [oracle.size for oracle in plan.oracles],
            "keep": [f"{GRR(oracle.epsilon, oracle.size).keep:016x}" for oracle in plan.oracles],
            "epsilon": plan.epsilon,
            "n": plan.n,
            "oracle": ORACLE,
        }
    )


def plan_from_text(text: str | bytes, survey: Survey, what: str = "the survey") -> Plan:
    """Return the plan that `plan_to_text` wrote, for the questions of a survey.

    Raises
    ------
    DataError
        If it is no such JSON, or no plan of this survey.

    Examples
    --------
    >>> from calm_core.classroom.survey import Question
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "abc"]
    >>> survey = Survey("T", questions)
    >>> plan = plan_class(survey, 40, rng=np.random.default_rng(1))
    >>> plan_from_text(plan_to_text(plan), survey) == plan
    True
    """
    try:
        plain = json.loads(text)
        if not isinstance(plain, dict) or set(plain) != set(_StoredPlan.__dataclass_fields__):
            raise DataError(f"{what} is damaged: its plan lacks something or has too much")
        stored = _StoredPlan(**build_fields(check_types(plain, _StoredPlan, "survey"), _StoredPlan))
        return _plan(stored, survey, what)
    except (ValueError, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        reason = str(error)[:200] if isinstance(error, UserError) else "it is no valid JSON"
        raise DataError(f"{what} is damaged: its plan cannot be read ({reason})") from error


def _plan(stored: _StoredPlan, survey: Survey, what: str) -> Plan:
    domain = survey.domain
    if stored.oracle != ORACLE or stored.epsilon != survey.epsilon:
        raise DataError(f"{what} is damaged: its plan is of another budget or oracle")
    if any(not 0 <= at < domain.d for view in stored.views for at in view):
        raise DataError(f"{what} is damaged: its plan asks a question that it does not have")
    check_count("n", stored.n, low=2, high=MAX_PHONES)
    views = tuple(tuple(domain.names[at] for at in view) for view in stored.views)
    oracles = tuple(GRR(stored.epsilon, size) for size in stored.sizes)
    if tuple(f"{oracle.keep:016x}" for oracle in oracles) != stored.keep:
        raise DataError(f"{what} is damaged: its odds are not those of epsilon {stored.epsilon:g}")
    choice = choose_views(stored.n, domain.sizes, stored.epsilon, K, THETA)
    plan = Plan(domain, stored.n, stored.epsilon, K, THETA, views, oracles, choice)
    if _max_cells(plan) > MAX_CELLS:
        raise DataError(f"{what} is damaged: a view has more than {MAX_CELLS} cells")
    return plan


def assign_views(m: int, phones: int, *, rng: np.random.Generator) -> np.ndarray:
    """Return a view (0 to m - 1) for each waiting phone: equally many phones a view, in random order.

    Examples
    --------
    >>> sorted(np.bincount(assign_views(3, 7, rng=np.random.default_rng(1))).tolist())
    [2, 2, 3]
    """
    # Which views get one phone more is random, too.
    return rng.permutation(np.resize(rng.permutation(m), phones))


def least_used_view(tickets: Sequence[int], *, rng: np.random.Generator) -> int:
    """Return the view for one more phone: the one with the fewest tickets, ties at random.

    Examples
    --------
    >>> least_used_view([4, 3, 4], rng=np.random.default_rng(1))
    1
    """
    counts = np.asarray(tickets)
    return int(rng.choice(np.flatnonzero(counts == counts.min())))


def questions_for_phone(title: str, questions: list[dict], plan: dict, view: int) -> dict:
    """Return the JSON for a phone that may answer (`join`, state "open").

    Parameters
    ----------
    title : str
        The title it shows.
    questions, plan : list of dict, dict
        As stored, parsed from JSON.
    view : int
        The view of the phone.

    Examples
    --------
    >>> questions = [{"name": n, "text": f"{n}?", "choices": ["No", "Yes"]} for n in "ab"]
    >>> plan = {"views": [[0, 1]], "sizes": [4], "keep": ["b6137869fdc8da20"], "epsilon": 2.0, "n": 9,
    ...         "oracle": "grr"}
    >>> body = questions_for_phone("T", questions, plan, 0)
    >>> body["keep"], body["questions"][1]
    ('b6137869fdc8da20', {'text': 'b?', 'choices': ['No', 'Yes']})
    """
    in_view = [questions[at] for at in plan["views"][view]]
    return {
        "state": "open",
        "title": title,
        "epsilon": plan["epsilon"],
        "oracle": plan["oracle"],
        "size": plan["sizes"][view],
        "keep": plan["keep"][view],
        "views": len(plan["views"]),
        "questions": [{"text": one["text"], "choices": one["choices"]} for one in in_view],
    }
