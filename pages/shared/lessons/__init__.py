"""Seven short lessons, in order: one idea, one or two controls, one question to predict first."""

from pages.shared.lessons import (
    agreement,
    coin,
    epsilon,
    limits,
    many_answers,
    shrinkage,
    splitting,
)
from pages.shared.lessons.frame import Lesson

LESSONS: tuple[Lesson, ...] = (
    coin.LESSON,
    epsilon.LESSON,
    many_answers.LESSON,
    splitting.LESSON,
    agreement.LESSON,
    shrinkage.LESSON,
    limits.LESSON,
)
