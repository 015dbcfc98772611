"""Covering designs and their sizes: the public functions, which check their arguments."""

import math

from calm_core._checks import check_count
from calm_core.designs.constructions import NONE, covering_table, known_size
from calm_core.designs.coverage import from_membership
from calm_core.errors import InfeasibleError, InputError

MAX_BLOCKS = 2_000_000
Blocks = tuple[tuple[int, ...], ...]


def _check_design(d: int, l: int, t: int) -> tuple[int, int, int]:  # noqa: E741
    d, l, t = check_count("d", d), check_count("l", l), check_count("t", t)  # noqa: E741
    if t > min(l, d):
        raise InputError(
            f"t ({t}) must be at most the view size ({min(l, d)}): a view of {min(l, d)} "
            f"attributes cannot hold {t}; choose larger views or a smaller t"
        )
    return d, l, t


def covering_size(d: int, l: int, t: int) -> int:  # noqa: E741
    """Number of blocks of `find_covering(d, l, t)`, without building it (microseconds).

    Parameters
    ----------
    d, l, t : int
        Number of attributes, attributes in a block, attributes to be covered together.

    Raises
    ------
    InputError
        If t is larger than the block.

    Examples
    --------
    >>> covering_size(8, 4, 3), covering_size(3, 2, 2), covering_size(2, 3, 2)
    (14, 3, 1)
    """
    return known_size(*_check_design(d, l, t))


def find_covering(d: int, l: int, t: int) -> Blocks:  # noqa: E741
    """A small set of l-subsets of 0..d-1 such that every t-subset lies in one of them.

    Designs found beforehand are read from the package; all others are built from finite
    geometries and from smaller designs, in proportion to their blocks: for d <= 64, l <= 16 and
    t <= 4 mostly in milliseconds, at most about a second (0.7 s of one core for the 164,114
    blocks of (64, 5, 4)). The answer is the same every time.

    Parameters
    ----------
    d, l, t : int
        Number of attributes, attributes in a block, attributes to be covered together (SPEC 4;
        CALM section 4.3). With l >= d there is one block of all attributes.

    Returns
    -------
    tuple of tuple of int
        covering_size(d, l, t) distinct ascending blocks, in lexicographic order.

    Raises
    ------
    InputError
        If t is larger than the block.
    InfeasibleError
        If the design would have more than 2,000,000 blocks.

    Examples
    --------
    >>> find_covering(3, 2, 2)
    ((0, 1), (0, 2), (1, 2))
    """
    d, l, t = _check_design(d, l, t)  # noqa: E741
    size = known_size(d, l, t)
    if size > MAX_BLOCKS:
        number = f"{size:,}" if size < NONE else f"about {math.comb(d, t) // math.comb(l, t):,}"
        raise InfeasibleError(
            f"covering every {t} of {d} attributes with blocks of {l} would take {number} blocks, "
            f"more than the limit of {MAX_BLOCKS:,}; use larger blocks or a smaller t"
        )
    return tuple(map(tuple, from_membership(covering_table(d, l, t)).tolist()))
