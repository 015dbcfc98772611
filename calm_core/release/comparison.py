"""Two groups compared: difference, ratio and odds ratio of a share."""

from collections.abc import Callable, Sequence

import numpy as np

from calm_core._checks import check_choice, check_level
from calm_core.errors import InputError
from calm_core.methods.base import Answer
from calm_core.release.estimate import (
    Condition,
    Estimate,
    attributes_of,
    cells_of_condition,
    check_length,
    describe_basis,
    describe_condition,
    describe_source,
    find_share,
    find_sums,
    write_per_100,
)

RATIOS = ("risk", "odds")


def difference(
    answer: Answer,
    condition: Condition,
    between: Sequence[Condition],
    *,
    level: float = 0.95,
) -> Estimate:
    """Share with a condition in one group less that in another, as a fraction.

    The interval joins those of both shares by their own lengths on either side, and knows how their errors go
    together.

    Parameters
    ----------
    answer : Answer
        Of CALM or CALM+.
    condition : mapping
        What is compared.
    between : two mappings
        The groups.
    level : float

    Examples
    --------
    >>> import numpy as np
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> domain = cc.Domain(("sex", "ill"), (2, 2), (("m", "f"), ("no", "yes")))
    >>> people = cc.Dataset.from_codes(rng.integers(0, 2, (50_000, 2)), domain)
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = difference(answer, {"ill": "yes"}, between=({"sex": "f"}, {"sex": "m"}))
    >>> found.low < 0 < found.high
    True
    """
    level = check_level(level)
    attrs, shares, ends, together, (one, other, about) = _compare(answer, condition, between, level)
    value = shares[0] - shares[1]
    (low1, high1), (low2, high2) = ends
    low = value - _join(shares[0] - low1, high2 - shares[1], together)
    high = value + _join(high1 - shares[0], shares[1] - low2, together)
    low, high = max(low, -1.0), min(high, 1.0)
    check_length(low, high, span=2.0)
    reach = f"{write_per_100(low)} to {write_per_100(high)}"
    text = f"{write_per_100(value)} points ({reach}) between people whose {one} and those whose {other}: {about}"
    return Estimate(value, low, high, (attrs,), text, describe_basis(answer, attrs), level)


def ratio(
    answer: Answer,
    condition: Condition,
    between: Sequence[Condition],
    *,
    kind: str = "risk",
    level: float = 0.95,
) -> Estimate:
    """Share with a condition in one group over that in another, or the ratio of their odds.

    Parameters
    ----------
    answer, condition, between, level
        As of `difference`.
    kind : {"risk", "odds"}

    Examples
    --------
    >>> import numpy as np
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> domain = cc.Domain(("sex", "ill"), (2, 2), (("m", "f"), ("no", "yes")))
    >>> people = cc.Dataset.from_codes(rng.integers(0, 2, (50_000, 2)), domain)
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = ratio(answer, {"ill": "yes"}, between=({"sex": "f"}, {"sex": "m"}), kind="odds")
    >>> found.low < 1 < found.high
    True
    """
    level, kind = check_level(level), check_choice("kind", kind, RATIOS)
    attrs, shares, ends, together, (one, other, about) = _compare(answer, condition, between, level)
    scale: Callable = np.log if kind == "risk" else lambda p: np.log(p / (1 - p))
    for part, (low, high) in zip(shares, ends):
        if low <= 0 or (kind == "odds" and high >= 1):
            raise InputError(
                f"a share may be {'0' if low <= 0 else '1'} ({write_per_100(part)} of 100), so it has "
                "no ratio; ask for the difference"
            )
    first, second = (scale(part) for part in shares)
    (low1, high1), (low2, high2) = ([scale(end) for end in pair] for pair in ends)
    value = float(np.exp(first - second))
    low = float(np.exp(first - second - _join(first - low1, high2 - second, together)))
    high = float(np.exp(first - second + _join(high1 - first, second - low2, together)))
    called = "times as large a share" if kind == "risk" else "times the odds"
    reach = f"{low:.3g} to {high:.3g}"
    text = f"{value:.3g} {called} ({reach}) among people whose {one} as among those whose {other}: {about}"
    return Estimate(value, low, high, (attrs,), text, describe_basis(answer, attrs), level)


def _join(first: float, second: float, together: float) -> float:
    """Length of the interval of a difference on one side, from those of both parts and their correlation."""
    return float(np.sqrt(max(first**2 + second**2 - 2 * together * first * second, 0.0)))


def _compare(answer: Answer, condition: Condition, between: Sequence[Condition], level: float):
    """Attributes, both shares, their intervals, the correlation of their errors, and words for the groups and the rest."""
    if not isinstance(between, Sequence) or len(between) != 2:
        raise InputError("between must be two groups, such as ({'sex': 'f'}, {'sex': 'm'})")
    domain = answer.domain
    attrs = attributes_of(domain, condition, *between)
    sums = find_sums(answer, attrs)
    met = cells_of_condition(domain, attrs, condition)
    shares, ends, moves, words = [], [], [], []
    for group in between:
        inside = cells_of_condition(domain, attrs, group)
        words.append(describe_condition(domain, group))
        value, *interval = find_share(sums, met, inside, level, words[-1])
        shares.append(value)
        ends.append(interval)
        moves.append(((met & inside) - value * inside) / (sums.table * inside).sum())
    lengths = [
        float(np.diff(sums.interval(weights, level))[0])
        for weights in (*moves, moves[0] - moves[1])
    ]
    a, b, c = lengths
    together = (a**2 + b**2 - c**2) / (2 * a * b) if a * b > 0 else 0.0
    source = describe_source(sums, moves[0] - moves[1])
    words.append(f"{describe_condition(domain, condition)}.{source}")
    return attrs, shares, ends, float(np.clip(together, -0.9, 0.9)), words
