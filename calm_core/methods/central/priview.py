"""PriView: noisy views from a covering design, made consistent (Qardaji et al., SIGMOD 2014)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from calm_core._checks import choice_checker, count_checker, optional_checker
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.designs.covering import covering_size, find_covering
from calm_core.designs.mixed_covering import find_mixed_covering
from calm_core.errors import InfeasibleError, InputError
from calm_core.inference.consistency import MAX_ROUNDS, ConsistentMarginals, make_consistent
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction.answers import RECONSTRUCTION
from calm_core.methods.base import ViewsAnswer, option
from calm_core.methods.central.base import MAX_TOTAL_CELLS, CentralTablesMethod
from calm_core.planning.plan import ViewPlan, measure_interactions
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain

MIN_ERROR, MAX_ERROR = 0.001, 0.003
# A view of 24 binary attributes is already larger than any table the library makes.
MAX_VIEW_SIZE = 24


def view_noise_error(n: int, d: int, epsilon: float, l: float, w: int) -> float:  # noqa: E741
    """Return the noise error of a pair of attributes, in fractions (PriView equation 5).

    Examples
    --------
    >>> [round(view_noise_error(900_000, 32, 1.0, 8, w), 5) for w in (20, 106, 620)]
    [0.00047, 0.00109, 0.00263]
    """
    pairs = w * d * (d - 1) / (l * (l - 1)) if l > 1 else w * d
    return 2 ** ((l + 1) / 2) / (n * epsilon) * math.sqrt(pairs)


@dataclass(frozen=True, eq=False)
class PriViewAnswer(ViewsAnswer):
    """Noisy views of a trusted curator, and the inference from them."""

    trust: ClassVar[str] = "central"


@dataclass(frozen=True)
class PriView(CentralTablesMethod):
    """PriView with every option its paper varies.

    Attributes
    ----------
    view_size : int
        Attributes per view, l in the paper, which recommends 8. Where attributes have more than two values,
        views are limited to as many cells instead, after the paper's table for b values.
    t : int or None
        Every t attributes share a view; None lets the error rule choose 2, 3 or 4.
    nonnegativity, rounds, reconstruction
        As in CALM; the paper's are one round of "ripple" and "maxent".
    """

    view_size: int = option(count_checker(1, MAX_VIEW_SIZE), 8)
    t: int | None = option(optional_checker(count_checker()), None)
    nonnegativity: str = option(choice_checker(NONNEGATIVITY), "ripple")
    rounds: int = option(count_checker(0, MAX_ROUNDS), 1)
    reconstruction: str = option(choice_checker(RECONSTRUCTION), "maxent")
    name: ClassVar[str] = "priview"
    title: ClassVar[str] = "PriView"
    summary: ClassVar[str] = (
        "Noisy views from a covering design, made consistent; every k-way table follows "
        "(Qardaji et al.)."
    )

    def __post_init__(self):
        super().__post_init__()
        if self.t is not None and self.t > self.view_size:
            raise InputError(
                f"t ({self.t}) must be at most the view size, {self.view_size}; "
                "views hold no more attributes together"
            )

    @property
    def is_nonnegative(self) -> bool:
        """Whether negative cells are removed in any round."""
        return super().is_nonnegative and self.rounds > 0

    def plan(self, domain: Domain, n: int) -> ViewPlan:
        """Choose the views (PriView section 4.5; section 4.7 if attributes are not binary)."""
        if set(domain.sizes) != {2}:
            return self._plan_by_cells(domain, n)
        d, l = domain.d, min(self.view_size, domain.d)  # noqa: E741
        orders = range(min(2, l), min(4, l) + 1) if self.t is None else [min(self.t, l)]
        considered = []
        for t in orders:
            checkpoint()
            w = covering_size(d, l, t)
            considered.append((t, w, view_noise_error(n, d, self.record_epsilon, l, w)))
        t, _, error = choose_order(considered)
        blocks = find_covering(d, l, t)
        views = tuple(domain.canonical(domain.names[i] for i in block) for block in blocks)
        return ViewPlan(views, t, error)

    def _plan_by_cells(self, domain: Domain, n: int) -> ViewPlan:
        mean_size = math.exp(sum(map(math.log, domain.sizes)) / domain.d)
        # The paper's ranges for b = 2..5 (100-1000 up to 250-5000) have geometric means near this.
        cells = round(2**self.view_size * max(1.0, mean_size / 2) ** 1.4)
        t = min(2 if self.t is None else self.t, domain.d)
        blocks = find_mixed_covering(domain.sizes, cells, t)
        views = tuple(domain.canonical(domain.names[i] for i in block) for block in blocks)
        length = sum(map(len, views)) / len(views)
        error = view_noise_error(n, domain.d, self.record_epsilon, length, len(views))
        return ViewPlan(views, t, error)

    def analytical_sse(self, domain, n, attrs, *, truth=None) -> float:
        """Return the expected SSE from noise alone, before negative cells are removed, in fractions squared."""
        plan = self.plan(domain, n)
        variance = plan.m**2 * self.unit_variance / n**2
        (parts,) = measure_interactions(domain, plan.views, [variance] * plan.m, [attrs])
        # What no view holds is rebuilt, which has an error of its own.
        measured = (parts.precisions > 0) & (parts.order > 0)
        return float((parts.dims[measured] / parts.precisions[measured]).sum() / parts.cells[0])

    def infer(self, noisy: NoisyMarginals) -> ConsistentMarginals:
        """Return consistent, non-negative views; sees noisy tables only."""
        return make_consistent(
            noisy,
            nonnegativity=self.nonnegativity,
            rounds=self.rounds,
            reconstruction=self.reconstruction,
        )

    def release(self, dataset, *, rng, notify=None) -> PriViewAnswer:
        """Plan, add Lap(w/epsilon) to every view's counts, infer."""
        plan = self._checked_plan(dataset.domain, dataset.n)
        scales = [plan.m / self.record_epsilon] * plan.m
        noisy = self.measure(dataset, plan.views, scales, rng=rng)
        return PriViewAnswer(plan, noisy, self.infer(noisy))

    def check(self, domain, n) -> None:
        """Refuse data that `release` would refuse."""
        self._checked_plan(domain, n)

    def _checked_plan(self, domain: Domain, n: int) -> ViewPlan:
        super().check(domain, n)
        plan = self.plan(domain, n)
        cells = sum(domain.cells_of(view) for view in plan.views)
        if cells > MAX_TOTAL_CELLS:
            raise InfeasibleError(
                f"PriView would release {plan.m:,} views with {cells:,} cells, more than "
                f"{MAX_TOTAL_CELLS:,}; use a smaller t or view size"
            )
        return plan


def choose_order(considered: Sequence[tuple[int, int, float]]) -> tuple[int, int, float]:
    """Return the (t, w, error) to use: the smallest t whose error is in 0.001..0.003, the paper's rule.

    If there is none, the largest t below the range, else the smallest t.

    Examples
    --------
    >>> choose_order([(2, 20, 0.00047), (3, 106, 0.0011), (4, 620, 0.0026)])
    (3, 106, 0.0011)
    >>> choose_order([(2, 20, 0.0047), (3, 106, 0.011)])
    (2, 20, 0.0047)
    """
    inside = [row for row in considered if MIN_ERROR <= row[2] <= MAX_ERROR]
    below = [row for row in considered if row[2] < MIN_ERROR]
    if inside:
        return inside[0]
    return below[-1] if below else considered[0]
