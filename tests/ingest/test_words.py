"""Words: scales, spellings of one value, yes and no, and what may mean missing."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from calm_core.ingest.counting import count_column
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.detect_words import scale_order
from calm_core.ingest.editing import accept_proposal
from calm_core.ingest.encode import count_codes
from calm_core.ingest.table import make_table
from calm_core.ingest.values.variants import find_spellings
from calm_core.ingest.values.words import suspicious_codes

DATA = Path(__file__).parent / "data"


def test_scales_are_put_in_order_and_other_words_are_no_scale():
    """Lines of `data/scales.txt`: "low < high" is a scale in nine languages, "red | green" is none."""
    wrong, lines = [], (DATA / "scales.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        words = line.split(" < ")
        if len(words) == 1:
            wrong += [line] * (scale_order(pa.array(line.split(" | "))) is not None)
            continue
        shuffled = sorted(words, key=lambda word: word[::-1])
        ranks = scale_order(pa.array([*shuffled, "n/a"]))
        order = [] if ranks is None else [shuffled[at] for at in np.argsort(ranks[:-1])]
        if order not in (words, words[::-1]) or not np.isnan(ranks[-1]):
            wrong.append(f"{line}: {order}")
    assert len(lines) > 55 and not wrong, "\n".join(wrong)


def test_spellings_of_one_value_are_found_and_different_values_stay_apart():
    """Lines of `data/spellings.jsonl`: the texts with their counts, and what is merged, the best first."""
    wrong, lines = [], (DATA / "spellings.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        counts, merged = json.loads(line).values()
        found = find_spellings(list(counts), list(counts.values()))
        found = [[into, *sorted(set(texts) - {into})] for texts, into in found]
        wrong += [f"{counts}: {found}, expected {merged}"] * (found != merged)
    assert len(lines) > 30 and not wrong, "\n".join(wrong)


def test_letters_alone_are_marks_where_the_name_says_so():
    letters = [*"ABCD"] * 10
    schema = detect_schema(make_table({"team": letters, "Energy label": letters}))
    assert [(c.kind, c.labels) for c in schema.columns] == [
        ("category", ("A", "B", "C", "D")),
        ("ordered", ("D", "C", "B", "A")),
    ]


@pytest.mark.parametrize(
    "word",
    ("NSP", "n. v. t.", "Sin respuesta", "\\N", "Ej svar", "Vet ej", "não sei", "TBA", "k. A."),
)
def test_no_answer_in_many_languages_is_offered_as_missing(word):
    column = detect_schema(make_table({"x": ["red", "blue", "red", word] * 10})).columns[0]
    assert [p.texts for p in column.proposals if p.what == "missing"] == [(word,)]


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


def take_missing(name, cells):
    """The column with its only proposal taken."""
    table = make_table({name: cells})
    schema = detect_schema(table)
    assert schema.columns[0].kind == "ordered"
    (missing,) = schema.columns[0].proposals
    return accept_proposal(count_column(table, name), schema, missing).columns[0]


@pytest.mark.parametrize("code", ["9", "-1", "99"])
@pytest.mark.parametrize("empty", [[], [None] * 5])
def test_zero_and_one_without_their_code_are_no_and_yes(code, empty):
    cells = ["0", "1", "1", "0", "1"] * 9 + [code] * 4 + empty
    found = take_missing("treated", cells)
    assert (found.kind, found.display_names) == ("yes/no", ("no", "yes", "missing"))
    assert count_codes(make_table({"treated": cells}), found).tolist() == [18, 27, 4 + len(empty)]


def test_other_small_numbers_without_their_code_keep_their_order():
    assert take_missing("rooms", ["1", "2", "1", "2"] * 9 + ["-1"] * 4).kind == "ordered"
