"""What is promised to a class before it answers, against what classes learn."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from calm_core.classroom import forecast as module
from calm_core.classroom.forecast import (
    COMPARE,
    MAJORITY,
    NOTHING,
    Forecast,
    forecast_survey,
    judge_half_width,
    rehearse,
)
from calm_core.classroom.survey import Question, Survey, plan_class
from calm_core.errors import InfeasibleError, InputError
from calm_core.ingest.samples import load_sample
from tests.benchmarks.bench_forecast import row
from tests.classroom.conftest import survey_of

ROWS = list(csv.DictReader((Path(module.__file__).parent / "forecast.csv").open(encoding="utf-8")))


def stored_row(choices: int, d: int, epsilon: float, n: int) -> dict[str, str]:
    """The row of a class of this kind."""
    asked = str(choices), str(d), epsilon, str(n)
    return next(
        row for row in ROWS if (row["choices"], row["d"], float(row["epsilon"]), row["n"]) == asked
    )


def make_forecast(half_width: float, *, d: int = 3, n: int = 100, epsilon: float = 2.0) -> Forecast:
    """A forecast of such an interval."""
    return Forecast(n, d, epsilon, 2, 3, half_width, "measured")


# CLASSROOM.md section 7: d, epsilon, n -> error. Its intervals are those of an earlier CALM+.
SPECIFIED = {
    (3, 1, 30): 0.23, (4, 2, 40): 0.13, (6, 3, 100): 0.08, (8, 1, 300): 0.14, (8, 4, 300): 0.04, (3, 4, 60): 0.04,
}  # fmt: skip


@pytest.mark.parametrize("d, epsilon, n", SPECIFIED)
def test_forecasts_match_the_specification(d, epsilon, n):
    found = forecast_survey(survey_of(d, epsilon=float(epsilon)), n)
    told = stored_row(2, d, epsilon, n)
    assert (found.half_width, found.source) == (float(told["half_width"]), "measured")
    assert float(told["error"]) == pytest.approx(SPECIFIED[d, epsilon, n], abs=0.02)


def test_every_row_has_its_plan_and_every_setting_its_rows():
    settings = {(row["choices"], row["d"], row["epsilon"]) for row in ROWS}
    assert len(ROWS) == 16 * 5 + 48 * 4 and len(settings) == 64
    assert {row["choices"] for row in ROWS} == set("23456")
    for row_ in ROWS:
        survey = survey_of(int(row_["d"]), int(row_["choices"]), float(row_["epsilon"]))
        plan = plan_class(survey, int(row_["n"]), rng=np.random.default_rng(1))
        assert (plan.l, plan.m) == (int(row_["l"]), int(row_["m"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "choices, d, epsilon, n", [(2, 4, 2.0, 40), (4, 3, 3.0, 60), (3, 3, 1.0, 100)]
)
def test_rows_are_measured_again(choices, d, epsilon, n):
    # 30 classes: an error of 25% is about three standard deviations of the mean of an error.
    found = row(choices, d, epsilon, n, 30, load_sample("survey").dataset).split(",")
    told = stored_row(choices, d, epsilon, n)
    for name, value in zip(("error", "half_width"), found[6:8]):
        assert float(value) == pytest.approx(float(told[name]), rel=0.25), name


def test_forecasts_interpolate_in_log_n():
    survey = survey_of(4)
    at = {n: forecast_survey(survey, n).half_width for n in (30, 40, 60, 100, 173, 300)}
    assert at[30] == float(stored_row(2, 4, 2.0, 30)["half_width"]) and at[30] > at[100] > at[300]
    share = (math.log(173) - math.log(100)) / math.log(3)
    assert at[173] == pytest.approx(at[100] + share * (at[300] - at[100]))


@pytest.mark.slow
@pytest.mark.parametrize("sizes, epsilon, n", [((2, 2, 3), 2.0, 40), ((2, 2, 2), 2.0, 20)])
def test_unmeasured_settings_are_simulated_reproducibly(sizes, epsilon, n, monkeypatch):
    monkeypatch.setattr(module, "CLASSES", 8)
    module._forecast_sizes.cache_clear()
    asked = [
        Question(f"q{at}", "?", [str(c) for c in range(size)]) for at, size in enumerate(sizes)
    ]
    found = forecast_survey(Survey("T", asked, epsilon), n)
    module._forecast_sizes.cache_clear()
    assert found == forecast_survey(Survey("Other", asked, epsilon), n)
    module._forecast_sizes.cache_clear()
    assert found.source == "simulated" and 0.03 < found.half_width < 0.6


@pytest.mark.parametrize(
    "half_width, verdict",
    [(0.301, NOTHING), (0.30, MAJORITY), (0.21, MAJORITY), (0.08, MAJORITY), (0.079, COMPARE)],
)
def test_verdict_by_half_width(half_width, verdict):
    assert judge_half_width(half_width) == verdict


@pytest.mark.parametrize(
    "d, n, epsilon, offered",
    [(3, 60, 2.0, False), (3, 59, 2.0, True), (5, 300, 2.0, True), (4, 300, 2.0, False),
     (5, 30, 3.0, False), (5, 30, 2.9, True)],
)  # fmt: skip
def test_when_a_larger_epsilon_is_offered(d, n, epsilon, offered):
    assert make_forecast(0.2, d=d, n=n, epsilon=epsilon).offers_more is offered


def test_too_small_classes_are_refused():
    with pytest.raises(InfeasibleError, match="with 9 phones nothing is concluded; at least 10"):
        forecast_survey(survey_of(3), 9)
    for n in (0, 1001, 2.5):
        with pytest.raises(InputError, match="phones"):
            forecast_survey(survey_of(3), n)


def test_a_rehearsal_compares_forecast_and_error(rng):
    survey = survey_of(3, epsilon=4.0)
    score = rehearse(survey, 300, rng=rng)
    assert 0 < score.error < 0.08 and score.coverage > 0.6
    assert score.half_width == pytest.approx(forecast_survey(survey, 300).half_width, rel=0.6)
