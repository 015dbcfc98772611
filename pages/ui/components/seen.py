"""What was seen in each column of a file, what it becomes, and what there is to decide, as rows."""

from collections.abc import Callable

from pages.ui.components import component, hear_choices

KEY = "seen"


def seen(data: dict, *, hear: Callable[[dict], None]) -> None:
    """Mount the rows; `hear` is told once for each press what was decided.

    Parameters
    ----------
    data : dict
        `rows`: name, title, note, used, saw, becomes, warnings, questions, offers, naming, use,
        kept, changed; `words`; `said`: what was changed last; `heard`: how many presses were heard.
    """

    def heard() -> None:
        hear_choices(KEY, "decided", hear)

    component("seen")(key=KEY, data=data, on_decided_change=heard)
