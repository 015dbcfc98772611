"""The short lessons, in order: one idea, one question to predict first, settings to play with."""

from collections.abc import Mapping
from functools import lru_cache

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
from pages.words import languages

_IN_ORDER = (
    why, coin, epsilon, many_answers, splitting, sizes, agreement, shrinkage, best_possible, limits,
    one_person, asked_again, liars,
)  # fmt: skip


def lessons() -> Mapping[str, Lesson]:
    """Return the lessons by their keys, in order, in the current language."""
    return _lessons_in(languages.current_language())


@lru_cache(maxsize=8)
def _lessons_in(language: str) -> Mapping[str, Lesson]:
    return {lesson.key: lesson for lesson in (module.lesson() for module in _IN_ORDER)}
