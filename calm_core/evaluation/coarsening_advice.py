"""Advice before a run: columns with too many values for n and epsilon, and the gain of merging them."""

import math
from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_count, check_epsilon
from calm_core.errors import UserError
from calm_core.evaluation.prediction import (
    TableVariances,
    plan_variances,
    wrong_of_variance,
)
from calm_core.ingest.editing import coarsen, group_by_prefix
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.suggestions import REGIONS
from calm_core.planning.plan import default_queries, make_plan
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain

TARGETS = (32, 20, 16, 12, 10, 8, 6, 5, 4, 3, 2)
SMALLEST = 4  # fewest values after merging
NEVER = 6  # columns with so few values are never too fine
MAX_CHANGES = 5
# An error above this share of a usual cell cannot tell large cells from small ones.
READABLE = 1 / 3
THETA = 1e-3


@dataclass(frozen=True)
class CoarseningAdvice:
    """One column to be merged to fewer values.

    Attributes
    ----------
    name : str
    sentence : str
        The advice and its expected gain.
    schema : Schema
        The schema with the values merged.
    before, after : float
        Expected share of people in the wrong cell of the k-way tables over the merged values, 0 to 1: if the
        values are merged after the collection, and if they are merged before.
    """

    name: str
    sentence: str
    schema: Schema
    before: float
    after: float


def suggest_coarsening(
    schema: Schema, n: int, epsilon: float, k: int, *, theta: float = THETA
) -> tuple[CoarseningAdvice, ...]:
    """Suggest columns to coarsen for this n and epsilon, the finest first; sees no data.

    A column is too fine if the predicted error of a cell exceeds a third of the typical share of a cell in
    its k-way tables. There is no advice if no plan can be made.

    Parameters
    ----------
    schema : Schema
        The schema; its kept columns are collected.
    n : int
        Number of people.
    epsilon, k, theta : numbers
        As for `make_plan`; k is at most the number of columns.

    Examples
    --------
    >>> from calm_core.ingest.schema import ColumnSchema, Schema
    >>> zips = tuple(f"{10 + i % 8}{i:03}" for i in range(64))
    >>> zip_code = ColumnSchema("zip", "category", labels=zips, values=zips, counts=(9,) * 64,
    ...                         groups=tuple(range(64)))
    >>> sex = ColumnSchema("sex", "category", labels=("f", "m"))
    >>> found, = suggest_coarsening(Schema((zip_code, sex)), 20_000, 1.0, 2)
    >>> found.name, found.schema.column("zip").size
    ('zip', 8)
    >>> found.after < found.before
    True
    """
    check_count("n", n)
    check_epsilon(epsilon)
    check_count("k", k)
    kept = schema.used_columns
    if not kept:
        return ()
    k = min(k, len(kept))
    known = _variances(schema.domain, n, epsilon, k, theta)
    if known is None:
        return ()
    # Root mean square error of a cell.
    cell = math.sqrt(float(np.mean((known.collected + known.lost) / known.cells**2)))
    found: list[CoarseningAdvice] = []
    for column in sorted(kept, key=lambda column: -column.size):
        checkpoint()
        fine = column.size > NEVER and cell > READABLE * _share(schema, column, k)
        fewer, how = _fewer(schema, column, k, cell) if fine else (column, "")
        if len(found) == MAX_CHANGES or fewer.size >= column.size:
            continue
        changed = schema.with_column(fewer)
        # The same tables both times: values merged after the collection keep their noise.
        before = _merged_later(known, changed.domain, k)
        merged = _variances(changed.domain, n, epsilon, k, theta)
        after = before if merged is None else merged.wrong()
        if after >= before:
            continue
        sentence = (
            f"{column.title or column.name:.60} is too fine for {n:,} people and epsilon {epsilon:g}: merge "
            f"{how}? Of 100 people, {100 * after:.2g} instead of {100 * before:.2g} are expected in the wrong cell."
        )
        found.append(CoarseningAdvice(column.name, sentence, changed, before, after))
    return tuple(found)


def _share(schema: Schema, column: ColumnSchema, k: int) -> float:
    """Share of people in a typical cell of the k-way tables with this column."""
    others = [other.size for other in schema.used_columns if other.name != column.name]
    usual = float(np.exp(np.mean(np.log(others)))) if others else 1.0
    return 1 / (column.size * usual ** (k - 1))


def _fewer(schema: Schema, column: ColumnSchema, k: int, cell: float) -> tuple[ColumnSchema, str]:
    """The column with as many values as the error allows, and a description of the merge."""
    usual = 1 / (_share(schema, column, k) * column.size)  # cells for each value of the column
    smaller = (size for size in TARGETS if size < column.size)
    target = next((s for s in smaller if cell <= READABLE / (s * usual)), SMALLEST)
    # Regions are more useful than the few most frequent codes, even if there are more of them.
    grouped = coarsen(column, max(target, REGIONS))
    in_regions = column.kind == "category" and group_by_prefix(column, REGIONS) is not None
    return grouped if in_regions else coarsen(column, max(target, SMALLEST))


def _variances(
    domain: Domain, n: int, epsilon: float, k: int, theta: float
) -> TableVariances | None:
    """Expected variances of every table; None if no plan can be made."""
    try:
        plan = make_plan(domain, n, epsilon=epsilon, k=k, theta=theta, rng=stream(0, "advice"))
    except UserError:
        return None
    return plan_variances(plan)


def _merged_later(known: TableVariances, domain: Domain, k: int) -> float:
    """Share of people in the wrong cell of tables over `domain`, if values are merged after the collection.

    The sum of squared errors stays, and is spread over fewer cells.
    """
    cells = np.array([domain.cells_of(query) for query in default_queries(domain, k)], dtype=float)
    variance = (known.collected + known.lost) * cells / known.cells
    return float(wrong_of_variance(variance, cells).mean())
