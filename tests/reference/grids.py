"""HDG as its paper tells it: cell after cell of a matrix of values, with nothing put together."""

from itertools import product

import numpy as np


def norm_sub(cells: list[float]) -> list[float]:
    """Negative cells to 0 and one difference off all others, again and again."""
    cells = list(cells)
    left = set(range(len(cells)))
    while left:
        off = (1 - sum(cells[i] for i in left)) / len(left)
        for i in left:
            cells[i] += off
        gone = {i for i in left if cells[i] < 0}
        for i in gone:
            cells[i] = 0.0
        if not gone:
            break
        left -= gone
    return cells


def coarse_cell(axis, fine: int) -> int:
    """The coarse cell of a fine one."""
    return max(j for j, first in enumerate(axis.coarse) if first <= fine)


def agree(lines, squares, axes, rounds: int):
    """Norm-Sub, then `rounds` times one attribute after the other and Norm-Sub."""
    grids = {(a,): {(i,): x for i, x in enumerate(v)} for a, v in lines.items()}
    grids |= {p: {c: float(t[c]) for c in np.ndindex(t.shape)} for p, t in squares.items()}

    def without_negative():
        for cells in grids.values():
            cells.update(zip(cells, norm_sub(list(cells.values()))))

    def in_coarse(attributes, cell, a):
        at = cell[attributes.index(a)]
        return coarse_cell(axes[a], at) if len(attributes) == 1 else at

    without_negative()
    for _ in range(rounds):
        for a in lines:
            for j in range(len(axes[a].coarse)):
                inside = {
                    who: [cell for cell in cells if in_coarse(who, cell, a) == j]
                    for who, cells in grids.items()
                    if a in who
                }
                totals = {who: sum(grids[who][c] for c in cells) for who, cells in inside.items()}
                weights = {who: len(axes[a].coarse) / len(grids[who]) for who in inside}
                mean = sum(weights[w] * totals[w] for w in inside) / sum(weights.values())
                for who, cells in inside.items():
                    for cell in cells:
                        grids[who][cell] += (mean - totals[who]) / len(cells)
        without_negative()
    return grids


def response(row, column, square, axes, rounds: int) -> np.ndarray:
    """Algorithm 1: the matrix of all values, scaled to one cell of one grid after the other."""
    one, two = axes
    matrix = np.full((one.size, two.size), 1 / (one.size * two.size))
    ends = [(*axis.fine, axis.size) for axis in axes]
    spans = [[range(a, b) for a, b in zip(e, e[1:])] for e in ends]
    wide = []
    for axis, own in zip(axes, spans):
        groups = [[] for _ in axis.coarse]
        for i, values in enumerate(own):
            groups[coarse_cell(axis, i)] += values
        wide.append(groups)
    constraints = [(span, range(two.size), f) for span, f in zip(spans[0], row)]
    constraints += [(range(one.size), span, f) for span, f in zip(spans[1], column)]
    constraints += [(wide[0][i], wide[1][j], square[i, j]) for i, j in np.ndindex(square.shape)]
    for _ in range(rounds):
        for xs, ys, wanted in constraints:
            total = sum(matrix[x, y] for x, y in product(xs, ys))
            if total:
                for x, y in product(xs, ys):
                    matrix[x, y] *= wanted / total
    return matrix


def share_inside(pairs: dict, k: int, rounds: int) -> float:
    """Algorithm 2: the 2^k cases of being inside every range, scaled to what is known of two."""
    cases = {case: 1 / 2**k for case in product((True, False), repeat=k)}
    for _ in range(rounds):
        for (i, j), wanted in pairs.items():
            total = sum(x for case, x in cases.items() if case[i] and case[j])
            for case in cases:
                if case[i] and case[j] and total:
                    cases[case] *= wanted / total
            total = sum(cases.values())
            cases = {case: x / total for case, x in cases.items()}
    return cases[(True,) * k]
