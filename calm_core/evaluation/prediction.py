"""People in the wrong cell, expected before anybody answers: half the L1 distance of reconstructed and true tables.

Noise and sampling follow from the plan. The true shares do not, so they are taken as those of usual tables: how often
truncation at 0 helps, how strongly attributes interact, and what is lost where no view holds an interaction. These
numbers were learned from 362 single collections of columns drawn from six real tables, by least squares on the log of
expected over measured shares (soft absolute loss). Expected over measured in twice 196 settings of
`tests/benchmarks/bench_prediction.py`, three collections each; the second 196 were drawn when nothing was changed any more:

    CALM, columns of the real tables:   median 1.02, 5 to 95% 0.75 to 1.74, outside 0.6 to 1.6  9%
    CALM, populations drawn at random:  median 0.93, 5 to 95% 0.72 to 1.21, outside 0.6 to 1.6  3%
    CALM+, columns of the real tables:  median 0.99, 5 to 95% 0.71 to 1.44, outside 0.6 to 1.6  2%
    CALM+, populations drawn at random: median 0.93, 5 to 95% 0.58 to 1.58, outside 0.6 to 1.6 11%

Left out of the fit in turn, the six tables have medians of 0.88 to 1.27 (adult, ACS and NSDUH 0.96 to 1.11; MSNBC, with
nearly independent attributes, 1.27; NLTCS, with strongly dependent ones, 0.87 to 0.91).
It cannot be within these bounds for all tables. Learned from the same table, `pair`, `higher` and `narrowing` leave 2%
of CALM's settings on real tables outside, not 9%, and `pair` is 0.000 for MSNBC and 0.26 for NLTCS: the shape of the
formula holds, but not how strongly attributes depend on each other, which nobody knows before the first report. Fits to
394 other settings, also with `carried` free or narrowing that fades with the noise, leave as many outside.

Answers from a state of real reports have expected errors too, in part from the reports; there is no truth.
"""

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from calm_core._checks import check_k
from calm_core.collection.states import State
from calm_core.errors import InputError, UserError
from calm_core.inference.shrinkage.answers import TableSums
from calm_core.methods import METHODS, Calm, CalmPlus, make_method
from calm_core.methods.base import Answer, CollectingMethod, Method, ReportingMethod, ViewsAnswer
from calm_core.planning.algorithm1 import ViewSize
from calm_core.planning.plan import (
    Plan,
    QueryInteractions,
    contrast_variance,
    default_queries,
    make_plan,
    measure_interactions,
)
from calm_core.randomness import stream
from calm_core.release.estimate import find_sums
from calm_core.tables.domain import Domain


class Usual(NamedTuple):
    """What usual tables are like for a method; all but `shrinks` are learned.

    Attributes
    ----------
    pair, higher : float
        Variance of a standardized contrast of two attributes, and of more, that is lost if no view holds them.
    carried : float
        How much of its variance an interaction adds to each one larger by an attribute that no view holds.
    scale, narrowing : float
        The error at little noise is `scale` (cells / 2)^-narrowing of that of equal shares.
    bend : float
        How sharply the error turns from growing with the noise to that of a table without information.
    single, falling : float
        If a method shrinks: variance of contrasts of one attribute; all variances fall by
        contrasts^-falling.
    shrinks : bool
        Whether the method shrinks what it measures to these variances.
    """

    pair: float
    higher: float
    carried: float = 1.0
    scale: float = 1.0
    narrowing: float = 0.0
    bend: float = 1.0
    single: float = 1.0
    falling: float = 0.0
    shrinks: bool = False


USUAL_CALM = Usual(pair=0.008, higher=0.0014, narrowing=0.155)
USUAL_CALM_PLUS = Usual(
    pair=0.008, higher=0.0, carried=0.25, scale=0.87, bend=3.5, single=0.4, falling=0.55,
    shrinks=True,
)  # fmt: skip
USUAL = {Calm: USUAL_CALM, CalmPlus: USUAL_CALM_PLUS}

# Plans with more views take too long to compare.
MAX_VIEWS = 20_000


