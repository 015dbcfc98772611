"""Which view size Algorithm 1 chose, and why it rejected the others."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from calm_core._checks import MAX_CELLS
from calm_core.designs import covering_size
from calm_core.planning.algorithm1 import (
    Candidate,
    Choice,
    mean_cells,
    noise_error,
    sampling_error,
)
from calm_core.runtime.cancellation import checkpoint


class RejectionReason(Enum):
    """Why a view size was not chosen, in the order in which Algorithm 1 rejects them.

    Attributes
    ----------
    NOISE
        Its noise error exceeds theta.
    TOO_FEW
        Has fewer than k attributes, while the noise error of views of k is within theta.
    GROUPS
        Needs more views than theta allows to cover every k attributes.
    SAMPLING, BALANCE
        Fits, but its sampling error, or its noise error, is larger than the error of the chosen size.
    SMALLER
        Smaller than the chosen size, which is itself below k.
    MORE_GROUPS
        Needs no fewer views than the chosen size, which already needs too many.
    CHOSEN
        The chosen size.
    """

    NOISE = "noise"
    TOO_FEW = "too few"
    GROUPS = "groups"
    SAMPLING = "sampling"
    BALANCE = "balance"
    SMALLER = "smaller"
    MORE_GROUPS = "more groups"
    CHOSEN = "chosen"


MIN_SHOWN = 4


@dataclass(frozen=True)
class ViewSize(Candidate):
    """A view size whose number of views and sampling error are known."""

    covering: int
    sampling_error: float


def view_sizes(n: int, sizes: Sequence[int], epsilon: float, k: int) -> tuple[ViewSize, ...]:
    """Both errors of every view size, also of those that Algorithm 1 skips.

    A view of fewer than k attributes cannot cover k attributes: its number of views is that of all views
    of its size. Views with more cells than the limit are left out.

    Examples
    --------
    >>> found = view_sizes(60_000, (2,) * 8, 2.0, 3)
    >>> [(size.l, size.covering) for size in found]
    [(2, 28), (3, 56), (4, 14), (5, 8), (6, 4), (7, 4), (8, 1)]
    """
    d, found = len(sizes), []
    for l in range(min(2, k), d + 1):  # noqa: E741 - the paper's name
        checkpoint()
        cells = mean_cells(sizes, l)
        if l > 2 and cells > MAX_CELLS:
            break
        m = covering_size(d, l, min(k, l))
        noise = k * noise_error(n, d, epsilon, l, cells)
        found.append(ViewSize(l, cells, noise, m, sampling_error(n, m)))
    return tuple(found)


def select_view_sizes(choice: Choice, candidates: Sequence[ViewSize]) -> tuple[ViewSize, ...]:
    """The view sizes up to the first that is too noisy, and at least four if there are as many.

    Examples
    --------
    >>> from calm_core.planning.algorithm1 import choose_views
    >>> asked = dict(n=60_000, sizes=(2,) * 8, epsilon=1.0, k=3)
    >>> [size.l for size in select_view_sizes(choose_views(**asked), view_sizes(**asked))]
    [2, 3, 4, 5]
    """
    first_noisy = find_largest_quiet_view(choice) + 1
    return tuple(
        size for i, size in enumerate(candidates) if i < MIN_SHOWN or size.l <= first_noisy
    )


def group_rejections(
    choice: Choice, candidates: Iterable[ViewSize], k: int
) -> tuple[tuple[RejectionReason, tuple[int, ...]], ...]:
    """The rejected view sizes grouped by reason, in the order of Algorithm 1.

    Examples
    --------
    >>> from calm_core.planning.algorithm1 import choose_views
    >>> asked = dict(n=60_000, sizes=(2,) * 8, epsilon=2.0, k=3)
    >>> found = group_rejections(choose_views(**asked), view_sizes(**asked), 3)
    >>> [(reason.value, sizes) for reason, sizes in found]
    [('noise', (5, 6, 7, 8)), ('too few', (2,)), ('sampling', (3,))]
    """
    found = find_rejection_reasons(choice, candidates, k)
    return tuple(
        (reason, tuple(size for size in found if found[size] is reason))
        for reason in RejectionReason
        if reason is not RejectionReason.CHOSEN and reason in found.values()
    )


def find_largest_quiet_view(choice: Choice) -> int:
    """The largest view size whose noise error stays within theta, at least 2."""
    return max([2, *(step.l for step in choice.trace if step.phase == "noise" and step.holds)])


def find_rejection_reasons(
    choice: Choice, candidates: Iterable[ViewSize], k: int
) -> dict[int, RejectionReason]:
    """The reason for each of these view sizes, by l.

    Examples
    --------
    >>> from calm_core.planning.algorithm1 import choose_views
    >>> asked = dict(n=60_000, sizes=(2,) * 8, epsilon=2.0, k=3)
    >>> found = find_rejection_reasons(choose_views(**asked), view_sizes(**asked)[:4], 3)
    >>> [(l, reason.value) for l, reason in found.items()]
    [(2, 'too few'), (3, 'sampling'), (4, 'chosen'), (5, 'noise')]
    """
    quiet = find_largest_quiet_view(choice)
    weighed = min((step.l for step in choice.trace if step.phase == "balance"), default=math.inf)

    def reason(size: ViewSize) -> RejectionReason:
        if size.l == choice.l:
            return RejectionReason.CHOSEN
        if size.l > quiet:
            return RejectionReason.NOISE
        if choice.branch == "views too small":
            return RejectionReason.SMALLER
        if size.l < k:
            return RejectionReason.TOO_FEW
        if choice.branch == "too many views":
            return RejectionReason.MORE_GROUPS
        if size.l < weighed:
            return RejectionReason.GROUPS
        return (
            RejectionReason.SAMPLING
            if size.sampling_error > size.noise_error
            else RejectionReason.BALANCE
        )

    return {size.l: reason(size) for size in candidates}
