"""Wording of exports: the two reports."""

import math
from collections.abc import Sequence

from calm_core.ingest.samples import SAMPLES
from calm_core.methods import METHODS
from calm_core.planning.plan import Plan
from calm_core.settings import Settings
from calm_core.text import format_count, join_some
from pages.words import numbers
from pages.words.settings import CENTRAL_GUARANTEE, epsilon_in_words, odds_text
from pages.words.texts import Texts

TEXTS = Texts("exports")
__getattr__ = TEXTS.__getattr__


def source_name(settings: Settings) -> str:
    """Return the data in words."""
    if settings.source in SAMPLES:
        return f"sample “{SAMPLES[settings.source].title}”"
    return f"file {settings.file}"


def guarantee_text(settings: Settings) -> str:
    """Return what the privacy of these settings means."""
    local = METHODS[settings.method].trust == "local"
    return epsilon_in_words(settings.epsilon) if local else CENTRAL_GUARANTEE


def tables_title(number: int, count: int) -> str:
    """Return the title above the tables.

    >>> tables_title(3, 56), tables_title(1, 1)
    ('3 tables of 56', 'The only table')
    """
    return f"{number} tables of {count:,}" if count > 1 else "The only table"


def row_text(cell: str, true: float, share: float, low: float | None, high: float | None) -> str:
    """Return a row as text for screen readers.

    >>> row_text("man, drank", 0.2, 0.17, 0.15, 0.21)
    'man, drank: reconstructed 17%, 95% interval 15% to 21%, true 20%'
    """
    between = ""
    if low is not None and high is not None:
        between = f", 95% interval {numbers.percent(low, 0)} to {numbers.percent(high, 0)}"
    return f"{cell}: reconstructed {numbers.percent(share, 0)}{between}, true {numbers.percent(true, 0)}"


def list_attributes(
    attrs: Sequence[tuple[str, Sequence[str]]], rest: int, yes_no: Sequence[str]
) -> str:
    """Return the attributes with their values; those of yes and no together.

    >>> list_attributes([("Sex", ("man", "woman")), ("Smoked", ("no", "yes")), ("Drank", ("no", "yes"))], 2, ("no", "yes"))
    'Sex: man or woman. Yes or no: Smoked, Drank. And 2 more.'
    """
    sentences = [
        f"{title}: {join_some(values, 5).replace(', ', ' or ') if len(values) == 2 else join_some(values, 5)}."
        for title, values in attrs
        if tuple(values) != tuple(yes_no)
    ]
    if both := [title for title, values in attrs if tuple(values) == tuple(yes_no)]:
        sentences.append(f"Yes or no: {', '.join(both)}.")
    return " ".join([*sentences, f"And {rest:,} more."] if rest else sentences)


def setting_rows(settings: Settings, n: int, plan: Plan | None) -> dict[str, str]:
    """Return names and values of what decides the result; `plan` only where people report in views."""
    where = TEXTS.ON_PHONES if METHODS[settings.method].trust == "local" else TEXTS.BY_CURATOR
    rows = {"People": numbers.amount(n), "Privacy": f"ε = {settings.epsilon:g}, {where}"}
    if plan is not None:
        rows["Plan"] = f"{format_count(plan.l, 'question')} each, {format_count(plan.m, 'group')}"
    title = METHODS[settings.method].title
    return rows | {
        "Tables": f"of {format_count(settings.k, 'question')}, by {title}",
        "Seed": str(settings.seed),
    }


def privacy_text(epsilon: float, cells: int) -> str:
    """Return what a report reveals at most; `cells` are the combinations of answers it is about, 0 if not known.

    >>> privacy_text(1.0, 4).partition("Then ")[2]
    'one report lets a reader guess right at most 48 of 100 times, instead of 25.'
    """
    if not cells:
        return odds_text(epsilon)
    factor = math.exp(epsilon)
    return TEXTS.one_report(
        odds=numbers.odds(factor),
        cells=cells,
        # Rounded up: it is a bound.
        right=math.ceil(100 * factor / (factor + cells - 1)),
        blind=numbers.share_of_100(1 / cells),
    )
