"""What figures call their lines and axes is what they show; truth and release are never exchanged."""

import numpy as np
import pandas as pd
import pytest

from calm_core import Domain, Marginal
from calm_core.evaluation.metrics import METRICS, score, summarize_wrong
from calm_core.figures import errors, experiments, marginals, plan
from calm_core.figures.plan import estimates
from calm_core.planning.algorithm1 import choose_views

DOMAIN = Domain(("a", "b", "c"), (2, 3, 2))
# What a title must say of each measure, and may say of no other.
CALLED = {"sse": "SSE", "l1": "L1", "l2": "L2", "jensen_shannon": "Jensen-Shannon"}


def tables(seed: int, sizes=(2, 3, 2), names=("a", "b", "c")) -> tuple[Marginal, Marginal]:
    """A true and a reconstructed table that differ in every cell."""
    rng = np.random.default_rng(seed)
    domain = Domain(names, sizes)
    values = rng.dirichlet(np.ones(np.prod(sizes)), size=2).reshape(2, *sizes)
    return Marginal(domain, values[0]), Marginal(domain, values[1])


def named_traces(figure, name: str) -> np.ndarray:
    """The heights of all bars of one name, panel after panel."""
    return np.concatenate([np.asarray(trace.y) for trace in figure.data if trace.name == name])


@pytest.mark.parametrize("sizes", [(3,), (2, 3), (2, 3, 2)])
def test_bars_called_true_are_true_and_released_ones_released(sizes):
    truth, answer = tables(1, sizes, ("a", "b", "c")[: len(sizes)])
    table = marginals.compare_cells(truth, answer)
    assert table["true"].tolist() == truth.values.ravel().tolist()
    assert table["estimate"].tolist() == answer.values.ravel().tolist()
    figure = marginals.marginal_bars(table, truth.attrs)
    assert named_traces(figure, "True").tolist() == truth.values.ravel().tolist()
    assert named_traces(figure, "Reconstructed").tolist() == answer.values.ravel().tolist()
    worst = np.abs(truth.values - answer.values).argmax()
    said = marginals.describe_bars(table, truth.attrs)
    assert f"{truth.values.ravel()[worst]:.1%} is true" in said
    assert f"{answer.values.ravel()[worst]:.1%} was reconstructed" in said


def test_points_stand_at_the_true_share_across_and_the_released_one_up():
    truth, answer = tables(2, (10, 9), ("a", "b"))
    figure = marginals.marginal_bars(marginals.compare_cells(truth, answer), ("a", "b"))
    assert figure.data[-1].mode == "markers"
    assert list(figure.data[-1].x) == truth.values.ravel().tolist()
    assert list(figure.data[-1].y) == answer.values.ravel().tolist()
    assert figure.layout.xaxis.title.text.startswith("true")
    assert figure.layout.yaxis.title.text.startswith("reconstructed")
    assert "true %{x:.2%}, reconstructed %{y:.2%}" in figure.data[-1].hovertemplate


def test_the_first_chart_shows_released_bars_and_true_marks():
    truth, answer = tables(5, (2, 3), ("a", "b"))
    figure = estimates(answer.values, truth, list("abcdef"))
    shown = {trace.name: np.asarray(trace.y, float).tolist() for trace in figure.data}
    true = [name for name in shown if name.lower().startswith("true")]
    assert true and all(shown[name] == truth.values.ravel().tolist() for name in true)
    rest = [shown[name] for name in shown if name not in true]
    assert answer.values.ravel().tolist() in rest


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
    table = plan.table_of_choices(2**16, 8)
    heat = plan.choices_map(table).data[0]
    choice = choose_views(2**16, (2,) * 8, 1.0, 3, 1e-3)
    at = plan.TABLE_KS.index(3), plan.TABLE_EPSILONS.index(1.0)
    assert choice.l != choice.m
    assert heat.text[at[0]][at[1]] == f"{choice.l}, {choice.m}" and heat.z[at[0]][at[1]] == choice.l
    rows = pd.DataFrame(
        [{"n": 65536, "d": 8, "k": 3, "epsilon": 1.0, "l": choice.l, "m": choice.m}]
    )
    heat = experiments.choices_table(rows).data[0]
    assert heat.text[0][0] == f"{choice.l}, {choice.m}" and heat.z[0][0] == choice.l


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
