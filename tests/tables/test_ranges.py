"""Which values stand in an order, and ranges of them."""

import numpy as np
import pytest

import calm_core as cc
from calm_core.errors import InputError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.table import make_table
from calm_core.planning.plan_file import plan_from_text, plan_text
from calm_core.tables.ranges import choose_ranges, ordered_attributes, range_share

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
    assert ordered_attributes(domain) == ("age", "pain")


def test_a_plan_does_not_depend_on_an_order():
    plan = cc.make_plan(DOMAIN, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    assert "ordered" not in plan_text(plan) and plan_from_text(plan_text(plan)) == plan
    assert DOMAIN == cc.Domain(DOMAIN.names, DOMAIN.sizes)


def test_random_ranges_stay_among_ordered_values():
    found = choose_ranges(DOMAIN, 1, 200, volume=0.5, rng=np.random.default_rng(1))
    spans = {query["age"] for query in found}
    assert all(list(query) == ["age"] for query in found)
    assert spans == {(first, first + 3) for first in range(5)}
    whole = choose_ranges(DOMAIN, 1, 3, volume=1.0, rng=np.random.default_rng(1))
    assert whole == [{"age": (0, 7)}] * 3
    assert choose_ranges(DOMAIN, 1, 1, volume=0.01, rng=np.random.default_rng(1))[0]["age"][0] < 8


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({}, "name at least one"), ({"job": (0, 1)}, "not in the data"), ({"age": (0, 9)}, "last code of 'age'"),
        ({"age": (3, 2)}, "last code"), ({"age": (-1, 2)}, "first code"), ({"age": 3}, "two codes"),
        ({"age": (0, 1.5)}, "whole number"),
    ],
)  # fmt: skip
def test_wrong_ranges_are_refused(ranges, message):
    table = cc.uniform(DOMAIN, DOMAIN.names)
    with pytest.raises(InputError, match=message):
        range_share(table, ranges)


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"k": 2}, "only 1 attribute"), ({"volume": 0}, "volume"), ({"count": 0}, "ranges"), ({"rng": 1}, "Generator")],
)  # fmt: skip
def test_wrong_choices_of_ranges_are_refused(changed, message):
    usual = {"k": 1, "count": 1, "volume": 0.5, "rng": np.random.default_rng(1)}
    with pytest.raises(InputError, match=message):
        choose_ranges(DOMAIN, **(usual | changed))
    with pytest.raises(InputError, match="none; choose numbers"):
        choose_ranges(DOMAIN.project(("sex", "city")), **usual)


@pytest.mark.parametrize("ordered", [(2, 9), (3, 9, 5), (2, -1, 5), (2, 1.5, 0)])
def test_a_wrong_order_is_refused(ordered):
    with pytest.raises(InputError, match="ordered"):
        cc.Domain(DOMAIN.names, DOMAIN.sizes, ordered=ordered)
