"""The short lessons, in order: one idea, one question to predict first, settings to play with."""

from pages.panels.learn import (
    agreement,
    asked_again,
    best_possible,
    coin,
    epsilon,
    liars,
    limits,
    many_answers,
    one_person,
    shrinkage,
    sizes,
    splitting,
    why,
)
from pages.panels.learn.lesson import Lesson

_IN_ORDER = (
    why, coin, epsilon, many_answers, splitting, sizes, agreement, shrinkage, best_possible, limits,
    one_person, asked_again, liars,
)  # fmt: skip
LESSONS: tuple[Lesson, ...] = tuple(module.LESSON for module in _IN_ORDER)
BY_KEY = {lesson.key: lesson for lesson in LESSONS}
