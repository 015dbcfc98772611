"""Wording of the eight lessons."""

import math
from dataclasses import dataclass

from calm_core.text import format_count, pluralize
from pages.words import numbers

PRIVACY = "Privacy ε of this lesson"
# What pictures show, and what stands above or below them.
TWO_VIEWS = "Two views, one of Age and Smoked, one of Smoked and Sex, share Smoked."
LENS = "Two curves, above and below the diagonal."
LIKE_HER = "Of 100 people like her, yes is true of"
LIKE_HER_AFTER = "Of 100 people like her who report yes"
PULLED = "Correlations of 28 pairs, pulled to their mean."
PULLED_LOW = "Correlations of 28 pairs at ε = 0.2."
DEALT = "Three groups, each with one question and all of ε."
SPLIT_LABEL = "ε split: all answer 10 questions"


@dataclass(frozen=True)
class LessonText:
    """The texts of one lesson.

    Attributes
    ----------
    title, line : str
        What it is called, and one line about it that gives nothing away.
    idea : str
        The one idea, in two or three sentences.
    question, setup : str
        What to predict, and what one has to know for it.
    because : str
        Why the answer is what it is.
    onward, play : str
        The way on to the last step, and that step's question.
    keep : str
        One sentence to keep.
    answer : str
        What the answer is called beside the guess.
    discuss : str
        What to ask a class afterwards.
    """

    title: str
    line: str
    idea: str
    question: str
    setup: str
    because: str
    onward: str
    play: str
    keep: str
    answer: str
    discuss: str


COIN = LessonText(
    title="A coin flip that protects",
    line="Nobody can be blamed for a yes",
    idea=(
        "Everybody flips a coin in private. Heads: tell the truth. Tails: flip again, and say yes for "
        "heads, no for tails. Nobody can be blamed for a yes. Yet the [[collector]] knows how the coin "
        "behaves, and can take it out of the total."
    ),
    question="Nobody here did it. How many still say yes?",
    setup="100 people flip a coin. Heads: tell the truth. Tails: flip again, heads means yes.",
    because=(
        "Half get tails, and half of those get heads on the second flip: 25 of 100 on average. So a yes proves "
        "nothing about a person. It tells a little: the odds that yes is true grow three times, and no more."
    ),
    onward="Now take the coin out",
    play="Does the true share come back?",
    keep="A coin protects every single answer; what it does to the total is known and can be taken out.",
    answer="reported",
    discuss="Would you answer truthfully now? What could a judge conclude from one yes?",
)


def coin_expected(least: float, most: float) -> str:
    """Return the range of answers a class will see."""
    return (
        f"About 25 of 100; between {numbers.whole(least)} and {numbers.whole(most)} "
        "in 19 of 20 classes."
    )


def coin(people: int, said_yes: int, released: float, percent: int) -> str:
    """Return the sentence below the coin's last picture."""
    return (
        f"Of {people:,} people, {said_yes} reported yes. {percent}% is true; with the coin taken out, "
        f"{numbers.percent(released)} is released. At 0% it is sometimes below zero."
    )


ODDS = LessonText(
    title="What ε means",
    line="A promise about odds",
    idea=(
        "[[epsilon|ε]] is a promise about odds. Whatever a person reports, and whatever somebody already believes, "
        "the odds for or against any answer change by a factor of at most e to the ε. Small ε: both "
        "curves near the diagonal, nothing is learned about her. Large ε: her report gives her away."
    ),
    question="You believe 10%. She reports yes. How sure can you be?",
    setup=(
        "Before her report you think it 10% likely that her answer is yes. ε is 1, so the odds grow "
        "at most 2.72 times. How likely can it be now, at most?"
    ),
    because=(
        "Odds of 1 to 9 times 2.72 are about 1 to 3.3. The 73% that is often quoted is something else: "
        "how often a person with a true yes reports yes."
    ),
    onward="Now change ε",
    play="How much may one report give away?",
    keep="ε bounds how far one report can shift the odds, whatever somebody already knows.",
    answer="at most about",
    discuss="For which questions would you accept ε = 1? For which ε = 4?",
)


def belief(epsilon: float, before: float, most: str, least: str, factor: float) -> str:
    """Return the sentence below the curves; `most` and `least` as at the marks."""
    return (
        f"With ε = {epsilon:g}, whoever gave her a chance of {numbers.percent(before, 0)} before believes at most "
        f"{most} after a yes and at least {least} after a no: the odds change e^ε times, "
        f"about {numbers.digits(factor)}, and no more."
    )


