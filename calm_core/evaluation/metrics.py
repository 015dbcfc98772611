"""Errors of answers: metrics, people in the wrong cell, what a table is good for, and summaries of many answers."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from calm_core.errors import InputError
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.marginal import Marginal
from calm_core.text import format_count, pluralize

Rows = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _one(rows: Rows, truth: Marginal, answer: Marginal) -> float:
    """A metric of two tables, from its function for arrays of shape (tables, cells)."""
    _check_same(truth, answer)
    return float(rows(truth.values.reshape(1, -1), answer.values.reshape(1, -1))[0])


def _check_same(truth: Marginal, answer: Marginal) -> None:
    if truth.attrs != answer.attrs or truth.values.shape != answer.values.shape:
        raise InputError(f"tables over {truth.attrs} and {answer.attrs} cannot be compared")


def _sse(truths: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return ((truths - answers) ** 2).sum(axis=1)


def _l2(truths: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return np.sqrt(_sse(truths, answers))


def _l1(truths: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return np.abs(truths - answers).sum(axis=1)


def _jensen_shannon(truths: np.ndarray, answers: np.ndarray) -> np.ndarray:
    a, b = _distributions(truths), _distributions(answers)
    middle = (a + b) / 2
    return np.maximum(0.0, (_divergence(a, middle) + _divergence(b, middle)) / 2)


def _divergence(tables: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Kullback-Leibler divergence of each table to `middle`, without the slow import of scipy."""
    # Cells of 0 add nothing.
    there = (tables > 0) & (middle > 0)
    ratio = np.divide(tables, middle, out=np.ones(tables.shape), where=there)
    return (tables * np.log(ratio)).sum(axis=1)


def _distributions(tables: np.ndarray) -> np.ndarray:
    """Clip negative cells and normalize to 1; uniform if nothing is left."""
    tables = np.maximum(tables, 0)
    totals = tables.sum(axis=1, keepdims=True)
    equal = np.full(tables.shape, 1 / tables.shape[1])
    return np.divide(tables, totals, out=equal, where=totals > 0)


def sse(truth: Marginal, answer: Marginal) -> float:
    """Sum of squared errors over the cells, in squared fractions (CALM section 3.1).

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> from calm_core.tables.marginal import uniform
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> truth = Marginal(domain, [[0.5, 0, 0], [0, 0, 0.5]])
    >>> round(sse(truth, uniform(domain, domain.names)), 4)
    0.3333
    """
    return _one(_sse, truth, answer)


def l2(truth: Marginal, answer: Marginal) -> float:
    """Euclidean distance: the square root of the SSE."""
    return _one(_l2, truth, answer)


def l1(truth: Marginal, answer: Marginal) -> float:
    """Sum of absolute errors; half of it is the total variation distance."""
    return _one(_l1, truth, answer)


def jensen_shannon(truth: Marginal, answer: Marginal) -> float:
    """Jensen-Shannon divergence in nats, 0 to ln 2 (PriView equation 1).

    Negative cells of a raw estimate count as 0, since a divergence needs distributions.
    """
    return _one(_jensen_shannon, truth, answer)


# Metrics of many tables of equal size at once, and of two tables.
_ROWS: dict[str, Rows] = {"sse": _sse, "l1": _l1, "l2": _l2, "jensen_shannon": _jensen_shannon}
METRICS = {"sse": sse, "l1": l1, "l2": l2, "jensen_shannon": jensen_shannon}


