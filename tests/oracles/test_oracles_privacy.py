"""The privacy of every oracle, by enumeration and in exact arithmetic.

First the closed form: the thresholds that the code compares with are whole numbers, so the
probability of every report is a fraction, and no ratio may exceed a rational lower bound of
e^epsilon. Then the code itself: `perturb` is driven through every outcome of its random draws.
"""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from calm_core.oracles import ORACLES, base
from calm_core.oracles.base import WORD, SecureDraws, SimulatedDraws, odds_threshold
from tests.reference.oracle_laws import exp_bounds, grr_law, oue_law, subset_law

EPSILONS = (0.01, 0.1, 0.5, 1, 2, 4, 8, 10)

every_epsilon = pytest.mark.parametrize("epsilon", EPSILONS)


def assert_private(laws, epsilon, *, used_up=True):
    """Check every ratio of two inputs' probabilities of a report against e^epsilon, exactly."""
    low, _ = exp_bounds(epsilon)
    worst = Fraction(1)
    for one, other in itertools.permutations(laws, 2):
        assert one.keys() == other.keys()
        worst = max(worst, *(one[report] / other[report] for report in one))
    assert worst <= low
    if used_up:
        assert worst >= low * (1 - Fraction(1, 10**9))


@every_epsilon
def test_thresholds_are_rounded_towards_privacy(epsilon):
    low, high = exp_bounds(epsilon)
    for weight, others in ((1, 1), (1, 63), (5, 11), (1, 22026)):
        down = odds_threshold(epsilon, weight, others)
        assert down * (weight * low + others) <= WORD * weight * low
        assert (down + 1) * (weight * high + others) > WORD * weight * high


def test_thresholds_stay_words_at_the_extremes():
    assert odds_threshold(1000.0, 1, 3) == WORD - 1
    assert odds_threshold(1e-300, 1, 1) == WORD // 2


class ScriptedDraws:
    """Draws that follow a script, and note at each step how the draw could have gone."""

    def __init__(self, script, seeds):
        self.script, self.seeds = script, seeds
        self.taken, self.weights = [], []

    def _draw(self, weights):
        step = len(self.taken)
        choice = self.script[step] if step < len(self.script) else 0
        self.taken.append(choice)
        self.weights.append(weights)
        return choice

    def chance(self, threshold, shape):
        miss = (Fraction(WORD - threshold, WORD), Fraction(threshold, WORD))
        drawn = [self._draw(miss) for _ in range(int(np.prod(shape)))]
        return np.array(drawn, dtype=bool).reshape(shape)

    def uniform_below(self, bound, count):
        even = [Fraction(1, bound)] * bound
        return np.array([self._draw(even) for _ in range(count)], dtype=np.int64)

    def words(self, count):
        even = [Fraction(1, len(self.seeds))] * len(self.seeds)
        return np.array([self.seeds[self._draw(even)] for _ in range(count)], dtype=np.uint64)


def law_of_code(oracle, value, monkeypatch, *, seeds=(0,), secure=False):
    """Exact distribution of the reports of one value: all outcomes of all draws, weighed."""
    law, script = Counter(), []
    while script is not None:
        draws = ScriptedDraws(script, seeds)
        if secure:
            monkeypatch.setattr(base, "SecureDraws", lambda draws=draws: draws)
            report = oracle.perturb_securely(value)
        else:
            monkeypatch.setattr(base, "SimulatedDraws", lambda rng, draws=draws: draws)
            report = oracle.perturb(np.array([value]), rng=np.random.default_rng(0))[0]
        chance = Fraction(1)
        for choice, weights in zip(draws.taken, draws.weights, strict=True):
            chance *= weights[choice]
        key = report.tolist()
        law[tuple(map(int, key)) if isinstance(key, list) else key] += chance
        script = next_script(draws)
    assert sum(law.values()) == 1
    return dict(law)


def next_script(draws):
    """The following path through the tree of draws, or None after the last."""
    script = list(draws.taken)
    while script and script[-1] == len(draws.weights[len(script) - 1]) - 1:
        script.pop()
    if not script:
        return None
    script[-1] += 1
    return script


def close(law, expected):
    assert law.keys() == expected.keys()
    worst = max(abs(law[report] / expected[report] - 1) for report in law)
    assert worst < Fraction(1, 10**14)


SEEDS = (0, 1, 2**64 - 1, 0x123456789ABCDEF)


