"""Algorithm 1 as scales with a fence to drag, and the words beside them."""

from collections.abc import Callable

from pages.ui.components import component, hear_choices, last_heard_number

KEY = "plan_scales"


def scales(data: dict, *, hear: Callable[[float, int], None]) -> None:
    """Mount the scales; `hear(theta, at)` is called once for each step and each place of the fence.

    Parameters
    ----------
    data : dict
        As `pages.ui.plan_chart.data` makes it, with `at`, `told`, `lecture`, `fixed`, `words`.
    """

    def heard() -> None:
        hear_choices(KEY, "move", lambda move: hear(move["theta"], move["at"]))

    # The browser then knows whether Python has heard of its last move.
    heard_of = last_heard_number(KEY, "move")
    component("plan")(
        key=KEY, data=data | {"part": "scales", "heard": heard_of}, on_move_change=heard
    )


def side(words: dict, lead: tuple[str, str]) -> None:
    """Mount the words beside the scales: what to look for, reasons, buttons."""
    data = {"part": "side", "words": words, "lead": list(lead)}
    component("plan")(key="plan_side", data=data)
