"""private-pgm: CALM's reports, inferred by the graphical model of McKenna, Sheldon and Miklau (ICML 2019).

The inference is the authors' own, from their library `mbi`, an optional dependency: other methods are
compared as published. Without the library the method is not available.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InfeasibleError, Toward
from calm_core.inference.shrinkage.interactions import full_tables_from_parities
from calm_core.methods.base import CollectedAnswer, CollectingMethod
from calm_core.planning.plan import Plan
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, uniform

# Requiring both excludes an unrelated package named mbi.
IS_INSTALLED = all(find_spec(name) is not None for name in ("jax", "mbi"))
# Limit on the cells of all cliques of the junction tree: the fit passes over them hundreds of times.
MAX_MODEL_CELLS = 2**20


def _load_mbi() -> Any:
    # Half a second and 200 MB, so imported late; single precision would affect the errors.
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    # The library warns that the cache would slow it down.
    jax.config.update("jax_enable_compilation_cache", False)
    return import_module("mbi")


def model_cells(domain: Domain, views: Iterable[tuple[str, ...]]) -> int:
    """Return the cells of the graphical model over these views: of all cliques of its junction tree."""
    mbi = _load_mbi()
    shape = mbi.Domain(domain.names, domain.sizes)
    tree, _ = mbi.junction_tree.make_junction_tree(shape, list(views))
    return sum(
        math.prod(domain.shape_of(clique)) for clique in mbi.junction_tree.maximal_cliques(tree)
    )


@dataclass(frozen=True, eq=False)
class PgmMarginals:
    """Marginals of a graphical model fitted to noisy views.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    model : mbi.MarkovRandomField or None
        The fitted model; None without reports.
    """

    domain: Domain
    model: Any

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`; a distribution."""
        attrs = self.domain.canonical(attrs)
        if self.model is None:
            return uniform(self.domain, attrs)
        domain = self.domain.project(attrs)
        cells = np.maximum(np.asarray(self.model.project(attrs).datavector(), dtype=float), 0.0)
        return Marginal(domain, cells.reshape(domain.sizes) / cells.sum())

    def marginals(self, queries: Iterable[Iterable[str]]) -> list[Marginal]:
        """Return the marginals of many queries."""
        return [self.marginal(query) for query in queries]


@dataclass(frozen=True, eq=False)
class PrivatePgmAnswer(CollectedAnswer):
    """The plan, the reports, and the graphical model inferred from them."""

    offers: ClassVar[frozenset[str]] = frozenset({"plan", "reports"})


@dataclass(frozen=True)
class PrivatePgm(CollectingMethod):
    """CALM's plan and reports; a Markov random field is fitted to the views by mirror descent.

    Attributes
    ----------
    theta, l, m, oracle, simulation
        As in `CollectingMethod`.

    Raises
    ------
    InfeasibleError
        Before anybody reports, if the junction tree of the views has more than 2^20 cells.

    References
    ----------
    McKenna, Sheldon, Miklau, ICML 2019 (arXiv 1901.09136); its library, https://github.com/ryan112358/mbi.
    """

    answer_type: ClassVar[type[CollectedAnswer]] = PrivatePgmAnswer
    name: ClassVar[str] = "pgm"
    title: ClassVar[str] = "private-pgm"
    summary: ClassVar[str] = (
        "CALM's reports, inferred by a graphical model (McKenna et al.), by its authors' library."
    )

    def plan(self, domain: Domain, n: int, *, rng) -> Plan:
        """Return CALM's plan, if the model of its views fits in memory."""
        plan = super().plan(domain, n, rng=rng)
        cells = model_cells(domain, plan.views)
        if cells > MAX_MODEL_CELLS:
            raise InfeasibleError(
                f"private-pgm would need a model of {cells:,} cells for {plan.m:,} views of {domain.d} "
                f"attributes, more than the limit of {MAX_MODEL_CELLS:,}; use fewer attributes or merge values",
                remedies=[("d", Toward.LESS), ("max_values", Toward.LESS)],
            )
        return plan

    def expected_errors(self, domain, n, queries, *, rng) -> None:
        """None: the gain of the fit over the views depends on the data."""
        return None

    def explain_unsupported(self, plan) -> str:
        """It answers from any plan of views whose model fits in memory."""
        cells = model_cells(plan.domain, plan.views)
        fits = cells <= MAX_MODEL_CELLS
        return "" if fits else f"its model of these views would have {cells:,} cells"

    def planned_errors(self, plan, queries) -> np.ndarray:
        """NaN: there is no formula, see `expected_errors`."""
        return np.full(len(queries), math.nan)

    def infer(self, noisy: NoisyMarginals) -> PgmMarginals:
        """Return the model fitted to all views with reports."""
        mbi, noisy = _load_mbi(), full_tables_from_parities(noisy)
        # A view without noise would have infinite weight.
        known = [
            mbi.LinearMeasurement(
                table.values.ravel(), table.attrs, stddev=math.sqrt(max(variance, 1e-12))
            )
            for table, variance in zip(noisy.tables, noisy.contrast_variances)
            if math.isfinite(variance)
        ]
        if not known:
            return PgmMarginals(noisy.domain, None)
        shape = mbi.Domain(noisy.domain.names, noisy.domain.sizes)
        model = mbi.estimation.MirrorDescent().estimate(shape, known, known_total=1.0)
        return PgmMarginals(noisy.domain, model)