class WrongShares(NamedTuple):
    """Expected share of people in the wrong cell, by cause.

    Examples
    --------
    >>> round(WrongShares(noise=0.02, sampling=0.01, rebuilding=0.03).total, 6)
    0.06
    """

    noise: float
    sampling: float
    rebuilding: float

    @property
    def total(self) -> float:
        """Share from all causes."""
        return sum(self)


class SizeForecast(NamedTuple):
    """What is expected of m views of l attributes."""

    l: int  # noqa: E741 - the paper's name
    m: int
    wrong: WrongShares


def predict_wrong(
    method: Method,
    domain: Domain,
    n: int,
    *,
    rng: np.random.Generator,
    queries: Sequence[Iterable[str]] = (),
) -> float | None:
    """Expected share of people in the wrong cell of the k-way tables, 0 to 1; None without a formula.

    The mean over `queries`. Sees no data: the true tables are taken as usual ones. Above 1 only where
    released shares may be negative.

    Parameters
    ----------
    method : Method
        The method, with its epsilon and k.
    domain : Domain
        Shape of the data.
    n : int
        Number of people.
    rng : numpy Generator
        Randomness of the plan.
    queries : sequence of iterables of str
        Attributes of each table; `default_queries` of the domain if empty.

    Examples
    --------
    >>> from calm_core.methods import Em
    >>> domain, rng = Domain(names=("sex", "age"), sizes=(2, 3)), np.random.default_rng(1)
    >>> round(predict_wrong(Calm(epsilon=1.0, k=2), domain, 10_000, rng=rng), 3)
    0.032
    >>> predict_wrong(Em(epsilon=1.0, k=2), domain, 10_000, rng=rng) is None
    True
    """
    check_k(method.k, domain.d)
    queries = queries or default_queries(domain, method.k)
    if type(method) in USUAL:
        assert isinstance(method, CollectingMethod)
        return float(expected_wrong(method, method.plan(domain, n, rng=rng), queries).mean())
    errors = [method.analytical_sse(domain, n, query) for query in queries]
    if None in errors:
        return None
    return float(_wrong_of_errors(method, domain, queries, errors).mean())


def expected_wrong(
    method: ReportingMethod, plan: Plan, queries: Sequence[Iterable[str]]
) -> np.ndarray:
    """Expected share of people in the wrong cell of every query; NaN where a method cannot answer.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 10_000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> asked = [("sex", "age"), ("sex",)]
    >>> expected_wrong(CalmPlus(epsilon=1.0, k=2), plan, asked).round(3).tolist()
    [0.032, 0.015]
    """
    usual = USUAL.get(type(method))
    if usual is None:
        errors = method.planned_errors(plan, queries)
        return _wrong_of_errors(method, plan.domain, queries, errors)
    variances = plan_variances(plan, usual, queries)
    return _wrong_of_released(method, variances.collected + variances.lost, variances.cells, usual)


def predict_plan_wrong(plan: Plan) -> float:
    """Expected share of people in the wrong cell of the k-way tables by a plan of CALM, 0 to 1.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 10_000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> round(predict_plan_wrong(plan), 3)
    0.032
    """
    return plan_variances(plan).wrong()


def predict_plan_parts(plan: Plan) -> WrongShares:
    """Parts of `predict_plan_wrong`: each cause has the part of the total that it has of the variance.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> domain = Domain(names=("sex", "age", "vote"), sizes=(2, 3, 2))
    >>> rng = np.random.default_rng(1)
    >>> plan = make_plan(domain, 10_000, epsilon=1.0, k=3, rng=rng, l=2, m=3)
    >>> [round(part, 3) for part in predict_plan_parts(plan)]
    [0.066, 0.003, 0.003]
    """
    queries = default_queries(plan.domain, plan.k)
    variances = plan_variances(plan, queries=queries)
    groups = zip(plan.oracles, plan.shares)
    sampled = [(1 - share) / (oracle.size * plan.n * share) for oracle, share in groups]
    sets = [oracle.sets for oracle in plan.oracles]
    sampling = view_variances(plan.domain, plan.views, sampled, queries, sets=sets).collected
    without_noise = np.minimum(sampling, variances.collected)
    total = np.maximum(variances.collected + variances.lost, 1e-300)
    parts = variances.collected - without_noise, without_noise, variances.lost
    wrong = wrong_of_variance(total, variances.cells)
    return WrongShares(*(float((part / total * wrong).mean()) for part in parts))


