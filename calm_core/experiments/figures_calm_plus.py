"""The figures of CALM+: its error against CALM and against the best possible answer, and the gain of its design.

The Bayes optimum knows which attributes interact and how strongly; "without knowing" it does not.
"""

import math
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
import pandas as pd

from calm_core.evaluation.bayes_optimum import (
    DENSE,
    SPARSE,
    Dependence,
    Optimum,
    dependence_of,
    find_optimum,
)
from calm_core.evaluation.metrics import ratio_of_means, sse
from calm_core.evaluation.run import use_rows
from calm_core.experiments.figure import SETTING, USERS, Drawing, Figure, Settings, format_setting
from calm_core.ingest.populations import make_mchain, make_population
from calm_core.methods import METHODS, CalmPlus
from calm_core.planning.optimal_design import STRENGTHS, Strength, optimize_division
from calm_core.planning.plan import make_plan
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain, choose_queries
from calm_core.tables.population import People

EPSILONS = (0.2, 0.5, 1.0, 2.0)
POPULATIONS = ("mchain2", "mchain3", "chain2", "factor")
# "estimator" uses the same reports as CALM; the others collect their own.
VARIANTS = {
    "estimator": CalmPlus,
    "oracle": partial(CalmPlus, oracle="best"),
    "design": partial(CalmPlus, design="optimal"),
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
    for variant, make in VARIANTS.items():
        method = make(epsilon=epsilon, k=setting["k"], theta=settings.theta)
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
    from calm_core.figures.experiments import ratios_over_epsilon

    ratios = error_ratios(table)
    caption = "Mean SSE as a share of CALM's; bars: standard error over the repetitions."
    return [(ratios_over_epsilon(ratios), caption)], ratios


def ratio_findings(table: pd.DataFrame, settings: Settings) -> Mapping[str, str]:
    """The mean and the largest ratio of every variant, d and k, in words."""
    means = geometric_means(error_ratios(table))
    return {
        f"{variant}, d = {d}, k = {k}": (
            f"geometric mean {mean:.3f}, largest {largest:.3f}, {count} settings"
        )
        for variant, d, k, mean, largest, count in means.itertuples(index=False)
    }


# Number of attributes: binary ones without data, or the first of the data.
ATTRIBUTES = 8
MEASURED = ("untold_expected", "calm_plus", "calm")
ERRORS = ("best", "untold", *MEASURED)
UNTOLD = "Best without knowing"
TITLES = {name: METHODS[name].title if name in METHODS else UNTOLD for name in MEASURED}


def _populations(settings: Settings) -> Iterator[tuple[str, Domain, Dependence]]:
    """Yield name, attributes and dependence: of the data, or of the dense and the sparse population."""
    for domain in _domains(settings):
        if settings.data is None:
            yield from (("dense", domain, DENSE), ("sparse", domain, SPARSE))
        else:
            whole = settings.data.marginal(domain.names)
            yield settings.data_name, domain, dependence_of(whole, settings.data.n)


def limit_errors(settings: Settings) -> pd.DataFrame:
    """Mean SSE of the optimum, of the best without knowing, of CALM+ and of CALM; one row per repetition."""
    rows = []
    for name, domain, dependence in _populations(settings):
        for k in settings.ks or (min(3, domain.d),):
            for n in settings.ns or USERS[:1]:
                for epsilon in settings.epsilons or EPSILONS:
                    rng = stream(settings.seed, 0, "limit", name, domain.d, k, n, f"{epsilon:g}")
                    plan = make_plan(domain, n, epsilon=epsilon, k=k, theta=settings.theta, rng=rng)
                    queries = choose_queries(domain, k, settings.queries, rng=rng)
                    errors = find_optimum(
                        plan, dependence, queries, repetitions=settings.repetitions, rng=rng,
                        untold=True,
                    )  # fmt: skip
                    setting = dict(zip(SETTING, (name, domain.d, k, n, epsilon)))
                    columns = (getattr(errors, name) for name in ERRORS)
                    rows += [
                        setting | {"repetition": i} | dict(zip(ERRORS, values))
                        for i, values in enumerate(zip(*columns))
                    ]
    return pd.DataFrame(rows)


def limit_ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Errors as multiples of the optimum's and of the best without knowing, with standard errors.

    Examples
    --------
    >>> rows = [["dense", 8, 3, 100, 1.0, i, 1.0, 1.0, 1.0, s, 2.0] for i, s in enumerate((1.1, 1.3))]
    >>> ratios = limit_ratios(pd.DataFrame(rows, columns=[*SETTING, "repetition", *ERRORS]))
    >>> ratios[["variant", "ratio", "stderr"]].round(3).values.tolist()
    [['untold_expected', 1.0, 0.0], ['calm_plus', 1.2, 0.1], ['calm', 2.0, 0.0]]
    """
    rows = []
    for _, part in table.groupby(SETTING, sort=False):
        setting = pd.DataFrame(part, columns=SETTING).to_dict("records")[0]
        errors = Optimum(**{name: tuple(part[name]) for name in ERRORS})
        for name in MEASURED:
            ratios = (*errors.ratio(name), *errors.ratio(name, of="untold"))
            named = zip(("ratio", "stderr", "of_untold", "of_untold_stderr"), ratios)
            rows.append(setting | {"variant": name, **dict(named)})
    return pd.DataFrame(rows)


def draw_limit(table: pd.DataFrame, settings: Settings) -> Drawing:
    """The multiples over epsilon, and their table."""
    from calm_core.figures.experiments import ratios_over_epsilon

    ratios = limit_ratios(table)
    figure = ratios_over_epsilon(ratios, TITLES, "best possible")
    caption = (
        "Mean SSE as a multiple of the Bayes optimum's, which knows which sets of attributes interact, and how "
        "strongly; bars: standard error over the repetitions."
    )
    return [(figure, caption)], ratios


def limit_findings(table: pd.DataFrame, settings: Settings) -> Mapping[str, str]:
    """Every multiple with its standard error."""
    findings = {}
    for row in limit_ratios(table).to_dict("records"):
        text = f"{row['ratio']:.3f} +- {row['stderr']:.3f} times the best possible"
        if row["variant"] in METHODS:
            text += f", {row['of_untold']:.3f} +- {row['of_untold_stderr']:.3f} times the best without knowing"
        findings[f"{TITLES[row['variant']]}, {row['data']}, {format_setting(row)}"] = text
    return findings


KS = (2, 3)
# Strengths of interactions: those assumed for unknown data, and the dense population of `limit`, without any.
KNOWN: Mapping[str, Strength] = {
    **dict(zip(("usual", "a quarter of it", "four times it", "nearly all one"), STRENGTHS)),
    "dense": (0.02, 0.003, 1e-9),
}
DIVISIONS = {
    "optimal": 'design="optimal"', "known": "strengths known", "least": "no private reports below",
}  # fmt: skip


def division_ratios(settings: Settings) -> pd.DataFrame:
    """Expected error as a share of that from CALM's views, by the strength of interactions; nothing is drawn.

    Of three divisions: `design="optimal"`, the best one if the strength is known, and a lower bound for any
    private reports, from the information that a report can have.
    """
    rows = []
    for domain in _domains(settings):
        for k in settings.ks or dict.fromkeys(min(k, domain.d) for k in KS):
            for n in settings.ns or USERS[:1]:
                for epsilon in settings.epsilons or EPSILONS:
                    divide = partial(
                        optimize_division, domain, n, epsilon=epsilon, k=k, theta=settings.theta
                    )
                    shares = divide().shares
                    for name, strength in KNOWN.items():
                        best = divide(strengths=(strength,))
                        precision, known = best.problem.precision.T @ shares, float(best.ratios[0])
                        found = (best.problem.ratios(precision)[0], known, known * (1 - best.bound))
                        setting = dict(zip(SETTING, (name, domain.d, k, n, epsilon)))
                        rows += [
                            setting | {"variant": variant, "ratio": float(ratio)}
                            for variant, ratio in zip(DIVISIONS, found)
                        ]
    return pd.DataFrame(rows)


def _domains(settings: Settings) -> Iterator[Domain]:
    """Yield the first attributes of the data, or as many binary attributes."""
    for d in settings.ds or (ATTRIBUTES,):
        if settings.data is None:
            yield Domain(tuple(f"a{i}" for i in range(d)), (2,) * d)
        else:
            domain = settings.data.domain
            yield domain.project(domain.names[:d])


def draw_divisions(table: pd.DataFrame, settings: Settings) -> Drawing:
    """The shares over epsilon."""
    from calm_core.figures.experiments import ratios_over_epsilon

    figure = ratios_over_epsilon(table.assign(stderr=0.0), DIVISIONS, "CALM's views")
    caption = (
        "Expected mean SSE as a share of that from CALM's views, for five strengths of interactions; computed "
        "for an answer that knows the strength, at equally frequent cells."
    )
    return [(figure, caption)], table


def division_findings(table: pd.DataFrame, settings: Settings) -> Mapping[str, str]:
    """The three shares of every setting."""
    findings = {}
    for _, part in table.groupby(SETTING, sort=False):
        ratios = dict(zip(part["variant"], part["ratio"]))
        setting = part.to_dict("records")[0]
        findings[f"{setting['data']}, {format_setting(setting)}"] = (
            f"{ratios['optimal']:.3f} of the error from CALM's views; {ratios['known']:.3f} if the strength is "
            f"known; no private reports can reach {ratios['least']:.3f}"
        )
    return findings


CALM_PLUS_FIGURES = {
    "calm-plus": Figure(
        "Error of CALM+ as a share of CALM's", False, ("methods", "label", "features"), table=paired_errors, draw=draw_ratios,
        findings=ratio_findings,
    ),
    "designs": Figure(
        "Gain of dividing the users among kinds of reports, and its bound", False,
        ("methods", "repetitions", "queries", "seed", "label", "features"), table=division_ratios, draw=draw_divisions, findings=division_findings,
    ),
    "limit": Figure(
        "Error of CALM+ and CALM as a multiple of the best possible", False, ("methods", "label", "features"),
        table=limit_errors, draw=draw_limit, findings=limit_findings,
    ),
}  # fmt: skip
