"""Wording of the lessons about limits: what nobody can win back, and who pays."""

from calm_core.text import format_count, pluralize
from pages.words import numbers
from pages.words.lessons import Told

PAIRS = "Correlations of 28 pairs: true, as reported, and the best that can be said."
HUNDRED = "The error as reported is 100."


REST = Told(
    title="What nobody can win back",
    line="How near one can come",
    idea=(
        "A better method takes more error off, but none takes all of it. Somebody who knows how strongly attributes "
        "depend in general, and nothing else, makes the best of the [[report|reports]]: on average nobody errs "
        "less. What is still wrong then was never in the reports."
    ),
    question="The error as reported is 100. What is left for the best possible answer?",
    setup=(
        "30,000 people, ε = 0.5. Each reports on one of 28 pairs of attributes, which are loosely related: "
        "most true correlations lie between −0.3 and 0.3."
    ),
    because=(
        "A report this noisy says as little as knowing that correlations are small, and the best possible answer "
        "weighs the two against each other. CALM+ learns from all pairs together how small they are, and comes near."
    ),
    onward="Now take the rest apart",
    play="What makes up the rest?",
    keep="No method beats the best possible answer; beyond it only more people, fewer questions or a larger ε help.",
    answer="left",
    discuss="Which is the cheapest way to a smaller rest in our town: people, questions or ε? Who pays for each?",
)


def rest(people: int, epsilon: float, reported: float, left: tuple[float, float, float]) -> str:
    """What the least possible error consists of; `left` as in the lesson, with less and less in the way.

    >>> rest(300_000, 1.0, 0.032, (0.030, 0.015, 0.003))
    '300,000 people, ε = 1: as reported a correlation is typically off by 0.032, the best possible answer by 0.03. Of its squared error 75% is noise of the reports, 24% comes from asking each person about one pair only, 1% from having no more people.'
    """
    whole = left[0] ** 2
    noise, few = ((a**2 - b**2) / whole for a, b in zip(left, left[1:]))
    parts = numbers.whole_parts((noise, few, 1 - noise - few))
    return (
        f"{people:,} people, ε = {epsilon:g}: as reported a correlation is typically off by "
        f"{numbers.digits(reported, 2)}, the best possible answer by {numbers.digits(left[0], 2)}. Of its squared error "
        f"{parts[0]} is noise of the reports, {parts[1]} comes from asking each person about one pair only, "
        f"{parts[2]} from having no more people."
    )


LIMITS = Told(
    title="What is lost",
    line="The rare and the few pay",
    idea=(
        "Noise has a price, and it is paid by the rare and the few. Shares of rare answers fall below "
        "zero, small groups drown, and the easy way out, a large ε, gives up the protection."
    ),
    question="Nobody gives this answer. How often is its share below zero?",
    setup="5,000 people report 100 times, with new noise each time. Of 100 shares, how many are below 0?",
    because=(
        "Right on average means as often too low as too high. Cutting off at 0 alone would make every "
        "rare answer look more common than it is; later steps repair it with care."
    ),
    onward="Now see three limits",
    play="What goes wrong, and when?",
    keep="The rare and the few pay for noise; a large ε only sends the bill to their privacy.",
    answer="below zero",
    discuss="Which group in our town would be too small? Who should decide on ε for them?",
)


def about_half(least: float, most: float) -> str:
    """What a class sees, when the answer is new with every collection."""
    return (
        f"About 50 of 100; between {numbers.whole(least)} and {numbers.whole(most)} "
        "in 19 of 20 classes."
    )


def negative(cells: int, people: int, below: int) -> str:
    """Shares below zero, if there are any.

    >>> negative(16, 5_000, 1)
    '16 answers of 5,000 people: 1 share is below zero. Every share is right on average, so those of rare answers sometimes fall below.'
    """
    found = f"{format_count(below, 'share')} {pluralize(below, 'is', 'are')} below zero"
    return (
        f"{cells} answers of {people:,} people: {found if below else 'no share is below zero this time'}. "
        "Every share is right on average, so those of rare answers sometimes fall below."
    )


def small(people: int, epsilon: float, typical: float) -> str:
    """Few people."""
    return (
        f"{people:,} people, ε = {epsilon:g}: even a single yes/no share is typically "
        f"{numbers.points(100 * typical)} off. Ten times the people make that about three times smaller."
    )


def large(epsilon: float, truth: float, factor: float, people: int, typical: float) -> str:
    """What a report gives away, and how far off a share then is."""
    return (
        f"ε = {epsilon:g}: {numbers.share(truth)} of the reports are the plain truth, and an observer's odds grow "
        f"up to about {numbers.digits(factor)} times. A yes/no share of {people:,} people is then typically "
        f"{numbers.points(100 * typical)} off"
    )


def more_or_less(epsilon: float, other: float, typical: float) -> str:
    """What `large` is followed by: the same with another ε, where it is another.

    >>> more_or_less(0.2, 0.5, 0.028)
    ', instead of ±2.8 points with ε = 0.5: it is less accurate because people are protected more.'
    """
    if epsilon == other:
        return ". A larger ε would make it more accurate, and protect people less."
    more, less = ("more", "less") if epsilon > other else ("less", "more")
    return (
        f", instead of {numbers.points(100 * typical)} with ε = {other:g}: it is {more} accurate because "
        f"people are protected {less}."
    )
