"""The figure of CALM+ against CALM: the ratio of their errors, on the same reports and with its own designs."""

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from calm_core.evaluation.metrics import ratio_of_means, sse
from calm_core.evaluation.run import use_rows
from calm_core.experiments.figure import SETTING, USERS, Drawing, Figure, Settings
from calm_core.ingest.populations import make_mchain, make_population
from calm_core.methods import CalmPlus
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
from calm_core.tables.population import People
from calm_core.tables.queries import choose_queries

EPSILONS = (0.2, 0.5, 1.0, 2.0)
POPULATIONS = ("mchain2", "mchain3", "chain2", "factor")
# "estimator" uses the same reports as CALM; the others collect their own.
VARIANTS = {
    "estimator": {},
    "oracle": {"oracle": "best"},
    "design": {"design": "optimal"},
    "design in two phases": {"design": "two_phase"},
}
COVERED_QUERIES = 10


def population(name: str, d: int, n: int, rng: np.random.Generator) -> Dataset:
    """One of `POPULATIONS`: PriView's Markov chains, a copying chain, or attributes with a common hidden bit."""
    if name.startswith("mchain"):
        return make_mchain(int(name[-1]), d, n, rng)
    if name == "chain2":
        return make_population(kind="chain", d=d, n=n, order=2, strength=0.7, rng=rng)
    rates = tuple((1 - r, r) for r in rng.uniform(0.2, 0.8, d))
    return make_population(kind="factor", d=d, n=n, strength=0.6, rates=rates, rng=rng)


def _repetitions(settings: Settings) -> Iterator[tuple[dict, People]]:
    """Yield every setting and repetition with its rows."""
    data = settings.data
    names = POPULATIONS if data is None else (settings.data_name,)
    ds = {d if data is None else min(d, data.domain.d) for d in settings.ds or (8, 16)}
    for name in names:
        for d in sorted(ds):
            for n in settings.ns or USERS:
                for repetition in range(settings.repetitions):
                    rng = stream(settings.seed, repetition, name, d, n)
                    if data is None:
                        rows = population(name, d, n, rng)
                    else:
                        part = data.select(data.domain.names[:d])
                        rows = use_rows(part, n, settings.seed, repetition)
                    yield {"data": name, "d": d, "n": n, "repetition": repetition}, rows


def paired_errors(settings: Settings) -> pd.DataFrame:
    """Mean SSE of CALM+ and of CALM per repetition, and the coverage of the intervals.

    Returns
    -------
    DataFrame
        One row per setting, repetition and variant: `sse`, `calm_sse` (both means over the
        queries), and for the estimator `coverage`, the share of cells inside their 95% interval.
    """
    errors = []
    for setting, rows in _repetitions(settings):
        for k in settings.ks or (3,):
            rng = stream(settings.seed, setting["repetition"], "queries", rows.domain.d, k)
            queries = choose_queries(rows.domain, k, settings.queries, rng=rng)
            truths = rows.marginals(queries)
            for epsilon in settings.epsilons or EPSILONS:
                errors += _variants(settings, {**setting, "k": k}, rows, queries, truths, epsilon)
    columns = [*SETTING, "repetition", "variant", "sse", "calm_sse", "coverage"]
    return pd.DataFrame(errors)[columns]


def _variants(settings, setting, rows, queries, truths, epsilon) -> Iterator[dict]:
    calm_sse = math.nan
    for variant, options in VARIANTS.items():
        method = CalmPlus(epsilon=epsilon, k=setting["k"], theta=settings.theta, **options)
        rng = stream(settings.seed, setting["repetition"], variant)
        answer = method.release(rows, rng=rng)
        coverage = math.nan
        if variant == "estimator":
            calm_sse = _mean_sse(truths, answer.views.marginals(queries))
            coverage = float(np.mean(list(_inside(truths, answer, queries))))
        yield {
            **setting, "epsilon": epsilon, "variant": variant,
            "sse": _mean_sse(truths, answer.marginals(queries)), "calm_sse": calm_sse,
            "coverage": coverage,
        }  # fmt: skip


def _mean_sse(truths, answers) -> float:
    return float(np.mean([sse(truth, answer) for truth, answer in zip(truths, answers)]))


def _inside(truths, answer, queries) -> Iterator[float]:
    """Yield the share of cells inside their interval, for the first few queries."""
    for truth, query in zip(truths[:COVERED_QUERIES], queries):
        low, high = answer.interval(query)
        inside = (truth.values >= low - 1e-12) & (truth.values <= high + 1e-12)
        yield float(inside.mean())


def error_ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Ratio of mean SSE, CALM+ to CALM, with its standard error (`ratio_of_means`), per setting and variant.

    Examples
    --------
    >>> rows = [["x", 8, 3, 100, 1.0, i, "estimator", s, 2.0, 0.95] for i, s in enumerate((1, 1.2))]
    >>> columns = [*SETTING, "repetition", "variant", "sse", "calm_sse", "coverage"]
    >>> ratios = error_ratios(pd.DataFrame(rows, columns=columns))
    >>> ratios[["ratio", "stderr"]].iloc[0].round(3).tolist()
    [0.55, 0.05]
    """

    def one(part: pd.DataFrame) -> pd.Series:
        ratio, stderr = ratio_of_means(list(part["sse"]), list(part["calm_sse"]))
        return pd.Series(
            {"calm_sse": part["calm_sse"].mean(), "ratio": ratio, "stderr": stderr, "coverage": part["coverage"].mean(),
             "repetitions": float(len(part))}
        )  # fmt: skip

    grouped = table.groupby([*SETTING, "variant"], sort=False)
    return grouped.apply(one, include_groups=False).reset_index()


def geometric_means(ratios: pd.DataFrame) -> pd.DataFrame:
    """Geometric mean and largest ratio over all settings, per variant, d and k."""
    logs = ratios.assign(log=np.log(ratios["ratio"]))
    means = logs.groupby(["variant", "d", "k"], sort=False).agg(
        log=("log", "mean"), largest=("ratio", "max"), settings=("ratio", "size")
    )
    means.insert(0, "geometric_mean", np.exp(means.pop("log")))
    return means.reset_index()


def draw_ratios(table: pd.DataFrame, settings: Settings) -> Drawing:
    """The ratios over epsilon, and their table."""
    from calm_core.figures.calm_plus import ratios_over_epsilon

    ratios = error_ratios(table)
    caption = "Mean SSE as a share of CALM's; bars: standard error over the repetitions."
    return [(ratios_over_epsilon(ratios), caption)], ratios


def ratio_findings(table: pd.DataFrame, settings: Settings) -> Mapping[str, str]:
    """The mean and the largest ratio of every variant, d and k, in words."""
    return {
        f"{row.variant}, d = {row.d}, k = {row.k}": (
            f"geometric mean {row.geometric_mean:.3f}, largest {row.largest:.3f}, "
            f"{row.settings} settings"
        )
        for row in geometric_means(error_ratios(table)).itertuples()
    }


CALM_PLUS_FIGURES = {
    "calm-plus": Figure(
        "Error of CALM+ as a share of CALM's", False, ("methods", "label", "features"), table=paired_errors, draw=draw_ratios,
        findings=ratio_findings,
    ),
}  # fmt: skip
