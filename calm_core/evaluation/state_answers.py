"""Answers from a state of real reports, with their expected errors; there is no truth."""

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from calm_core.collection.states import State
from calm_core.errors import InputError
from calm_core.evaluation.prediction import expected_wrong
from calm_core.inference.shrinkage.answers import TableSums
from calm_core.methods import METHODS, CalmPlus, make_method
from calm_core.methods.base import Answer, Method, ReportingMethod, ViewsAnswer
from calm_core.planning.plan import Plan
from calm_core.release.estimate import find_sums


def available_methods(plan: Plan) -> tuple[str, ...]:
    """The methods that can answer from reports by a plan.

    CALM and CALM+ can for any plan, and the uniform table even without reports; FC and AM can if the plan
    has the views they need.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> available_methods(make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1)))
    ('calm', 'calm_plus', 'fc', 'am', 'uni')
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


def expect_state_wrong(
    state: State,
    answer: Answer,
    queries: Sequence[tuple[str, ...]],
    method: str = CalmPlus.name,
) -> np.ndarray:
    """Expected share of people in the wrong cell of each query, 0 to 1, after the collection.

    What the plan promises for usual tables; for answers of CALM and CALM+ the geometric mean of that
    and what the reports tell. Usual tables are not these, and reports tell little where noise is large, so both err,
    and in different settings (`tests/benchmarks/bench_prediction.py`).

    Parameters
    ----------
    state : State
        The collection.
    answer : Answer
        Its answer, from `answer_state`.
    queries : sequence of attribute sets
        The tables.
    method : str
        Who answered, one of `available_methods`.

    Returns
    -------
    ndarray
        NaN for tables larger than the method can answer.

    Examples
    --------
    >>> from calm_core.collection.tally import Tally
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> state = State(plan, (Tally((("a", "0f"),), [400, 100, 100, 200, 100, 100], [1000]),))
    >>> expect_state_wrong(state, answer_state(state), [("sex",), ("sex", "age")]).round(2).tolist()
    [0.04, 0.05]
    """
    expected = expected_wrong(
        _configured(method, state.plan), replace(state.plan, n=state.n), queries
    )
    if isinstance(answer, ViewsAnswer):
        for at, attrs in enumerate(queries):
            # Without reports on an attribute all that is known is what is usual.
            with suppress(InputError):
                expected[at] = np.sqrt(expected[at] * wrong_from_reports(answer, attrs))
    return expected


def wrong_from_reports(answer: ViewsAnswer, attrs: Iterable[str]) -> float:
    """Expected share of people in the wrong cell of a table by the posterior of CALM+, from 0 to 1.

    Cells have normal errors around the answer of CALM+, with the smaller one of the deviations with the prior and of the
    reports on these attributes alone. Another answer from the same reports is off by its difference as well.
    """
    from scipy.special import erf

    sums = find_sums(answer, attrs)
    assert isinstance(sums, TableSums)  # only true tables have no errors
    answered, believed = sums.tables[:2]
    deviation = np.maximum(np.minimum(*sums.errors.compare_sources(believed)), 1e-15)
    off = np.abs(answered - believed)
    ratio = off / (deviation * math.sqrt(2))
    errors = deviation * math.sqrt(2 / math.pi) * np.exp(-(ratio**2)) + off * erf(ratio)
    # So much a share with this mean can be off at most, as it is from 0 to 1.
    most = off + 2 * believed * (1 - believed)
    return float(np.minimum(errors, most).sum()) / 2
