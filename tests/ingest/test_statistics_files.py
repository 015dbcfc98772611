"""Files of SPSS, Stata and SAS: labels, missing values, dates, encodings."""

import datetime
import gzip
import struct

import numpy as np
import pandas as pd
import pytest

from calm_core.errors import DataError, InputError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.readers.statistics_files import Moment, find_moment
from calm_core.ingest.reading import read_table
from calm_core.ingest.streaming import stream_batches, stream_schema
from calm_core.ingest.table import ReadOptions
from tests.bad_files.make import statistics_file


def _read(content: bytes, name: str = "t.sav", **options):
    return read_table(content, name=name, options=ReadOptions(**options), isolate=False)


def test_marked_values_are_missing_and_said():
    columns = {"scale": [1.0, 2, 3, 99, -5, None], "word": [*"abcab", ""]}
    content = statistics_file("sav", columns,
        missing_ranges={"scale": [{"lo": -10, "hi": 0}, 99], "word": ["c"]},
        variable_value_labels={"scale": {99: "Refused", 1: "low", 3: "high"}, "word": {"b": "Bee"}},
    )  # fmt: skip
    table = _read(content)
    assert table.texts("scale").to_pylist() == ["low", "2", "high", None, None, None]
    assert table.texts("word").to_pylist() == ["a", "Bee", None, "a", "Bee", None]
    assert "empty: 'scale' (-10 to 0, Refused), 'word' (c)." in table.notes[-1]
    assert detect_schema(table).column("scale").labels == ("low", "2", "high", "missing")


def test_tagged_missing_values_of_stata_are_missing():
    content = statistics_file("dta", {"x": [1, 2, "a", "b", "a"]}, missing_user_values={"x": ["a", "b"]},
        variable_value_labels={"x": {1: "yes", 2: "no", "a": "Refused"}},
    )  # fmt: skip
    table = _read(content, "t.dta")
    assert table.texts("x").to_pylist() == ["yes", "no", None, None, None]


def test_equal_labels_and_codes_that_look_like_labels_stay_apart():
    labels = {1: "other", 2: "other ", 3: "4", 5: ""}
    content = statistics_file(
        "sav", {"x": [1.0, 2, 3, 4, 5, 6.5]}, variable_value_labels={"x": labels}
    )
    table = _read(content)
    texts = ["other (1)", "other (2)", "4 (3)", "4", "5", "6.5"]
    assert table.texts("x").to_pylist() == texts
    assert any("kept apart by their codes: 'other' of 'x'" in note for note in table.notes)


def test_numbers_are_written_as_people_write_them(tmp_path):
    columns = {"x": np.array([0.1, 2.5, 3], np.float32), "n": np.array([1, 2, 3], np.int16)}
    path = tmp_path / "t.dta"
    # This writer keeps single precision.
    pd.DataFrame(columns).to_stata(path, write_index=False)
    table = read_table(path, isolate=False)
    assert table.texts("x").to_pylist() == ["0.1", "2.5", "3"]
    assert table.texts("n").to_pylist() == ["1", "2", "3"]


@pytest.mark.parametrize("kind", ["sav", "dta", "por", "xport"])
def test_dates_and_times_are_read_in_every_format(kind):
    day, moment = datetime.date(1999, 12, 31), datetime.datetime(2020, 1, 2, 3, 4, 5)
    columns = {
        "d": [day, None], "m": [moment, moment], "t": [datetime.time(23, 4, 5), None],
        "s": ["a", ""], "n": [1.5, 2.0],
    }  # fmt: skip
    table = _read(statistics_file(kind, columns), "t")
    names = [name.upper() if kind == "por" else name for name in columns]
    found = {name.lower(): table.texts(name).to_pylist() for name in names}
    assert found["d"] == ["1999-12-31", None] and found["m"][0] == "2020-01-02 03:04:05"
    assert found["t"] == ["23:04:05", None] and found["s"] == ["a", None]
    assert found["n"] == ["1.5", "2"]


