"""Single changes that would reduce the expected error of a plan of Algorithm 1 to a target."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from calm_core._checks import EPSILON_OFFERED
from calm_core.errors import UserError
from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.expected_error import expected_parts, expected_sse
from calm_core.planning.plan import Plan, make_plan
from calm_core.planning.survey_design import (
    MAX_USERS,
    MIN_USERS,
    bisect,
    check_target_sse,
    find_smallest,
)
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain


def make_example_plan(
    domain: Domain, n: int, *, epsilon: float, k: int, theta: float = 1e-3
) -> Plan:
    """The plan for a domain and n users with a fixed random stream."""
    return make_plan(domain, n, epsilon=epsilon, k=k, theta=theta, rng=stream(0, "what if"))


def expected_plan_sse(
    domain: Domain, n: int, *, epsilon: float, k: int, theta: float = 1e-3
) -> float:
    """Expected mean SSE of the k-way marginals, in squared fractions; see `expected_sse`."""
    return expected_sse(make_example_plan(domain, n, epsilon=epsilon, k=k, theta=theta))


def find_epsilon(
    domain: Domain, sse: float, *, n: int, k: int, theta: float = 1e-3
) -> float | None:
    """Find an epsilon from 0.01 to 10 with an expected error of at most `sse`; None if 10 is not enough.

    By bisection: the smallest to 1%, unless the error increases where the views of Algorithm 1 change.

    Examples
    --------
    >>> from calm_core.planning.survey_design import make_equal_domain
    >>> domain = make_equal_domain(8, 2)
    >>> strict = find_epsilon(domain, 1e-3, n=65536, k=3)
    >>> strict > find_epsilon(domain, 1e-2, n=65536, k=3)
    True
    """
    check_target_sse(sse)
    return find_smallest(
        lambda e: expected_plan_sse(domain, n, epsilon=e, k=k, theta=theta) <= sse, *EPSILON_OFFERED
    )


def find_users(
    domain: Domain,
    sse: float,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    n: int,
    notify: Callable[[int], None] | None = None,
) -> int | None:
    """Find a number of users, n or more, for which CALM's expected error is at most `sse`.

    The error counts noise, sampling and an allowance for reconstruction, see `expected_sse`. By
    bisection: the smallest number to 2%, unless the error increases where the views of Algorithm 1
    change. None if 10^12 users are not enough. `notify` receives the number of plans evaluated before
    each new one; an exception it raises ends the search.

    Examples
    --------
    >>> domain = Domain(tuple("abcdefgh"), (2,) * 8)
    >>> few = find_users(domain, 1e-2, epsilon=1.0, k=3, n=1000)
    >>> few < find_users(domain, 1e-3, epsilon=1.0, k=3, n=1000)
    True
    """

    check_target_sse(sse)
    known: dict[tuple[int, int, str, int], tuple[float, float]] = {}
    alike = len(set(domain.sizes)) == 1

    def enough(users: int) -> bool:
        # The choice determines the views; given the views only the factor 1 / n of the noise changes.
        choice = choose_views(users, domain.sizes, epsilon, k, theta)
        views = choice.l, choice.m, choice.branch, 0 if alike else choice.max_views
        if views not in known:
            if notify is not None:
                notify(len(known))
            # The order of the attributes in the design hardly matters; a fixed stream makes the
            # prediction a function of n.
            plan = make_plan(
                domain, users, epsilon=epsilon, k=k, theta=theta, rng=stream(0, "users")
            )
            known[views] = expected_parts(plan)
        noise, rebuilding = known[views]
        return noise / users + rebuilding <= sse

    low, high = n, n
    while not enough(high):
        low, high = high, high * 4
        if high > MAX_USERS:
            return None
    return bisect(enough, low, high, tolerance=0.02, whole=True)


@dataclass(frozen=True)
class Remedy:
    """One change that is enough on its own.

    Attributes
    ----------
    field : {"epsilon", "n", "d", "max_values"}
        The setting to change: the first d attributes, or the maximum number of values of each.
    value : float or int
        Its new value.
    """

    field: str
    value: float


def find_remedies(plan: Plan, limit: float) -> Iterator[Remedy]:
    """Yield single changes that reduce the expected SSE of a plan of Algorithm 1 to `limit`.

    Examples
    --------
    >>> from calm_core.planning.survey_design import make_equal_domain
    >>> plan = make_example_plan(make_equal_domain(16, 3), 1000, epsilon=0.1, k=3)
    >>> [remedy.field for remedy in find_remedies(plan, 0.2)]
    ['epsilon', 'n']
    """
    domain, shared = plan.domain, {"k": plan.k, "theta": plan.theta}
    epsilon = find_epsilon(domain, limit, n=plan.n, **shared)
    if epsilon is not None and epsilon > plan.epsilon:
        yield Remedy("epsilon", epsilon)
    users = find_users(domain, limit, epsilon=plan.epsilon, n=MIN_USERS, **shared)
    if users is not None and users > plan.n:
        yield Remedy("n", users)

    def suffices(names, sizes) -> bool:
        smaller = Domain(names, sizes)
        k = min(plan.k, smaller.d)
        try:
            error = expected_plan_sse(smaller, plan.n, epsilon=plan.epsilon, k=k, theta=plan.theta)
        except UserError:
            return False
        return error < limit

    for d in range(domain.d - 1, 1, -1):
        checkpoint()
        if suffices(domain.names[:d], domain.sizes[:d]):
            yield Remedy("d", d)
            break
    for values in range(max(domain.sizes) - 1, 1, -1):
        checkpoint()
        if suffices(domain.names, tuple(min(c, values) for c in domain.sizes)):
            yield Remedy("max_values", values)
            break
