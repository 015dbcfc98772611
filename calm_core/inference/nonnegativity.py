"""Non-negativity: remove negative cells from noisy tables (PriView section 4.4).

Each function takes a batch of tables of one shape, an array of shape (m, *sizes), and returns a new
one. All but `simple` keep the total of each table.
"""

import numpy as np

from calm_core.runtime.cancellation import checkpoint

MAX_RIPPLE_STEPS = 20_000


def ripple(batch: np.ndarray, *, threshold: float = 0.0) -> np.ndarray:
    """Set cells below -threshold to 0 and subtract their deficit from their neighbors (Ripple).

    The neighbors of a cell differ from it in the value of one attribute; there are sum(c_i - 1) of them.
    All cells below -threshold are treated at once and the step is repeated until none is left, so the
    result does not depend on the order of the cells.

    Parameters
    ----------
    batch : ndarray, shape (m, *sizes)
        Tables of fractions, each with a positive total.
    threshold : float
        Cells down to -threshold stay; the default is a thousandth of an average cell.

    Examples
    --------
    >>> ripple(np.array([[[-0.3, 0.2, 0.3], [0.3, 0.2, 0.3]]]), threshold=1e-6).round(3).tolist()
    [[[0.0, 0.1, 0.2], [0.2, 0.2, 0.3]]]
    """
    tables = np.array(batch, dtype=float)
    cells = tables[0].size
    axes = [axis for axis in range(1, tables.ndim) if tables.shape[axis] > 1]
    neighbors = sum(tables.shape[axis] - 1 for axis in axes)
    if not neighbors:
        return tables
    threshold = threshold or 1e-3 / cells
    todo = np.arange(len(tables))
    for _ in range(MAX_RIPPLE_STEPS):
        checkpoint()
        part = tables[todo]
        unsettled = part.reshape(len(todo), -1).min(axis=1) < -threshold
        if not unsettled.any():
            break
        todo, part = todo[unsettled], part[unsettled]
        lacking = np.where(part < -threshold, part, 0.0)
        part -= lacking
        lacking /= neighbors
        for axis in axes:
            part += lacking.sum(axis=axis, keepdims=True) - lacking
        tables[todo] = part
    return tables


def simple(batch: np.ndarray) -> np.ndarray:
    """Set negative cells to 0 (Simple); the total grows.

    Examples
    --------
    >>> simple(np.array([[[-0.3, 0.2, 0.3], [0.3, 0.2, 0.3]]])).tolist()
    [[[0.0, 0.2, 0.3], [0.3, 0.2, 0.3]]]
    """
    return np.maximum(batch, 0.0)


def global_shift(batch: np.ndarray) -> np.ndarray:
    """Clip at 0 and subtract one constant from the positive cells, so that the total stays (Global).

    PriView subtracts once. A small cell that would fall below 0 becomes 0, and the positive cells are
    scaled to the total. `norm_sub` subtracts repeatedly instead.

    Examples
    --------
    >>> global_shift(np.array([[[-0.3, 0.2, 0.3], [0.3, 0.2, 0.3]]])).round(3).tolist()
    [[[0.0, 0.14, 0.24], [0.24, 0.14, 0.24]]]
    """
    cells = tuple(range(1, np.ndim(batch)))
    total = batch.sum(axis=cells, keepdims=True)
    clipped = np.maximum(batch, 0.0)
    positive = np.maximum((clipped > 0).sum(axis=cells, keepdims=True), 1)
    excess = clipped.sum(axis=cells, keepdims=True) - total
    shifted = np.maximum(clipped - excess / positive, 0.0)
    return shifted * (total / shifted.sum(axis=cells, keepdims=True))


def norm_sub(batch: np.ndarray, *, total: float | None = None) -> np.ndarray:
    """Project each table on the non-negative tables with the same total (Norm-Sub; Wang et al., NDSS 2020).

    This is the Euclidean projection on the simplex, so the sum of squared errors from a true table of
    the same total never grows.

    Parameters
    ----------
    batch : ndarray, shape (m, *sizes)
        Tables of fractions.
    total : float, optional
        Total of the result, above 0; the default is each table's own total.

    Examples
    --------
    >>> norm_sub(np.array([[[-0.3, 0.2, 0.3], [0.3, 0.2, 0.3]]])).round(3).tolist()
    [[[0.0, 0.14, 0.24], [0.24, 0.14, 0.24]]]
    """
    flat = np.asarray(batch, dtype=float).reshape(len(batch), -1)
    totals = flat.sum(axis=1, keepdims=True) if total is None else total
    falling = -np.sort(-flat, axis=1)
    # The constant to subtract if exactly the j largest cells remain positive.
    constants = (falling.cumsum(axis=1) - totals) / np.arange(1, flat.shape[1] + 1)
    kept = (falling > constants).sum(axis=1, keepdims=True)
    constant = np.take_along_axis(constants, kept - 1, axis=1)
    return np.maximum(flat - constant, 0.0).reshape(np.shape(batch))


_VARIANTS = {
    "none": np.array,
    "simple": simple,
    "global": global_shift,
    "ripple": ripple,
    "norm_sub": norm_sub,
}
NONNEGATIVITY = tuple(_VARIANTS)


def make_nonnegative(batch: np.ndarray, nonnegativity: str = "ripple") -> np.ndarray:
    """Remove negative cells by the named variant from tables of one shape, array of shape (m, *sizes)."""
    return _VARIANTS[nonnegativity](batch)
