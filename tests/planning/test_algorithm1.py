"""Algorithm 1 against the paper's Table 2, and what it refuses."""

import csv
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import calm_core as cc
from calm_core.designs.covering import covering_size
from calm_core.errors import InputError
from calm_core.planning.algorithm1 import (
    RejectionReason,
    choose_views,
    find_largest_quiet_view,
    find_rejection_reasons,
    noise_error,
    view_sizes,
)

TABLE2 = Path(__file__).parents[1] / "reference" / "table2.csv"


def table2():
    with TABLE2.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def choose(row, **changes):
    asked = {"n": int(row["n"]), "sizes": (2,) * int(row["d"]), "k": int(row["k"])}
    return choose_views(**(asked | {"epsilon": float(row["epsilon"])} | changes))


def is_right(row, **changes):
    choice = choose(row, **changes)
    return (choice.l, choice.m) == (int(row["l"]), int(row["m"]))


def test_table_2():
    rows = table2()
    assert sum(row["printed_in_paper_fragment"] == "yes" for row in rows) == 185
    assert [row for row in rows if not is_right(row)] == []


def test_another_theta_changes_many_cells_of_the_table():
    for theta in (0.9e-3, 1.1e-3):
        assert sum(not is_right(row, theta=theta) for row in table2()) > 10


@pytest.mark.parametrize(
    ("n", "epsilon", "theta", "pair"),
    [
        pytest.param(10_000, 1.8, 0.005, (2, 15), id="larger-not-sum"),
        pytest.param(1000, 4.0, 0.01, (4, 3), id="first-of-equals"),
    ],
)
def test_the_larger_error_decides_and_the_first_of_equals_wins(n, epsilon, theta, pair):
    # Six attributes in pairs; all views quiet enough are also covered within theta n views. The
    # errors from their formulas and the covering sizes (6, l, 2).
    larger = {}
    for size in range(2, 7):
        noise = 2 * noise_error(n, 6, epsilon, size, 2**size)
        if noise <= theta:
            larger[size] = max(covering_size(6, size, 2) / n, noise)
    first = min(larger, key=larger.get)
    assert (first, covering_size(6, first, 2)) == pair
    assert list(larger.values()).count(larger[first]) == (2 if first == 4 else 1)
    choice = choose_views(n=n, sizes=(2,) * 6, epsilon=epsilon, k=2, theta=theta)
    assert (choice.l, choice.m) == pair


def test_noise_error_is_the_papers_formula():
    e = math.exp(1.4)
    quiet = (2 + e) / (e - 1) ** 2 * 4 / 2 * 8 / 2**16
    assert noise_error(2**16, 8, 1.4, 2, 4) == pytest.approx(quiet)
    e = math.exp(0.2)
    loud = 4 * e / (e - 1) ** 2 * 16 / 4 * 8 / 1000
    assert noise_error(1000, 8, 0.2, 4, 16) == pytest.approx(loud)


def test_trace_tells_every_comparison():
    choice = choose_views(n=65536, sizes=(2,) * 8, epsilon=2.0, k=3, theta=1e-3)
    phases = [step.phase for step in choice.trace]
    assert phases == sorted(phases, key=["noise", "coverage", "balance"].index)
    for step in choice.trace:
        if step.phase == "noise":
            assert step.holds == (step.value <= step.limit)
        if step.phase == "coverage":
            assert step.value == covering_size(8, step.l, 3)
    assert {c.l for c in choice.candidates} >= {2, 3, 4, 5}


def test_every_attribute_is_asked_even_with_tiny_theta():
    choice = choose_views(n=1000, sizes=(2,) * 9, epsilon=1.0, k=3, theta=1e-6)
    assert choice.m * choice.l >= 9
    # One view is always allowed, and one person for each view is enough.
    assert choose_views(n=1000, sizes=(2,) * 3, epsilon=16, k=2, theta=1e-4).branch == "covered"
    assert choose_views(n=4, sizes=(2,) * 8, epsilon=0.1, k=3, theta=1e-6).m == 4


def test_the_largest_view_has_as_many_cells_as_a_table_may_have():
    choice = choose_views(n=10**9, sizes=(10,) * 8, epsilon=16, k=2, theta=0.5)
    quiet = [step.l for step in choice.trace if step.phase == "noise"]
    assert max(quiet) == 7 and all(step.holds for step in choice.trace if step.phase == "noise")


def test_any_size_gives_a_pair_or_a_sentence():
    for n in (2, 100, 10**6, 10**9):
        for d in (2, 3, 17, 64):
            try:
                choice = choose_views(n=n, sizes=(2,) * d, epsilon=1.0, k=2)
            except InputError as error:
                assert "number of views" in str(error)
            else:
                assert 2 <= choice.l <= d
                assert math.ceil(d / choice.l) <= choice.m <= math.comb(d, choice.l)


