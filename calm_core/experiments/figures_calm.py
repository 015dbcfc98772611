"""The figures of the CALM paper: data, methods and settings of each, and how it is drawn."""

import math
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from calm_core.errors import InputError
from calm_core.evaluation.metrics import summarize
from calm_core.experiments.classification import (
    ClassificationSpec,
    default_label,
    draw_classifiers,
    select_features,
)
from calm_core.experiments.figure import (
    EPSILONS,
    USERS,
    Drawing,
    Figure,
    Settings,
)
from calm_core.experiments.spec import ExperimentSpec, MethodSpec
from calm_core.planning.algorithm1 import choose_views, noise_error

PAIRS = ((8, 3), (16, 3), (16, 6), (32, 3), (32, 6), (32, 8))
LOCAL = "calm,fc,am,ft,em,uni"
# CALM section 5.2: EM takes too long for queries of more attributes.
MAX_K = {"em": 3}


def select_pairs(settings: Settings) -> list[tuple[int, int]]:
    """The pairs (d, k) of the settings, or those of the paper for which the data has enough attributes."""
    max_d = settings.records.domain.d
    if not settings.ds and not settings.ks:
        return [(d, k) for d, k in PAIRS if d <= max_d] or [(max_d, min(3, max_d))]
    ds = settings.ds or (max_d,)
    for k in settings.ks:
        if k > max(ds):
            raise InputError(f"k ({k}) must be at most {max(ds)}, the number of attributes d")
    return [(d, k) for d in ds for k in settings.ks or (min(3, d),) if k <= d]


def sse_over_epsilon(settings: Settings, methods: str = LOCAL) -> list[ExperimentSpec]:
    """Figures 4 and 5: every method over epsilon, for each d, k and n."""
    specs = settings.select_methods(methods)
    return [
        settings.spec([m for m in specs if k <= MAX_K.get(m.name, k)], ds=(d,), ks=(k,))
        for d, k in select_pairs(settings)
    ]


def smaller_queries(settings: Settings) -> list[ExperimentSpec]:
    """CALM configured for k with queries of fewer attributes, beside CALM configured for those."""
    d = settings.choose_d(16)
    ks = settings.ks or [k for k in (3, 6, 8) if k <= d]
    specs = []
    for query_size in ks[:-1] or ks:
        made_for = [k for k in ks if k >= query_size]
        methods = [
            MethodSpec("calm", {"theta": settings.theta, "k": k}, f"CALM made for k = {k}")
            for k in made_for
        ]
        specs.append(settings.spec(methods, ds=(d,), ks=(query_size,)))
    return specs


def heatmap_choices(settings: Settings) -> dict[float, tuple[int, int]]:
    """The pair (l, m) of Algorithm 1 at every epsilon of the heatmaps."""
    domain, d, k, n = _heatmap_point(settings)
    choices = {}
    for epsilon in settings.epsilons or (0.2, 1.0, 2.0):
        choice = choose_views(n, domain.sizes[:d], epsilon, k, settings.theta)
        choices[epsilon] = (choice.l, choice.m)
    return choices


def _heatmap_point(settings: Settings):
    d = settings.choose_d(8)
    k = max(settings.ks, default=min(3, d))
    return settings.records.domain, d, k, max(settings.ns, default=USERS[0])


def heatmaps(settings: Settings) -> list[ExperimentSpec]:
    """SSE of CALM for every (l, m) of a grid that includes the choices of Algorithm 1."""
    _, d, k, n = _heatmap_point(settings)
    choices = heatmap_choices(settings)
    ls = {*range(2, min(7, d) + 1), *(l for l, _ in choices.values())}  # noqa: E741
    max_views = 2 * max(m for _, m in choices.values())
    ladder = np.geomspace(math.ceil(d / 2), max(max_views, d), 7).round().astype(int).tolist()
    ms = {*ladder, *(m for _, m in choices.values())}
    methods = [
        MethodSpec("calm", {"l": l, "m": m, "theta": settings.theta}, f"l={l} m={m}")
        for l in sorted(ls)  # noqa: E741
        for m in sorted(ms)
        if math.ceil(d / l) <= m <= math.comb(d, l)
    ]
    return [settings.spec(methods, epsilons=tuple(choices), ds=(d,), ks=(k,), ns=(n,))]


def classifiers(settings: Settings) -> list[ClassificationSpec]:
    """A support vector machine on synthetic rows, against the true marginal and the majority.

    Users are drawn or duplicated to 2^16 and 2^18 as in the other figures. With the few rows of many
    data sets, theta leaves CALM so few pairs to ask about that it predicts the majority, and FT can
    err less although its table is further from the truth. Measured on NLTCS (d = 16, k = 5,
    epsilon = 2, 20 repetitions; NoNoise errs on 0.18, Majority on 0.45):

    | n, theta | pairs CALM asks about | SSE of CALM; of FT | CALM errs on | FT errs on |
    |---|---|---|---|---|
    | 17,260, 0.001 | 17 of 120 | 0.083; 0.135 | 0.40 +- 0.03 | 0.34 +- 0.03 |
    | 17,260, 0.01 | all | 0.014; 0.135 | 0.26 +- 0.01 | the same |
    | 65,536, 0.001 | 65 of 120 | 0.034; 0.054 | 0.26 +- 0.02 | 0.28 +- 0.01 |
    | 262,144, 0.001 | all | 0.003; 0.018 | 0.21 +- 0.01 | 0.25 +- 0.01 |
    """
    label = settings.label or default_label(settings.records, settings.features)
    features = select_features(settings.records, label, settings.features)
    return [
        ClassificationSpec(
            settings.records, label, features, settings.select_methods("calm,fc,am,ft"),
            settings.epsilons or EPSILONS, n, settings.repetitions, settings.seed,
            settings.data_name,
        )
        for n in settings.ns or USERS
    ]  # fmt: skip


