"""Words of the results of a class: shares, links, precision, the lesson, and what can be done next."""

import math
import unicodedata
from collections.abc import Sequence

from calm_core.classroom.forecast import judge_half_width
from pages.words import numbers
from pages.words.texts import Texts, template

TEXTS = Texts("classroom_results")
__getattr__ = TEXTS.__getattr__


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

    >>> saves_classes(3)[:38]
    'All 3 classes with this plan, added up'
    """
    if classes == 1:
        return TEXTS.EXPORT_LEAD
    return f"{TEXTS.many_classes(classes=classes)} {TEXTS.EXPORT_LEAD}"


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
        return TEXTS.most_say(question=question, choice=choice)
    if high < 0.5:
        return TEXTS.few_say(question=question, choice=choice)
    return TEXTS.NO_MAJORITY


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
    linked = TEXTS.go_together(said=said, asked=asked, also=also, other=other)
    doubtful = excess <= half_width
    if direction:
        return f"{linked} ({TEXTS.EVEN_THAT if doubtful else TEXTS.DIRECTION})"
    by = f"{numbers.points(100 * half_width)}{f': {TEXTS.CHANCE}' if doubtful else ''}"
    return f"{linked}: {TEXTS.more_than_chance(excess=excess)} ({by})"


def no_link(first: str, second: str) -> str:
    """Say that no link between two questions is seen."""
    return TEXTS.no_link(first=isolate_direction(first), second=isolate_direction(second))


def precision(width: float, reports: int) -> str:
    """Say for what the width of the intervals is enough."""
    text = template(TEXTS.KNOWN[judge_half_width(width)])
    return text(reports=reports, width=width, apart=2 * width)


def compare_hand_count(share: float, low: float, high: float) -> str:
    """Compare a count of hands with the interval, which one in twenty times should not hold it.

    >>> compare_hand_count(0.5, 0.41, 0.83)[:52]
    'Hands: 50%. The interval is 41 to 83%: it holds the '
    """
    compared = TEXTS.hands_inside if low <= share <= high else TEXTS.hands_outside
    return compared(share=numbers.percent(share, 0), low=low, high=high)


def what_was_sent(cells: Sequence[int], asked: Sequence[int], kept: int) -> str:
    """Describe what a phone sent; views may differ in their numbers of questions and cells.

    >>> what_was_sent((4, 4), (2, 2), 71)[:75]
    'One of 4 numbers: the answers to its 2 questions together. Of 100 phones 71'
    >>> what_was_sent((4, 6), (2, 2), 66)[:80]
    'One of 4 to 6 numbers: the answers to its 2 questions together. Of 100 phones 66'
    """
    questions = (
        TEXTS.several_questions(count=_span(asked)) if max(asked) > 1 else TEXTS.ONE_QUESTION
    )
    return TEXTS.what_was_sent(cells=_span(cells), asked=questions, kept=kept, rest=100 - kept)


def _span(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low}" if low == high else TEXTS.span(least=low, most=high)


def unchanged_of_100(epsilon: float, cells: Sequence[int], phones: Sequence[int]) -> int:
    """Return how many of 100 phones send the true answer, with so many reports of every view.

    >>> unchanged_of_100(2.0, (4, 6), (30, 30)), unchanged_of_100(2.0, (4, 6), (30, 0))
    (65, 71)
    """
    shares = (many / (1 + (count - 1) * math.exp(-epsilon)) for count, many in zip(cells, phones))
    return int(numbers.whole(100 * sum(shares) / sum(phones)))


def why_unknowable(epsilon: float) -> str:
    """Say why nobody can know the true answer of a phone.

    >>> why_unknowable(2.0)[:60]
    'Whatever arrived, any answer could have led to it: the true '
    """
    return TEXTS.why_unknowable(factor=numbers.odds(math.exp(epsilon)), epsilon=epsilon)


def what_was_learned(
    raw: float, share: float, low: float, high: float, question: str, choice: str
) -> str:
    """Say what the class learned nevertheless."""
    arrived, corrected = numbers.percent(raw, 0), numbers.percent(share, 0)
    return TEXTS.what_was_learned(
        choice=choice, question=question, raw=arrived, share=corrected, low=low, high=high
    )


def this_class(n: int, classes: int) -> str:
    """Title of the column of the class itself.

    >>> this_class(24, 1), this_class(57, 2)
    ('Your class, 24', 'All 2 classes, 57')
    """
    return TEXTS.your_class(n=n) if classes == 1 else TEXTS.all_classes(classes=classes, n=n)


def collection_name(title: str, survey: str, classes: int) -> str:
    """Return the name of the reports as a collection.

    >>> collection_name("Sleep", "K7MX2P", 1), collection_name("Sleep", "K7MX2P", 2)
    ('Sleep K7MX2P', 'Sleep, all 2 classes')
    """
    # A code names only one class.
    return f"{title} {survey}" if classes == 1 else TEXTS.pooled_name(title=title, classes=classes)
