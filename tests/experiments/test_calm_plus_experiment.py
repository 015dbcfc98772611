"""The experiment of CALM+ against CALM, and its figures."""

from itertools import combinations

import pandas as pd
import pytest

from calm_core.experiments.figure import Settings
from calm_core.experiments.figures_calm_plus import (
    POPULATIONS,
    VARIANTS,
    error_ratios,
    geometric_means,
    paired_errors,
    population,
)
from calm_core.figures.experiments import TITLES, interaction, ratios_over_epsilon

SMALL = Settings(epsilons=(0.5, 2.0), ds=(4,), ns=(3000,), repetitions=2, queries=4)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return paired_errors(SMALL)


def test_one_row_per_setting_repetition_and_variant(table):
    assert len(table) == len(POPULATIONS) * 2 * 2 * len(VARIANTS)
    assert not table.duplicated(["data", "epsilon", "repetition", "variant"]).any()
    assert table["sse"].gt(0).all() and table["calm_sse"].gt(0).all()
    paired = table[table["variant"] == "estimator"]
    assert paired["coverage"].between(0.5, 1).all()
    # Every variant of a repetition is held against the same run of CALM.
    assert (table.groupby(["data", "epsilon", "repetition"])["calm_sse"].nunique() == 1).all()


def test_ratios_and_their_standard_errors(rng):
    calm = rng.gamma(20, 1, 400)
    rows = pd.DataFrame(
        {"data": "x", "d": 8, "k": 3, "n": 10, "epsilon": 1.0, "repetition": range(400),
         "variant": "estimator", "calm_sse": calm, "coverage": 0.9,
         "sse": 0.5 * calm * rng.normal(1, 0.2, 400)}
    )  # fmt: skip
    (found,) = error_ratios(rows).itertuples()
    assert abs(found.ratio - 0.5) < 4 * found.stderr
    assert found.stderr == pytest.approx(0.5 * 0.2 / 20, rel=0.2)
    both = pd.concat([rows, rows.assign(epsilon=2.0, sse=rows["sse"] * 4)])
    means = geometric_means(error_ratios(both))
    assert means["geometric_mean"][0] == pytest.approx(2 * found.ratio)
    assert means["largest"][0] == pytest.approx(4 * found.ratio)


@pytest.mark.parametrize("name", POPULATIONS)
def test_populations_have_correlation(name, rng):
    data = population(name, 5, 20_000, rng)
    pairs = [data.marginal(pair) for pair in combinations(data.domain.names, 2)]
    assert max(abs(interaction(pair)) for pair in pairs) > 0.1


def test_a_panel_per_setting_and_a_line_per_variant(table):
    figure = ratios_over_epsilon(error_ratios(table))
    assert len(figure.data) == len(POPULATIONS) * len(TITLES)
    assert sum(bool(trace.showlegend) for trace in figure.data) == len(TITLES)
