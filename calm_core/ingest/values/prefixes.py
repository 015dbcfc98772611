"""Regions of codes: values that start alike, such as postcodes."""

from collections import Counter
from collections.abc import Sequence

MIN_GROUPS = 3


def by_prefix(values: Sequence[str], most: int) -> tuple[str, ...] | None:
    """What each value starts with, as long as that gives at most `most` groups; None if it gives too few.

    Examples
    --------
    >>> by_prefix(["10115", "10117", "20095", "20097", "50667", "50668"], 4)
    ('1', '1', '2', '2', '5', '5')
    >>> by_prefix(["Köln", "Bonn", "Ulm", "Jena"], 3) is None
    True
    """
    if len(values) <= most or not all(any(map(str.isdigit, value)) for value in values):
        return None
    best, found = None, 0
    for length in range(1, min(map(len, values))):
        starts = tuple(value[:length] for value in values)
        groups = Counter(starts)
        if len(groups) > most:
            break
        # The shortest start that tells so many groups apart.
        if len(groups) > found and len(groups) >= MIN_GROUPS and 2 * len(groups) <= len(values):
            best, found = starts, len(groups)
    return best
