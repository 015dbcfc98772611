"""Messy columns are decided as a careful person would, and every answer to a proposal or question works."""

from dataclasses import replace

import numpy as np
import pytest

from calm_core.ingest.counting import count_column
from calm_core.ingest.editing import accept_proposal, answer_question
from calm_core.ingest.findings import describe_columns
from calm_core.ingest.proposed_columns import PEOPLE, find_doubt
from calm_core.ingest.schema import Schema
from calm_core.ingest.streaming import stream_schema
from tests.ingest.messy_columns import (
    CSV_OPTIONS,
    Decision,
    MessyColumn,
    decide,
    decide_messy,
    find_account_errors,
    find_complaints,
    find_silent_errors,
    is_same,
    messy_columns,
    read_and_detect,
)

pytestmark = pytest.mark.slow
SAMPLE = messy_columns()[::8]


def test_every_case_has_its_own_name():
    cases = [column.case for column in messy_columns()]
    assert len(set(cases)) == len(cases) >= 600


def test_columns_are_decided_as_a_careful_person_would():
    wrong = []
    for column in messy_columns():
        decision = decide_messy(column)
        found, silent = find_complaints(decision, column), find_silent_errors(decision, column)
        if silent:
            wrong.append(f"{column.case}: SILENTLY WRONG: {'; '.join(silent)}")
        if bool(found) != bool(column.disputed):
            wrong.append(f"{column.case}: {'; '.join(found) or 'is disputed no more'}")
    assert not wrong, "\n".join(wrong)


def test_each_reading_of_an_ambiguous_column_can_be_chosen():
    wrong = []
    for column in messy_columns():
        if column.ask != "yes" or column.disputed:
            continue
        table, schema = read_and_detect(column)
        (question,) = schema.column(column.header).questions
        fits = set()
        for choice in question.choices:
            decision = decide(
                table,
                answer_question(count_column(table, column.header), schema, question, choice),
                column.header,
            )
            if decision.column.questions or find_account_errors(decision):
                wrong.append(f"{column.case}: {choice.text}: {find_account_errors(decision)}")
            if decision.values is not None:
                readings = (column.truth, column.alternative)
                fits |= {
                    i for i, truth in enumerate(readings) if is_same(decision.values, truth).all()
                }
        if fits != {0, 1} or question.taken not in question.choices or not question.sentence:
            wrong.append(f"{column.case}: readings {fits} of {question}")
    assert not wrong, "\n".join(wrong)


def take_all(column: MessyColumn) -> str:
    """Take one proposal after the other; what goes wrong."""
    (table, schema), name = read_and_detect(column), column.header
    for _ in range(20):
        proposals = [p for p in schema.column(name).proposals if p.what in ("missing", "merge")]
        if not proposals:
            break
        proposal, before = proposals[0], decide(table, schema, name)
        count = sum(text in proposal.texts for text in before.texts)
        schema = accept_proposal(count_column(table, name), schema, proposal)
        after = decide(table, schema, name)
        if errors := find_account_errors(after):
            return f"{proposal.sentence} {errors}"
        if proposal.what == "missing":
            added = after.column.n_missing - before.column.n_missing
            if not proposal.count == count == added or not set(proposal.texts) <= after.missing:
                return f"{proposal.sentence} {count} cells, {added} more are missing"
        elif len({c for t, c in zip(after.texts, after.codes) if t in proposal.texts}) != 1:
            return f"{proposal.sentence} not one code"
    else:
        return "taking proposals has no end"
    if column.merges and not column.proposed_or_value:
        missing = column.missing_or_proposed | column.proposed | column.missing
        texts = {text.strip() for text in column.cells} - {""} - missing
        expected = len(texts) - sum(len(merge) - 1 for merge in column.merges)
        labels = [label for label in schema.column(name).labels if label != "missing"]
        if len(labels) != expected:
            return f"{expected} values expected, not {labels}"
    return ""


