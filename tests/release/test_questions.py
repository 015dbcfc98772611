"""Questions: exact where the table is exact, intervals that hold, refusals in a sentence."""

from types import SimpleNamespace

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InputError
from calm_core.release.estimate import ValueRange, find_ratio, find_sums
from calm_core.release.numbers import read_scores

AGES = ("up to 20", "above 20 to 40", "above 40 to 60", "above 60")
DOMAIN = cc.Domain(
    ("smokes", "sex", "age"), (2, 2, 4), (("no", "yes"), ("man", "woman"), AGES)
)  # fmt: skip
NUMBERED = cc.Domain(DOMAIN.names, DOMAIN.sizes, (("0", "1"), *DOMAIN.labels[1:]))
MIDDLES = np.array([10.0, 30.0, 50.0, 70.0])


def draw_table(seed: int = 7) -> np.ndarray:
    table = cc.stream(seed, "questions").random((2, 2, 4)) + 0.05
    return table / table.sum()


def exact(table: np.ndarray, variance: float = 1e-16, domain=DOMAIN) -> cc.PlusMarginals:
    """An answer whose reports have next to no noise."""
    marginal = cc.Marginal(domain, table)
    return cc.infer_plus(NoisyMarginals(domain, (marginal,), (variance,), (10**9,)))


TABLE = draw_table()
ANSWER = exact(TABLE)


def test_a_ratio_that_is_off_by_rounding_alone_is_its_own_interval():
    # Of sums without noise not even the ratio itself is plausible: its sum is 1e-17 instead of 0.
    off_by_rounding = SimpleNamespace(
        table=TABLE, interval=lambda weights, level: ((weights * TABLE).sum() + 1e-17,) * 2
    )
    value, low, high = find_ratio(off_by_rounding, TABLE / 4, TABLE, 0.95)
    assert low == value <= high == pytest.approx(value)


def draw_independent_people(rng: np.random.Generator) -> cc.Dataset:
    domain = cc.Domain(tuple("abcd"), (2,) * 4)
    return cc.Dataset.from_codes(rng.integers(0, 2, (20_000, 4)), domain)


def close(found, value: float) -> bool:
    return (
        found.value == pytest.approx(value, abs=1e-6)
        and found.low - 1e-6 <= value <= found.high + 1e-6
    )


def test_shares_are_sums_of_cells():
    assert close(cc.release.share(ANSWER, {"smokes": "yes"}), TABLE[1].sum())
    assert close(cc.release.share(ANSWER, {"smokes": 1, "sex": ["woman"]}), TABLE[1, 1].sum())
    both = cc.release.share(
        ANSWER, {"age": ValueRange("above 20 to 40", "above 60")}, given={"sex": "man"}
    )
    assert close(both, TABLE[:, 0, 1:].sum() / TABLE[:, 0].sum())
    assert both.tables == (("sex", "age"),)


def test_a_share_and_its_complement_never_contradict_each_other():
    noisy = exact(TABLE, 1e-4, NUMBERED)
    one, rest = (cc.release.share(noisy, {"smokes": value}) for value in (1, 0))
    assert one.value + rest.value == pytest.approx(1)
    assert (one.low, one.high) == pytest.approx((1 - rest.high, 1 - rest.low))
    mean = cc.release.mean(noisy, "smokes")
    assert (mean.value, mean.low, mean.high) == pytest.approx(
        (one.value, one.low, one.high), abs=2e-4
    )


def test_means_and_quantiles_take_the_middle_of_bands():
    ages = TABLE.sum(axis=(0, 1))
    found = cc.release.mean(ANSWER, "age")
    assert close(found, ages @ MIDDLES) and "no finer" in found.notes[-1]
    women = TABLE[:, 1].sum(axis=0)
    assert close(cc.release.mean(ANSWER, "age", {"sex": "woman"}), women @ MIDDLES / women.sum())
    for q in (0.1, 0.5, 0.9):
        wanted = MIDDLES[np.searchsorted(np.cumsum(ages), q)]
        assert cc.release.quantile(ANSWER, "age", q).value == wanted


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        (("up to 10", "above 10 to 30", "above 30"), (5, 20, 40)), (("0", "1", "2", "missing"), (0, 1, 2, np.nan)),
        (("15-29", "30-44", "75 and over"), (22, 37, 75)), (("1.5", "2.5"), (1.5, 2.5)),
    ],
)  # fmt: skip
def test_numbers_are_read_from_labels(labels, scores):
    domain = cc.Domain(("x",), (len(labels),), (labels,))
    assert read_scores(domain, "x").tolist() == pytest.approx(scores, nan_ok=True)


