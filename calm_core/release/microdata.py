"""Microdata: rows with the tables of a release, and a score card that says how well they keep them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from calm_core._checks import check_count, check_rng
from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.methods.base import Answer, CollectedAnswer, KWayAnswer
from calm_core.methods.calm_binary import CalmBinaryAnswer
from calm_core.methods.central.base import TablesAnswer
from calm_core.randomness import stream
from calm_core.release.row_fitting import fit_rows
from calm_core.tables.domain import Domain, choose_queries
from calm_core.tables.marginal import Marginal

if TYPE_CHECKING:
    import pandas as pd

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
    released = answer.marginals(queries)
    made = [_count_table(domain, codes, query) for query in queries]
    differences = [own - table.values for own, table in zip(made, released)]
    k = max(map(len, queries))
    return ScoreCard(
        rows=len(codes),
        k=k,
        tables=len(queries),
        sse=_mean_square(differences),
        wrong_cell_share=50 * float(np.mean([np.abs(part).sum() for part in differences])),
        information_kept=_information_kept(answer, codes),
        error_ratio=None if truth is None else _error_ratio(made, released, truth),
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
        found = rows[name].map(numbers)
        if found.isna().any():
            raise InputError(
                f"column {name!r:.80} has values that the release does not know; use its labels"
            )
        codes[:, i] = found
    return codes


def _count_table(domain: Domain, codes: np.ndarray, query: Iterable[str]) -> np.ndarray:
    """Shares of the rows in every cell."""
    at, shape = domain.positions(query), domain.shape_of(query)
    cells = np.ravel_multi_index([codes[:, i] for i in at], shape)
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape) / len(codes)


def _mean_square(differences: Iterable[np.ndarray]) -> float:
    return float(np.mean([np.square(part).sum() for part in differences]))


def _error_ratio(
    made: Sequence[np.ndarray], released: Sequence[Marginal], truth: Sequence[Marginal]
) -> float:
    own = _mean_square(table - true.values for table, true in zip(made, truth))
    theirs = _mean_square(table.values - true.values for table, true in zip(released, truth))
    return own / theirs if theirs else math.inf


def _information_kept(answer: Answer, codes: np.ndarray) -> float:
    """Mutual information of all pairs in the rows, over that in the release."""
    if table_size(answer) < 2:
        return math.nan
    pairs = _compared(answer.domain, 2)
    released = sum(_mutual_information(table.values) for table in answer.marginals(pairs))
    made = sum(_mutual_information(_count_table(answer.domain, codes, pair)) for pair in pairs)
    return made / released if released > 1e-12 else math.nan


def _mutual_information(table: np.ndarray) -> float:
    """Mutual information of a table of two attributes, in nats; negative cells count as empty."""
    cells = np.maximum(table, 0.0)
    cells = cells / cells.sum()
    independent = np.outer(cells.sum(axis=1), cells.sum(axis=0))
    inside = cells > 0
    return float((cells[inside] * np.log(cells[inside] / independent[inside])).sum())
