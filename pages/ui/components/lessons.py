"""All lessons as cards, and the card for teachers."""

from collections.abc import Callable

from pages.ui.components import component, hear_choices

KEY = "lesson_cards"


def cards(
    data: dict,
    *,
    on_open: Callable[[str, int], None],
    on_lecture: Callable[[], None],
    on_sheet: Callable[[], None],
) -> None:
    """Mount them; `on_open(lesson, at)` is called for the card chosen.

    Parameters
    ----------
    data : dict
        As `panels.learn.landing.data` makes it.
    on_lecture, on_sheet : callable
        Called for the teacher's card; the sheet is saved when the data of a later run hold it.
    """

    def opened() -> None:
        hear_choices(KEY, "open", lambda told: on_open(told["lesson"], int(told["at"])))

    component("lessons")(
        key=KEY, data=data, on_open_change=opened, on_lecture_change=on_lecture,
        on_sheet_change=on_sheet,
    )  # fmt: skip
