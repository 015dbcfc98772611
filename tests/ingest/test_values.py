"""Small tables with known codes, bins, merges and names."""

import numpy as np
import pytest

from calm_core.ingest.binning import merge_schema
from calm_core.ingest.detect import detect_as, detect_schema
from calm_core.ingest.editing import bin_numbers
from calm_core.ingest.encode import encode_table
from calm_core.ingest.readers.encoding import detect_encoding
from calm_core.ingest.readers.sniff import detect_layout
from calm_core.ingest.reading import read_table
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import ReadOptions, make_table


def codes_of(table, column):
    return encode_table(table, schema=Schema((column,))).dataset.codes[:, 0].tolist()


AGES = ("17", "18", "18.5", "30", "31")
BELOW = ("up to 18", "above 18 to 30", "above 30")
DAYS = ("2024-01-30", "2024-01-31", "2024-02-01")


@pytest.mark.parametrize(
    ("table", "kind", "edges", "labels", "codes"),
    [
        (make_table({"x": AGES}), "number", (18, 30), BELOW, [0, 0, 1, 1, 2]),
        (make_table({"x": [*AGES, None]}), "number", (18, 30), (*BELOW, "missing"), [0, 0, 1, 1, 2, 3]),
        (
            make_table({"x": DAYS}), "date", (19753,), ("up to 2024-01-31", "above 2024-01-31"),
            [0, 0, 1],
        ),
    ],
    ids=["texts", "numbers", "dates"],
)  # fmt: skip
def test_a_value_equal_to_an_edge_belongs_to_the_bin_below(table, kind, edges, labels, codes):
    column = detect_as(table, "x", kind) if kind else detect_schema(table).columns[0]
    column = bin_numbers(column, "fixed", edges=edges)
    assert column.labels == labels and codes_of(table, column) == codes


def test_merging_keeps_the_most_frequent_values():
    table = make_table({"city": ["a"] * 5 + ["b"] * 2 + ["c"] * 7 + ["d"] + [None] * 3})
    column = detect_schema(table).columns[0]
    assert column.labels == ("c", "a", "b", "d", "missing")
    merged = merge_schema(Schema((column,)), 3).columns[0]
    assert merged.labels == ("c", "a", "other")
    assert np.bincount(codes_of(table, merged)).tolist() == [7, 5, 6]


def test_many_values_are_merged_at_once_the_rare_ones_first():
    words = [f"w{i:03}" for i in range(300) for _ in range(i + 1)]
    column = detect_schema(make_table({"word": words})).columns[0]
    assert column.size == 64
    assert set(column.labels) == {f"w{i:03}" for i in range(237, 300)} | {"other"}
    assert column.label_counts()[column.other] == sum(i + 1 for i in range(237))


def test_quantile_bins_hold_equally_many_rows():
    table = make_table({"n": [str(i) for i in range(1, 101)]})
    column = detect_as(table, "n", "number")
    assert column.edges == (20, 40, 60, 80)
    assert np.bincount(codes_of(table, column)).tolist() == [20] * 5
    assert bin_numbers(column, "quantiles", bins=4).edges == (25, 50, 75)
    assert bin_numbers(column, "quantiles", bins=2).edges == (50,)


def test_quantile_bins_count_rows_and_not_values():
    values = [1] * 10 + [2] * 10 + list(range(3, 63)) + [70] * 20
    table = make_table({"n": list(map(str, values))})
    column = detect_schema(table).columns[0]
    assert column.edges == (2, 22, 42, 62)
    assert np.bincount(codes_of(table, column)).tolist() == [20] * 5


