"""Account of rows: each row of a file is read or left out, and counted, unless it is blank, a title or the names.

Files are written here from known rows, so that the account is compared with what was written.
"""

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calm_core.errors import DataError, UserError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import encode_table
from calm_core.ingest.reading import read_table
from calm_core.ingest.table import ReadOptions

pytestmark = pytest.mark.slow
CELLS = st.sampled_from(
    ["1", "22", "3.5", "x", "Köln", "", "NA", "two\nlines", 'say "it"', "a;b,c"]
)


def number_in_notes(notes, pattern: str) -> int:
    """The number that a note names; 0 where there is no such note."""
    found = re.search(pattern, "\n".join(notes))
    return int(found[1].replace(",", "")) if found else 0


def check(table, *, rows: int, left_out: int = 0, blank: int = 0) -> None:
    """The table's account, and the one of the data set made from it."""
    assert (table.n, sum(count for _, count in table.left_out)) == (rows, left_out)
    assert table.rows_read == rows + left_out
    assert number_in_notes(table.notes, r"([\d,]+) blank (?:line|row)s? (?:was|were)") == blank
    schema = detect_schema(table)
    encoded = encode_table(table, schema=schema.choose(schema.names))
    report = encoded.report
    assert (report.rows_in, report.rows_used) == (table.rows_read, encoded.dataset.n)
    assert encoded.dataset.n == rows
    assert report.sentence.startswith(f"{rows + left_out:,} rows read, {rows:,} used")
    empty = {
        # Empty cells, and what can be no number in a column of numbers, such as "NA".
        name: sum(cell is None or cell in schema.column(name).missing_texts for cell in cells)
        for name, cells in ((name, table.texts(name).to_pylist()) for name in table.names)
    }
    assert dict(report.empty) == {name: count for name, count in empty.items() if count}
    assert {c.name: c.n_missing for c in schema.columns} == empty


@st.composite
def texts(draw):
    """The records of a delimited file, and how many there are of each kind."""
    width = draw(st.integers(2, 4))
    names = [f"name {i}" for i in range(width)]
    rows = draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=12, max_size=40))
    records = [("row", row if any(row) else ["x"] * width) for row in rows]
    for kind, most in (("short", 2), ("long", 2), ("blank", 3)):
        for _ in range(draw(st.integers(0, most))):
            fields = {"short": ["x"] * (width - 1), "long": ["x"] * (width + 1), "blank": []}[kind]
            records.insert(draw(st.integers(0, len(records))), (kind, fields))
    return names, records


@settings(max_examples=60)
@given(
    made=texts(),
    separator=st.sampled_from([",", ";", "\t", "|"]),
    ends=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    titles=st.integers(0, 2),
    header=st.booleans(),
    ragged=st.sampled_from([None, "leave_out"]),
)
def test_text_files(made, separator, ends, encoding, titles, header, ragged):
    names, records = made
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, delimiter=separator, lineterminator=ends)
    for number in range(titles):
        writer.writerow([f"title {number}"])
    if header:
        writer.writerow(names)
    writer.writerows(fields for _, fields in records)
    kinds = [kind for kind, _ in records]
    short, long, rows = (kinds.count(kind) for kind in ("short", "long", "row"))
    options = ReadOptions(
        separator=separator, encoding=encoding, header=header, header_row=titles, ragged=ragged,
        header_rows=1 if header else None,
    )  # fmt: skip
    content = sink.getvalue().encode(encoding)
    if not header and (records[0][0] != "row" or short + long):
        return  # without names, what is too long is decided by the others
    refused = ragged is None and (long or short > 0.1 * (rows + short))
    try:
        table = read_table(content, name="t.csv", options=options, isolate=False)
    except UserError as error:
        assert refused, error
        where = re.search(r"row ([\d,]+) of the file .* has (\d+) field", str(error))
        filled = [names] * (titles + header) + [fields for _, fields in records if fields]
        assert len(filled[int(where[1]) - 1]) == int(where[2]) != len(names)
        return
    assert not refused
    check(table, rows=rows, left_out=short + long)
    found = {"too few fields": short, "too many fields": long}
    assert dict(table.left_out) == {reason: count for reason, count in found.items() if count}
    # What it was read as reads it in the same way.
    again = read_table(content, name="t.csv", options=table.dialect, isolate=False)
    assert again.data.equals(table.data) and again.left_out == table.left_out


@pytest.mark.parametrize(
    ("columns", "start"),
    [
        (1, "the only column cannot be used ('c0': every row holds 'same'). Add"),
        (
            300,
            "none of the 300 columns can be used ('c0' and 299 more: every row holds 'same'). Add",
        ),
    ],
)
def test_a_file_without_a_usable_column_is_refused_with_a_count_and_what_to_do(columns, start):
    lines = [",".join(f"c{i}" for i in range(columns)), *[",".join(["same"] * columns)] * 30]
    table = read_table("\n".join(lines).encode(), name="t.csv", isolate=False)
    with pytest.raises(DataError) as refused:
        encode_table(table)
    sentence = str(refused.value)
    assert sentence.startswith(f"{start} at least two whose values differ and repeat")
    assert ";" not in sentence.partition("Text encoding")[0]
