"""The strip at the foot of the window: every setting, at hand on every page that uses them."""

from collections.abc import Callable
from functools import partial

from pages.ui.components import component, told_by

KEY = "strip"


def strip(data: dict, *, hear: Callable[[str, object], None], height: str = "content") -> None:
    """Mount the strip; `hear(field, value)` is called for what was chosen, once for each choice.

    Parameters
    ----------
    data : dict
        As `pages.ui.strip.data` makes it: what each control shows and offers.
    """

    def heard(field: str) -> None:
        told = told_by(KEY, field)
        if told is not None:
            hear(field, told["value"])

    fields = [*(field["field"] for field in data["controls"]), *data["actions"]]
    component("strip")(
        key=KEY, data=data, height=height,
        **{f"on_{field}_change": partial(heard, field) for field in fields},
    )  # fmt: skip
