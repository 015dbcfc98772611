"""What stands for nothing among dates and numbers, units with parts, and names of two values."""

import numpy as np
import pytest

from calm_core.ingest import (
    ReadOptions,
    accept,
    detect_schema,
    findings,
    read_table,
    values_read,
)
from calm_core.ingest.limits import LIMITS
from calm_core.ingest.samples import load_sample
from calm_core.ingest.table import table_of
from calm_core.ingest.transactions import to_items

DAYS = [str(np.datetime64("2013-01-02") + 7 * i) for i in range(80)]
AGES = [str(18 + i % 78) for i in range(300)]


def schema_of(cells):
    return detect_schema(table_of({"x": cells}))


def column(cells):
    return schema_of(cells).columns[0]


def proposed(cells) -> set[str]:
    return {text for p in column(cells).proposals if p.what == "missing" for text in p.texts}


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
def test_a_day_that_means_never_is_offered_as_missing_and_bins_are_those_of_the_others(days, odd):
    cells = [*days, *[odd] * 12]
    schema = schema_of(cells)
    found = schema.columns[0]
    (offer,) = found.proposals
    assert (found.kind, found.n_missing) == ("date", 0)
    assert (offer.what, offer.texts, offer.count) == ("missing", (odd,), 12)
    assert 3 <= found.size <= 12, "bins are made for the others"
    assert sum(found.label_counts()) + found.numbers_count == len(cells)
    told = accept(schema, "x", offer).columns[0]
    alone = column([*days, *[None] * 12])
    assert told.n_missing == 12 and told.labels == alone.labels
    assert np.isnat(values_read([odd], told)[0])


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
def test_zeros_among_dates_are_no_date(days, zero):
    found = column([*days, *[zero] * 5])
    assert (found.kind, found.missing_texts, found.n_missing) == ("date", (zero,), 5)
    assert found.labels[:-1] == column(days).labels


def test_a_zero_among_times_of_the_day_stays_a_value():
    found = column([*(f"{h}:{m:02}" for h in range(24) for m in (0, 30)), "0", "0"])
    assert found.kind == "date" and found.values == ("0",) and not found.missing_texts


def test_slips_among_dates_of_eight_digits_make_them_no_numbers():
    cells = [d.replace("-", "") for d in DAYS] + ["1O5", "<5", "30 décembre 2013", "n/a"]
    found = column(cells)
    assert (found.kind, found.numbers_count, set(found.values)) == ("date", 81, {"1O5", "<5"})
    assert column([*(str(20_130_000 + i) for i in range(99)), "x"] * 3).kind == "number"


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ([*AGES, *["98"] * 12, *["99"] * 15], {"98", "99"}),
        ([*AGES, *["998"] * 3, *["999"] * 9], {"998", "999"}),
        ([*AGES, "96", "97", "98", "98", "99"], set()),
        ([str(i % 100) for i in range(900)], set()),
        (["1", "2", "3", "4", "5"] * 20 + ["97", "97", "98", "98"], {"97", "98"}),
    ],
)
def test_codes_that_stand_out_are_offered_as_missing(cells, codes):
    assert proposed(cells) == codes


@pytest.mark.parametrize(
    ("cells", "unit", "first", "last"),
    [
        ([f"{4 + i / 10:.1f} l/100 km" for i in range(50)], "l/100 km", 4.0, 8.9),
        ([f"{4 + i / 10:.1f}L/100km" for i in range(50)], "l/100 km", 4.0, 8.9),
        ([f"{18 + i / 10:.1f} kg/m2" for i in range(50)], "kg/m²", 18.0, 22.9),
        ([f"{18 + i} m^2" for i in range(50)] + ["99 m²"], "m²", 18, 99),
        ([f"€{1 + i / 10:.2f} per 100 g" for i in range(50)], "€/100 g", 1, 5.9),
        ([f"{50 + i} ct" for i in range(40)], "ct", 50, 89),
        ([f"{1 + i / 10:.2f} €" for i in range(50)] + [f"{57 + i} ct" for i in range(40)], "EUR", 1, 0.96),
        ([f"{57 + i}¢" for i in range(50)] + [f"${1 + i / 10:.2f}" for i in range(30)], "$", 0.57, 3.9),
    ],
)  # fmt: skip
def test_compound_units_and_cents(cells, unit, first, last):
    found = column(cells)
    read = values_read(cells, found)
    assert (found.kind, found.unit) == ("number", unit)
    assert (read[0], read[-1]) == (first, last) and not np.isnan(read).any()


@pytest.mark.parametrize("cells", [["12a2", "13b2", "14c2"] * 9, ["120/80", "110/70"] * 9])
def test_codes_and_pressures_have_no_unit(cells):
    assert column(cells).kind == "category"


def test_what_nobody_sees_is_trimmed_in_every_format():
    lists = table_of(
        {"bought": ["milk\u200b;tea", "\ufefftea"]}, dialect=ReadOptions(shape="items")
    )
    assert to_items(lists, LIMITS).names == ("tea", "milk")
    arff = "@relation r\n@attribute a string\n@data\nx\u200b\nx\n'\u2060x'\n".encode()
    table = read_table(arff, name="t.arff", isolate=False)
    assert set(table.texts("a").to_pylist()) == {"x"}


def test_two_values_with_names_are_told_by_them():
    assert findings(schema_of(["0", "1", "1", None]))[0].saw == "3 answers of yes or no, 1 empty"
    assert findings(schema_of(["ja", "nein", "ja"]))[0].becomes == "no and yes"
    sample = load_sample("survey").schema
    told = {found.name: found for found in findings(sample)}
    named = [
        c for c in sample.columns if c.kind == "yes/no" and {*c.value_names} - {"", "no", "yes"}
    ]
    assert named
    for one in named:
        first, second = one.called[:2]
        assert told[one.name].saw.endswith(f"answers of {first} or {second}")
        assert told[one.name].becomes == f"{first} and {second}"
