"""The figures of the PriView paper (SIGMOD 2014, section 5): settings of each, and how it is drawn."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from calm_core.designs.covering import covering_size
from calm_core.evaluation.metrics import summarize
from calm_core.experiments.figure import (
    BOXES_CAPTION,
    Drawing,
    Figure,
    Settings,
)
from calm_core.experiments.spec import ExperimentSpec, MethodSpec, Point
from calm_core.ingest.populations import make_mchain
from calm_core.methods.central.priview import PriView
from calm_core.randomness import stream
from calm_core.tables.domain import choose_queries

EPSILONS = (1.0, 0.1)
# The Markov chains of section 5.
MCHAIN_BITS, MCHAIN_ORDERS, MCHAIN_USERS = 64, range(1, 8), 2**18
GAMMAS = {"1/2": 0.5, "1/4": 0.25, "1/8": 0.125}
EXPECTED_CAPTION = (
    "Expected: too large to run, a line at the root of the expected squared error, at most 1; "
    "its Jensen-Shannon divergence is not known."
)
# Unbiased methods whose error has a formula; too large to run on many attributes.
FORMULA_METHODS = ("direct", "fourier", "flat")


def priview_spec(t: int, l: int, label: str = "", **options) -> MethodSpec:  # noqa: E741
    """PriView with a covering design of strength t and views of l attributes."""
    return MethodSpec("priview", {"t": t, "view_size": l, **options}, label)


def experiment_on(
    settings: Settings,
    methods: Sequence[MethodSpec],
    d: int,
    ks: Sequence[int],
    epsilons=EPSILONS,
    **changes,
) -> ExperimentSpec:
    """One experiment on the first d attributes and all rows, as far as the settings do not differ."""
    d = min(max(settings.ds, default=d), settings.records.domain.d)
    ks = settings.ks or tuple(k for k in ks if k <= d)
    chosen = settings.select_methods("") if settings.methods else methods
    epsilons = settings.epsilons or epsilons
    return settings.spec(chosen, ds=(d,), ks=ks, ns=settings.ns, epsilons=epsilons, **changes)


def few_attributes(settings: Settings) -> list[ExperimentSpec]:
    """Figure 1: all methods on few attributes, with those that need the full table."""
    learning = [
        MethodSpec("learning", {"gamma": gamma, "noise": noise}, f"learning {text}{mark}")
        for text, gamma in GAMMAS.items()
        for noise, mark in (("laplace", ""), ("none", " without noise"))
    ]
    names = ("flat", "direct", "fourier", "fourier_lp", "datacube", "matrix", "mwem", "uni")
    methods = [MethodSpec("priview"), priview_spec(2, 6, "PriView C_2(6)"), *map(MethodSpec, names)]
    return [experiment_on(settings, [*methods, *learning], 9, (2, 4))]


def many_attributes(settings: Settings) -> list[ExperimentSpec]:
    """Figure 2: PriView on many attributes; C* is PriView without noise. See `add_expected_errors`."""
    methods = [
        *(priview_spec(t, 8, f"PriView C_{t}(8)") for t in (2, 3)),
        *(priview_spec(t, 8, f"PriView C*_{t}(8)", noise="none") for t in (2, 3)),
        *map(MethodSpec, ("direct", "fourier", "flat", "uni")),
    ]
    return [experiment_on(settings, methods, 45, (4, 6, 8))]


def add_expected_errors(table: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Replace failed rows of Direct, Fourier and Flat by rows with their expected error.

    The new column `basis` is "measured", "expected", or empty if there is no error. As in the paper,
    the expected L2 error is the root of the expected squared error, without any non-negativity step,
    capped at 1; the other measures have no formula.
    """
    (spec,) = many_attributes(settings)
    methods = {method.label: method for method in spec.methods}
    names = settings.records.domain.names
    basis = pd.Series("measured", table.index).where(table["sse"].notna())
    parts = [table.assign(basis=basis)]
    for i, row in table[table["reason"].notna()].iterrows():
        if methods[row["method"]].name not in FORMULA_METHODS:
            continue
        d, k, n = (int(row[name]) for name in ("d", "k", "n"))
        method, domain = methods[row["method"]].make(row["epsilon"], k), settings.records.domain
        domain = domain.project(names[:d])
        queries = spec.choose_queries(Point(d, k, n), int(row["repetition"]))
        errors = [method.analytical_sse(domain, n, query) for query in queries]
        if None in errors:
            continue
        part = pd.DataFrame([row] * len(queries), index=[i] * len(queries))
        part["query"], part["attributes"] = range(len(queries)), ["|".join(q) for q in queries]
        part["analytical_sse"], part["basis"] = errors, "expected"
        part["l2"] = [min(1.0, math.sqrt(error)) for error in errors]
        part["sse"] = part["l2"] ** 2
        part["reason"] = f"{row['reason']}; its expected error is shown"
        parts = [parts[0].drop(index=i), *parts[1:], part]
    # By index, in the places of the rows that they replace.
    whole = pd.concat([part.astype(object) for part in parts]).sort_index(kind="stable")
    return whole.reset_index(drop=True).infer_objects()


