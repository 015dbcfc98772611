"""What a person says about a messy column: answers, proposals taken, other kinds, saved, streamed."""

import numpy as np
import pytest

from calm_core.errors import InputError
from calm_core.ingest import (
    Schema,
    accept,
    answer,
    detect_as,
    detect_schema,
    findings,
    read_table,
    stream_schema,
)
from tests.ingest.messy.adapter import AS_WRITTEN, csv_of, decide, read_values
from tests.ingest.messy.column import Messy
from tests.ingest.messy.judge import is_read, same, true_values, unaccounted, wrong_codes
from tests.ingest.messy.open_columns import OPEN

ASKED = [column for column in OPEN if column.ask == "yes"]
OFFERED = [column for column in OPEN if column.merges or column.proposed or column.told]
MEASURES = [column for column in OPEN if column.numbers or column.dates]


def named(columns):
    return pytest.mark.parametrize("column", columns, ids=lambda column: column.case)


def content_of(column: Messy) -> bytes:
    return csv_of({column.header: column.cells, "row": [str(i) for i in range(len(column.cells))]})


def table_of(column: Messy):
    return read_table(content_of(column), name="messy.csv", options=AS_WRITTEN, isolate=False)


@named(ASKED)
def test_each_reading_of_an_ambiguous_column_can_be_chosen(column):
    table = table_of(column)
    schema = detect_schema(table)
    (question,) = schema.column(column.header).questions
    assert len(question.choices) >= 2 and question.taken in question.choices and question.sentence
    truth = [true_values(column), true_values(column, "other")]
    met = set()
    for choice in question.choices:
        told = answer(schema, column.header, question, choice)
        decided = decide(table, told, column.header)
        assert not decided.column.questions, "what was answered is asked no more"
        assert not unaccounted(decided) + wrong_codes(decided)
        if decided.values is not None:
            met |= {i for i, reading in enumerate(truth) if same(decided.values, reading).all()}
    assert met == {0, 1}


@named(OFFERED)
def test_what_is_proposed_can_be_taken_one_by_one_and_every_row_is_accounted_for(column):
    table = table_of(column)
    schema = detect_schema(table)
    for _ in range(20):
        proposals = [
            p for p in schema.column(column.header).proposals if p.what in ("missing", "merge")
        ]
        if not proposals:
            break
        proposal = proposals[0]
        before = decide(table, schema, column.header)
        counted = sum(text in proposal.texts for text in before.texts)
        assert proposal.sentence
        schema = accept(schema, column.header, proposal)
        decided = decide(table, schema, column.header)
        assert not unaccounted(decided) + wrong_codes(decided)
        if proposal.what == "missing":
            assert proposal.count == counted
            assert set(proposal.texts) <= decided.taken_missing
            assert decided.column.n_missing == before.column.n_missing + counted
        else:
            codes = {
                code for text, code in zip(decided.texts, decided.codes) if text in proposal.texts
            }
            assert len(codes) == 1
    else:
        pytest.fail("taking proposals has no end")


@named([column for column in OPEN if column.merges])
def test_once_all_is_taken_the_values_are_those_that_a_person_would_count(column):
    table = table_of(column)
    schema = detect_schema(table)
    while proposals := [
        p for p in schema.column(column.header).proposals if p.what in ("missing", "merge")
    ]:
        schema = accept(schema, column.header, proposals[0])
    texts = {text.strip() for text in column.cells} - {""}
    missing = column.told | column.proposed | column.sure
    apart = len(texts - missing) - sum(len(merge) - 1 for merge in column.merges)
    labels = [label for label in schema.column(column.header).labels if label != "missing"]
    assert len(labels) == apart


@named(MEASURES)
def test_numbers_and_dates_forced_into_categories_and_back_are_the_same(column):
    table = table_of(column)
    found = detect_schema(table).column(column.header)
    if found.kind not in ("number", "date"):
        pytest.skip(f"decided as {found.kind}")
    texts = table.texts(column.header).to_pylist()
    assert detect_as(table, column.header, "category").kind == "category"
    again = detect_as(table, column.header, found.kind)
    one, other = read_values(texts, found), read_values(texts, again)
    np.testing.assert_array_equal(is_read(one), is_read(other))
    np.testing.assert_array_equal(one[is_read(one)], other[is_read(other)])


def test_forcing_a_kind_that_nothing_fits_is_refused_in_a_sentence():
    column = next(column for column in OPEN if column.case == "free text")
    for kind in ("number", "date"):
        with pytest.raises(InputError, match=column.header):
            detect_as(table_of(column), column.header, kind)


@named(OPEN)
def test_decisions_are_told_saved_and_the_same_for_a_streamed_file(column, tmp_path):
    table = table_of(column)
    schema = detect_schema(table)
    assert Schema.from_json(schema.to_json()).columns == schema.columns
    assert findings(schema)
    path = tmp_path / "messy.csv"
    path.write_bytes(content_of(column))
    streamed = stream_schema(path, options=AS_WRITTEN, rows=16)
    assert streamed.column(column.header) == schema.column(column.header)