def test_an_answer_says_where_the_prior_decides_more_than_the_reports():
    """Pairs that do not go together, measured with much noise, are mostly assumed; with little they are not."""
    rng, assumed = cc.stream(3, "assumed"), "Mostly assumed from the rest of the data."
    people = draw_independent_people(rng)
    noisy, precise = (
        cc.METHODS["calm_plus"](epsilon=epsilon, k=2).release(people, rng=rng)
        for epsilon in (0.3, 8.0)
    )
    asked = {"a": 1}, ({"b": 1}, {"b": 0})
    assert cc.release.difference(noisy, *asked).sentence.endswith(assumed)
    assert cc.release.share(noisy, {"a": 1}, {"b": 1}).sentence.endswith(assumed)
    assert cc.release.mean(noisy, "a", {"b": 1}).sentence.endswith(assumed)
    median = cc.release.quantile(noisy, "a", 0.5, {"b": 1})
    assert median.sentence.endswith(assumed)
    # The slope is the difference between both groups, the constant the share in one of them.
    slope = cc.release.regression(noisy, "a", ("b",))
    assert slope.sentence.endswith("Mostly assumed from the rest of the data: constant, b=1.")
    assert assumed not in cc.release.difference(precise, *asked).sentence
    for found in (
        cc.release.quantile(precise, "a", 0.5, {"b": 1}),
        cc.release.regression(precise, "a", ("b",)),
    ):
        assert "Mostly" not in found.sentence
    calm = cc.METHODS["calm"](epsilon=0.3, k=2).release(people, rng=rng)
    assert assumed not in cc.release.difference(calm, *asked).sentence


def test_intervals_of_calm_hold_what_calm_plus_holds_for_plausible():
    rng = cc.stream(3, "plausible")
    calm = cc.METHODS["calm"](epsilon=0.3, k=2).release(draw_independent_people(rng), rng=rng)
    calms, own = find_sums(calm, ("a", "b")), cc.infer_plus(calm.noisy).sums(("a", "b"))
    for at in range(4):
        cell = np.eye(4)[at].reshape(2, 2)
        (low, high), (least, most) = calms.interval(cell), own.interval(cell)
        assert low <= least < most <= high


def test_groups_are_compared():
    women, men = (TABLE[1, sex].sum() / TABLE[:, sex].sum() for sex in (1, 0))
    groups = {"sex": "woman"}, {"sex": "man"}
    assert close(cc.release.difference(ANSWER, {"smokes": "yes"}, groups), women - men)
    assert close(cc.release.ratio(ANSWER, {"smokes": "yes"}, groups), women / men)
    odds = women / (1 - women) / (men / (1 - men))
    assert close(cc.release.ratio(ANSWER, {"smokes": "yes"}, groups, kind="odds"), odds)


def test_groups_are_the_shares_among_each_and_small_ones_are_flagged():
    found = cc.release.find_group_shares(ANSWER, {"smokes": "yes"}, "age")
    assert [one.group for one in found.groups] == list(AGES)
    assert found.groups[1].estimate == cc.release.share(ANSWER, {"smokes": "yes"}, given={"age": 1})
    assert not any(one.flagged for one in found.groups)
    table = TABLE.copy()
    table[:, :, 3] /= 100
    noisy = cc.release.find_group_shares(exact(table / table.sum(), 1e-4), {"smokes": "yes"}, "age")
    assert [one.flagged for one in noisy.groups] == [False, False, False, True]
    assert "above 60 (" in noisy.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["linear", "logistic"])
def test_regression_is_that_of_statsmodels_on_the_true_table(kind):
    import statsmodels.api as sm

    smokes, sex, age = (axis.ravel() for axis in np.indices(TABLE.shape))
    x = sm.add_constant(np.stack([MIDDLES[age], sex == 1], axis=1).astype(float))
    family = sm.families.Gaussian() if kind == "linear" else sm.families.Binomial()
    wanted = sm.GLM(smokes, x, family, freq_weights=TABLE.ravel()).fit(tol=1e-12).params
    answer = exact(TABLE, domain=NUMBERED)
    found = cc.release.regression(answer, "smokes", ("age", "sex"), kind=kind)
    names = ("constant", "age", "sex=woman")
    assert [found.coefficients[name] for name in names] == pytest.approx(wanted, abs=1e-6)
    assert all(
        found.low[n] <= w + 1e-5 and w - 1e-5 <= found.high[n] for n, w in zip(names, wanted)
    )


def release(
    codes: np.ndarray,
    sizes: tuple[int, ...],
    epsilon: float = 2.0,
    seed: int = 1,
    method: str = "calm_plus",
):
    domain = cc.Domain(tuple("abcdef"[: len(sizes)]), sizes)
    people = cc.Dataset.from_codes(codes, domain)
    return cc.METHODS[method](epsilon=epsilon, k=2).release(people, rng=cc.stream(seed, "release"))


@pytest.mark.slow
def test_the_test_of_independence_holds_its_size_and_has_power(rng):
    small = {0.0: 0, 0.15: 0}
    for strength in small:
        for number in range(120):
            a = rng.integers(0, 2, 4000)
            b = np.where(rng.random(4000) < strength, a, rng.integers(0, 3, 4000))
            answer = release(np.stack([a, b], 1), (2, 3), seed=number, method="calm")
            test = cc.release.independence(answer, "a", "b", rng=rng, draws=39)
            small[strength] += test.p_value <= 0.05
    # Of 120, 6 are expected; more than 14 once in a thousand times.
    assert small[0.0] <= 14
    assert small[0.15] >= 90