def _default_strength(settings: Settings) -> int:
    d = min(max(settings.ds, default=32), settings.records.domain.d)
    return 3 if d <= 32 else 2


def reconstructions(settings: Settings) -> list[ExperimentSpec]:
    """Figure 3: linear programs, least squares and maximum entropy; CME* without noise."""
    t = _default_strength(settings)
    methods = [
        *(
            priview_spec(t, 8, label, reconstruction=name)
            for label, name in (("LP", "lp"), ("CLP", "clp"), ("CLN", "cln"), ("CME", "maxent"))
        ),
        priview_spec(t, 8, "CME*", noise="none"),
    ]
    return [experiment_on(settings, methods, 32, (4, 6, 8), (1.0,))]


def nonnegativities(settings: Settings) -> list[ExperimentSpec]:
    """Figure 4: ways to treat negative cells."""
    t = _default_strength(settings)
    variants = (
        ("None", "none", 1), ("Simple", "simple", 1), ("Global", "global", 1),
        ("Ripple_1", "ripple", 1), ("Ripple_3", "ripple", 3), ("Norm-Sub", "norm_sub", 1),
    )  # fmt: skip
    methods = [
        priview_spec(t, 8, a, nonnegativity=name, rounds=rounds) for a, name, rounds in variants
    ]
    return [experiment_on(settings, methods, 32, (4, 6, 8), (1.0,))]


def chains(settings: Settings) -> list[ExperimentSpec]:
    """Figure 5: Markov chains of order 1 to 7 with C_2(8) and queries of neighboring attributes."""
    methods = [priview_spec(2, 8, "PriView C_2(8)")]
    n, specs = max(settings.ns, default=MCHAIN_USERS), []
    for order in MCHAIN_ORDERS:
        data = make_mchain(order, MCHAIN_BITS, n, stream(settings.seed, "mchain", order))
        # The order is the data's name.
        made = replace(settings, data=data, data_name=str(order))
        specs.append(
            experiment_on(made, methods, MCHAIN_BITS, (4, 6, 8), (1.0,), query_kind="consecutive")
        )
    return specs


def designs(settings: Settings) -> list[ExperimentSpec]:
    """Figure 6: covering designs of strength 2 and 3 with views of 6 to 11 attributes."""
    d = min(max(settings.ds, default=32), settings.records.domain.d)
    sizes = [l for l in (6, 7, 8, 9, 10, 11) if l < d] or [d]  # noqa: E741
    methods = [
        priview_spec(t, l, f"C_{t}({l},{covering_size(d, l, t)})")
        for t in (2, 3)
        for l in sizes  # noqa: E741
    ]
    return [experiment_on(settings, methods, d, (4,))]


