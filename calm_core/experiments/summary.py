"""A tidy table reduced to what the papers plot."""

from collections.abc import Sequence

import pandas as pd

SETTINGS = ("method", "d", "k", "n", "epsilon")
PERCENTILES = (25, 50, 75, 95)


def summarise(
    table: pd.DataFrame, value: str = "sse", by: Sequence[str] = SETTINGS
) -> pd.DataFrame:
    """Mean, standard deviation and candlestick of `value` for every setting.

    The mean is over queries and repetitions; `sd` is the standard deviation of the repetitions'
    means (the error bars of CALM section 5.1); p25, p50, p75 and p95 are percentiles over all
    queries of all repetitions (the candlesticks of PriView section 5). A setting where the method
    could not run is left out.

    Examples
    --------
    >>> table = pd.DataFrame({"method": "uni", "repetition": [0, 0, 1, 1], "sse": [1.0, 3, 2, 6]})
    >>> summarise(table, by=["method"])[["mean", "sd", "p50", "queries"]].values.round(2).tolist()
    [[3.0, 1.41, 2.5, 4.0]]
    """
    by = list(by)
    ran = table.dropna(subset=[value])
    ran = ran.assign(**{value: ran[value].astype(float)})
    groups = ran.groupby(by, sort=False)[value]
    found = groups.mean().to_frame("mean")
    means = ran.groupby([*by, "repetition"], sort=False)[value].mean()
    found["sd"] = means.groupby(by, sort=False).std()
    for percentile in PERCENTILES:
        found[f"p{percentile}"] = groups.quantile(percentile / 100)
    found["queries"] = groups.size()
    return found.reset_index()
