"""Decisions about columns, questions, proposals, and how to undo them."""

import datetime
from dataclasses import replace

import pytest

from calm_core.errors import InputError
from calm_core.ingest.counting import count_column
from calm_core.ingest.detect import detect_as, detect_schema
from calm_core.ingest.editing import accept_proposal, answer_question, decline_proposal
from calm_core.ingest.encode import count_codes, encode_table
from calm_core.ingest.findings import describe_columns
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import ReadOptions, make_table
from tests.ingest.messy_columns import read_values

N = 240
DAYS = [datetime.date(2013, 1, 1) + datetime.timedelta(days=4 * i) for i in range(N)]


def column(cells, name="x", **options):
    """The only column of a table, and its schema."""
    schema = detect_schema(make_table({name: list(cells)}, dialect=ReadOptions(**options)))
    return schema.columns[0]


def test_an_answer_reads_the_column_as_if_it_had_been_known():
    cells = [f"{i % 9 + 1}.{100 + i}" for i in range(N)]
    table = make_table({"x": cells})
    schema, found = detect_schema(table), count_column(table, "x")
    assert schema.columns[0].questions[0].sentence in schema.notes
    question = schema.columns[0].questions[0]
    assert question.taken.text == "1.100 is 1.1 (decimal point)"
    assert column(cells, decimal=",").decimal == "," and not column(cells, decimal=",").questions
    # An open question is saved and can be answered elsewhere.
    saved = Schema.from_json(schema.to_json())
    comma = answer_question(found, saved, question, question.choices[1])
    assert read_values(cells[:2], comma.columns[0]).tolist() == [1100, 2101]
    assert comma.columns[0] == column(cells, decimal=",")
    point = answer_question(found, schema, question, question.taken)
    assert point.columns[0] == replace(schema.columns[0], questions=())
    for edited in (comma, point):
        again = Schema.from_json(edited.to_json())
        assert again.columns == edited.columns and not again.columns[0].questions
    with pytest.raises(InputError, match="does not ask that any more"):
        answer_question(found, comma, question, question.taken)


@pytest.mark.parametrize(
    ("write", "unit"),
    [
        (lambda d, i: f"{d:%B %d, %Y}", "quarter"), (lambda d, i: f"{d:%b %Y}", "quarter"), (lambda d, i: f"{d:%Y-%m}", "quarter"),
        (lambda d, i: f"{d:%m/%Y}", "quarter"), (lambda d, i: f"{i % 24:02}:{i % 60:02}", "2 hours"),
        (lambda d, i: f"{d} {i % 24:02}:30", "quarter"), (lambda d, i: str(1940 + i % 70), "decade"),
        (lambda d, i: f"{d:%Y%m%d}", "quarter"), (lambda d, i: f"{DAYS[i % 14] - datetime.timedelta(days=3 * (i % 14))}", "2 days"),
    ],
)  # fmt: skip
def test_dates_are_binned_by_a_calendar_unit(write, unit):
    cells = [write(day, i) for i, day in enumerate(DAYS)]
    found = column(cells)
    assert (found.kind, found.bin_unit, found.binning) == ("date", unit, "calendar")
    assert 4 <= found.size <= 12
    codes = count_codes(make_table({"x": cells}), found)
    assert codes.sum() == N
    again = Schema.from_json(Schema((found,)).to_json()).columns[0]
    assert again == found and again.bin_unit == unit


@pytest.mark.parametrize("sign", [".", ","])
def test_a_number_in_doubt_is_read_as_the_other_columns_write_theirs(sign):
    sure, doubtful = [f"{i}{sign}5" for i in range(N)], [f"{i}.{100 + i}" for i in range(1, N + 1)]
    found = detect_schema(make_table({"sure": sure, "x": doubtful})).column("x")
    assert found.decimal == sign and found.questions
    assert read_values(["2.102"], found)[0] == (2.102 if sign == "." else 2102)


def test_years_of_two_digits_have_a_warning():
    found = column([f"{d:%d.%m.%y}" for d in DAYS])
    assert (
        "Years of two digits are read as 1930 to 2029."
        in describe_columns(Schema((found,)))[0].warnings
    )
    assert not describe_columns(Schema((column([f"{d:%d.%m.%Y}" for d in DAYS]),)))[0].warnings


