"""Which label is worth predicting, and what is said where a figure of classifiers tells nothing."""

import csv

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.experiments.classification import (
    choose_label,
    label_gain,
    promising_labels,
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


def test_gain_of_a_label_is_counted_by_hand():
    assert label_gain(RARE_LAST, "c") == pytest.approx((0.35, 0.15))
    assert label_gain(RARE_LAST, "r") == pytest.approx((0.0, 0.1))
    assert label_gain(RARE_LAST, "c", ("r",)) == pytest.approx((0.0, 0.5))


def test_a_last_attribute_that_nothing_predicts_gives_way_to_one_that_can_be():
    assert choose_label(RARE_LAST) == "c"
    assert classifiers(settings())[0].label == "c"
    assert classifiers(settings(label="r"))[0].label == "r"


def test_the_last_attribute_stays_where_it_can_be_predicted():
    """Also where another one gains more: e follows f in 60% only."""
    rows = {f"{r}{e}": n * m for r, n in {"00": 17, "01": 3, "10": 3, "11": 17}.items()
            for e, m in {r[1]: 6, str(1 - int(r[1])): 4}.items()}  # fmt: skip
    data = table_of("cfe", rows)
    assert list(promising_labels(data))[0] != "e"
    assert choose_label(data) == "e"


def test_the_label_chosen_is_never_a_feature():
    assert choose_label(RARE_LAST, ("c",)) == "f"
    assert choose_label(RARE_LAST, ("f", "r")) == "c"


def test_a_label_that_another_column_says_is_not_proposed():
    """b repeats a; c follows them in 70%."""
    data = table_of("abc", {"000": 70, "001": 30, "110": 30, "111": 70})
    assert list(promising_labels(data)) == ["c"]


def test_the_last_attribute_stays_where_its_table_is_too_large_to_judge():
    codes = np.column_stack([np.arange(12_000), np.arange(12_000) % 2])
    data = cc.Dataset.from_codes(codes, cc.Domain(("row", "bit"), (12_000, 2)))
    assert np.isnan(label_gain(data, "bit")).all() and choose_label(data) == "bit"


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


def test_an_uninformative_figure_says_so_and_names_better_labels(tmp_path):
    done = reproduce("classification", settings(label="r", ns=(900, 1000)), tmp_path)
    assert done.findings["n = 900"].startswith("UNINFORMATIVE")
    assert done.findings["n = 1,000"].startswith("UNINFORMATIVE")
    named = done.findings["labels with more to gain"]
    assert "c (35 percentage points)" in named and "f (35" in named and "r (" not in named
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
    done = reproduce("classification", settings(), tmp_path)
    assert done.findings["n = 1,000"].startswith("NoNoise is wrong for ")
    assert done.findings["label chosen"].startswith("c; on r, the last attribute")
    assert "labels with more to gain" not in done.findings
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
    assert "labels with more to gain: coin (35 percentage points)" in done.out
