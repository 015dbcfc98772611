"""Properties of the import for tables of any text."""

import csv
import io
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calm_core.ingest.binning import merge_schema, quantile_edges
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import encode_table
from calm_core.ingest.normalize_table import BLANKS
from calm_core.ingest.reading import read_table
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import ReadOptions, make_table

pytestmark = pytest.mark.slow
# Of tables, each with up to four columns: what breaks for one kind of cell breaks within twenty of them.
few = settings(max_examples=40)
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)
CELLS = st.one_of(
    st.none(),
    st.sampled_from(["yes", "no", "NA", "0", "1", "007", "1.5", "1,5", "2024-02-30", "?"]),
    st.integers(-50, 50).map(str),
    st.floats(allow_nan=True).map(str),
    st.integers(10**17, 10**22).map(str),
    WORDS,
)


@st.composite
def tables(draw, min_rows=1):
    """Columns of equal length, each of one flavor of cells or of a mixture."""
    rows = draw(st.integers(min_rows, 30))
    columns = {}
    for name in draw(st.lists(WORDS.filter(str.strip), min_size=1, max_size=4, unique=True)):
        cells = draw(st.sampled_from([CELLS, st.integers(0, 99).map(str), WORDS, st.none()]))
        columns[name] = draw(st.lists(cells, min_size=rows, max_size=rows))
    return columns


def keep_all(schema: Schema) -> Schema:
    """Use even the columns that detection leaves out."""
    return schema.choose(schema.names)


@few
@given(tables())
def test_missing_and_values_never_share_a_code_unless_merged(columns):
    table = make_table(columns)
    schema = detect_schema(table)
    if not schema.used_columns:
        return
    encoded = encode_table(table, schema=schema)
    for j, column in enumerate(schema.used_columns):
        empty = np.array([cell in (None, *column.missing_texts) for cell in columns[column.name]])
        coded_missing = encoded.dataset.codes[:, j] == column.missing_code
        assert (coded_missing == empty).all() if empty.any() else column.missing_code is None


@few
@given(tables(), st.integers(2, 6))
def test_merging_keeps_the_rows_and_the_promise(columns, c):
    table = make_table(columns)
    schema = merge_schema(keep_all(detect_schema(table)), c)
    for column in schema.columns:
        assert column.size <= c
    encoded = encode_table(table, schema=schema)
    assert encoded.report.rows_used == table.n
    for column in schema.columns:
        if not column.is_number:
            counts = encoded.dataset.marginal((column.name,)).values * table.n
            np.testing.assert_allclose(counts, column.label_counts(), atol=1e-6)


@few
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(columns, random):
    order = list(range(len(next(iter(columns.values())))))
    random.shuffle(order)
    table = make_table(columns)
    shuffled = make_table({name: [cells[i] for i in order] for name, cells in columns.items()})
    schema = detect_schema(table)
    assert detect_schema(shuffled) == schema
    if schema.used_columns:
        codes = encode_table(table, schema=schema).dataset.codes
        np.testing.assert_array_equal(
            encode_table(shuffled, schema=schema).dataset.codes, codes[order]
        )


@few
@given(tables(), st.integers(2, 6))
def test_schema_survives_json(columns, c):
    detected = detect_schema(make_table(columns))
    for schema in (detected, merge_schema(detected, c)):
        again = Schema.from_json(schema.to_json())
        assert again.columns == schema.columns and again.digest == schema.digest


@settings(max_examples=60)
@given(tables(min_rows=2), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.booleans())
def test_text_of_a_csv_file_survives(columns, encoding, normalize):
    names = list(columns)
    rows = [[cell or "" for cell in row] for row in zip(*columns.values())]
    sink = io.StringIO(newline="")
    csv.writer(sink, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    options = ReadOptions(separator=",", header=True, header_row=0, normalize=normalize)
    content = sink.getvalue().encode(encoding)
    table = read_table(content, name="t.csv", options=options, isolate=False)
    assert table.rows_read == table.n == len(rows)
    for at, name in enumerate(table.names):
        cells = [row[at] for row in rows]
        if normalize:
            cells = [unicodedata.normalize("NFC", cell.strip(BLANKS)) for cell in cells]
        assert table.texts(name).to_pylist() == [cell or None for cell in cells]


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=60), st.integers(2, 6))
def test_quantile_bins_against_a_plain_definition(values, bins):
    """Each edge is a value of the data, and about as many rows lie below as asked for."""
    sketch = np.quantile(values, np.linspace(0, 1, 121), method="inverted_cdf")
    edges = quantile_edges(sketch, bins)
    assert len(edges) <= bins - 1 and set(edges) <= set(map(float, values))
    assert (len(edges) >= 1) == (len(set(values)) > 1)
    if len(set(values)) == len(values) >= 24:
        shares = np.histogram(values, [-np.inf, *(e + 0.5 for e in edges), np.inf])[0]
        assert abs(shares / len(values) - 1 / bins).max() <= 2 / len(values) + 1 / 60


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not valid"),
        ("[]", "must be JSON with format"),
        ('{"format": "calm-lab schema 1"}', "not valid"),
        ('{"format": "calm-lab schema 1", "columns": [{"name": "a", "kind": "x"}]}', "kind"),
        ('{"format": "calm-lab schema 1", "columns": [{"nome": "a"}]}', "not valid"),
        (
            '{"format": "calm-lab schema 1", "columns": [{"name": "a", "kind": "category", '
            '"labels": ["x"], "values": ["x"], "counts": [1], "groups": [1]}]}',
            "code must be from 0 to 0",
        ),
        ("[" * 100_000, "not valid"),
    ],
)
def test_bad_schema_file_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        Schema.from_json(text)
