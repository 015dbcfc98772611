"""Advice before a run: too fine columns are named, and what fewer values bring is predicted."""

import pytest

from calm_core.errors import UserError
from calm_core.evaluation.coarsening_advice import suggest_coarsening
from calm_core.evaluation.prediction import plan_variances, predict_plan_wrong, wrong_of_variance
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import apply_schema
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.table import make_table
from calm_core.planning.plan import make_plan
from calm_core.randomness import stream

ZIPS = [f"{10 + i % 8}{i // 8 % 8}" for i in range(4000)]
TABLE = make_table(
    {
        "zip": ZIPS,
        "age": [str(i % 80) for i in range(4000)],
        "sex": [("f", "m")[i % 2] for i in range(4000)],
        "town": [f"town {chr(97 + i % 23)}" for i in range(4000)],
    }
)
SCHEMA = detect_schema(TABLE)


def test_postcodes_become_regions_and_no_row_is_lost():
    assert SCHEMA.column("zip").size == 64
    found = {one.name: one for one in suggest_coarsening(SCHEMA, 4000, 1.0, 2)}
    assert list(found) == ["zip", "town"]
    assert "64 values to 8 that start alike" in found["zip"].sentence
    encoded = apply_schema(TABLE, found["zip"].schema)
    assert encoded.report.rows_used == 4000
    regions = encoded.dataset.marginal(("zip",)).values * 4000
    labels = encoded.dataset.domain.labels_of("zip")
    assert labels == tuple(f"{start}..." for start in range(10, 18))
    assert regions.round().tolist() == [500] * 8


def test_the_error_after_is_the_one_predicted_for_the_changed_schema():
    found = suggest_coarsening(SCHEMA, 4000, 1.0, 2)[0]
    given = {"epsilon": 1.0, "k": 2, "theta": 1e-3, "rng": stream(0, "advice")}
    plan = make_plan(found.schema.domain, 4000, **given)
    assert found.after == pytest.approx(predict_plan_wrong(plan))
    assert found.after < found.before


def test_the_error_before_is_of_the_same_tables_summed_after_the_collection():
    # One table: its error is spread over 16 cells instead of 128.
    pair = SCHEMA.choose(["zip", "sex"])
    found = suggest_coarsening(pair, 4000, 1.0, 2)[0]
    plan = make_plan(pair.domain, 4000, epsilon=1.0, k=2, theta=1e-3, rng=stream(0, "advice"))
    known = plan_variances(plan)
    sse = known.collected / known.cells
    assert found.before == pytest.approx(wrong_of_variance(16 * sse, 16.0)[0])


def test_what_can_be_told_apart_is_left_alone():
    assert suggest_coarsening(SCHEMA, 10**9, 4.0, 1) == ()
    small = Schema((ColumnSchema("sex", "category", labels=("f", "m")),))
    assert suggest_coarsening(small, 10, 0.1, 1) == ()
    assert suggest_coarsening(SCHEMA.choose(["zip", "sex"]), 4000, 1.0, 5)[0].name == "zip"
    assert suggest_coarsening(SCHEMA.first(1), 4000, 1.0, 1) == ()  # one column alone has no plan


@pytest.mark.parametrize("wrong", [{"n": 0}, {"epsilon": 0}, {"k": 0}])
def test_wrong_settings_are_refused(wrong):
    given = {"n": 100, "epsilon": 1.0, "k": 2} | wrong
    with pytest.raises(UserError):
        suggest_coarsening(SCHEMA, given["n"], given["epsilon"], given["k"])
