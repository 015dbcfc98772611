"""Seven short lessons, in order: one idea, one or two controls, one question to predict first."""

from pages.panels.learn import agreement, coin, epsilon, limits, many_answers, shrinkage, splitting
from pages.panels.learn.frame import Lesson

LESSONS: tuple[Lesson, ...] = (
    coin.LESSON,
    epsilon.LESSON,
    many_answers.LESSON,
    splitting.LESSON,
    agreement.LESSON,
    shrinkage.LESSON,
    limits.LESSON,
)
