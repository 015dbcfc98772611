"""What dividing the users among kinds of reports can gain, for who knows how strong interactions are."""

from collections.abc import Iterator, Mapping

import pandas as pd

from calm_core.experiments.figure import SETTING, USERS, Drawing, Figure, Settings, format_setting
from calm_core.planning.allocation import optimize_division
from calm_core.planning.optimal_design import STRENGTHS, Strength
from calm_core.tables.domain import Domain

EPSILONS = (0.2, 0.5, 1.0, 2.0)
ATTRIBUTES, KS = 8, (2, 3)
# What is supposed of people nobody knows, and the dense people of `limit`, whose pairs have nothing in common.
KNOWN: Mapping[str, Strength] = {
    **dict(zip(("usual", "a quarter of it", "four times it", "nearly all one"), STRENGTHS)),
    "dense": (0.02, 0.003, 1e-9),
}
VARIANTS = {
    "optimal": 'design="optimal"', "known": "strengths known", "least": "no private reports below",
}  # fmt: skip


def division_ratios(settings: Settings) -> pd.DataFrame:
    """Expected error as a share of that from CALM's views, by what is known; computed, nothing is drawn.

    Of three divisions: the one of `design="optimal"`, the best for who knows the strength, and what by the
    bound on the information of a private report no reports at all can go below.
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
                        told, known = best.problem.precision.T @ shares, float(best.ratios[0])
                        found = (best.problem.ratios(told)[0], known, known * (1 - best.bound))
                        setting = dict(zip(SETTING, (name, domain.d, k, n, epsilon)))
                        rows += [
                            setting | {"variant": variant, "ratio": float(ratio)}
                            for variant, ratio in zip(VARIANTS, found)
                        ]
    return pd.DataFrame(rows)


def _domains(settings: Settings) -> Iterator[Domain]:
    """The first attributes of the data, or as many yes/no attributes: before a report only sizes count."""
    for d in settings.ds or (ATTRIBUTES,):
        if settings.data is None:
            yield Domain(tuple(f"a{i}" for i in range(d)), (2,) * d)
        else:
            held = settings.data.domain
            yield held.project(held.names[:d])


def draw_divisions(table: pd.DataFrame, settings: Settings) -> Drawing:
    """The shares over epsilon."""
    from calm_core.figures.calm_plus import ratios_over_epsilon

    figure = ratios_over_epsilon(table.assign(stderr=0.0), VARIANTS, "CALM's views")
    caption = (
        "Expected mean SSE as a share of that from CALM's views, for people of five kinds; computed for an "
        "answer that knows how strong interactions are, at equally frequent cells."
    )
    return [(figure, caption)], table


def division_findings(table: pd.DataFrame, settings: Settings) -> Mapping[str, str]:
    """The three shares of every setting."""
    found = {}
    for _, part in table.groupby(SETTING, sort=False):
        one = dict(zip(part["variant"], part["ratio"]))
        setting = part.to_dict("records")[0]
        found[f"{setting['data']}, {format_setting(setting)}"] = (
            f"{one['optimal']:.3f} of the error from CALM's views; {one['known']:.3f} for who knows the strength, "
            f"{one['least']:.3f} is below what any private reports reach"
        )
    return found


DESIGN_FIGURES = {
    "designs": Figure(
        "Gain of dividing the users among kinds of reports, and its bound", False,
        ("methods", "repetitions", "queries", "seed", "label", "features"), table=division_ratios, draw=draw_divisions, findings=division_findings,
    ),
}  # fmt: skip
