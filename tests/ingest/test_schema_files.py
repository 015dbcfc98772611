"""Damaged schema files are refused in a sentence, never with a traceback."""

import copy
import json
from dataclasses import fields
from itertools import product

import pytest

from calm_core.errors import DataError, UserError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import encode_table
from calm_core.ingest.reading import read_table
from calm_core.ingest.schema import ColumnSchema, Schema

TABLE = read_table(
    b"sex,age,vote,day\n"
    + b"".join(b"%c,%d,%s,2020-01-%02d\n" % (b"fm"[i % 2], i % 37, [b"yes", b"no", b""][i % 3], i % 28 + 1)
               for i in range(200)),
    name="people.csv",
    isolate=False,
)  # fmt: skip
JUNK = (
    None, 0, -1, 1.5, 10**30, 1e308, float("nan"), True, "", "x", "\ud800", [], ["a"], [1], [0.5, 0.1],
    [None], [[1]], [{}], ["\ud800"], {},
)  # fmt: skip


@pytest.mark.parametrize("field", [item.name for item in fields(ColumnSchema)])
def test_a_damaged_schema_file_is_refused_or_works(field):
    saved = json.loads(detect_schema(TABLE).to_json())
    for number, junk in product((1, 2), JUNK):
        damaged = copy.deepcopy(saved)
        damaged["columns"][number][field] = junk
        try:
            schema = Schema.from_json(json.dumps(damaged))
            encoded = encode_table(TABLE, schema=schema)
            encode_table(TABLE, schema=schema, max_values=2)
        except UserError:
            continue
        assert encoded.report.rows_in == 200 and hash(encoded.schema)
        assert Schema.from_json(schema.to_json()) == schema


def test_the_damaged_field_of_a_schema_file_is_named():
    saved = json.loads(detect_schema(TABLE).to_json())
    saved["columns"][2]["missing_texts"] = True
    with pytest.raises(DataError, match="missing_texts of column 'vote' must be a list of text"):
        Schema.from_json(json.dumps(saved))
