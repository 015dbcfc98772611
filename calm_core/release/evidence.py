"""What questions rest on: the tables of an answer, with the errors of sums of their cells."""

from collections.abc import Iterable

from calm_core.errors import InputError
from calm_core.inference.shrinkage.answers import PlusMarginals, PlusNote, TableSums, infer_plus
from calm_core.inference.stacking import StackedMarginals
from calm_core.methods.base import Answer, ViewsAnswer
from calm_core.runtime.weak_cache import cache_per_object

MAX_ATTRIBUTES = 6


@cache_per_object
def _infer_errors(answer: ViewsAnswer) -> PlusMarginals:
    """CALM+'s inference from the reports of an answer, which knows its errors."""
    inferred = answer.inferred
    if isinstance(inferred, PlusMarginals):
        return inferred
    if isinstance(inferred, StackedMarginals):
        return inferred.members.plus
    return infer_plus(answer.noisy)


def find_sums(answer: Answer | PlusMarginals, attrs: Iterable[str]) -> TableSums:
    """The table over some attributes and the errors of its sums; the table is the answer's own.

    Raises
    ------
    InputError
        If the answer does not come from reports, the attributes are unknown or too many, or nobody
        reported on one.
    """
    attrs = answer.domain.canonical(attrs)
    if len(attrs) > MAX_ATTRIBUTES:
        raise InputError(
            f"a question can be about at most {MAX_ATTRIBUTES} attributes; this one is about {len(attrs)}"
        )
    if isinstance(answer, PlusMarginals):
        return answer.sums(attrs)
    if not isinstance(answer, ViewsAnswer):
        raise InputError(
            "this answer has no intervals, so it cannot be asked; collect with calm_plus or calm"
        )
    return _infer_errors(answer).sums(attrs, center=answer.marginal(attrs))


def describe_basis(answer: Answer | PlusMarginals, attrs: tuple[str, ...]) -> tuple[str, ...]:
    """Sentences about what a table over some attributes rests on."""
    if answer.covers(attrs):
        return ("Some people reported on all of these attributes together.",)
    rebuilt = "Nobody reported on all of these attributes together: the table is rebuilt from smaller ones."
    note = answer.explain(attrs) if isinstance(answer, ViewsAnswer | PlusMarginals) else None
    return (note.assumption or rebuilt if isinstance(note, PlusNote) else rebuilt,)
