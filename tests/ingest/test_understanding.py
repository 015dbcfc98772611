"""What is decided about columns as people write them, what is asked, what is offered, and the way back."""

import datetime
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calm_core.errors import InputError
from calm_core.ingest import (
    ReadOptions,
    Schema,
    accept,
    answer,
    apply_schema,
    decline,
    detect_as,
    detect_schema,
    findings,
    keep_as_values,
    values_read,
)
from calm_core.ingest.encode import count_codes
from calm_core.ingest.table import table_of

N = 240
DAYS = [datetime.date(2013, 1, 1) + datetime.timedelta(days=4 * i) for i in range(N)]


def column(cells, name="x", **options):
    """The only column of a table, and its schema."""
    schema = detect_schema(table_of({name: list(cells)}, dialect=ReadOptions(**options)))
    return schema.columns[0]


def test_an_answer_reads_the_column_as_if_it_had_been_known():
    cells = [f"{i % 9 + 1}.{100 + i}" for i in range(N)]
    schema = detect_schema(table_of({"x": cells}))
    assert schema.columns[0].questions[0].sentence in schema.notes
    question = schema.columns[0].questions[0]
    assert question.taken.text == "1.100 is 1.1 (decimal point)"
    assert column(cells, decimal=",").decimal == "," and not column(cells, decimal=",").questions
    comma = answer(schema, "x", question, question.choices[1])
    assert comma.columns[0] == column(cells, decimal=",")
    point = answer(schema, "x", question, question.taken)
    assert point.columns[0] == replace(schema.columns[0], questions=())
    for told in (comma, point):
        again = Schema.from_json(told.to_json())
        assert again.columns == told.columns and not again.columns[0].questions
    with pytest.raises(InputError, match="does not ask that any more"):
        answer(comma, "x", question, question.taken)


def test_an_open_question_is_saved_and_can_be_answered_elsewhere():
    cells = [f"{i % 9 + 1}.{100 + i}" for i in range(N)]
    saved = detect_schema(table_of({"x": cells})).to_json()
    schema = Schema.from_json(saved)
    question = schema.columns[0].questions[0]
    told = answer(schema, "x", question, question.choices[1])
    assert values_read(cells[:2], told.columns[0]).tolist() == [1100, 2101]


@pytest.mark.parametrize(
    ("write", "unit"),
    [
        (lambda d, i: f"{d:%B %d, %Y}", "quarter"), (lambda d, i: f"{d:%b %Y}", "quarter"), (lambda d, i: f"{d:%Y-%m}", "quarter"),
        (lambda d, i: f"{d:%m/%Y}", "quarter"), (lambda d, i: f"{i % 24:02}:{i % 60:02}", "2 hours"),
        (lambda d, i: f"{d} {i % 24:02}:30", "quarter"), (lambda d, i: str(1940 + i % 70), "decade"),
        (lambda d, i: f"{d:%Y%m%d}", "quarter"), (lambda d, i: f"{DAYS[i % 14] - datetime.timedelta(days=3 * (i % 14))}", "2 days"),
    ],
)  # fmt: skip
def test_dates_are_binned_by_a_unit_that_the_labels_say(write, unit):
    cells = [write(day, i) for i, day in enumerate(DAYS)]
    found = column(cells)
    assert (found.kind, found.bin_unit, found.binning) == ("date", unit, "calendar")
    assert 4 <= found.size <= 12
    codes = count_codes(table_of({"x": cells}), found)
    assert codes.sum() == N
    again = Schema.from_json(Schema((found,)).to_json()).columns[0]
    assert again == found and again.bin_unit == unit


def test_every_date_lies_in_the_bin_that_is_called_so():
    cells = [str(day) for day in DAYS]
    found = column(cells)
    codes = apply_schema(table_of({"x": cells}), Schema((found,))).dataset.codes[:, 0]
    for day, code in zip(DAYS, codes):
        assert found.labels[code].split(" or ")[0] == f"{day.year} Q{(day.month + 2) // 3}"


def test_years_of_two_digits_are_said():
    found = column([f"{d:%d.%m.%y}" for d in DAYS])
    assert "Years of two digits are read as 1930 to 2029." in findings(Schema((found,)))[0].warnings
    assert not findings(Schema((column([f"{d:%d.%m.%Y}" for d in DAYS]),)))[0].warnings


