"""Design of a survey without data: the plan to use, its expected error, and what would reach a target.

The views of Algorithm 1 change in steps as n or epsilon grows, and a step can increase the error. A plan
made for a smaller n or epsilon stays valid and its error only falls. A survey therefore uses the best plan
of Algorithm 1 for any n and epsilon up to its own, so that the expected error never rises with either. The
oracle is chosen by the rule "contrast", whose error never rises with epsilon; that of the papers' rule
does at the step from OUE to GRR.
"""

import math
from collections.abc import Iterator
from functools import lru_cache

from calm_core._checks import (
    EPSILON_OFFERED,
    MAX_CELLS,
    MAX_PEOPLE,
    check_count,
    check_epsilon,
    check_k,
)
from calm_core.designs.covering import covering_size
from calm_core.designs.partial_covering import choose_blocks
from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.evaluation.prediction import (
    USUAL_CALM,
    TableVariances,
    view_variances,
)
from calm_core.oracles import choose_oracle
from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.plan import Plan, default_queries, make_plan
from calm_core.planning.search import find_smallest
from calm_core.randomness import stream
from calm_core.tables.domain import Domain

MIN_USERS, MAX_USERS = 100, MAX_PEOPLE
# Ratio of the grid of numbers of people and of budgets for which plans are made.
STEP = 1.5
RULE = "contrast"
# A squared correlation of 0.1 of every two attributes that nobody reports on together, which is strong for a survey:
# of all designs the one that errs least on usual tables would rely on independence.
DEPENDENT = USUAL_CALM._replace(pair=0.1)
# Maximum number of groups of a survey.
MAX_GROUPS = 2000


def make_equal_domain(d: int, values: int) -> Domain:
    """A domain of d attributes with equally many values, named a1, a2, ...

    Examples
    --------
    >>> make_equal_domain(2, 3).sizes
    (3, 3)
    """
    d, values = check_count("d", d, low=2, high=64), check_count("values", values, low=2, high=1000)
    return Domain(tuple(f"a{i + 1}" for i in range(d)), (values,) * d)


def _grid(low: float, high: float) -> Iterator[float]:
    """low times the powers of `STEP`, up to high."""
    steps = math.floor(math.log(high / low) / math.log(STEP) + 1e-9)
    return (low * STEP**i for i in range(steps + 1))


@lru_cache(maxsize=8192)
def _chosen(d: int, values: int, n: int, epsilon: float, k: int, theta: float):
    """Algorithm 1's (l, m), or None where it needs more people or too many groups."""
    try:
        choice = choose_views(n, (values,) * d, epsilon, k, theta)
    except InputError:
        return None
    return (choice.l, choice.m) if choice.m <= MAX_GROUPS else None


@lru_cache(maxsize=512)
def _design(d: int, values: int, l: int, m: int, k: int, query_size: int = 0) -> TableVariances:  # noqa: E741
    """Variances of the tables of `query_size`, by default of k, by m views of l where a contrast of a view has variance 1."""
    domain = make_equal_domain(d, values)
    views = _views_of_design(domain, l, m, k)
    queries = default_queries(domain, query_size or k)
    return view_variances(domain, views, [1.0] * m, queries, usual=DEPENDENT)


def _ranked(d: int, values: int, n: int, epsilon: float, k: int, theta: float):
    """(share of people in the wrong cell, l, m) of the best plan made for up to n people and up to epsilon."""
    n, epsilon = check_count("n", n, low=MIN_USERS), check_epsilon(epsilon)
    if epsilon < EPSILON_OFFERED[0]:
        raise InputError(f"epsilon ({epsilon:g}) must be at least {EPSILON_OFFERED[0]:g} here")
    designs = {
        chosen
        for users in _grid(MIN_USERS, n)
        for budget in _grid(EPSILON_OFFERED[0], epsilon)
        if (chosen := _chosen(d, values, int(users), budget, k, theta))
    }
    if not designs:
        # Too few people for any plan, or k above d: Algorithm 1 raises the right error.
        choose_views(n, (values,) * d, epsilon, k, theta)

    def error(l: int, m: int) -> float:  # noqa: E741
        return _design(d, values, l, m, k).wrong(_view_variance(values**l, n, epsilon, m))

    return min((error(*design), *design) for design in designs)


