"""The short lessons, in order: one idea, one question to predict first, settings to play with."""

from collections.abc import Mapping
from functools import lru_cache

from pages.panels.learn import attacks, many_questions, one_answer, whole_tables
from pages.panels.learn.lesson import Lesson
from pages.words import languages

_IN_ORDER = (*one_answer.LESSONS, *many_questions.LESSONS, *whole_tables.LESSONS, *attacks.LESSONS)


def lessons() -> Mapping[str, Lesson]:
    """Return the lessons by their keys, in order, in the current language."""
    return _lessons_in(languages.current_language())


@lru_cache(maxsize=8)
def _lessons_in(language: str) -> Mapping[str, Lesson]:
    return {lesson.key: lesson for lesson in (kind() for kind in _IN_ORDER)}