def test_codes_for_missing_are_offered_and_change_no_number_before():
    cells = [*(str(18 + i % 60) for i in range(N)), *["999"] * 9]
    table = table_of({"x": cells})
    schema = detect_schema(table)
    (offer,) = schema.columns[0].proposals
    assert (offer.what, offer.texts, offer.count) == ("missing", ("999",), 9)
    assert values_read(["999"], schema.columns[0])[0] == 999
    told = accept(schema, "x", offer).columns[0]
    assert told.n_missing == 9 and max(told.sketch) == 77 and not told.proposals
    assert np.isnan(values_read(["999"], told)[0])
    assert count_codes(table, told)[told.missing_code] == 9
    plain = column(cells[:N])
    assert told.edges == plain.edges and told.labels == (*plain.labels, "missing")


def test_codes_among_very_many_numbers_of_a_typed_file():
    import pyarrow as pa

    from calm_core.ingest.table import Table

    numbers = np.append(np.arange(70_000) / 7, [99_999.0] * 5)
    table = Table(pa.table({"x": pa.array(numbers)}))
    schema = detect_schema(table)
    (offer,) = schema.columns[0].proposals
    told = accept(schema, "x", offer)
    assert apply_schema(table, told).report.empty == (("x", 5),)


def test_spellings_are_merged_only_when_accepted_and_then_are_yes_and_no():
    cells = ["Yes", "yes", "YES?", "no", "No", None] * 20
    table = table_of({"x": cells})
    schema = detect_schema(table)
    assert schema.columns[0].kind == "yes/no" and schema.columns[0].size == 6
    told = schema
    while offers := [p for p in told.columns[0].proposals if p.what == "merge"]:
        told = accept(told, "x", offers[0])
    found = told.columns[0]
    assert found.called == ("no", "yes", "missing")
    assert count_codes(table, found).tolist() == [40, 60, 20]
    assert schema == detect_schema(table)  # the way back is the former schema
    with pytest.raises(InputError, match="does not offer that any more"):
        accept(told, "x", schema.columns[0].proposals[0])


def test_a_declined_proposal_is_not_made_again():
    schema = detect_schema(table_of({"x": ["NA", "Bonn", "bonn", "Ulm"] * 9}))
    first, second = schema.columns[0].proposals
    told = decline(schema, "x", first)
    assert told.columns[0].proposals == (second,)
    assert Schema.from_json(told.to_json()).columns[0].proposals == (second,)
    assert told.digest != schema.digest


def test_what_counts_as_empty_can_be_kept_as_a_value():
    cells = [*(str(i) for i in range(40)), "?", "?", "n/a", None]
    table = table_of({"x": cells})
    schema = detect_schema(table)
    assert schema.columns[0].missing_texts == ("?", "n/a") and schema.columns[0].n_missing == 4
    kept = keep_as_values(schema, "x", ["?"]).columns[0]
    counts = dict(zip(kept.labels, count_codes(table, kept).tolist()))
    assert counts["?"] == 2 and counts["missing"] == 2
    none = keep_as_values(schema, "x", ["?", "n/a"]).columns[0]
    assert dict(zip(none.labels, count_codes(table, none).tolist()))["missing"] == 1


def test_small_counts_are_no_yes_and_no():
    assert column(["0", "1", "2", None] * 9).value_names == ()
    assert column(["0", "1", "unknown"] * 9).called == ("no", "yes", "unknown")


def test_zero_and_one_can_be_named():
    schema = detect_schema(table_of({"x": ["0", "1"] * 9 + ["?"]}))
    found = schema.columns[0]
    assert (found.kind, found.labels, found.missing_texts) == (
        "yes/no",
        ("0", "1", "missing"),
        ("?",),
    )
    assert found.called == ("no", "yes", "missing")
    plain = detect_schema(table_of({"x": ["0", "1"] * 9}))
    (offer,) = plain.columns[0].proposals
    assert offer.what == "names" and plain.columns[0].value_names == ()
    assert accept(plain, "x", offer).columns[0].called == ("no", "yes")


