"""Streaming gives what the whole file gives."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.cli import app
from calm_core.errors import DataError, InputError
from calm_core.ingest import (
    Report,
    apply_schema,
    detect_schema,
    load_dataset,
    read_table,
    stream_batches,
    stream_schema,
)
from calm_core.streamed import run_streamed


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


def test_streamed_release_is_the_release_in_memory(frame, tmp_path):
    path = _write(frame, tmp_path / "t.parquet")
    encoded = load_dataset(path)
    method = cc.make_method("calm", epsilon=2.0, k=2)
    whole = cc.run(encoded.dataset, method, seed=3, queries=5)
    once = run_streamed(path, method, schema=encoded.schema, seed=3, queries=5)
    # One chunk: the same code on the same random stream.
    assert once.scores.equals(whole.scores) and once.n == whole.n == 5000
    for rows in (7, 900):  # below the number of views, and above
        parts = run_streamed(path, method, schema=encoded.schema, seed=3, queries=5, rows=rows)
        assert parts.answer.reports.n == parts.report.rows_used == 5000
        # The truth is the same whatever the chunks; the noise is drawn anew but as large.
        assert parts.scores.uniform_sse.tolist() == whole.scores.uniform_sse.tolist()
        assert parts.scores.sse.mean() < 0.5 * whole.scores.uniform_sse.mean()


def test_streamed_release_on_the_command_line(frame, tmp_path, capsys):
    path = _write(frame, tmp_path / "t.parquet")
    (tmp_path / "schema.json").write_text(load_dataset(path).schema.to_json())
    shared = ["release", str(path), "--k", "2", "--queries", "3", "--json"]
    found = []
    for more in ([], ["--stream"], ["--stream", "--schema", str(tmp_path / "schema.json")]):
        app([*shared, *more], standalone_mode=False)
        printed = capsys.readouterr()
        assert "5,000 rows read, 5,000 used." in printed.err
        found.append(json.loads(printed.out)["sse_mean"])
    assert found[0] == found[1] == found[2]


def test_what_cannot_be_streamed_is_said(frame, tmp_path):
    path = str(_write(frame, tmp_path / "t.parquet"))
    with pytest.raises(DataError, match="cannot be opened"):
        app(["release", path + ".old", "--stream"], standalone_mode=False)
    for method in ("calm_plus", "calm_binary", "uni"):
        with pytest.raises(InputError, match="must be calm"):
            app(["release", path, "--stream", "--method", method], standalone_mode=False)


def test_how_to_read_is_said_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "pairs.csv"
    lines = [f"u{i},{item}" for i in range(600) for item in ("tea", "milk", "rice")[: 1 + i % 3]]
    path.write_text("\n".join(lines))
    call = ["release", str(path), "--k", "2", "--json"]
    app([*call, "--read", "shape=pairs", "--read", "header=no"], standalone_mode=False)
    printed = capsys.readouterr()
    assert json.loads(printed.out)["n"] == 600 and "600 users" in printed.err
    for wrong in ("shape=cube", "header=maybe", "colour=red", "items=few", "sheet"):
        with pytest.raises(InputError, match="must be"):
            app([*call, "--read", wrong], standalone_mode=False)