def predict_view_sizes(plan: Plan, sizes: Iterable[ViewSize]) -> list[SizeForecast]:
    """Parts of the expected share in the wrong cell for other view sizes; the plan's own size is the plan itself.

    A size has the views of its covering, or as many as theta allows if these are fewer, as in Algorithm 1.
    Sizes whose views are too large, or more than 20,000, are left out.

    Parameters
    ----------
    plan : Plan
        The plan to compare with.
    sizes : iterable of ViewSize
        From `view_sizes` or `select_view_sizes`.

    Examples
    --------
    >>> from calm_core.planning.algorithm1 import view_sizes
    >>> from calm_core.planning.plan import make_plan
    >>> domain = Domain(tuple("abcdefgh"), (2,) * 8)
    >>> plan = make_plan(domain, 60_000, epsilon=1.0, k=3, rng=np.random.default_rng(1))
    >>> found = predict_view_sizes(plan, view_sizes(60_000, domain.sizes, 1.0, 3)[:3])
    >>> [(size.l, size.m, round(size.wrong.total, 3)) for size in found]
    [(2, 28, 0.056), (3, 56, 0.066), (4, 14, 0.056)]
    """
    alike = len(set(map(len, plan.views))) == 1
    own_size = plan.l if alike else plan.choice.l
    forecasts = []
    for size in sizes:
        if size.l == own_size:
            forecasts.append(SizeForecast(own_size, plan.m, predict_plan_parts(plan)))
            continue
        d, m, max_views = plan.domain.d, size.covering, plan.choice.max_views
        if m > max_views:
            m = max(min(max_views, math.comb(d, size.l)), math.ceil(d / size.l))
        if m > MAX_VIEWS:
            continue
        try:
            other = make_plan(
                plan.domain, plan.n, epsilon=plan.epsilon, k=plan.k, theta=plan.theta,
                rng=stream(0, "prediction"), l=size.l, m=m,
            )  # fmt: skip
        except UserError:
            continue
        forecasts.append(SizeForecast(size.l, m, predict_plan_parts(other)))
    return forecasts


def _wrong_of_errors(method: Method, domain: Domain, queries, errors) -> np.ndarray:
    """Shares in the wrong cell from the expected SSE of every query."""
    cells = np.array([domain.cells_of(query) for query in queries], dtype=float)
    return _wrong_of_released(method, np.asarray(errors) * cells, cells, USUAL_CALM)


def _wrong_of_released(
    method: Method, variance: np.ndarray, cells: np.ndarray, usual: Usual
) -> np.ndarray:
    """Shares in the wrong cell, of shares that are mended or released as they are."""
    if method.is_nonnegative:
        return wrong_of_variance(variance, cells, usual)
    return np.sqrt(variance / (2 * math.pi))


def wrong_of_variance(
    variance: np.ndarray, cells: np.ndarray, usual: Usual = USUAL_CALM
) -> np.ndarray:
    """Share in the wrong cell of shares that are never negative.

    Normal errors put sqrt(variance / (2 pi)) into the wrong cell. Usual tables have small shares, where errors
    are cut off at 0; and no table errs much more than one without information.

    Parameters
    ----------
    variance : ndarray
        Expected SSE before truncation, times the number of cells.
    cells : ndarray
        Number of cells.
    usual : Usual
        What usual tables are like.

    Examples
    --------
    >>> wrong_of_variance(np.array([0.0, 0.01, 1.0, 100.0]), np.array([8.0] * 4)).round(3).tolist()
    [0.0, 0.031, 0.235, 0.688]
    """
    normal = np.sqrt(variance / (2 * math.pi))
    small = usual.scale * (cells / 2) ** -usual.narrowing * normal
    # A table of one cell has no error.
    limit = np.maximum(1 - 1 / cells, 1e-150)
    # Equal to 1 / (1/small + 1/most) at a bend of 1.
    return small / (1 + (small / limit) ** usual.bend) ** (1 / usual.bend)