def test_bad_input_is_one_sentence():
    good = {"n": 65536, "sizes": (2,) * 8, "epsilon": 1.0, "k": 3, "theta": 1e-3}
    for changes, word in (
        ({"epsilon": 0}, "epsilon"), ({"epsilon": float("nan")}, "epsilon"), ({"epsilon": 1000}, "epsilon"),
        ({"k": 9}, "k (9)"), ({"k": 0}, "k (0)"), ({"theta": 0}, "theta"), ({"theta": float("nan")}, "theta"),
        ({"n": 1}, "n (1)"), ({"n": 3}, "number of views"), ({"n": 2.5}, "n (2.5)"),
        ({"sizes": (2,)}, "only 1 attribute"), ({"sizes": ()}, "no attributes"), ({"sizes": (2, 0)}, "values"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=r"must|need at least") as caught:
            choose_views(**(good | changes))
        assert word in str(caught.value) and "\n" not in str(caught.value), changes


UNEQUAL = cc.Domain(tuple("abcdefgh"), (2, 2, 2, 2, 2, 3, 4, 16))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "branch"), [(2_000_000, "covered"), (20_000, "too many views")])
def test_unequal_attributes_get_views_limited_by_cells(n, branch):
    asked = {"epsilon": 4.0, "k": 3, "theta": 1e-3}
    plan = cc.make_plan(UNEQUAL, n, rng=cc.stream(1, "x"), **asked)
    same = cc.make_plan(UNEQUAL, n, rng=cc.stream(1, "x"), design="attributes", **asked)
    assert plan.choice.branch == branch
    assert max(oracle.size for oracle in plan.oracles) < max(o.size for o in same.oracles)
    assert {name for view in plan.views for name in view} == set(UNEQUAL.names)
    if branch == "covered":
        assert all(plan.covers(query) for query in combinations(UNEQUAL.names, 3))


def test_equal_attributes_keep_views_of_l():
    plan = cc.make_plan(
        cc.Domain(tuple("abcdefgh"), (3,) * 8), 10**6, epsilon=2.0, k=3, rng=cc.stream(1, "x")
    )
    assert {len(view) for view in plan.views} == {plan.choice.l}
    with pytest.raises(InputError, match="design"):
        cc.make_plan(UNEQUAL, 1000, epsilon=1.0, k=2, rng=cc.stream(1, "x"), design="round")


@pytest.mark.parametrize("k", [3, 4])
def test_plans_of_unequal_attributes_exist_where_few_views_fit_the_cells(k):
    domain = cc.Domain(tuple(f"a{i}" for i in range(18)), (2,) * 14 + (5, 4, 4, 3))
    plan = cc.make_plan(domain, 250_000 * (k + 1), epsilon=1.0, k=k, rng=np.random.default_rng(1))
    assert plan.choice.l == 3 and len(set(plan.views)) == plan.choice.m > 622


ASKED = [
    {"n": n, "sizes": sizes, "epsilon": epsilon, "k": k}
    for n in (1000, 60_000, 2**18)
    for sizes in ((2,) * 8, (2,) * 16, (2, 3, 5, 4, 2, 7), (3, 2))
    for epsilon in (0.2, 1.0, 2.0, 4.0)
    for k in (1, 2, 3, 6)
    if k <= len(sizes)
]
THETAS = (1e-4, 1e-3, 5e-3, 0.1)


def every_choice():
    for asked in ASKED:
        for theta in THETAS:
            yield asked, theta, choose_views(**asked, theta=theta), view_sizes(**asked)


def test_errors_are_those_of_algorithm_1():
    for _asked, _theta, choice, sizes in every_choice():
        by_l = {size.l: size for size in sizes}
        for weighed in choice.candidates:
            same = by_l[weighed.l]
            assert math.isclose(same.noise_error, weighed.noise_error)
            if weighed.covering is not None:
                assert same.covering == weighed.covering
                assert same.sampling_error == weighed.sampling_error


def test_reasons_agree_with_the_errors():
    met = set()
    for asked, theta, choice, sizes in every_choice():
        found, k = find_rejection_reasons(choice, sizes, asked["k"]), asked["k"]
        by_l = {size.l: size for size in sizes}
        assert [size for size, why in found.items() if why is RejectionReason.CHOSEN] == [choice.l]
        best = by_l[choice.l]
        for l, reason in found.items():  # noqa: E741
            size, met = by_l[l], met | {reason}
            if reason is RejectionReason.NOISE:
                assert size.noise_error > theta
            elif reason is RejectionReason.TOO_FEW:
                assert l < k <= find_largest_quiet_view(choice)
            elif reason is RejectionReason.GROUPS:
                assert size.covering > choice.max_views and l >= k
            elif reason is RejectionReason.SAMPLING:
                assert size.sampling_error > size.noise_error
                assert size.sampling_error >= max(best.noise_error, best.sampling_error)
            elif reason is RejectionReason.BALANCE:
                assert size.noise_error >= max(
                    size.sampling_error, max(best.noise_error, best.sampling_error) * (1 - 1e-9)
                )
            elif reason is RejectionReason.SMALLER:
                assert l < choice.l < k
            elif reason is RejectionReason.MORE_GROUPS:
                assert k <= l < choice.l and size.covering >= best.covering > choice.max_views
    assert met == set(RejectionReason)


def test_views_with_too_many_cells_are_left_out():
    for epsilon in (0.05, 10.0):
        sizes = view_sizes(1000, (10,) * 12, epsilon, 3)
        assert [size.l for size in sizes] == [2, 3, 4, 5, 6, 7]
