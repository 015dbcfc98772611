"""Ripple cell by cell, as PriView describes it, all cells of one pass at once."""

import itertools

import numpy as np


def ripple_slowly(table: np.ndarray, threshold: float) -> np.ndarray:
    """Set cells below -threshold to 0 and let their neighbors share what they lacked."""
    cells = {cell: float(table[cell]) for cell in itertools.product(*map(range, table.shape))}

    def neighbors(cell):
        return [other for other in cells if sum(a != b for a, b in zip(cell, other)) == 1]

    while any(value < -threshold for value in cells.values()):
        negative = {cell: value for cell, value in cells.items() if value < -threshold}
        for cell in negative:
            cells[cell] = 0.0
        for cell, value in negative.items():
            around = neighbors(cell)
            for other in around:
                cells[other] += value / len(around)
    return np.array(list(cells.values())).reshape(table.shape)
