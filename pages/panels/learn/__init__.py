"""Eight short lessons, in order: one idea, one question to predict first, settings to play with."""

from pages.panels.learn import (
    agreement,
    best_possible,
    coin,
    epsilon,
    limits,
    many_answers,
    shrinkage,
    splitting,
)
from pages.panels.learn.lesson import Lesson

LESSONS: tuple[Lesson, ...] = (
    coin.LESSON,
    epsilon.LESSON,
    many_answers.LESSON,
    splitting.LESSON,
    agreement.LESSON,
    shrinkage.LESSON,
    best_possible.LESSON,
    limits.LESSON,
)
BY_KEY = {lesson.key: lesson for lesson in LESSONS}
