"""Tables from what a state has counted: without a truth, with what is known of their errors."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calm_core.collection.states import State
from calm_core.errors import InputError
from calm_core.methods import METHODS, CalmPlus, make_method
from calm_core.methods.base import Answer, Method
from calm_core.methods.reporting import ReportingMethod
from calm_core.planning.plan import Plan


def available_methods(plan: Plan) -> tuple[str, ...]:
    """The methods that can answer from reports by a plan.

    CALM and CALM+ can by any, their stack unless subset selection was used, the uniform guess without a report; FC and AM where the plan asks what
    they need to know.

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
    """What a method makes of a state.

    Raises
    ------
    InputError
        If the state holds no report yet, or the method cannot answer from reports by its plan.

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
    """Refuse a state that nothing can be answered from."""
    if not state.n:
        raise InputError("the collection holds no report yet; open it again once there are some")


def _by(method: str, plan: Plan) -> Method:
    return make_method(method, epsilon=plan.epsilon, k=plan.k, theta=plan.theta)


def _configured(method: str, plan: Plan) -> ReportingMethod:
    """The method as it answers what was collected by a plan."""
    made = _by(method, plan)
    why = made.explain_unsupported(plan)
    if why:
        raise InputError(
            f"method ({method}) cannot answer from these reports: {why}; choose one of "
            f"{', '.join(available_methods(plan))}"
        )
    assert isinstance(made, ReportingMethod)  # those that are able are
    return made


def max_query_size(plan: Plan, method: str) -> int:
    """How many attributes a table by this method can have."""
    return _configured(method, plan).max_query_size(plan)


def predict_state_points(
    plan: Plan, n: int, queries: Sequence[tuple[str, ...]], method: str = CalmPlus.name
) -> np.ndarray:
    """Typical error in percentage points that a table is expected to have, one for each query.

    Parameters
    ----------
    plan : Plan
        What was asked.
    n : int
        Reports that came in, which may be fewer than planned.
    queries : sequence of attribute sets
        Tables asked for.
    method : str
        Who answers, one of `able`.

    Returns
    -------
    ndarray
        NaN for tables larger than the method can answer.
    """
    errors = _configured(method, plan).planned_errors(replace(plan, n=n), queries)
    cells = np.array([plan.domain.cells_of(query) for query in queries])
    return 100 * np.sqrt(np.asarray(errors) / cells)
