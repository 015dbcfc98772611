"""The attributes of a table as rows: used or not, their values, how many people have which."""

from collections.abc import Callable

from pages.ui.components import component, hear_choices

KEY = "attributes"


def attributes(data: dict, *, hear: Callable[[dict], None]) -> None:
    """Mount the rows; `hear` is told the name of a row and whether it shall be used.

    Parameters
    ----------
    data : dict
        `rows`: name, title, used, values, shares, told (the share in words), note; `words`; `more`:
        how many rows are shown before the rest is asked for; `lecture`.
    """

    def heard() -> None:
        hear_choices(KEY, "used", hear)

    component("attributes")(key=KEY, data=data, on_used_change=heard)
