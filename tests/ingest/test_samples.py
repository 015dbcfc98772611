"""Sample files and generated populations."""

import numpy as np
import pytest

from calm_core.ingest.populations import KINDS, make_mchain, make_population
from calm_core.ingest.samples import SAMPLES, load_sample


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_loads_whole_and_usable(name):
    encoded = load_sample(name)
    assert encoded.report.rows_in == encoded.report.rows_used == encoded.dataset.n
    assert (encoded.dataset.n, encoded.dataset.domain.d) == (SAMPLES[name].n, SAMPLES[name].d)
    assert encoded.dataset.codes.dtype == np.uint8
    assert all(column.keep for column in encoded.schema.columns)


@pytest.mark.slow
def test_survey_rates_and_logic():
    data = load_sample("survey").dataset
    assert data.domain.title_of("female") == "Sex" and data.domain.labels_of("female") == ("0", "1")
    assert data.domain.value_names_of("female") == ("man", "woman")
    assert data.marginal(("drank_month",)).values[1] == pytest.approx(0.51, abs=0.001)
    table = data.marginal(("drank_month", "binge_month")).values
    assert table[0, 1] == 0 and table[1, 1] == pytest.approx(0.23, abs=0.001)
    assert data.domain.labels_of("age") == ("18-25", "26-34", "35-49", "50-64", "65+")
    assert data.domain.labels_of("income")[0] == "under $20,000"


@pytest.mark.parametrize("kind", KINDS)
def test_population_keeps_its_rates(kind, rng):
    rates = ((0.7, 0.3), (0.2, 0.3, 0.5), (0.9, 0.1), (0.5, 0.5))
    data = make_population(
        kind=kind, d=4, sizes=(2, 3, 2, 2), n=40_000, rates=rates, strength=0.6, rng=rng
    )  # fmt: skip
    for name, row in zip(data.domain.names, rates):
        # 5 standard errors.
        np.testing.assert_allclose(data.marginal((name,)).values, row, atol=0.0125)


def test_strength_zero_is_independent_and_one_is_equal(rng):
    for kind in ("chain", "factor"):
        alone = make_population(kind=kind, d=3, n=20_000, strength=0.0, rng=rng).codes
        equal = make_population(kind=kind, d=3, n=1000, strength=1.0, rng=rng).codes
        assert abs(np.corrcoef(alone.T)[0, 1]) < 0.04
        assert (equal[:, 0] == equal[:, 2]).all()


@pytest.mark.parametrize("order", [1, 3])
def test_mchain_follows_its_definition(order, rng):
    bits = make_mchain(order, 8, 200_000, rng).codes.astype(int)
    ones = bits[:, 7 - order : 7].sum(axis=1)
    for s in range(order + 1):
        rows = bits[ones == s, 7]
        expected = 0.5 + (1 - 2 * s / order) / 4
        # 5 standard errors: a false alarm in fewer than 1 of 10^5 runs; 30% off would be 0.075.
        assert rows.mean() == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(len(rows)))
