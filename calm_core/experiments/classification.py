"""Train a classifier on a private marginal, to see how useful it is (CALM section 5.4).

The marginal over features and label becomes synthetic rows; a support vector machine is trained on
them and tested on real rows. Error rates say how good a method's marginal is only if a classifier trained on
the true marginal (NoNoise) errs clearly less than predicting the most frequent label (Majority). Otherwise
every marginal, however wrong, predicts equally well. The figure checks that, and chooses a label.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
import pandas as pd

from calm_core._checks import check_count, check_rng, set_fields
from calm_core.errors import InputError, UserError
from calm_core.evaluation.metrics import summarize
from calm_core.experiments.figure import Drawing, Settings
from calm_core.experiments.spec import MethodSpec, Point, Task, check_comparison, task_key
from calm_core.inference.nonnegativity import norm_sub
from calm_core.io.csv_export import escape_formula
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
from calm_core.tables.marginal import Marginal, mutual_information

BASELINES = ("NoNoise", "Majority")
TEST_SHARE = 0.2


@dataclass(frozen=True)
class Baseline:
    """What the methods are compared with: training on the true marginal, or the most frequent label."""

    label: str
    name: ClassVar[str] = ""
    options: ClassVar[tuple[tuple[str, object], ...]] = ()


def synthetic_counts(table: Marginal, n: int, *, rng: np.random.Generator) -> np.ndarray:
    """Draw n synthetic rows from a marginal, as a count per cell in the marginal's shape.

    Negative cells of a raw estimate are removed first (Norm-Sub).

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> table = Marginal(Domain(("sex", "age"), (2, 3)), [[0.5, 0, 0.1], [0, 0.5, -0.1]])
    >>> synthetic_counts(table, 1000, rng=np.random.default_rng(1)).sum()
    np.int64(1000)
    """
    shares = norm_sub(table.values[np.newaxis], total=1.0).ravel()
    counts = check_rng(rng).multinomial(n, shares / shares.sum())
    return counts.reshape(table.values.shape)


def one_hot(sizes: Sequence[int]) -> np.ndarray:
    """Every combination of values as a row with one column per value, shape (cells, sum of sizes).

    Examples
    --------
    >>> one_hot((1, 2)).tolist()
    [[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    """
    codes = np.indices(sizes).reshape(len(sizes), -1)
    return np.concatenate([np.eye(size)[code] for size, code in zip(sizes, codes)], axis=1)


def predict_labels(counts: np.ndarray, label: int) -> np.ndarray:
    """The label a support vector machine predicts for every combination of features.

    Equal rows are used once with their count as weight, which gives the same machine as training on
    all of them (its kernel width does not depend on the data).

    Parameters
    ----------
    counts : ndarray of int
        Training rows as a count per cell, over features and label.
    label : int
        Axis of the label.

    Returns
    -------
    ndarray of int, shape (cells of the features,)
    """
    from sklearn.svm import SVC

    by_label = np.moveaxis(counts, label, -1)
    features = one_hot(by_label.shape[:-1])
    cells = by_label.reshape(len(features), -1)
    where, labels = np.nonzero(cells)
    if len(np.unique(labels)) == 1:
        return np.full(len(features), labels[0])
    machine = SVC(kernel="rbf", gamma=1 / features.shape[1], cache_size=50)
    machine.fit(features[where], labels, sample_weight=cells[where, labels])
    return machine.predict(features)


def misclassification(predicted: np.ndarray, test: np.ndarray, label: int) -> float:
    """Share of the test rows, given as counts per cell, whose label differs from the prediction."""
    by_label = np.moveaxis(test, label, -1).reshape(len(predicted), -1)
    correct = by_label[np.arange(len(predicted)), predicted].sum()
    return float(1 - correct / by_label.sum())


def informative_features(data: Dataset, label: str, count: int) -> tuple[str, ...]:
    """The attributes with the largest mutual information with the label.

    It uses the true data, as the papers' choice of related features does; a real survey would
    have to know them.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(("age", "vote", "sex"), (3, 2, 2))
    >>> data = Dataset.from_codes([[0, 0, 0], [1, 0, 1], [2, 1, 0], [2, 1, 1]], domain)
    >>> informative_features(data, "vote", 1)
    ('age',)
    """
    names = [name for name in data.domain.names if name != label]
    joints = data.marginals([(name, label) for name in names])
    information = dict(zip(names, map(mutual_information, joints)))
    return data.domain.canonical(sorted(names, key=information.__getitem__, reverse=True)[:count])


def split_rows(data: Dataset, n: int, seed: int, repetition: int) -> tuple[Dataset, Dataset]:
    """Rows to train on, n of them (drawn, or duplicated), and a fifth of the data to test on."""
    order = stream(seed, repetition, "split").permutation(data.n)
    n_test = max(1, int(data.n * TEST_SHARE))
    test, rest = data.codes[order[:n_test]], data.codes[order[n_test:]]
    train = Dataset.from_codes(rest, data.domain)
    train = train.resample(n, rng=stream(seed, repetition, "rows"))
    return train, Dataset.from_codes(test, data.domain)


def classify_task(data: Dataset, task: Task, spec: dict) -> tuple[Task, pd.DataFrame]:
    """The task and its rows: one classifier trained and tested at every epsilon."""
    seed, repetition, label = spec["seed"], task.repetition, spec["label"]
    train, test = split_rows(data, task.point.n, seed, repetition)
    attrs = data.domain.canonical((*spec["features"], label))
    axis = attrs.index(label)
    (test_counts,) = test.counts([attrs])
    task_columns = {"method": task.method.label, **vars(task.point), "repetition": repetition}
    task_columns |= {"label": escape_formula(label), "data": escape_formula(task.data_name)}

    def error_rate(counts) -> float:
        return misclassification(predict_labels(counts, axis), test_counts, axis)

    rows = []
    if isinstance(task.method, Baseline):
        (truth,) = train.counts([attrs])
        if task.method.label == "Majority":
            majority = truth.sum(axis=tuple(i for i in range(truth.ndim) if i != axis)).argmax()
            correct = np.moveaxis(test_counts, axis, 0)[majority].sum()
            rate = float(1 - correct / test_counts.sum())
        else:
            rate = error_rate(truth)
        rows = [{"epsilon": e, "misclassification": rate} for e in spec["epsilons"]]
    for epsilon in () if rows else spec["epsilons"]:
        method = task.method.make(epsilon, task.point.k)
        try:
            answer = method.release(train, rng=stream(seed, repetition, method.name))
            rng = stream(seed, repetition, method.name, "synthetic")
            rate = error_rate(synthetic_counts(answer.marginal(attrs), train.n, rng=rng))
            rows.append({"epsilon": epsilon, "misclassification": rate, "reason": None})
        except UserError as error:
            reason = escape_formula(str(error))
            rows.append({"epsilon": epsilon, "misclassification": None, "reason": reason})
    columns = [*task_columns, "epsilon", "misclassification", "reason"]
    table = pd.DataFrame([task_columns | row for row in rows]).reindex(columns=columns)
    return task, table.astype(object)


@dataclass(frozen=True, eq=False)
class ClassificationSpec:
    """A classification experiment; runs through `experiments.events` like any other.

    Attributes
    ----------
    data : Dataset
        All attributes; every method collects all of them, then answers one marginal.
    label : str
        What to predict.
    features : tuple of str
        What to predict it from; k is their number plus one.
    methods : tuple of MethodSpec or of str
        Methods to compare with each other and with `BASELINES`.
    epsilons : tuple of float
        Privacy budgets.
    n : int, optional
        Users to train on, drawn from four fifths of the data or duplicated; by default those rows.
    repetitions, seed, name
        As in `ExperimentSpec`.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.repeat([[0, 2], [1, 0]], 50, axis=0)
    >>> data = Dataset.from_codes(codes, Domain(("sex", "age"), (2, 3)))
    >>> spec = ClassificationSpec(data, "sex", ("age",), ("fc",), (8.0,), repetitions=1)
    >>> from calm_core.experiments.spec import compare
    >>> compare(spec)[["method", "misclassification"]].values.tolist()
    [['NoNoise', 0.0], ['Majority', 0.6], ['fc', 0.0]]
    """

    data: Dataset
    label: str
    features: tuple[str, ...]
    methods: tuple[MethodSpec | str, ...]
    epsilons: tuple[float, ...]
    n: int | None = None
    repetitions: int = 20
    seed: int = 1
    name: str = ""

    def __post_init__(self):
        domain = self.data.domain
        set_fields(self, features=domain.canonical(self.features))
        methods = check_comparison(self, BASELINES)
        domain.positions((self.label,))
        if self.label in self.features or not self.features:
            raise InputError(f"features ({', '.join(self.features)}) must not be the label only")
        if self.data.n < 5:
            raise InputError(f"n ({self.data.n}) must be at least 5, to train and to test")
        if self.n is not None:
            check_count("n", self.n)
        for method in methods:
            method.make(self.epsilons[0], len(self.features) + 1)

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks, in the order of the final table."""
        users = self.n or self.data.n - max(1, int(self.data.n * TEST_SHARE))
        point = Point(self.data.domain.d, len(self.features) + 1, users)
        classifiers = (*(Baseline(label) for label in BASELINES), *self.methods)
        parts = ["classification", self.label, self.features, self.epsilons, self.seed, self.name]
        return tuple(
            Task(point, r, m, self.name, task_key(self.data, point, m, [*parts, r]))
            for r in range(self.repetitions)
            for m in classifiers
        )

    def calls(self, missing: Container[str]) -> Iterator[partial]:
        """The tasks with missing results, for `run_tasks`."""
        plain = {name: getattr(self, name) for name in ("seed", "label", "features", "epsilons")}
        for task in self.tasks:
            if task.key in missing:
                yield partial(classify_task, self.data, task, plain)


FEATURES = 4


def select_features(data: Dataset, label: str, features: Sequence[str] = ()) -> tuple[str, ...]:
    """The given features, or the four attributes with the most information about the label."""
    return tuple(features) or informative_features(data, label, FEATURES)


def default_label(data: Dataset, features: Sequence[str] = ()) -> str:
    """The last attribute that is not a feature."""
    candidates = [name for name in data.domain.names if name not in features]
    return (candidates or data.domain.names)[-1]


def draw_classifiers(table: pd.DataFrame, settings: Settings) -> Drawing:
    """The share of wrong predictions over epsilon, with its caption, and the summary."""
    from calm_core.figures.experiments import lines_over_epsilon

    lines = lines_over_epsilon(
        table, "misclassification", title="misclassification rate", log=False
    )
    caption = (
        "Share of real rows, not used for training, whose label is predicted wrongly. Where NoNoise is not clearly "
        "better than Majority, no table predicts this label: choose another. With few users for "
        "theta, CALM asks about few pairs of attributes; it takes label and features that no view "
        "contains together as independent, and so predicts the most frequent label."
    )
    return [(lines, caption)], summarize(table, "misclassification")
