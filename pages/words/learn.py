"""Wording of the page Learn and of its lessons."""

import math
from types import SimpleNamespace

from pages.words import numbers
from pages.words.texts import Texts, read_texts

TEXTS = Texts("learn")
__getattr__ = TEXTS.__getattr__

STEPS = ("idea", "predict", "reveal", "play")


def compare_guess(truth: float, guess: float | None, text: str, guessed: str, how: str = "") -> str:
    """Return the answer beside a guessed number, in the same tone near or far.

    >>> compare_guess(0.9, 1.5, "±0.9 points", "±1.5 points", "typically")
    'Less than you thought: typically ±0.9 points, not ±1.5 points.'
    """
    answer = f"{how} {text}".lstrip()
    if guess is None:
        return TEXTS.it_is(answer=answer)
    if text == guessed:
        return TEXTS.just_so(answer=answer)
    compared = TEXTS.more_than_guessed if truth > guess else TEXTS.less_than_guessed
    return compared(answer=answer, guessed=guessed)


def lesson(key: str) -> SimpleNamespace:
    """Return the words of a lesson.

    Its `title`, and one `line` about it that gives nothing away; its `idea`, the `question` with the `setup` one has to
    know, and `because`, why the answer is what it is; `onward`, the way on to the last step, and `play`, that step's
    question; one sentence to `keep`; what the `answer` is called beside the guess; what to `discuss` with a class.
    """
    return SimpleNamespace(**read_texts("lessons")[key])


def better_way_text(dealt: float, split: float) -> str:
    """Return which of the two errors is smaller.

    >>> better_way_text(0.22, 0.17)
    'Here splitting ε is a little better.'
    """
    if math.isclose(dealt, split):
        return TEXTS.SAME_EITHER_WAY
    return TEXTS.PEOPLE_BETTER if dealt < split else TEXTS.EPSILON_BETTER


def left_text(count: int, did: int) -> str:
    """Return what a table gives away about the people who are left, and how many of them did it.

    >>> left_text(1, 1)
    'One person is left, and the table says: yes, they did. No name was needed.'
    >>> left_text(5, 0)
    '5 people are left, and none of them did it. So nobody has to ask them.'
    """
    if not count:
        return TEXTS.NOBODY_LEFT
    if count == 1:
        return TEXTS.ONE_DID if did else TEXTS.ONE_DID_NOT
    if did in (0, count):
        return TEXTS.all_did(count=count) if did else TEXTS.none_did(count=count)
    return TEXTS.some_did(count=count, did=did)


def expected_text(answer: str) -> str:
    """Return an answer that is always the same."""
    return f"{answer[:1].upper()}{answer[1:]}."


def remaining_error(
    people: int, epsilon: float, reported: float, best: float, errors: tuple[float, float, float]
) -> str:
    """Return people of 100 in the wrong cell, and the parts of the least possible error.

    >>> remaining_error(300_000, 1.0, 0.0128, 0.0125, (0.031, 0.0095, 0.0018))
    '300,000 people, ε = 1: 1.3 of 100 people are expected in the wrong cell as reported, 1.2 in the best possible answer. Of what is left of the squared error, 91% is noise of the reports, 9% comes from asking each person about one pair only, 0% from having no more people.'
    """
    total = errors[0] ** 2
    noise, groups = ((a**2 - b**2) / total for a, b in zip(errors, errors[1:]))
    parts = zip(("noise", "few", "more"), numbers.whole_parts((noise, groups, 1 - noise - groups)))
    return TEXTS.rest(people=people, epsilon=epsilon, reported=reported, best=best, **dict(parts))


def negative(cells: int, people: int, below: int) -> str:
    """Return how many shares are negative.

    >>> negative(16, 5_000, 1)
    '16 answers of 5,000 people: 1 share is below zero. Every share is right on average, so those of rare answers sometimes fall below.'
    """
    if not below:
        return TEXTS.none_negative(cells=cells, people=people)
    return TEXTS.some_negative(cells=cells, people=people, below=below)


def guesses(cells: int, epsilon: float, times: int, blind: float, informed: float) -> str:
    """Return how many guesses are right without a report and with one; one cell is `times` as common.

    >>> guesses(4, 1.0, 1, 0.25, 0.4754)
    '4 cells, all equally likely beforehand, ε = 1: without a report 25 of 100 guesses are right, with one report 48.'
    >>> guesses(4, 1.0, 3, 0.5, 0.5)
    '4 cells, one of them 3 times as common as each other one, ε = 1: without a report 50 of 100 guesses are right, with one report 50. The report changes no guess: whatever it names, the common cell stays likeliest.'
    """
    if times == 1:
        text = TEXTS.guesses_alike(cells=cells, epsilon=epsilon, blind=blind, seen=informed)
    else:
        text = TEXTS.guesses_uneven(
            cells=cells, times=times, epsilon=epsilon, blind=blind, seen=informed
        )
    return f"{text} {TEXTS.NO_CHANGE}" if math.isclose(blind, informed) else text


def lift_text(share: float, epsilon: float, added: float, weight: float, possible: bool) -> str:
    """Return by how much liars lift their cell, and like how many people each counts.

    >>> lift_text(0.05, 1.0, 0.131, 2.746, True)
    '5 of 100 people lie, ε = 1: their cell is lifted by 13 points. Each liar counts like 2.7 people.'
    """
    one = round(weight, 6) == 1
    text = TEXTS.lifted(
        liars=share, epsilon=epsilon, added=added, weight=numbers.digits(weight, 2), one=one
    )
    return text if possible else f"{text} {TEXTS.IMPOSSIBLE}"
