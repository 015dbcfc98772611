"""Asked again: the same people are asked every day, and the attacker keeps all of their reports."""

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from calm_core._checks import check_fraction, count_checker
from calm_core.attacks.base import Attack, AttackResult, Defense, Population
from calm_core.attacks.daily_reports import (
    DailyReports,
    Fresh,
    Loloha,
    Memoized,
    MemoizedGRR,
    Rappor,
)
from calm_core.attacks.guessing import blocks, guess_cells, log_prior
from calm_core.attacks.view_shares import ViewShares, list_views
from calm_core.methods.base import option
from calm_core.oracles import GRR, Oracle
from calm_core.planning.plan import Plan
from calm_core.runtime.cancellation import checkpoint

MAX_DAYS, MAX_SIMULATED = 30, 10**6
# Days in the table; about as many of more.
SHOWN_DAYS = 12
# What is counted: best guesses that are right, and people seen to have moved to another cell.
GUESS, MOVE = "right guess", "move seen"


@dataclass(frozen=True)
class AskedAgain(Attack):
    """Guess the cells of people who report every day, from all of their reports so far.

    The gain is the share of people whose cell the best guess hits after the last day if every report has fresh noise; the
    bound is the same by formula, see `repeated_hit_rate`. The defenses are memoized reports (by the plan's oracle, or by
    randomized response), and the two rounds of RAPPOR and LOLOHA. People whose cells never change are guessed. Of people
    who change, memoized reports show it: another report than on the first day means another cell. With two rounds
    no single report shows it.

    Attributes
    ----------
    days : int
        Number of days, T.
    first : float
        Budget of one day's report with two rounds, as a share of the plan's epsilon, which the permanent report has.
    change : float
        Chance of a person to move to another cell from one day to the next, for what memoized reports show of it.
    people : int
        Number of simulated people.

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
    >>> found = AskedAgain(days=20, people=2000).run(plan, rng=rng)
    >>> round(found.gain, 2), round(found.bound, 3), round(found.defense.gain, 2)
    (0.79, 0.798, 0.26)
    """

    days: int = option(count_checker(1, MAX_DAYS), 10)
    first: float = option(
        lambda name, value: check_fraction(name, value, remedy="0.5 is usual", one=False), 0.5
    )
    change: float = option(
        lambda name, value: check_fraction(name, value, remedy="0.05 is one day in 20"), 0.05
    )
    people: int = option(count_checker(1, MAX_SIMULATED), 5000)
    name: ClassVar[str] = "asked-again"
    title: ClassVar[str] = "Asked again"
    summary: ClassVar[str] = "Asks the same people every day and keeps all of their reports."

    def run(
        self, plan: Plan, population: Population | None = None, *, rng: np.random.Generator
    ) -> AttackResult:
        """As `Attack.run`; the table has a row per way to report, day and measure.

        Its columns are `way`; `day`, the number of days so far; `measure`, "right guess" or "move seen"; `gain`, the measured
        share of people, and `expected`, by formula, for right guesses; `budget` and `budget_changing`, the total budget of
        somebody whose cell never changes, or changes often; and `variance`, that of one day's table over that of fresh
        reports.
        """
        rows = defaultdict(lambda: np.zeros(5))
        for view in list_views(plan, population, self.people, rng=rng):
            plain = Fresh(view.oracle).variance
            for way in self._ways(view.oracle):
                checkpoint()
                found = self._measure(way, view, rng)
                for (measure, day), (hits, expected) in found.items():
                    budgets = (way.budget(day, changing=changing) for changing in (False, True))
                    more = way.variance / plain if plain else 1.0
                    weighted = view.weight * np.array([expected, *budgets, more])
                    rows[way.name, day, measure] += [hits / self.people, *weighted]
        columns = ["gain", "expected", "budget", "budget_changing", "variance"]
        table = pd.DataFrame(rows, index=columns).T.rename_axis(["way", "day", "measure"])
        return self._describe(table.reset_index())

    def _describe(self, table: pd.DataFrame) -> AttackResult:
        """The result from the table."""
        guessed = table[table["measure"] == GUESS].set_index(["way", "day"])
        last = guessed.xs(self.days, level="day")
        fresh, once = last.loc[Fresh.name], guessed.loc[(Fresh.name, 1)]
        # Of equally good defenses the one with the least errors.
        defenses = last.drop(Fresh.name).assign(left=last["expected"].round(3))
        best = defenses.sort_values(["left", "variance"]).iloc[0]
        gain = float(fresh["gain"])
        return AttackResult(
            attack=self.name, gain=gain, standard_error=float(np.sqrt(gain * (1 - gain) / self.people)),
            bound=float(fresh["expected"]),
            defense=Defense(
                str(best.name), float(best["gain"]),
                f"With {best.name} the guess is right for {100 * best['gain']:.3g} of 100 people after {self.days} days, at a "
                f"total budget of {best['budget']:.3g}; the variance of a day's table is {best['variance']:.2g} times as large.",
            ),
            sentence=f"After {self.days} days of fresh reports the best guess is right for {100 * gain:.3g} of 100 people, after "
            f"the first for {100 * once['gain']:.3g}; the total budget is {fresh['budget']:.3g}.",
            table=table,
        )  # fmt: skip

    def _ways(self, oracle: Oracle) -> list[DailyReports]:
        """Every way to report on a view."""
        found: list[DailyReports] = [Fresh(oracle)]
        if oracle.size > 1:
            epsilon, cells = oracle.epsilon, oracle.size
            found += [
                Memoized(oracle), MemoizedGRR(GRR(epsilon, cells)), Rappor(epsilon, cells, self.first),
                Loloha(epsilon, cells, self.first),
            ]  # fmt: skip
        return found

    def _measure(
        self, way: DailyReports, view: ViewShares, rng: np.random.Generator
    ) -> dict[tuple[str, int], tuple[int, float]]:
        """Right guesses and moves seen by each day in the table: measured numbers and expected shares."""
        shown = show_days(self.days)
        right, seen = np.zeros((2, self.days), dtype=np.int64)
        for part in blocks(view.people, view.oracle.size):
            cells = rng.choice(view.oracle.size, size=part, p=view.shares)
            days = way.log_odds(cells, self.days, rng=rng)
            for day, scores in enumerate(days, start=1):
                if day in shown:
                    guess = guess_cells(scores + log_prior(view.shares), rng=rng)
                    right[day - 1] += (guess == cells).sum()
            if isinstance(way, Memoized):
                seen += way.measure_seen(cells, self.change, self.days, rng=rng)
        found = {
            (GUESS, day): (int(right[day - 1]), way.hit_rate(view.shares, day)) for day in shown
        }
        if isinstance(way, Memoized):
            for day in shown:
                found[MOVE, day] = int(seen[day - 1]), math.nan
        return found


def show_days(days: int) -> list[int]:
    """Days in a table: all, or about 12 of many, the first and the last among them.

    Examples
    --------
    >>> show_days(3), show_days(30)
    ([1, 2, 3], [1, 2, 3, 5, 6, 9, 12, 16, 22, 30])
    """
    if days <= SHOWN_DAYS:
        return list(range(1, days + 1))
    return np.unique(np.geomspace(1, days, SHOWN_DAYS).round().astype(int)).tolist()