@pytest.mark.slow
def test_intervals_hold_and_association_is_not_raised_by_noise(rng):
    held, asked = 0, 0
    for number in range(60):
        a = rng.integers(0, 3, 6000)
        b = np.where(rng.random(6000) < 0.3 * (number % 3), a % 2, rng.integers(0, 2, 6000))
        table = np.zeros((3, 2))
        np.add.at(table, (a, b), 1 / 6000)
        answer = release(np.stack([a, b], 1), (3, 2), seed=number)
        found = [
            cc.release.share(answer, {"b": 1}, given={"a": 2}),
            cc.release.association(answer, "a", "b"),
        ]
        one, two = table.sum(axis=1), table.sum(axis=0)
        strength = np.sqrt(((table - np.outer(one, two)) ** 2 / np.outer(one, two)).sum())
        for estimate, truth in zip(found, (table[2, 1] / one[2], strength)):
            asked += 1
            held += estimate.low - 1e-9 <= truth <= estimate.high + 1e-9
    # 114 of 120 are expected; fewer than 105 once in ten thousand times.
    assert held >= 105


def test_calm_has_intervals_from_the_same_reports(rng):
    answer = release(rng.integers(0, 2, (20_000, 2)), (2, 2), method="calm")
    found = cc.release.share(answer, {"a": 1})
    assert found.value == pytest.approx(answer.marginal(("a",)).values[1])
    assert found.low < found.value < found.high


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("share smokes=yes given age=under", "is not a value of 'age'"), ("share height=1", "'height'"),
        ("share", "must be written so: share NAME=VALUE"), ("who smokes", "must begin with one of"),
        ("share smokes", "must be NAME=VALUE"),
        ("groups smokes=yes", "must be written so"), ("groups smokes=yes by smokes", "another attribute"), ("share smokes=yes smokes=no", "stands twice"),
        ("mean sex", "are no numbers"), ("quantile age half", "must be a number"), ("quantile age 2", "q"),
        ("difference smokes=yes between sex=man", "must be written so"), ('share "smokes=yes', "open quotation mark"),
        ("association smokes", "must be written so"), ("regression age on age", "not the outcome"),
        ("logistic age on sex", "two values"), ("share age=above..up", "is not a value"),
        ("share age='above 60..up to 20'", "comes after"), ("association smokes sex", "keeps no reports"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused_in_a_sentence(question, sentence, rng):
    with pytest.raises(InputError, match=sentence):
        cc.release.ask(ANSWER, question, rng=rng)


def test_a_group_that_may_be_empty_is_refused():
    table = TABLE.copy()
    table[:, 1, 3] = 0
    with pytest.raises(InputError, match="may be empty"):
        cc.release.share(
            exact(table / table.sum(), 1e-3),
            {"smokes": "yes"},
            given={"sex": "woman", "age": "above 60"},
        )


def test_an_answer_that_could_be_anything_is_refused(rng):
    answer = release(rng.integers(0, 2, (40, 2)), (2, 2), epsilon=0.2)
    with pytest.raises(InputError, match="too few people"):
        cc.release.share(answer, {"a": 1}, given={"b": 0})


def test_a_central_answer_cannot_be_asked(rng):
    people = cc.Dataset.from_codes(rng.integers(0, 2, (1000, 2)), cc.Domain(("a", "b"), (2, 2)))
    answer = cc.METHODS["flat"](epsilon=1.0, k=2).release(people, rng=rng)
    with pytest.raises(InputError, match="cannot be asked"):
        cc.release.share(answer, {"a": 1})


def test_questions_as_text_are_the_same_questions(rng):
    asked = cc.release.ask(ANSWER, "share smokes=yes given 'age=above 20 to 40|above 60'", rng=rng)
    ages = {"age": ["above 20 to 40", "above 60"]}
    assert asked == cc.release.share(ANSWER, {"smokes": "yes"}, given=ages)
    ratio = cc.release.ask(ANSWER, "odds smokes=yes between sex=woman and sex=man", rng=rng)
    groups = {"sex": "woman"}, {"sex": "man"}
    assert ratio == cc.release.ratio(ANSWER, {"smokes": "yes"}, groups, kind="odds")


def test_intervals_that_hold_together_are_longer_by_bonferroni_and_say_so(rng):
    noisy, asked = exact(TABLE, 1e-4), ["share smokes=yes", "mean age"]
    found = cc.release.ask_together(noisy, asked, rng=rng, level=0.9)
    for one, question in zip(found, asked, strict=True):
        alone = cc.release.ask(noisy, question, rng=rng, level=0.95)
        assert (one.low, one.high, one.level) == pytest.approx((alone.low, alone.high, 0.95))
        assert "2 intervals hold together in 90 of 100" in one.sentence


@pytest.mark.parametrize(
    ("questions", "sentence"),
    [
        (["share smokes=yes", "share height=1"], "'share height=1' has no answer: "), ("share smokes=yes", "list of texts"),
        (["groups smokes=yes by age"], "has not one interval"), ([], "list of texts"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_together_is_refused(questions, sentence, rng):
    with pytest.raises(InputError, match=sentence):
        cc.release.ask_together(ANSWER, questions, rng=rng)
