"""Raw public tables: each column is decided as a careful person would."""

import numpy as np
import pandas as pd
import pytest

from calm_core.ingest import detect_schema, read_table
from tests.ingest.messy_columns import decide, find_account_errors, is_read

YES_NO = {"yes/no"}
MEASURE, SCALE, LISTED = {"number"}, {"ordered", "number"}, {"category"}
CODED = {"ordered", "category", "number"}
NSDUH_ITEMS = (
    "ever_cigarette ever_cigarette_daily ever_vape ever_alcohol ever_marijuana ever_cocaine ever_crack "
    "ever_heroin ever_hallucinogen ever_meth misuse_pain_reliever misuse_tranquilizer misuse_stimulant "
    "misuse_sedative"
).split()
TABLES = {
    "adult.csv.gz": {
        **dict.fromkeys(("age", "fnlwgt", "capital-gain", "capital-loss", "hours-per-week"), MEASURE),
        "education-num": SCALE,
        **dict.fromkeys(
            ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
             "native-country"), LISTED),
        "income": {"category", "ordered", "yes/no"},
    },
    "brfss2000.csv.gz": {
        **dict.fromkeys(("genhlth", "age", "bmi"), {"ordered"}),
        **dict.fromkeys(("exerany", "hlthplan", "smoke100"), YES_NO),
        "gender": LISTED, "wants_lose": {"category", "ordered"},
    },
    "nsduh2022.csv.gz": {
        **dict.fromkeys(NSDUH_ITEMS, YES_NO),
        "gender": {"category", "ordered", "yes/no"},
        **dict.fromkeys(("ageprc", "totinc", "ethnic", "educat", "popden", "rlginf"), CODED),
    },
    "nltcs.csv.gz": {str(i): YES_NO for i in range(16)},
    "acs_binary.csv.gz": {str(i): YES_NO for i in range(23)},
    "msnbc.parquet": None,
}  # fmt: skip
# A person would think twice about hours of 99 and gains of 99,999 (both stand for "or more").
MAY_BE_MISSING = {
    ("adult.csv.gz", "capital-gain"): {"99999"},
    ("adult.csv.gz", "hours-per-week"): {"99"},
}
ORDERS = {
    ("brfss2000.csv.gz", "genhlth"): ["poor", "fair", "good", "very good", "excellent"],
    ("brfss2000.csv.gz", "bmi"): ["[0.0, 18.5)", "[18.5, 25.0)", "[25.0, 30.0)", "[30.0, 35.0)",
                                  "[35.0, 1000.0)"],
    ("brfss2000.csv.gz", "age"): ["[0, 25)", "[25, 35)", "[35, 45)", "[45, 55)", "[55, 65)", "[65, 75)",
                                  "[75, 200)"],
}  # fmt: skip


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
    kinds = TABLES[name] or dict.fromkeys(table.names, YES_NO)
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
        assert missing <= MAY_BE_MISSING.get((name, column.name), set()), column.name
        assert not [p for p in column.proposals if p.what == "merge"], column.name
        if order := ORDERS.get((name, column.name)):
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


def test_every_number_is_read_as_it_stands(public):
    _, path, table, schema = public
    measures = [column.name for column in schema.columns if column.kind == "number"]
    cells = plain(path) if measures else None
    for name in measures:
        decided = decide(table, schema, name)
        assert not find_account_errors(decided), name
        assert is_read(decided.values).all(), name
        np.testing.assert_array_equal(decided.values, cells[name].astype(float))
