"""The judge of messy columns notices every kind of silent error; otherwise its silence means nothing."""

from dataclasses import replace

import numpy as np
import pytest

from tests.ingest.messy.column import date, number, words
from tests.ingest.messy.judge import complaints, decide_messy, silent_errors

VALUES = [round(0.7 * i + 1.35, 2) for i in range(60)]
NUMBERS = number("plain", "price", [(f"{v:.2f}", v) for v in VALUES])
DAYS = [np.datetime64("2013-01-02") + 5 * i for i in range(60)]
DATES = date("plain days", "day", [(str(day), f"{day}T00:00:00") for day in DAYS])
WORDS = words("plain words", "city", ["Bern", "Basel", "Genf"] * 20)


@pytest.mark.parametrize("column", [NUMBERS, DATES, WORDS], ids=lambda column: column.case)
def test_what_is_right_is_not_complained_about(column):
    decided = decide_messy(column)
    assert not complaints(decided, column) and not silent_errors(decided, column)


def swapped_days(decided):
    values = decided.values.copy()
    values[:12] = np.array([f"2013-{1 + i:02}-01" for i in range(12)], "datetime64[s]")
    return replace(decided, values=values)


def two_in_one_code(decided):
    return replace(decided, codes=np.where(decided.codes == 2, 1, decided.codes))


def one_row_lost(decided):
    report = replace(decided.report, rows_in=59, rows_used=59)
    return replace(decided, report=report)


def a_value_lost(decided):
    values = decided.values.copy()
    values[7] = np.nan
    return replace(decided, values=values)


def counted_as_empty(decided):
    return replace(decided, column=replace(decided.column, n_missing=1))


@pytest.mark.parametrize(
    ("column", "harm"),
    [
        (NUMBERS, lambda decided: replace(decided, values=decided.values / 1000)),
        (NUMBERS, lambda decided: replace(decided, codes=decided.codes[::-1])),
        (NUMBERS, a_value_lost),
        (NUMBERS, one_row_lost),
        (NUMBERS, counted_as_empty),
        (DATES, swapped_days),
        (WORDS, two_in_one_code),
        (WORDS, one_row_lost),
    ],
    ids="wrong_decimals bins_reversed value_lost row_lost empty days_swapped merged row_of_words".split(),
)  # fmt: skip
def test_what_is_wrong_without_a_word_is_noticed(column, harm):
    assert silent_errors(harm(decide_messy(column)), column)


def test_an_ambiguous_column_needs_a_question():
    cells = [(f"{i}.{i * 37 % 900 + 100}", i * 1000.0 + i * 37 % 900 + 100) for i in range(1, 60)]
    column = number(
        "thousands or not", "n", cells, ask="yes", alternative=[v / 1000 for _, v in cells]
    )
    decided = decide_messy(column)
    unasked = replace(decided, column=replace(decided.column, questions=()))
    assert silent_errors(unasked, column) and complaints(unasked, column)


@pytest.mark.parametrize("what", ["sure", "told", "proposed"])
def test_missing_that_is_not_found_is_complained_about(what):
    column = replace(WORDS, **{what: frozenset({"Genf"})})
    assert complaints(decide_messy(column), column)


def test_merges_that_are_not_found_and_kinds_that_are_not_expected_are_complained_about():
    merged = replace(WORDS, merges=(frozenset({"Bern", "Basel"}),))
    assert complaints(decide_messy(merged), merged)
    other = replace(WORDS, kinds=("number",))
    assert complaints(decide_messy(other), other)
