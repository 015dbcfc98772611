"""The picture of a lesson's step, with the line or the sentences to guess on below it."""

from collections.abc import Callable

from pages.ui.components import component, hear_choices

KEY = "lesson_picture"


def picture(data: dict, *, hear: Callable[[object], None]) -> None:
    """Mount it; `hear(value)` is called for every guess, once when it is let go.

    Parameters
    ----------
    data : dict
        As `panels.learn.screen.data` makes it.
    """

    def heard() -> None:
        hear_choices(KEY, "guess", hear)

    component("lesson")(key=KEY, data=data, on_guess_change=heard)