@pytest.mark.parametrize(
    ("cells", "labels", "shown"),
    [
        (["Yes", "Yes", "yes", "YES", "no", "No"], ("no", "yes"), None),
        (["ja", "Ja", "Nein", "n", "n"], ("no", "yes"), None),
        (["No", "Yes", "Yes"], ("No", "Yes"), None),
        (["ja", "J", "x", "oui", "sí", "Y", "TRUE", "1", "nein", "0"], ("no", "yes"), None),
        (["HAYIR", "evet", "Evet"], ("no", "yes"), None),
        (["Não", "NÃO", "Sim"], ("no", "yes"), None),
        (["0", "1", "yes", "TRUE", "N", "no", "no", "FALSE"], ("no", "yes"), ("no", "yes")),
        (["off", "On", "on", "on"], ("off", "on"), ("off", "on")),
        (["0", "1", "1", "?"], ("0", "1", "missing"), ("no", "yes", "missing")),
        (["yes", "no", "No", "no", "NO?"], ("no", "yes", "NO?"), None),
        (["x", "X", "y"], ("X", "x", "y"), None),
    ],
)
def test_spellings_of_yes_and_no_are_joined_at_once(cells, labels, shown):
    schema = detect_schema(make_table({"x": cells * 20}))
    found = schema.columns[0]
    assert (found.labels, found.display_names) == (labels, shown or labels)
    assert sum(found.label_counts()) == 20 * len(cells)
    joined = found.kind == "yes/no" and found.n_values > 2
    assert (
        any(note.startswith("Spellings of yes and no are joined: ") for note in schema.notes)
        == joined
    )
    assert ("spellings joined" in describe_columns(schema)[0].saw) == joined
    apart = detect_as(make_table({"x": cells * 20}), "x", "category")
    assert {*found.values} <= {*apart.labels}


def test_a_declined_proposal_is_not_made_again():
    schema = detect_schema(make_table({"x": ["NA", "Bonn", "bonn", "Ulm"] * 9}))
    first, second = schema.columns[0].proposals
    edited = decline_proposal(schema, "x", first)
    assert edited.columns[0].proposals == (second,)
    assert Schema.from_json(edited.to_json()).columns[0].proposals == (second,)
    assert edited.digest != schema.digest


def test_forcing_a_kind_names_what_does_not_fit():
    cells = [*(str(i) for i in range(30)), "old", "old", "young", "n/a"]
    table = make_table({"x": cells, "y": ["x"] * 33 + ["2013-05-01"]})
    found = detect_as(table, "x", "number")
    whole = [p for p in found.proposals if len(p.texts) == 2][0]
    assert whole.sentence == "Treat these 3 cells that are not numbers as missing: 'old', 'young'."
    edited = accept_proposal(count_column(table, "x"), Schema((found,)), whole).columns[0]
    assert edited.n_missing == 4 and edited.missing_texts == ("n/a", "old", "young")
    day = detect_as(table, "y", "date")
    assert day.kind == "date" and day.proposals[0].count == 33
    with pytest.raises(InputError, match="cannot be read as a date"):
        detect_as(make_table({"x": ["a", "b"]}), "x", "date")


def test_an_answer_keeps_the_rule_for_missing_cells():
    from calm_core.ingest.editing import set_missing_rule

    cells = [*(f"{i % 9 + 1}.{100 + i}" for i in range(N)), None]
    table = make_table({"x": cells})
    schema = detect_schema(table)
    schema = schema.with_column(set_missing_rule(schema.columns[0], "rows"))
    question = schema.columns[0].questions[0]
    edited = answer_question(count_column(table, "x"), schema, question, question.choices[1])
    assert encode_table(table, schema=edited).report.rows_used == N
    assert "missing" not in edited.columns[0].labels


@pytest.mark.parametrize("ticks", [["x"], ["x", "X"], ["✓"], ["☑", "x"]])
def test_a_box_that_is_ticked_or_empty_is_yes_or_no(ticks):
    cells = [*ticks, None, None, None] * 20
    table = make_table({"vegan": cells})
    schema = detect_schema(table)
    column = schema.columns[0]
    assert (column.kind, column.labels) == ("yes/no", ("no", "yes")) and not column.proposals
    assert count_codes(table, column).tolist() == [60, 20 * len(ticks)]
    (finding,) = describe_columns(schema)
    assert finding.saw.startswith(f"{20 * len(ticks)} ticks") and finding.saw.endswith("60 empty")
    assert finding.becomes == "no and yes; empty cells mean no" and not finding.warnings
    assert Schema.from_json(schema.to_json()).columns == schema.columns
    assert detect_as(table, "vegan", "category").labels == (*sorted(ticks), "missing")


@pytest.mark.parametrize("cells", [["x"], ["x", "X"], ["x", "y", None], ["yes", None]])
def test_other_columns_of_one_value_are_no_boxes(cells):
    assert column(cells * 20).kind != "yes/no"


PAIRS = """
    no yes, nein ja, non oui, no sí, no sì, não sim, nee ja, nej ja, nie tak, нет да, ne ano, nie áno, nem igen, nu da,
    не да, ні так, όχι ναι, hayır evet, ei kyllä, ei jah, ne taip, nē jā, 否 是, いいえ はい, 아니요 예, لا نعم, לא כן,
    नहीं हाँ, tidak ya, falsch wahr, faux vrai, falso verdadeiro, onwaar waar, fałsz prawda, ✗ ✓, ☐ ☑"""


@pytest.mark.parametrize("pair", PAIRS.split(","))
def test_no_and_yes_are_known_in_many_languages(pair):
    no, yes = pair.split()
    plain = column([no, yes, yes] * 20)
    assert plain.labels == (no, yes) and plain.display_names == ("no", "yes")
    mixed = column([no, no.upper(), yes, yes.title(), "x", "1"] * 20)
    assert mixed.kind == "yes/no" and mixed.labels == ("no", "yes")
