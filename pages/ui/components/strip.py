"""The strip at the foot of the window: every setting, at hand on every page that uses them."""

from collections.abc import Callable
from functools import partial

from pages.ui.components import component, hear_choices

KEY = "strip"


def strip(data: dict, *, hear: Callable[[str, object], None], height: str = "content") -> None:
    """Mount the strip; `hear(field, value)` is called for what was chosen, once for each choice.

    Parameters
    ----------
    data : dict
        As `pages.ui.settings_bar.data` makes it: what each control shows and offers.
    """

    def heard(field: str) -> None:
        hear_choices(KEY, field, partial(hear, field))

    fields = [*(field["field"] for field in data["controls"]), *data["actions"]]
    component("strip")(
        key=KEY, data=data, height=height,
        **{f"on_{field}_change": partial(heard, field) for field in fields},
    )  # fmt: skip
