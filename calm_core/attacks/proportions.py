"""Lower bounds on epsilon from counts: how often an event followed one input, and how often another.

Local privacy says that no event is more than e^epsilon times likelier for one input than for another. So the log of
the ratio of two chances is a lower bound on epsilon, and so is that of two averages of such chances.
"""

import math

import numpy as np

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
