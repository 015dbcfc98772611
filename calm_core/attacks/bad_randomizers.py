"""Randomizers with plausible mistakes: an audit must flag each. Never use them.

Each takes inputs 0 and 1 as an array, the claimed epsilon and a numpy Generator, and returns an output for each input.
"""

import math
from collections.abc import Callable

import numpy as np

from calm_core.oracles import GRR, OUE

LEAK = 0.001
SHORT = 0.7
CELLS = 4

BadRandomizer = Callable[[np.ndarray, float, np.random.Generator], np.ndarray]


def grr_short_of_noise(values: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Randomized response among four values that lies 30% too rarely."""
    lies = rng.random(len(values)) < SHORT * (1 - GRR(epsilon, CELLS).p)
    return np.where(lies, (values + rng.integers(1, CELLS, len(values))) % CELLS, values)


def oue_short_of_noise(values: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Unary encoding whose other bits are set 30% too rarely."""
    return _unary(values, 0.5, SHORT * OUE(epsilon, CELLS).q, rng)


def oue_biased_coin(values: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Unary encoding whose coin for the own bit is heads with chance 0.6 instead of 0.5."""
    return _unary(values, 0.6, OUE(epsilon, CELLS).q, rng)


def laplace_short_of_noise(
    values: np.ndarray, epsilon: float, rng: np.random.Generator
) -> np.ndarray:
    """Laplace noise with 70% of the scale, rounded to quarters."""
    return np.round(4 * (values + rng.laplace(0, SHORT / epsilon, len(values)))) / 4


def laplace_naive(values: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Laplace noise by the inverse of its distribution function, in floating point numbers.

    The scale is right, but the last digits of 0 + noise are finer than those of 1 + noise can be (Mironov, CCS
    2012).
    """
    uniform = rng.random(len(values)) - 0.5
    return values - np.sign(uniform) * np.log1p(-2 * np.abs(uniform)) / epsilon


def rare_leak(values: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Correct randomized response, except that one report in a thousand is the value in clear, marked by a minus."""
    private = GRR(epsilon, CELLS).perturb(values, rng=rng)
    return np.where(rng.random(len(values)) < LEAK, -1 - values, private)


def coarse_threshold(values: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Randomized response between two values that compares four random bits with a rounded threshold."""
    keep = math.ceil(16 * GRR(epsilon, 2).p)
    return np.where(rng.integers(0, 16, len(values)) < keep, values, 1 - values)


def _unary(values: np.ndarray, own: float, other: float, rng: np.random.Generator) -> np.ndarray:
    bits = rng.random((len(values), CELLS)) < other
    bits[np.arange(len(values)), values] = rng.random(len(values)) < own
    return bits


BAD_RANDOMIZERS: dict[str, BadRandomizer] = {
    bad.__name__: bad
    for bad in (
        grr_short_of_noise, oue_short_of_noise, laplace_short_of_noise, oue_biased_coin, laplace_naive,
        rare_leak, coarse_threshold,
    )
}  # fmt: skip
