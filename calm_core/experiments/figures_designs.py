"""How much an optimal division of the users among kinds of reports can gain over CALM's views."""

from collections.abc import Iterator, Mapping

import pandas as pd

from calm_core.experiments.figure import SETTING, USERS, Drawing, Figure, Settings, format_setting
from calm_core.planning.allocation import optimize_division
from calm_core.planning.optimal_design import STRENGTHS, Strength
from calm_core.tables.domain import Domain

EPSILONS = (0.2, 0.5, 1.0, 2.0)
ATTRIBUTES, KS = 8, (2, 3)
# Strengths of interactions: those assumed for unknown data, and the dense population of `limit`, without any.
KNOWN: Mapping[str, Strength] = {
    **dict(zip(("usual", "a quarter of it", "four times it", "nearly all one"), STRENGTHS)),
    "dense": (0.02, 0.003, 1e-9),
}
VARIANTS = {
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
                    asked = {"epsilon": epsilon, "k": k, "theta": settings.theta}
                    shares = optimize_division(domain, n, **asked).shares
                    for name, strength in KNOWN.items():
                        best = optimize_division(domain, n, **asked, strengths=(strength,))
                        precision, known = best.problem.precision.T @ shares, float(best.ratios[0])
                        found = (best.problem.ratios(precision)[0], known, known * (1 - best.bound))
                        setting = dict(zip(SETTING, (name, domain.d, k, n, epsilon)))
                        rows += [
                            setting | {"variant": variant, "ratio": float(ratio)}
                            for variant, ratio in zip(VARIANTS, found)
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
    from calm_core.figures.calm_plus import ratios_over_epsilon

    figure = ratios_over_epsilon(table.assign(stderr=0.0), VARIANTS, "CALM's views")
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


DESIGN_FIGURES = {
    "designs": Figure(
        "Gain of dividing the users among kinds of reports, and its bound", False,
        ("methods", "repetitions", "queries", "seed", "label", "features"), table=division_ratios, draw=draw_divisions, findings=division_findings,
    ),
}  # fmt: skip
