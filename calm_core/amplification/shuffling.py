"""The guarantee after shuffling: reports pass somebody who drops who sent which, before anybody reads them."""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from calm_core._checks import (
    EPSILON_PART,
    MAX_PEOPLE,
    check_count,
    check_epsilon,
    check_fraction,
    check_probabilities,
)
from calm_core.errors import InputError
from calm_core.oracles import Oracle
from calm_core.planning.plan import Plan
from calm_core.planning.search import find_end
from calm_core.runtime.cancellation import checkpoint

# Lattice points of the sum; more only where the spread of the sum needs them.
POINTS = 2**15
# Width of the lattice: in standard deviations of the tilted sum, and in steps. The rest is bounded.
DEVIATIONS, JUMPS = 13.0, 60
# Coefficients of the transform below e^-40 are left out.
SMALL = 40.0
# Larger than the rounding errors of the transforms.
ROUNDING = 1 + 1e-5


def mean_excess(values: np.ndarray, masses: np.ndarray, n: int) -> float:
    """Return an upper bound on E[(X_1 + ... + X_n)_+] / n.

    Parameters
    ----------
    values : ndarray of float, shape (a,)
        What a step may be, besides 0; some are positive, some negative, and the mean is not positive.
    masses : ndarray of float, shape (a,)
        Their chances; a step is 0 with the rest.
    n : int
        Number of steps.

    Notes
    -----
    Every value is moved to its two neighbors on a lattice so that the mean stays: a mean-preserving spread, which
    never lowers the mean of a convex function. The sum is tilted by e^(lambda s) to have the mean 0, which makes
    rare excesses as exact as usual ones. What lies below the lattice is folded into it and can only add; what
    lies above is bounded by Chernoff and added.

    Examples
    --------
    A coin that gives 1 or -1, thrown twice, exceeds 0 by 2 in a quarter of the cases:

    >>> round(mean_excess(np.array([1.0, -1.0]), np.array([0.5, 0.5]), 2), 4)
    0.25
    """
    rest = max(0.0, 1 - float(masses.sum()))
    values, masses = np.append(values, 0.0), np.append(masses, rest)
    # Common steps, those of the others, are best where they are.
    anchor = float(values[np.argmax(masses * (np.abs(values) < np.abs(values).max() / 2))])
    coarse = -float(values.min())
    spread = _tilt(values, masses)[2] * n**0.5
    width = coarse / max(int(POINTS / (DEVIATIONS * spread / coarse + JUMPS)), 1)
    steps, masses = _move_to_lattice((values - anchor) / width, masses)
    values = anchor + width * steps
    tilt, tilted, spread = _tilt(values, masses)
    spread *= n**0.5
    span = n * int(steps[-1] - steps[0]) + 1
    span_needed = (DEVIATIONS * spread + JUMPS * coarse) / width
    points = 1 << int(min(span, max(span_needed, POINTS))).bit_length()
    start = round(-n * anchor / width) - points // 2
    if points >= span:
        start = n * int(steps[0])
    chances = _distribution(steps, tilted, n, points, start)
    sums = n * anchor + width * (start + np.arange(points))
    above = sums > 0
    log_scale = n * _log_mean(values, masses, tilt)
    terms = chances[above] * sums[above] * np.exp(log_scale - tilt * sums[above])
    bound = float(terms.sum()) * ROUNDING
    if points < span:
        bound += _tail(values, masses, n, float(sums[-1]), tilt, spread)
    return bound / n


