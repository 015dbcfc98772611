"""Steps, header rows and what a cleaning did: each can be undone, and the next file is read alike."""

import json

import numpy as np
import pytest

from calm_core.errors import DataError, InputError, TooLargeError
from calm_core.ingest import ReadOptions, Schema, detect_schema, load_dataset, read_table
from calm_core.ingest.cleaning import clean_table, detect_prepared, find_steps
from calm_core.ingest.cleaning_changes import (
    answer_cleaning,
    list_changes,
    list_questions,
    undo_change,
)
from calm_core.ingest.encode import encode_table
from calm_core.ingest.steps import (
    OneRowEach,
    RepeatRows,
    SplitOptions,
    TickBoxes,
    prepare_table,
    read_steps,
    write_steps,
)
from calm_core.ingest.table import Table, make_table

STEPS = (
    SplitOptions("by", ",", ("Bus", "Bicycle, own or rented"), "missing", other=True),
    TickBoxes(("q? a", "q? b"), ("a", "b"), "missing"),
    OneRowEach("id", "question", "answer"),
    RepeatRows("w", 1.5, ","),
)


def read(text: str, **options) -> Table:
    return read_table(text.encode(), name="t.csv", isolate=False, options=ReadOptions(**options))


def cells(table: Table, name: str) -> list:
    return table.texts(name).to_pylist()


def rows(*lines: str, people: int = 20) -> str:
    """A file with these first lines and people below: age, sex, two boxes."""
    below = [
        f"{20 + i},{'fm'[i % 2]},{'Bus' if i % 3 else ''},{'Car' if i % 4 else ''}"
        for i in range(people)
    ]
    return "\n".join((*lines, *below)) + "\n"


def test_questions_below_names_become_titles():
    table = read(rows("Q1,Q2,Q3,Q4", "How old are you?,Your sex?,By? - Bus,By? - Car"))
    assert table.n == 20
    titles = [table.describe(name).title for name in table.names]
    assert titles == ["How old are you?", "Your sex?", "Bus", "Car"]
    assert table.dialect.header_rows == 2


def test_a_row_of_json_is_no_person():
    row = ",".join(f'"{{""ImportId"": ""QID{i}""}}"' for i in range(4))
    table = read(rows("Q1,Q2,Q3,Q4", "How old are you?,Your sex?,By? - Bus,By? - Car", row))
    assert (table.n, table.dialect.header_rows) == (20, 3)


def test_a_question_goes_on_over_blank_names():
    table = read(rows("Age?,Sex?,How do you come?,", "Response,Response,Bus,Car"))
    assert table.names == ("Age?", "Sex?", "How do you come? Bus", "How do you come? Car")
    assert table.n == 20


@pytest.mark.parametrize(
    "text",
    [
        "Q1,Q2\nAge?,Sex?\n" + '"{""ImportId"": ""a""}","{""ImportId"": ""b""}"\n',
        "Age?,How?,,\nResponse,Bus,Car,Train\n",
    ],
)
def test_a_header_without_people_is_refused(text):
    with pytest.raises(DataError, match="no rows"):
        read(text)


def test_units_below_names_are_no_person():
    table = read(
        "height,weight,city\ncm,kg,\n" + "".join(f"{150 + i},{50 + i},Ulm\n" for i in range(9))
    )
    assert (table.n, table.describe("height").title) == (9, "cm")


@pytest.mark.parametrize("first", ["20,f,Bus,Car", "NA,f,Bus,Car", "20,x,Tram,", "?,d,,Car"])
def test_a_first_person_is_no_header(first):
    assert read(rows("age,sex,bus,car", first)).n == 21


def test_header_rows_can_be_undone():
    text = rows("Q1,Q2,Q3,Q4", "How old are you?,Your sex?,By? - Bus,By? - Car")
    assert read(text, header_rows=1).n == 21
    with pytest.raises(InputError, match="header_rows"):
        ReadOptions(header=False, header_rows=2)


def test_steps_are_saved_with_the_schema():
    assert read_steps(json.loads(json.dumps(write_steps(STEPS)))) == STEPS
    schema = Schema((), steps=STEPS[:1])
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    "broken",
    [
        {"step": "turn"}, {"step": "split", "column": 3}, "split",
        {"step": "split", "column": "a", "separator": "", "options": ["a"]},
        {"step": "boxes", "columns": ["a"], "ticks": []}, {"step": "repeat", "column": "a", "mean": -1.0},
        {"step": "one row each"},
    ],
)  # fmt: skip
def test_a_damaged_step_is_refused(broken):
    plain = {"format": "calm-lab schema 1", "columns": [], "steps": [broken]}
    with pytest.raises((DataError, InputError)):
        Schema.from_json(json.dumps(plain))


