"""Words of settings: the bar, links, what is refused, warnings, suggestions, and what epsilon means."""

import math
from collections.abc import Mapping

from calm_core.methods import METHODS
from calm_core.text import format_reasons
from pages.words import numbers
from pages.words.texts import Texts

TEXTS = Texts("settings")
__getattr__ = TEXTS.__getattr__


def wrong_text(wrong: float, *, expected: bool) -> str:
    """Return the error beside the slider, for screen readers.

    >>> wrong_text(0.0587, expected=True), wrong_text(0.0587, expected=False)
    ('6 of 100 people expected in the wrong cell.', '6 of 100 people in the wrong cell.')
    """
    return f"{numbers.people_wrong(wrong)}{' expected' if expected else ''} in the wrong cell."


def file_missing(file: str) -> str:
    """Return the error for a missing file."""
    return f"the file {file or 'of this link'} is not here; upload it on the Data page"


def too_few_attributes(names: tuple[str, ...], left_out: Mapping[str, str]) -> str:
    """Return the error for data without two usable attributes, with the reasons.

    >>> too_few_attributes(("age",), {"k": "every row holds 'same'"})
    "a table needs at least 2 attributes, and only 'age' can be used ('k': every row holds 'same'); add columns"
    """
    names_text = ", ".join(f"{name!r:.60}" for name in names) or "none"
    return f"a table needs at least 2 attributes, and only {names_text} can be used{format_reasons(left_out)}; add columns"


# How privacy is named, by the largest epsilon the name is used for.
STRENGTHS = (
    (0.5, "very strong privacy"),
    (1.0, "strong privacy"),
    (2.0, "moderate privacy"),
    (4.0, "weak privacy"),
    (math.inf, "hardly any privacy"),
)


def strength(epsilon: float) -> str:
    """Return a name for the strength of privacy."""
    return next(name for top, name in STRENGTHS if epsilon <= top)


def yes_rates(epsilon: float) -> tuple[float, float]:
    """Return of 100 people the reports saying yes with a true yes, and with a true no."""
    yes = 100 / (1 + math.exp(-epsilon))
    return yes, 100 - yes


def epsilon_in_words(epsilon: float) -> str:
    """Return what one yes-or-no report reveals."""
    yes, no = yes_rates(epsilon)
    return TEXTS.of_100_people(yes=yes, no=no)


def slider_texts(epsilon: float) -> tuple[str, str]:
    """Return strength, and what one report reveals, for a slider.

    >>> slider_texts(1.0)
    ('Strong privacy.', 'Of 100 true yes answers, 73 are reported as yes.')
    """
    yes = numbers.people(yes_rates(epsilon)[0]).removeprefix("about ")
    name = strength(epsilon)
    return f"{name[:1].upper()}{name[1:]}.", f"Of 100 true yes answers, {yes} are reported as yes."


def unusual_epsilon(epsilon: float) -> str:
    """Return a warning if epsilon hardly protects or leaves almost only noise; else "".

    >>> unusual_epsilon(8.0), unusual_epsilon(4.0)
    ('ε = 8 protects hardly anybody.', '')
    """
    if 0.1 <= epsilon <= 4:
        return ""
    text = TEXTS.protects_nobody if epsilon > 4 else TEXTS.only_noise
    return text(epsilon=epsilon)


def odds_text(epsilon: float) -> str:
    """Return the guarantee as odds."""
    return TEXTS.odds_shifted(factor=math.exp(epsilon))


def other_collection_text(why: str, **names: str) -> str:
    """Return that CALM's collection is shown; `why` is a key of `TEXTS.OTHERWISE`.

    >>> other_collection_text("local", method="FC")[:54]
    "Shown here is CALM's collection; FC collects otherwise"
    """
    how = TEXTS.OTHERWISE[why].format(**names)
    return f"Shown here is CALM's collection; {how}. Its results are on Marginals and Errors."


def change_label(field: str, before: float | None, value) -> str:
    """Return one changed setting in short, beside its former value.

    >>> change_label("epsilon", 1.0, 2.0), change_label("n", 60_000, 240_000), change_label("n", 60_000, 90_000)
    ('ε 1 → 2', 'n × 4', 'n = 90,000')
    """
    if field in ("epsilon", "k", "d"):
        return f"{TEXTS.SYMBOLS[field]} {before:g} → {value:g}"
    if field == "n" and before and value == 4 * before:
        return "n × 4"
    return setting_text(field, value)


def setting_text(field: str, value) -> str:
    """Return a setting with its value; of a method its title.

    >>> setting_text("epsilon", 2.0), setting_text("n", 240_000), setting_text("max_values", 4)
    ('ε = 2', 'n = 240,000', 'at most 4 values')
    >>> setting_text("l", None), setting_text("seed", 0), setting_text("oracle", "grr")
    ('ℓ as Algorithm 1 chooses', 'seed 0', 'oracle grr')
    """
    if field in ("l", "m") and value is None:
        return f"{TEXTS.SYMBOLS[field]} as Algorithm 1 chooses"
    if field in TEXTS.SYMBOLS:
        return (
            f"{TEXTS.SYMBOLS[field]} = {value:,}"
            if field in TEXTS.COUNTED
            else f"{TEXTS.SYMBOLS[field]} = {value:g}"
        )
    if field == "max_values":
        return f"at most {value} values"
    return METHODS[value].title if field == "method" else f"{TEXTS.LABELS[field].lower()} {value}"


def promised_label(text: str, wrong: float | None) -> str:
    """Return a change with the people expected in the wrong cell.

    >>> promised_label("ε = 2", 0.0311), promised_label("k = 2", None)
    ('ε = 2: 3.1 of 100', 'k = 2')
    """
    return text if wrong is None else f"{text}: {numbers.share_of_100(wrong)} of 100"
