"""The errors of all pairs of attributes as a triangle of numbers; each opens its table."""

from collections.abc import Callable, Sequence
from typing import TypedDict

from pages.ui.components import component, hear_choices


class Cell(TypedDict):
    """One pair: `row` > `column` are places of labels, `alt` says all of it in words."""

    row: int
    column: int
    points: float
    text: str
    alt: str


def pairs(
    labels: Sequence[str],
    cells: Sequence[Cell],
    *,
    alt: str,
    hear: Callable[[int, int], None],
    key: str = "pairs",
    lecture: bool = False,
) -> None:
    """Mount the triangle; `hear(row, column)` is called for the cell that was chosen.

    Parameters
    ----------
    labels : sequence of str
        Titles of d attributes, not escaped.
    cells : sequence of Cell
        All d (d - 1) / 2 pairs.
    alt : str
        What the picture shows, in a sentence.
    lecture : bool
        Whether it takes all the room above the strip, with large type.
    """

    def heard() -> None:
        hear_choices(key, "open", lambda pair: hear(*pair))

    component("pairs")(
        key=key, on_open_change=heard,
        data={"labels": list(labels), "cells": list(cells), "alt": alt, "lecture": lecture},
    )  # fmt: skip