def test_an_option_may_hold_the_separator():
    table = make_table(
        {"by": ["Bus, Bicycle, own or rented", "Bicycle, own or rented", "Tram", None]}
    )
    made = STEPS[0].apply(table)
    assert cells(made, "by: Bus") == ["yes", "no", "no", None]
    assert cells(made, "by: Bicycle, own or rented") == ["yes", "yes", "no", None]
    assert cells(made, "by: other") == ["no", "no", "yes", None]


def test_options_that_are_not_listed_are_said():
    step = SplitOptions("by", ";", ("Bus",))
    made = step.apply(make_table({"by": ["Bus;Tram", "Bus", "Tram", None]}))
    assert cells(made, "by: Bus") == ["yes", "yes", "no", "no"]
    assert "'Tram' (2 rows)" in made.notes[-1]


def test_a_column_of_the_same_name_is_not_overwritten():
    with pytest.raises(DataError, match="'by: Bus' is in the table already"):
        SplitOptions("by", ";", ("Bus",)).apply(make_table({"by": ["Bus"], "by: Bus": ["x"]}))


def test_boxes_of_people_who_were_not_asked_are_missing():
    table = make_table({"q? a": ["a", None, None, "c"], "q? b": [None, "b", None, None]})
    made = STEPS[1].apply(table)
    # Another text stays, so that nothing is read as what it is not.
    assert cells(made, "q? a") == ["yes", "no", None, "c"]
    assert cells(made, "q? b") == ["no", "yes", None, "no"]


def test_the_last_answer_to_a_question_counts():
    table = make_table(
        {
            "id": ["1", "1", "2", "1", None], "question": ["a", "b", "a", "a", "a"],
            "answer": ["x", "y", "z", "w", "q"], "when": ["1"] * 5,
        }
    )  # fmt: skip
    made = STEPS[2].apply(table)
    assert made.frame.astype(object).where(made.frame.notna(), None).to_dict("list") == {
        "a": ["w", "z"], "b": ["y", None],
    }  # fmt: skip
    said = " ".join(made.notes)
    assert "1 answer was given again" in said
    assert "1 row without a person or a question left out" in said
    assert "'when'" in said


def test_rows_that_the_reader_left_out_are_still_named_when_rows_become_people():
    text = "id,question,answer\n1,a,x\n1,b,y\n2,a,z,1\n2,b,w\n"
    table = read(text, ragged="leave_out")
    made = STEPS[2].apply(table)
    [(reason, count)] = table.left_out
    assert f"{count} row left out: {reason}." in made.notes
    assert made.n == made.rows_read == 2


def test_rows_stand_for_their_number_of_people():
    table = make_table({"sex": ["f", "m", "d", "f"], "n": ["2", "0", "x", "1.5"]})
    made = RepeatRows("n").apply(table)
    assert (cells(made, "sex"), made.names) == (["f", "f"], ("sex",))
    assert made.left_out == (("no number of people in column 'n'", 2),)


def test_weights_keep_the_number_of_people_and_the_shares(rng):
    weights = rng.gamma(4, 0.25, 5000).round(3)
    sex = np.where(rng.random(5000) < 0.3, "f", "m")
    table = make_table({"sex": sex.tolist(), "w": [f"{w}" for w in weights]})
    made = RepeatRows("w", float(weights.mean())).apply(table)
    wanted = weights[sex == "f"].sum() / weights.sum()
    assert made.n == 5000
    assert np.mean(np.array(cells(made, "sex")) == "f") == pytest.approx(wanted, abs=0.01)


def test_too_many_people_are_refused_before_they_are_made():
    with pytest.raises(TooLargeError, match="rows"):
        RepeatRows("n").apply(make_table({"sex": ["f"], "n": ["9" * 14]}))


SURVEY = {
    "ResponseId": [f"R_{i}" for i in range(60)],
    "by": ["Bus, Car", "Car", "Bus", "Car, Tram", "Bus, Tram", None] * 10,
    "ill": ["yes", "no", "NA"] * 20,
}


