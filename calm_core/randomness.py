"""Independent random streams keyed by what they are for; and draws that numpy has for smaller numbers only."""

import zlib

import numpy as np

from calm_core._checks import check_count

# numpy draws without replacement from fewer than 10^9 users.
NUMPY_POOL = 10**9


def stream(seed: int, *keys: int | str) -> np.random.Generator:
    """The generator for (seed, keys); equal keys give equal streams, different keys independent ones.

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
    """How many of each kind are among `take` users drawn out of a pool without replacement.

    Exact for any numbers that int64 holds; numpy's own draws end at 10^9 users.

    Parameters
    ----------
    pool : ndarray of int64, shape (groups, kinds)
        Users of each kind.
    take : ndarray of int64, shape (groups,)
        How many are drawn, at most as many as the group has.
    rng : numpy Generator
        Draws them.

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
    """Everybody comes with the chance that fits; who is missing or too many is drawn the same way.

    Users are treated alike in every round, so whoever has come once the number is right is a uniform
    sample. What is left to draw shrinks to about its square root each time.
    """
    drawn = np.zeros_like(pool)
    while np.any(missing := take - drawn.sum(axis=1)):
        more = (missing > 0)[:, np.newaxis]
        among = np.where(more, pool - drawn, drawn)
        chance = np.abs(missing) / np.maximum(among.sum(axis=1), 1)
        changed = rng.binomial(among, chance[:, np.newaxis])
        drawn += np.where(more, changed, -changed)
    return drawn
