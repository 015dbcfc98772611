"""Which two values are no and yes, which only may be, and what the screen calls them."""

import pytest

from calm_core.ingest import accept, detect_schema, findings
from calm_core.ingest.encode import count_codes
from calm_core.ingest.table import table_of

LANGUAGES = {
    "German": (("N", "J"), ("nein", "ja")),
    "Danish": (("n", "j"), ("Nej", "Ja")),
    "French": (("N", "O"), ("non", "oui")),
    "Spanish": (("N", "S"), ("no", "sí")),
    "Portuguese": (("n", "s"), ("não", "sim")),
    "a program": (("F", "T"), ("FALSE", "TRUE")),
}
APART = [letters for letters, _ in LANGUAGES.values()]


def schema_of(**columns):
    return detect_schema(table_of(columns))


@pytest.mark.parametrize("letters", APART, ids="/".join)
def test_letters_are_themselves_until_somebody_names_them(letters):
    no, yes = letters
    schema = schema_of(side=[no, yes, yes] * 20, other=["yes", "no", "no"] * 20)
    column = schema.column("side")
    assert column.kind == "category" and column.called == (yes, no)
    assert not findings(schema)[0].warnings
    (names,) = column.proposals
    named = accept(schema, "side", names).column("side")
    assert (named.kind, named.labels, named.called) == ("yes/no", (no, yes), ("no", "yes"))
    assert count_codes(table_of({"side": [no, yes, yes] * 20}), named).tolist() == [20, 40]


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_another_column_show_the_language_and_that_is_said(language):
    letters, words = LANGUAGES[language]
    schema = schema_of(
        smokes=[*letters, letters[1], None] * 20, drinks=[*words, words[0], None] * 20
    )
    column = schema.column("smokes")
    assert column.kind == "yes/no" and column.called == ("no", "yes", "missing")
    (warning,) = findings(schema)[0].warnings
    assert warning == f"In column 'smokes' '{letters[0]}' is shown as no and '{letters[1]}' as yes."
    assert f"{warning} So other columns suggest." in schema.notes
    assert not findings(schema)[1].warnings


def test_letters_of_another_language_stay():
    schema = schema_of(half=["N", "S"] * 20, smokes=["nein", "ja"] * 20)
    assert schema.column("half").called == ("N", "S")


def test_spellings_of_letters_are_merged_and_stay_letters():
    schema = schema_of(half=["N", "S", "s", "n", "N"] * 9)
    for _ in range(2):
        merge = next(made for made in schema.column("half").proposals if made.what == "merge")
        schema = accept(schema, "half", merge)
    assert schema.column("half").kind == "category" and schema.column("half").called == ("N", "S")


def test_on_and_off_keep_their_words():
    schema = schema_of(alarm=["on", "off", "off", None] * 9)
    column = schema.column("alarm")
    assert (column.kind, column.called) == ("yes/no", ("off", "on", "missing"))
    assert findings(schema)[0].saw == "27 answers of off or on, 9 empty"


@pytest.mark.parametrize("code", ["9", "-1", "99"])
@pytest.mark.parametrize("empty", [[], [None] * 5])
def test_zero_and_one_without_their_code_are_no_and_yes(code, empty):
    cells = ["0", "1", "1", "0", "1"] * 9 + [code] * 4 + empty
    schema = schema_of(treated=cells)
    assert schema.columns[0].kind == "ordered"
    (missing,) = schema.columns[0].proposals
    found = accept(schema, "treated", missing).columns[0]
    assert (found.kind, found.called) == ("yes/no", ("no", "yes", "missing"))
    assert count_codes(table_of({"treated": cells}), found).tolist() == [18, 27, 4 + len(empty)]


def test_other_small_numbers_without_their_code_keep_their_order():
    schema = schema_of(rooms=["1", "2", "1", "2"] * 9 + ["-1"] * 4)
    (missing,) = schema.columns[0].proposals
    assert accept(schema, "rooms", missing).columns[0].kind == "ordered"
