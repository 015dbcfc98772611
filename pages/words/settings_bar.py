"""What the strip at the foot of the window says."""

from collections.abc import Sequence

from pages.words import numbers

LABELS = {
    "region": "Settings",
    "source": "Data",
    "epsilon": "Privacy ε",
    "strong": "strong",
    "weak": "weak",
    "k": "Tables of k =",
    "d": "Attributes d",
    "n": "People n",
    "theta": "Threshold θ",
    "method": "Method",
    "oracle": "Oracle",
    "l": "View size ℓ",
    "m": "Number of views m",
    "design": "Views of CALM+",
    "nonnegativity": "Non-negativity",
    "rounds": "Rounds",
    "reconstruction": "Rebuilding",
    "queries": "Tables scored",
    "seed": "Seed",
    "more": "More settings",
    "change": "Change",
    "close": "Close",
    "noise": "New noise",
    "pause": "Pause",
    "again": "Play again",
    "leave": "Leave lecture mode",
}
# Any number, beside the few that can be chosen.
OWN = {"epsilon": "ε, any number", "n": "n, any number", "theta": "θ, any number"}
# Shown where the pointer rests on a control.
HELP = {
    "epsilon": "How far one report may shift the odds between two answers: at most e^ε to 1.",
    "k": "Tables over any k attributes are to be released.",
    "d": "The first d usable attributes; the Data page lets you choose and order them.",
    "n": (
        "Fewer rows are drawn at random, more are duplicated, as the papers do. Above 5,000,000 the table "
        "is the population: so many people, up to 10¹², are drawn from it with replacement."
    ),
    "theta": "Algorithm 1 keeps noise and sampling below θ where it can.",
    "design": (
        "Which questions CALM+ asks; no other method changes, and everybody still reports once. CALM's "
        "views: as Algorithm 1 chooses them. All pairs, all triples: equally many people each. By predicted "
        "risk: half of the people on all pairs, the others where formulas expect the largest errors. Two "
        "phases: what half of the people report on all pairs decides what the others are asked."
    ),
}
PLAY = {"steps": "Play", "arrival": "Play", "collections": "Play 20"}
ALL = "all rows"
ALGORITHM_1 = "Algorithm 1 decides"


def typical_text(points: float, *, predicted: bool) -> str:
    """The slider's error, for who hears it.

    >>> typical_text(1.94, predicted=True)
    'A typical cell is off by about ±1.9 points.'
    """
    return f"A typical cell is off by {'about ' if predicted else ''}{numbers.points(points)}."


def all_rows(n: int) -> str:
    """The choice of all rows, as the number of people they are."""
    return numbers.amount(n)


def central_title(method: str) -> str:
    """The name of a method that needs trust."""
    return f"{method} (trusted curator)"


def threshold_labels(points: Sequence[float]) -> list[str]:
    """Thresholds to choose from, in points; those that would be called the same with as many digits as it takes.

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
