"""Summary statistics of a tidy table as plotted in the papers, and descriptions of its failures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from calm_core.text import format_count, pluralize

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
    found = pd.DataFrame({"mean": groups.mean()})
    means = pd.DataFrame({value: table.groupby([*by, "repetition"], sort=False)[value].mean()})
    found["sd"] = means.groupby(by, sort=False)[value].std()
    for percentile in PERCENTILES:
        found[f"p{percentile}"] = groups.quantile(percentile / 100)
    found["queries"] = groups.count()
    repetitions = table.groupby(by, sort=False)["repetition"]
    found["repetitions"] = repetitions.nunique()
    failed = table[table[value].isna()].groupby(by, sort=False)["repetition"].nunique()
    found["failed"] = failed.reindex(found.index, fill_value=0)
    return found.reset_index()


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
    asked = table.groupby(setting)["repetition"].nunique()
    failed = table[table["reason"].notna()]
    by = [*setting, "reason"]
    counts = failed.groupby(by, sort=False).agg(
        repetitions=("repetition", "nunique"), queries=("query", "count")
    )
    counts["of"] = [asked[key[:-1]] for key in counts.index]
    counts = counts.reset_index()
    same = ["method", *place, "reason", "repetitions", "queries", "of"]
    for _, rows in counts.groupby(same, sort=False):
        one = rows.iloc[0]
        epsilons = ", ".join(f"{epsilon:g}" for epsilon in rows["epsilon"])
        where = [f"{name} {one[name]}" for name in varying]
        where += [f"epsilon {epsilons}"] if len(rows) < every else []
        at = f" at {', '.join(where)}" if where else ""
        count = f"{format_count(one['queries'], 'query', 'queries')} in "
        name = (titles or {}).get(one["method"], one["method"])
        yield (
            f"{count if one['queries'] else ''}{one['repetitions']:,} of {one['of']:,} "
            f"{pluralize(one['of'], 'repetition')} of {name} failed{at}: {one['reason']}"
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
    found = summarize(scores, "l1", by=by)
    off = half_width(found["sd"].fillna(0.0), found["repetitions"] - found["failed"])
    low = (found["mean"] - off).clip(lower=found["mean"] / 10)
    wrong = {"mean": found["mean"], "low": low, "high": found["mean"] + off}
    found = found[[*by, "repetitions", "failed"]].assign(**{k: 50 * v for k, v in wrong.items()})
    central_last = found.assign(central=found["trust"] != "local")
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
    found = []
    for name in wide.columns.drop(best):
        more = (wide[name] - wide[best]).dropna()
        if not more.mean() - half_width(more.std(), len(more)) > 0:
            found.append(str(name))
    return best, tuple(found)