class TableVariances(NamedTuple):
    """Expected SSE times cells of every table by a plan of CALM, before truncation.

    Attributes
    ----------
    collected : ndarray
        Of noise and sampling: inversely proportional to the number of people.
    lost : ndarray
        Of interactions that no view holds.
    cells : ndarray
        Number of cells of each table.
    """

    collected: np.ndarray
    lost: np.ndarray
    cells: np.ndarray

    def wrong(self, times: float = 1.0) -> float:
        """Expected share of people in the wrong cell, where `collected` is so many times as large."""
        return float(wrong_of_variance(times * self.collected + self.lost, self.cells).mean())


def view_variances(
    domain: Domain,
    views: Sequence[tuple[str, ...]],
    variances: Sequence[float],
    queries: Sequence[Iterable[str]],
    *,
    sets: Sequence[frozenset[tuple[int, ...]] | None] = (),
    usual: Usual = USUAL_CALM,
) -> TableVariances:
    """Variances of the tables over `queries` where a contrast of each view has the variance given.

    Examples
    --------
    >>> domain = Domain(("a", "b", "c"), (2, 2, 2))
    >>> found = view_variances(domain, [("a", "b"), ("b", "c")], [0.001] * 2, default_queries(domain, 2))
    >>> round(found.wrong(), 3), round(found.wrong(0.0), 3)
    (0.04, 0.01)
    """
    collected, lost, cells = np.zeros((3, len(queries)))
    for some in measure_interactions(domain, views, variances, queries, sets=sets):
        collected[some.rows], lost[some.rows] = _variances(some, usual)
        cells[some.rows] = some.cells
    return TableVariances(collected, lost, cells)


def plan_variances(
    plan: Plan, usual: Usual = USUAL_CALM, queries: Sequence[Iterable[str]] = ()
) -> TableVariances:
    """Variances of the tables over `queries`, by default the k-way ones, by the views and oracles of a plan.

    Examples
    --------
    >>> domain = Domain(("a", "b", "c"), (2, 2, 2))
    >>> plan = make_plan(domain, 10_000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> abs(plan_variances(plan).wrong() - predict_plan_parts(plan).total) < 1e-12
    True
    """
    variance = cache(contrast_variance)
    variances = [
        variance(oracle, share, plan.n) for oracle, share in zip(plan.oracles, plan.shares)
    ]
    sets = [oracle.sets for oracle in plan.oracles]
    queries = queries or default_queries(plan.domain, plan.k)
    return view_variances(plan.domain, plan.views, variances, queries, sets=sets, usual=usual)


def _variances(some: QueryInteractions, usual: Usual) -> tuple[np.ndarray, np.ndarray]:
    """Expected SSE times cells of every query: of measured interactions, and of those in no view."""
    measured = some.precisions > 0
    orders = np.array([0.0, usual.single, usual.pair] + [usual.higher] * len(some.order))
    prior = orders[some.order] * some.dims**-usual.falling
    with np.errstate(divide="ignore"):
        shrunk = some.precisions + 1 / prior if usual.shrinks else some.precisions
        variance = np.where(measured, 1 / shrunk, prior)
    # The number of sets larger by one attribute that no view holds.
    larger_unmeasured = np.zeros(measured.shape)
    for axis in range(int(some.order.max())):
        by_axis = measured.reshape(len(measured), 2**axis, 2, -1)
        larger_unmeasured.reshape(by_axis.shape)[:, :, 0] += ~by_axis[:, :, 1]
    added = variance * some.dims * (some.order > 0)
    collected = np.where(measured, added * (1 + usual.carried) ** larger_unmeasured, 0.0)
    return collected.sum(axis=1), np.where(measured, 0.0, added).sum(axis=1)


def available_methods(plan: Plan) -> tuple[str, ...]:
    """The methods that can answer from reports by a plan.

    CALM and CALM+ can for any plan, and the uniform table even without reports; FC and AM can if the plan
    has the views they need.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> names = available_methods(make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1)))
    >>> "am" in names, "ft" in names
    (True, False)
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
    method_of_plan = _by(method, plan)
    why = method_of_plan.explain_unsupported(plan)
    if why:
        raise InputError(
            f"method ({method}) cannot answer from these reports: {why}; choose one of "
            f"{', '.join(available_methods(plan))}"
        )
    assert isinstance(method_of_plan, ReportingMethod)  # every method without a refusal is one
    return method_of_plan


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
    limit = off + 2 * believed * (1 - believed)
    return float(np.minimum(errors, limit).sum()) / 2
