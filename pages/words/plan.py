"""Wording of the page Plan, and of its chart of Algorithm 1."""

from collections.abc import Callable, Iterable, Sequence

from calm_core.evaluation.metrics import wrong_of_sse
from calm_core.evaluation.needs import Need
from calm_core.evaluation.prediction import SizeForecast
from calm_core.planning.algorithm1 import Choice, RejectionReason, ViewSize
from calm_core.planning.plan import Plan
from pages.words import numbers
from pages.words.texts import Texts, template

TEXTS = Texts("plan")
__getattr__ = TEXTS.__getattr__


def views_text(names: Sequence[str], views: Sequence[Sequence[str]]) -> str:
    """Return what a picture of views shows.

    >>> views_text("abc", ("ab", "bc"))
    '2 views of 3 attributes; an attribute is in 1 to 2 of them.'
    """
    counts = [sum(name in view for view in views) for name in names]
    return TEXTS.views_shown(m=len(views), d=len(names), least=min(counts), most=max(counts))


def survey_text(plan, wrong: float) -> str:
    """Return the plan of a survey, and the people expected in the wrong cell."""
    epsilon, group = numbers.digits(plan.epsilon, 2), plan.n // plan.m
    text = TEXTS.survey_plan(plan=plan, epsilon=epsilon, group=group, wrong=wrong)
    return f"{text} {TEXTS.EXPECTED}"


def need_text(need: Need) -> str:
    """Return what a question needs, and the plan to use."""
    sentence = need.sentence.replace("epsilon", "ε")
    if need.plan is None:
        return f"**{sentence}**"
    return f"**{sentence}** {TEXTS.needed_plan(plan=need.plan)}"


def theta_text(error: float, cells: float) -> str:
    """Return a threshold as people in the wrong cell, with its value.

    >>> theta_text(0.001, 8)
    'θ = 3.6 of 100 (0.001)'
    """
    return f"θ = {numbers.share_of_100(wrong_of_sse(error, cells))} of 100 ({numbers.digits(error, 2)})"


Write = Callable[[float], str]


def size_text(size: SizeForecast) -> str:
    """Return one bar of the trade-off in words.

    >>> from calm_core.evaluation.prediction import WrongShares
    >>> size_text(SizeForecast(2, 28, WrongShares(0.05, 0.005, 0.001)))
    '2 questions each, in 28 groups: 5.6 of 100 people expected in the wrong cell, by noise 5.0, by sampling 0.5, by rebuilding 0.1'
    """
    parts = ", ".join(
        f"by {name} {numbers.share_of_100(share)}" for name, share in size.wrong._asdict().items()
    )
    return (
        f"{TEXTS.choice_text(l=size.l, m=size.m)}: {numbers.share_of_100(size.wrong.total)} of 100 people expected in the wrong "
        f"cell, {parts}"
    )


def tradeoff_title(plan: Plan, *, by_hand: bool) -> str:
    """Return how many questions each person answers, and who chose that."""
    if by_hand:
        return f"Set by hand: {TEXTS.questions_each(l=plan.l)}"
    return f"Algorithm 1 chooses {TEXTS.questions_each(l=plan.choice.l)}"


def lower_note(chosen: SizeForecast, lowest: SizeForecast) -> str:
    """Return that another number of questions is expected to be better; "" where it hardly is.

    >>> from calm_core.evaluation.prediction import WrongShares
    >>> few, many = (SizeForecast(l, 28, WrongShares(wrong, 0, 0)) for l, wrong in ((2, 0.066), (4, 0.056)))
    >>> lower_note(few, many)
    '4 questions each are expected to put 5.6 instead of 6.6 into the wrong cell. Algorithm 1 knows no rebuilding error; θ stands for it.'
    >>> lower_note(many, many)
    ''
    """
    if chosen == lowest:
        return ""
    return TEXTS.lower_expected(l=lowest.l, lowest=lowest.wrong.total, chosen=chosen.wrong.total)


def tradeoff_text(sizes: Iterable[SizeForecast], chosen: SizeForecast | None) -> str:
    """Return the picture in one sentence."""
    bars = ", ".join(f"{size.l}: {numbers.share_of_100(size.wrong.total)}" for size in sizes)
    chosen_text = "" if chosen is None else f" Chosen: {chosen.l}."
    return f"People of 100 expected in the wrong cell by questions each, {bars}.{chosen_text}"


def join_sizes(sizes: Sequence[int]) -> str:
    """Return several view sizes as text.

    >>> join_sizes([5]), join_sizes([3, 4, 5])
    ('5', '3, 4 and 5')
    """
    *first, last = map(str, sizes)
    return f"{', '.join(first)} and {last}" if first else last


def rejection_text(
    fate: RejectionReason, group: Sequence[ViewSize], best: ViewSize, k: int, write: Write
) -> tuple[str, str]:
    """Return which sizes are rejected, and why.

    Parameters
    ----------
    group : sequence of ViewSize
        The view sizes of this fate, ascending.
    best : ViewSize
        The view size chosen.
    write : callable
        An error in squared fractions, as people in the wrong cell.
    """
    which = join_sizes([size.l for size in group])
    least, of_least = ("at least ", "of at least ") if len(group) > 1 else ("", "")
    noise, sampling = (
        write(min(getattr(size, error) for size in group))
        for error in ("noise_error", "sampling_error")
    )
    cells = numbers.count(round(min(size.cells for size in group)))
    limit = write(max(best.noise_error, best.sampling_error))
    outside = fate in (RejectionReason.NOISE, RejectionReason.TOO_FEW, RejectionReason.GROUPS)
    text = template(TEXTS.REJECTED[fate.name])(
        k=k, cells=f"{least}{cells} cells to tell apart",
        groups=f"{least}{TEXTS.groups(m=min(size.covering for size in group))} needed",
        noise=f"Noise {of_least}{noise}", sampling=f"Sampling {of_least}{sampling}",
        noisier=_worse(noise, limit), fewer=_worse(sampling, limit),
    )  # fmt: skip
    return f"{which} fell:" if outside else f"{which} lost to {best.l}:", text


def _worse(error: str, limit: str) -> str:
    return f"is worse than {limit}" if error != limit else "is no better"


def reason_text(
    choice: Choice, best: ViewSize, view_count: int, k: int, theta: float, write: Write
) -> str:
    """Return why this choice is made, and what it costs.

    Parameters
    ----------
    best : ViewSize
        The view size chosen, with the number of groups that it will have.
    view_count : int
        The number of groups that would hold every table of k, or all views of this size.
    """
    why = template(TEXTS.WHY[choice.branch])(k=k, l=choice.l, groups=TEXTS.groups(m=view_count))
    worst = max(best.noise_error, best.sampling_error)
    if worst <= theta * (1 + 1e-9):
        return f"{why} Both errors stay inside the fence."
    return f"{why} The larger error, {write(worst)}, is outside the fence."