def score(
    truths: Sequence[Marginal], answers: Sequence[Marginal], covered: Iterable[bool]
) -> pd.DataFrame:
    """One row per query: every metric, whether a view covered it, and SSE and L1 of the uniform table."""
    alike: dict[int, list[int]] = {}
    for i, (truth, answer) in enumerate(zip(truths, answers)):
        _check_same(truth, answer)
        alike.setdefault(truth.values.size, []).append(i)
    guesses = {"uniform_sse": _sse, "uniform_l1": _l1}
    columns = {name: np.empty(len(truths)) for name in (*_ROWS, *guesses)}
    for cells, at in alike.items():
        checkpoint()
        a, b = (np.array([tables[i].values.ravel() for i in at]) for tables in (truths, answers))
        for name, rows in _ROWS.items():
            columns[name][at] = rows(a, b)
        for name, rows in guesses.items():
            columns[name][at] = rows(a, np.full(a.shape, 1 / cells))
    index = {"query": np.arange(len(truths)), "attributes": [truth.attrs for truth in truths]}
    return pd.DataFrame(index | {"covered": [bool(inside) for inside in covered]} | columns)


class Verdict(Enum):
    """What a reconstructed table can be used for.

    Attributes
    ----------
    PRECISE
        At most 2 of 100 people in the wrong cell, and at most a tenth of those of equal shares.
    ROUGH
        At most half as many people in the wrong cell as with equal shares.
    UNUSABLE
        More.
    """

    PRECISE = "precise"
    ROUGH = "rough"
    UNUSABLE = "unusable"


def judge_error(wrong: float, guess: float) -> Verdict:
    """What tables are good for where `wrong` of all people are in the wrong cell.

    Parameters
    ----------
    wrong, guess : float
        Share of people in the wrong cell, 0 to 1: of the reconstructed table, and of equal shares.

    Examples
    --------
    >>> [judge_error(wrong, guess=0.4).value for wrong in (0.02, 0.03, 0.2, 0.21)]
    ['precise', 'rough', 'rough', 'unusable']
    """
    if wrong > guess / 2:
        return Verdict.UNUSABLE
    return Verdict.PRECISE if wrong <= 0.02 and wrong <= guess / 10 else Verdict.ROUGH


def wrong_share(truth: Marginal, answer: Marginal) -> float:
    """Share of people in the wrong cell, 0 to 1: half the L1 distance.

    So many would have to change cells for the table to be true.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(("sex",), (2,))
    >>> round(wrong_share(Marginal(domain, [0.5, 0.5]), Marginal(domain, [0.6, 0.4])), 3)
    0.1
    """
    return l1(truth, answer) / 2


def wrong_of_sse(sse: float, cells: float) -> float:
    """Expected share of people in the wrong cell of a table with normal errors.

    Parameters
    ----------
    sse : float
        Expected sum of squared errors, in squared fractions.
    cells : float
        Number of cells.

    Examples
    --------
    >>> round(wrong_of_sse(0.001, 8), 4)
    0.0357
    """
    return math.sqrt(sse * cells / (2 * math.pi))


def real_difference(errors: np.ndarray) -> float:
    """Difference of two reconstructed shares from which on the true one has the same sign, at 95%.

    It is the largest error of any difference of two cells in some repeats. By 20 repeats, another one has no
    larger error with a chance of 20 / 21, whatever the distribution of the errors.

    Parameters
    ----------
    errors : ndarray, shape (repeats, cells)
        Reconstructed minus true shares.

    Examples
    --------
    >>> round(real_difference(np.array([[0.01, -0.02, 0.01], [0.0, 0.02, -0.02]])), 3)
    0.04
    """
    return float(np.ptp(errors, axis=1).max())


def expected_real_difference(spread: float, cells: int) -> float:
    """`real_difference` expected for normal errors that are alike in all cells.

    A 95% interval of the difference of two cells, wider by as many pairs as there are (Bonferroni).

    Parameters
    ----------
    spread : float
        Root mean square error of a cell, a fraction.
    cells : int
        Number of cells.

    Examples
    --------
    >>> [round(expected_real_difference(0.01, cells), 3) for cells in (2, 4, 64)]
    [0.039, 0.043, 0.06]
    """
    pairs = cells * (cells - 1) / 2
    # Errors of a table add up to 0, so that two of them lie a little farther apart than independent ones.
    distance = spread * math.sqrt(2 * cells / (cells - 1))
    return distance * NormalDist().inv_cdf(1 - 0.025 / pairs)


