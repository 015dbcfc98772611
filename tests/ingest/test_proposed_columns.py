"""Which columns are proposed as attributes."""

import pytest

from calm_core.errors import InputError
from calm_core.ingest import detect_schema, load_dataset, read_table
from calm_core.ingest.proposed_columns import (
    count_proposed,
    find_doubts,
    propose_columns,
    rank_columns,
)
from calm_core.ingest.samples import SAMPLES, sample_schema, sample_table
from calm_core.ingest.table import make_table

PEOPLE = 1200


def column(*values: str) -> list[str]:
    """A column that repeats these values."""
    return [values[i % len(values)] for i in range(PEOPLE)]


# What each column is; "" for a survey answer.
COLUMNS = {
    "Response ID": (column(*map(str, range(PEOPLE))), "id"),
    "school_id": (column("A", "B", "C"), "id"),
    "Start Date": (column("2025-03-01", "2025-03-02", "2025-03-03"), "column about the survey"),
    "First name": (column(*"Ann Ben Cem Dora Eve Finn Gus".split()), "name"),
    "E-mail": (column(*(f"p{i}@example.org" for i in range(PEOPLE))), "id"),
    "Do you read the e-mail": (column("yes", "no", "no"), ""),
    "Born": (column(*(f"{1950 + i % 50}-0{1 + i % 9}-11" for i in range(97))), "date"),
    "covid": (column("mild", "none", "severe", "none", "none"), ""),
    "age": (column(*map(str, range(18, 95))), ""),
    "latitude": (column(*(f"{50 + i / 977:.4f}" for i in range(190))), "column about the survey"),
    "pay": (column(*(str(1009 * i) for i in range(1, 150))), "column with many values"),
    "town": (column(*(f"town {i}" for i in range(31))), "column with many values"),
    "grade": (column(*"abcdefgg"), ""),
    "grade in points": (column(*"12345677"), "copy of another column"),
    "remark": (column("thank you", *[""] * 11, "good", *[""] * 11), "nearly empty column"),
    "other, please say": (column(*[f"it was {i}, I think" for i in range(PEOPLE)]), "free text"),
    "country": (column(*["here"] * 119, "there"), "nearly constant column"),
    "bus": (column("bus", *[""] * 30), ""),
    "agree": (column("yes", "no"), ""),
}
ANSWERS = [name for name, (_, doubt) in COLUMNS.items() if not doubt]


@pytest.fixture(scope="module")
def schema():
    cells = {name: [cell or None for cell in cells] for name, (cells, _) in COLUMNS.items()}
    return detect_schema(make_table(cells))


def test_what_is_no_survey_answer_is_named(schema):
    assert find_doubts(schema) == {name: doubt for name, (_, doubt) in COLUMNS.items() if doubt}


def test_answers_come_first_and_stay_in_file_order(schema):
    order = rank_columns(schema)
    assert order[: len(ANSWERS)] == ANSWERS
    for d in range(1, len(order) + 1):
        names = [one.name for one in propose_columns(schema, d).used_columns]
        assert names == [name for name in COLUMNS if name in order[:d]]
    assert propose_columns(schema, len(ANSWERS) + 2).notes[-1].startswith(
        f"All {len(ANSWERS)} columns that look like survey answers, and 2 dates and columns with many values; "
    )  # fmt: skip


def test_no_ids_fill_up_what_answers_leave_free(schema):
    assert count_proposed(schema, 4) == 4
    assert count_proposed(schema, 64) == len(ANSWERS) + 3
    ids = {"id": column(*map(str, range(30))), "user_id": column("a", "b"), "x": column("y", "n")}
    assert count_proposed(detect_schema(make_table(ids)), 8) == 3, (
        "with one answer there is no table"
    )


def test_named_columns_are_taken_as_named():
    file = b"born,ill,sex\n" + b"2001-02-03,yes,f\n2002-03-04,no,m\n2003-04-05,no,m\n" * 20
    taken = {"d": 2}, {"columns": ["sex", "born", "ill"], "d": 2}, {}
    names = [load_dataset(file, name="a.csv", **how).dataset.domain.names for how in taken]
    assert names == [("ill", "sex"), ("sex", "born"), ("born", "ill", "sex")]
    with pytest.raises(InputError, match="at most 3"):
        load_dataset(file, name="a.csv", d=4)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_taken_from_the_first_column_on(name):
    schema = sample_schema(sample_table(name))
    assert rank_columns(schema) == [*schema.names] and not find_doubts(schema)


def test_real_surveys(shared_data):
    proposed = {}
    for file in ("adult.csv.gz", "exports/qualtrics.csv", "exports/people.csv"):
        schema = detect_schema(read_table(shared_data / file))
        chosen = propose_columns(schema, count_proposed(schema, 8))
        proposed[file] = " ".join(column.name for column in chosen.used_columns)
    assert proposed == {
        "adult.csv.gz": "age workclass education marital-status occupation relationship race sex",
        "exports/qualtrics.csv": "Q1 Q2 Q3_1 Q3_2 Q3_3 Q4 Q5",
        "exports/people.csv": "Geburtsdatum Teilnahme Rauchen Impfung Bemerkung",
    }
