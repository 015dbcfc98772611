"""Slips, abbreviations and other ways of writing are offered as one value; opposites and codes are not."""

import pytest

from calm_core.ingest.values.variants import spellings

ONE = (
    ({"Switzerland": 40, "Switzerlnad": 2}, {"Switzerland", "Switzerlnad"}),
    ({"Kiełbasa": 20, "Kielbasa": 3}, {"Kiełbasa", "Kielbasa"}),
    ({"U.K.": 5, "UK": 30}, {"U.K.", "UK"}),
    ({"European Union": 9, "EU": 30}, {"European Union", "EU"}),
    ({"St. Pölten": 20, "Sankt Pölten": 9}, {"St. Pölten", "Sankt Pölten"}),
    ({"Hauptstr.": 20, "Hauptstraße": 9}, {"Hauptstr.", "Hauptstraße"}),
    ({"Picea abies": 30, "Picea abeis": 1}, None),
    ({"dark gray": 9, "dark grey": 8}, {"dark gray", "dark grey"}),
)
APART = (
    {"Stage III": 30, "Stage II": 2}, {"agree": 40, "disagree": 3}, {"satisfied": 90, "dissatisfied": 3},
    {"likely": 40, "unlikely": 2}, {"Austria": 40, "Australia": 3}, {"maestro": 40, "maestra": 3},
    {"B-1234-C": 40, "B-1235-C": 3}, {"important": 40, "unimportant": 2}, {"Berlin": 20, "Merlin": 1},
    {"Monday": 12, "Sunday": 2}, {"Quercus alba": 30, "Quercus rubra": 2}, {"Slovakia": 9, "Slovenia": 1},
)  # fmt: skip


@pytest.mark.parametrize(("counts", "merged"), ONE)
def test_one_value_in_two_spellings(counts, merged):
    found = [set(texts) for texts, _ in spellings(list(counts), list(counts.values()))]
    assert found == ([merged] if merged else [])


@pytest.mark.parametrize("counts", APART)
def test_two_values_stay_apart(counts):
    assert spellings(list(counts), list(counts.values())) == []
