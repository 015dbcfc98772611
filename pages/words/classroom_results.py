"""Words of the results of a class: shares, links, precision, the lesson, and what can be done next."""

import math
import unicodedata
from collections.abc import Sequence

from calm_core.text import format_count, pluralize
from pages.words import numbers
from pages.words.classroom import ALL_CLASSES, code
from pages.words.texts import Texts

TEXTS = Texts("classroom_results")
__getattr__ = TEXTS.__getattr__


def too_few(reports: int) -> str:
    """Say why no results are shown.

    >>> too_few(1)[:22], too_few(7)[:24]
    ('1 report has come in. ', '7 reports have come in. ')
    """
    has = pluralize(reports, "has", "have")
    return (
        f"{format_count(reports, 'report')} {has} come in. Shares are shown from 10 on; with fewer they would be chance. "
        "Ask the same questions again, in this class or another: reports of the same plan add up."
    )


def export_file(code: str, classes: int) -> str:
    """Return the file name of one class, or of several.

    >>> export_file("K7MX2P", 1), export_file("K7MX2P", 3)
    ('classroom-K7MX2P.zip', 'classroom-K7MX2P-and-2-more.zip')
    """
    return (
        f"classroom-{code}.zip" if classes == 1 else f"classroom-{code}-and-{classes - 1}-more.zip"
    )


def saves_classes(classes: int) -> str:
    """Say what the file holds.

    >>> saves_classes(3)[:50]
    'All 3 classes with this plan, each by itself in it'
    """
    return (
        TEXTS.EXPORT_LEAD
        if classes == 1
        else f"All {classes} classes with this plan, each by itself in it. {TEXTS.EXPORT_LEAD}"
    )


def saves_one_class(survey: str) -> str:
    """Say which class the file of one class holds.

    >>> saves_one_class("K7MX2P")
    'Only K7M X2P, the class that is open here.'
    """
    return f"Only {code(survey)}, the class that is open here."


def clearest_answer(question: str, choice: str, low: float, high: float) -> str:
    """Return the clearest answer as a title.

    >>> clearest_answer("Tired?", "Yes", 0.55, 0.9)
    'Tired? Most say “Yes”'
    >>> clearest_answer("Tired?", "Yes", 0.1, 0.4)
    'Tired? Fewer than half say “Yes”'
    >>> clearest_answer("Tired?", "Yes", 0.3, 0.7)
    'No answer has a clear majority'
    """
    if low > 0.5:
        return f"{question} Most say “{choice}”"
    if high < 0.5:
        return f"{question} Fewer than half say “{choice}”"
    return "No answer has a clear majority"


def isolate_direction(text: str) -> str:
    """Return a text with isolating marks if it is read from right to left.

    >>> isolate_direction("Sleep") == "Sleep", len(isolate_direction("نعم"))
    (True, 5)
    """
    turns = any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text)
    return f"\u2068{text}\u2069" if turns else text


def link_sentence(
    first: tuple[str, str],
    second: tuple[str, str],
    excess: float,
    half_width: float,
    direction: bool,
) -> str:
    """Say that two answers go together.

    >>> link_sentence(("Tired?", "Yes"), ("Phone at night?", "Yes"), 0.12, 0.2, True)
    '“Yes” to “Tired?” and “Yes” to “Phone at night?” go together (direction only, and even that may be chance)'
    >>> link_sentence(("A?", "Yes"), ("B?", "No"), 0.03, 0.09, False)
    '“Yes” to “A?” and “No” to “B?” go together: 3 points more of the class than by chance (±9.0 points: may be chance)'
    """
    asked, said, other, also = (isolate_direction(text) for text in (*first, *second))
    told = f"“{said}” to “{asked}” and “{also}” to “{other}” go together"
    doubtful = excess <= half_width
    if direction:
        return f"{told} ({TEXTS.DIRECTION}{f', and even that {TEXTS.CHANCE}' if doubtful else ''})"
    by = f"{numbers.points(100 * half_width)}{f': {TEXTS.CHANCE}' if doubtful else ''}"
    return f"{told}: {numbers.whole(100 * excess)} points more of the class than by chance ({by})"


def no_link(first: str, second: str) -> str:
    """Say that no link between two questions is seen."""
    return (
        f"Between “{isolate_direction(first)}” and “{isolate_direction(second)}” no link is seen."
    )


