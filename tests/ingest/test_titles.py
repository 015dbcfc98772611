"""Titles and display names: saved with the schema, without effect on numbers."""

import json
from dataclasses import replace

import pytest

from calm_core.errors import InputError
from calm_core.ingest.binning import merge_column
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.editing import (
    bin_numbers,
    change_kind,
    group_values,
    mark_missing,
    name_values,
    set_missing_rule,
)
from calm_core.ingest.encode import encode_table
from calm_core.ingest.reading import read_table
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.tables.domain import Domain

TABLE = read_table(
    b"female,drank_month,age,city\n"
    + b"".join(
        b"%d,%d,%d,%s\n" % (i % 2, i % 3 // 2, i % 37, (b"Ulm", b"Bonn", b"Jena", b"NA")[i % 11 % 4])
        for i in range(210)
    ),
    name="people.csv",
    isolate=False,
)  # fmt: skip
FOUND = detect_schema(TABLE)
SEX = replace(FOUND.column("female"), title="Sex", value_names=("man", "woman"))
DRANK = replace(FOUND.column("drank_month"), title="Drank last month", short="Drank")
NAMED = FOUND.with_column(SEX).with_column(DRANK)


def test_a_schema_file_brings_names_back():
    assert Schema.from_json(NAMED.to_json()).columns == NAMED.columns
    domain = encode_table(TABLE, schema=Schema.from_json(NAMED.to_json())).dataset.domain
    assert domain.titles == ("Sex", "Drank last month", "age", "city")
    assert (domain.short_of("drank_month"), domain.short_of("age")) == ("Drank", "")
    assert domain.value_names_of("female") == ("man", "woman")
    assert domain.value_names_of("drank_month") == domain.labels_of("drank_month") == ("0", "1")


def test_files_and_digests_from_before_there_were_names_stay():
    old = json.loads(FOUND.to_json())
    assert not {"title", "short", "value_names"} & set(old["columns"][0])
    assert Schema.from_json(json.dumps(old)).columns == FOUND.columns
    # What links to this schema said before columns could have titles.
    column = ColumnSchema("sex", "yes/no", labels=("f", "m"))
    assert Schema((column,)).digest == "06c4aa5da22eaaf7"
    assert Schema((replace(column, title="Sex"),)).digest != "06c4aa5da22eaaf7"


def city(**more) -> ColumnSchema:
    """Ulm, Bonn, Jena and NA, with a name for Bonn."""
    column = FOUND.column("city")
    assert set(column.labels) == {"Ulm", "Bonn", "Jena", "NA"}
    return name_values(replace(column, **more), {"Bonn": "Bundesstadt"})


@pytest.mark.parametrize(
    "edit",
    [
        lambda c: group_values(c, [v if v == "Bonn" else "rest" for v in c.values]),
        lambda c: set_missing_rule(mark_missing(c, ["NA"]), "rows"),
        lambda c: mark_missing(c, ["NA"]),
        lambda c: mark_missing(c, ["Ulm", "NA"]),
        lambda c: change_kind(TABLE, c, "ordered"),
        lambda c: merge_column(c, 3) if "Bonn" in merge_column(c, 3).labels else merge_column(c, 4),
    ],
)
def test_values_keep_their_names_when_others_are_edited(edit):
    edited = edit(city(title="Town"))
    assert edited.title == "Town"
    names = dict(zip(edited.labels, edited.display_names))
    assert names.pop("Bonn") == "Bundesstadt" and all(k == v for k, v in names.items())


def test_remaining_bins_keep_their_names():
    age = bin_numbers(FOUND.column("age"), "fixed", edges=(18, 30))
    age = name_values(age, {"up to 18": "young", "above 30": "old"})
    assert bin_numbers(age, "fixed", edges=(18, 25)).display_names == (
        "young",
        "above 18 to 25",
        "above 25",
    )
    assert name_values(age, {"up to 18": ""}).display_names == ("up to 18", "above 18 to 30", "old")
    with pytest.raises(InputError, match="'up to 19' is not a value of column 'age'"):
        name_values(age, {"up to 19": "young"})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"value_names": ("man",)}, "one for each of 2 labels"),
        ({"value_names": ("man", "man")}, "all different"),
        ({"value_names": ("", "0")}, "all different"),
        ({"value_names": ("man", " ")}, "value_names must be texts"),
        ({"title": " "}, "title"),
        ({"short": "x "}, "short"),
    ],
)
def test_invalid_display_names_are_refused(wrong, says):
    with pytest.raises(InputError, match=says):
        replace(FOUND.column("female"), **wrong)


def test_a_title_belongs_to_one_column():
    for title in ("Sex", "age"):
        with pytest.raises(InputError, match=f"title \\({title}\\) must be of one column only"):
            NAMED.with_column(replace(DRANK, title=title))


def test_a_domain_by_hand_has_its_names_and_refuses_others():
    domain = Domain(("a", "b"), (2, 3), titles=("A b c", "B"), value_names=((), ("x", "", "z")))
    assert domain.titles == ("A b c", "B") and domain.shorts == ("", "")
    assert domain.value_names_of("b") == ("x", "1", "z")
    assert Domain(("a", "b"), (2, 3)).titles == ("a", "b")
    for wrong in ({"titles": ("A",)}, {"titles": ("A", "")}, {"value_names": (("x",), ())}):
        with pytest.raises(InputError, match="titles|value_names"):
            Domain(("a", "b"), (2, 3), **wrong)
