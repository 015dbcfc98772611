"""From shares of kinds of reports to a plan: which attributes every group is asked about."""

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

# Rules that leave the oracle to the program.
FREE_RULES = ("adaptive", "contrast", "best")
MAX_GROUPS = 3_000
# Fewer users than this are not worth a group, and so many kinds of reports together no place in a plan.
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
    """The division of the users among kinds of reports that `optimal_plan` makes views of.

    Who knows how strong interactions are gives that as the one strength: variances of standardised
    interactions of two and three attributes, and of what all pairs have in common.

    Raises
    ------
    InputError
        If no attribute has two values: there is nothing to ask.

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

    Every kind of report is asked of all sets of attributes it fits, or of as many as there are users
    for, such that pairs are asked about as equally as can be.

    Parameters
    ----------
    domain, n, epsilon, k, theta
        As in `make_plan`; theta says which views CALM would ask, and their errors how much each strength
        of interactions counts.
    oracle : str
        The oracle of views; a rule of `choose_oracle` leaves it to the program. Parities use GRR.
    rng : numpy Generator
        Decides which attribute takes which place where not all sets are asked.

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
    # What has one value for everybody stands in a view, where it costs nothing.
    plain = next(i for i, oracle_of in enumerate(oracles) if oracle_of.sets is None)
    given = [name for name, size in zip(domain.names, domain.sizes) if size == 1]
    views[plain] = domain.canonical((*views[plain], *given))
    return Plan(
        domain, n, float(epsilon), k, float(theta), tuple(views), tuple(oracles),
        choose_views(n, domain.sizes, epsilon, k, theta), tuple(weights),
    )  # fmt: skip


def informative_attributes(domain: Domain) -> list[str]:
    """The attributes with at least two values, of which a report can tell something."""
    found = [name for name, size in zip(domain.names, domain.sizes) if size > 1]
    if not found:
        raise InputError("every attribute has one value only, so there is nothing to ask; add one")
    return found


def second_phase_candidates(first: Plan, oracle: str, rng: np.random.Generator) -> list[Place]:
    """Whom a second phase could ask what: views and parities of few attributes, and kinds asked before."""
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
    """The chosen kinds, and single attributes of the sizes that no view of them holds."""
    held = {size for kind, _ in chosen if kind.oracle.sets is None for size in kind.sizes}
    alone = [(kind, MIN_TOGETHER / domain.d) for kind in kinds if len(kind.sizes) == 1]
    return chosen + [(kind, share) for kind, share in alone if not {*kind.sizes} <= held]


def _places(domain: Domain, kind: ReportKind, most: int, rng: np.random.Generator) -> list[Place]:
    """Attributes and oracle of every group that is asked in this way.

    Every attribute is asked about, also where that takes more groups than `most`.
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
    blocks = _balanced(domain, needed, holding, min(max(most, least), sets), rng)
    return [(block, forms[i % len(forms)]) for i, block in enumerate(blocks)]


@lru_cache(maxsize=256)
def _forms(oracle: Oracle) -> tuple[Oracle, ...]:
    """The same parities of an oracle with the attributes in all different orders."""
    if not isinstance(oracle, Parity):
        return (oracle,)
    found: dict[frozenset, Oracle] = {}
    for order in permutations(range(oracle.size.bit_length() - 1)):
        parities = tuple(tuple(sorted(order[i] for i in parity)) for parity in oracle.parities)
        form = replace(oracle, parities=parities)
        found.setdefault(form.sets, form)
    return tuple(found.values())


def _balanced(domain, needed: Counter[int], holding, count: int, rng) -> list[tuple[int, ...]]:
    """So many different sets of attributes, in which pairs and attributes occur equally often."""
    return list(islice(_grown(domain.d, needed, holding, count, rng), count))


def _grown(d: int, needed: Counter[int], holding, count: int, rng) -> Iterator[tuple[int, ...]]:
    """Sets grown attribute by attribute, each the one that met the others of the set least often."""
    met, seen = np.zeros((d, d)), set()
    # Times asked count little beside times asked together; where both are equal, chance decides.
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
