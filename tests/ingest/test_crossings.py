"""Kinds of exports crossed: every person's answers are read as they were given."""

import pytest

from calm_core.ingest import Schema, load_dataset, read_table
from calm_core.ingest.cleaning import clean_table
from calm_core.ingest.encode import EncodedData
from tests.ingest.crossings import OPTIONS, SCALE, Crossing, make_crossings, write_crossing

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("parse_in_process")]
ORDER = {"sex": None, "agree": SCALE, "again": ("no", "yes", "missing")}


def find_attribute(encoded: EncodedData, wanted: str) -> str | None:
    """The attribute whose name or title holds the one wanted."""
    words = {"age": "old", "agree": "timetable"}.get(wanted, wanted).casefold()
    for column in encoded.schema.used_columns:
        called = f"{column.name} {column.title}".casefold()
        if column.name == wanted or words in called:
            return column.name
    return None


def find_differences(one: Crossing, encoded: EncodedData) -> list[str]:
    """What is read otherwise than answered."""
    domain, codes = encoded.dataset.domain, encoded.dataset.codes
    wrong, known = [], set()
    if len(codes) != len(one.people["sex"]):
        return [f"{len(codes)} people instead of {len(one.people['sex'])}"]
    for wanted, answers in one.people.items():
        name = find_attribute(encoded, wanted)
        if name is None:
            wrong.append(f"no attribute {wanted}")
            continue
        known.add(name)
        at = domain.names.index(name)
        labels = [label.casefold() for label in domain.labels[at]]
        if wanted == "age":
            if encoded.schema.column(name).kind != "number":
                wrong.append(f"{wanted} is {encoded.schema.column(name).kind}")
            continue
        if wanted in OPTIONS and labels != ["no", "yes"]:
            wrong.append(f"{wanted} is {labels}")
        elif ORDER.get(wanted) and labels != [text.casefold() for text in ORDER[wanted]]:
            wrong.append(f"{wanted} is {labels}")
        read = [labels[code] for code in codes[:, at]]
        if read != [(answer or "missing").casefold() for answer in answers]:
            wrong.append(f"answers to {wanted}")
    if more := {*domain.names} - known:
        wrong.append(f"more attributes: {sorted(more)}")
    return wrong


@pytest.mark.parametrize("one", make_crossings(), ids=lambda one: one.case.replace(" ", "_"))
def test_a_crossed_export_is_read_as_answered(one, tmp_path):
    path = write_crossing(one, tmp_path)
    schema = Schema.from_json(clean_table(read_table(path, isolate=False)).to_json())
    assert not find_differences(one, load_dataset(path, schema=schema))
