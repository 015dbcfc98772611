"""Wording of warnings before and after a collection, and of suggestions."""

import math

from calm_core.methods import METHODS
from pages.words import numbers
from pages.words.privacy import CENTRAL_GUARANTEE
from pages.words.settings import LABELS
from pages.words.texts import read_texts

TEXTS = read_texts("warnings")
CURATOR = (
    "**Central method: a curator is trusted.** {method} takes everybody's true answers and adds noise "
    "to what it publishes. Nobody randomises her own answer; views and groups of Plan and Collect are "
    f"CALM's. {CENTRAL_GUARANTEE}"
)
OWN_DESIGN = TEXTS["own_design"]
# Why another method's collection is not CALM's.
OTHERWISE = TEXTS["otherwise"]
CERTIFIED = TEXTS["certified"]
TOGETHER = (
    "No single change would be enough: fewer attributes, more people and a larger ε help together."
)
# Why a change helps, or what it takes; {value} is what the setting becomes.
HINTS = TEXTS["hints"]


def other_collection_text(why: str, **names: str) -> str:
    """Return that CALM's collection is shown; `why` is a key of `OTHERWISE`.

    >>> other_collection_text("local", method="FC")[:54]
    "Shown here is CALM's collection; FC collects otherwise"
    """
    how = OTHERWISE[why].format(**names)
    return f"Shown here is CALM's collection; {how}. Its results are on Tables and Errors."


def certified_text(share: float, kinds: int, gap: float, bound: float) -> str:
    """Return the certified quality of an optimal design.

    >>> certified_text(0.846, 14, 2e-6, 0.0012)[-87:]
    'could take away at most 0.01% more; reports of any other kind as private, at most 0.2%.'
    """
    # Rounded up: what is promised holds.
    most = (math.ceil(1e4 * gap) / 100, math.ceil(1e3 * bound) / 10)
    told = [f"{value:g}%" for value in most]
    return CERTIFIED.format(
        share=f"{numbers.whole(100 * share)}%", kinds=kinds, gap=told[0], bound=told[1]
    )


def mostly_noise_title(points: float, n: int) -> str:
    """Return that a measured error is mostly noise.

    >>> mostly_noise_title(12.0, 1000)
    'Mostly noise: ±12 points with 1,000 people.'
    """
    return f"Mostly noise: {numbers.points(points)} with {numbers.amount(n)} people."


def expected_noise_title(points: float, n: int) -> str:
    """Return that a predicted error is mostly noise."""
    return f"Expect mostly noise: {numbers.points(points)} with {numbers.amount(n)} people."


def guess_text(points: float) -> str:
    """Return the error of the equal-shares guess."""
    return f"Guessing equal shares is off by {numbers.points(points)}."


def change_label(field: str, before: float | None, value) -> str:
    """Return one changed setting in short, beside its former value.

    >>> change_label("epsilon", 1.0, 2.0), change_label("n", 60_000, 240_000), change_label("n", 60_000, 90_000)
    ('ε 1 → 2', 'n × 4', 'n = 90,000')
    """
    if field in ("epsilon", "k", "d"):
        return f"{SYMBOLS[field]} {before:g} → {value:g}"
    if field == "n" and before and value == 4 * before:
        return "n × 4"
    return setting_text(field, value)


NO_FORMULA = "no formula to predict it"
SYMBOLS = {"epsilon": "ε", "n": "n", "k": "k", "d": "d", "theta": "θ", "l": "ℓ", "m": "m"}
COUNTED = ("n", "m")


def setting_text(field: str, value) -> str:
    """Return a setting with its value; of a method its title.

    >>> setting_text("epsilon", 2.0), setting_text("n", 240_000), setting_text("max_values", 4)
    ('ε = 2', 'n = 240,000', 'at most 4 values')
    >>> setting_text("l", None), setting_text("seed", 0), setting_text("oracle", "grr")
    ('ℓ as Algorithm 1 has it', 'seed 0', 'oracle grr')
    """
    if field in ("l", "m") and value is None:
        return f"{SYMBOLS[field]} as Algorithm 1 has it"
    if field in SYMBOLS:
        return (
            f"{SYMBOLS[field]} = {value:,}" if field in COUNTED else f"{SYMBOLS[field]} = {value:g}"
        )
    if field == "max_values":
        return f"at most {value} values"
    return METHODS[value].title if field == "method" else f"{LABELS[field].lower()} {value}"


def promised_label(text: str, points: float | None) -> str:
    """Return a change with its predicted error.

    >>> promised_label("ε = 2", 1.04), promised_label("k = 2", None)
    ('ε = 2: ±1.0 points', 'k = 2')
    """
    return text if points is None else f"{text}: {numbers.points(points)}"
