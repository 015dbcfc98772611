"""The tab's own memory: the key to what it has uploaded, and how far in the Lab it has been."""

from collections.abc import Callable
from functools import partial

from pages.ui.components import component, hear_choices

KEY = "calm_kept"


def mount(
    *,
    keep: str,
    ask: bool,
    drop: bool,
    focus: int,
    reached: int,
    hear: Callable[[object], None],
    hear_reached: Callable[[object], None],
) -> None:
    """Let the tab keep a key, or say the one it keeps, or forget it; or put the focus on the drop zone.

    Parameters
    ----------
    keep : str
        The key; "" leaves what the tab keeps as it is.
    ask, drop : bool
        Whether `hear` shall be told the key kept, and whether the tab shall forget it.
    focus : int
        Another number than before puts the focus on the drop zone as soon as there is one.
    reached : int
        The step of the Lab reached, from 0; `hear_reached` is told where the tab was further before it was loaded
        anew.
    """

    def heard(field: str, hear: Callable[[object], None]) -> None:
        hear_choices(KEY, field, hear)

    component("kept", "<i class='root' hidden></i>\n")(
        key=KEY, data={"keep": keep, "ask": ask, "drop": drop, "focus": focus, "reached": reached},
        on_key_change=partial(heard, "key", hear), on_reached_change=partial(heard, "reached", hear_reached),
    )  # fmt: skip
