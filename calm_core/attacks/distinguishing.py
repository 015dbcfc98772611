"""Learning which outputs give an input away: pairs of inputs, and for each the outputs that one makes likelier.

Local privacy says that no event is more than e^epsilon times likelier for one input than for another. So the log of
the ratio of two chances is a lower bound on epsilon, and so is that of two averages of such chances. The bounds count
how often an event followed one input, and how often another.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from calm_core.planning.search import find_end

# Shares of the largest safe bet. A mixture of all of them is nearly as good as the best in hindsight.
_BETS = np.geomspace(1e-4, 0.99, 40)


def clopper_pearson(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """Bounds of a proportion; each alone holds with at least the confidence, whatever the proportion is.

    Trials with different proportions bound their average: a sum of such trials varies less than a binomial
    (Hoeffding, Annals of Mathematical Statistics 27, 1956).

    Parameters
    ----------
    hits, trials : int
        How often it happened, of how many.
    confidence : float
        Of each bound.

    Returns
    -------
    tuple of float

    References
    ----------
    Clopper and Pearson, Biometrika 26 (1934).

    Examples
    --------
    >>> low, high = clopper_pearson(0, 100, 0.95)
    >>> low, round(high, 4)
    (0.0, 0.0295)
    """
    from scipy.special import betaincinv

    miss = 1 - confidence
    low = float(betaincinv(hits, trials - hits + 1, miss)) if hits else 0.0
    high = float(betaincinv(hits + 1, trials - hits, confidence)) if hits < trials else 1.0
    return low, high


def bound_epsilon(hits: tuple[int, int], trials: tuple[int, int], confidence: float) -> float:
    """Lower bound on epsilon from an event's counts for two inputs, by Clopper-Pearson on either side.

    Each of the two bounds may fail with half of what the confidence leaves.

    Parameters
    ----------
    hits, trials : (int, int)
        How often the event happened, of how many trials: for the input that makes it likelier, for the other.
    confidence : float
        Of the bound.

    Returns
    -------
    float
        At least 0.

    Examples
    --------
    >>> round(bound_epsilon((7311, 2689), (10_000, 10_000), 0.999), 3)
    0.926
    """
    each = (1 + confidence) / 2
    low, _ = clopper_pearson(hits[0], trials[0], each)
    _, high = clopper_pearson(hits[1], trials[1], each)
    return max(0.0, math.log(low / high)) if low else 0.0


def estimate_bound(hits, trials, other_hits, other_trials, z: float) -> np.ndarray:
    """Roughly what `bound_epsilon` would be, for whole arrays of counts, by Wilson's intervals of z deviations.

    Quick, and sensible where there are no hits: good for choosing an event, not for testing it.
    """

    def wilson(k, n, sign):
        k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
        spread = z * np.sqrt(k * (n - k) / n + z * z / 4)
        return (k + z * z / 2 + sign * spread) / (n + z * z)

    low = wilson(hits, trials, -1)
    # Rounding may leave a little where there is nothing.
    low = np.where(np.asarray(hits) > 0, np.maximum(low, 1e-300), 1e-300)
    return np.log(low / wilson(other_hits, other_trials, 1))


def log_capital(first, second, both, epsilon: float) -> np.ndarray:
    """Log of the capital of `bound_by_betting` after pairs with these counts, numbers or arrays of one shape."""
    counts = [np.asarray(count)[..., np.newaxis] for count in (first, second, both)]
    gain = _BETS * math.exp(-epsilon)
    factors = (np.log1p(gain), np.log1p(-_BETS), np.log1p(gain - _BETS))
    each = sum(count * factor for count, factor in zip(counts, factors, strict=True))
    return np.logaddexp.reduce(each, axis=-1) - math.log(len(_BETS))


def bound_by_betting(first: int, second: int, both: int, confidence: float) -> float:
    """Lower bound on epsilon from independent pairs of trials; it may be looked at after every pair.

    Whoever doubts an epsilon bets on every pair: with a share c of the largest safe bet, the capital becomes
    ``1 + c e^-epsilon`` times as much if the event happened in the first trial alone, ``1 - c`` times in the second
    alone, ``1 - c + c e^-epsilon`` times in both. While epsilon is right, the capital is not expected to
    grow, so it ever reaches 1 / (1 - confidence) with at most that probability (Ville). The capital is spread evenly
    over forty shares c. The bound is the largest epsilon at which it has reached that.

    Parameters
    ----------
    first, second, both : int
        Pairs in which the event happened in the first trial alone, in the second alone, in both.
    confidence : float
        That the bound is right at all times together.

    Returns
    -------
    float
        At least 0.

    References
    ----------
    Betting and confidence sequences: Waudby-Smith and Ramdas, JRSS B 86 (2024); with local privacy:
    Waudby-Smith, Wu and Ramdas, arXiv 2202.08728.

    Examples
    --------
    >>> round(bound_by_betting(5345, 723, 1966, 0.999), 3)
    0.924
    """
    goal = -math.log1p(-confidence)

    def doubted(epsilon: float) -> bool:
        return bool(log_capital(first, second, both, epsilon) >= goal)

    # The capital falls with epsilon, so what is found from below is a bound.
    return find_end(doubted)


# The most different outputs that are looked at one by one; rarer ones are taken together.
MAX_OUTPUTS = 2**16
# Where outputs are long texts, no more places than this are looked at, nor different letters.
MAX_PLACES, MAX_LETTERS = 1024, 16
# Ranges of numbers, and the finest steps between floating point numbers, as powers of two.
RANGES, FINEST = 64, 80
# About how many codes may be scored while pairs of inputs are compared.
MAX_WORK = 20_000_000
# Thresholds that are tried for many pairs together.
THRESHOLDS = 64


@dataclass(frozen=True)
class Trials:
    """Independent runs of a randomizer.

    Attributes
    ----------
    inputs : int array (n,)
        Positions in a list of inputs.
    outputs : int array (n,)
        Positions in `distinct`.
    distinct : array
        Different outputs, numbers or texts.
    """

    inputs: np.ndarray
    outputs: np.ndarray
    distinct: np.ndarray

    def take(self, rows: np.ndarray) -> "Trials":
        """Some of the trials."""
        return Trials(self.inputs[rows], self.outputs[rows], self.distinct)

    def encode(self, coding: "Coding") -> np.ndarray:
        """Codes of every trial's output, int64 (n, places)."""
        return coding.encode(self.distinct)[self.outputs]

    def group(self, count: int) -> list[np.ndarray]:
        """The rows of every one of `count` inputs, in their order."""
        # Short integers are sorted much faster.
        order = np.argsort(self.inputs.astype(np.min_scalar_type(count)), kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.inputs, minlength=count))[:-1])