def test_proposals_can_be_taken_one_by_one_until_only_different_values_are_left():
    offered = [c for c in messy_columns() if c.merges or c.proposed or c.missing_or_proposed]
    wrong = [f"{c.case}: {what}" for c in offered if not c.disputed and (what := take_all(c))]
    assert not wrong, "\n".join(wrong)


def test_schemas_are_saved_and_the_same_for_a_streamed_file(tmp_path):
    wrong = []
    for column in SAMPLE:
        _, schema = read_and_detect(column)
        path = tmp_path / "messy.csv"
        path.write_bytes(column.content)
        streamed = stream_schema(path, options=CSV_OPTIONS, rows=16)
        if streamed.column(column.header) != schema.column(column.header):
            wrong.append(f"{column.case}: streamed otherwise")
        if Schema.from_json(schema.to_json()).columns != schema.columns or not describe_columns(
            schema
        ):
            wrong.append(f"{column.case}: saved otherwise")
    assert not wrong, "\n".join(wrong)


def test_messy_columns_that_were_answers_stay_answers():
    """Nothing kept is doubted for its name or texts but what was before: moments, coordinates, and seconds of a form."""
    doubted = set()
    for messy in messy_columns():
        found = read_and_detect(messy)[1].column(messy.header)
        doubt = find_doubt(found)
        if found.keep and (
            doubt in PEOPLE or doubt in ("remark", "survey weight", "column about the survey")
        ):
            doubted.add(messy.header)
    dates = "Date date DATE Datum datum start end created created_at updatedAt submitdate timestamp Timestamp StartDate recorded"
    assert doubted == {
        *dates.split(), "Start Date", "created at", "time", "Beginn", "début", "fecha", "data", "Eingang",
        "lat", "latitude", "Duration (in seconds)", "date_of_interview",
    }  # fmt: skip


# The judge itself: without these checks its silence would mean nothing.


def column_of(header: str, pairs, holds: str = "numbers", **more) -> MessyColumn:
    texts, values = zip(*pairs)
    if holds == "dates":
        values = np.array(values, "datetime64[s]")
    return MessyColumn(header, header, (holds[:-1],), texts, truth=np.asarray(values), **more)


NUMBERS = column_of(
    "price", [(f"{0.7 * i + 1.35:.2f}", round(0.7 * i + 1.35, 2)) for i in range(60)]
)
DAYS = [str(np.datetime64("2013-01-02") + 5 * i) for i in range(60)]
DATES = column_of("day", zip(DAYS, DAYS), "dates")
WORDS = MessyColumn("city", "city", ("category",), ("Bern", "Basel", "Genf") * 20)


def swap_days(decision: Decision) -> Decision:
    values = decision.values.copy()
    values[:12] = np.array([f"2013-{1 + i:02}-01" for i in range(12)], "datetime64[s]")
    return replace(decision, values=values)


def lose_row(decision: Decision) -> Decision:
    return replace(decision, report=replace(decision.report, rows_in=59, rows_used=59))


def lose_value(decision: Decision) -> Decision:
    return replace(decision, values=np.where(np.arange(60) == 7, np.nan, decision.values))


@pytest.mark.parametrize(
    ("column", "harm"),
    [
        (NUMBERS, lambda made: replace(made, values=made.values / 1000)),
        (NUMBERS, lambda made: replace(made, codes=made.codes[::-1])),
        (NUMBERS, lose_value),
        (NUMBERS, lose_row),
        (NUMBERS, lambda made: replace(made, column=replace(made.column, n_missing=1))),
        (DATES, swap_days),
        (WORDS, lambda made: replace(made, codes=np.where(made.codes == 2, 1, made.codes))),
        (WORDS, lose_row),
    ],
    ids="wrong_decimals bins_reversed value_lost row_lost empty days_swapped merged row_of_words".split(),
)  # fmt: skip
def test_the_judge_notices_silent_errors(column, harm):
    assert find_silent_errors(harm(decide_messy(column)), column)
