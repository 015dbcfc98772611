"""Summary statistics of a tidy table as plotted in the papers, and descriptions of its failures."""

from collections.abc import Iterator, Mapping, Sequence

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
