"""Share of people with a condition, among all or among those with another.

Who pays: the same share in every group of an attribute, small groups flagged.
"""

from dataclasses import dataclass

from calm_core._checks import check_fraction, check_level
from calm_core.errors import InputError
from calm_core.methods.base import Answer
from calm_core.release.estimate import (
    Condition,
    Estimate,
    Finding,
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


def share(
    answer: Answer,
    condition: Condition,
    given: Condition | None = None,
    *,
    level: float = 0.95,
) -> Estimate:
    """Share of people who meet a condition, among all people or among those who meet another.

    Parameters
    ----------
    answer : Answer
        Of CALM or CALM+, from a release, an opened state or a class.
    condition : mapping of str to values
        One value, several, or `ValueRange` two of an ordered attribute, by attribute.
    given : mapping, optional
        The group that the share is of.
    level : float
        Probability that the interval holds the true share.

    Returns
    -------
    Estimate
        Fractions.

    Raises
    ------
    InputError
        If an attribute or value is unknown, the group may be empty, or the share
        could be nearly anything.

    Examples
    --------
    >>> import numpy as np
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> domain = cc.Domain(("sex", "ill"), (2, 2), (("m", "f"), ("no", "yes")))
    >>> people = cc.Dataset.from_codes(rng.integers(0, 2, (50_000, 2)), domain)
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = share(answer, {"ill": "yes"}, given={"sex": "f"})
    >>> found.low < 0.5 < found.high, found.tables
    (True, (('sex', 'ill'),))
    """
    level, domain = check_level(level), answer.domain
    attrs = attributes_of(domain, condition, given)
    sums = find_sums(answer, attrs)
    inside = cells_of_condition(domain, attrs, condition)
    words = describe_condition(domain, condition)
    if given is None:
        weights = inside.astype(float)
        value = float((sums.table * inside).sum())
        low, high = sums.interval(weights, level)
        group_text = ""
    else:
        group = cells_of_condition(domain, attrs, given)
        group_name = describe_condition(domain, given)
        value, low, high = find_share(sums, inside, group, level, group_name)
        weights = (inside & group) - value * group
        group_text = f" among those whose {group_name}"
    check_length(low, high)
    ends = f"{write_per_100(low)} to {write_per_100(high)}"
    text = f"{words} for {write_per_100(value)} of 100 people ({ends}){group_text}."
    text += describe_source(sums, weights)
    return Estimate(value, low, high, (attrs,), text, describe_basis(answer, attrs), level)


# Half-length of an interval from which a group is flagged.
WIDE = 0.1


@dataclass(frozen=True)
class GroupShare:
    """The share in one group.

    Attributes
    ----------
    group : str
        Its value on screen.
    people : Estimate
        Its share of all people.
    estimate : Estimate or None
        The share in the group; None where it is refused.
    flagged : bool
        Whether little can be said of the group.
    sentence : str
    """

    group: str
    people: Estimate
    estimate: Estimate | None
    flagged: bool
    sentence: str


@dataclass(frozen=True)
class GroupShares(Finding):
    """The share in every group of an attribute, in the order of its values.

    Attributes
    ----------
    groups : tuple of GroupShare
    sentence : str
    notes : tuple of str
    """

    groups: tuple[GroupShare, ...]
    sentence: str
    notes: tuple[str, ...] = ()


def find_group_shares(
    answer: Answer, condition: Condition, by: str, *, wide: float = WIDE, level: float = 0.95
) -> GroupShares:
    """The share of people with a condition in every group, so that one sees how noise falls on small groups.

    Parameters
    ----------
    answer : Answer
        Of CALM or CALM+.
    condition : mapping
        As of `share`.
    by : str
        The attribute whose values are the groups.
    wide : float
        Half-length of an interval above which a group is flagged.
    level : float

    Examples
    --------
    >>> import numpy as np
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> age = (rng.random(20_000) < 0.02).astype(int)
    >>> people = cc.Dataset.from_codes(np.stack([age, rng.integers(0, 2, 20_000)], 1), cc.Domain(("old", "ill"), (2, 2)))
    >>> answer = cc.METHODS["calm_plus"](epsilon=1.0, k=2).release(people, rng=rng)
    >>> [found.flagged for found in find_group_shares(answer, {"ill": 1}, "old").groups]
    [False, True]
    """
    wide = check_fraction("wide", wide, remedy="0.1 is 10 points", one=False)
    if by in condition:
        raise InputError(
            f"the groups must be of another attribute than the condition, which is about {by!r:.60}"
        )
    words = describe_condition(answer.domain, condition)
    groups = []
    for code, label in enumerate(answer.domain.value_names_of(by)):
        people = share(answer, {by: code}, level=level)
        try:
            estimate = share(answer, condition, given={by: code}, level=level)
        except InputError:
            estimate = None
        reach = None if estimate is None else (estimate.high - estimate.low) / 2
        flagged = reach is None or reach > wide
        size = f"{write_per_100(people.value)} of 100 people"
        reach_text = "nothing can be said" if reach is None else f"± {write_per_100(reach)} points"
        groups.append(
            GroupShare(label, people, estimate, flagged, f"{label} ({size}): {reach_text}.")
        )
    small = [one.sentence for one in groups if one.flagged]
    text = f"{words}, by {answer.domain.title_of(by)}: {len(groups) - len(small)} of {len(groups)} groups are known well."
    return GroupShares(tuple(groups), text, tuple(small))