def people_text(yes: float, no: float) -> str:
    """Return how many of 100 true yes and of 100 true no answers report yes."""
    return (
        f"In people: of 100 whose true answer is yes, {numbers.people(100 * yes)} report yes; "
        f"of 100 whose answer is no, {numbers.people(100 * no)}."
    )


PATTERNS = LessonText(
    title="Many answers, one report",
    line="Her pattern is one value",
    idea=(
        "A person can answer several questions in one [[report]]: her pattern of answers is one value out "
        "of all patterns, and only that value is randomised. She pays ε once. But every question "
        "doubles the number of patterns, and each gets fewer people."
    ),
    question="From 2 questions to 6: how many times larger is a cell's noise?",
    setup="4 patterns become 64. ε stays 1, and the 20,000 people stay. Think of a typical cell.",
    because=(
        "With few patterns a report names one of them; with many it sends a randomised bit for each, "
        "whose noise does not depend on how many there are. But there are now 16 times as many cells "
        "to be wrong in, and their true shares are smaller."
    ),
    onward="Now choose the questions",
    play="How many questions fit in one report?",
    keep="One report can carry many answers: each cell's noise hardly grows, its true share shrinks.",
    answer="really",
    discuss="Which cells would you still trust with 6 questions? Look at the smallest true shares.",
)


def patterns(count: int, oracle: str, expected: float, typical: float, worst: float) -> str:
    """Return the sentence below the cells; `expected` is over all collections, the others of this one."""
    return (
        f"{count} patterns from one report per person, which {oracle}. In this collection a typical cell is "
        f"{numbers.points(100 * typical)} off, the worst {numbers.points(100 * worst)}. "
        f"Over many collections a cell is typically {numbers.points(100 * expected)} off."
    )


SPLITTING = LessonText(
    title="Split people, not ε",
    line="Why CALM deals the crowd",
    idea=(
        "Several questions, one ε. Either everybody answers all of them and spends a part of ε on each, "
        "or the people are dealt into [[group|groups]] and each group answers one question with all of ε. "
        "CALM deals the people."
    ),
    question="10 questions: how many times larger is the error if ε is split?",
    setup="60,000 people, half of them yes, ε = 1. Compare with dealing the people into 10 groups.",
    because=(
        "A tenth of the people makes the error about 3.5 times larger: the square root of 10, and a little for "
        "who happens to be asked. A tenth of ε makes it about 10 times larger. 10 over 3.5 is about 3."
    ),
    onward="Now change both",
    play="When is splitting ε as good?",
    keep="Fewer people cost accuracy slowly, less ε costs it fast. Split the people, unless ε is large and questions are few.",
    answer="really",
    discuss="What happens with a single question? Why does every group need all of ε?",
)


def split_errors(people: int, questions: int, epsilon: float, dealt: str, split: str) -> str:
    """Return typical errors of groups and of a split epsilon, as at the marks."""
    return (
        f"{people:,} people, {format_count(questions, 'question')}, ε = {epsilon:g}: a share of one half "
        f"is typically {dealt} points off when each person gets one question, "
        f"{split} points when everybody answers all of them with a part of ε."
    )


def better_way_text(dealt: float, split: float) -> str:
    """Return which of the two errors is smaller.

    >>> better_way_text(0.22, 0.17)
    'Here splitting ε is a little better.'
    """
    if math.isclose(dealt, split):
        return "A single question is the same either way."
    return (
        "Here dealing the people is better."
        if dealt < split
        else "Here splitting ε is a little better."
    )


AGREEMENT = LessonText(
    title="Consistency for free",
    line="Overlaps make views better",
    idea=(
        "[[view|Views]] overlap: several groups were asked about the same attribute, each together with others. "
        "Their noisy answers differ, although the truth is one. Averaging what they share, and "
        "correcting each view by the difference, makes them agree. In privacy it costs nothing: it "
        "works on reports that have been sent already."
    ),
    question="Four views are made to agree. How far off are they then, typically?",
    setup="Alone, each view typically misses the share they all hold by {alone}. 30,000 people, ε = 1.",
    because=(
        "That is usual over many collections; in a single one it may be more or less. "
        "Each view errs on its own, so their average errs about half as much. Nobody's data was "
        "touched again: whatever is computed from reports costs no privacy."
    ),
    onward="Now add views",
    play="Do more views agree better?",
    keep="Agreement costs no privacy and makes the views better.",
    answer="typically",
    discuss="Why does agreement cost no privacy, however often it is computed?",
)


