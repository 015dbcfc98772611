"""What figures call their lines and axes is what they show; truth and release are never exchanged."""

import numpy as np
import pandas as pd
import pytest

from calm_core import Domain, Marginal
from calm_core.evaluation.metrics import METRICS, score, summarize_wrong
from calm_core.experiments.figure import Settings
from calm_core.experiments.figures_calm import choice_table
from calm_core.figures import errors, experiments, plan
from calm_core.planning.algorithm1 import choose_views

DOMAIN = Domain(("a", "b", "c"), (2, 3, 2))
# What a title must say of each measure, and may say of no other.
CALLED = {"sse": "SSE", "l1": "L1", "l2": "L2", "jensen_shannon": "Jensen-Shannon"}


def tables(seed: int) -> tuple[Marginal, Marginal]:
    """A true and a reconstructed table that differ in every cell."""
    rng = np.random.default_rng(seed)
    values = rng.dirichlet(np.ones(12), size=2).reshape(2, *DOMAIN.sizes)
    return Marginal(DOMAIN, values[0]), Marginal(DOMAIN, values[1])


def says(text: str, metric: str) -> bool:
    """Whether a title names this measure and no other."""
    return [name for name, called in CALLED.items() if called in text] == [metric]


@pytest.mark.parametrize("metric", METRICS)
def test_the_scale_of_pairs_names_the_measure_shown(metric):
    assert set(CALLED) == set(METRICS) == set(errors.METRIC_TITLES)
    rows = [tables(i) for i in range(3)]
    scores = score([t for t, _ in rows], [a for _, a in rows], [True] * 3)
    pairs = scores.assign(attributes=[("a", "b"), ("a", "c"), ("b", "c")])
    figure = errors.pair_heatmap(pairs, ("a", "b", "c"), metric)
    heat = figure.data[0]
    assert says(heat.colorbar.title.text, metric)
    shown = [heat.z[0][1], heat.z[0][2], heat.z[1][2]]
    np.testing.assert_allclose(np.power(10.0, shown), np.maximum(pairs[metric], 10.0**heat.zmin))
    assert (heat.zmin, heat.zmax) == (-7, 0), "the same color means the same error in every figure"


GRID = pd.DataFrame({"l": [2, 2, 3], "m": [6, 15, 4], "sse": [0.2, 0.3, 0.1]})


def test_the_papers_heatmap_has_the_same_axes():
    table = GRID.assign(epsilon=1.0, method="calm", repetition=0)
    figure = experiments.view_heatmaps(table, {1.0: (2, 15)})
    heat, star = figure.data
    assert list(heat.x) == ["4", "6", "15"] and list(heat.y) == ["2", "3"]
    assert heat.customdata[0][1] == 0.2 and heat.customdata[1][0] == 0.1
    assert (star.x[0], star.y[0]) == ("15", "2")
    assert figure.layout.xaxis.title.text == "views m"
    assert figure.layout.yaxis.title.text == "attributes per view l"
    assert heat.hovertemplate.startswith("l = %{y}, m = %{x}") and says(
        heat.colorbar.title.text, "sse"
    )


def test_table_2_names_l_before_m():
    choice = choose_views(2**16, (2,) * 8, 1.0, 3, 1e-3)
    assert choice.l != choice.m
    for ns in ((2**16,), (2**16, 2**18)):
        table = choice_table(Settings(ns=ns, ds=(8,)))
        heat = plan.choices_map(table).data[0]
        at = next(i for i, name in enumerate(heat.y) if name.endswith("k = 3")), heat.x.index("1")
        assert heat.text[at[0]][at[1]] == f"{choice.l}, {choice.m}"
        assert heat.z[at[0]][at[1]] == choice.l and len(heat.y) == 6 * len(ns)


def test_axes_of_the_papers_figures_say_sse_and_those_of_comparisons_people():
    rows = [("calm", "local", 1.0, 0, 0.2), ("calm", "local", 2.0, 0, 0.1)]
    scores = pd.DataFrame(rows, columns=["method", "trust", "epsilon", "repetition", "sse"])
    methods = errors.method_curves(summarize_wrong(scores.assign(l1=[0.4, 0.2])), {})
    assert methods.layout.yaxis.title.text == "people of 100 in the wrong cell"
    assert list(methods.data[1].y) == [20.0, 10.0]
    table = scores.assign(data="", d=4, k=2, n=10, l1=[0.6, 0.5])
    lines = experiments.lines_over_epsilon(table)
    boxes = experiments.candlesticks(table)
    assert list(lines.data[0].y) == [0.2, 0.1]
    for figure in (lines, boxes):
        assert says(figure.layout.yaxis.title.text, "sse")
