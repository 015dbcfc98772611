"""Streaming gives the same results as reading the whole file."""

import gzip

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.cli import app
from calm_core.errors import DataError, InputError
from calm_core.evaluation.streamed_run import run_streamed
from calm_core.ingest import counting
from calm_core.ingest.detect import detect_from_counts, detect_schema
from calm_core.ingest.encode import Report, encode_table, load_dataset
from calm_core.ingest.reading import read_table
from calm_core.ingest.streaming import stream_batches, stream_schema
from calm_core.ingest.table import ReadOptions, make_table
from calm_core.methods.base import ReportingMethod, merge_small_parts

FROM_REPORTS = [name for name, kind in cc.METHODS.items() if issubclass(kind, ReportingMethod)]


@pytest.fixture
def frame(rng) -> pd.DataFrame:
    n = 5000
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(0, 90, n),
            "weight": rng.normal(70, 12, n).round(2),
            "city": rng.choice(["Köln", "Bonn", None], n, p=[0.6, 0.3, 0.1]),
        }
    )


def _write(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffixes == [".parquet", ".gz"]:
        path.write_bytes(gzip.compress(frame.to_parquet()))
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    else:
        path.write_bytes(frame.to_csv(index=False).encode("utf-16"))
    return path


@pytest.mark.parametrize("name", ["t.parquet", "t.csv.gz", "t.csv", "t.parquet.gz"])
def test_chunks_add_up_to_the_whole(frame, tmp_path, name):
    path = _write(frame, tmp_path / name)
    table = read_table(path, isolate=False)
    schema = detect_schema(table)
    whole = encode_table(table, schema=schema)
    chunks = list(stream_batches(path, schema, rows=700))
    codes = np.concatenate([chunk.dataset.codes for chunk in chunks])
    np.testing.assert_array_equal(codes, whole.dataset.codes)
    assert all(chunk.dataset.domain == whole.dataset.domain for chunk in chunks)
    if "parquet" in name:
        assert len(chunks) > 5
    report = sum((chunk.report for chunk in chunks[1:]), chunks[0].report)
    assert (report.rows_in, report.rows_used) == (whole.report.rows_in, whole.report.rows_used)


def test_rows_left_out_add_up_even_in_chunks_without_any(tmp_path):
    frame = pd.DataFrame({"a": ["x"] * 10 + ["new"] * 20 + ["y"] * 10})
    path = _write(frame, tmp_path / "t.parquet")
    schema = detect_schema(read_table(b"a\nx\ny\n", name="t.csv", isolate=False))
    chunks = list(stream_batches(path, schema, rows=10))
    assert [chunk.dataset.n for chunk in chunks] == [10, 10]
    report = chunks[0].report + chunks[1].report
    assert report.rows_in == 40 and report.rows_used == 20 and dict(report.left_out) == {
        "a value in column 'a' that the schema does not list": 20
    }  # fmt: skip
    with pytest.raises(AssertionError):
        Report(10, 8, (("x", 1),))
    with pytest.raises(DataError, match="no row of the file can be used"):
        list(stream_batches(_write(frame[10:30], tmp_path / "u.parquet"), schema))


@pytest.mark.slow
@pytest.mark.parametrize("name", FROM_REPORTS)
def test_streamed_release_is_the_release_in_memory(frame, tmp_path, name, parse_in_process):
    path = _write(frame, tmp_path / "t.parquet")
    encoded = load_dataset(path, columns=("sex", "city", "age"), max_values=4)
    schema = encoded.schema
    method = cc.make_method(name, epsilon=4.0, k=2)
    whole = cc.run(encoded.dataset, method, seed=3, queries=5)
    once = run_streamed(path, method, schema=schema, seed=3, queries=5)
    # One chunk: the same code on the same random stream.
    assert once.scores.equals(whole.scores) and once.n == whole.n == 5000
    parts = run_streamed(path, method, schema=schema, seed=3, queries=5, rows=900)
    assert parts.n == parts.report.rows_used == 5000
    # The truth is the same whatever the chunks; the noise is drawn anew but as large.
    assert parts.scores.uniform_sse.tolist() == whole.scores.uniform_sse.tolist()
    guess = whole.scores.uniform_sse.mean()
    # A method that collects nothing only guesses.
    guesses = np.allclose(whole.scores.sse, whole.scores.uniform_sse)
    assert guesses or parts.scores.sse.mean() < 0.1 * guess


def test_parts_below_the_number_of_views_are_joined():
    parts = [
        cc.Dataset(np.zeros((n, 1), dtype=int), cc.Domain(("a",), (2,))) for n in (1, 2, 9, 1, 1)
    ]
    assert [part.n for part in merge_small_parts(parts, 3)] == [3, 11]
    assert [part.n for part in merge_small_parts(parts, 20)] == [14]
    assert list(merge_small_parts([], 3)) == []


@pytest.mark.slow
def test_methods_that_cannot_be_streamed_are_refused(frame, tmp_path):
    path = str(_write(frame, tmp_path / "t.parquet"))
    with pytest.raises(DataError, match="cannot be opened"):
        app(["release", path + ".old", "--stream"], standalone_mode=False)
    for method in set(cc.METHODS) - set(FROM_REPORTS):
        with pytest.raises(InputError, match="works on the table itself and cannot be streamed"):
            app(["release", path, "--stream", "--method", method], standalone_mode=False)


CITIES = "city,n\n" + "".join(f"{'Köln' if i % 2 else 'Bonn'},{i % 5}\n" for i in range(50))
BAD_BYTE = CITIES.encode() + b"K\xff,1\n"
ODD_TEXTS = {
    "any byte": (BAD_BYTE + b"\xfe,2\n", {"encoding": "latin-1"}),
    "marked": (b"\xef\xbb\xbf" + CITIES.encode(), {}),
    "shorter": (CITIES.encode() + b"x\n", {}),
    "longer": (CITIES.encode() + b"x,1,2\nx\n" * 9, {"ragged": "leave_out"}),
    "row names": (CITIES.replace("\n", ",0\n").replace("n,0", "n", 1).encode(), {}),
    "titles": (b"Report\n\n" + CITIES.encode(), {"header_row": 2}),
    "titles found": (b"Report\n\n" + CITIES.encode(), {}),
    "one column": (b"city\nBonn\n\nRome\nBonn\n" + b"\n" * 300_000, {}),
    "other signs": (CITIES.replace(",", ";").encode("cp1252"), {"separator": ";"}),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD_TEXTS)
def test_odd_texts_are_streamed_as_they_are_read(tmp_path, case):
    content, chosen = ODD_TEXTS[case]
    path, options = tmp_path / "t.csv", ReadOptions(**chosen)
    path.write_bytes(content)
    table = read_table(path, options=options, isolate=False)
    schema = detect_schema(table)
    assert stream_schema(path, options=options) == schema
    whole = encode_table(table, schema=schema)
    chunks = list(stream_batches(path, schema, options=options))
    codes = np.concatenate([chunk.dataset.codes for chunk in chunks])
    np.testing.assert_array_equal(codes, whole.dataset.codes)
    report = sum((chunk.report for chunk in chunks[1:]), chunks[0].report)
    assert report.left_out == whole.report.left_out and report.empty == whole.report.empty
    assert report.notes == table.notes


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (BAD_BYTE, "byte 384 is 0xFF, in line 52"),
        (
            CITIES.encode() + b"x,1\n" * 100_000 + b"K\xf6ln,2\n",
            "byte 400,384 is 0xF6, in line 100,052",
        ),
        (CITIES.encode("utf-16")[:-1], "not valid UTF-16: byte 715"),
        (
            CITIES.encode() + b"x,1,2\n",
            "row 52 of the file .'x,1,2'. has 3 fields instead of 2, and 1 of 51 rows",
        ),
        (CITIES.encode() + b"x\n" * 9, "row 52 .* has 1 field instead of 2, and 9 of 59 rows"),
        (b"%PDF-1.7\n", "a PDF document"),
    ],
)
def test_unreadable_files_are_not_streamed(tmp_path, content, says):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    schema = detect_schema(make_table({"city": ["Köln", "Bonn"], "n": ["1", "2"]}))
    with pytest.raises(DataError, match=says):
        list(stream_batches(path, schema))


def test_counting_is_bounded_and_loses_no_row(monkeypatch):
    monkeypatch.setattr(counting, "PENDING", 100)
    monkeypatch.setattr(counting, "MAX_TEXTS", 300)
    words, numbers = counting.ColumnCounter("w"), counting.ColumnCounter("n")
    for start in range(0, 5000, 50):
        words.add(make_table({"w": [f"w{i % 1000}" for i in range(start, start + 50)]}))
        numbers.add(make_table({"n": [f"{i / 8}" for i in range(start, start + 50)]}))
    for counter in (words, numbers):
        found = counter.to_counts()
        assert len(found.texts) == 300 and found.counts.sum() + found.unlisted == 5000
        column = detect_from_counts([found], ReadOptions()).columns[0]
        listed = sum(column.counts) + column.other_count
        assert column.numbers_count + listed + column.n_missing == 5000