def test_every_change_can_be_undone():
    table = make_table(SURVEY)
    schema = clean_table(table)
    detected = detect_prepared(prepare_table(table, schema.steps), schema.steps)
    changes = list_changes(schema, detected)
    assert [*changes] == ["step 0", "left out column about the survey", "column ill"]
    assert [column.name for column in schema.used_columns] == [
        "by: Bus",
        "by: Car",
        "by: Tram",
        "ill",
    ]
    whole = undo_change(table, schema, detected, "step 0")
    assert [column.name for column in whole.used_columns] == ["by", "ill"]
    assert (
        undo_change(table, schema, detected, "left out column about the survey")
        .column("ResponseId")
        .keep
    )
    again = undo_change(table, schema, detected, "column ill")
    assert again.column("ill").labels == detect_schema(table).column("ill").labels
    for key in changes:
        undone = undo_change(table, schema, detected, key)
        left = list_changes(
            undone, detect_prepared(prepare_table(table, undone.steps), undone.steps)
        )
        assert {*left} == {*changes} - {key} or key == "step 0"
        assert encode_table(table, schema=undone).dataset.n == 60
    with pytest.raises(InputError, match="not there any more"):
        undo_change(table, whole, detected, "step 0")


def test_a_new_option_of_the_next_wave_is_said():
    schema = clean_table(make_table(SURVEY))
    wave = make_table(SURVEY | {"by": ["Bus, Scooter"] * 60})
    encoded = encode_table(wave, schema=schema)
    assert encoded.dataset.n == 60
    assert any("'Scooter' (60 rows)" in note for note in encoded.report.notes)


def test_at_most_three_questions_about_most_people_first():
    table = make_table(
        {f"q{i}": ["a", "b"] * (30 - i) + ["none"] * (2 * i) for i in range(1, 6)}
        | {"weight": ["0.5", "1.5"] * 30}
    )
    asked = list_questions(table, clean_table(table))
    assert [question.people for question in asked] == [60, 10, 8]
    assert asked[0].choices[asked[0].taken] == "No, leave it out"


def test_answers_change_how_the_table_is_read():
    table = make_table({"sex": ["f", "f", "m", "m"], "ill": ["no", "yes"] * 2, "n": list("9241")})
    schema = clean_table(table)
    assert encode_table(table, schema=schema).dataset.n == 16
    (question,) = list_questions(table, schema)
    single = answer_cleaning(table, schema, question.key, 0)
    assert encode_table(table, schema=single).dataset.n == 4
    assert answer_cleaning(table, single, question.key, 1) == schema
    with pytest.raises(InputError, match="not open any more"):
        answer_cleaning(table, schema, "decimal sex", 0)


def test_missing_answers_are_asked_about_and_taken():
    table = make_table({"a": ["x", "y", "none"] * 9, "b": ["1", "0", "1"] * 9})
    schema = clean_table(table)
    (question,) = list_questions(table, schema)
    assert answer_cleaning(table, schema, question.key, 1).column("a").labels == (
        "x",
        "y",
        "missing",
    )
    kept = answer_cleaning(table, schema, question.key, 0)
    assert kept.column("a").labels == schema.column("a").labels
    assert not list_questions(table, kept)


@pytest.mark.parametrize(
    "columns",
    [
        {"region": ["north", "south", "east"] * 6, "sex": list("fm") * 9, "income": list("lmh") * 6},
        {"year": ["2020", "2021"] * 9, "city": [f"c{i // 2}" for i in range(18)], "x": list("abc") * 6},
        {"id": [str(i) for i in range(18)], "sex": list("fm") * 9, "ill": ["yes", "no"] * 9},
        {"region": [f"r{i // 2}" for i in range(18)], "sex": list("fm") * 9, "n": [f"{i + 7}" for i in range(18)]},
    ],
)  # fmt: skip
def test_people_are_not_turned(columns):
    assert not [step for step in find_steps(make_table(columns)) if isinstance(step, OneRowEach)]


def test_a_stream_refuses_steps_that_need_all_rows(tmp_path, parse_in_process):
    from calm_core.ingest.streaming import stream_batches

    path = tmp_path / "long.csv"
    path.write_text(
        "id,question,answer\n" + "".join(f"p{i},a,{'xy'[i % 2]}\np{i},b,z\n" for i in range(20))
    )
    schema = clean_table(read_table(path, isolate=False))
    assert load_dataset(path, schema=schema).dataset.n == 20
    with pytest.raises(DataError, match="needs all rows at once"):
        list(stream_batches(path, schema))
