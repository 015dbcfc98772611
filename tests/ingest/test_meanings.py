"""Sentinel dates and zeros, invisible characters, and names of two values."""

import numpy as np
import pytest

from calm_core.ingest.counting import count_column
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.editing import accept_proposal
from calm_core.ingest.table import make_table
from tests.ingest.messy_columns import read_values

DAYS = [str(np.datetime64("2013-01-02") + 7 * i) for i in range(80)]


def schema_of(cells):
    return detect_schema(make_table({"x": cells}))


def column(cells):
    return schema_of(cells).columns[0]


@pytest.mark.parametrize(
    ("days", "odd"),
    [
        (DAYS, "9999-12-31"), (DAYS, "1900-01-01"), (DAYS, "1970-01-01"),
        ([f"{d[5:7]}/{d[8:]}/{d[:4]}" for d in DAYS], "12/31/9999"),
        ([f"{d} 10:{i % 60:02}" for i, d in enumerate(DAYS)], "2999-12-31 00:00"),
        # Beside birthdays just above: too often to be one.
        ([str(np.datetime64("1920-03-02") + 211 * i) for i in range(140)], "1900-01-01"),
        (DAYS[:3] * 9, "9999-12-31"),
    ],
)  # fmt: skip
def test_sentinel_days_are_proposed_as_missing_and_left_out_of_bins(days, odd):
    cells = [*days, *[odd] * 12]
    schema = schema_of(cells)
    found = schema.columns[0]
    (offer,) = found.proposals
    assert (found.kind, found.n_missing) == ("date", 0)
    assert (offer.what, offer.texts, offer.count) == ("missing", (odd,), 12)
    assert 3 <= found.size <= 12, "bins are made for the others"
    assert sum(found.label_counts()) + found.numbers_count == len(cells)
    edited = accept_proposal(count_column(make_table({"x": cells}), "x"), schema, offer).columns[0]
    alone = column([*days, *[None] * 12])
    assert edited.n_missing == 12 and edited.labels == alone.labels
    assert np.isnat(read_values([odd], edited)[0])


@pytest.mark.parametrize(
    "cells",
    [
        [*DAYS, "1999-12-31"], ["1970-01-01", *(str(np.datetime64("1970-01-02") + i) for i in range(60))],
        [f"{year}-01-01" for year in range(1900, 2000)],
    ],
    ids=["no such day", "the first of many", "every year"],
)  # fmt: skip
def test_days_among_others_are_days(cells):
    assert not column(cells).proposals


@pytest.mark.parametrize("zero", ["0", "0000-00-00", "00/00/0000", "0000-00-00 00:00:00"])
@pytest.mark.parametrize(
    "days", [DAYS, [d.replace("-", "") for d in DAYS], [str(y) for y in range(1950, 2010)] * 2],
    ids=["days", "eight digits", "years"],
)  # fmt: skip
def test_zeros_among_dates_are_missing(days, zero):
    found = column([*days, *[zero] * 5])
    assert (found.kind, found.missing_texts, found.n_missing) == ("date", (zero,), 5)
    assert found.labels[:-1] == column(days).labels


def test_a_zero_among_times_of_the_day_stays_a_value():
    found = column([*(f"{h}:{m:02}" for h in range(24) for m in (0, 30)), "0", "0"])
    assert found.kind == "date" and found.values == ("0",) and not found.missing_texts


def test_dates_of_eight_digits_with_typing_errors_stay_dates():
    cells = [d.replace("-", "") for d in DAYS] + ["1O5", "<5", "30 décembre 2013", "n/a"]
    found = column(cells)
    assert (found.kind, found.numbers_count, set(found.values)) == ("date", 81, {"1O5", "<5"})
    assert column([*(str(20_130_000 + i) for i in range(99)), "x"] * 3).kind == "number"
