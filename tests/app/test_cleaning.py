"""Clean it for me: one press, what was done with Undo each, questions answered on the spot."""

import pytest

from pages import words
from tests.app.screen import clean, press, said, settings_of, upload

SURVEY = (
    "ResponseId,by,ill,age\nImport,How do you travel?,Are you ill?,How old are you?\n"
    + "".join(
        f"R_{i:03},{('Bus;Car', 'Car', 'Bus', '')[i % 4]},{('yes', 'no', 'none')[i % 3]},{20 + i % 40}\n"
        for i in range(120)
    )
)
COUNTS = "sex,ill,n\nf,no,30\nf,yes,12\nm,no,25\nm,yes,13\n"


@pytest.fixture
def cleaned(open_app):
    app = upload(open_app("data"), SURVEY, "survey.csv")
    return clean(press(app, words.data.CLEAN))


def schema_of(app):
    session = app.session_state["session_data"]
    return session.schemas[settings_of(app).schema]


def undo(app, key: str):
    return clean(app.button(key=f"undo_{key}").click().run())


def test_no_header_row_becomes_a_person_and_a_press_reads_it_as_one(open_app):
    app = upload(open_app("data"), SURVEY, "survey.csv")
    assert words.data.header_rows(rows=2) in said(app)
    assert "120 rows read" in said(app)
    assert "121 rows read" in said(undo(app, "header"))


def test_one_press_cleans_and_says_what_it_did(cleaned):
    assert [c.name for c in schema_of(cleaned).used_columns] == ["by: Bus", "by: Car", "ill", "age"]
    assert settings_of(cleaned).d == 4
    assert "Column 'by' holds several options in one cell" in said(cleaned)
    assert "1 column about the survey left out: 'ResponseId'" in said(cleaned)
    assert words.data.CLEAN not in [button.label for button in cleaned.button]


def test_each_change_is_undone_by_itself(cleaned):
    split = undo(cleaned, "step 0")
    assert "holds several options" not in said(split)
    assert settings_of(split).d == 3
    # Nothing of the cleaning is left.
    assert words.data.CLEAN in [button.label for button in split.button]


def test_a_question_is_answered_on_the_spot(cleaned):
    (asked,) = [one for one in cleaned.segmented_control if "Were they asked?" in one.label]
    assert asked.value == 0
    app = clean(asked.set_value(1).run())
    assert schema_of(app).column("by: Bus").labels == ("no", "yes", "missing")


def test_a_table_of_counts_is_people_until_somebody_says_no(open_app):
    app = press(upload(open_app("data"), COUNTS, "counts.csv"), words.data.CLEAN)
    assert "80 rows read, all used" in said(clean(app))
    (asked,) = app.segmented_control
    app = clean(asked.set_value(0).run())
    assert "4 rows read, all used" in said(app)


def test_samples_are_clean(open_app):
    assert words.data.CLEAN not in [button.label for button in open_app("data").button]
