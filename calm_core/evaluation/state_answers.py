"""Answers from a state of real reports, with their expected errors; there is no truth."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calm_core.collection.states import State
from calm_core.errors import InputError
from calm_core.evaluation.prediction import expected_wrong
from calm_core.methods import METHODS, CalmPlus, make_method
from calm_core.methods.base import Answer, Method, ReportingMethod
from calm_core.planning.plan import Plan


def available_methods(plan: Plan) -> tuple[str, ...]:
    """The methods that can answer from reports by a plan.

    CALM and CALM+ can for any plan, their stack unless subset selection was used, and the uniform table
    even without reports; FC and AM can if the plan has the views they need.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> available_methods(make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1)))
    ('calm', 'calm_plus', 'stacked', 'fc', 'am', 'uni')
    """
    return tuple(name for name in METHODS if not _by(name, plan).explain_unsupported(plan))


def answer_state(state: State, method: str = CalmPlus.name) -> Answer:
    """The answer of a method from a state.

    Raises
    ------
    InputError
        If the state has no report yet, or the method cannot answer from reports by its plan.

    Examples
    --------
    >>> from calm_core.collection.tally import Tally
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> state = State(plan, (Tally((("a", "0f"),), [40, 10, 10, 20, 10, 10], [100]),))
    >>> bool(abs(answer_state(state).marginal(("sex",)).values.sum() - 1) < 1e-9)
    True
    """
    configured = _configured(method, state.plan)
    check_has_reports(state)
    return configured.answer(state.plan, state.reports)


def check_has_reports(state: State) -> None:
    """Refuse a state without reports."""
    if not state.n:
        raise InputError("the collection holds no report yet; open it again once there are some")


def _by(method: str, plan: Plan) -> Method:
    return make_method(method, epsilon=plan.epsilon, k=plan.k, theta=plan.theta)


def _configured(method: str, plan: Plan) -> ReportingMethod:
    """The method, configured for reports by a plan."""
    made = _by(method, plan)
    why = made.explain_unsupported(plan)
    if why:
        raise InputError(
            f"method ({method}) cannot answer from these reports: {why}; choose one of "
            f"{', '.join(available_methods(plan))}"
        )
    assert isinstance(made, ReportingMethod)  # every method without a refusal is one
    return made


def max_query_size(plan: Plan, method: str) -> int:
    """Maximum number of attributes of a table by this method."""
    return _configured(method, plan).max_query_size(plan)


def predict_state_wrong(
    plan: Plan, n: int, queries: Sequence[tuple[str, ...]], method: str = CalmPlus.name
) -> np.ndarray:
    """Expected share of people in the wrong cell of each query, 0 to 1.

    Parameters
    ----------
    plan : Plan
        The plan of the collection.
    n : int
        Number of reports, which may differ from the plan.
    queries : sequence of attribute sets
        The tables.
    method : str
        Who answers, one of `able`.

    Returns
    -------
    ndarray
        NaN for tables larger than the method can answer.
    """
    return expected_wrong(_configured(method, plan), replace(plan, n=n), queries)
