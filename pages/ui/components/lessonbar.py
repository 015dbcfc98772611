"""The line above a lesson."""

from collections.abc import Callable

from pages.ui.components import component


def bar(data: dict, *, on_all: Callable[[], None]) -> None:
    """Mount it; `on_all` is called when all lessons are wanted.

    Parameters
    ----------
    data : dict
        As `panels.learn.screen.bar` makes it.
    """
    component("lessonbar")(key="lesson_bar", data=data, on_all_change=on_all)
