"""What is known of a class, and what is not."""

import math
from dataclasses import replace

import numpy as np
import pytest

from calm_core.classroom.export import export_zip, read_zip
from calm_core.classroom.forecast import simulate_class
from calm_core.classroom.results import (
    DIRECTION_ONLY,
    ReportCounts,
    Table,
    compare_hand_count,
    infer_results,
    sample_population,
    simulate_larger_class,
    simulate_reports,
)
from calm_core.classroom.survey import Survey, plan_class
from calm_core.collection.aggregation import aggregate
from calm_core.errors import InfeasibleError, InputError
from calm_core.inference.consistency import make_consistent
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.tables.dataset import Dataset
from tests.classroom.conftest import survey_of


def asked_of(survey: Survey, people: Dataset, rng) -> ReportCounts:
    """What people report who are asked a survey."""
    return simulate_reports(survey, plan_class(survey, people.n, rng=rng), people, rng=rng)


def exact(survey: Survey, people: Dataset, rng) -> ReportCounts:
    """What would arrive if noise had exactly its mean: large numbers of reports."""
    plan, many = plan_class(survey, people.n, rng=rng), 10**7
    counts = []
    for view, oracle in zip(plan.views, plan.oracles):
        truth = people.marginal(view).values.ravel()
        counts.append(np.round(many * (truth * oracle.gap + oracle.q)).astype(np.int64))
    return ReportCounts(survey, plan, tuple(counts))


@pytest.mark.parametrize("method", ["calm_plus", "calm"])
def test_results_are_the_truth_when_noise_averages_out(method, rng):
    survey = survey_of(3, 3)
    people = simulate_class(survey.domain, 400, rng=rng)
    found = infer_results(exact(survey, people, rng), method)
    for name in survey.domain.names:
        assert np.allclose(found.share(name).values, people.marginal((name,)).values, atol=0.005)
    for link in found.links:
        truth = people.marginal((link.first, link.second)).values
        assert np.allclose(found.pair(link.first, link.second).values, truth, atol=0.005)
        excess = truth - np.outer(truth.sum(axis=1), truth.sum(axis=0))
        assert excess.max() == pytest.approx(link.excess, abs=0.01)
        assert excess[link.first_choice, link.second_choice] == pytest.approx(
            excess.max(), abs=0.01
        )
    excesses = [link.excess for link in found.links]
    assert len(excesses) == 3 and excesses == sorted(excesses, reverse=True)


def test_raw_shares_contain_the_noise(rng):
    survey = survey_of(3)
    people = simulate_class(survey.domain, 300, rng=rng)
    collected = exact(survey, people, rng)
    found = infer_results(collected)
    for name in survey.domain.names:
        raw, truth = found.raw(name), people.marginal((name,)).values
        # Of a view of four cells a share s arrives as s (p - q) + 2 q.
        oracle = collected.plan.oracles[0]
        assert np.allclose(raw.values, truth * oracle.gap + 2 * oracle.q, atol=1e-3)
        assert raw.reports == collected.count_asked(name) and raw.half_width == 0


def test_fewer_than_ten_reports_are_refused(rng):
    survey = survey_of(2)
    plan = plan_class(survey, 40, rng=rng)
    for counts in ([0, 0, 0, 0], [9, 0, 0, 0]):
        with pytest.raises(
            InputError, match="too few to conclude anything; wait until there are 10"
        ):
            infer_results(ReportCounts(survey, plan, (counts,)))
    assert infer_results(ReportCounts(survey, plan, ([10, 0, 0, 0],))).share("q0")
    with pytest.raises(InputError, match="method"):
        infer_results(ReportCounts(survey, plan, ([10, 0, 0, 0],)), "em")


def test_a_table_may_be_equal_where_a_guess_would_do_as_well():
    values = np.array([0.4, 0.6])
    wide, narrow = (Table(("tired",), values, values - by, values + by, 20) for by in (0.11, 0.09))
    raw = Table(("tired",), np.array([0.5, 0.5]), np.array([0.5, 0.5]), np.array([0.5, 0.5]), 20)
    assert wide.may_be_equal and not narrow.may_be_equal and not raw.may_be_equal


def test_questions_and_pairs_without_reports_have_no_results(rng):
    survey = survey_of(4)
    plan = plan_class(survey, 60, rng=rng)
    assert plan.m == 6
    counts = [
        np.array([5, 2, 3, 6]) if "q3" not in view else np.zeros(4, int) for view in plan.views
    ]
    found = infer_results(ReportCounts(survey, plan, tuple(counts)))
    assert found.share("q3") is None and found.raw("q3") is None and found.pair("q1", "q3") is None
    assert found.share("q0").reports == 32 and found.pair("q0", "q1").reports == 16
    linked = {(link.first, link.second) for link in found.links}
    assert linked == {("q0", "q1"), ("q0", "q2"), ("q1", "q2")}
    other = [
        np.array([5, 2, 3, 6]) if view != ("q0", "q1") else np.zeros(4, int) for view in plan.views
    ]
    found = infer_results(ReportCounts(survey, plan, tuple(other)))
    assert len(found.links) == 5
    assert found.pair("q0", "q1").reports == 0, "rebuilt, and said so"


