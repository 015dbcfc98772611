"""Where a table comes from: one view that held all of it, or several that had to be joined."""

from calm_core.evaluation.run import Run
from calm_core.inference.shrinkage import PlusNote
from pages import words
from pages.ui import naming
from pages.ui.components.table import Origin

# Smaller tables that are named; of more their number is told.
NAMED = 8
STAGES = ("stages", words.marginals.SEE_STAGES)


def origin(outcome: Run, attrs: tuple[str, ...]) -> Origin:
    """What is said beside the chart."""
    answer = outcome.answer
    action = STAGES if "views" in answer.offers else None
    if "explain" not in answer.offers:
        return Origin(*words.marginals.derived(answer.covers(attrs)), action)
    note = answer.explain(attrs)
    if isinstance(note, PlusNote):
        return Origin(note.text, "", action)
    if note.covered:
        return Origin(*words.marginals.covered(len(attrs), len(note.views)), action)
    sizes = {len(part) for part in note.constraints}
    return Origin(*words.marginals.rebuilt(len(attrs), len(note.constraints), sizes), action)


def remarks(outcome: Run, attrs: tuple[str, ...]) -> list[str]:
    """What else there is to say of how the table was made, sentence by sentence."""
    if "explain" not in outcome.answer.offers:
        return []
    note = outcome.answer.explain(attrs)
    if isinstance(note, PlusNote):
        helped = [naming.short(outcome.domain, name) for name in note.neighbors]
        return [words.marginals.helped(helped)] if helped else []
    if note.covered:
        return []
    parts = [naming.joined(outcome.domain, part, 24) for part in note.constraints]
    found = [words.marginals.agrees_with(parts[:NAMED], len(parts))]
    return found if note.converged else [*found, words.marginals.gap(note.violation)]


def views_of(outcome: Run, attrs: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The views a table was made of, where its method says so."""
    if "explain" not in outcome.answer.offers:
        return ()
    note = outcome.answer.explain(attrs)
    return () if isinstance(note, PlusNote) else note.views