def _view_variance(cells: int, n: int, epsilon: float, m: int) -> float:
    """Variance of a contrast of each of m views with so many cells."""
    oracle = choose_oracle(cells, epsilon, RULE)
    return (float(oracle.contrast_variance(1)) + (1 - 1 / m) / oracle.size) * m / n


def make_survey_plan(
    d: int, values: int, n: int, *, epsilon: float, k: int, theta: float = 1e-3
) -> Plan:
    """The plan to use for n people with d attributes of equally many values.

    Parameters
    ----------
    d, values : int
        Number of attributes, and of values of each.
    n : int
        People, at least 100.
    epsilon, k, theta
        As in `choose_views`; epsilon at least 0.01.

    Examples
    --------
    >>> plan = make_survey_plan(16, 2, 3000, epsilon=2.0, k=3)
    >>> plan.l, plan.m
    (2, 8)
    """
    _, l, m = _ranked(d, values, n, epsilon, k, theta)  # noqa: E741
    return _make_plan(make_equal_domain(d, values), n, epsilon, k, l, m, theta)


def _make_plan(domain, n, epsilon, k, l, m, theta=1e-3) -> Plan:  # noqa: E741
    return make_plan(
        domain, n, epsilon=epsilon, k=k, theta=theta, rng=stream(0, "what if"),
        l=l, m=m, oracle=RULE, design="attributes",
    )  # fmt: skip


def make_question_plan(
    d: int, values: int, n: int, *, epsilon: float, k: int, attributes: int
) -> tuple[Plan, tuple[str, ...]]:
    """The plan with the smallest error where it is largest, of plans that ask about every k attributes together.

    All of them can be used by more people and with a larger epsilon, so that this error never rises with either.

    Parameters
    ----------
    d, values, n, epsilon
        As of `make_survey_plan`.
    k : int
        Attributes of the tables wanted.
    attributes : int
        Attributes of the table whose error counts, at most k.

    Returns
    -------
    plan : Plan
    asked : tuple of str
        The attributes of such a table with the largest error.

    Raises
    ------
    InputError
        If a number is out of its range.
    InfeasibleError
        If there are too few people for any such plan.

    Examples
    --------
    >>> plan, asked = make_question_plan(8, 2, 10_000, epsilon=3.0, k=2, attributes=2)
    >>> plan.l, plan.m, plan.covers(asked)
    (3, 11, True)
    """
    domain = make_equal_domain(d, values)
    n, epsilon = check_count("n", n, low=MIN_USERS), check_epsilon(epsilon)
    k, attributes = check_k(k, d), check_k(attributes, k)
    designs = []
    for l, m in _feasible_designs(domain, n, k):  # noqa: E741
        error = _design(d, values, l, m, k, attributes).collected.max()
        designs.append((error * _view_variance(values**l, n, epsilon, m), l, m))
    _, l, m = min(designs)  # noqa: E741
    at = _design(d, values, l, m, k, attributes).collected.argmax()
    return _make_plan(domain, n, epsilon, k, l, m), default_queries(domain, attributes)[at]


@lru_cache(maxsize=512)
def _views_of_design(domain: Domain, l: int, m: int, k: int):  # noqa: E741
    """The views of `make_plan` with the same stream."""
    place = stream(0, "what if").permutation(domain.d)
    blocks = choose_blocks(domain.d, l, m, t=min(k, l))
    return [domain.canonical(domain.names[place[i]] for i in block) for block in blocks]