def precision(width: float, difference: float, reports: int) -> str:
    """Say for what the width of the intervals is enough."""
    known = f"{reports:,} reports: a share is known to about {numbers.points(100 * width)}."
    if width > 0.30:
        return f"{known} That is next to nothing: ask fewer questions, or add another class."
    if width < 0.08:
        return f"{known} Questions that differ by more than about {numbers.whole(100 * difference)} points can be compared."
    return f"{known} Enough to see a clear majority; not enough to compare two questions."


def rehearsal_result(predicted: float, error: float, half_width: float, held: float) -> str:
    """Describe the result of a rehearsal."""
    return (
        f"Intervals were expected to be {numbers.points(100 * predicted)}; they are {numbers.points(100 * half_width)}. "
        f"Shares are {numbers.points(100 * error)} off the known truth, and {numbers.percent(held, 0)} of the intervals hold it."
    )


def compare_hand_count(share: float, low: float, high: float, inside: bool) -> str:
    """Compare a count of hands with the interval.

    >>> compare_hand_count(0.5, 0.41, 0.83, True)[:52]
    'Hands: 50%. The interval is 41 to 83%: it holds the '
    """
    found = f"Hands: {numbers.percent(share, 0)}. The interval is {numbers.whole(100 * low)} to {numbers.whole(100 * high)}%"
    if inside:
        return f"{found}: it holds the count. One such interval in twenty should not."
    return f"{found}: it does not hold the count. One in twenty should not; and hands are not protected, so people may not tell the truth."


def what_was_sent(cells: Sequence[int], asked: Sequence[int], kept: int) -> str:
    """Describe what a phone sent; views may differ in their numbers of questions and cells.

    >>> what_was_sent((4, 4), (2, 2), 71)[:75]
    'One of 4 numbers: the answers to its 2 questions together. Of 100 phones 71'
    >>> what_was_sent((4, 6), (2, 2), 66)[:80]
    'One of 4 to 6 numbers: the answers to its 2 questions together. Of 100 phones 66'
    """
    were = "question" if max(asked) == 1 else f"{_span(asked)} questions together"
    return (
        f"One of {_span(cells)} numbers: the answers to its {were}. Of 100 phones {kept} sent what was tapped, and "
        f"{100 - kept} something else, chosen at random by the phone before anything left it."
    )


def _span(counts: Sequence[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{least}" if least == most else f"{least} to {most}"


def unchanged_of_100(epsilon: float, cells: Sequence[int], phones: Sequence[int]) -> int:
    """Return how many of 100 phones send the true answer, with so many reports of every view.

    >>> unchanged_of_100(2.0, (4, 6), (30, 30)), unchanged_of_100(2.0, (4, 6), (30, 0))
    (65, 71)
    """
    kept = (many / (1 + (count - 1) * math.exp(-epsilon)) for count, many in zip(cells, phones))
    return int(numbers.whole(100 * sum(kept) / sum(phones)))


def why_unknowable(epsilon: float) -> str:
    """Say why nobody can know the true answer of a phone.

    >>> why_unknowable(2.0)[:60]
    'Whatever arrived, any answer could have led to it: the true '
    """
    factor = numbers.odds(math.exp(epsilon))
    return (
        f"Whatever arrived, any answer could have led to it: the true one made it at most {factor} times as likely as "
        f"another (ε = {epsilon:g}). The teacher, the server and anybody in the Wi-Fi can know no more."
    )


def what_was_learned(
    raw: float, share: float, low: float, high: float, question: str, choice: str
) -> str:
    """Say what the class learned nevertheless."""
    return (
        f"It is known how often phones change answers, so the noise can be taken out of the sum. “{choice}” to "
        f"“{question}” arrived in {numbers.percent(raw, 0)} of the reports; without the noise it is {numbers.percent(share, 0)} "
        f"({numbers.whole(100 * low)} to {numbers.whole(100 * high)}%). So the class is known a little, and nobody in it."
    )


def this_class(n: int, classes: int) -> str:
    """Title of the column of the class itself.

    >>> this_class(24, 1), this_class(57, 2)
    ('Your class, 24', 'All 2 classes, 57')
    """
    whose = "Your class" if classes == 1 else ALL_CLASSES.format(classes=classes)
    return f"{whose}, {n:,}"


def collection_name(title: str, survey: str, classes: int) -> str:
    """Return the name of the reports as a collection.

    >>> collection_name("Sleep", "K7MX2P", 1), collection_name("Sleep", "K7MX2P", 2)
    ('Sleep K7MX2P', 'Sleep, all 2 classes')
    """
    if classes == 1:
        return f"{title} {survey}"
    # A code names only one class.
    return f"{title}, {ALL_CLASSES.format(classes=classes).lower()}"
