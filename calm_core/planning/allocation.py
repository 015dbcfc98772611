"""From the optimal shares of report kinds to a plan: the attributes and oracle of every group."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, islice, permutations, product

import numpy as np

from calm_core._checks import check_k
from calm_core.errors import InputError
from calm_core.oracles import Oracle, Parity
from calm_core.planning.algorithm1 import check_users, choose_views
from calm_core.planning.optimal_design import (
    STRENGTHS,
    Division,
    ReportKind,
    Strength,
    build_problem,
    divide_users,
    report_kinds,
)
from calm_core.planning.plan import Plan
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain

# Oracle rules that leave the choice of the oracle to this module.
FREE_RULES = ("adaptive", "contrast", "best")
MAX_GROUPS = 3_000
# Minimum number of users of a group, and minimum share of all report kinds that are kept.
MIN_USERS, MIN_TOGETHER = 8, 0.05

Place = tuple[tuple[int, ...], Oracle]


def optimize_division(
    domain: Domain,
    n: int,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    oracle: str = "best",
    strengths: Sequence[Strength] = STRENGTHS,
) -> Division:
    """The optimal division of the users among report kinds, from which `optimal_plan` makes views.

    `strengths` are variances of standardized interactions of two and three attributes, and of the part
    that all pairs have in common. Give a single one where the strength of interactions is known.

    Raises
    ------
    InputError
        If no attribute has at least two values.

    Examples
    --------
    >>> found = optimize_division(Domain(tuple("abcdefgh"), (2,) * 8), 2**16, epsilon=1.0, k=3)
    >>> bool(found.bound < 0.01), bool(found.ratios[0] < 0.9)
    (True, True)
    """
    check_k(k, domain.d)
    asked = domain.project(informative_attributes(domain))
    k = min(k, asked.d)
    choice = choose_views(n, asked.sizes, epsilon, k, theta)
    rule = "best" if oracle in FREE_RULES else oracle
    problem = build_problem(asked, n, epsilon, k, choice, rule, strengths)
    return divide_users(problem, epsilon, max(MIN_TOGETHER / len(problem.kinds), MIN_USERS / n))


def optimal_plan(
    domain: Domain,
    n: int,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    oracle: str = "best",
    rng: np.random.Generator,
) -> Plan:
    """Plan views and parities with the shares of least expected error, see `optimize_division`.

    Every report kind is used for all sets of attributes that it fits, or for as many as there are users
    for, with all pairs of attributes covered about equally often.

    Parameters
    ----------
    domain, n, epsilon, k, theta
        As in `make_plan`; theta decides the views of CALM, whose errors weigh the strengths of
        interactions.
    oracle : str
        The oracle of views, or a rule of `choose_oracle`. Parities use GRR.
    rng : numpy Generator
        Chooses the sets of attributes where not all are used.

    Examples
    --------
    >>> domain = Domain(tuple("abcd"), (2,) * 4)
    >>> plan = optimal_plan(domain, 10_000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> sorted({(oracle.name, len(view)) for view, oracle in zip(plan.views, plan.oracles)})
    [('grr', 2), ('parity', 3)]
    """
    found = optimize_division(domain, n, epsilon=epsilon, k=k, theta=theta, oracle=oracle)
    kinds, shares = found.problem.kinds, found.shares
    views, oracles, weights = [], [], []
    chosen = [(kind, share) for kind, share in zip(kinds, shares) if share > 0]
    for kind, share in _with_everybody(domain, chosen, kinds):
        checkpoint()
        groups = int(share * min(n / MIN_USERS, MAX_GROUPS))
        places = _places(domain, kind, max(groups, 1), rng)
        for at, oracle_of in places:
            views.append(tuple(domain.names[i] for i in at))
            oracles.append(oracle_of)
            weights.append(float(share / len(places)))
    check_users(n, len(views))
    # Attributes with a single value are added to a view, where they cost nothing.
    plain = next(i for i, oracle_of in enumerate(oracles) if oracle_of.sets is None)
    given = [name for name, size in zip(domain.names, domain.sizes) if size == 1]
    views[plain] = domain.canonical((*views[plain], *given))
    return Plan(
        domain, n, float(epsilon), k, float(theta), tuple(views), tuple(oracles),
        choose_views(n, domain.sizes, epsilon, k, theta), tuple(weights),
    )  # fmt: skip


def informative_attributes(domain: Domain) -> list[str]:
    """The attributes with at least two values; a report on the others has no information."""
    found = [name for name, size in zip(domain.names, domain.sizes) if size > 1]
    if not found:
        raise InputError("every attribute has one value only, so there is nothing to ask; add one")
    return found


def second_phase_candidates(first: Plan, oracle: str, rng: np.random.Generator) -> list[Place]:
    """Candidates for a second phase: views and parities of few attributes, and the kinds of the first phase."""
    domain, rule = first.domain, "best" if oracle in FREE_RULES else oracle
    asked = {tuple(sorted(domain.shape_of(view))) for view in first.views}
    found: list[Place] = []
    for kind in report_kinds(domain, first.epsilon, rule):
        few = kind.oracle.sets is not None or len(kind.sizes) <= min(3, first.k)
        if few or kind.sizes in asked:
            checkpoint()
            found += _places(domain, kind, MAX_GROUPS, rng)
    return found


def _with_everybody(domain: Domain, chosen: list[tuple[ReportKind, float]], kinds):
    """The chosen kinds, and single attributes for the sizes that are in none of their views."""
    held = {size for kind, _ in chosen if kind.oracle.sets is None for size in kind.sizes}
    alone = [(kind, MIN_TOGETHER / domain.d) for kind in kinds if len(kind.sizes) == 1]
    return chosen + [(kind, share) for kind, share in alone if not {*kind.sizes} <= held]


def _places(domain: Domain, kind: ReportKind, most: int, rng: np.random.Generator) -> list[Place]:
    """Attributes and oracle of every group of this report kind.

    Every attribute is covered, even if that takes more groups than `most`.
    """
    needed = Counter(kind.sizes)
    holding = {size: [i for i, c in enumerate(domain.sizes) if c == size] for size in needed}
    sets = math.prod(math.comb(len(holding[size]), many) for size, many in needed.items())
    forms = _forms(kind.oracle)
    if sets * len(forms) <= most:
        chosen = [combinations(holding[size], many) for size, many in needed.items()]
        blocks = [tuple(sorted(sum(parts, ()))) for parts in product(*chosen)]
        return [(block, form) for block in blocks for form in forms]
    least = max(-(-len(holding[size]) // many) for size, many in needed.items())
    count = min(max(most, least), sets)
    blocks = islice(_balanced(domain.d, needed, holding, count, rng), count)
    return [(block, forms[i % len(forms)]) for i, block in enumerate(blocks)]


@lru_cache(maxsize=256)
def _forms(oracle: Oracle) -> tuple[Oracle, ...]:
    """An oracle with its parities over the attributes in all different orders."""
    if not isinstance(oracle, Parity):
        return (oracle,)
    found: dict[frozenset, Oracle] = {}
    for order in permutations(range(oracle.size.bit_length() - 1)):
        parities = tuple(tuple(sorted(order[i] for i in parity)) for parity in oracle.parities)
        form = replace(oracle, parities=parities)
        found.setdefault(form.sets, form)
    return tuple(found.values())


def _balanced(d: int, needed: Counter[int], holding, count: int, rng) -> Iterator[tuple[int, ...]]:
    """Yield different sets of attributes that use attributes and pairs about equally often.

    Each is grown by the attribute that was together with the others least often; at least `count` where there are.
    """
    met, seen = np.zeros((d, d)), set()
    # Use of pairs decides first, then use of single attributes, then chance.
    for _ in range(4 * count):
        checkpoint()
        block: list[int] = []
        for size, many in needed.items():
            free = np.array(holding[size])
            for _ in range(many):
                left = free[~np.isin(free, block)]
                cost = (
                    met[left][:, block].sum(axis=1)
                    + met[left, left] / d
                    + rng.random(len(left)) / d**2
                )
                block.append(int(left[np.argmin(cost)]))
        met[np.ix_(block, block)] += 1
        if (new := tuple(sorted(block))) not in seen:
            seen.add(new)
            yield new
