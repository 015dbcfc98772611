"""Amounts of several parts and in several units, footnotes, guesses; and what is no amount."""

import numpy as np
import pyarrow as pa
import pytest

from calm_core.ingest import values_read
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.table import table_of
from calm_core.ingest.values.amounts import amounts_of

N = 40
SMALL_UP = str.maketrans("23", "²³")
READ = {
    "hours and minutes": ([f"{1 + i % 7} h {i % 60:02} min" for i in range(N)],
                          [1 + i % 7 + i % 60 / 60 for i in range(N)]),
    "hours beyond a day": ([f"{20 + i}:{i % 60:02}" for i in range(N)], [20 + i + i % 60 / 60 for i in range(N)]),
    "seconds with tenths": ([f"{3 + i % 9}:{i:02}.5" for i in range(N)], [3 + i % 9 + (i + 0.5) / 60 for i in range(N)]),
    "feet and inches": ([f"{4 + i % 3}'{i % 11}\"" for i in range(N)], [48 + 12 * (i % 3) + i % 11 for i in range(N)]),
    "points of forty": ([f"{i},5/40" for i in range(N)], [i + 0.5 for i in range(N)]),
    "two units": ([f"{150 + i} cm" if i % 3 else f"{1.5 + i / 100:.2f} m" for i in range(N)], [150 + i for i in range(N)]),
    "apostrophes of Excel": ([f"'{i}.25" for i in range(N)], [i + 0.25 for i in range(N)]),
    "stars of notes": ([f"{i}.25" + "*" * (i % 4) for i in range(N)], [i + 0.25 for i in range(N)]),
    "guesses": ([("ca. ", "~", "")[i % 3] + str(37 * i % 53) for i in range(1, 2 * N)], [37 * i % 53 for i in range(1, 2 * N)]),
    "Swedish prices": ([f"{i}:50 kr" for i in range(N)], [i + 0.5 for i in range(N)]),
    "round thousands": ([f"{i}.{500 if i % 3 else 750}" if i > 3 else str(i * 150) for i in range(1, N)],
                        [i * 1000 + (500 if i % 3 else 750) if i > 3 else i * 150 for i in range(1, N)]),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_an_amount_of_several_parts_is_a_number(case):
    texts, says = READ[case]
    column = detect_schema(table_of({"x": texts})).columns[0]
    assert column.kind == "number"
    np.testing.assert_allclose(values_read(texts, column), says, rtol=1e-12)


def test_fractions_and_powers_say_their_number_and_angles_their_side():
    texts = pa.array(["1 1/2", "¾", "1,5·10³", "10°30'00\"S", "4/3", "0/0"])
    assert amounts_of(texts).numbers.tolist()[:4] == [1.5, 0.75, 1500.0, -10.5]
    assert np.isnan(amounts_of(texts).numbers[4:]).all()


def test_times_of_the_day_stay_times():
    texts = [f"{i % 24}:{(7 * i) % 60:02}" for i in range(N)]
    assert detect_schema(table_of({"x": texts})).columns[0].kind == "date"


def test_a_bare_number_beside_two_units_or_a_total_is_not_read():
    heights = [f"{150 + i} cm" if i % 3 else f"{1.5 + i / 100:.2f} m" for i in range(N)]
    marks = [f"{i}/40" for i in range(N)]
    for texts, bare in ((heights, "1.75"), (marks, "17"), (heights, "180")):
        column = detect_schema(table_of({"x": [*texts, bare]})).columns[0]
        assert column.kind == "number" and np.isnan(values_read([bare], column)[0])


@pytest.mark.parametrize(
    "texts",
    (
        [f"+48 {600 + i} {100 + 7 * i} {300 + 3 * i}" for i in range(N)],
        [f"0{170 + i % 9} {2345678 + 977 * i}" for i in range(N)],
        [f"(555) {100 + i}-{4000 + 31 * i}" for i in range(N)],
        [f"DE{89 - i} 3704 0044 0532 0130 {i:02}" for i in range(N)],
        [f"4111 1111 {1000 + i} {2000 + 7 * i}" for i in range(N)],
        [f"978-3-16-14841{i}-{i % 10}" for i in range(N)],
        [f"+49{1700000000 + 7919 * i}" for i in range(N)],
        [f"{100 + i}.{200 + i}.{300 + 2 * i}-{i:02}" for i in range(N)],
        [f"06-{10 + i}-{20 + i}-{30 + i}-{40 + i}" for i in range(N)],
        [f"{600 + i} {100 + 7 * i} {300 + 3 * i}" for i in range(N)],
        [f"192.168.{i}.{i + 1}" for i in range(N)],
    ),
)
def test_what_tells_people_apart_is_no_number(texts):
    column = detect_schema(table_of({"x": texts})).columns[0]
    assert column.kind in ("id-like", "text") and not column.keep


def test_only_dashes_and_not_available_is_no_column():
    column = detect_schema(table_of({"x": ["--", "N/A", "--"] * 20})).columns[0]
    assert not column.keep and "no value" in column.reason


@pytest.mark.parametrize("unit", ["m2", "m3", "m^2", " m2"])
def test_an_area_is_no_time(unit):
    found = detect_schema(table_of({"size": [f"{i}{unit}" for i in range(20, 80)]})).columns[0]
    assert (found.kind, found.unit) == ("number", unit.strip().replace("^", "").translate(SMALL_UP))
    assert found.sketch[0] == 20
