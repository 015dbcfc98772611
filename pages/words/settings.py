"""Wording of the settings bar, of links, and of refused settings."""

from collections.abc import Mapping, Sequence

from calm_core.text import format_count, format_reasons, pluralize
from pages.words import numbers
from pages.words.texts import read_texts

TEXTS = read_texts("settings")
LABELS = TEXTS["labels"]
# Any number, beside the few that can be chosen.
OWN = {"epsilon": "ε, any number", "n": "n, any number", "theta": "θ, any number"}
# Shown where the pointer rests on a control.
HELP = TEXTS["help"]
PLAY = {"steps": "Play", "arrival": "Play", "collections": "Play 20"}
ALL = "all rows"
ALGORITHM_1 = "Algorithm 1 decides"


def typical_text(points: float, *, predicted: bool) -> str:
    """Return the error beside the slider, for screen readers.

    >>> typical_text(1.94, predicted=True)
    'A typical cell is off by about ±1.9 points.'
    """
    return f"A typical cell is off by {'about ' if predicted else ''}{numbers.points(points)}."


def threshold_labels(points: Sequence[float]) -> list[str]:
    """Return thresholds in points, with more digits where two would look the same.

    >>> threshold_labels([0.152, 0.215, 1.13])
    ['±0.15 points', '±0.21 points', '±1.1 points']
    >>> threshold_labels([1.1292, 1.1344, 2.0])
    ['±1.129 points', '±1.134 points', '±2.0 points']
    """
    told = [numbers.points(one) for one in points]
    for digits in range(2, numbers.MAX_DIGITS + 1):
        told = [
            text if told.count(text) == 1 else numbers.points_with_digits(one, digits)
            for one, text in zip(points, told)
        ]
    return told


EDITED_ELSEWHERE = (
    "The columns were edited where this link was made: load their schema file on the Data page. Until "
    "then they are as detected."
)
LINK_TITLE = "**Link to this page with these settings**"
LINK_WITHOUT_FILE = "An uploaded file is not part of the link: it stays with you."
LINK_WITHOUT_COLLECTION = "The collection is not part of the link: it stays with you."
SAME_COMMAND = "**Same numbers on the command line**"
SCHEMA_NEEDED = "schema.json: save it on the Data page."
HIDE = "Hide from those who open it"
HIDEABLE = TEXTS["hideable"]
WAY_BACK = "Back to the last settings that worked"
STOPPED = "Stopped: these are the settings whose tables were there before."
NOTHING_CHANGED = "Nothing was changed."
SCHEMA_MISSING = "the edited columns of this link are not here; load their schema file"


def changed_text(told: str) -> str:
    """Return which settings were changed."""
    return f"Settings changed: {told}."


def other_file_text(file: str, awaited: str) -> str:
    """Return that another file than the link's is used."""
    return f"The link's settings are used for {file}, which differs from the {awaited} it was made with."


def other_columns_text(file: str, awaited: str) -> str:
    """Return that another file lacks columns of the link."""
    return (
        f"{file} differs from the {awaited} that the link was made with and lacks some of its "
        "attributes, so the first of its own are used."
    )


def smaller_tables_text(k: int, chosen: int) -> str:
    """Return that tables are smaller because the data has fewer attributes."""
    return f"This data has {format_count(k, 'attribute')}, so tables are over {k} instead of {chosen}. With other data they are over {chosen} again."


def file_missing(file: str) -> str:
    """Return the error for a missing file."""
    return f"the file {file or 'of this link'} is not here; upload it on the Data page"


def unknown_parts(name: str, parts: Sequence[str]) -> str:
    """Return that a link names unknown pages or controls.

    >>> unknown_parts("hide", ["zz"])
    'hide in the link names zz, which this version does not know: it was left out.'
    """
    what = pluralize(len(parts), "it was", "they were")
    return f"{name} in the link names {', '.join(parts):.60}, which this version does not know: {what} left out."


def missing_attributes(names: list[str]) -> str:
    """Return that a link names attributes that are not used."""
    return (
        f"attrs in the link names {', '.join(names):.60}, not among the attributes used "
        "here: choose attributes on the Tables page."
    )


def missing_values(chosen: list[str]) -> str:
    """Return that a link names values that do not exist.

    >>> missing_values(["age=3-90"])
    'inside in the link names age=3-90, not among the values here: choose values on the Tables page.'
    """
    return (
        f"inside in the link names {', '.join(chosen):.60}, not among the values here: choose values on "
        "the Tables page."
    )


def unfit_link(error: object) -> str:
    """Return that the data refuses the settings of a link."""
    return f"The link does not fit its data: {error}. The sample is shown as usual."


def k_too_large(k: int, d: int) -> str:
    """Return the error for a marginal over more attributes than there are."""
    return (
        f"k ({k}) must be at most {d}, the number of attributes; "
        "choose a smaller k or more attributes"
    )


def too_few_attributes(names: tuple[str, ...], left: Mapping[str, str]) -> str:
    """Return the error for data without two usable attributes, with the reasons.

    >>> too_few_attributes(("age",), {"k": "every row holds 'same'"})
    "a table needs at least 2 attributes, and only 'age' can be used ('k': every row holds 'same'); add columns"
    """
    known = ", ".join(f"{name!r:.60}" for name in names) or "none"
    return f"a table needs at least 2 attributes, and only {known} can be used{format_reasons(left)}; add columns"


def not_whole(name: str, text: object) -> str:
    """Return the error for a typed whole number."""
    return f"{name} ({str(text):.40}) must be a whole number"