SETTINGS = ("method", "d", "k", "n", "epsilon")
PERCENTILES = (25, 50, 75, 95)


def summarize(
    table: pd.DataFrame, value: str = "sse", by: Sequence[str] = SETTINGS
) -> pd.DataFrame:
    """Mean, standard deviation and candlestick of `value` for every setting.

    The mean is over queries and repetitions; `sd` is the standard deviation of the repetitions'
    means (the error bars of CALM section 5.1); p25, p50, p75 and p95 are percentiles over all
    queries of all repetitions (the candlesticks of PriView section 5). `queries` counts the values.

    `failed` of the `repetitions` have no value for some or all of their queries; the mean of the others may
    be biased. Without any value the numbers are missing.

    Examples
    --------
    >>> table = pd.DataFrame({"method": "uni", "repetition": [0, 0, 1, 1], "sse": [1.0, 3, 2, 6]})
    >>> summarize(table, by=["method"])[["mean", "sd", "p50", "queries"]].values.round(2).tolist()
    [[3.0, 1.41, 2.5, 4.0]]
    >>> table.loc[3, "sse"] = None
    >>> summarize(table, by=["method"])[["mean", "repetitions", "failed"]].values.tolist()
    [[2.0, 2.0, 1.0]]
    """
    by = list(by)
    table = table.assign(**{value: table[value].astype(float)})
    groups = table.groupby(by, sort=False)[value]
    summary = pd.DataFrame({"mean": groups.mean()})
    means = pd.DataFrame({value: table.groupby([*by, "repetition"], sort=False)[value].mean()})
    summary["sd"] = means.groupby(by, sort=False)[value].std()
    for percentile in PERCENTILES:
        summary[f"p{percentile}"] = groups.quantile(percentile / 100)
    summary["queries"] = groups.count()
    repetitions = table.groupby(by, sort=False)["repetition"]
    summary["repetitions"] = repetitions.nunique()
    failed = table[table[value].isna()].groupby(by, sort=False)["repetition"].nunique()
    summary["failed"] = failed.reindex(summary.index, fill_value=0)
    return summary.reset_index()


