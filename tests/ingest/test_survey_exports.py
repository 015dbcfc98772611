"""Exports of survey tools are read, once cleaned, as a careful person would read them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from calm_core.ingest import Schema, load_dataset, read_table
from calm_core.ingest.cleaning import clean_table
from calm_core.ingest.encode import EncodedData, encode_table
from calm_core.ingest.streaming import can_stream, stream_batches, stream_schema

# What the child does otherwise is tested in test_isolation.py.
pytestmark = pytest.mark.usefixtures("parse_in_process")
FILES = (
    "qualtrics.csv", "surveymonkey.csv", "google_forms.csv", "answers.jsonl", "answers.json", "survey.sav", "survey.dta",
    "counts.csv", "times.csv", "people.csv", "long.csv",
)  # fmt: skip
# Expected words about columns of numbers and dates, and what shows it.
GROUPED = {
    "number": "number", "date, by week or month": "date", "date": "date", "time of day": "date",
    "number of minutes": "number", "date, by decade": "date",
}  # fmt: skip


@pytest.fixture(scope="module")
def expectations(shared_data):
    return json.loads((shared_data / "exports" / "expect.json").read_text("utf-8"))


def find_differences(encoded: EncodedData, wanted: dict) -> list[str]:
    """What is other than expected: people, attributes, their values, titles."""
    found = {column.name: column for column in encoded.schema.used_columns}
    # A scale explained in brackets is part of the name in the file.
    found = {
        name if name in wanted["attributes"] else name.split(" (")[0]: c
        for name, c in found.items()
    }
    wrong = []
    if encoded.dataset.n != wanted["people"]:
        wrong.append(f"{encoded.dataset.n} people")
    if {*found} != {*wanted["attributes"]}:
        wrong.append(f"attributes {sorted({*found} ^ {*wanted['attributes']})}")
    for name, values in wanted["attributes"].items():
        column = found.get(name)
        if column is None:
            continue
        if isinstance(values, str):
            if column.kind != GROUPED[values]:
                wrong.append(f"{name}: {column.kind}")
        elif list(column.labels) != values:
            wrong.append(f"{name}: {column.labels}")
    for name, title in wanted.get("titles", {}).items():
        shown = encoded.schema.column(name).title or name
        if shown != title:
            wrong.append(f"title {shown!r} of {name}")
    return wrong


@pytest.mark.parametrize("file", FILES)
def test_a_cleaned_export_is_read_as_expected(shared_data, expectations, file):
    path = shared_data / "exports" / file
    table = read_table(path.read_bytes(), name=file)
    cleaned = Schema.from_json(clean_table(table).to_json())
    assert not find_differences(encode_table(table, schema=cleaned), expectations[file])
    again = load_dataset(path, schema=cleaned)
    assert not find_differences(again, expectations[file])


@pytest.mark.parametrize("file", FILES)
def test_the_next_wave_is_read_by_the_same_schema(shared_data, tmp_path, file):
    if not file.endswith((".csv", ".jsonl")) or file in ("counts.csv", "long.csv"):
        pytest.skip("cut by lines, which only these files can be")
    path = shared_data / "exports" / file
    schema = clean_table(read_table(path, isolate=False))
    lines = path.read_text("utf-8").splitlines(keepends=True)
    half = tmp_path / file
    half.write_text("".join(lines[:-100]), "utf-8")
    whole, wave = load_dataset(path, schema=schema), load_dataset(half, schema=schema)
    assert wave.dataset.domain == whole.dataset.domain
    assert wave.dataset.n == 140
    assert (wave.dataset.codes == whole.dataset.codes[:140]).all()


@pytest.mark.parametrize("file", FILES)
def test_a_stream_is_read_as_the_whole_file(shared_data, file):
    path = shared_data / "exports" / file
    if not can_stream(path) or file in ("counts.csv", "long.csv"):
        pytest.skip("needs all rows at once")
    streamed = stream_schema(path, rows=50, clean=True)
    whole = clean_table(read_table(path, isolate=False))
    assert streamed.steps == whole.steps
    assert streamed.used_columns == tuple(replace(column) for column in whole.used_columns)
    parts = list(stream_batches(path, streamed, rows=50))
    codes = np.concatenate([part.dataset.codes for part in parts])
    np.testing.assert_array_equal(codes, load_dataset(path, schema=whole).dataset.codes)
