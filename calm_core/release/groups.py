"""Who pays: the same share in every group of an attribute, small groups flagged."""

from dataclasses import dataclass

from calm_core._checks import check_fraction
from calm_core.errors import InputError
from calm_core.methods.base import Answer
from calm_core.release.conditions import Condition, describe_condition
from calm_core.release.estimate import Estimate, Finding, write_per_100
from calm_core.release.shares import share

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
    found = []
    for code, label in enumerate(answer.domain.value_names_of(by)):
        people = share(answer, {by: code}, level=level)
        try:
            estimate = share(answer, condition, given={by: code}, level=level)
        except InputError:
            estimate = None
        reach = None if estimate is None else (estimate.high - estimate.low) / 2
        flagged = reach is None or reach > wide
        size = f"{write_per_100(people.value)} of 100 people"
        said = "nothing can be said" if reach is None else f"± {write_per_100(reach)} points"
        found.append(GroupShare(label, people, estimate, flagged, f"{label} ({size}): {said}."))
    small = [one.sentence for one in found if one.flagged]
    text = f"{words}, by {answer.domain.title_of(by)}: {len(found) - len(small)} of {len(found)} groups are known well."
    return GroupShares(tuple(found), text, tuple(small))
