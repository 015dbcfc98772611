"""Which values stand in an order."""

import numpy as np
import pytest

import calm_core as cc
from calm_core.errors import InputError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.table import make_table
from calm_core.planning.plan_file import plan_from_text, plan_text

DOMAIN = cc.Domain(("sex", "age", "city"), (2, 9, 5), ordered=(2, 8, 0))


def test_columns_say_how_many_values_have_an_order():
    rng = np.random.default_rng(1)
    ages = [f"{age:.1f}" if age > 28 else None for age in rng.normal(40, 10, 3000)]
    columns = {"age": ages, "pain": list(map(str, rng.integers(1, 6, 3000)))}
    schema = detect_schema(make_table(columns | {"city": ["Köln", "Bonn", "Hof"] * 1000}))
    domain = schema.domain
    assert domain.labels_of("age")[-1] == "missing"
    assert domain.ordered == (domain.sizes[0] - 1, 5, 0)
    assert domain.project(("pain", "city")).ordered == (5, 0)


def test_a_plan_does_not_depend_on_an_order():
    plan = cc.make_plan(DOMAIN, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    assert "ordered" not in plan_text(plan) and plan_from_text(plan_text(plan)) == plan
    assert DOMAIN == cc.Domain(DOMAIN.names, DOMAIN.sizes)


@pytest.mark.parametrize("ordered", [(2, 9), (3, 9, 5), (2, -1, 5), (2, 1.5, 0)])
def test_a_wrong_order_is_refused(ordered):
    with pytest.raises(InputError, match="ordered"):
        cc.Domain(DOMAIN.names, DOMAIN.sizes, ordered=ordered)
