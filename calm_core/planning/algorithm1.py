"""Algorithm 1 of CALM: how many attributes per view (l) and how many views (m), and why not others."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from calm_core._checks import (
    MAX_CELLS,
    MAX_PEOPLE,
    check_choice,
    check_count,
    check_epsilon,
    check_k,
    check_theta,
)
from calm_core.designs.covering import covering_size
from calm_core.errors import InputError, Toward
from calm_core.runtime.cancellation import checkpoint
from calm_core.text import format_count, pluralize

BRANCHES = ("covered", "views too small", "too many views")


@dataclass(frozen=True)
class Candidate:
    """One view size l with its errors; None where Algorithm 1 did not need them."""

    l: int  # noqa: E741 - the paper's name
    cells: float
    noise_error: float
    covering: int | None
    sampling_error: float | None


@dataclass(frozen=True)
class Step:
    """One comparison of Algorithm 1: `value` against `limit` (None where it is the first), and the conclusion."""

    phase: str
    l: int  # noqa: E741
    value: float
    limit: float | None
    holds: bool
    text: str


@dataclass(frozen=True)
class Choice:
    """The pair (l, m) with every step that led to it.

    Attributes
    ----------
    l, m : int
        Attributes per view and number of views.
    branch : str
        "covered" where every k-way marginal lies in a view, "views too small" where l < k had to be
        accepted, "too many views" where no covering design fits m <= theta n.
    reason : str
        The choice in one sentence.
    trace : tuple of Step
        Every comparison in order.
    candidates : tuple of Candidate
        Every view size looked at, ascending.
    max_views : int
        m_u, the largest number of views whose sampling error stays within theta.

    Raises
    ------
    InputError
        If a number or the branch is none of these.
    """

    l: int  # noqa: E741
    m: int
    branch: str
    reason: str
    trace: tuple[Step, ...]
    candidates: tuple[Candidate, ...]
    max_views: int

    def __post_init__(self):
        check_count("l", self.l)
        check_count("m", self.m)
        check_count("max_views", self.max_views, low=0)
        check_choice("branch", self.branch, BRANCHES)


def noise_error(n: int, d: int, epsilon: float, l: int, cells: float) -> float:  # noqa: E741
    """Noise error NE of one attribute (CALM equation 7), fractions squared.

    `cells` is the number of cells L of a view of l attributes: 2^l if binary.

    Examples
    --------
    >>> round(3 * noise_error(2**16, 8, 1.4, 2, 4), 6)
    0.000475
    """
    e = math.exp(epsilon)
    per_user = min(4 * e, cells - 2 + e) / math.expm1(epsilon) ** 2
    return per_user * cells / l * d / n


def sampling_error(n: int, m: int) -> float:
    """Bound m/n on the sampling error SE of a view reported by n/m users (CALM equation 8)."""
    return m / n


class _Algorithm1:
    """One run of Algorithm 1, which records every comparison."""

    def __init__(self, n: int, sizes: Sequence[int], epsilon: float, k: int, theta: float):
        self.n, self.sizes, self.epsilon, self.k, self.theta = n, sizes, epsilon, k, theta
        self.d = len(sizes)
        # A hair above theta n is still within it: 0.001 * 1000 must give 1.
        self.max_views = max(1, math.floor(theta * n * (1 + 1e-12)))
        self.steps: list[Step] = []
        self.coverings: dict[int, int] = {}

    def cells(self, l: int) -> float:  # noqa: E741
        return mean_cells(self.sizes, l)

    def noise(self, l: int) -> float:  # noqa: E741
        return self.k * noise_error(self.n, self.d, self.epsilon, l, self.cells(l))

    def covering(self, l: int) -> int:  # noqa: E741
        if l not in self.coverings:
            self.coverings[l] = covering_size(self.d, l, self.k)
        return self.coverings[l]

    def compare(self, phase, l, value, limit, yes, no, *, holds=None) -> bool:  # noqa: E741
        holds = value <= limit if holds is None else holds
        finite_limit = None if limit == math.inf else limit
        self.steps.append(Step(phase, l, value, finite_limit, holds, yes if holds else no))
        return holds

    def largest_view(self) -> int:
        """Step 1: the largest l whose noise error stays within theta, never below 2."""
        top = min(2, self.d)
        for l in range(top, self.d + 1):  # noqa: E741
            checkpoint()
            if l > top and self.cells(l) > MAX_CELLS:
                break
            noise = self.noise(l)
            head = f"Views of {l} have L = {self.cells(l):.4g} cells: k·NE = {noise:.3g}"
            yes = f"{head} is within theta = {self.theta:g}, quiet enough."
            no = f"{head} is above theta = {self.theta:g}, too noisy."
            if l == 2:
                no += " Two attributes is the least a view can hold, so it is kept."
            if not self.compare("noise", l, noise, self.theta, yes, no):
                break
            top = l
        return top

    def smallest_covering_view(self, top: int) -> int:
        """Step 3: the smallest l whose covering design fits in max_views; top + 1 if none."""
        low = top + 1
        while low > self.k:
            checkpoint()
            l, size = low - 1, self.covering(low - 1)  # noqa: E741
            views = f"{format_count(size, 'view')} of {l}"
            every = f"every {self.k} attributes" if self.k != 1 else "every attribute"
            cover, are = pluralize(size, "covers", "cover"), pluralize(size, "is", "are")
            yes = f"{views} {cover} {every}: within {self.max_views:,}."
            no = f"{views} {are} needed to cover {every}: more than {self.max_views:,}."
            if not self.compare("coverage", l, size, self.max_views, yes, no):
                break
            low = l
        return low

    def best_of(self, low: int, top: int) -> int:
        """Step 5: the first l in low..top with the least max(SE, k NE)."""
        best, least_error = low, math.inf
        for l in range(low, top + 1):  # noqa: E741
            checkpoint()
            m = self.covering(l)
            sampling, noise = sampling_error(self.n, m), self.noise(l)
            worst = max(sampling, noise)
            head = (
                f"(l, m) = ({l}, {m:,}): the larger of SE = {sampling:.3g} and k·NE = {noise:.3g}"
            )
            self.compare(
                "balance", l, worst, least_error, f"{head} is the least so far.",
                f"{head} is not less than {least_error:.3g}.", holds=worst < least_error,
            )  # fmt: skip
            if worst < least_error:
                best, least_error = l, worst
        return best

    def candidates(self, top: int) -> Iterator[Candidate]:
        looked_at = {step.l for step in self.steps} | {top}
        for l in sorted(looked_at):  # noqa: E741
            checkpoint()
            m = self.coverings.get(l)
            sampling = None if m is None else sampling_error(self.n, m)
            yield Candidate(l, self.cells(l), self.noise(l), m, sampling)


def choose_views(
    n: int, sizes: Iterable[int], epsilon: float, k: int, theta: float = 1e-3
) -> Choice:
    """Choose (l, m) by Algorithm 1 of CALM (section 4.3).

    Parameters
    ----------
    n : int
        Number of users.
    sizes : sequence of int
        Number of values of each of the d attributes; the geometric mean stands for all.
    epsilon : float
        Privacy budget of every user.
    k : int
        Number of attributes in the marginals of interest, at most d.
    theta : float
        Error threshold, a rough estimate of the reconstruction error in SSE.

    Raises
    ------
    InputError
        If a value is out of its range, k exceeds d, or n is below the number of views.

    Examples
    --------
    >>> choice = choose_views(n=65536, sizes=(2,) * 8, epsilon=2.0, k=3)
    >>> choice.l, choice.m, choice.branch
    (4, 14, 'covered')
    """
    sizes = tuple(check_count("number of values", c) for c in sizes)
    d = len(sizes)
    if d < 2:
        raise InputError(
            f"there {'is only 1 attribute' if d else 'are no attributes'}, and views need at least 2; add or choose more columns",
            remedies=[("d", 2)],
        )
    n = check_count("n", n, low=2, high=MAX_PEOPLE)
    epsilon, theta = check_epsilon(epsilon), check_theta(theta)
    k = check_k(k, d)
    run = _Algorithm1(n, sizes, epsilon, k, theta)
    top = run.largest_view()
    if top < k:
        branch, l = "views too small", top  # noqa: E741
        why = f"views of {k} would be too noisy"
    else:
        low = run.smallest_covering_view(top)
        branch = "too many views" if low == top + 1 else "covered"
        l = top if low == top + 1 else run.best_of(low, top)  # noqa: E741
        why = f"no covering of all {k}-way marginals fits in {format_count(run.max_views, 'view')}"
    if branch == "covered":
        m = run.covering(l)
        reason = (
            f"{_views(m, l)} hold{'s' if m == 1 else ''} every {k}-way marginal "
            "with the least of the larger error."
        )
    else:
        # With fewer than ceil(d / l) views some attribute would be in none.
        m = max(min(run.max_views, math.comb(d, l)), math.ceil(d / l))
        reason = (
            f"{_views(m, l)}: {why}, so some {k}-way marginals are rebuilt from smaller pieces."
        )
    check_users(n, m)
    return Choice(l, m, branch, reason, tuple(run.steps), tuple(run.candidates(top)), run.max_views)


def _views(m: int, l: int) -> str:  # noqa: E741
    return f"{format_count(m, 'view')} of {format_count(l, 'attribute')}"


def mean_cells(sizes: Sequence[int], l: int) -> float:  # noqa: E741
    """Cells L of a typical view of l attributes: the geometric mean of the sizes to the power l.

    Examples
    --------
    >>> round(mean_cells((2, 3), 2), 6), mean_cells((2, 2), 2)
    (6.0, 4)
    """
    if all(c == sizes[0] for c in sizes):
        return sizes[0] ** l
    return math.exp(l * sum(map(math.log, sizes)) / len(sizes))


def check_users(n: int, m: int, *, remedies: Iterable[tuple[str, object]] = ()) -> None:
    """Refuse fewer users than views: some view would get no report."""
    if n < m:
        raise InputError(
            f"n ({n:,}) must be at least the number of views m ({m:,}); "
            "use more people, fewer attributes or a smaller theta",
            remedies=[*remedies, ("n", m), ("d", Toward.LESS), ("theta", Toward.LESS)],
        )


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
    d, candidates = len(sizes), []
    for l in range(min(2, k), d + 1):  # noqa: E741 - the paper's name
        checkpoint()
        cells = mean_cells(sizes, l)
        if l > 2 and cells > MAX_CELLS:
            break
        m = covering_size(d, l, min(k, l))
        noise = k * noise_error(n, d, epsilon, l, cells)
        candidates.append(ViewSize(l, cells, noise, m, sampling_error(n, m)))
    return tuple(candidates)


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
    reasons = find_rejection_reasons(choice, candidates, k)
    return tuple(
        (reason, tuple(size for size in reasons if reasons[size] is reason))
        for reason in RejectionReason
        if reason is not RejectionReason.CHOSEN and reason in reasons.values()
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
