"""The figures of the PriView paper (SIGMOD 2014, section 5): settings of each, and how it is drawn."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from calm_core.evaluation.metrics import summarize
from calm_core.experiments.figure import (
    BOXES_CAPTION,
    Drawing,
    Figure,
    Settings,
)
from calm_core.experiments.spec import ExperimentSpec, Point
from calm_core.ingest.populations import make_mchain
from calm_core.randomness import stream

EPSILONS = (1.0, 0.1)
# The Markov chains of section 5.
MCHAIN_BITS, MCHAIN_ORDERS, MCHAIN_USERS = 64, range(1, 8), 2**18
GAMMAS = (0.5, 0.25, 0.125)
# The methods of every figure. Designs are C_t(view_size); with noise=none they are the paper's C* and CME*.
FEW_ATTRIBUTES = (
    "priview", "priview:t=2:view_size=6", "flat", "direct", "fourier", "fourier_lp", "datacube", "matrix", "mwem", "uni",
    *(f"learning:gamma={gamma}:noise={noise}" for gamma in GAMMAS for noise in ("laplace", "none")),
)  # fmt: skip
MANY_ATTRIBUTES = (
    *(f"priview:t={t}:noise={noise}" for noise in ("laplace", "none") for t in (2, 3)), "direct", "fourier", "flat", "uni",
)  # fmt: skip
RECONSTRUCTIONS = (
    *(f"priview:t=3:reconstruction={name}" for name in ("lp", "clp", "cln", "maxent")), "priview:t=3:noise=none",
)  # fmt: skip
NONNEGATIVITIES = (
    *(f"priview:t=3:nonnegativity={name}" for name in ("none", "simple", "global", "ripple", "norm_sub")),
    "priview:t=3:nonnegativity=ripple:rounds=3",
)  # fmt: skip
# Those of them that are too large to run on many attributes, but whose expected error has a formula.
FORMULA_METHODS = ("direct", "fourier", "flat")
EXPECTED_CAPTION = (
    "Expected: too large to run, a line at the root of the expected squared error, at most 1; "
    "its Jensen-Shannon divergence is not known."
)
DESIGN_SIZES = (6, 7, 8, 9, 10, 11)


def experiment_on(
    settings: Settings,
    methods: Sequence[str],
    d: int,
    ks: Sequence[int],
    epsilons=EPSILONS,
    **changes,
) -> list[ExperimentSpec]:
    """One experiment on the first d attributes and all rows, as far as the settings do not differ."""
    d = settings.choose_d(d)
    ks = settings.ks or tuple(k for k in ks if k <= d)
    specs = settings.select_methods(",".join(methods))
    epsilons = settings.epsilons or epsilons
    return [settings.spec(specs, ds=(d,), ks=ks, ns=settings.ns, epsilons=epsilons, **changes)]


many_attributes = partial(experiment_on, methods=MANY_ATTRIBUTES, d=45, ks=(4, 6, 8))


def add_expected_errors(table: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """The table with rows of the expected error in place of those of Direct, Fourier and Flat that could not run."""
    (spec,) = many_attributes(settings)
    methods = {
        method.label: method for method in settings.select_methods(",".join(MANY_ATTRIBUTES))
    }
    basis = pd.Series("measured", table.index).where(table["sse"].notna())
    parts = [table.assign(basis=basis)]
    for i, row in table[table["reason"].notna()].iterrows():
        if methods[row["method"]].name not in FORMULA_METHODS:
            continue
        point = Point(*(int(row[name]) for name in ("d", "k", "n")))
        method = methods[row["method"]].make(row["epsilon"], point.k)
        domain = settings.records.domain.project(settings.records.domain.names[: point.d])
        queries = spec.choose_queries(point, int(row["repetition"]))
        formulas = [method.analytical_sse(domain, point.n, query) for query in queries]
        errors = np.array(formulas, dtype=float)
        if np.isnan(errors).any():
            continue
        expected = row.to_dict() | {
            "query": range(len(queries)), "attributes": ["|".join(query) for query in queries],
            "analytical_sse": errors, "sse": np.minimum(errors, 1), "l2": np.sqrt(np.minimum(errors, 1)),
            "basis": "expected", "reason": f"{row['reason']}; its expected error is shown",
        }  # fmt: skip
        parts = [parts[0].drop(index=i), *parts[1:], pd.DataFrame(expected, [i] * len(queries))]
    # By index, in the places of the rows that they replace.
    completed = pd.concat([part.astype(object) for part in parts]).sort_index(kind="stable")
    return completed.reset_index(drop=True).infer_objects()


def chains(settings: Settings) -> list[ExperimentSpec]:
    """Figure 5: Markov chains of order 1 to 7 with C_2(8) and queries of neighboring attributes."""
    n, specs = max(settings.ns, default=MCHAIN_USERS), []
    for order in MCHAIN_ORDERS:
        data = make_mchain(order, MCHAIN_BITS, n, stream(settings.seed, "mchain", order))
        # The order is the data's name.
        with_data = replace(settings, data=data, data_name=str(order))
        specs += experiment_on(
            with_data, ["priview:t=2"], MCHAIN_BITS, (4, 6, 8), (1.0,), query_kind="consecutive"
        )
    return specs


def designs(settings: Settings) -> list[ExperimentSpec]:
    """Figure 6: covering designs of strength 2 and 3 with views of 6 to 11 attributes."""
    d = settings.choose_d(32)
    sizes = [l for l in DESIGN_SIZES if l < d] or [d]  # noqa: E741
    methods = [f"priview:t={t}:view_size={l}" for t in (2, 3) for l in sizes]  # noqa: E741
    return experiment_on(settings, methods, d, (4,))


def draw_boxes(
    table: pd.DataFrame, settings: Settings, values=("l2",), across="epsilon"
) -> Drawing:
    """Boxes of each error measure of every method, and the summary of the first."""
    from calm_core.figures import experiments as draw

    titles = {"l2": "L2 error", "jensen_shannon": "Jensen-Shannon divergence (nats)"}
    split = [name for name in ("d", "k", "epsilon") if name != across]
    figures = [
        (
            draw.candlesticks(table, value, title=titles[value], across=across, split=split),
            BOXES_CAPTION,
        )
        for value in values
    ]
    return figures, summarize(table, values[0], ["method", across, *split, "n"])


def draw_with_expected(table: pd.DataFrame, settings: Settings) -> Drawing:
    """L2 error and Jensen-Shannon divergence; methods with expected errors are labeled."""
    expected = table["basis"] == "expected"
    named = table.assign(method=table["method"].mask(expected, table["method"] + " (expected)"))
    figures, summary = draw_boxes(named, settings, ("l2", "jensen_shannon"))
    return [(figure, f"{words} {EXPECTED_CAPTION}") for figure, words in figures], summary


def draw_chains(table: pd.DataFrame, settings: Settings) -> Drawing:
    """L2 error over the order of the chain."""
    return draw_boxes(table.rename(columns={"data": "order"}), settings, across="order")


# A method that has a theta gets it with its name, as in calm:theta=0.01.
UNUSED = ("theta", "label", "features")
USUAL = Figure("", ignores=UNUSED, single=("ds",), draw=draw_boxes)
PRIVIEW_FIGURES = {
    "priview-fig1": replace(
        USUAL, title="All methods on few attributes", specs=partial(experiment_on, methods=FEW_ATTRIBUTES, d=9, ks=(2, 4))
    ),
    "priview-fig2": replace(
        USUAL, title="PriView on many attributes", specs=many_attributes, complete=add_expected_errors,
        draw=draw_with_expected,
    ),
    "priview-fig3": replace(
        USUAL, title="Ways to reconstruct",
        specs=partial(experiment_on, methods=RECONSTRUCTIONS, d=32, ks=(4, 6, 8), epsilons=(1.0,)),
    ),
    "priview-fig4": replace(
        USUAL, title="Ways to treat negative cells",
        specs=partial(experiment_on, methods=NONNEGATIVITIES, d=32, ks=(4, 6, 8), epsilons=(1.0,)),
    ),
    "priview-fig5": replace(
        USUAL, title="Markov chains, PriView", needs_data=False, ignores=("data", *UNUSED), specs=chains, draw=draw_chains
    ),
    "priview-fig6": replace(USUAL, title="Covering designs", specs=designs),
}  # fmt: skip