def defined_law(oracle, e, value):
    """The law of a report by the definition of its oracle; None for an oracle without one here."""
    if oracle.name == "grr":
        return grr_law(e, oracle.size, value)
    if oracle.name == "oue":
        return oue_law(e, oracle.size, value)
    if oracle.name == "subset":
        return subset_law(e, oracle.size, oracle.width, value)
    if oracle.name != "olh":
        return None
    law = {}
    for seed in SEEDS:
        bucket = int(oracle._hash(np.uint64([seed]), np.array([value]))[0])
        for y, chance in grr_law(e, oracle.buckets, bucket).items():
            law[seed, y] = chance / len(SEEDS)
    return law


@pytest.mark.parametrize("secure", [False, True], ids=["simulated", "secure"])
@pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)
@every_epsilon
def test_every_path_is_private_and_follows_the_definition(kind, epsilon, secure, monkeypatch):
    if kind.name == "olh" and epsilon > 4:
        pytest.skip("thousands of buckets; it is randomized response on them")
    e = exp_bounds(epsilon)[0]
    for size in (2, 3, 4, 7) if kind.name == "subset" else (2, 4):
        oracle = kind(epsilon, size)
        laws = [
            law_of_code(oracle, v, monkeypatch, seeds=SEEDS, secure=secure) for v in range(size)
        ]
        hashes = kind.name == "olh" and [
            oracle._hash(np.uint64([s]), np.arange(size)) for s in SEEDS
        ]
        assert_private(laws, epsilon, used_up=not hashes or any(len(set(h)) > 1 for h in hashes))
        for value, law in enumerate(laws):
            if expected := defined_law(oracle, e, value):
                close(law, expected)


@pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)
@pytest.mark.parametrize("wrong", [1.05, 0.5])
def test_the_checker_rejects_a_wrong_budget(kind, wrong, monkeypatch):
    laws = [law_of_code(kind(wrong, 4), value, monkeypatch, seeds=SEEDS) for value in range(4)]
    with pytest.raises(AssertionError):
        assert_private(laws, 1.0)


@pytest.mark.parametrize("source", ["simulated", "secure"])
def test_sources_of_draws_cover_their_ranges(source, rng):
    # False-alarm rate below 1e-6 for each source: every bound is about six standard deviations.
    draws = SimulatedDraws(rng) if source == "simulated" else SecureDraws()
    words = draws.words(4096)
    assert words.dtype == np.uint64
    ones = sum((words >> np.uint64(bit)) & np.uint64(1) for bit in range(64)).mean()
    assert abs(ones - 32) < 6 * 4 / 64
    assert all(
        1800 < np.count_nonzero(words >> np.uint64(b) & np.uint64(1)) < 2296 for b in (0, 63)
    )
    quarter = draws.chance(WORD // 4, (64, 64))
    assert quarter.shape == (64, 64) and quarter.dtype == bool
    assert abs(quarter.mean() - 0.25) < 6 * 0.433 / 64
    assert not draws.chance(1, (1000,)).any() and draws.chance(WORD - 1, (1000,)).all()
    below = np.bincount(draws.uniform_below(5, 5000), minlength=5)
    assert len(below) == 5 and abs(below - 1000).max() < 6 * 28.3


@pytest.mark.parametrize("threshold", [1, 2**56, 3 * 2**56 + 5, WORD // 2, WORD - 1])
def test_simulated_chances_are_exact_to_the_last_bit(threshold):
    # Eight bits at a time, the words that decide a draw are its byte and, on a tie, 56 bits more.
    top, rest = divmod(threshold, 2**56)

    class Scripted(SimulatedDraws):
        def __init__(self, *answers):
            self.answers = iter(answers)

        def words(self, count):
            given = np.array(next(self.answers), dtype=np.uint64)
            assert len(given) == count
            return given

    bytes_drawn = [max(top - 1, 0), top, top, top, min(top + 1, 255)]
    packed = int.from_bytes(bytes(bytes_drawn + [0, 0, 0]), "little")
    ties = [i for i, byte in enumerate(bytes_drawn) if byte == top]
    tails = [max(rest - 1, 0), rest, 2**56 - 1, 0, rest][: len(ties)]
    noise = 255  # the low eight bits of a tail word are not used
    draws = Scripted([packed], [tail * 256 + noise for tail in tails])
    words = [byte * 2**56 for byte in bytes_drawn]
    for place, tail in zip(ties, tails, strict=True):
        words[place] += tail
    assert draws.chance(threshold, (5,)).tolist() == [word < threshold for word in words]
