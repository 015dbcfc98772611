"""What a question needs: the drawn answers are those of Ask, and searches end where they should."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

import calm_core as cc
from calm_core.errors import InputError
from calm_core.evaluation.needs import need_curve, solve_question
from calm_core.evaluation.planned_questions import DifferenceQuestion, PilotQuestion, ShareQuestion
from calm_core.evaluation.power import (
    Reports,
    Survey,
    expected_half_width,
    power_of_difference,
    power_of_ends,
)

PAIR = DifferenceQuestion(d=2, values=2, difference=0.12, share=0.2, groups=(0.4, 0.6))


def test_the_assumed_table_has_the_shares_that_are_given():
    question = DifferenceQuestion(d=3, values=4, difference=-0.1, share=0.3, groups=(0.5, 0.2))
    table = question.table()
    parts = table.sum(axis=1)
    assert parts == pytest.approx([0.5, 0.2, 0.15, 0.15])
    assert table[:2, 0] / parts[:2] == pytest.approx([0.2, 0.3])
    cell = ShareQuestion(d=3, values=3, share=0.2, attributes=2).table()
    assert (
        cell.shape == (3, 3) and cell.sum() == pytest.approx(1) and cell[0, 0] == pytest.approx(0.2)
    )


def collections(question, n, epsilon, count, rng):
    """Reports of people with exactly the table of the question; other attributes are even."""
    plan, asked = question.plan(n, epsilon)
    table = question.table()
    sizes = np.diff(np.round(n * np.append(0, np.cumsum(table.ravel()))).astype(int))
    codes = rng.integers(question.values, size=(n, question.d))
    cells = np.unravel_index(np.repeat(np.arange(table.size), sizes), table.shape)
    codes[:, plan.domain.positions(asked)] = np.stack(cells, axis=1)
    people = cc.Dataset.from_codes(codes, plan.domain)
    for _ in range(count):
        yield cc.aggregate(cc.collect(people, plan, rng=rng)), asked


def test_half_the_length_is_that_of_asked_releases(rng):
    question = ShareQuestion(d=2, values=2, share=0.2, attributes=2)
    found = [
        question.ask(cc.infer_plus(noisy), asked)
        for noisy, asked in collections(question, 6_000, 1.5, 8, rng)
    ]
    measured = np.mean([(each.high - each.low) / 2 for each in found])
    assert expected_half_width(question, 6_000, epsilon=1.5) == pytest.approx(measured, rel=0.12)


def power_of_releases(question, releases):
    """Probability of an interval above 0, as the ends of those of some releases say, and its standard error."""
    ends = np.array([question.ask(cc.infer_plus(noisy), asked).low for noisy, asked in releases])
    middle = ends.mean() / ends.std(ddof=1)
    error = (
        math.exp(-(middle**2) / 2)
        / math.sqrt(2 * math.pi)
        * math.sqrt((1 + middle**2 / 2) / len(ends))
    )
    return ndtr(middle), error


@pytest.mark.slow
def test_the_power_is_that_of_asked_releases(rng):
    # Near a power of a half, where errors show most.
    n, epsilon = 4_000, 1.2
    simulated, error = power_of_releases(PAIR, collections(PAIR, n, epsilon, 24, rng))
    predicted = power_of_difference(PAIR, n, epsilon=epsilon, pairs=8)
    assert 0.3 < predicted < 0.8
    assert abs(predicted - simulated) < 2.5 * error < 0.21


def test_the_power_from_draws_is_that_of_many():
    """Linear in the errors but for a part that follows the square, as intervals get longer."""
    rng = np.random.default_rng(2)
    errors = rng.standard_normal(200_000)
    line, square, noise = 1.3 * errors, 0.3 * (errors**2 - 1), 0.2 * rng.standard_normal(200_000)
    ends = 0.4 + square + noise + np.array([line, -line])
    expected = np.mean(ends > 0)
    assert power_of_ends(ends.T) == pytest.approx(expected, abs=0.005)
    assert abs(ndtr(ends.mean() / ends.std()) - expected) > 0.02
    # Who is refused detects nothing.
    ends[0, :50_000] = math.nan
    assert power_of_ends(ends.T) == pytest.approx(0.875 * expected, abs=0.005)
    assert power_of_ends(np.full((3, 2), math.nan)) == 0


@pytest.mark.parametrize(("d", "values", "epsilon"), [(2, 2, 4.0), (3, 3, 1.0)])
def test_drawn_reports_have_the_errors_of_collected_ones(d, values, epsilon, rng):
    question, n = DifferenceQuestion(d, values, 0.3, share=0.1), 3_000
    survey = Survey(question, n, epsilon)
    reports = Reports(survey.plan, question.view_tables(survey.plan, survey.asked))
    first = survey.plan.views.index(survey.asked)
    drawn = [reports.draw(errors) for errors in rng.standard_normal((400, reports.cells))]
    collected = [noisy for noisy, _ in collections(question, n, epsilon, 400, rng)]
    one, two = (
        np.array([noisy.tables[first].values.ravel() for noisy in each])
        for each in (drawn, collected)
    )
    assert one.std(axis=0) == pytest.approx(two.std(axis=0), rel=0.15)
    assert one.mean(axis=0) == pytest.approx(two.mean(axis=0), abs=5 * two.std() / 20)
    assert np.allclose(one.sum(axis=1), 1)


@pytest.mark.slow
def test_what_is_found_is_enough_and_less_is_not():
    question = ShareQuestion(d=2, values=2, share=0.3)
    n = solve_question(question, epsilon=1.0, half_width=0.05).n
    assert expected_half_width(question, n, epsilon=1.0) == pytest.approx(0.05, rel=0.03)
    assert solve_question(question, n=n, half_width=0.05).epsilon == pytest.approx(1.0, rel=0.06)
    needed = solve_question(question, epsilon=0.01, half_width=1e-9)
    assert needed.n is None and needed.sentence.startswith("No number of people at epsilon 0.01")


@pytest.fixture
def people(rng):
    """Three attributes that go together strongly, the last with three values."""
    inclined = rng.random((20_000, 1)) < 0.5
    codes = (rng.random((20_000, 3)) < np.where(inclined, 0.8, 0.2)).astype(int)
    codes[:, 2] += inclined[:, 0]
    domain = cc.Domain(("a", "b", "c"), (2, 2, 3))
    return cc.Dataset.from_codes(codes, domain)


def test_people_like_these_have_the_tables_of_the_data(people):
    plan = cc.make_plan(people.domain, 10_000, epsilon=1.0, k=2, rng=cc.stream(0), l=2, m=3)
    as_it_is = PilotQuestion(people, "difference a=1 between b=1 and b=0")
    assert as_it_is.difference == pytest.approx(0.36, abs=0.03)
    found = as_it_is.view_tables(plan, as_it_is.attributes)
    for view, table in zip(plan.views, found):
        assert table == pytest.approx(people.marginal(view).values.ravel())
    # With a difference of one's own, the first group has another share, and the others go along.
    smaller = PilotQuestion(people, "difference a=1 between b=1 and b=0", 0.1)
    found = dict(zip(plan.views, smaller.view_tables(plan, as_it_is.attributes)))
    pair, other = found["a", "b"], found["b", "c"]
    shares = pair.reshape(2, 2)[1] / pair.reshape(2, 2).sum(axis=0)
    assert shares[1] - shares[0] == pytest.approx(0.1) and shares[0] == pytest.approx(
        0.32, abs=0.02
    )
    assert pair.reshape(2, 2).sum(axis=0) == pytest.approx(other.reshape(2, 3).sum(axis=1))


@pytest.mark.slow
def test_people_like_these_have_the_intervals_that_are_planned_for(people, rng):
    question = PilotQuestion(people, "share c=2 given a=1")
    need = solve_question(question, epsilon=2.0, half_width=0.05)
    assert need.best is None and f"{100 * question.truth.value:.0f} of 100" in need.sentence
    halves = []
    for _ in range(8):
        drawn = people.resample(need.n, rng=rng)
        found = question.ask(cc.infer_plus(cc.aggregate(cc.collect(drawn, need.plan, rng=rng))))
        halves.append((found.high - found.low) / 2)
    assert np.mean(halves) == pytest.approx(0.05, rel=0.1)


@pytest.mark.slow
def test_without_them_the_answer_is_a_range_from_worst_to_best():
    question = DifferenceQuestion(d=3, values=2, difference=0.2)
    need = solve_question(question, epsilon=2.0, n=3_000)
    assert need.power < need.best and "at best" in need.sentence
    numbers, (worst, best) = need_curve(need)
    assert all(low <= high for low, high in zip(worst, best)) and worst == sorted(worst)


@pytest.mark.parametrize(
    ("words", "difference", "message"),
    [
        ("independence a b", None, "not one interval"),
        ("difference a=1 between b=1 c=1 and b=1", 0.1, "people in common"),
        ("difference a=1 between b=1 and b=0", 0.9, "other group's share"),
        ("share a=1", 0.1, "for a question about a difference"),
        ("difference a=0|1 between b=1 and b=0", 0.1, "choose another value"),
        ("share a=1 given c=3", None, "c"),
    ],
)
def test_what_people_like_these_cannot_say_is_refused(people, words, difference, message):
    with pytest.raises(InputError, match=message):
        PilotQuestion(people, words, difference)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ShareQuestion(d=2, values=2, share=1.0), "share"),
        (lambda: DifferenceQuestion(d=2, values=2, difference=0.8), "other group's share"),
        (lambda: DifferenceQuestion(d=2, values=2, difference=0.0), "must not be 0"),
        (lambda: DifferenceQuestion(d=2, values=2, difference=0.1, groups=(0.6, 0.6)), "sum to at most 1"),
        (lambda: solve_question(PAIR, n=1000), "give two of"),
        (lambda: solve_question(PAIR, n=1000, half_width=0.1, power=0.8), "not both"),
        (lambda: solve_question(ShareQuestion(d=2, values=2), n=1000, power=0.8), "no power"),
        (lambda: ShareQuestion(d=2, values=2, attributes=3).plan(1000, 1.0), "k"),
    ],
)  # fmt: skip
def test_what_has_no_answer_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.slow
def test_people_like_those_of_a_table_have_its_power(rng):
    """All attributes go together strongly, which the usual correlation does not know."""
    lean = rng.random(40_000) < 0.5
    codes = (rng.random((40_000, 4)) < np.where(lean, 0.7, 0.3)[:, None]).astype(int)
    domain = cc.Domain(tuple("abcd"), (2,) * 4)
    text, n, epsilon = "difference b=1 between a=1 and a=0", 6_000, 1.0
    question = PilotQuestion(cc.Dataset.from_codes(codes[:20_000], domain), text)
    assert question.difference == pytest.approx(0.16, abs=0.02)
    plan, asked = question.plan(n, epsilon)
    people = cc.Dataset.from_codes(codes[20_000:], domain)
    releases = (
        (cc.aggregate(cc.collect(people.resample(n, rng=rng), plan, rng=rng)), asked)
        for _ in range(24)
    )
    simulated, error = power_of_releases(question, releases)
    predicted = power_of_difference(question, n, epsilon=epsilon, pairs=8)
    assert 0.2 < predicted < 0.8
    assert abs(predicted - simulated) < 2.5 * error < 0.21
    other = DifferenceQuestion(4, 2, question.difference, 0.42)
    assert abs(predicted - power_of_difference(other, n, epsilon=epsilon, pairs=6)) > 0.1


@pytest.mark.slow
def test_a_difference_of_groups_by_two_attributes_has_a_power():
    people = cc.Dataset.from_codes(
        np.repeat(np.indices((2, 2, 2)).reshape(3, 8).T, (3, 1, 2, 2, 2, 2, 1, 3), axis=0),
        cc.Domain(tuple("abc"), (2,) * 3),
    )
    text = "difference a=1 between b=1 c=1 and b=0 c=1"
    assert PilotQuestion(people, text).difference == pytest.approx(3 / 5 - 2 / 3)
    question = PilotQuestion(people, text, 0.2)
    few, many = (power_of_difference(question, n, epsilon=2.0, pairs=3) for n in (300, 30_000))
    assert few < 0.5 < 0.9 < many
    with pytest.raises(InputError, match="only a difference"):
        power_of_difference(PilotQuestion(people, "share a=1"), 1000, epsilon=1.0)
