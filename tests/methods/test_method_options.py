"""Every option of every method is refused when the method is made, in one plain sentence."""

import math
from dataclasses import MISSING, fields

import numpy as np
import pytest

import calm_core as cc
from calm_core import methods
from calm_core.errors import InputError
from calm_core.experiments.spec import parse_methods
from calm_core.methods import METHODS
from calm_core.methods.calm_plus import ALGORITHM1, DESIGNS_WITH_OWN_VIEWS, VIEW_SIZES

NEVER = (
    "no such word", "", b"grr", math.nan, math.inf, -math.inf, -1, -0.5, 1e300, 2j, True,
    [1], {"k": 3}, object(),
)  # fmt: skip


def wrong_values(item):
    """What no option takes, and what this one does not by its type."""
    yield from NEVER
    if item.default is not None:
        yield None
    if item.type not in (float,):
        yield 2.5
    if item.type is str:
        yield 3


def make(name, **changed):
    return METHODS[name](**{"epsilon": 1.0, "k": 2} | changed)


@pytest.mark.parametrize("name", METHODS)
def test_options_are_checked_when_the_method_is_made(name):
    for item in fields(METHODS[name]):
        usual = {"epsilon": 1.0, "k": 2}.get(item.name, item.default)
        assert usual is not MISSING, item.name
        value = getattr(make(name, **{item.name: usual}), item.name)
        assert value == usual and type(value) is type(usual), item.name
        for wrong in wrong_values(item):
            with pytest.raises(cc.InputError) as refused:
                make(name, **{item.name: wrong})
            sentence = str(refused.value)
            assert sentence.startswith(f"{item.name} ({wrong}) must be"), sentence
            assert "\n" not in sentence


# Settings, and what decides nothing beside them.
IDLE = (
    ({"l": 2, "m": 5}, {"theta": 0.05}), ({"nonnegativity": "none"}, {"rounds": 1}),
    ({"nonnegativity": "none"}, {"rounds": 0}), ({"rounds": 0}, {"nonnegativity": "norm_sub"}),
)  # fmt: skip
WITH_IDLE = [
    (name, settings, other)
    for name in METHODS
    for settings, other in IDLE
    if not methods.unknown_settings(name, settings | other)
] + [("calm_plus", {"design": design}, {"theta": 0.3}) for design in VIEW_SIZES]


@pytest.mark.parametrize(("name", "settings", "other"), WITH_IDLE)
def test_settings_said_to_be_idle_decide_nothing(name, settings, other):
    assert set(methods.unused_settings(settings | other)) == set(other)
    rng = np.random.default_rng(3)
    data = cc.Dataset.from_codes(rng.integers(0, 2, (900, 5)), cc.Domain("abcde", (2,) * 5))
    released = [
        make(name, **settings, **more).release(data, rng=np.random.default_rng(8))
        for more in ({}, other)
    ]
    for pair in ("ab", "de", "ce"):
        first, second = (answer.marginal(tuple(pair)).values for answer in released)
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("design", sorted({*DESIGNS_WITH_OWN_VIEWS} - {*VIEW_SIZES}))
def test_theta_is_not_idle_where_errors_are_weighed_by_those_of_calm(design):
    domain = cc.Domain("abcde", (2, 3, 2, 4, 5))
    plans = [
        make("calm_plus", k=1, design=design, theta=theta).public_plan(
            domain, 900, rng=np.random.default_rng(1)
        )
        for theta in (0.001, 0.3)
    ]
    assert plans[0].shares != plans[1].shares
    assert not methods.unused_settings({"design": design, "theta": 0.3})


@pytest.mark.parametrize("design", DESIGNS_WITH_OWN_VIEWS)
def test_views_by_hand_are_refused_beside_a_design_that_has_its_own(design):
    for hand in ({"l": 2}, {"m": 5}):
        with pytest.raises(InputError, match=f"not used by design .{design}., which has views"):
            methods.CalmPlus(epsilon=1.0, k=2, design=design, **hand)
        # Of settings for all methods what this one has no use for is left out.
        chosen = {"epsilon": 1.0, "k": 2, "design": design}
        assert cc.make_method("calm_plus", **chosen, **hand) == make("calm_plus", design=design)
    assert make("calm_plus", design=ALGORITHM1, l=2, m=5).m == 5
    with pytest.raises(InputError, match="not used by the design"):
        parse_methods(f"calm_plus:design={design}:l=2")
    (spec,) = parse_methods(f"calm_plus:design={design}", l=2, m=5)
    assert dict(spec.options) == {"design": design}


def test_numbers_of_numpy_become_plain_ones():
    method = cc.METHODS["calm"](epsilon=np.float64(0.5), k=np.int64(3), l=np.uint8(2), theta=1)
    assert [type(getattr(method, name)) for name in ("epsilon", "k", "l", "theta")] == [
        float, int, int, float,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("calm", {"rounds": 1001}), ("calm", {"l": 0}), ("calm", {"m": 0}), ("mwem", {"turns": 0}),
        ("priview", {"view_size": 25}), ("priview", {"t": 0}), ("priview", {"view_size": 3, "t": 4}),
        ("learning", {"gamma": 1}), ("em", {"tolerance": 0}), ("em", {"max_iterations": 0}),
        ("calm_plus", {"design": "auto"}), ("calm", {"design": "pairs"}),
    ],
)  # fmt: skip
def test_values_just_outside_are_refused(name, wrong):
    with pytest.raises(cc.InputError, match=f"{list(wrong)[-1]} \\("):
        make(name, **wrong)
