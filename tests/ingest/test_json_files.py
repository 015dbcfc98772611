"""JSON: lines, arrays, objects that hold an array; nested objects, lists, and what is refused."""

import gzip
import json

import numpy as np
import pytest

from calm_core.errors import DataError, InputError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import encode_table
from calm_core.ingest.readers import json_files
from calm_core.ingest.reading import read_table
from calm_core.ingest.streaming import stream_batches, stream_schema
from calm_core.ingest.table import ReadOptions

PEOPLE = [
    {"sex": "f", "age": 37, "way": ["Bus", "Car"], "agree": {"cheap": "no", "deep": {"er": 1.0}}},
    {"age": 8.50, "way": [], "again": True},
    {"sex": "m", "age": None, "way": ["On foot, always"], "agree": {}, "again": False},
]
COLUMNS = {
    "sex": ["f", None, "m"],
    "age": ["37", "8.5", None],
    "way": ["Bus; Car", "[]", "On foot, always"],
    "agree.cheap": ["no", None, None],
    "agree.deep.er": ["1", None, None],
    "again": [None, "yes", "no"],
}


def _read(content: str | bytes, name: str = "t.json", **options):
    content = content.encode() if isinstance(content, str) else content
    return read_table(content, name=name, options=ReadOptions(**options), isolate=False)


def _lines(people) -> str:
    return "\n".join(map(json.dumps, people))


def _columns(table) -> dict:
    return {name: table.texts(name).to_pylist() for name in table.names}


@pytest.mark.parametrize(
    "content, made",
    [
        (_lines(PEOPLE), "one object in each line"),
        ("\n" + "\n\n".join(map(json.dumps, PEOPLE)) + "\n", "one object in each line"),
        (json.dumps(PEOPLE), "a list of objects"),
        (json.dumps(PEOPLE, indent=2), "a list of objects"),
        (json.dumps({"n": 3, "all": {"people": PEOPLE, "x": []}}), "the objects of 'all.people'"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_shape_gives_the_same_table(content, made, encoding, monkeypatch):
    table = _read(content.encode(encoding), "t.txt")
    assert _columns(table) == COLUMNS
    assert made in table.notes[0]
    assert "Lists are read as one text with ';' between the parts: 'way'." in table.notes
    left_out = "Other parts of the file were left out: 'n', 'all.x'." in table.notes
    assert left_out == ("all" in made)
    # Blocks may end anywhere, in a letter too.
    monkeypatch.setattr(json_files, "BLOCK", 3)
    monkeypatch.setattr(json_files, "CHUNK_ROWS", 2)
    assert _columns(_read(content.encode(encoding))) == COLUMNS


def test_new_names_in_later_parts_are_streamed(tmp_path, monkeypatch):
    people = [{"a": i % 3} | ({"late": [f"{i % 2}"]} if i > 900 else {}) for i in range(1000)]
    people[10]["late"] = ["y", "z"]
    path = tmp_path / "t.jsonl.gz"
    path.write_bytes(gzip.compress(_lines(people).encode()))
    monkeypatch.setattr(json_files, "CHUNK_ROWS", 100)
    whole = read_table(path, isolate=False)
    assert whole.texts("late")[10].as_py() == "y; z"
    schema = stream_schema(path, rows=64)
    assert schema == detect_schema(whole)
    chunks = list(stream_batches(path, schema, rows=64))
    codes = np.concatenate([chunk.dataset.codes for chunk in chunks])
    np.testing.assert_array_equal(codes, encode_table(whole, schema=schema).dataset.codes)


@pytest.mark.parametrize(
    "cell, text", [(["a", "b"], "a; b"), ([True, None, 2.0, ""], "yes; 2"), ([None], "[]")]
)
def test_parts_of_lists_are_one_text(cell, text):
    table = _read(json.dumps([{"x": cell}, {"x": ["c"]}]))
    assert table.texts("x").to_pylist() == [text, "c"]


def test_numbers_are_as_written_and_nan_is_missing():
    cells = "1, 1.0, 1e3, 0.10, 12345678901234567890123, 1e400, NaN, -0.0".split(", ")
    table = _read("[" + ", ".join(f'{{"x": {cell}}}' for cell in cells) + "]")
    assert table.texts("x").to_pylist() == [
        "1", "1", "1000", "0.1", "12345678901234567890123", "1e400", None, "0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content, names",
    [
        ("[id],name\n1,x\n2,y\n", ("[id]", "name")),
        ('{"a": 1},{"b": 2}\n1,2\n3,4\n', ('{"a": 1}', '{"b": 2}')),
        ('{"a": 1}\t{"b": 2}\n1\t2\n3\t4\n', ('{"a": 1}', '{"b": 2}')),
        ("{id};name\n1;x\n2;y\n", ("{id}", "name")),
        ("[1];[2]\n1;2\n3;4\n", ("[1]", "[2]")),
        ('"{""ImportId"":""Q1""}",b\n1,2\n3,4\n', ('{"ImportId":"Q1"}', "b")),
    ],
)
def test_tables_that_begin_with_a_bracket_stay_tables(content, names):
    assert _read(content, "t.csv").names == names


def test_options_for_tables_are_refused():
    with pytest.raises(InputError, match="separator=;. is not for JSON files"):
        _read("[]", separator=";")
    latin = _read(json.dumps([{"a": "ä"}, {"a": "é"}], ensure_ascii=False).encode("cp1252"))
    assert latin.texts("a").to_pylist() == ["ä", "é"]


@pytest.mark.parametrize("block", [7, 1 << 20])
def test_an_error_names_its_line_however_the_file_is_read(block, monkeypatch):
    monkeypatch.setattr(json_files, "BLOCK", block)
    lines = [json.dumps({"a": i}) for i in range(500)]
    for wrong in ("{'a': 1}", '{"a": [{"b": 1}]}'):
        with pytest.raises(DataError, match="line 401 "):
            _read("\n".join([*lines[:400], wrong, *lines]))
