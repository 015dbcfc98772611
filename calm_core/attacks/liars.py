"""Liars: some of the people send chosen reports to push one cell up."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from calm_core._checks import (
    check_choice,
    check_count,
    check_fraction,
    check_rng,
    choice_checker,
    count_checker,
)
from calm_core.attacks.base import Attack, AttackResult, Defense, Population, find_shares
from calm_core.attacks.liar_defenses import (
    change_tables,
    find_watched_cells,
    recover_table,
    support_laws,
    weigh_by_count,
    weigh_by_pattern,
)
from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import Reports, ViewReports, draw_group_sizes
from calm_core.errors import InputError
from calm_core.evaluation.metrics import sse
from calm_core.inference.consistency import make_consistent
from calm_core.inference.nonnegativity import norm_sub
from calm_core.inference.shrinkage.interactions import full_tables_from_parities
from calm_core.methods import Calm, CalmPlus
from calm_core.methods.base import option
from calm_core.oracles import Oracle
from calm_core.planning.plan import Plan, default_queries
from calm_core.release.estimate import write_per_100
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, uniform

KINDS = ("maximal", "padded", "adaptive", "false_value")
# Honest reports among which a liar chooses where she cannot write one down, as with hash functions.
TRIES = 64
# Different reports of the liars of a view; if there are more liars, several send the same one.
MAX_DIFFERENT = 4096
# Shares of liars in every table, besides the chosen one.
SHARES = (0.01, 0.05, 0.1)
# Tables whose errors say what a defense costs, and how much more squared error it may cost.
MAX_TABLES, MAX_LOSS = 20, 0.05
# Reports times cells up to which single reports are simulated, for the defenses that look at them.
MAX_CELLS = 1 << 25
# What is measured, each with a name and what it does.
ESTIMATES = {
    "raw": "Unprocessed: the smallest view with all attributes of the target",
    "norm_sub": "Norm-sub: each view without negative cells and with total 1",
    "consistent": "Consistency: views that agree, before negative cells are removed",
    "calm": "CALM: consistent, non-negative views",
    "calm_plus": "CALM+: interactions shrunk by how reliable they are",
    "recover": "LDPRecover: each view without liars who push all cells alike, told their share; then CALM",
    "diffstats": "Diffstats: reports that support a too frequent number of cells count less; then CALM",
    "pattern": "Pattern: reports that support the same cells together too often count less; then CALM",
}


def find_target_cells(domain: Domain, view: Iterable[str], target: Mapping[str, int]) -> np.ndarray:
    """Return the cells of a view that agree with a target on the attributes they share.

    Parameters
    ----------
    domain : Domain
    view : iterable of str
        Attributes of the view.
    target : mapping
        Attributes and codes of the target cell.

    Returns
    -------
    ndarray of int
        Row-major; empty if they share no attribute.

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> find_target_cells(domain, ("sex", "age"), {"age": 1}).tolist()
    [1, 4]
    """
    view = domain.canonical(view)
    if not set(view) & set(target):
        return np.array([], dtype=np.int64)
    places = tuple(target.get(name, slice(None)) for name in view)
    cells = np.arange(domain.cells_of(view)).reshape(domain.shape_of(view))
    return np.ravel(cells[places])


def craft_reports(
    oracle: Oracle,
    cells: Sequence[int] | np.ndarray,
    n: int,
    *,
    kind: str = "maximal",
    rng: np.random.Generator,
) -> np.ndarray:
    """Return reports of n liars who push some cells; each is one that the oracle accepts.

    Parameters
    ----------
    oracle : Oracle
        The randomizer that she should have used.
    cells : sequence of int
        The cells to push, at least one.
    n : int
        Number of reports.
    kind : {"maximal", "padded", "adaptive", "false_value"}
        "maximal" supports as many of the cells as a report can, and nothing else where the oracle lets her.
        "padded" adds random other ones to a bitmap, up to their expected number. "adaptive" is an honest
        report of one of the cells for which the coin fell her way: it looks like any other. "false_value"
        is an honest report of one of the cells.
    rng : numpy Generator
        Randomness of the liars.

    Returns
    -------
    array, first axis n
        As `Oracle.perturb` returns them.

    References
    ----------
    Cao, Jia and Gong, USENIX Security 2021; Cheu, Smith and Ullman, IEEE S&P 2021.

    Examples
    --------
    >>> from calm_core.oracles import OUE
    >>> craft_reports(OUE(1.0, 6), [4], 1, rng=np.random.default_rng(1)).astype(int).tolist()
    [[0, 0, 0, 0, 1, 0]]
    """
    check_choice("kind", kind, KINDS)
    n, rng = check_count("n", n, low=0), check_rng(rng)
    if len(cells) == 0:
        raise InputError("cells must be at least one; a liar pushes something")
    values = rng.choice(cells, n)
    honest = oracle.perturb(values, rng=rng)
    if kind == "false_value" or n == 0:
        return honest
    if oracle.form.direct and not oracle.form.bitmap:
        return values
    if kind == "adaptive":
        return _draw_until_supported(oracle, values, honest, rng)
    if oracle.form.bitmap:
        ones = oracle.form.ones or 0
        if kind == "padded" and not ones:
            ones = round(oracle.p + (oracle.size - 1) * oracle.q)
        return _write_bitmaps(oracle, cells, n, ones, rng)
    return _choose_reports(oracle, cells, values, honest, rng)


def _draw_until_supported(oracle, values, reports, rng) -> np.ndarray:
    """Draw honest reports again until each supports its value."""
    reports = reports.copy()
    while True:
        missing = ~oracle.supports(reports)[np.arange(len(values)), values]
        if not missing.any():
            return reports
        reports[missing] = oracle.perturb(values[missing], rng=rng)


def _write_bitmaps(oracle, cells, n, ones, rng) -> np.ndarray:
    """Bitmaps with the bits of the cells and random others up to so many; some of the cells, if they are too many."""
    order = rng.random((n, oracle.size))
    order[:, cells] -= 1
    limit = ones if oracle.form.ones else max(ones, len(cells))
    return order.argsort(axis=1).argsort(axis=1) < limit


def _choose_reports(oracle, cells, values, best, rng) -> np.ndarray:
    """Choose of several honest reports the one that supports most of the cells."""
    best_count = oracle.supports(best)[:, cells].sum(axis=1)
    best = best.copy()
    for _ in range(TRIES - 1):
        candidate = oracle.perturb(values, rng=rng)
        supported = oracle.supports(candidate)[:, cells].sum(axis=1)
        better = supported > best_count
        best[better], best_count[better] = candidate[better], supported[better]
    return best


def expected_supports(oracle: Oracle, cells: int, kind: str) -> float:
    """Return how many of the cells that she pushes the report of a liar supports on average.

    Parameters
    ----------
    oracle : Oracle
        GRR, OUE, OLH or subset selection.
    cells : int
        Number of cells that she pushes.
    kind : str
        As in `craft_reports`.

    Examples
    --------
    >>> from calm_core.oracles import GRR, OLH, OUE, SubsetSelection
    >>> [expected_supports(oracle(1.0, 16), 4, "maximal") for oracle in (GRR, OUE, SubsetSelection)]
    [1.0, 4.0, 4.0]
    >>> round(expected_supports(OLH(1.0, 16), 4, "maximal"), 2)
    3.38
    """
    check_choice("kind", kind, KINDS)
    inside, _ = support_laws(oracle, cells)
    numbers = np.arange(cells + 1)
    if kind == "false_value":
        return float(numbers @ inside)
    if oracle.form.direct and not oracle.form.bitmap:
        return 1.0
    if kind == "adaptive":
        # Besides her own cell, each other one as if the coin had fallen so by chance.
        if oracle.form.ones:
            others = (oracle.form.ones - 1) / (oracle.size - 1) if cells > 1 else 0.0
        else:
            others = oracle.q
        return 1 + (cells - 1) * others
    if oracle.form.bitmap:
        return float(min(cells, oracle.form.ones or cells))
    return float(np.sum(1 - np.cumsum(inside)[:-1] ** TRIES))


def expected_gain(
    oracle: Oracle, share: float, *, true_share: float = 0.0, cells: int = 1, kind: str = "maximal"
) -> float:
    """Return by how much liars move the unprocessed estimate of a target, as a fraction.

    A report that supports s of the r cells of the target counts as ``(s - r q) / (p - q)`` people in it, an
    honest one as its true share f on average: the gain is ``share ((s - r q) / (p - q) - f)``.

    Parameters
    ----------
    oracle : Oracle
        GRR, OUE, OLH or subset selection.
    share : float
        Share of the people who lie.
    true_share : float
        Share of the people in the target, f.
    cells : int
        Number of cells of the view that make up the target, r: more than 1 where the view has further
        attributes.
    kind : str
        As in `craft_reports`.

    References
    ----------
    Cao, Jia and Gong, USENIX Security 2021, for one cell.

    Examples
    --------
    One liar of 100 and a table of two questions with two answers each, by randomized response:

    >>> from calm_core.oracles import GRR
    >>> [round(100 * expected_gain(GRR(epsilon, 4), 0.01), 2) for epsilon in (0.2, 1.0)]
    [14.55, 2.75]
    """
    check_fraction("share", share, remedy="0.05 is five liars of 100", usual=0.05)
    supports = expected_supports(oracle, check_count("cells", cells, high=oracle.size), kind)
    return share * ((supports - cells * oracle.q) / oracle.gap - true_share)


@dataclass(frozen=True)
class LiarsResult(AttackResult):
    """What liars gained, with the table of the attributes of their target.

    Attributes
    ----------
    cell : tuple of int
        Codes of the target, in the order of the table.
    tables : mapping of str to Marginal
        The table as it is ("true"), and as CALM reconstructs it on average: if all are "honest", with those who "lied",
        and with them and the best defense ("defended"). Cells are fractions.
    """

    cell: tuple[int, ...]
    tables: Mapping[str, Marginal] = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """As `AttackResult.to_dict`; tables as nested lists."""
        tables = {name: table.values.tolist() for name, table in self.tables.items()}
        return super().to_dict() | {"tables": tables}


def _check_target(name: str, target) -> tuple[tuple[str, int], ...] | None:
    if target is None:
        return None
    pairs = target.items() if isinstance(target, Mapping) else target
    return tuple((attr, check_count(f"code of {attr}", code, low=0)) for attr, code in pairs)


@dataclass(frozen=True)
class Liars(Attack):
    """Some of the people send chosen reports, so that one cell of a table looks larger than it is.

    They are spread over the views like everybody. Asked about all attributes of the target, a liar pushes the
    target; asked about some of them, the share of those who agree with it on these; asked about none, she
    reports honestly. What they gain is the difference to the same collection in which they report honestly.

    Attributes
    ----------
    share : float
        Share of the people who lie.
    kind : str
        How they lie, see `craft_reports`.
    target : tuple of (str, int) or None
        The cell, as attributes and codes; a mapping is accepted. None is the rarest cell of the first two
        attributes of the first view that measures whole tables.
    repetitions : int
        Simulated collections for every share of liars.

    Raises
    ------
    InputError
        If a field is out of range.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> domain = Domain(("sex", "smokes"), (2, 2))
    >>> plan = make_plan(domain, 20_000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> found = Liars(share=0.05, repetitions=5).run(plan, rng=np.random.default_rng(1))
    >>> round(found.bound, 3), abs(found.gain - found.bound) < 0.02
    (0.125, True)
    """

    share: float = option(
        partial(check_fraction, one=False, remedy="0.05 is five liars of 100", usual=0.05), 0.05
    )
    kind: str = option(choice_checker(KINDS), "maximal")
    target: tuple[tuple[str, int], ...] | None = option(_check_target, None)
    repetitions: int = option(count_checker(2), 5)
    name: ClassVar[str] = "liars"
    title: ClassVar[str] = "Liars"
    summary: ClassVar[str] = "Some people send chosen reports to make one cell look larger."

    def run(self, plan, population=None, *, rng) -> LiarsResult:
        """Attack simulated collections by this plan; see `Attack.run`.

        The table has a row for every share of liars and estimate: `kind`, `share`, `oracle` (of the view of
        the unprocessed estimate), `estimate` (a key of `ESTIMATES`), `gain`, `standard_error`, `formula`
        (of the unprocessed gain) and `loss`: by which share the estimate's squared error without liars,
        over tables of two attributes, is above that of CALM. Defenses that look at single reports are
        left out for more than `MAX_CELLS` reports times cells.
        """
        rng, target = check_rng(rng), self._find_target(plan, population)
        collection = _Collection(plan, population, target, self)
        shares = sorted({*SHARES, self.share})
        runs = [collection.repeat(shares, rng) for _ in range(self.repetitions)]
        errors = pd.DataFrame(errors for _, errors in runs).mean()
        # Of each estimate, in every repetition: without liars, then for each share of them.
        tables = {
            name: np.array([marginals[name] for marginals, _ in runs]) for name in errors.index
        }
        rows = []
        for i, share in enumerate(shares, start=1):
            for name, marginals in tables.items():
                cell = marginals[(..., *collection.code)]
                gains = pd.Series(cell[:, i] - cell[:, 0])
                rows.append({
                    "kind": self.kind, "share": share, "oracle": collection.oracle.name,
                    "estimate": name, "gain": gains.mean(), "standard_error": gains.sem(),
                    "formula": collection.formula(share), "loss": errors[name] / errors["calm"] - 1,
                })  # fmt: skip
        table, truth, lied = pd.DataFrame(rows), collection.truths[0], 1 + shares.index(self.share)
        result = table[table.share == self.share].set_index("estimate")
        best = result[result.loss <= MAX_LOSS].gain.drop("raw", errors="ignore").abs().idxmin()
        pushed = {"true": truth} | {
            key: Marginal(truth.domain, tables[name][:, at].mean(axis=0))
            for key, name, at in (("honest", "calm", 0), ("lied", "calm", lied), ("defended", best, lied))
        }  # fmt: skip
        raw, loss = result.loc["raw"], float(result.loss[best])
        cost = f"without liars its squared error is {abs(loss):.0%} {'above' if loss > 0 else 'below'} that of CALM"
        return LiarsResult(
            attack=self.name, gain=float(raw.gain), standard_error=float(raw.standard_error), bound=float(raw.formula),
            defense=Defense(
                ESTIMATES[best].split(":")[0], float(result.gain[best]), f"{ESTIMATES[best]}; {cost}."
            ),
            sentence=f"If {write_per_100(self.share)} of 100 people lie, they add {write_per_100(raw.gain)} points "
            "to the cell that they push.",
            table=table, cell=collection.code, tables=pushed,
        )  # fmt: skip

    def _find_target(self, plan: Plan, population: Population | None) -> dict[str, int]:
        """Return the target, checked against the plan."""
        if self.target is not None:
            target = dict(self.target)
            sizes = dict(zip(target, plan.domain.shape_of(target)))
            for name, code in target.items():
                check_count(f"code of {name}", code, low=0, high=sizes[name] - 1)
            if not plan.covers(target):
                raise InputError(
                    f"target ({', '.join(target)}) must be attributes that some view asks together; "
                    "choose others"
                )
            return target
        candidates = [view for view, oracle in zip(plan.views, plan.oracles) if oracle.sets is None]
        if not candidates:
            raise InputError("the plan must have a view that measures whole tables; choose another")
        names = candidates[0][:2]
        table = _table(plan.domain, names, population)
        place = np.unravel_index(int(table.values.argmin()), table.values.shape)
        return {name: int(code) for name, code in zip(names, place)}


def _table(domain: Domain, names: Iterable[str], population: Population | None) -> Marginal:
    """The people's shares of the cells of some attributes; equal without a population."""
    return uniform(domain, names) if population is None else population.marginal(names)


class _Collection:
    """Collections by a plan with liars and without, and what every estimate makes of them."""

    def __init__(
        self, plan: Plan, population: Population | None, target: dict[str, int], attack: Liars
    ):
        self.plan, self.attack, domain = plan, attack, plan.domain
        self.shares = [find_shares(plan, i, population) for i in range(plan.m)]
        self.cells = [find_target_cells(domain, view, target) for view in plan.views]
        self.groups = [find_watched_cells(domain.shape_of(view)) for view in plan.views]
        attrs = domain.canonical(target)
        self.code = tuple(target[name] for name in attrs)
        # The view that the unprocessed estimate of the target is from.
        self.place = min(
            (i for i, oracle in enumerate(plan.oracles) if oracle.sets is None and set(attrs) <= set(plan.views[i])),
            key=lambda i: plan.oracles[i].size,
        )  # fmt: skip
        self.oracle = plan.oracles[self.place]
        pairs = [query for query in default_queries(domain, min(2, domain.d)) if plan.covers(query)]
        self.queries = [attrs, *(query for query in pairs if query != attrs)][:MAX_TABLES]
        self.truths = [_table(domain, query, population) for query in self.queries]
        work = sum(share * oracle.size for share, oracle in zip(plan.shares, plan.oracles))
        self.detailed = plan.n * work <= MAX_CELLS
        self.calm = Calm(epsilon=plan.epsilon, k=plan.k)
        self.plus = CalmPlus(epsilon=plan.epsilon, k=plan.k)

    def formula(self, share: float) -> float:
        """The expected gain of the unprocessed estimate."""
        return expected_gain(
            self.oracle, share, true_share=float(self.truths[0].values[self.code]),
            cells=len(self.cells[self.place]), kind=self.attack.kind,
        )  # fmt: skip

    def repeat(
        self, shares: Sequence[float], rng: np.random.Generator
    ) -> tuple[dict[str, list[np.ndarray]], dict[str, float]]:
        """In one collection, by every estimate: the target's table without and with liars, and the error without."""
        without, *attacked = [self.estimate(*one) for one in self.collect(shares, rng)]
        errors = {
            name: float(np.mean(list(map(sse, self.truths, found))))
            for name, found in without.items()
        }
        tables = {
            name: [found[name][0].values for found in (without, *attacked)] for name in without
        }
        return tables, errors

    def collect(self, shares: Sequence[float], rng: np.random.Generator) -> list[tuple]:
        """Draw a collection in which all are honest, and the same one with every share of liars.

        Each is its counts, and the cells that each report supports where reports are looked at.
        """
        plan = self.plan
        people = draw_group_sizes(plan.n, plan.shares, rng=rng)
        liars = [draw_group_sizes(round(share * plan.n), plan.shares, rng=rng) for share in shares]
        # Whoever lies in a smaller share of liars also does in a larger one.
        lying = np.maximum.accumulate(np.minimum(liars, people), axis=0)
        views_drawn = []
        for i in range(plan.m):
            checkpoint()
            views_drawn.append(self._draw(i, int(people[i]), lying[:, i].tolist(), rng))
        collections = []
        for each in zip(*views_drawn):
            views = (
                ViewReports(view, oracle, counts, int(n))
                for view, oracle, (counts, _), n in zip(plan.views, plan.oracles, each, people)
            )
            supports = tuple(matrix for _, matrix in each) if self.detailed else ()
            collections.append((Reports(plan.domain, tuple(views)), supports))
        return collections

    def _draw(self, i: int, people: int, lying: list[int], rng) -> list[tuple]:
        """Support counts, and supports of every report, of a view: all honest, then the first ones lying."""
        oracle, cells = self.plan.oracles[i], self.cells[i]
        # People between two numbers of liars, then those who never lie.
        parts = np.diff([0, *lying, people])
        counts = rng.multinomial(parts, self.shares[i])
        steps = [0, *lying]
        # Who is asked nothing of the target never lies.
        places = range(len(steps)) if cells.size else [0] * len(steps)
        liars = steps[places[-1]]
        lies = np.zeros((0, oracle.size), dtype=bool)
        if liars:
            different = min(liars, MAX_DIFFERENT)
            reports = craft_reports(oracle, cells, different, kind=self.attack.kind, rng=rng)
            lies = oracle.supports(reports)[np.arange(liars) % different]
        if not self.detailed:
            honest = oracle.simulate(counts, rng=rng)
            return [(lies[: steps[i]].sum(axis=0) + honest[i:].sum(axis=0), None) for i in places]
        values = np.repeat(np.tile(np.arange(oracle.size), len(parts)), counts.ravel())
        supports = oracle.supports(oracle.perturb(values, rng=rng))
        matrices = [
            np.concatenate([lies[: steps[i]], supports[steps[i] :]]) if i else supports
            for i in places
        ]
        return [(matrix.sum(axis=0), matrix) for matrix in matrices]

    def estimate(
        self, reports: Reports, supports: tuple[np.ndarray, ...]
    ) -> dict[str, list[Marginal]]:
        """The tables of all queries by every estimate."""
        noisy, tables = aggregate(reports), {}
        level = make_consistent(full_tables_from_parities(noisy), nonnegativity="none").tables
        sums = {
            "raw": noisy,
            "norm_sub": change_tables(
                noisy, lambda i, cells: norm_sub(cells[np.newaxis], total=1.0)[0]
            ),
            "consistent": replace(noisy, tables=level),
        }
        for name, one in sums.items():
            tables[name] = [one.marginal(query) for query in self.queries]
        tables["calm_plus"] = self.plus.infer(noisy).marginals(self.queries)
        cleaned = {
            "calm": noisy,
            "recover": change_tables(
                noisy, lambda i, cells: recover_table(cells, self.attack.share)
            ),
        }
        if self.detailed:
            cleaned["diffstats"] = self._weigh(
                noisy, supports, lambda *view: weigh_by_count(*view[:2])
            )
            cleaned["pattern"] = self._weigh(noisy, supports, weigh_by_pattern)
        for name, one in cleaned.items():
            tables[name] = self.calm.infer(one).marginals(self.queries)
        return {name: tables[name] for name in ESTIMATES if name in tables}

    def _weigh(
        self, noisy: NoisyMarginals, supports: tuple[np.ndarray, ...], find_weights: Callable
    ) -> NoisyMarginals:
        """The estimates of the views with weighted reports."""

        def change(i: int, cells: np.ndarray) -> np.ndarray:
            oracle, supported = self.plan.oracles[i], supports[i]
            weights = find_weights(oracle, supported, self.groups[i])
            matters = weights.sum() >= 1 and weights.min(initial=1.0) < 1
            return oracle.estimate(weights @ supported, weights.sum()) if matters else cells

        return change_tables(noisy, change)
