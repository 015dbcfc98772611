"""The figure of classifiers: choose a label, and check that the figure is informative.

Error rates say how good a method's marginal is only if a classifier trained on the true marginal
(NoNoise) errs clearly less than predicting the most frequent label (Majority). Otherwise every
marginal, however wrong, predicts equally well.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from calm_core.evaluation.summary import summarize
from calm_core.experiments.classification import (
    BASELINES,
    cell_counts,
    informative_features,
    misclassification,
    predict_labels,
)
from calm_core.experiments.figure import Drawing, Settings
from calm_core.tables.dataset import Dataset

FEATURES = 4
MIN_GAIN = 0.01
MAX_CELLS, MAX_ROWS, MIN_ROWS = 10_000, 50_000, 5
NAMED_LABELS = 3


def select_features(data: Dataset, label: str, features: Sequence[str] = ()) -> tuple[str, ...]:
    """The given features, or the four attributes with the most information about the label."""
    return tuple(features) or informative_features(data, label, FEATURES)


def label_gain(data: Dataset, label: str, features: Sequence[str] = ()) -> tuple[float, float]:
    """How much less the classifier errs than the majority, and how often it errs, as fractions.

    A quick estimate: trained without noise and tested on the same rows. (nan, nan) if the table of
    features and label has more than 10,000 cells, or there are no features.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.repeat([[0, 2], [1, 0], [1, 1]], [50, 30, 20], axis=0)
    >>> data = Dataset.from_codes(codes, Domain(("sex", "age"), (2, 3)))
    >>> [round(share, 3) for share in label_gain(data, "age")]
    [0.3, 0.2]
    """
    attrs = data.domain.canonical((*select_features(data, label, features), label))
    if len(attrs) < 2 or data.n < MIN_ROWS or data.domain.cells_of(attrs) > MAX_CELLS:
        return math.nan, math.nan
    counts, axis = cell_counts(data, attrs), attrs.index(label)
    errs = misclassification(predict_labels(counts, axis), counts, axis)
    most = np.moveaxis(counts, axis, 0).reshape(counts.shape[axis], -1).sum(axis=1).max()
    return float(1 - most / data.n) - errs, errs


def _thinned(data: Dataset) -> Dataset:
    """At most 50,000 rows, evenly spaced: enough to detect a gain of one percentage point."""
    step = -(-data.n // MAX_ROWS)
    return Dataset.from_codes(data.codes[::step], data.domain) if step > 1 else data


def promising_labels(data: Dataset, features: Sequence[str] = ()) -> dict[str, float]:
    """Labels on which training gains a percentage point or more, with the gain; the largest first.

    The gain is large if the label is balanced and depends on the features. Labels that the features
    determine, such as a copied column, are left out: there is nothing to learn.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.repeat([[0, 2], [1, 0], [1, 1]], [50, 30, 20], axis=0)
    >>> data = Dataset.from_codes(codes, Domain(("sex", "age"), (2, 3)))
    >>> {label: round(gain, 3) for label, gain in promising_labels(data).items()}
    {'age': 0.3}
    """
    rows = _thinned(data)
    gains = {}
    for label in data.domain.names:
        gain, errs = (math.nan, 0.0) if label in features else label_gain(rows, label, features)
        if gain >= MIN_GAIN and errs > 0:
            gains[label] = gain
    return dict(sorted(gains.items(), key=lambda item: -item[1]))


def choose_label(data: Dataset, features: Sequence[str] = ()) -> str:
    """The last attribute, or the most promising label if training gains too little on the last one.

    The last attribute is also taken if its gain cannot be computed or no label is promising.
    """
    last = [name for name in data.domain.names if name not in features][-1:]
    if not last:
        return data.domain.names[-1]
    if not label_gain(_thinned(data), last[0], features)[0] < MIN_GAIN:
        return last[0]
    return next(iter(promising_labels(data, features)), last[0])


def training_gains(table: pd.DataFrame) -> pd.DataFrame:
    """The largest possible gain: the error of Majority minus that of NoNoise, for every n.

    Returns
    -------
    DataFrame
        `n`, `nonoise` and `majority` (mean misclassification), `gain` and its `standard_error`
        over the repetitions (nan for one), and `informative`: "yes" if the gain is at least one
        percentage point and two standard errors. Test rows of the repetitions overlap, so the
        standard error is somewhat small; the percentage point makes up for it.

    Examples
    --------
    >>> table = pd.DataFrame({"method": ["NoNoise", "Majority"] * 2, "n": 9, "epsilon": 1.0,
    ...     "repetition": [0, 0, 1, 1], "misclassification": [0.25, 0.5, 0.375, 0.5]})
    >>> training_gains(table)[["gain", "standard_error", "informative"]].values.tolist()
    [[0.1875, 0.0625, 'yes']]
    """
    base = table.loc[table["method"].isin(BASELINES)].drop_duplicates(["method", "n", "repetition"])
    base = base.assign(misclassification=base["misclassification"].astype(float))
    pairs = base.pivot(index=["n", "repetition"], columns="method", values="misclassification")
    pairs = pairs.rename(columns=str.lower).assign(gain=pairs["Majority"] - pairs["NoNoise"])
    by_n = pairs.groupby("n", sort=False)
    found = by_n[["nonoise", "majority", "gain"]].mean()
    found["standard_error"] = by_n["gain"].sem()
    clear = found["gain"] >= np.maximum(MIN_GAIN, 2 * found["standard_error"].fillna(0))
    found["informative"] = np.where(clear, "yes", "no")
    return found.reset_index()


def draw_classifiers(table: pd.DataFrame, settings: Settings) -> Drawing:
    """The figure with its caption, which say if it is not informative, and the summary."""
    from calm_core.figures.experiments import add_warning, lines_over_epsilon

    lines = lines_over_epsilon(
        table, "misclassification", title="misclassification rate", log=False
    )
    found = training_gains(table)
    caption = (
        "Share of real rows, not used for training, whose label is predicted wrongly. With few users for "
        "theta, CALM asks about few pairs of attributes; it takes label and features that no view "
        "contains together as independent, and so predicts the most frequent label."
    )
    blind = found.loc[found["informative"] == "no", "n"]
    if len(blind):
        where = ", ".join(f"{n:,}" for n in blind)
        warning = f"Uninformative at n = {where}: NoNoise is not clearly better than Majority"
        add_warning(lines, warning)
        caption = f"{warning}. {caption}"
    summary = summarize(table, "misclassification").merge(found[["n", "informative"]], on="n")
    return [(lines, caption)], summary


def classification_findings(table: pd.DataFrame, settings: Settings) -> dict[str, str]:
    """In words: the largest possible gain for every n, and better labels if there is none."""
    findings = {}
    data, found = settings.records, training_gains(table)
    label = settings.label or choose_label(data, settings.features)
    if not settings.label and label != (last := data.domain.names[-1]):
        findings["label chosen"] = (
            f"{label}; on {last}, the last attribute, training gains too little"
        )
    for row in found.itertuples():
        errors = "" if math.isnan(row.standard_error) else f" +- {100 * row.standard_error:.2f}"
        words = (
            f"NoNoise errs on {row.nonoise:.1%}, Majority on {row.majority:.1%}, "
            f"a gain of {100 * row.gain:.2f}{errors} percentage points"
        )
        if row.informative == "no":
            words = f"UNINFORMATIVE, every marginal predicts about equally well: {words}"
        findings[f"n = {row.n:,}"] = words
    if (found["informative"] == "no").any():
        others = promising_labels(data, settings.features)
        best = [(name, gain) for name, gain in others.items() if name != label][:NAMED_LABELS]
        named = "; ".join(f"{name} ({100 * gain:.0f} percentage points)" for name, gain in best)
        findings["labels with more to gain"] = (
            named or "none by a percentage point; choose other data"
        )
    return findings