def noise_table(settings: Settings) -> pd.DataFrame:
    """Figure 3: k NE over epsilon for l = 2 to 8; n = 2^16, d = 8, k = 3 unless given."""
    n, d = max(settings.ns, default=USERS[0]), max(settings.ds, default=8)
    k = max(settings.ks, default=3)
    epsilons = settings.epsilons or tuple(np.round(np.arange(0.2, 2.01, 0.1), 1).tolist())
    rows = [
        {"n": n, "d": d, "k": k, "l": l, "epsilon": e, "k_ne": k * noise_error(n, d, e, l, 2**l)}
        for l in range(2, min(8, d) + 1)  # noqa: E741
        for e in epsilons
    ]
    return pd.DataFrame(rows)


def choice_table(settings: Settings) -> pd.DataFrame:
    """Table 2: (l, m) of Algorithm 1 over epsilon for each n, d and k."""
    rows = []
    grid = product(settings.ns or USERS, settings.ds or (8, 16, 32), settings.ks or range(3, 9))
    for n, d, k in grid:
        for epsilon in settings.epsilons or EPSILONS:
            choice = choose_views(n, (2,) * d, epsilon, k, settings.theta)
            rows.append(
                {"n": n, "d": d, "k": k, "epsilon": epsilon, "l": choice.l, "m": choice.m,
                 "branch": choice.branch}
            )  # fmt: skip
    return pd.DataFrame(rows)


def draw_noise(table: pd.DataFrame, settings: Settings) -> Drawing:
    """A line for every l, and theta."""
    from calm_core.figures.experiments import noise_over_epsilon

    caption = "Noise error of a k-way marginal; Algorithm 1 takes views whose line is below theta."
    return [(noise_over_epsilon(table, settings.theta), caption)], None


def draw_choices(table: pd.DataFrame, settings: Settings) -> Drawing:
    """Table 2 as a figure."""
    from calm_core.figures.plan import choices_map

    return [(choices_map(table), "View size l and number of views m.")], None


def draw_heatmaps(table: pd.DataFrame, settings: Settings) -> Drawing:
    """Mean SSE of every pair, a star at Algorithm 1's."""
    from calm_core.figures.experiments import view_heatmaps

    pairs = table["method"].str.extract(r"l=(?P<l>\d+) m=(?P<m>\d+)").astype(int)
    maps = view_heatmaps(table.join(pairs), heatmap_choices(settings))
    caption = "Mean SSE of CALM for each pair; the star is Algorithm 1's choice."
    return [(maps, caption)], summarize(table)


# Settings that formulas for binary attributes do not use.
UNUSED_BY_FORMULAS = ("data", "methods", "repetitions", "queries", "seed", "label", "features")
CALM_FIGURES = {
    "fig3": Figure(
        "Noise error k·NE over epsilon for each l", False, UNUSED_BY_FORMULAS, ("ds", "ks", "ns"),
        table=noise_table, draw=draw_noise,
    ),
    "table2": Figure(
        "The pair (l, m) of Algorithm 1", False, UNUSED_BY_FORMULAS, table=choice_table, draw=draw_choices
    ),
    "fig4": Figure("SSE over epsilon, binary data", specs=sse_over_epsilon),
    "fig5": Figure(
        "SSE over epsilon, non-binary data", most_values=3, specs=partial(sse_over_epsilon, methods=f"{LOCAL},calm_binary")
    ),
    "heatmap": Figure(
        "SSE over (l, m), the pair of Algorithm 1 marked", True, ("methods", "label", "features"),
        ("ds", "ks", "ns"), specs=heatmaps, draw=draw_heatmaps,
    ),
    "smaller-k": Figure(
        "CALM configured for k, with queries of fewer attributes", True, ("methods", "label", "features"), ("ds",),
        specs=smaller_queries,
    ),
    "priview": Figure(
        "CALM against PriView with a trusted curator", specs=partial(sse_over_epsilon, methods="calm,priview,uni")
    ),
    "calm-plus": Figure(
        "CALM+ against CALM",
        specs=partial(sse_over_epsilon, methods="calm,calm_plus,calm_plus:oracle=best,calm_plus:design=optimal"),
    ),
    "classification": Figure(
        "Misclassification over epsilon", True, ("ds", "ks", "queries"), most_values=3, specs=classifiers,
        draw=draw_classifiers,
    ),
}  # fmt: skip