def agreement(views: int, apart: float, together: float) -> str:
    """Return typical errors of single views and of consistent ones."""
    return (
        f"{views} groups report on one attribute each and all on the shared one. In this collection a "
        f"view misses the true share by {numbers.points(100 * apart)} on average, their agreement by "
        f"{numbers.points(100 * together)}. More views mean fewer people in each."
    )


SHRINKAGE = LessonText(
    title="Why believing less helps",
    line="Pull noise to the mean",
    idea=(
        "With strong privacy most of what is seen between two attributes is [[noise]]. CALM+ looks at all "
        "pairs together: if they scatter hardly more than noise alone would, each estimate is pulled "
        "towards their common mean; if they scatter more, each is believed. Nothing but the reports is "
        "needed."
    ),
    question="ε grows from 0.2 to 2. Does pulling then gain more?",
    setup="30,000 people, 28 pairs of attributes. The gain is what pulling takes off the error.",
    because=(
        "With a large ε the reports are reliable by themselves: there is little left to pull. It gains "
        "least where pairs are strong and all different, and a rare strong pair among many weak ones "
        "is pulled too far."
    ),
    onward="Now choose the people",
    play="When is believing less wrong?",
    keep="Where most of what is seen is noise, believing less is more accurate.",
    answer="so it is",
    discuss="Who would notice that a rare strong pair was pulled too far?",
)


def shrinkage(people: int, pairs: int, epsilon: float, calm: float, plus: float) -> str:
    """Return typical errors of correlations with both methods."""
    return (
        f"{people:,} people, {pairs} pairs, ε = {epsilon:g}: a correlation is typically off by "
        f"{numbers.correlation(calm)} with CALM and by {numbers.correlation(plus)} with CALM+, "
        "from the same reports."
    )


def gain_text(epsilon: float, calm: float, plus: float) -> str:
    """Return what shrinkage gains, for the sheet and the alternative text."""
    return f"from {numbers.correlation(calm)} to {numbers.correlation(plus)} at ε = {epsilon:g}"


def expected_text(said: str) -> str:
    """Return an answer that is always the same."""
    return f"{said[:1].upper()}{said[1:]}."


PAIRS = "Correlations of 28 pairs: true, as reported, and the best that can be said."
HUNDRED = "The error as reported is 100."


REST = LessonText(
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
    """Return the parts of the least possible error.

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


LIMITS = LessonText(
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
    """Return the range of answers a class will see."""
    return (
        f"About 50 of 100; between {numbers.whole(least)} and {numbers.whole(most)} "
        "in 19 of 20 classes."
    )


def negative(cells: int, people: int, below: int) -> str:
    """Return how many shares are negative.

    >>> negative(16, 5_000, 1)
    '16 answers of 5,000 people: 1 share is below zero. Every share is right on average, so those of rare answers sometimes fall below.'
    """
    found = f"{format_count(below, 'share')} {pluralize(below, 'is', 'are')} below zero"
    return (
        f"{cells} answers of {people:,} people: {found if below else 'no share is below zero this time'}. "
        "Every share is right on average, so those of rare answers sometimes fall below."
    )


def small(people: int, epsilon: float, typical: float) -> str:
    """Return the sentence about small groups."""
    return (
        f"{people:,} people, ε = {epsilon:g}: even a single yes/no share is typically "
        f"{numbers.points(100 * typical)} off. Ten times the people make that about three times smaller."
    )


def large(epsilon: float, truth: float, factor: float, people: int, typical: float) -> str:
    """Return the sentence about a large epsilon."""
    return (
        f"ε = {epsilon:g}: {numbers.share(truth)} of the reports are the plain truth, and an observer's odds grow "
        f"up to about {numbers.digits(factor)} times. A yes/no share of {people:,} people is then typically "
        f"{numbers.points(100 * typical)} off"
    )


def more_or_less(epsilon: float, other: float, typical: float) -> str:
    """Return the comparison that follows `large`.

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
