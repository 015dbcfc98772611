"""The figure of range queries on ordered attributes: HDG, CALM, CALM+ and equal shares (paper of HDG)."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from calm_core._checks import check_k
from calm_core.errors import InputError, UserError
from calm_core.evaluation.run import use_rows
from calm_core.evaluation.summary import summarize
from calm_core.experiments.figure import SETTING, Drawing, Figure, Settings, format_setting
from calm_core.ingest.populations import DISTRIBUTIONS, make_numeric_population
from calm_core.io.csv_export import escape_formula
from calm_core.randomness import stream
from calm_core.tables.population import People
from calm_core.tables.ranges import choose_ranges, ordered_attributes, range_shares

# Populations and range volume of the paper, with half its 64 values: CALM+ would take half a minute for every
# table of three such attributes.
ATTRIBUTES, VALUES, VOLUME = 6, 32, 0.5
USERS, EPSILONS = (100_000,), (0.2, 0.5, 1.0, 2.0)
COLUMNS = [*SETTING, "repetition", "method", "query", "truth", "error", "squared", "reason"]


def _populations(settings: Settings) -> Iterator[tuple[dict, People]]:
    """Yield every data set, number of attributes and users, and repetition, with its rows."""
    data = settings.data
    names = None if data is None else ordered_attributes(data.domain)
    if names is not None and not names:
        raise InputError(
            "data must have an attribute with three values or more in an order, such as numbers; "
            "choose other data, or none for simulated people"
        )
    for name in DISTRIBUTIONS if data is None else (settings.data_name,):
        for d in settings.ds or (ATTRIBUTES,):
            for n in settings.ns or USERS:
                for repetition in range(settings.repetitions):
                    if data is None or names is None:
                        rng = stream(settings.seed, repetition, "ranges", name, d, n)
                        rows = make_numeric_population(name, d, VALUES, n, rng=rng)
                    else:
                        part = data.select(names[:d])
                        rows = use_rows(part, n, settings.seed, repetition)
                    place = {"data": name, "d": rows.domain.d, "n": n, "repetition": repetition}
                    yield place, rows


def range_errors(settings: Settings) -> pd.DataFrame:
    """The error of every random range, one row per setting, repetition, method and query.

    `error` is absolute and `squared` its square, in shares of the people; a failed method has a
    `reason` instead.
    """
    tables = []
    for place, rows in _populations(settings):
        for k in settings.ks or (min(2, rows.domain.d),):
            check_k(k, rows.domain.d)
            rng = stream(settings.seed, place["repetition"], "range queries", rows.domain.d, k)
            queries = choose_ranges(rows.domain, k, settings.queries, volume=VOLUME, rng=rng)
            truth = range_shares(rows.marginals, queries)
            for epsilon in settings.epsilons or EPSILONS:
                for method in settings.select_methods("hdg,calm,calm_plus,uni"):
                    here = place | {"k": k, "epsilon": epsilon, "method": method.label}
                    own = stream(settings.seed, place["repetition"], method.name)
                    try:
                        answer = method.make(epsilon, k).release(rows, rng=own)
                        error = np.abs(answer.range_shares(queries) - truth)
                    except UserError as refused:
                        tables.append(
                            pd.DataFrame([here | {"reason": escape_formula(str(refused))}])
                        )
                        continue
                    tables.append(
                        pd.DataFrame({
                            "query": range(len(queries)), "truth": truth, "error": error,
                            "squared": error**2, "reason": None,
                        }).assign(**here)
                    )  # fmt: skip
    tables = [table.reindex(columns=COLUMNS).astype(object) for table in tables]
    return pd.concat(tables, ignore_index=True).infer_objects()


def mean_errors(table: pd.DataFrame) -> pd.DataFrame:
    """Mean absolute and squared error per setting and method, with standard errors over the repetitions.

    Examples
    --------
    >>> rows = [["x", 6, 2, 100, 1.0, i, "hdg", 0, 0.5, e, e * e, None] for i, e in enumerate((0.1, 0.3))]
    >>> found = mean_errors(pd.DataFrame(rows, columns=COLUMNS))
    >>> found[["mae", "mae_stderr", "squared", "repetitions"]].round(3).values.tolist()
    [[0.2, 0.1, 0.05, 2.0]]
    """
    by = [*SETTING, "method"]
    parts = []
    for value, name in (("error", "mae"), ("squared", "squared")):
        part = summarize(table, value, by)
        kept = part[by].assign(**{
            name: part["mean"], f"{name}_stderr": part["sd"] / part["repetitions"] ** 0.5,
        })  # fmt: skip
        parts.append(kept.set_index(by))
    counted = part.set_index(by)[["repetitions", "failed"]]
    return pd.concat([*parts, counted], axis=1).reset_index()


def draw_ranges(table: pd.DataFrame, settings: Settings) -> Drawing:
    """Mean absolute error over epsilon, and the table of both errors."""
    from calm_core.figures.experiments import lines_over_epsilon

    figure = lines_over_epsilon(table, "error", title="mean absolute error")
    caption = (
        f"Mean absolute error of random ranges, each over a share {VOLUME:g} of the values of every "
        "attribute; bars: standard deviation of the repetitions' means."
    )
    return [(figure, caption)], mean_errors(table)


def range_findings(table: pd.DataFrame, settings: Settings) -> Mapping[str, str]:
    """Both errors of every method with their standard errors."""
    findings = {}
    # Failures are listed elsewhere, with their reasons.
    for row in mean_errors(table).dropna(subset=["mae"]).to_dict("records"):
        findings[f"{row['method']}, {row['data']}, {format_setting(row)}"] = (
            f"absolute {row['mae']:.4f} +- {row['mae_stderr']:.4f}, "
            f"squared {row['squared']:.2g} +- {row['squared_stderr']:.1g}"
        )
    return findings


RANGE_FIGURES = {
    "ranges": Figure(
        "Error of range queries over ordered attributes", False, table=range_errors,
        draw=draw_ranges, findings=range_findings,
    ),
}  # fmt: skip
