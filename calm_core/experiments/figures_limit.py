"""The error of CALM+ and CALM against the best possible answer to the same reports.

The Bayes optimum knows which attributes interact and how strongly; "without being told" it does not.
"""

from collections.abc import Iterator, Mapping

import pandas as pd

from calm_core.evaluation.bayes_optimum import (
    DENSE,
    SPARSE,
    Dependence,
    Optimum,
    dependence_of,
    find_optimum,
)
from calm_core.experiments.figure import SETTING, USERS, Drawing, Figure, Settings, format_setting
from calm_core.methods import METHODS
from calm_core.planning.plan import make_plan
from calm_core.randomness import stream
from calm_core.tables.domain import Domain
from calm_core.tables.queries import choose_queries

EPSILONS = (0.2, 0.5, 1.0, 2.0)
# Number of attributes: binary ones without data, or the first of the data.
ATTRIBUTES = 8
MEASURED = ("untold_expected", "calm_plus", "calm")
ERRORS = ("best", "untold", *MEASURED)
UNTOLD = "Best without being told"
TITLES = {name: METHODS[name].title if name in METHODS else UNTOLD for name in MEASURED}


def _populations(settings: Settings) -> Iterator[tuple[str, Domain, Dependence]]:
    """Yield name, attributes and dependence: of the data, or of the dense and the sparse population."""
    for d in settings.ds or (ATTRIBUTES,):
        if settings.data is None:
            domain = Domain(tuple(f"a{i}" for i in range(d)), (2,) * d)
            yield from (("dense", domain, DENSE), ("sparse", domain, SPARSE))
            continue
        data = settings.data.select(settings.data.domain.names[: min(d, settings.data.domain.d)])
        whole = data.marginal(data.domain.names)
        yield settings.data_name, data.domain, dependence_of(whole, data.n)


def limit_errors(settings: Settings) -> pd.DataFrame:
    """Mean SSE of the optimum, of the best without being told, of CALM+ and of CALM; one row per repetition."""
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
    """Errors as multiples of the optimum's and of the best without being told, with standard errors.

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
    from calm_core.figures.calm_plus import ratios_over_epsilon

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
            text += f", {row['of_untold']:.3f} +- {row['of_untold_stderr']:.3f} times the best without being told"
        findings[f"{TITLES[row['variant']]}, {row['data']}, {format_setting(row)}"] = text
    return findings


LIMIT_FIGURES = {
    "limit": Figure(
        "Error of CALM+ and CALM as a multiple of the best possible", False, ("methods", "label", "features"),
        table=limit_errors, draw=draw_limit, findings=limit_findings,
    ),
}  # fmt: skip
