"""Independent random streams by key, and hypergeometric draws from any number of users."""

import zlib

import numpy as np

from calm_core._checks import check_count

# Limit of numpy for draws without replacement.
NUMPY_POOL = 10**9


def stream(seed: int, *keys: int | str) -> np.random.Generator:
    """The generator for (seed, keys); different keys give independent streams.

    Examples
    --------
    >>> a, b = stream(1, 0, "calm"), stream(1, 0, "calm")
    >>> a.random() == b.random()
    True
    >>> stream(1, 0, "calm").random() == stream(1, 0, "fc").random()
    False
    """
    check_count("seed", seed, low=0, high=2**63)
    words = [zlib.crc32(key.encode()) if isinstance(key, str) else key for key in keys]
    return np.random.default_rng([seed, *words])


def draw_without_replacement(
    pool: np.ndarray, take: np.ndarray, *, rng: np.random.Generator
) -> np.ndarray:
    """Draw how many of each kind are among `take` users drawn from a pool without replacement.

    Exact for any int64 numbers; numpy is limited to 10^9 users.

    Parameters
    ----------
    pool : ndarray of int64, shape (groups, kinds)
        Users of each kind.
    take : ndarray of int64, shape (groups,)
        Number of draws, at most the size of the group.
    rng : numpy Generator
        Source of randomness.

    Returns
    -------
    ndarray of int64, shape (groups, kinds)

    Examples
    --------
    >>> pool = np.array([[3, 0, 2], [10**12, 10**12, 0]])
    >>> drawn = draw_without_replacement(pool, np.array([5, 7]), rng=np.random.default_rng(1))
    >>> drawn.sum(axis=1).tolist(), drawn[0].tolist(), drawn[1, 2].item()
    ([5, 7], [3, 0, 2], 0)
    """
    if pool.sum(axis=1).max(initial=0) >= NUMPY_POOL:
        return _in_rounds(pool, take, rng)
    if len(pool) < pool.shape[1]:
        pairs = zip(pool, take, strict=True)
        drawn = [rng.multivariate_hypergeometric(kinds, users) for kinds, users in pairs]
        return np.array(drawn, dtype=np.int64).reshape(pool.shape)
    drawn = np.zeros_like(pool)
    later = pool.sum(axis=1)
    for kind in range(pool.shape[1]):
        later = later - pool[:, kind]
        drawn[:, kind] = rng.hypergeometric(pool[:, kind], later, take)
        take = take - drawn[:, kind]
    return drawn


def _in_rounds(pool: np.ndarray, take: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw each user with the right probability, then correct the number in the same way.

    All users are treated alike in every round, so the result is a uniform sample. The number left to
    draw shrinks to about its square root in each round.
    """
    drawn = np.zeros_like(pool)
    while np.any(missing := take - drawn.sum(axis=1)):
        more = (missing > 0)[:, np.newaxis]
        among = np.where(more, pool - drawn, drawn)
        chance = np.abs(missing) / np.maximum(among.sum(axis=1), 1)
        changed = rng.binomial(among, chance[:, np.newaxis])
        drawn += np.where(more, changed, -changed)
    return drawn