def test_forcing_a_kind_names_what_does_not_fit():
    cells = [*(str(i) for i in range(30)), "old", "old", "young", "n/a"]
    table = table_of({"x": cells, "y": ["x"] * 33 + ["2013-05-01"]})
    found = detect_as(table, "x", "number")
    whole = [p for p in found.proposals if len(p.texts) == 2][0]
    assert whole.sentence == "Treat these 3 cells that are no number as missing: 'old', 'young'."
    told = accept(Schema((found,)), "x", whole).columns[0]
    assert told.n_missing == 4 and told.missing_texts == ("n/a", "old", "young")
    day = detect_as(table, "y", "date")
    assert day.kind == "date" and day.proposals[0].count == 33
    with pytest.raises(InputError, match="cannot be read as a date"):
        detect_as(table_of({"x": ["a", "b"]}), "x", "date")


CELLS = st.sampled_from(
    ["", "?", "n/a", "none", "-", "yes", "No", "1", "0", "007", "1.234", "1,234", "12.5", "12,5", "€5", "5 €", "45%", "29k", "(120)",
     "12 kg", "14:30", "01/05/2013", "13/05/2013", "2013-05-01", "May 2013", "2013", "1. Mai 2013", "999", "-9", "Köln", "koln", "A+"]
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(CELLS, min_size=1, max_size=60), st.integers(1, 9))
def test_every_row_of_any_mixture_is_accounted_for(cells, often):
    cells = [cell or None for cell in cells] * often
    table = table_of({"x": cells})
    schema = detect_schema(table)
    for told in (schema, *(accept(schema, "x", p) for p in schema.columns[0].proposals)):
        found = told.columns[0]
        (account,) = findings(told)
        assert account.rows == len(cells)
        assert account.read + account.missing + account.other + account.left_out == len(cells)
        assert account.saw and account.becomes
        assert Schema.from_json(told.to_json()).columns == (found,)
        if found.size:
            encoded = apply_schema(table, told.choose(["x"]))
            assert encoded.report.rows_used == len(cells)
            codes = encoded.dataset.codes[:, 0]
            if found.missing_code is not None and found.other != found.missing_code:
                merged = found.missing_code in found.groups
                assert merged or (codes == found.missing_code).sum() == found.n_missing
        if found.kind in ("number", "date"):
            read = values_read([cell or "" for cell in cells], found)
            known = ~(np.isnat(read) if found.kind == "date" else np.isnan(read))
            assert not found.is_number or known.sum() == found.numbers_count


def test_salaries_are_no_ids_and_running_numbers_are():
    assert column([str(20_000 + 317 * i) for i in range(N)], "salary").kind == "number"
    assert column([str(20_000 + 317 * i) for i in range(N)], "customer_id").kind == "id-like"
    assert column([str(i) for i in range(N)], "x").kind == "id-like"
    found = column([str(10_000 + 317 * i) for i in range(N)] * 2, "PLZ")
    assert found.kind in ("category", "id-like") and not found.is_number


def test_a_fraction_beside_percent_is_no_percentage():
    cells = [*(f"{i % 90 + 2}%" for i in range(N)), "0.45", "0.5"]
    found = column(cells)
    assert found.unit == "%" and np.isnan(values_read(["0.45"], found)[0])
    (offer,) = found.proposals
    assert set(offer.texts) == {"0.45", "0.5"} and findings(Schema((found,)))[0].other == 2
    assert values_read(["45"], column([*cells[:N], "45", "50"]))[0] == 45


def test_words_that_may_be_an_answer_stay_until_told():
    cells = [*(str(i % 60) for i in range(N)), "none", "none", "-", "n/a"]
    found = column(cells)
    assert found.missing_texts == ("n/a",) and found.values == ("none", "-")
    assert [p.texts for p in found.proposals] == [("none",), ("-",)]


def test_an_answer_keeps_what_was_said_of_empty_cells():
    from calm_core.ingest.editing import treat_missing

    cells = [*(f"{i % 9 + 1}.{100 + i}" for i in range(N)), None]
    table = table_of({"x": cells})
    schema = detect_schema(table)
    schema = schema.with_column(treat_missing(schema.columns[0], "rows"))
    question = schema.columns[0].questions[0]
    told = answer(schema, "x", question, question.choices[1])
    assert apply_schema(table, told).report.rows_used == N
    assert "missing" not in told.columns[0].labels


def test_cells_are_trimmed_as_those_of_a_file():
    cells = [f"{i}.5" for i in range(1, 40)]
    column = detect_schema(table_of({"x": cells})).columns[0]
    assert values_read(["\u200b1.5\ufeff ", "1.5"], column).tolist() == [1.5, 1.5]
