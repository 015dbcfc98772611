"""Algorithm 1 as scales with a fence to drag, and the words beside them."""

from collections.abc import Callable

from pages.ui.components import component, told_by

KEY = "plan_scales"


def scales(data: dict, *, hear: Callable[[float, int], None]) -> None:
    """Mount the scales; `hear(theta, at)` is called once for each step and each place of the fence.

    Parameters
    ----------
    data : dict
        As `pages.ui.scales.data` makes it, with `at`, `told`, `lecture`, `fixed`, `words`.
    """

    def heard() -> None:
        told = told_by(KEY, "move")
        if told is not None:
            hear(told["value"]["theta"], told["value"]["at"])

    last = told_by(KEY, "move")
    # The browser then knows whether Python has heard of its last move.
    component("plan")(
        key=KEY, data=data | {"part": "scales", "heard": last["at"] if last else 0},
        on_move_change=heard,
    )  # fmt: skip


def side(words: dict, lead: tuple[str, str]) -> None:
    """Mount the words beside the scales: what to look for, reasons, buttons."""
    data = {"part": "side", "words": words, "lead": list(lead)}
    component("plan")(key="plan_side", data=data)
