"""How far a sum of independent steps exceeds 0 on average: an upper bound by one Fourier transform."""

import numpy as np

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
    wanted = (DEVIATIONS * spread + JUMPS * coarse) / width
    points = 1 << int(min(span, max(wanted, POINTS))).bit_length()
    start = round(-n * anchor / width) - points // 2
    if points >= span:
        start = n * int(steps[0])
    chances = _distribution(steps, tilted, n, points, start)
    sums = n * anchor + width * (start + np.arange(points))
    above = sums > 0
    log_scale = n * _log_mean(values, masses, tilt)
    terms = chances[above] * sums[above] * np.exp(log_scale - tilt * sums[above])
    found = float(terms.sum()) * ROUNDING
    if points < span:
        found += _tail(values, masses, n, float(sums[-1]), tilt, spread)
    return found / n


def _move_to_lattice(places: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whole steps, ascending, and their masses: every mass divided between its neighbors, mean unchanged."""
    low = np.floor(places + 1e-12)
    up = np.maximum(places - low, 0.0)
    steps = np.concatenate([low, low + 1]).astype(np.int64)
    parts = np.concatenate([masses * (1 - up), masses * up])
    found, at = np.unique(steps[parts > 0], return_inverse=True)
    return found, np.bincount(at, weights=parts[parts > 0])


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
    low, high = 0.0, 1 / float(values.max())
    while tilted(high) @ values < 0:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if tilted(middle) @ values < 0 else (low, middle)
    found = tilted(low)
    return low, found, float(np.sqrt(found @ (values - found @ values) ** 2))


def _distribution(steps: np.ndarray, masses: np.ndarray, n: int, points: int, start: int):
    """Return the chance of every sum of n steps from `start` on, modulo `points`."""
    means = np.fft.rfft(np.bincount(steps % points, masses, points))
    kept = np.flatnonzero(np.abs(means) > np.exp(-SMALL / n))
    turns = 2 * np.pi / points * (kept * (start % points) % points)
    powers = np.zeros_like(means)
    powers[kept] = np.exp(n * np.log(means[kept]) + 1j * turns)
    return np.maximum(np.fft.irfft(powers, points), 0.0)


def _tail(values, masses, n: int, top: float, tilt: float, spread: float) -> float:
    """Return a bound on E[S; S > top], by Chernoff."""
    tries = tilt + top / spread**2 * 0.7 ** np.arange(12)
    # s e^(-more s) decreases above 1 / more.
    logs = [
        n * _log_mean(values, masses, more) - more * top + np.log(max(top, 1 / more))
        for more in tries
    ]
    return float(np.exp(min(0.0, *logs))) if min(logs) < 0 else float("inf")
