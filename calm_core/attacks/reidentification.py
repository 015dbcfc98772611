"""Re-identification: put a name to a report, or find who is alone in a released table."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd

from calm_core._checks import count_checker
from calm_core.attacks.base import (
    Attack,
    AttackResult,
    Defense,
    Population,
    ViewShares,
    list_views,
    release_tables,
)
from calm_core.attacks.guessing import blocks, support_size
from calm_core.attacks.one_person import MAX_SIMULATED
from calm_core.methods.base import option
from calm_core.oracles import Oracle, Parity
from calm_core.planning.plan import Plan
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import People

NAMED, ALONE = "named", "alone"
REPORTS, ROWS = "raw reports", "rows without noise"


@dataclass(frozen=True)
class ReIdentification(Attack):
    """Put a name to a report, with a register of everybody; and find who is alone in a released table.

    Two things are measured, as shares of the people.

    "named": the attacker has a register with the name and all answers to a view of each of the n people, and one report on
    that view by one of them, anyone. The name she puts to it is right. She names one of the people whose answers the
    report supports, at random; nobody can do better. Without the report she is right with chance 1 / n, with
    a row without noise with chance C / n, where C is the number of cells that hold anybody. This is the gain; the bound
    is the same by formula, at most e^epsilon / n.

    "alone": the attacker has a table of a view and says of every cell whose share stands for one person (n times it is from
    0.5 to 1.5) that just one person has these answers; who knows the answers of that person has then found her. Counted are
    people of whom this is said and true. Compared are true tables, the tables that CALM releases, and what
    somebody says who knows the shares of single attributes and takes them as independent. For an answer in place of people
    the truth is not known, so only what is said is counted.

    Both are means over the views, by their shares of the people.

    Attributes
    ----------
    people : int
        Number of simulated reports, spread over the cells that hold anybody.

    Raises
    ------
    InputError
        If a setting is out of its range.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> rng = np.random.default_rng(1)
    >>> plan = make_plan(Domain(("sex", "age"), (2, 3)), 1000, epsilon=1.0, k=2, rng=rng)
    >>> found = ReIdentification().run(plan, rng=rng)
    >>> round(found.gain, 5), round(found.bound, 5)
    (0.00208, 0.00211)
    """

    people: int = option(count_checker(1, MAX_SIMULATED), 20_000)
    name: ClassVar[str] = "re-identification"
    title: ClassVar[str] = "Re-identification"
    summary: ClassVar[str] = (
        "Puts a name to a report with a register of everybody; finds who is alone in a table."
    )

    def run(
        self, plan: Plan, population: Population | None = None, *, rng: np.random.Generator
    ) -> AttackResult:
        """As `Attack.run`; the table has a row per source and measure.

        Its columns are `source`; `measure`, "named" or "alone"; `gain`, the share of people; `expected`, by formula, where there is
        one; and `said`, the share of people of whom it is said that they are alone, true or not.
        """
        n = population.n if isinstance(population, People) else plan.n
        released = release_tables(plan, population, rng=rng)
        rows: list[dict[str, object]] = []
        halved = dearer = variance = 0.0
        for view in list_views(plan, population, self.people, rng=rng):
            checkpoint()
            counts = np.rint(n * view.shares)
            people = max(1, round(self.people * view.weight))
            measured, error = measure_named(view.oracle, counts, people, rng=rng)
            variance += (view.weight * error) ** 2
            rows += _name(view, counts, measured)
            if population is not None and released is not None:
                rows += _find_alone(view, n, population, released)
            weaker = replace(view.oracle, epsilon=view.oracle.epsilon / 2)
            halved += view.weight * named_rate(weaker, counts)
            even = 1 / weaker.size
            dearer += view.weight * float(weaker.variance(n, even) / view.oracle.variance(n, even))
        weighted = pd.DataFrame(rows)
        numbers = ["gain", "expected", "said"]
        weighted[numbers] = weighted[numbers].mul(weighted.pop("weight"), axis=0)
        sums = weighted.groupby(["source", "measure"], sort=False)[numbers].sum(min_count=1)
        table = sums.reset_index()
        named = table[table["measure"] == NAMED].set_index("source")
        gain, bound = map(float, named.loc[REPORTS, ["gain", "expected"]])
        million = 10**6
        return AttackResult(
            attack=self.name, gain=gain, standard_error=math.sqrt(variance), bound=bound,
            defense=Defense(
                "Half the budget", halved,
                f"With epsilon {plan.epsilon / 2:g}, {million * halved:.3g} of a million people are named rightly; the variance of the "
                f"tables is {dearer:.2g} times as large.",
            ),
            sentence=f"With a register of all {n:,} people, {million * gain:.3g} of a million raw reports get the right name; "
            f"{million / n:.3g} by chance, {million * named.loc[ROWS, 'expected']:.3g} without noise.",
            table=table,
        )  # fmt: skip


def _name(view: ViewShares, counts: np.ndarray, measured: float) -> list[dict[str, object]]:
    """Rows of the table about names for reports on a view, with its weight."""
    n = counts.sum()
    shares = {
        "chance": (1 / n, 1 / n),
        REPORTS: (measured, named_rate(view.oracle, counts)),
        ROWS: (np.nan, np.count_nonzero(counts) / n),
    }  # fmt: skip
    return [
        {"source": source, "measure": NAMED, "gain": gain, "expected": expected, "said": np.nan, "weight": view.weight}
        for source, (gain, expected) in shares.items()
    ]  # fmt: skip


def _find_alone(
    view: ViewShares, n: int, population: Population, released: Population
) -> list[dict[str, object]]:
    """Rows of the table about people who are alone in a cell of a view, with its weight."""
    has_truth = released is not population
    tables = {"released tables": released.marginal(view.attrs).values.reshape(-1)}
    singles = np.ones(1)
    for attr in view.attrs:
        singles = np.multiply.outer(singles, population.marginal((attr,)).values).reshape(-1)
    tables["single attributes"] = singles
    if has_truth:
        tables["true tables"] = view.shares
    truth = np.rint(n * view.shares) == 1
    rows = []
    for source, shares in tables.items():
        claimed = np.rint(n * shares) == 1
        right = (claimed & truth).sum() / n if has_truth else np.nan
        rows.append({
            "source": source, "measure": ALONE, "gain": right, "expected": np.nan, "said": claimed.sum() / n, "weight": view.weight,
        })  # fmt: skip
    return rows


def named_rate(oracle: Oracle, counts: np.ndarray) -> float:
    """Return how often a report gets the right name from somebody with a register of everybody, exactly.

    It is the mean, over reports of nobody in particular, of how much likelier the report is from its best cell, over n.

    Parameters
    ----------
    oracle : Oracle
        The randomizer.
    counts : array (L,)
        People in each cell.

    Examples
    --------
    With everybody in a cell of her own it is how often the cell is guessed:

    >>> from calm_core.oracles import GRR
    >>> oracle = GRR(epsilon=1.0, size=6)
    >>> round(named_rate(oracle, np.ones(6)), 4), round(named_rate(oracle, np.full(6, 50)), 4)
    (0.3522, 0.007)
    """
    n = counts.sum()
    if oracle.size == 1:
        return 1 / n
    occupied, size = np.asarray(counts) > 0, oracle.size
    if isinstance(oracle, Parity):
        size = oracle.class_oracle.size
        occupied = np.bincount(oracle.classes, weights=occupied, minlength=size) > 0
    cells = int(occupied.sum())
    if oracle.independent_bits:
        chance, none = oracle.q, (1 - oracle.q) ** cells
    else:
        width = support_size(oracle)
        chance = width / size
        # No set of that width has room beside the cells that hold people, or some have.
        empty = size - cells
        none = math.comb(empty, width) / math.comb(size, width)
    inside, outside = oracle.p / chance, (1 - oracle.p) / (1 - chance)
    return float((inside * (1 - none) + outside * none) / n)


def measure_named(
    oracle: Oracle, counts: np.ndarray, people: int, *, rng: np.random.Generator
) -> tuple[float, float]:
    """Return how often simulated reports get the right name, the mean chance of a random name that fits, and its error.

    Every cell that holds anybody sends equally many reports, which count by its people.
    """
    n, occupied = counts.sum(), np.flatnonzero(counts)
    each, chances = -(-people // len(occupied)), []
    senders = np.repeat(occupied, each)
    for part in np.split(senders, np.cumsum(blocks(len(senders), oracle.size))[:-1]):
        supported = oracle.supports(oracle.perturb(part, rng=rng))
        fitting = supported @ counts
        supports_sender = np.where(fitting > 0, supported[np.arange(len(part)), part], True)
        chances.append(counts[part] * supports_sender / np.where(fitting > 0, fitting, n))
    shares = np.concatenate(chances) * len(occupied) / n
    return float(shares.mean()), float(shares.std() / math.sqrt(len(shares)))
