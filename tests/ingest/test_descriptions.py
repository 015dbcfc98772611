"""What a file says about its columns: titles, order of values, level of measurement."""

import pyarrow as pa
import pytest

from calm_core.ingest.detect import detect_as, detect_schema
from calm_core.ingest.limits import load_table, write_table
from calm_core.ingest.normalize_table import Raw, normalize_table
from calm_core.ingest.table import ColumnDescription, ReadOptions, make_table


def _detect(cells, **said):
    table = make_table({"x": list(cells)}, descriptions={"x": ColumnDescription(**said)})
    return detect_schema(table).columns[0]


AGREE = ("Agree", "Neither", "Disagree")


@pytest.mark.parametrize(
    "cells, said, kind, labels",
    [
        # The file's order counts, for scales too whose words have another one.
        (("Agree", "Disagree", None) * 9, {"order": AGREE}, "category", ("Agree", "Disagree", "missing")),
        (AGREE * 9, {"order": AGREE[::-1]}, "ordered", AGREE[::-1]),
        (AGREE * 9, {"order": AGREE, "kind": "category"}, "category", AGREE),
        (("f", "m", "m") * 9, {"order": ("f", "m")}, "category", ("f", "m")),
        (("No", "Yes", "Yes") * 9, {"order": ("Yes", "No")}, "yes/no", ("Yes", "No")),
        # Labels of different people are values, and no identifiers.
        ([f"town {i}" for i in range(30)], {"order": [f"town {i}" for i in range(29, -1, -1)]},
         "category", tuple(f"town {i}" for i in range(29, -1, -1))),
        # Only the ends of a scale are named.
        (("never", "2", "10", "3", "always") * 9,
         {"order": ("always", "never"), "codes": (11, 1)}, "ordered", ("never", "2", "3", "10", "always")),
        # A word for missing names no value.
        (("1", "2", "Refused") * 9, {"order": ("Refused",), "codes": (-1,)}, "ordered", ("1", "2", "Refused")),
        (("1", "2", "3") * 9, {"kind": "category"}, "category", ("1", "2", "3")),
        (("10", "9", "30") * 9, {"kind": "ordered"}, "ordered", ("9", "10", "30")),
        (("0", "1") * 9, {"kind": "number"}, "yes/no", ("0", "1")),
        (("b", "a", "b") * 9, {"kind": "ordered"}, "category", ("b", "a")),
        (("5", "5", "5"), {"kind": "category"}, "constant", ("5",)),
    ],
)  # fmt: skip
def test_a_file_decides_order_and_level(cells, said, kind, labels):
    column = _detect(cells, **said)
    assert (column.kind, column.labels) == (kind, labels)


def test_a_number_with_few_values_is_put_into_bins_where_the_file_calls_it_one():
    cells = [str(1000 * (i % 7)) for i in range(70)]
    assert not _detect(cells).is_number
    assert _detect(cells, kind="number").is_number
    assert not _detect([str(i % 7) for i in range(70)], kind="number").is_number, "steps of a scale"
    many = [str(i % 90) for i in range(900)]
    assert _detect(many, kind="category").is_number, "too many to be listed"
    assert not _detect([str(i % 40) for i in range(900)], kind="ordered").is_number
    assert _detect([str(i) for i in range(90)], kind="number").kind == "id-like"


def test_another_kind_keeps_the_order():
    said = ColumnDescription(order=("z", "a"))
    table = make_table({"x": ["a", "a", "z"]}, descriptions={"x": said})
    for kind in ("category", "ordered"):
        assert detect_as(table, "x", kind).labels == ("z", "a")


def test_titles_are_distinct_and_say_more_than_the_name():
    titles = {"a": "Agree?", "b": "Agree?", "c": " In\ntwo  lines ", "d": "d", "e": "a", "f": ""}
    raw = Raw(
        list(titles),
        [pa.array(["1", "2"])] * len(titles),
        ReadOptions(),
        descriptions=[ColumnDescription(title) for title in titles.values()],
    )
    schema = detect_schema(normalize_table(raw))
    shown = ["Agree? (a)", "Agree? (b)", "In two lines", "", "a", ""]
    assert [column.title for column in schema.columns] == shown
    names = {"a": "b", "b": ""}
    said = {name: ColumnDescription(title) for name, title in names.items()}
    twins = detect_schema(make_table({"a": ["1", "2"], "b": ["1", "2"]}, descriptions=said))
    assert [column.title for column in twins.columns] == ["b (a)", ""]


def test_descriptions_follow_their_columns_and_pass_the_child(tmp_path):
    said = [ColumnDescription("Sex", (" m ", "f"), (1, 2.5), "category"), ColumnDescription()]
    columns = [pa.array(["m", "f"]), pa.array(["x", "y"])]
    raw = Raw(["sex", "sex"], columns, ReadOptions(), descriptions=said)
    table = normalize_table(raw)
    kept = {"sex": ColumnDescription("Sex", ("m", "f"), (1, 2.5), "category")}
    assert table.descriptions == kept
    write_table(table, tmp_path)
    assert load_table(tmp_path, "t").descriptions == kept
