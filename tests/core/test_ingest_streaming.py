"""Streaming gives what the whole file gives."""

import gzip

import numpy as np
import pandas as pd
import pytest

from calm_core.errors import DataError
from calm_core.ingest import (
    Report,
    apply_schema,
    detect_schema,
    read_table,
    stream_batches,
    stream_schema,
)


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
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    else:
        path.write_bytes(frame.to_csv(index=False).encode("utf-16"))
    return path


@pytest.mark.parametrize("name", ["t.parquet", "t.csv.gz", "t.csv"])
def test_chunks_add_up_to_the_whole(frame, tmp_path, name):
    path = _write(frame, tmp_path / name)
    table = read_table(path, isolate=False)
    schema = detect_schema(table)
    whole = apply_schema(table, schema)
    chunks = list(stream_batches(path, schema, rows=700))
    codes = np.concatenate([chunk.dataset.codes for chunk in chunks])
    np.testing.assert_array_equal(codes, whole.dataset.codes)
    assert all(chunk.dataset.domain == whole.dataset.domain for chunk in chunks)
    if name.endswith("parquet"):
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
    with pytest.raises(DataError, match="no row of the file can be used"):
        list(stream_batches(_write(frame[10:30], tmp_path / "u.parquet"), schema))


def test_schema_of_the_first_chunk(frame, tmp_path):
    path = _write(frame, tmp_path / "t.parquet")
    assert stream_schema(path, rows=10_000) == detect_schema(read_table(path, isolate=False))


def test_reports_refuse_rows_that_do_not_add_up():
    with pytest.raises(AssertionError):
        Report(10, 8, (("x", 1),))
