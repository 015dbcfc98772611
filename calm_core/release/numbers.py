"""Mean, variance and quantiles of an attribute whose values are numbers, or bands of numbers."""

import re
from collections.abc import Sequence

import numpy as np

from calm_core._checks import check_fraction, check_level
from calm_core.errors import InputError
from calm_core.methods.base import Answer
from calm_core.release.estimate import (
    Condition,
    Estimate,
    attributes_of,
    cells_of_condition,
    check_group,
    describe_basis,
    describe_condition,
    describe_source,
    find_ratio,
    find_sums,
    spread_along,
)
from calm_core.tables.domain import Domain

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?")
_BELOW, _ABOVE = (
    re.compile(r"^(?:up to|under|below|less than)\b"),
    re.compile(r"^(?:above|over|more than)\b"),
)


def read_scores(domain: Domain, name: str) -> np.ndarray:
    """The number that each value of an attribute stands for: a band counts as its middle.

    Parameters
    ----------
    domain : Domain
    name : str

    Returns
    -------
    ndarray, shape (c,)
        NaN for values that are no number, such as "missing".

    Raises
    ------
    InputError
        If fewer than two values are numbers.

    Examples
    --------
    >>> domain = Domain(("age",), (4,), (("up to 20", "above 20 to 40", "above 40", "missing"),))
    >>> read_scores(domain, "age").tolist()
    [10.0, 30.0, 50.0, nan]
    """
    labels = domain.labels_of(name)
    scores = np.array([_middle(label) for label in labels])
    _close_ends(scores, labels)
    if np.isfinite(scores).sum() < 2:
        raise InputError(
            f"the values of {name!r:.60} are no numbers ({', '.join(labels[:4]):.80}); give them labels with numbers"
        )
    return scores


def _middle(label: str) -> float:
    """The middle of the numbers in a label; NaN without any."""
    numbers = [float(text.replace(",", "")) for text in _NUMBER.findall(label)]
    return float(np.mean(numbers[:2])) if numbers else np.nan


def _close_ends(scores: np.ndarray, labels: Sequence[str]) -> None:
    """Open bands, such as "above 40", count as half as wide as their neighbor beyond its end, not below 0 at the low end."""
    places = np.flatnonzero(np.isfinite(scores))
    for at in places:
        below = _BELOW.match(labels[at])
        above = _ABOVE.match(labels[at]) and len(_NUMBER.findall(labels[at])) == 1
        halves = [
            abs(scores[other] - scores[at])
            for other in places
            if other != at and len(_NUMBER.findall(labels[other])) == 2
        ]
        if not halves or not (below or above):
            continue
        half, end = min(halves), scores[at]
        if below:
            scores[at] = max(end - half, end / 2 if end > 0 else -np.inf)
        else:
            scores[at] = end + half


def _find_group(answer: Answer, name: str, given: Condition | None, level: float):
    """Sums, scores of all cells (0 where there is no number), the group that has a number, and what is asked."""
    domain = answer.domain
    attrs = attributes_of(domain, {name: 0}, given)
    sums, scores = find_sums(answer, attrs), read_scores(domain, name)
    spread = np.broadcast_to(spread_along(scores, attrs, name), sums.table.shape)
    group = np.isfinite(spread)
    what, group_name = domain.title_of(name), f"{name} is a number"
    if given:
        group = group & cells_of_condition(domain, attrs, given)
        group_name = describe_condition(domain, given)
        what += f" among people whose {group_name}"
    check_group(sums, group, level, group_name)
    return attrs, sums, np.nan_to_num(spread), group, what


def mean(
    answer: Answer,
    name: str,
    given: Condition | None = None,
    *,
    level: float = 0.95,
) -> Estimate:
    """Mean of an attribute whose values are numbers or bands, among all people or a group.

    Parameters
    ----------
    answer : Answer
        Of CALM or CALM+.
    name : str
        The attribute. A band counts as its middle, which the notes say; values without a number
        are left out.
    given : mapping, optional
        The group.
    level : float

    Examples
    --------
    >>> import numpy as np
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> domain = cc.Domain(("sex", "children"), (2, 4))
    >>> people = cc.Dataset.from_codes(rng.integers(0, (2, 4), (50_000, 2)), domain)
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = mean(answer, "children")
    >>> found.low < 1.5 < found.high
    True
    """
    level = check_level(level)
    attrs, sums, scores, group, what = _find_group(answer, name, given, level)
    ends = float(scores[group].min()), float(scores[group].max())
    value, low, high = find_ratio(sums, scores * group, group, level, ends)
    text = f"The mean of {what} is {value:.4g} ({low:.4g} to {high:.4g})."
    text += describe_source(sums, (scores - value) * group)
    notes = (*describe_basis(answer, attrs), *_describe_bands(answer.domain, name))
    return Estimate(value, low, high, (attrs,), text, notes, level)


def quantile(
    answer: Answer,
    name: str,
    q: float = 0.5,
    given: Condition | None = None,
    *,
    level: float = 0.95,
) -> Estimate:
    """The value that a share q of people do not exceed; the interval from those of the shares below.

    Parameters
    ----------
    answer, name, given, level
        As of `mean`.
    q : float
        Share from 0 to 1; 0.5 is the median.

    Examples
    --------
    >>> import numpy as np
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> domain = cc.Domain(("sex", "children"), (2, 4))
    >>> people = cc.Dataset.from_codes(rng.integers(0, (2, 3), (50_000, 2)), domain)
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = quantile(answer, "children", 0.5)
    >>> found.value, found.low, found.high
    (1.0, 1.0, 1.0)
    """
    level, q = check_level(level), check_fraction("q", q, remedy="0.5 is the median", one=False)
    attrs, sums, scores, group, what = _find_group(answer, name, given, level)
    steps = np.unique(scores[group])
    ratios = [find_ratio(sums, group & (scores <= step), group, level) for step in steps[:-1]]
    shares, lows, highs = zip(*ratios) if ratios else ((), (), ())
    value = steps[int(np.searchsorted(np.maximum.accumulate(shares), q))]
    low = steps[int(np.searchsorted(np.maximum.accumulate(highs), q))]
    high = steps[int(np.searchsorted(np.maximum.accumulate(lows), q))]
    called = "median" if q == 0.5 else f"{q:.0%} quantile"
    text = f"The {called} of {what} is {value:.4g} ({low:.4g} to {high:.4g})."
    if ratios:
        # The share below that is closest to q decides.
        at = int(np.argmin(np.abs(np.array(shares) - q)))
        text += describe_source(sums, group * ((scores <= steps[at]) - shares[at]))
    notes = (*describe_basis(answer, attrs), *_describe_bands(answer.domain, name))
    return Estimate(float(value), float(low), float(high), (attrs,), text, notes, level)


def _describe_bands(domain: Domain, name: str) -> tuple[str, ...]:
    """What bands cost, where labels hold more than one number."""
    bands = sum(len(_NUMBER.findall(label)) > 1 for label in domain.labels_of(name))
    if not bands:
        return ()
    return ("Bands count as their middle, so the answer is about the bands and no finer.",)
