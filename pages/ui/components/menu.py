"""The button that opens the sheet of sections and steps on a phone; hidden in wider windows."""

from pages import words
from pages.ui.components import component


def button(step: dict | None) -> None:
    """Mount it: `step` tells `name`, `told`, `at` and `count` of the Lab's step that is shown, if one is."""
    component("menu")(key="menu", data={"step": step, "words": {"menu": words.shared.MENU}})
