"""Which label is worth predicting, and what is said where a figure of classifiers tells nothing."""

import csv

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.experiments.classification import (
    training_gains,
)
from calm_core.experiments.figure import USERS, Settings
from calm_core.experiments.figures_calm import classifiers
from calm_core.experiments.reproduce import reproduce


def table_of(names: str, counts: dict[str, int]) -> cc.Dataset:
    """Rows spelt as digits, each as often as its count."""
    rows = [[int(digit) for digit in row] for row in counts]
    codes = np.repeat(rows, list(counts.values()), axis=0)
    sizes = tuple(int(c) + 1 for c in codes.max(axis=0))
    return cc.Dataset.from_codes(codes, cc.Domain(tuple(names), sizes))


# c is a fair coin, f follows it in 85%, r is 1 in 10% whatever they are: nothing predicts it.
COUNTS = {"000": 306, "010": 54, "100": 54, "110": 306, "001": 34, "011": 6, "101": 6, "111": 34}
RARE_LAST = table_of("cfr", COUNTS)


def settings(**more) -> Settings:
    shared = {"epsilons": (8.0,), "ns": (1000,), "repetitions": 2, "methods": "fc"}
    return Settings(RARE_LAST, "coins", **shared | more)


def test_the_label_is_the_last_attribute_that_is_no_feature():
    assert classifiers(settings())[0].label == "r"
    assert classifiers(settings(features=("f", "r")))[0].label == "c"
    assert classifiers(settings(label="c"))[0].label == "c"


def test_users_are_the_papers_unless_given():
    found = classifiers(Settings(RARE_LAST))
    assert tuple(spec.tasks[0].point.n for spec in found) == USERS
    assert [spec.n for spec in classifiers(settings(ns=(7,)))] == [7]


@pytest.mark.parametrize(
    ("differences", "clear"),
    [
        # 5 percentage points in every repetition.
        ((0.05, 0.05, 0.051), "yes"),
        # As many on average, with a standard error of 3.
        ((0.01, 0.03, 0.11), "no"),
        # Always the same, but below one percentage point.
        ((0.009, 0.009, 0.009), "no"),
        ((0.0, 0.0, 0.0), "no"),
        # Worse than the majority.
        ((-0.05, -0.05, -0.05), "no"),
        # One repetition: no standard error.
        ((0.02,), "yes"),
        ((0.005,), "no"),
    ],
)
def test_a_figure_tells_something_where_training_clearly_gains(differences, clear):
    rows = [
        {"method": method, "n": 9, "epsilon": e, "repetition": r, "misclassification": rate}
        for r, gain in enumerate(differences)
        for method, rate in (("NoNoise", 0.4 - gain), ("Majority", 0.4), ("fc", 0.1 * r))
        for e in (1.0, 2.0)
    ]
    found = training_gains(pd.DataFrame(rows))
    assert found["informative"].tolist() == [clear]
    assert found["gain"][0] == pytest.approx(np.mean(differences))


def test_an_uninformative_figure_says_so(tmp_path):
    done = reproduce("classification", settings(ns=(900, 1000)), tmp_path)
    assert done.findings["n = 900"].startswith("UNINFORMATIVE")
    assert done.findings["n = 1,000"].startswith("UNINFORMATIVE")
    summary = pd.read_csv(tmp_path / "classification-summary.csv")
    assert set(summary["method"]) == {"NoNoise", "Majority", "fc"}
    assert set(summary["informative"]) == {"no"}
    page = done.html.read_text(encoding="utf-8")
    # Both in the drawing (its title, as JSON) and in the sentence below it.
    assert (
        "003eUninformative at n = 900, 1,000" in page
        or "<b>Uninformative at n = 900, 1,000" in page
    )
    assert "Majority. Share of real rows" in page
    assert "UNINFORMATIVE" in done.text.read_text(encoding="utf-8")


def test_an_informative_figure_does_not_warn(tmp_path):
    done = reproduce("classification", settings(label="c"), tmp_path)
    assert done.findings["n = 1,000"].startswith("NoNoise is wrong for ")
    assert set(pd.read_csv(tmp_path / "classification-summary.csv")["informative"]) == {"yes"}
    assert "ninformative" not in done.html.read_text(encoding="utf-8")


def test_the_command_line_prints_the_warning(tmp_path, call):
    with open(tmp_path / "coins.csv", "w", newline="") as file:
        csv.writer(file).writerows([["coin", "follower", "rare"], *RARE_LAST.codes.tolist()])
    done = call(
        "reproduce", "classification", "--data", tmp_path / "coins.csv", "--label", "rare",
        "--methods", "fc", "--epsilon", 8, "--n", 1000, "--repeats", 2, "--jobs", 1,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.status == 0
    assert "n = 1,000: UNINFORMATIVE" in done.out
