"""Edits of columns: each returns a schema that still accounts for every row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calm_core.errors import InputError
from calm_core.ingest.binning import merge_schema
from calm_core.ingest.detect import detect_as, detect_schema
from calm_core.ingest.editing import (
    bin_numbers,
    group_values,
    keep_as_values,
    mark_missing,
    read_edges,
    set_missing_rule,
    write_edges,
)
from calm_core.ingest.encode import count_codes, encode_table
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.table import make_table

COLUMNS = {
    "city": ["Köln", "Bonn", "Köln", "NA", None, "Ulm"] * 6,
    "age": [str(a) for a in range(30)] + ["NA", "?", None, "7", "8", "9"],
    "day": [f"2024-01-{1 + i % 28:02}" for i in range(35)] + [None],
    "name": [f"n{i}" for i in range(36)],
}
TABLE = make_table(COLUMNS)
SCHEMA = detect_schema(TABLE)


def counts_of(column):
    """Label -> number of rows, by encoding the table."""
    encoded = encode_table(TABLE, schema=Schema((column,)))
    counts = encoded.dataset.marginal((column.name,)).values * encoded.dataset.n
    return dict(zip(column.labels, counts.round().astype(int).tolist())), encoded.report


def test_bins_as_typed():
    column = bin_numbers(SCHEMA.column("age"), "fixed", edges=(9, 19))
    counts, _ = counts_of(column)
    assert counts == {
        "up to 9": 13, "above 9 to 19": 10, "above 19": 10, "missing": 3,
    }  # fmt: skip
    kept, _ = counts_of(keep_as_values(Schema((column,)), "age").columns[0])
    assert kept == {
        "up to 9": 13, "above 9 to 19": 10, "above 19": 10, "NA": 1, "?": 1, "missing": 1,
    }  # fmt: skip


def test_bins_equally_wide():
    assert bin_numbers(SCHEMA.column("age"), "width", bins=2).edges == (14.5,)


def test_values_named_and_merged():
    column = SCHEMA.column("city")
    assert column.values == ("Köln", "Bonn", "NA", "Ulm")
    column = group_values(column, ["Rhine", "Rhine", "unknown", "Danube"])
    counts, _ = counts_of(column)
    assert counts == {"Rhine": 18, "unknown": 6, "Danube": 6, "missing": 6}
    joined = group_values(SCHEMA.column("city"), ["a", "a", "missing", "b"])
    assert counts_of(joined)[0] == {"a": 18, "missing": 12, "b": 6}


def test_values_in_the_order_wished():
    column = SCHEMA.column("city")
    column = group_values(column, list(column.values), order=["Ulm", "NA", "Rom"])
    assert column.labels == ("Ulm", "NA", "Köln", "Bonn", "missing")
    assert counts_of(column)[0]["Köln"] == 12
    assert count_codes(TABLE, column).tolist() == column.label_counts()


def test_edges_as_people_type_them():
    for name in ("age", "day"):
        column = SCHEMA.column(name)
        assert read_edges(column, write_edges(column)) == column.edges
    for name, text in (("age", "18, old"), ("day", "2024-02-30")):
        with pytest.raises(InputError, match="must be increasing"):
            read_edges(SCHEMA.column(name), text)


def test_words_that_mean_missing():
    column = mark_missing(SCHEMA.column("city"), ["NA"])
    assert counts_of(column)[0] == {"Köln": 12, "Bonn": 6, "Ulm": 6, "missing": 12}
    counts, report = counts_of(set_missing_rule(column, "rows"))
    assert counts == {"Köln": 12, "Bonn": 6, "Ulm": 6}
    assert dict(report.left_out) == {"an empty cell in column 'city'": 12}


def test_missing_rows_and_back():
    for name in COLUMNS:
        column = SCHEMA.column(name)
        assert set_missing_rule(set_missing_rule(column, "rows"), "value") == column


def test_kind_that_cannot_be_is_refused():
    for name, kind in (("city", "number"), ("age", "date"), ("city", "date"), ("day", "number")):
        with pytest.raises(InputError, match="cannot be read as a"):
            detect_as(TABLE, name, kind)
    with pytest.raises(InputError, match="must be one of"):
        detect_as(TABLE, name, "color")


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda: bin_numbers(SCHEMA.column("city"), "width"), "holds no numbers"),
        (lambda: bin_numbers(SCHEMA.column("age"), "fixed", edges=(3, 1)), "increasing"),
        (lambda: bin_numbers(SCHEMA.column("age"), "fixed", edges=()), "number of edges"),
        (lambda: bin_numbers(SCHEMA.column("age"), "width", bins=0), "bins"),
        (lambda: group_values(SCHEMA.column("age"), []), "choose bins"),
        (lambda: group_values(SCHEMA.column("city"), ["a"]), "one for each of 4"),
        (lambda: group_values(SCHEMA.column("city"), ["a", " ", "b", "c"]), "needs a label"),
        (lambda: mark_missing(SCHEMA.column("city"), ["Rom"]), "not a listed value"),
    ],
)
def test_edit_that_cannot_be_is_refused(edit, says):
    with pytest.raises(InputError, match=says):
        edit()


EDITS = st.one_of(
    st.tuples(st.just("missing"), st.sampled_from(["rows", "value"])),
    st.tuples(st.just("word"), st.integers(0, 9)),
    st.tuples(st.just("group"), st.lists(st.sampled_from("ab"), min_size=64, max_size=64)),
    st.tuples(st.just("merge"), st.integers(2, 5)),
    st.tuples(st.just("bins"), st.integers(1, 9)),
    st.tuples(st.just("kind"), st.sampled_from(["category", "ordered"])),
)


@pytest.mark.slow
@given(st.sampled_from(list(COLUMNS)), st.lists(EDITS, max_size=6))
def test_any_edits_in_any_order_account_for_every_row(name, edits):
    column = Schema((SCHEMA.column(name),)).choose([name]).columns[0]
    for what, how in edits:
        if what == "missing":
            column = set_missing_rule(column, how)
        elif what == "word" and len(column.values) > 1:
            column = mark_missing(column, [column.values[how % len(column.values)]])
        elif what == "group" and not column.is_number:
            column = group_values(column, how[: len(column.values)])
        elif what == "merge":
            column = merge_schema(Schema((column,)), how).columns[0]
        elif what == "bins" and column.is_number:
            column = bin_numbers(column, "quantiles", bins=how)
        elif what == "kind":
            column = detect_as(TABLE, name, how)
    assert Schema.from_json(Schema((column,)).to_json()).columns == (column,)
    counts, report = counts_of(column)
    left = report.rows_in - report.rows_used
    assert left == (column.n_missing if column.missing == "rows" else 0)
    if not column.is_number:
        assert list(counts.values()) == column.label_counts()


def test_a_column_without_bins_has_no_edges_to_write():
    assert write_edges(ColumnSchema("city", "category")) == ""