def test_results_equal_those_of_the_library(rng):
    survey = survey_of(6)
    collected = asked_of(survey, simulate_class(survey.domain, 100, rng=rng), rng)
    noisy = aggregate(collected.reports)
    plus, calm = infer_results(collected), infer_results(collected, "calm")
    shares = plus.share("q1"), calm.share("q1")
    assert np.array_equal(shares[0].values, infer_plus(noisy, order=2).marginal(("q1",)).values)
    assert np.array_equal(shares[1].values, make_consistent(noisy).marginal(("q1",)).values)
    low, high = infer_plus(noisy, order=2).interval(("q1",))
    assert np.array_equal(shares[0].low, low) and np.array_equal(shares[0].high, high)
    assert shares[1].half_width == 0 and shares[0].half_width > 0.05


def test_imprecise_links_show_only_their_direction(rng):
    survey = survey_of(3, epsilon=3.0)
    people = simulate_class(survey.domain, 40, rng=rng)
    few, many = asked_of(survey, people, rng), exact(survey, people, rng)
    assert all(
        link.direction_only and link.half_width > DIRECTION_ONLY
        for link in infer_results(few).links
    )
    assert not any(link.direction_only for link in infer_results(many).links)


def test_a_link_between_yes_and_no_names_yes(rng):
    survey = survey_of(2)
    plan = plan_class(survey, 100, rng=rng)
    (together,) = infer_results(ReportCounts(survey, plan, ([40, 10, 10, 40],))).links
    (apart,) = infer_results(ReportCounts(survey, plan, ([10, 40, 40, 10],))).links
    assert (together.first_choice, together.second_choice) == (1, 1)
    assert (apart.first_choice, apart.second_choice) == (1, 0) and apart.excess > 0.05


@pytest.mark.parametrize("d, choices", [(2, 6), (6, 2), (12, 2)])
def test_a_sampled_population_has_the_shares_of_the_class(d, choices, rng):
    survey = survey_of(d, choices)
    found = infer_results(asked_of(survey, simulate_class(survey.domain, 60, rng=rng), rng))
    people = sample_population(found, 20_000, rng=rng)
    assert people.n == 20_000 and people.domain.labels == survey.domain.labels
    whole = found.inferred.marginal(survey.domain.names)
    for name in survey.domain.names:
        share = whole.project((name,)).values
        # Five standard deviations.
        assert np.abs(people.marginal((name,)).values - share).max() < 5 * math.sqrt(0.25 / 20_000)
        assert np.allclose(share, found.share(name).values, atol=0.05)


def test_too_large_tables_cannot_be_sampled(rng):
    survey = survey_of(12, 3)
    found = infer_results(asked_of(survey, simulate_class(survey.domain, 60, rng=rng), rng))
    with pytest.raises(InfeasibleError, match="531,441 cells, more than 65,536"):
        sample_population(found, rng=rng)


def test_larger_simulated_classes_have_narrower_intervals(rng):
    survey = survey_of(3)
    collected = asked_of(survey, simulate_class(survey.domain, 40, rng=rng), rng)
    found = infer_results(collected)
    widths = [found.share("q0").half_width]
    for n in (400, 4000):
        more = simulate_larger_class(found, n, rng=rng)
        assert more.report_counts.n == n and more.report_counts.plan == collected.plan
        widths.append(more.share("q0").half_width)
    assert widths[0] > 1.8 * widths[1] > 3.2 * widths[2]
    assert found.report_counts is collected and collected.n == 40


def test_raised_hands_are_compared_with_the_interval(rng):
    survey = survey_of(2)
    found = infer_results(ReportCounts(survey, plan_class(survey, 40, rng=rng), ([8, 8, 12, 12],)))
    share = found.share("q0")
    assert compare_hand_count(found, "q0", 1, 26, 40) == (0.65, share.low[1], share.high[1])
    for wrong in ((1, 41, 40), (2, 3, 40), (-1, 3, 40), (1, -1, 40), (1, 0, 0)):
        with pytest.raises(InputError, match="must be a whole number"):
            compare_hand_count(found, "q0", *wrong)
    with pytest.raises(InputError, match="q7"):
        compare_hand_count(found, "q7", 1, 3, 40)


def with_seed(seed: int, *, n: int = 40, **survey) -> ReportCounts:
    """A class whose reports and order of views are its own."""
    asked, rng = survey_of(**survey), np.random.default_rng(seed)
    plan = plan_class(asked, n, rng=rng)
    counts = tuple(rng.multinomial(9, np.full(o.size, 1 / o.size)) for o in plan.oracles)
    return ReportCounts(asked, plan, counts)


def test_classes_that_were_added_up_are_saved_and_restored_as_one(store, rng):
    one, other = with_seed(1), with_seed(2)
    both = one + replace(other, plan=one.plan)
    keys = store.restore(read_zip(export_zip(both, rng=rng)))
    found = store.teacher(keys.teacher).report_counts()
    assert store.wall(keys.wall).progress().reports == found.n == 54
    assert all(map(np.array_equal, found.counts, both.counts)) and found.plan == one.plan