def describe_failures(
    table: pd.DataFrame, titles: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Yield a sentence for every method, setting and reason: how many repetitions failed, and why.

    Settings that differ only in epsilon are combined if they have the same failures. `titles` are names of
    methods for display.

    Examples
    --------
    >>> table = pd.DataFrame({"method": "fc", "d": 9, "k": 3, "n": 50, "epsilon": 1.0,
    ...                       "repetition": [0, 0, 1], "query": [0, 1, None],
    ...                       "reason": [None, "a query is lost", "too large"]})
    >>> list(describe_failures(table))
    ['1 query in 1 of 2 repetitions of fc failed: a query is lost', '1 of 2 repetitions of fc failed: too large']
    """
    place = ["data", "d", "k", "n"]
    table = table.assign(
        data=table["data"].astype("string").fillna("") if "data" in table else "",
        query=table.get("query"),
    )
    varying = [name for name in place if table[name].nunique() > 1]
    every = table["epsilon"].nunique()
    setting = ["method", *place, "epsilon"]
    repetitions = table.groupby(setting)["repetition"].nunique()
    failed = table[table["reason"].notna()]
    by = [*setting, "reason"]
    counts = failed.groupby(by, sort=False).agg(
        repetitions=("repetition", "nunique"), queries=("query", "count")
    )
    counts["of"] = [repetitions[key[:-1]] for key in counts.index]
    counts = counts.reset_index()
    same = ["method", *place, "reason", "repetitions", "queries", "of"]
    for _, rows in counts.groupby(same, sort=False):
        row = rows.iloc[0]
        epsilons = ", ".join(f"{epsilon:g}" for epsilon in rows["epsilon"])
        where = [f"{name} {row[name]}" for name in varying]
        where += [f"epsilon {epsilons}"] if len(rows) < every else []
        at = f" at {', '.join(where)}" if where else ""
        count = f"{format_count(row['queries'], 'query', 'queries')} in "
        name = (titles or {}).get(row["method"], row["method"])
        yield (
            f"{count if row['queries'] else ''}{row['repetitions']:,} of {row['of']:,} "
            f"{pluralize(row['of'], 'repetition')} of {name} failed{at}: {row['reason']}"
        )


def half_width(sd: pd.Series | float, repetitions: pd.Series | int) -> Any:
    """Half the width of the 95% interval of the mean of some repetitions, by Student's t.

    >>> round(float(half_width(1.0, 20)), 3)
    0.468
    """
    from scipy.special import stdtrit

    count = np.maximum(repetitions, 2)
    return sd / np.sqrt(count) * stdtrit(count - 1, 0.975)


def summarize_wrong(scores: pd.DataFrame, over: str = "epsilon") -> pd.DataFrame:
    """People of 100 in the wrong cell for each method and value of `over` ("epsilon" or "n"), local methods first.

    `scores` is the tidy table of an experiment in which nothing else varies. `low` and `high` are the ends of the 95% interval of the mean of
    the repetitions (at least a tenth of it, for a logarithmic axis).

    Examples
    --------
    >>> rows = [("calm", "local", 1.0, 0, 0.04), ("calm", "local", 1.0, 1, 0.06)]
    >>> table = pd.DataFrame(rows, columns=["method", "trust", "epsilon", "repetition", "l1"])
    >>> summarize_wrong(table)[["mean", "low", "high"]].round(2).values.tolist()
    [[2.5, 0.25, 8.85]]
    """
    by = ["trust", "method", over]
    means = summarize(scores, "l1", by=by)
    off = half_width(means["sd"].fillna(0.0), means["repetitions"] - means["failed"])
    low = (means["mean"] - off).clip(lower=means["mean"] / 10)
    wrong = {"mean": means["mean"], "low": low, "high": means["mean"] + off}
    means = means[[*by, "repetitions", "failed"]].assign(**{k: 50 * v for k, v in wrong.items()})
    central_last = means.assign(central=means["trust"] != "local")
    order = central_last.sort_values(["central", "method", over], ignore_index=True)
    return order.drop(columns="central")


def compare_with_best(
    scores: pd.DataFrame, value: float, over: str = "epsilon"
) -> tuple[str, tuple[str, ...]] | None:
    """Return the local method with fewest people in the wrong cell, and those that may be as good; None without any.

    Only rows with this value of `over` ("epsilon" or "n") count.

    Methods of a repetition have the same people and tables: the others are those where the 95% interval of
    the mean difference to the best reaches below 0.

    Examples
    --------
    >>> wrong = {"calm": (0.04, 0.06, 0.05), "calm_plus": (0.03, 0.05, 0.041), "ft": (0.05, 0.049, 0.045)}
    >>> rows = [(name, "local", 1.0, i, e) for name, some in wrong.items() for i, e in enumerate(some)]
    >>> table = pd.DataFrame(rows, columns=["method", "trust", "epsilon", "repetition", "l1"])
    >>> compare_with_best(table, 1.0)
    ('calm_plus', ('ft',))
    """
    here = scores[(scores[over] == value) & (scores["trust"] == "local")].dropna(subset="l1")
    if here.empty:
        return None
    wide = here.pivot_table("l1", "repetition", "method", sort=False)
    best = str(wide.mean().idxmin())
    rivals = []
    for name in wide.columns.drop(best):
        excess = (wide[name] - wide[best]).dropna()
        if not excess.mean() - half_width(excess.std(), len(excess)) > 0:
            rivals.append(str(name))
    return best, tuple(rivals)