def running_times(settings: Settings) -> pd.DataFrame:
    """Seconds for a synopsis, one 6-way and one 8-way marginal (PriView section 4.6)."""
    full = settings.records.domain
    rows = []
    for d in [d for d in settings.ds or (32, 45) if d <= full.d] or [full.d]:
        data = settings.records.select(full.names[:d])
        for t in (2, 3):
            method = PriView(epsilon=1.0, k=min(6, d), t=t)
            rng = stream(settings.seed, "times", d, t)
            method.release(data, rng=rng).marginal(data.domain.names[: min(3, d)])
            started = time.perf_counter()
            answer = method.release(data, rng=rng)
            seconds = {"synopsis": time.perf_counter() - started}
            for k in (6, 8):
                if k <= d:
                    (query,) = choose_queries(data.domain, k, 1, rng=rng)[:1]
                    started = time.perf_counter()
                    answer.marginal(query)
                    seconds[f"query of {k}"] = time.perf_counter() - started
            known = {"d": d, "n": data.n, "t": t, "l": answer.plan.l, "views": answer.plan.m}
            rows += [known | {"step": step, "seconds": s} for step, s in seconds.items()]
    return pd.DataFrame(rows)


def draw_boxes(
    table: pd.DataFrame,
    settings: Settings,
    values=("l2",),
    across="epsilon",
    by: Sequence[str] = (),
) -> Drawing:
    """Boxes of each error measure of every method, and the summary of the first, also split by the columns `by`."""
    from calm_core.figures import experiments as draw

    titles = {"l2": "L2 error", "jensen_shannon": "Jensen-Shannon divergence (nats)"}
    split = [name for name in ("d", "k", "epsilon") if name != across]
    drawn = [
        (
            draw.candlesticks(table, value, title=titles[value], across=across, split=split),
            BOXES_CAPTION,
        )
        for value in values
    ]
    return drawn, summarize(table, values[0], ["method", *by, across, *split, "n"])


def draw_with_expected(table: pd.DataFrame, settings: Settings) -> Drawing:
    """L2 error and Jensen-Shannon divergence; expected errors are labeled."""
    expected = table["basis"] == "expected"
    named = table.assign(method=table["method"].mask(expected, table["method"] + " (expected)"))
    drawn, summary = draw_boxes(named, settings, ("l2", "jensen_shannon"), by=("basis",))
    return [(figure, f"{words} {EXPECTED_CAPTION}") for figure, words in drawn], summary


def draw_chains(table: pd.DataFrame, settings: Settings) -> Drawing:
    """L2 error over the order of the chain."""
    return draw_boxes(table.rename(columns={"data": "order"}), settings, across="order")


def draw_times(table: pd.DataFrame, settings: Settings) -> Drawing:
    """Seconds of each step."""
    from calm_core.figures import experiments as draw

    return [(draw.seconds_of_steps(table), "Seconds on this machine.")], table


# A method that has a theta gets it with its name, as in calm:theta=0.01.
UNUSED, SINGLE = ("theta", "label", "features"), ("ds",)
PRIVIEW_FIGURES = {
    "priview-fig1": Figure(
        "All methods on few attributes", True, UNUSED, SINGLE, specs=few_attributes, draw=draw_boxes
    ),
    "priview-fig2": Figure(
        "PriView on many attributes", True, UNUSED, SINGLE, specs=many_attributes, complete=add_expected_errors,
        draw=draw_with_expected,
    ),
    "priview-fig3": Figure(
        "Ways to reconstruct", True, UNUSED, SINGLE, specs=reconstructions, draw=draw_boxes
    ),
    "priview-fig4": Figure(
        "Ways to treat negative cells", True, UNUSED, SINGLE, specs=nonnegativities, draw=draw_boxes
    ),
    "priview-fig5": Figure(
        "Markov chains, PriView", False, ("data", *UNUSED), SINGLE, specs=chains, draw=draw_chains
    ),
    "priview-fig6": Figure("Covering designs", True, UNUSED, SINGLE, specs=designs, draw=draw_boxes),
    "priview-times": Figure(
        "Running times", True, (*UNUSED, "epsilons", "ks", "ns", "methods", "repetitions", "queries"),
        table=running_times, draw=draw_times,
    ),
}  # fmt: skip
