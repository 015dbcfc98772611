"""Devices at work: the people of one part of the data report into one file; sees private records."""

import hashlib

import numpy as np

from calm_core._checks import check_count
from calm_core.collection.report_files import ReportColumns, ReportRows
from calm_core.collection.simulation import assign_groups
from calm_core.errors import InfeasibleError
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset

# People of one part, whose records and packed reports are held at once; reports as their oracle makes
# them take eight times more, so only so many cells at a time.
MAX_PEOPLE = 1 << 24
MAX_REPORT_CELLS = 1 << 24


def report_part(dataset: Dataset, plan: Plan, *, seed: int, part: int) -> bytes:
    """The report file of one part of the people: every one reports once, with the full budget.

    Who reports on which view, what the devices draw, the order of the rows and the name of the batch
    follow from the seed and the number of the part alone, whoever does the work and when.

    Parameters
    ----------
    dataset : Dataset
        The people of this part.
    plan : Plan
        What they are asked.
    seed : int
        Of all parts together. Who knows it can undo the noise: it is secret as the records are.
    part : int
        Number of this part.

    Returns
    -------
    bytes
        A Parquet file, see `ReportColumns`.

    Raises
    ------
    InputError
        If the data does not have the plan's domain.
    InfeasibleError
        If there are too many people for one part, or too many views for a file.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> rng = np.random.default_rng(1)
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(1000, 2)), domain)
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=rng)
    >>> report_part(data, plan, seed=1, part=0)[:4]
    b'PAR1'
    """
    plan.domain.check_same(dataset.domain)
    if dataset.n > MAX_PEOPLE:
        raise InfeasibleError(
            f"one part would be {dataset.n:,} people and must be at most {MAX_PEOPLE:,}; "
            "divide the data into more parts"
        )
    columns, rng = ReportColumns(plan), stream(seed, "reports", check_count("part", part, low=0))
    # In a random order from here on.
    dataset = dataset.select_users(rng.permutation(dataset.n))
    labels = assign_groups(dataset.n, plan, rng=rng)
    rows = _report(dataset, columns, labels, rng)
    name = hashlib.sha256(stream(seed, "batch", part).bytes(32)).hexdigest()[:32]
    return columns.parquet(rows, name)


def _report(
    dataset: Dataset, columns: ReportColumns, labels, rng: np.random.Generator
) -> ReportRows:
    """Every person's report; groups that share an oracle draw together."""
    plan, n = columns.plan, dataset.n
    cells = _own_cells(dataset, plan, labels)
    kinds: dict = {}
    number = np.array([kinds.setdefault(oracle, len(kinds)) for oracle in plan.oracles])
    packed = np.zeros((n, columns.width), dtype=np.uint8)
    seeds = np.zeros(n, dtype=np.uint64)
    for oracle, kind in kinds.items():
        form, theirs = oracle.form, np.flatnonzero(number[labels] == kind)
        step = max(1, MAX_REPORT_CELLS // oracle.size)
        for start in range(0, len(theirs), step):
            rows = theirs[start : start + step]
            reports = oracle.perturb(cells[rows], rng=rng)
            at = (
                slice(0, form.width)
                if columns.bytewise
                else slice(columns.width - form.width, None)
            )
            packed[rows, at] = form.pack(reports)
            if form.seeded:
                seeds[rows] = form.seeds(reports)
    body = packed if columns.bytewise else _numbers(packed, columns.number)
    return ReportRows(labels.astype(np.uint16), body, seeds if columns.seeded else None)


def _numbers(packed: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Bytes, highest first, as numbers."""
    big = np.zeros((len(packed), kind.itemsize), dtype=np.uint8)
    big[:, kind.itemsize - packed.shape[1] :] = packed
    return big.view(kind.newbyteorder(">"))[:, 0].astype(kind)


def _own_cells(dataset: Dataset, plan: Plan, labels: np.ndarray) -> np.ndarray:
    """The cell of every person on the view of her group, int64 (n,)."""
    cells = np.zeros(dataset.n, dtype=np.int64)
    # Views have few attributes: one look at every person for each of them.
    for step in range(plan.l):
        at, size = np.zeros(plan.m, dtype=np.int64), np.ones(plan.m, dtype=np.int64)
        for view, attrs in enumerate(plan.views):
            positions = dataset.domain.positions(attrs)
            if step < len(positions):
                at[view], size[view] = positions[step], dataset.domain.sizes[positions[step]]
        codes = dataset.codes[np.arange(dataset.n), at[labels]].astype(np.int64)
        # Where a view has no attribute left its size is 1, and the code must not count.
        cells = cells * size[labels] + np.where(size[labels] > 1, codes, 0)
    return cells
