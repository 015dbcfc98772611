"""Spellings of one value, and what may stand for an empty cell."""

import numpy as np
import pytest

from calm_core.ingest.values.markers import suspicious_codes
from calm_core.ingest.values.variants import spellings, yes_or_no


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        (["Yes", "yes", "YES?", "no"], {("Yes", "YES?", "yes")}),
        (["Male", "male", "M", "Female", "F"], {("Male", "M", "male"), ("Female", "F")}),
        (["Köln", "Koln", "Koeln", "Bonn"], {("Köln", "Koeln", "Koln")}),
        ([" Ulm", "Ulm", "Bonn "], {("Ulm", " Ulm")}),
        (["Dog", "Dogs", "Cat"], {("Dog", "Dogs")}),
        (["state-gov", "State gov.", "Private"], {("state-gov", "State gov.")}),
        (["18-25", "18 – 25", "26-34"], {("18-25", "18 – 25")}),
        (["A+", "A-", "A", "B"], set()),
        (["A", "B", "AB", "0"], set()),
        (["1.5", "15", "1,5"], set()),
        (["<=50K", ">50K"], set()),
        (["C", "C#", "C++"], set()),
        (["N", "North", "NE", "Nord"], set()),
    ],
)
def test_which_texts_are_one_value(values, groups):
    counts = list(range(len(values), 0, -1))
    found = {(into, *sorted(set(texts) - {into})) for texts, into in spellings(values, counts)}
    assert found == groups


def test_the_commonest_good_spelling_stays():
    assert spellings(["m", "Male", "male"], [90, 5, 7])[0][1] == "male"
    assert spellings(["yes?", "Yes"], [90, 5])[0][1] == "Yes"


@pytest.mark.parametrize(
    ("values", "sides"),
    [
        (["n", "y"], [0, 1]), (["TRUE", "FALSE"], [1, 0]), (["ja", "nein"], [1, 0]), (["oui", "non"], [1, 0]),
        (["sí", "no"], [1, 0]), (["1", "0"], [1, 0]), (["Yes", "Y", "no"], [1, 1, 0]),
        (["f", "m"], None), (["yes", "maybe"], None), (["yes", "y"], None), (["1", "2"], None), (["n", "s", "e"], None),
    ],
)  # fmt: skip
def test_yes_and_no(values, sides):
    found = yes_or_no(values)
    assert (found if found is None else found.tolist()) == sides


@pytest.mark.parametrize(
    ("others", "codes"),
    [
        (range(18, 80), [999]), (range(1, 6), [99]), (range(1, 6), [9]), (range(0, 40), [-9]), (range(0, 40), [-1]),
        (range(18, 99), []), (range(-20, 20), []), (range(1, 9), []), (range(0, 2000, 7), []),
    ],
)  # fmt: skip
def test_codes_lie_apart_from_all_others(others, codes):
    numbers = np.array(sorted([*others, *codes]), dtype=float)
    counts = np.where(np.isin(numbers, codes), 5, 3)
    assert suspicious_codes(numbers, counts) == codes