@pytest.mark.parametrize(
    "form, program, number, text",
    [
        ("MOYR8", "SPSS", 13797302400, "2020-01-02"), ("DTIME10", "SPSS", 90061, "25:01:01"),
        ("ADATE10", "SPSS", 86400 * 141428, "1970-01-01"), ("%d", "Stata", -1, "1959-12-31"),
        ("%td", "Stata", 21916, "2020-01-02"), ("%tm", "Stata", 720, "2020-01"),
        ("%tw", "Stata", 51, "1960-W52"), ("%tq", "Stata", 7, "1961Q4"), ("%th", "Stata", -1, "1959H2"),
        ("%tcHH:MM", "Stata", 3_660_000, "01:01:00"), ("%tC", "Stata", 500, "1960-01-01"),
        ("MMDDYY10.", "SAS", 21916, "2020-01-02"), ("DATETIME", "SAS", 1, "1960-01-01 00:00:01"),
        ("E8601DA", "SAS", 0, "1960-01-01"), ("TIME8", "SAS", -60, "-00:01:00"),
    ],
)  # fmt: skip
def test_moments_of_each_program(form, program, number, text):
    assert find_moment(form, program).write([number, None]) == [text, None]


def test_numbers_beyond_all_dates_are_missing():
    for form in ("F8.2", "%ty", "%9.0g", "BEST12", "", "$CHAR8"):
        assert find_moment(form, "Stata" if "%" in form else "SAS") is None
    moment = Moment("day", "SAS")
    assert moment.write([0.0]) == ["1960-01-01"] and not moment.outside
    assert moment.write([1e15, -1e15]) == [None, None] and moment.outside


# --- encodings and damage -------------------------------------------------------------------------


@pytest.fixture
def latin() -> bytes:
    """A file with letters of a code page where it says that it is in UTF-8."""
    labels = {"variable_value_labels": {"s": {1: "Mxnner", 2: "Frauen"}}}
    content = statistics_file("sav", {"s": [1.0, 2]}, column_labels={"s": "Geschlxcht"}, **labels)
    return content.replace(b"xnner", b"\xe4nner").replace(b"xcht", b"\xe4cht")


def test_code_pages(latin):
    with pytest.raises(DataError, match="do not fit their encoding; name the right one, such as"):
        _read(latin)
    for encoding in ("cp1252", "latin-1"):
        table = _read(latin, encoding=encoding)
        assert table.texts("s").to_pylist() == ["Männer", "Frauen"]
        assert table.descriptions["s"].title == "Geschlächt"
    assert _read(latin.replace(b"UTF-8", b"CP850")).descriptions["s"].title == "Geschlõcht"
    with pytest.raises(DataError, match="encoding .'nonsense'. is not known"):
        _read(latin, encoding="nonsense")
    with pytest.raises(DataError, match=r"encoding \(euc_jp\)"):
        _read(latin, encoding="euc_jp")
    with pytest.raises(InputError, match="separator=;. is not for SPSS files"):
        _read(latin, separator=";")


def test_claimed_sizes_are_refused_before_they_are_read():
    content = statistics_file("sav", {"s": [1.0, 2], "t": [1.0, 2]})
    many = content[:80] + struct.pack("<i", 20_000_001) + content[84:]
    with pytest.raises(DataError, match="20,000,001 rows and must have at most 20,000,000"):
        _read(many)
    # Where a file does not say how many rows it has, they are counted.
    unknown = content[:80] + struct.pack("<i", -1) + content[84:]
    assert _read(unknown).n == 2


def test_packed_files_are_read_and_streamed(tmp_path):
    path = tmp_path / "t.sav.gz"
    path.write_bytes(gzip.compress(statistics_file("sav", {"s": [1.0, 2] * 20})))
    assert read_table(path, isolate=False).n == 40
    schema = stream_schema(path)
    assert sum(chunk.dataset.n for chunk in stream_batches(path, schema, rows=7)) == 40
    with pytest.raises(DataError, match="column 't' of the schema is not in the file"):
        other = statistics_file("sav", {"t": [1.0, 2] * 20})
        list(stream_batches(path, detect_schema(_read(other)), rows=7))


def test_a_file_without_people_is_refused():
    with pytest.raises(DataError, match="column names and no rows"):
        _read(statistics_file("sav", {"s": pd.array([], "float64")}))