@pytest.mark.parametrize(
    ("lines", "names", "skip"),
    [
        ("sex,age;f,1;m,2;m,3", ("sex", "age"), 1),
        ("f,1;m,2;m,3;f,2", None, 0),
        ("sex,ill;f,yes;m,no;f,no", ("sex", "ill"), 1),
        ("f,yes;m,no;f,no;m,yes", None, 0),
        ("region,2019,2020;north,5,7;south,8,9;north,4,4", ("region", "2019", "2020"), 1),
        ("Report;;sex,age;f,1;m,2;m,3", ("sex", "age"), 3),
        ("Report,2024;sex,age,ill;f,1,0;m,2,1;m,3,1", ("sex", "age", "ill"), 2),
        (",person,,health,;id,sex,age,ill,smokes;1,f,3,0,1;2,m,4,0,1", None, None),
        ("a,,b,;1,x,2,y;2,y,1,x", ("a", "", "b", ""), 1),
        ("1,2;3,4;5,6", None, 0),
        ("0,1,2,3;0,1,1,0;1,1,0,0;0,0,0,1", ("0", "1", "2", "3"), 1),
        ("1,2,3,4;0,1,1,0;1,1,0,0;0,0,0,1", ("1", "2", "3", "4"), 1),
        ("0,1,1,3;0,1,1,0;1,1,0,0;0,0,0,1", None, 0),
    ],
)
def test_position_of_column_names(lines, names, skip):
    layout = detect_layout(lines.replace(";", "\n") + "\n", ReadOptions(separator=","))
    if skip is None:
        names, skip = ("id", "sex", "age", "ill", "smokes"), 2
    assert (layout.names, layout.skip) == (names, skip)


def test_possible_names_below_a_title_have_a_note():
    layout = detect_layout("Report,2024\nsex,age\nf,1\nm,2\nm,3\n", ReadOptions(separator=","))
    assert layout.names == ("Report", "2024") and "header_row=1," in layout.notes("line")[0]
    layout = detect_layout("sex,age\nf,NA\nm,2\nm,3\nm,3\n", ReadOptions(separator=","))
    assert layout.names == ("sex", "age") and not layout.notes("line")


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("Köln,1\nBonn,2\n".encode(), "utf-8"),
        ("Köln,1\n".encode() * 9 + b"K\xf6ln,1\n", "utf-8"),
        ("Köln,1\n".encode() + b"K\xf6ln,1\n" * 9, "cp1252"),
        (b"Bonn,1\nBo\xffnn,2\n", "utf-8"),
        (b"Bonn,1\nK\xf6ln,2\n", "cp1252"),
        ("Москва,1\n".encode() * 3 + b"\xff,1\n", "utf-8"),
        ("東京,1\n大阪の病院,2\n".encode() * 3 + b"\x81,1\n", "utf-8"),
        ("Москва,1\nКазань,2\nСамара,1\n".encode("cp1251") * 9, "cp1251"),
        ("Köln,1\n".encode("utf-16"), "utf-16"),
        ("Köln,1\nBonn,2\n".encode("utf-16-le"), "utf-16-le"),
    ],
)
def test_encodings_are_detected(content, encoding):
    assert detect_encoding(memoryview(content)) == encoding
    far = b"x,1\n" * 1_000_000 + content
    if encoding in ("utf-8", "cp1252"):
        assert detect_encoding(memoryview(far)) == encoding


@pytest.mark.parametrize(
    "encoding", ["cp1250", "cp1252", "latin-1", "cp1251", "gb18030", "big5", "shift_jis"]
)
def test_other_encodings_are_never_taken_for_damaged_utf8(encoding):
    words = {
        "cp1250": "Łódź Kraków Gdańsk PÓŁNOC PÓŁKA POŁUDNIE ŻÓŁTY Ústí Plzeň",
        "cp1251": "Москва Казань Самара город улица дом",
        "gb18030": "北京 上海 广州 深圳 学校 医院 银行 图书馆",
        "shift_jis": "東京 大阪 京都 学校の病院 テキスト",
        "big5": "臺北 高雄 學校 醫院 銀行 圖書館",
    }.get(encoding, "Köln München Düsseldorf Zürich Besançon São Málaga Århus")
    for first in range(len(words.split())):
        lines = "".join(f"{word},1\n" for word in words.split()[first:])
        assert detect_encoding(memoryview(lines.encode(encoding))) != "utf-8"


def test_most_frequent_items_are_kept():
    content = b"9 9 9 9\n1 2\n1 2 3\n1 3\n4\n"
    table = read_table(content, name="t.dat", options=ReadOptions(items=3), isolate=False)
    # Item 9 is named four times, in one basket.
    assert table.names == ("1", "2", "3")
    assert table.texts("1").to_pylist() == ["0", "1", "1", "1", "0"]
    assert "5 different items: the 3 most frequent are kept" in " ".join(table.notes)
