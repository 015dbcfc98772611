"""Learning which outputs give an input away: a pair of inputs, and the outputs that one of them makes likelier.

Local privacy says that no event is more than e^epsilon times likelier for one input than for another. So the log of
the ratio of two chances is a lower bound on epsilon. The bounds count how often an event followed one input, and how
often another.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

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
    wanted = -math.log1p(-confidence)

    def doubted(epsilon: float) -> bool:
        return bool(log_capital(first, second, both, epsilon) >= wanted)

    low, high = 0.0, 1.0
    if not doubted(low):
        return 0.0
    while doubted(high):
        low, high = high, 2 * high
    # The capital falls with epsilon, so the lower end stays a bound.
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if doubted(middle) else (low, middle)
    return low


# The most different outputs that are looked at one by one; rarer ones are taken together.
MAX_OUTPUTS = 2**16
# Where outputs are long texts, no more places than this are looked at, nor different letters.
MAX_PLACES, MAX_LETTERS = 1024, 16
# Ranges of numbers, and the finest steps between floating point numbers, as powers of two.
RANGES, FINEST = 64, 80
# About how many codes may be scored while pairs of inputs are compared.
MAX_WORK = 20_000_000


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
    seen = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    outputs = trials.distinct[seen]
    yield WholeOutputs(outputs, inputs)
    numbers = as_numbers(outputs)
    if len(outputs) > RANGES and not np.isnan(numbers).any():
        yield Numbers(np.repeat(numbers, counts[seen]))
    if outputs.dtype.kind == "O" and len(outputs):
        texts = outputs.astype(str)
        lengths = np.unique(np.char.str_len(texts))
        if len(lengths) == 1 and 1 < lengths[0] <= MAX_PLACES:
            letters = np.unique(texts.view(np.uint32))
            if len(letters) <= MAX_LETTERS:
                yield Letters(int(lengths[0]), letters)


@dataclass(frozen=True)
class Distinguisher:
    """What tells two inputs apart: the outputs that speak for the first.

    Attributes
    ----------
    coding : Coding
    weights : ndarray of float, shape (places, symbols)
        Log of how much likelier the first part of the trials made every code given the first input.
    first, second : int
        The inputs.
    threshold : float
        The sum of weights from which an output speaks for the first input.
    """

    coding: Coding
    weights: np.ndarray
    first: int
    second: int
    threshold: float

    def find_events(self, trials: Trials) -> list[np.ndarray]:
        """Whether outputs speak for the first input, bool: for every trial of the first, and of the second."""
        codes = trials.encode(self.coding)
        parts = [codes[trials.inputs == input] for input in (self.first, self.second)]
        return [score(self.weights, part) >= self.threshold for part in parts]


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

    The first part says which outputs speak for which input. The second part chooses the pair of inputs and the
    threshold with the highest lower bound on epsilon, z deviations below the estimate.

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
    best, found = -math.inf, None
    for coding in fit_codings(first, count):
        weights, counts = learn_weights(coding, first, count)
        codes = second.encode(coding)
        parts = [codes[rows] for rows in second.group(count)]
        empty = [not len(part) for part in parts]
        telling = rate_partners(weights, counts)
        telling[:, empty] = telling[empty] = -np.inf
        partners = min(count - 1, 1 + MAX_WORK // (2 * codes.size + 1))
        for a, others in enumerate(np.argsort(-telling, axis=1, kind="stable")[:, :partners]):
            for b in others[np.isfinite(telling[a, others])]:
                difference = weights[a] - weights[b]
                scores = [np.sort(score(difference, parts[input])) for input in (a, b)]
                thresholds = np.unique(scores[0])
                hits = [len(part) - np.searchsorted(part, thresholds) for part in scores]
                bounds = estimate_bound(hits[0], len(scores[0]), hits[1], len(scores[1]), z)
                top = int(np.argmax(bounds))
                if bounds[top] > best:
                    best = float(bounds[top])
                    found = Distinguisher(coding, difference, a, int(b), float(thresholds[top]))
    return found
