"""Ten short lessons, in order: one idea, one question to predict first, settings to play with."""

from pages.panels.learn import (
    agreement,
    best_possible,
    coin,
    epsilon,
    limits,
    many_answers,
    shrinkage,
    sizes,
    splitting,
    why,
)
from pages.panels.learn.lesson import Lesson

_IN_ORDER = (
    why, coin, epsilon, many_answers, splitting, sizes, agreement, shrinkage, best_possible, limits,
)  # fmt: skip
LESSONS: tuple[Lesson, ...] = tuple(module.LESSON for module in _IN_ORDER)
BY_KEY = {lesson.key: lesson for lesson in LESSONS}
