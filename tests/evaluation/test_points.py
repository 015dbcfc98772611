"""Errors in points and their bands."""

import math

import numpy as np
import pytest

from calm_core.errors import InputError
from calm_core.evaluation.error_units import Band, classify_error, typical_points
from calm_core.evaluation.metrics import sse
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, uniform


def test_one_table_gives_the_root_mean_square_of_its_cells():
    domain = Domain(("sex", "age"), (2, 3))
    truth = Marginal(domain, [[0.5, 0.1, 0.0], [0.2, 0.1, 0.1]])
    guess = uniform(domain, domain.names)
    by_hand = 100 * np.sqrt(np.mean((truth.values - guess.values) ** 2))
    assert math.isclose(typical_points([sse(truth, guess)], 6), by_hand)


def test_tables_of_different_sizes_weigh_alike():
    assert math.isclose(typical_points([0.06, 0.02], [6, 2]), 10.0)


@pytest.mark.parametrize("errors", [[], [0.1, math.nan]])
def test_what_is_not_known_is_not_averaged(errors):
    with pytest.raises(InputError, match="errors must be known"):
        typical_points(errors, 4)


@pytest.mark.parametrize(
    ("error", "guess", "expected"),
    [
        (1.0, 10.0, Band.EXACT), (1.01, 100.0, Band.TREND), (1.0, 9.9, Band.TREND),
        (6.0, 18.0, Band.TREND), (6.01, 18.0, Band.NOISE), (0.5, 1.0, Band.NOISE), (0.0, 0.0, Band.EXACT),
    ],
)  # fmt: skip
def test_bands_end_where_the_rule_says(error, guess, expected):
    assert classify_error(error, guess) is expected