class WholeOutputs:
    """A code for every output, the most frequent ones first; 0 for all others."""

    def __init__(self, outputs: np.ndarray, inputs: int):
        self._known = pd.Index(outputs[: MAX_OUTPUTS * 16 // max(inputs, 16)])
        self.symbols = len(self._known) + 1

    def encode(self, distinct: np.ndarray) -> np.ndarray:
        """Codes of outputs, from 0 to symbols - 1, int64 (n, places)."""
        return self._known.get_indexer(pd.Index(distinct))[:, np.newaxis] + 1


class Letters:
    """A code for every place of texts of equal length, such as bits; texts of another length are 0 throughout."""

    def __init__(self, length: int, letters: np.ndarray):
        self._length, self._letters = length, letters
        self.symbols = len(letters) + 1

    def encode(self, distinct: np.ndarray) -> np.ndarray:
        texts = distinct.astype(f"U{self._length + 1}")
        points = texts.view(np.uint32).reshape(len(texts), -1)
        places = np.minimum(np.searchsorted(self._letters, points), len(self._letters) - 1)
        codes = np.where(self._letters[places] == points, places + 1, 0)[:, : self._length]
        codes[np.char.str_len(texts) != self._length] = 0
        return codes


class Numbers:
    """A code for the range of a number, and for how fine it is: its lowest binary digit that is not zero.

    Noise from floating point numbers gives a value away by digits that the sum with another value cannot have
    (Mironov, CCS 2012).
    """

    symbols = RANGES * FINEST

    def __init__(self, numbers: np.ndarray):
        self._edges = np.quantile(numbers, np.arange(1, RANGES) / RANGES)

    def encode(self, distinct: np.ndarray) -> np.ndarray:
        numbers = as_numbers(distinct)
        fraction, exponent = np.frexp(np.where(np.isfinite(numbers), numbers, 0.0))
        digits = np.abs(fraction * 2.0**53).astype(np.int64)
        lowest = np.log2(np.maximum(digits & -digits, 1)).astype(np.int64)
        fine = np.clip(53 - exponent - lowest, 0, FINEST - 1)
        return (np.searchsorted(self._edges, numbers) * FINEST + fine)[:, np.newaxis]


# Outputs as a few codes each, from 0 to symbols - 1, learned from the first part of the trials.
Coding = WholeOutputs | Letters | Numbers


def as_numbers(outputs: np.ndarray) -> np.ndarray:
    """Outputs as floats; those that are no numbers are NaN."""
    if outputs.dtype.kind in "iuf":
        return outputs.astype(float)
    return np.asarray(pd.to_numeric(pd.Series(outputs), errors="coerce"), dtype=float)


def fit_codings(trials: Trials, inputs: int) -> Iterator[Coding]:
    """All codings that suit the outputs of the first part of the trials."""
    counts = np.bincount(trials.outputs, minlength=len(trials.distinct))
    by_frequency = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    outputs = trials.distinct[by_frequency]
    yield WholeOutputs(outputs, inputs)
    numbers = as_numbers(outputs)
    if len(outputs) > RANGES and not np.isnan(numbers).any():
        yield Numbers(np.repeat(numbers, counts[by_frequency]))
    if outputs.dtype.kind == "O" and len(outputs):
        texts = outputs.astype(str)
        lengths = np.unique(np.char.str_len(texts))
        if len(lengths) == 1 and 1 < lengths[0] <= MAX_PLACES:
            letters = np.unique(texts.view(np.uint32))
            if len(letters) <= MAX_LETTERS:
                yield Letters(int(lengths[0]), letters)


@dataclass(frozen=True)
class Guess:
    """Two inputs, and the score from which an output speaks for the first.

    The score is the log of how much likelier the first part of the trials made the output.
    """

    first: int
    second: int
    threshold: float


@dataclass(frozen=True)
class Distinguisher:
    """What tells inputs apart: some pairs of inputs, with the outputs that speak for the first of each.

    Attributes
    ----------
    coding : Coding
    weights : ndarray of float, shape (inputs, places, symbols)
        Log probability of every code given every input.
    guesses : tuple of Guess
        No two with the same first input, nor with the same second.
    """

    coding: Coding
    weights: np.ndarray
    guesses: tuple[Guess, ...]

    def spread(self, trials: Trials, *, once: bool) -> list[list[np.ndarray]]:
        """For every guess whether its event happened: trials of its first input, and of its second.

        With more than one guess equally many trials of both are used, so that both averages have the
        same weights. Trials must be in random order.

        Parameters
        ----------
        trials : Trials
        once : bool
            Whether no trial may be used twice, as the first of one guess and the second of another.

        Returns
        -------
        list of two arrays of bool
        """
        codes = trials.encode(self.coding)
        rows = trials.group(len(self.weights))
        events = []
        for guess in self.guesses:
            first, second = rows[guess.first], rows[guess.second]
            if len(self.guesses) > 1:
                if once:
                    first, second = first[: len(first) // 2], second[len(second) // 2 :]
                equal = min(len(first), len(second))
                first, second = first[:equal], second[:equal]
            weights = self.weights[guess.first] - self.weights[guess.second]
            events.append(
                [score(weights, codes[part]) >= guess.threshold for part in (first, second)]
            )
        return events


def score(weights: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The sum of the weights of an output's codes, float (n,)."""
    if codes.shape[1] == 1:
        return weights[0, codes[:, 0]]
    return weights[np.arange(codes.shape[1]), codes].sum(axis=1)


def learn_weights(coding: Coding, trials: Trials, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Log probabilities of every code given every input, half a trial added to each, and the counts themselves."""
    codes, inputs = trials.encode(coding), trials.inputs
    places = codes.shape[1]
    cells = (inputs[:, np.newaxis] * places + np.arange(places)) * coding.symbols + codes
    shape = (count, places, coding.symbols)
    counts = np.bincount(cells.ravel(), minlength=math.prod(shape)).reshape(shape)
    smooth = counts + 0.5
    return np.log(smooth / smooth.sum(axis=2, keepdims=True)), counts


def rate_partners(weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """How well the outputs of every input (rows) tell it from every other one, float (inputs, inputs).

    This is the divergence of Kullback and Leibler; of an input from itself minus infinity.
    """
    count = len(weights)
    shares = (counts / np.maximum(counts.sum(axis=2, keepdims=True), 1)).reshape(count, -1)
    flat = weights.reshape(count, -1)
    telling = (shares * flat).sum(axis=1)[:, np.newaxis] - shares @ flat.T
    np.fill_diagonal(telling, -np.inf)
    return telling


def learn_distinguisher(
    first: Trials, second: Trials, count: int, z: float
) -> Distinguisher | None:
    """Learn from two parts of the trials how to tell inputs apart; the third part tests it.

    The first part says which outputs speak for which input. The second part chooses what has the highest lower
    bound on epsilon, z deviations below the estimate: one pair of inputs, or many together.

    Parameters
    ----------
    first, second : Trials
    count : int
        Number of inputs.
    z : float
        Deviations that the bound will be below the estimate.

    Returns
    -------
    Distinguisher or None
        None if no trials of two inputs are in both parts.
    """
    best, result = -math.inf, None
    for coding in fit_codings(first, count):
        weights, counts = learn_weights(coding, first, count)
        codes = second.encode(coding)
        parts = [codes[rows] for rows in second.group(count)]
        empty = [not len(part) for part in parts]
        telling = rate_partners(weights, counts)
        telling[:, empty] = telling[empty] = -np.inf
        partners = min(count - 1, 1 + MAX_WORK // (2 * codes.size + 1))
        pairs = [
            (float(telling[a, b]), a, int(b))
            for a, ranked in enumerate(np.argsort(-telling, axis=1, kind="stable")[:, :partners])
            for b in ranked
            if np.isfinite(telling[a, b])
        ]
        if not pairs:
            continue
        for choose in (choose_one, choose_many):
            value, guesses = choose(weights, parts, pairs, z)
            if value > best:
                best, result = value, Distinguisher(coding, weights, guesses)
    return result


def sort_scores(weights: np.ndarray, parts: Sequence[np.ndarray], a: int, b: int):
    """The scores of the trials of either input, ascending."""
    difference = weights[a] - weights[b]
    return [np.sort(score(difference, parts[input])) for input in (a, b)]


def count_from(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """How many ascending scores are not below each threshold."""
    return len(scores) - np.searchsorted(scores, thresholds)


def choose_one(weights: np.ndarray, parts: Sequence[np.ndarray], pairs: list, z: float):
    """The bound and guess of the best pair of inputs with its best threshold."""
    best, guesses = -math.inf, ()
    for _, a, b in pairs:
        first_scores, second_scores = sort_scores(weights, parts, a, b)
        thresholds = np.unique(first_scores)
        hits = [count_from(scores, thresholds) for scores in (first_scores, second_scores)]
        bounds = estimate_bound(hits[0], len(first_scores), hits[1], len(second_scores), z)
        top = int(np.argmax(bounds))
        if bounds[top] > best:
            best, guesses = float(bounds[top]), (Guess(a, b, float(thresholds[top])),)
    return best, guesses


def choose_many(weights: np.ndarray, parts: Sequence[np.ndarray], pairs: list, z: float):
    """The bound and guesses of many pairs with one threshold, no input twice on one side.

    Only how many pairs, and the threshold, are chosen by these trials: with a threshold for each pair, chance
    would choose.
    """
    matched, firsts, seconds = [], set(), set()
    for _, a, b in sorted(pairs, reverse=True):
        if a not in firsts and b not in seconds:
            matched.append((a, b))
            firsts.add(a)
            seconds.add(b)
    scores = [sort_scores(weights, parts, a, b) for a, b in matched]
    levels = np.arange(1, THRESHOLDS) / THRESHOLDS
    thresholds = np.unique(np.quantile(np.concatenate([mine for mine, _ in scores]), levels))
    # Equally many trials of both inputs of a pair, as in the test.
    equal = np.array([min(map(len, pair)) for pair in scores])
    shares = np.array([[count_from(s, thresholds) / len(s) for s in pair] for pair in scores])
    hits = (shares * equal[:, np.newaxis, np.newaxis]).cumsum(axis=0)
    trials = equal.cumsum()[:, np.newaxis]
    bounds = estimate_bound(hits[:, 0], trials, hits[:, 1], trials, z)
    last, top = np.unravel_index(int(np.argmax(bounds)), bounds.shape)
    threshold = float(thresholds[top])
    return float(bounds[last, top]), tuple(Guess(a, b, threshold) for a, b in matched[: last + 1])
