"""Raw public tables: each column is decided as a careful person would."""

import tomllib
from pathlib import Path

import pandas as pd
import pytest

from calm_core.ingest.detect import detect_schema
from calm_core.ingest.reading import read_table

pytestmark = pytest.mark.slow
TABLES = tomllib.loads((Path(__file__).parent / "data/public_tables.toml").read_text("utf-8"))


@pytest.fixture(scope="module", params=TABLES)
def public(request, shared_data):
    """One raw table: its name, the table read, and what was detected."""
    path = shared_data / request.param
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    table = read_table(path, isolate=False)
    return request.param, path, table, detect_schema(table)


def plain(path) -> pd.DataFrame:
    """The same table as pandas reads it, all of it text."""
    if path.suffix == ".parquet":
        return pd.read_parquet(path).astype(str)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_every_column_is_decided_as_a_careful_person_would(public):
    name, _, table, schema = public
    known = TABLES[name]
    listed = known.get("kinds", {"yes/no": " ".join(table.names)})
    kinds = {column: kind.split() for kind, columns in listed.items() for column in columns.split()}
    assert set(kinds) == set(table.names)
    wrong = [
        f"{column.name} is {column.kind}"
        for column in schema.columns
        if column.kind not in kinds[column.name] or not column.keep
    ]
    assert not wrong, wrong
    for column in schema.columns:
        assert not column.questions and not column.unit, column.name
        assert not column.missing_texts, column.name
        missing = {text for p in column.proposals if p.what == "missing" for text in p.texts}
        assert missing <= {known.get("may_be_missing", {}).get(column.name)}, column.name
        assert not [p for p in column.proposals if p.what == "merge"], column.name
        if order := known.get("orders", {}).get(column.name):
            assert list(column.labels) in (order, order[::-1])


def test_every_value_is_counted_as_it_stands(public):
    _, path, table, schema = public
    cells = plain(path)
    assert len(cells) == table.n
    for column in schema.columns:
        counts = cells[column.name].value_counts()
        listed = {
            label: count
            for label, count in zip(column.labels, column.label_counts())
            if not column.is_number
        }
        assert all(counts[label] == count for label, count in listed.items() if label != "other")
        assert sum(listed.values()) + column.numbers_count == table.n, column.name
