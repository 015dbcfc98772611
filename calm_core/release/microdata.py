"""Microdata: rows with the tables of a release, and a score card that says how well they keep them.

Rows start from independent attributes. Then one value of one row after the other is drawn anew, with odds that fall
with the squared distance of the tables of all rows from the given ones: simulated annealing, compiled by numba. At a
high temperature rows keep the entropy that the tables leave them, as a log-linear model does; the last passes only take
what brings the tables closer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from calm_core._checks import check_count, check_rng
from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.methods.base import Answer, CollectedAnswer, KWayAnswer
from calm_core.methods.calm_binary import CalmBinaryAnswer
from calm_core.methods.central.base import TablesAnswer
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain, choose_queries
from calm_core.tables.marginal import Marginal, mutual_information

if TYPE_CHECKING:
    import pandas as pd

# Rows that are fitted together first.
BLOCK = 2**12
# The temperature of every pass: the square of a distance, as people of one block and then of all rows, that is as good
# as none, over the number of rows. The passes over all rows remove what rounding is left in blocks.
WARM, COLD = (1 / 8, 1 / 64, 1 / 512, 0.0), (0.0,)


@cache
def _kernel():
    """The compiled pass over some values of the rows."""
    from numba import njit

    @njit(cache=True, nogil=True)
    def redraw(
        rows, order, draws, heat, excess, sizes, first, starts, steps, widths, others, strides
    ):
        """Draw values anew and return how many changed; `excess` is the count of every cell beyond the wanted one."""
        scores = np.empty(sizes.max())
        changed = 0
        for step in range(len(order)):
            row, i = divmod(order[step], rows.shape[1])
            size, old = sizes[i], rows[row, i]
            scores[:size] = 0.0
            for t in range(first[i], first[i + 1]):
                cell = starts[t]
                for j in range(widths[t]):
                    cell += rows[row, others[t, j]] * strides[t, j]
                for value in range(size):
                    scores[value] += excess[cell + value * steps[t]]
            # Half of the change of the sum of squares, up to a constant.
            scores[old] -= first[i + 1] - first[i]
            new = old
            if heat > 0:
                lowest, total = scores[:size].min(), 0.0
                for value in range(size):
                    scores[value] = math.exp(2 * (lowest - scores[value]) / heat)
                    total += scores[value]
                remaining, new = draws[step] * total - scores[0], 0
                while remaining > 0 and new < size - 1:
                    new += 1
                    remaining -= scores[new]
            else:
                for value in range(size):
                    if scores[value] < scores[new]:
                        new = value
            if new == old:
                continue
            changed += 1
            for t in range(first[i], first[i + 1]):
                cell = starts[t]
                for j in range(widths[t]):
                    cell += rows[row, others[t, j]] * strides[t, j]
                excess[cell + old * steps[t]] -= 1
                excess[cell + new * steps[t]] += 1
            rows[row, i] = new
        return changed

    return redraw


@dataclass(frozen=True, eq=False)
class _Tables:
    """The given tables end to end, and for every attribute the tables that contain it.

    Attributes
    ----------
    shares : ndarray
        Cells of all tables.
    views : list of tuple of str
        Attributes of every table.
    first : ndarray of int
        Entries of attribute i are first[i]..first[i + 1] of the following arrays.
    starts, steps, widths : ndarray of int
        First cell of the table, how many cells the next value of the attribute is away, and how many other attributes
        the table has.
    others, strides : ndarray of int, shape (entries, largest table - 1)
        The other attributes of the table, and how many cells their next values are away; 0 where there are fewer.
    """

    shares: np.ndarray
    views: list[tuple[str, ...]]
    first: np.ndarray
    starts: np.ndarray
    steps: np.ndarray
    widths: np.ndarray
    others: np.ndarray
    strides: np.ndarray

    @classmethod
    def from_marginals(cls, domain: Domain, tables: Sequence[Marginal]) -> "_Tables":
        places = [domain.positions(table.attrs) for table in tables]
        starts = np.cumsum([0, *(table.values.size for table in tables)]).tolist()
        width = max(map(len, places)) - 1
        entries: list[list[tuple]] = [[] for _ in domain.names]
        for at, start in zip(places, starts):
            ahead = [math.prod(domain.sizes[j] for j in at[a + 1 :]) for a in range(len(at))]
            for a, i in enumerate(at):
                rest = [(j, ahead[b]) for b, j in enumerate(at) if b != a]
                rest += [(0, 0)] * (width - len(rest))
                strides = [stride for _, stride in rest]
                entries[i].append((start, ahead[a], len(at) - 1, [j for j, _ in rest], strides))
        flat = [entry for part in entries for entry in part]
        columns = [np.array(column, dtype=np.int64) for column in zip(*flat)]
        first = np.cumsum([0, *map(len, entries)])
        shares = np.concatenate([table.values.ravel() for table in tables])
        return cls(shares, [table.attrs for table in tables], first, *columns)


def fit_rows(
    domain: Domain, tables: Sequence[Marginal], n: int, *, rng: np.random.Generator
) -> np.ndarray:
    """Return codes of n rows whose tables are close to the given ones.

    Parameters
    ----------
    domain : Domain
        The attributes, each of which must be in a table.
    tables : sequence of Marginal
        Fractions. Negative cells are allowed, and tables may contradict each other.
    n : int
        Number of rows.
    rng : numpy Generator
        Randomness of the rows.

    Returns
    -------
    ndarray of int, shape (n, d)

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> table = Marginal(domain, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    >>> rows = fit_rows(domain, [table], 1000, rng=np.random.default_rng(1))
    >>> (np.bincount(3 * rows[:, 0] + rows[:, 1]) / 1000).round(2).tolist()
    [0.1, 0.2, 0.1, 0.3, 0.2, 0.1]
    """
    layout = _Tables.from_marginals(domain, tables)
    blocks = -(-n // BLOCK)
    sizes = [n // blocks + (b < n % blocks) for b in range(blocks)]
    parts = [
        _draw_values(domain, layout, _draw_independent(domain, tables, size, rng), WARM, rng)
        for size in sizes
    ]
    return _draw_values(domain, layout, rng.permutation(np.concatenate(parts)), COLD, rng)


def _draw_independent(
    domain: Domain, tables: Sequence[Marginal], n: int, rng: np.random.Generator
) -> np.ndarray:
    """Rows whose single attributes have the shares of the tables, independent of each other."""
    rows = np.empty((n, domain.d), dtype=np.int64)
    for i, name in enumerate(domain.names):
        table = next(table for table in tables if name in table.attrs)
        shares = np.maximum(table.project((name,)).values, 0.0) + 1e-12
        ends = np.cumsum(shares / shares.sum())
        # Evenly spaced points: counts are those of the shares, rounded.
        values = np.searchsorted(ends, (np.arange(n) + rng.random()) / n)
        rows[:, i] = rng.permutation(np.minimum(values, domain.sizes[i] - 1))
    return rows


def _draw_values(
    domain: Domain,
    layout: _Tables,
    rows: np.ndarray,
    heats: Sequence[float],
    rng: np.random.Generator,
) -> np.ndarray:
    """The rows after a pass at every heat, relative to their number; changes them in place."""
    redraw, sizes, values = _kernel(), np.array(domain.sizes), rows.size
    counts = _count_cells(domain, rows, layout.views)
    excess = np.concatenate([cells.ravel() for cells in counts]) - len(rows) * layout.shares
    for heat in heats:
        checkpoint()
        redraw(
            rows, rng.permutation(values), rng.random(values), heat and max(1.0, heat * len(rows)),
            excess, sizes, layout.first, layout.starts, layout.steps, layout.widths, layout.others,
            layout.strides,
        )  # fmt: skip
    return rows


# The tables that rows are fitted to: all pairs in any case, more attributes as far as these limits allow. Where the
# table of all attributes has few cells it is one more.
MAX_TABLES, MAX_CELLS, MAX_WHOLE = 1000, 2**22, 2**10
# Tables of a release that does not say for how many attributes it was made.
USUAL_SIZE = 3
# More rows repeat these: there is nothing more to say about a release.
MAX_DISTINCT = 2**16
MAX_ROWS = 10**7


def microdata(answer: Answer, *, n: int, rng: np.random.Generator) -> "pd.DataFrame":
    """Return n rows whose tables are close to those of a release; no row is anybody's.

    Rows are fitted to all tables of k attributes of the release, or, where those are more than 1,000, to all pairs and
    to random ones of the others. They are post-processing of the release, so they cost no privacy.

    Parameters
    ----------
    answer : Answer
        What a method released, from a simulation, a state or a class.
    n : int
        Number of rows; they repeat after 65,536.
    rng : numpy Generator
        Randomness of the rows.

    Returns
    -------
    DataFrame
        A column for each attribute, with its labels.

    Raises
    ------
    UserError
        If n is not at least 1, or the tables of pairs have too many cells.

    Examples
    --------
    >>> from calm_core.methods.calm_plus import CalmPlus
    >>> from calm_core.tables.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(("sex", "smokes"), (2, 2), labels=(("man", "woman"), ("no", "yes")))
    >>> people = Dataset(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> rows = microdata(CalmPlus(epsilon=2.0, k=2).release(people, rng=rng), n=100, rng=rng)
    >>> rows.shape, sorted(rows.smokes.unique())
    ((100, 2), ['no', 'yes'])
    """
    import pandas as pd

    n = check_count("rows", n, high=MAX_ROWS)
    domain, rng = answer.domain, check_rng(rng)
    k = table_size(answer)
    tables = answer.marginals(_choose_tables(domain, k, rng)) + _find_whole_table(answer, k)
    codes = fit_rows(domain, tables, min(n, MAX_DISTINCT), rng=rng)
    codes = np.resize(codes, (n, domain.d))
    return pd.DataFrame({
        name: np.array(domain.labels_of(name), dtype=object)[codes[:, i]]
        for i, name in enumerate(domain.names)
    })  # fmt: skip


def table_size(answer: Answer) -> int:
    """Return the number of attributes of the tables that a release was made for: its k, or 3 where it has none."""
    size = USUAL_SIZE
    if isinstance(answer, KWayAnswer):
        size = answer.k
    elif isinstance(answer, TablesAnswer):
        size = min(size, max(len(table.attrs) for table in answer.tables))
    elif isinstance(answer, CollectedAnswer | CalmBinaryAnswer):
        size = answer.plan.k
    return min(size, answer.domain.d)


def _choose_tables(domain: Domain, k: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """All tables of k attributes if they are few; otherwise all pairs, and random ones of k attributes."""
    if math.comb(domain.d, k) <= MAX_TABLES:
        every = list(combinations(domain.names, k))
        if sum(map(domain.cells_of, every)) <= MAX_CELLS:
            return every
    chosen = list(combinations(domain.names, min(2, k)))
    cells = sum(map(domain.cells_of, chosen))
    if cells > MAX_CELLS:
        raise InfeasibleError(
            f"the tables of all pairs have {cells:,} cells, and microdata need at most {MAX_CELLS:,}; use fewer "
            "attributes or merge values",
            remedies=[("d", Toward.LESS), ("max_values", Toward.LESS)],
        )
    if k > 2 and len(chosen) < MAX_TABLES:
        for query in choose_queries(domain, k, MAX_TABLES - len(chosen), rng=rng):
            cells += domain.cells_of(query)
            if cells > MAX_CELLS:
                break
            chosen.append(query)
    return chosen


def _find_whole_table(answer: Answer, k: int) -> list[Marginal]:
    """The table of all attributes, if it has few cells and the release has it besides those of k."""
    names = answer.domain.names
    if (
        k == len(names)
        or isinstance(answer, KWayAnswer)
        or math.prod(answer.domain.sizes) > MAX_WHOLE
    ):
        return []
    try:
        return [answer.marginal(names)]
    except InputError:  # nothing larger was released
        return []


@dataclass(frozen=True)
class ScoreCard:
    """How well rows keep the tables of a release.

    Attributes
    ----------
    rows : int
        Number of rows.
    k, tables : int
        Number of attributes of the tables compared, and how many they are.
    sse : float
        Mean sum of squared differences of a table of the rows and of the release, as shares.
    wrong_cell_share : float
        People of 100 who would have to change cells for a table of the rows to be that of the release; mean.
    information_kept : float
        Mutual information of all pairs of attributes in the rows, over that in the release; NaN where the release has
        none.
    error_ratio : float or None
        In simulation: mean sum of squared differences of the rows from the truth, over that of the release.
    sentence : str
        How the rows were made, and what they are not good for.
    """

    rows: int
    k: int
    tables: int
    sse: float
    wrong_cell_share: float
    information_kept: float
    error_ratio: float | None
    sentence: str


def score_card(
    answer: Answer, rows: "pd.DataFrame", *, truth: Sequence[Marginal] | None = None
) -> ScoreCard:
    """Return how well microdata keep the tables of the release they were made from.

    Parameters
    ----------
    answer : Answer
        The release.
    rows : DataFrame
        The microdata, with the columns and labels of the release.
    truth : sequence of Marginal, optional
        True tables, which are known in simulation only; they are the ones compared.

    Examples
    --------
    >>> from calm_core.methods.uniform import UniformAnswer
    >>> answer = UniformAnswer(Domain(("sex", "age"), (2, 3)))
    >>> card = score_card(answer, microdata(answer, n=600, rng=np.random.default_rng(1)))
    >>> card.tables, round(card.sse, 6), card.error_ratio
    (1, 0.0, None)
    """
    domain, codes = answer.domain, _find_codes(answer.domain, rows)
    queries = _compared(domain, table_size(answer)) if truth is None else [t.attrs for t in truth]
    released, own = answer.marginals(queries), _count_tables(domain, codes, queries)
    wrong = [np.abs(mine.values - table.values).sum() for mine, table in zip(own, released)]
    k, error_ratio = max(map(len, queries)), None
    if truth is not None:
        error = _mean_square(released, truth)
        error_ratio = _mean_square(own, truth) / error if error else math.inf
    return ScoreCard(
        rows=len(codes),
        k=k,
        tables=len(queries),
        sse=_mean_square(own, released),
        wrong_cell_share=50 * float(np.mean(wrong)),
        information_kept=_information_kept(answer, codes),
        error_ratio=error_ratio,
        sentence=(
            f"{len(codes):,} invented rows, drawn so that their tables of {k} attributes agree with those of the release. "
            "No row is anybody's. They are not good for finding people, for tables of more attributes, or for intervals "
            "by the usual formulas, which do not know of the noise."
        ),
    )


def _compared(domain: Domain, k: int) -> list[tuple[str, ...]]:
    """All tables of k attributes, or 1,000 of them, always the same ones."""
    return choose_queries(domain, k, MAX_TABLES, rng=stream(0, "score card"))


def _find_codes(domain: Domain, rows: "pd.DataFrame") -> np.ndarray:
    """The rows as codes, shape (n, d)."""
    if list(rows.columns) != list(domain.names) or not len(rows):
        raise InputError(
            "rows must be a table with the columns of the release, with at least one row"
        )
    codes = np.empty(rows.shape, dtype=np.int64)
    for i, name in enumerate(domain.names):
        numbers = {label: code for code, label in enumerate(domain.labels_of(name))}
        column = rows[name].map(numbers)
        if column.isna().any():
            raise InputError(
                f"column {name!r:.80} has values that the release does not know; use its labels"
            )
        codes[:, i] = column
    return codes


def _count_cells(
    domain: Domain, codes: np.ndarray, queries: Sequence[tuple[str, ...]]
) -> list[np.ndarray]:
    """Number of rows in every cell of each table."""
    counts = []
    for query in queries:
        shape = domain.shape_of(query)
        cells = np.ravel_multi_index([codes[:, i] for i in domain.positions(query)], shape)
        counts.append(np.bincount(cells, minlength=math.prod(shape)).reshape(shape))
    return counts


def _count_tables(
    domain: Domain, codes: np.ndarray, queries: Sequence[tuple[str, ...]]
) -> list[Marginal]:
    """Shares of the rows in every cell of each table."""
    counted = zip(queries, _count_cells(domain, codes, queries))
    return [Marginal(domain.project(query), counts / len(codes)) for query, counts in counted]


def _mean_square(tables: Sequence[Marginal], other_tables: Sequence[Marginal]) -> float:
    pairs = zip(tables, other_tables)
    return float(np.mean([np.square(one.values - other.values).sum() for one, other in pairs]))


def _information_kept(answer: Answer, codes: np.ndarray) -> float:
    """Mutual information of all pairs in the rows, over that in the release."""
    if table_size(answer) < 2:
        return math.nan
    pairs = _compared(answer.domain, 2)
    released = sum(map(mutual_information, answer.marginals(pairs)))
    own = sum(map(mutual_information, _count_tables(answer.domain, codes, pairs)))
    return own / released if released > 1e-12 else math.nan