def _move_to_lattice(places: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whole steps, ascending, and their masses: every mass divided between its neighbors, mean unchanged."""
    low = np.floor(places + 1e-12)
    up = np.maximum(places - low, 0.0)
    steps = np.concatenate([low, low + 1]).astype(np.int64)
    parts = np.concatenate([masses * (1 - up), masses * up])
    distinct, at = np.unique(steps[parts > 0], return_inverse=True)
    return distinct, np.bincount(at, weights=parts[parts > 0])


def _log_mean(values: np.ndarray, masses: np.ndarray, tilt: float) -> float:
    """Return log E[exp(tilt X)]."""
    top = float(np.max(tilt * values[masses > 0], initial=0.0))
    if top < 1:
        return float(np.log1p(masses @ np.expm1(tilt * values)))
    return top + float(np.log(masses @ np.exp(tilt * values - top)))


def _tilt(values: np.ndarray, masses: np.ndarray) -> tuple[float, np.ndarray, float]:
    """Return the tilt that makes the mean 0, the tilted masses, and their standard deviation."""

    def tilted(tilt: float) -> np.ndarray:
        weights = masses * np.exp(tilt * (values - values.max()))
        return weights / weights.sum()

    # Where the mean is 0 already, as for epsilon = 0, no tilt is needed.
    tilt = find_end(lambda tilt: float(tilted(tilt) @ values) < 0, 1 / float(values.max()))
    balanced = tilted(tilt)
    return tilt, balanced, float(np.sqrt(balanced @ (values - balanced @ values) ** 2))


def _distribution(steps: np.ndarray, masses: np.ndarray, n: int, points: int, start: int):
    """Return the chance of every sum of n steps from `start` on, modulo `points`."""
    means = np.fft.rfft(np.bincount(steps % points, masses, points))
    large = np.flatnonzero(np.abs(means) > np.exp(-SMALL / n))
    turns = 2 * np.pi / points * (large * (start % points) % points)
    powers = np.zeros_like(means)
    powers[large] = np.exp(n * np.log(means[large]) + 1j * turns)
    return np.maximum(np.fft.irfft(powers, points), 0.0)


def _tail(values, masses, n: int, top: float, tilt: float, spread: float) -> float:
    """Return a bound on E[S; S > top], by Chernoff."""
    tries = tilt + top / spread**2 * 0.7 ** np.arange(12)
    # s e^(-more s) decreases above 1 / more.
    logs = [
        n * _log_mean(values, masses, rate) - rate * top + np.log(max(top, 1 / rate))
        for rate in tries
    ]
    return float(np.exp(min(0.0, *logs))) if min(logs) < 0 else float("inf")


# More people than this are counted as so many: a guarantee for fewer holds for more.
MAX_REPORTS = 10**9
# The epsilon found is at most this part above the least that the bound gives.
PRECISION = 2e-5
LOCAL, CLONES, BLANKET = "local", "clones", "blanket"


@dataclass(frozen=True, eq=False)
class _Blanket:
    """What the reports of the others are sure to contain, as two values x and y see them.

    Attributes
    ----------
    epsilon : float
        Largest log of the chance of a report under x over that under y.
    masses : ndarray, shape (K,)
        Chance in the blanket of every report, or kind of report.
    of_x, of_y : ndarray, shape (K,)
        Log of the chance under x and under y, over that in the blanket and over `scale`.
    scale : float
        How much more likely a report is under a value than in the blanket, besides that.
    """

    epsilon: float
    masses: np.ndarray
    of_x: np.ndarray
    of_y: np.ndarray
    scale: float = 1.0

    def delta(self, epsilon: float, n: int) -> float:
        """Return the least delta for which n shuffled reports are (epsilon, delta)-private, from above."""
        if epsilon >= self.epsilon:
            return 0.0
        values = self.scale * (np.expm1(self.of_x) - np.expm1(epsilon + self.of_y))
        return min(1.0, mean_excess(values, self.masses, n))

    def spread(self, n: int) -> float:
        """Return the standard deviation of the mean of n reports at epsilon 0."""
        values = self.scale * (np.expm1(self.of_x) - np.expm1(self.of_y))
        return math.sqrt(self.masses @ values**2 / n)


def _blanket_of_kinds(
    epsilon: float, one: float, both: float = 0.0, neither: float = 0.0, scale: float = 1.0
) -> _Blanket:
    """Of a randomizer whose reports support x alone (as often y alone), both, or neither.

    Under a value that it supports a report is e^epsilon times as likely as under another.
    """
    of_x, of_y = epsilon * np.array([[1, 0, 1, 0], [0, 1, 1, 0]])
    return _Blanket(epsilon, np.array([one, one, both, neither]), of_x, of_y, scale)


def _clones(epsilon: float) -> _Blanket:
    """With chance e^-epsilon every other report is drawn as if its value were one of the two (2021)."""
    scale = 2 / (1 + math.exp(-epsilon))
    return _blanket_of_kinds(epsilon, math.exp(-epsilon) / 2, scale=scale)


def _blanket(epsilon: float, randomizer: Oracle | None) -> _Blanket:
    """The pointwise minimum over all values; of an unknown randomizer that of a yes/no randomized response."""
    shrink = math.exp(-epsilon)
    if randomizer is None:
        return _blanket_of_kinds(epsilon, shrink / (1 + shrink))
    supports = randomizer.p * shrink
    both = max(0.0, (randomizer.q - supports) / math.expm1(epsilon))
    neither = 1 - randomizer.p - supports + both
    return _blanket_of_kinds(epsilon, supports - both, both, max(0.0, neither))


def _least_epsilon(blanket: _Blanket, n: int, delta: float) -> float:
    """Return an epsilon with `blanket.delta(epsilon, n) <= delta`, nearly the least one."""
    goal = math.sqrt(-math.log(delta))

    def height(epsilon: float) -> float:
        """The root of -log delta, nearly a straight line of epsilon."""
        delta = blanket.delta(epsilon, n)
        return math.sqrt(-math.log(delta)) if delta > 0 else math.inf

    low, high, below, above = 0.0, blanket.epsilon, height(0.0), math.inf
    if below >= goal:
        return 0.0
    tried = 1.2 * goal * blanket.spread(n)
    while high - low > PRECISION * high:
        if not low < tried < high:
            tried = (low + high) / 2
        now = height(tried)
        if now >= goal:
            high, above = tried, now
        else:
            low, below = tried, now
        if above == math.inf:
            tried *= 1.5
            continue
        tried = low + (high - low) * (goal - below) / (above - below)
        # Over the root to its other side, from the end that is near.
        nudge = 0.4 * PRECISION * high
        tried += nudge if tried - low < high - tried else -nudge
    return high


@dataclass(frozen=True)
class Shuffled:
    """A guarantee of shuffled reports towards everybody who sees them.

    Attributes
    ----------
    epsilon, delta : float
        Replacing the answers of one person changes the chance of any event by at most a factor e^epsilon,
        plus delta.
    n : int
        Number of reports shuffled together.
    bound : {"blanket", "clones", "local"}
        Which bound gives it; "local" where shuffling adds nothing.
    """

    epsilon: float
    delta: float
    n: int
    bound: str


def shuffled_epsilon(
    epsilon: float, n: int, delta: float, *, randomizer: Oracle | None = None
) -> float:
    """Return the epsilon that n shuffled reports guarantee towards everybody who sees them.

    Without a randomizer this is the clones bound of 2021, which holds for any randomizer that is epsilon-private;
    with one it is the tightest known, see `shuffle`. It is never above `epsilon`.

    Parameters
    ----------
    epsilon : float
        Privacy budget of every report.
    n : int
        Number of reports that are shuffled together.
    delta : float
        Chance that is left out of the guarantee, above 0 and below 1; it should be far below 1 / n.
    randomizer : Oracle, optional
        The oracle of every report; its budget is `epsilon`.

    Returns
    -------
    float
        The central epsilon for replacing one person's answers; at most 0.002% above what the bound gives where
        delta is 1e-12 or more, and never below.

    Raises
    ------
    InputError
        If a number is out of its range, or the oracle has another budget.

    References
    ----------
    Feldman, McMillan and Talwar, FOCS 2021 (arXiv 2012.12803).

    Examples
    --------
    >>> round(shuffled_epsilon(1.0, 2340, 1e-6), 3)
    0.116
    >>> from calm_core.oracles import OUE
    >>> round(shuffled_epsilon(1.0, 2340, 1e-6, randomizer=OUE(1.0, 64)), 3)
    0.065
    """
    if randomizer is not None:
        return shuffle(epsilon, n, delta, randomizer=randomizer).epsilon
    epsilon, n, delta = _check(epsilon, n, delta)
    return _least_epsilon(_clones(epsilon), n, delta)


def shuffle(epsilon: float, n: int, delta: float, *, randomizer: Oracle | None = None) -> Shuffled:
    """Return the tightest guarantee of n shuffled reports, with the name of its bound.

    "clones": as `shuffled_epsilon` without a randomizer. "blanket": every report is, with a chance, drawn from the
    pointwise minimum of the randomizer over all values, whatever its value is; such reports hide those of one
    person. Of an unknown randomizer the worst is a yes/no randomized response; of an oracle its p and q are used.
    The expectation of Balle et al. is computed by one Fourier transform on a tilted lattice, rounded so that it
    only grows.

    Parameters
    ----------
    epsilon, n, delta, randomizer
        As in `shuffled_epsilon`. The hash functions of `OLH` count as random.

    Raises
    ------
    InputError
        As `shuffled_epsilon`.

    References
    ----------
    Balle, Bell, Gascon and Nissim, CRYPTO 2019, lemma 5.3; Su, Cheng and Wang, arXiv 2504.07414, for its being the
    best decomposition and for the Fourier transform.

    Examples
    --------
    >>> from calm_core.oracles import GRR
    >>> found = shuffle(1.0, 2340, 1e-6, randomizer=GRR(1.0, 4))
    >>> round(found.epsilon, 3), found.bound
    (0.075, 'blanket')
    """
    epsilon, n, delta = _check(epsilon, n, delta)
    if randomizer is not None and randomizer.epsilon != epsilon:
        raise InputError(
            f"the randomizer's epsilon ({randomizer.epsilon:g}) must be that of the reports, {epsilon:g}"
        )
    if randomizer is not None and randomizer.size == 1:
        # Nothing is secret, and every report is the same.
        return Shuffled(0.0, delta, n, BLANKET)
    tightest, bound = min(
        (epsilon, LOCAL),
        (_least_epsilon(_clones(epsilon), n, delta), CLONES),
        (_least_epsilon(_blanket(epsilon, randomizer), n, delta), BLANKET),
    )
    return Shuffled(tightest, delta, n, bound)


def shuffle_table(table: np.ndarray, n: int, delta: float) -> Shuffled:
    """Return the guarantee of n shuffled reports of any randomizer, given by its probabilities.

    The blanket is the least probability of every output; every two inputs are looked at. The result is never above
    that of `shuffle` for an unknown randomizer.

    Parameters
    ----------
    table : array (inputs, outputs)
        Probability of every output given every input; rows sum to 1.
    n, delta
        As in `shuffled_epsilon`.

    Raises
    ------
    InputError
        If rows are not probabilities, an output is possible for some inputs only, or a log ratio is above 16.

    References
    ----------
    As `shuffle`; Takagi and Liew, arXiv 2601.19154, for any randomizer.

    Examples
    --------
    >>> from calm_core.oracles import GRR
    >>> found = shuffle_table(GRR(1.0, 4).likelihoods().T, 2340, 1e-6)
    >>> round(found.epsilon, 3), found.bound
    (0.075, 'blanket')
    """
    chances = check_probabilities(table).to_numpy()
    chances = chances[:, chances.any(axis=0)] / chances.sum(axis=1, keepdims=True)
    if not chances.all():
        raise InputError(
            "an output that is possible for some inputs only tells them apart, and shuffling does not hide it; give every "
            "output a probability above 0 for every input"
        )
    blanket = chances.min(axis=0)
    logs = np.log(chances / blanket).round(12)
    epsilon, n, delta = _check(max(float(logs.max()), EPSILON_PART), n, delta)
    guarantee, worst, pairs_done = shuffle(epsilon, n, delta), 0.0, set()
    for rows in permutations(logs, 2):
        checkpoint()
        # Outputs that tell the same of two inputs are one; many pairs of inputs are alike.
        (of_x, of_y), at = np.unique(rows, axis=1, return_inverse=True)
        pair = _Blanket(float((of_x - of_y).max()), np.bincount(at, blanket), of_x, of_y)
        alike = np.stack([np.log(pair.masses), of_x, of_y]).round(9).tobytes()
        if alike not in pairs_done and pair.delta(worst, n) > delta:
            worst = _least_epsilon(pair, n, delta)
        pairs_done.add(alike)
    return Shuffled(worst, delta, n, BLANKET) if worst < guarantee.epsilon else guarantee


def _check(epsilon: float, n: int, delta: float) -> tuple[float, int, float]:
    epsilon = check_epsilon(epsilon, least=EPSILON_PART)
    n = min(check_count("n", n, high=MAX_PEOPLE), MAX_REPORTS)
    delta = check_fraction("delta", delta, remedy="far below 1 / n, such as 1e-6", one=False)
    return epsilon, n, delta


@dataclass(frozen=True)
class ShuffledPlan:
    """The guarantees of a collection whose reports are shuffled, every view's by themselves.

    Attributes
    ----------
    views : tuple of Shuffled
        The guarantee to the people of every view.
    delta : float
        That of every view, and of the whole collection.
    """

    views: tuple[Shuffled, ...]
    delta: float

    @property
    def epsilon(self) -> float:
        """The guarantee of the whole collection: the largest of the views."""
        return max(view.epsilon for view in self.views)


def shuffle_plan(plan: Plan, n: int, delta: float) -> ShuffledPlan:
    """Return the guarantees if the reports of every view are shuffled before anybody reads them.

    Neighbors are two collections in which one person gives other answers to the same view. Who reports on which
    view is fixed without looking at the answers, and counts as known. So a person is hidden among the people of
    their own view only, and the reports of the other views are the same in both collections: the whole collection
    guarantees what the worst view does, at the same delta, not a sum over views. Shuffling all reports together
    gives no more, since a report says its view. That the shuffler also hides who got which view is not used.

    Parameters
    ----------
    plan : Plan
        A `Plan`, with an oracle and a share of the people for each view.
    n : int
        Number of people; a view has its share of them, rounded down.
    delta : float
        As in `shuffled_epsilon`.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(tuple("abcdefgh"), (2,) * 8)
    >>> plan = make_plan(domain, 65536, epsilon=1.0, k=3, rng=np.random.default_rng(1))
    >>> found = shuffle_plan(plan, plan.n, 1e-6)
    >>> len(found.views), round(found.epsilon, 3)
    (28, 0.075)
    """
    n = check_count("n", n, high=MAX_PEOPLE)
    sizes = [math.floor(n * share + 1e-9) for share in plan.shares]
    return ShuffledPlan(
        tuple(_shuffle_view(oracle, size, delta) for oracle, size in zip(plan.oracles, sizes)),
        delta,
    )


@lru_cache(maxsize=256)
def _shuffle_view(oracle: Oracle, n: int, delta: float) -> Shuffled:
    """Views with the same oracle and as many people are alike; a view with nobody promises what it did."""
    if n == 0:
        return Shuffled(oracle.epsilon, delta, 0, LOCAL)
    return shuffle(oracle.epsilon, n, delta, randomizer=oracle)