def make_similar_plan(
    domain: Domain, n: int, *, epsilon: float, k: int, attrs: tuple[str, ...]
) -> Plan:
    """The plan with the smallest error of the table asked about, of plans that ask about every k attributes together.

    Parameters
    ----------
    domain : Domain
        Attributes of the survey.
    n, epsilon, k
        As of `make_question_plan`.
    attrs : tuple of str
        At most k attributes.

    Raises
    ------
    InputError
        If a number is out of its range.
    InfeasibleError
        If there are too few people for any such plan.

    Examples
    --------
    >>> domain = Domain(("sex", "age", "vote"), (2, 5, 3))
    >>> plan = make_similar_plan(domain, 10_000, epsilon=1.0, k=2, attrs=("sex", "vote"))
    >>> plan.l, plan.m
    (2, 3)
    """
    n, epsilon = check_count("n", n, low=MIN_USERS), check_epsilon(epsilon)
    k = check_k(k, domain.d)
    designs = []
    for l, m in _feasible_designs(domain, n, k):  # noqa: E741
        views = _views_of_design(domain, l, m, k)
        variances = [_view_variance(domain.cells_of(view), n, epsilon, m) for view in views]
        error = view_variances(domain, views, variances, [attrs], usual=DEPENDENT).collected[0]
        designs.append((error, l, m))
    _, l, m = min(designs)  # noqa: E741
    return _make_plan(domain, n, epsilon, k, l, m)


def _feasible_designs(domain: Domain, n: int, k: int) -> list[tuple[int, int]]:
    """(l, m) of the designs that ask n people about every k attributes together."""
    designs = []
    for l in range(k, domain.d + 1):  # noqa: E741
        m = covering_size(domain.d, l, k)
        if l > max(k, 2) and math.prod(sorted(domain.sizes)[-l:]) > MAX_CELLS:
            break
        if m <= min(n, MAX_GROUPS):
            designs.append((l, m))
    if not designs:
        raise InfeasibleError(
            f"{n:,} people are too few to ask about every {k} of {domain.d} attributes together; use more people or "
            "fewer attributes",
            remedies=[("d", Toward.LESS)],
        )
    return designs


def predict_survey_wrong(
    d: int, values: int, n: int, *, epsilon: float, k: int, theta: float = 1e-3
) -> float:
    """Expected share of people in the wrong cell by `make_survey_plan`, 0 to 1; never rises with n or epsilon."""
    return _ranked(d, values, n, epsilon, k, theta)[0]


def find_survey_users(
    d: int, values: int, wrong: float, *, epsilon: float, k: int, theta: float = 1e-3
) -> int | None:
    """Find the fewest people, to 1%, with an expected share of at most `wrong` in the wrong cell; None if 10^12 are not enough.

    Examples
    --------
    >>> few, more = (find_survey_users(16, 2, wrong, epsilon=2.0, k=3) for wrong in (0.15, 0.05))
    >>> 500 < few < more
    True
    """
    check_target(wrong)
    users = find_smallest(
        lambda n: (
            predict_survey_wrong(d, values, int(n), epsilon=epsilon, k=k, theta=theta) <= wrong
        ),
        MIN_USERS,
        MAX_USERS,
    )
    return None if users is None else int(users)


def find_survey_epsilon(
    d: int, values: int, wrong: float, *, n: int, k: int, theta: float = 1e-3
) -> float | None:
    """Find the smallest epsilon from 0.01 to 10, to 1%, with at most `wrong` expected in the wrong cell, or None."""
    check_target(wrong)
    return find_smallest(
        lambda e: predict_survey_wrong(d, values, n, epsilon=e, k=k, theta=theta) <= wrong,
        *EPSILON_OFFERED,
    )


def check_target(wrong: float) -> None:
    """Refuse a wanted share in the wrong cell that is not above 0."""
    if not wrong > 0:
        raise InputError(f"the share wanted in the wrong cell ({wrong}) must be above 0; try 0.05")
