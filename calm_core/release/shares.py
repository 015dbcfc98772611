"""Share of people with a condition, among all or among those with another."""

from calm_core._checks import check_level
from calm_core.methods.base import Answer
from calm_core.release.conditions import (
    Condition,
    attributes_of,
    cells_of_condition,
    describe_condition,
)
from calm_core.release.estimate import (
    Estimate,
    check_length,
    describe_basis,
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
        among = ""
    else:
        group = cells_of_condition(domain, attrs, given)
        called = describe_condition(domain, given)
        value, low, high = find_share(sums, inside, group, level, called)
        weights = (inside & group) - value * group
        among = f" among those whose {called}"
    check_length(low, high)
    ends = f"{write_per_100(low)} to {write_per_100(high)}"
    text = f"{words} for {write_per_100(value)} of 100 people ({ends}){among}."
    text += describe_source(sums, weights)
    return Estimate(value, low, high, (attrs,), text, describe_basis(answer, attrs), level)
