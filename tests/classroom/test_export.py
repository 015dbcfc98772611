"""Tallies as reports and states, exports there and back, and everything that may be wrong with them."""

import csv
import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from calm_core.classroom import export
from calm_core.classroom.export import export_zip, is_export, read_zip
from calm_core.classroom.results import ReportCounts
from calm_core.classroom.survey import Question, Survey, plan_class
from calm_core.collection.states import state_bytes, state_from_bytes
from calm_core.errors import DataError, InputError
from tests.classroom.conftest import survey_of

HOSTILE = ("=1+1", "+cmd", "-2", "@x", "<img onerror=alert(1)>", '"a",b\n')


def make_counts(survey: Survey, n: int = 200) -> ReportCounts:
    """A survey with n reports."""
    rng = np.random.default_rng(7)
    plan = plan_class(survey, max(n, 12), rng=rng)
    counts = tuple(
        rng.multinomial(n // plan.m, np.full(oracle.size, 1 / oracle.size))
        for oracle in plan.oracles
    )
    return ReportCounts(survey, plan, counts)


def hostile() -> Survey:
    """Names, texts and answers that programs might take for something else."""
    asked = [Question(f"{text}{at}", text, (text, f"{text}'")) for at, text in enumerate(HOSTILE)]
    return Survey(
        "<b>**$x$**</b>",
        [*asked, Question("view", "v?", ("x", "y")), Question("Report", "r?", ("x", "y"))],
    )


def change_zip(content: bytes, name: str, change) -> bytes:
    """The same ZIP with one file of it changed, or left out where the change says None."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(sink, "w") as new:
        for member in old.namelist():
            found = old.read(member)
            found = change(found) if member == name else found
            if found is not None:
                new.writestr(member, found)
    return sink.getvalue()


def about(change: dict):
    """A change of survey.json."""
    return lambda content: json.dumps(json.loads(content) | change)


@pytest.fixture
def content(rng) -> bytes:
    """An export of a class."""
    return export_zip(make_counts(survey_of(3, 3)), rng=rng)


def test_a_state_of_the_counts_opens_as_a_collection():
    found = make_counts(survey_of(4, 3))
    for kind in (".json", ".npz"):
        state = state_from_bytes(state_bytes(found.state, kind))
        assert state.plan == found.plan and state.n == found.n
        for view, counts in zip(state.reports.views, found.counts):
            assert np.array_equal(view.support, counts)


def test_only_classes_of_one_plan_add_up():
    one, other = make_counts(survey_of(3)), make_counts(survey_of(3), 90)
    with pytest.raises(InputError, match="same questions and the same plan"):
        one + other
    renamed = ReportCounts(Survey("B", one.survey.questions), one.plan, one.counts)
    both = one + renamed
    assert both.n == 2 * one.n and both.classes == 2 and both.survey.title == "A class"
    reworded = [Question(q.name, "Other?", q.choices) for q in one.survey.questions]
    with pytest.raises(InputError):
        one + ReportCounts(Survey("B", reworded), one.plan, one.counts)


@pytest.mark.parametrize(
    "survey",
    [
        survey_of(3),
        survey_of(6, 6, 4.0),
        survey_of(12),
        hostile(),
        replace(survey_of(), language="fr"),
    ],
)
def test_an_export_round_trips(survey, rng):
    found = make_counts(survey, 120)
    back = read_zip(export_zip(found, rng=rng))
    assert back.survey == survey and back.plan == found.plan and back.classes == found.classes
    assert all(map(np.array_equal, back.counts, found.counts))
    assert is_export(export_zip(found, rng=rng)) and not is_export(state_bytes(found.state, ".npz"))


def test_contents_of_an_export(rng):
    found = make_counts(survey_of(3, 3))
    with zipfile.ZipFile(io.BytesIO(export_zip(found + found, rng=rng))) as packed:
        said = json.loads(packed.read("survey.json"))
        rows = list(csv.reader(io.StringIO(packed.read("reports.csv").decode())))
        table = pd.read_parquet(io.BytesIO(packed.read("reports.parquet")))
        assert {member.date_time for member in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert said["reports"] == 2 * found.n and said["classes"] == 2 and said["epsilon"] == 2.0
    assert said["program"].startswith("CALM Lab ") and set(said["plan"]) >= {"views", "keep", "n"}
    assert not [name for name in said if "time" in name or "date" in name]
    assert rows[0] == ["view", "report", "q0", "q1", "q2"] == list(table.columns)
    assert len(rows) - 1 == len(table) == 2 * found.n
    row = table.iloc[0]
    attrs = found.plan.views[row["view"]]
    cell = [found.survey.questions[int(name[1])].choices.index(row[name]) for name in attrs]
    assert np.ravel_multi_index(cell, found.plan.domain.shape_of(attrs)) == row["report"]
    assert all(pd.isna(row[name]) for name in {"q0", "q1", "q2"} - set(attrs))


def test_rows_are_in_random_order():
    found = make_counts(survey_of(3))
    first, second = (
        list(_rows(export_zip(found, rng=np.random.default_rng(seed)))) for seed in (1, 2)
    )
    assert first != second and sorted(first) == sorted(second) and first != sorted(first)


def _rows(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return packed.read("reports.csv").decode().splitlines()[1:]


def test_cells_that_would_be_formulas_are_quoted(rng):
    asked = [
        Question(f"{text} {at}", "?", (text, f"{text} no")) for at, text in enumerate(HOSTILE[:4])
    ]
    content = export_zip(make_counts(Survey("T", asked)), rng=rng)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        rows = list(csv.reader(io.StringIO(packed.read("reports.csv").decode())))
    cells = {cell for row in rows for cell in row}
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert {f"'{text}" for text in HOSTILE[:4]} <= cells


@pytest.mark.parametrize(
    "name, change, said",
    [
        ("survey.json", lambda _: None, "no export of a classroom"),
        ("reports.csv", lambda _: None, "no export of a classroom"),
        ("survey.json", lambda _: b"{", "no export of a classroom"),
        ("survey.json", about({"format": "calm-lab classroom 2"}), "not of format"),
        ("survey.json", about({"epsilon": 3.0}), "none of this survey"),
        ("survey.json", about({"epsilon": "2"}), "epsilon in the export must be number"),
        ("survey.json", about({"title": 3}), "title"), ("survey.json", about({"title": "x" * 201}), "title"),
        ("survey.json", about({"reports": 3}), "was changed"),
        ("survey.json", about({"classes": 0}), "classes"), ("survey.json", about({"plan": []}), "damaged"),
        ("survey.json", about({"questions": [{"name": "a"}] * 3}), "damaged"),
        ("survey.json", lambda content: content.replace(b'"plan"', b'"plam"'), "plan"),
        ("reports.csv", lambda content: content.replace(b"q0", b"q9"), "was changed"),
        ("reports.csv", lambda content: content + b"0,9,,,\n", "was changed"),
        ("reports.csv", lambda content: content + b"9,0,,,\n", "was changed"),
        ("reports.csv", lambda content: content + b"-1,0,answer 0,answer 0,\n", "was changed"),
        ("reports.csv", lambda content: content + b"0\n", "was changed"),
        ("reports.csv", lambda content: content[: content.rindex(b"\n", 0, -1) + 1], "was changed"),
        ("reports.csv", lambda content: content.replace(b"answer 0", b"answer 1"), "was changed"),
        ("reports.csv", lambda content: content + b"\xff", "no export of a classroom"),
        ("reports.csv", lambda content: content + b'"', "damaged"),
    ],
)  # fmt: skip
def test_a_changed_export_is_refused_in_one_sentence(content, name, change, said):
    with pytest.raises(DataError, match=said) as refused:
        read_zip(change_zip(content, name, change))
    assert "\n" not in str(refused.value) and str(refused.value).startswith(
        ("the export", "the survey")
    )


@pytest.mark.parametrize("junk", [b"", b"PK", b"PK\x03\x04" + b"\0" * 500, b"{}", b"x" * 10_000])
def test_a_file_that_is_no_zip_is_refused(junk):
    assert not is_export(junk)
    with pytest.raises(DataError, match="no export of a classroom"):
        read_zip(junk, "class.zip")


def test_an_export_with_any_byte_changed_is_refused_or_says_the_same(content):
    rng, whole = np.random.default_rng(3), read_zip(content)
    refused = 0
    for at in rng.integers(len(content), size=300).tolist():
        damaged = bytearray(content)
        damaged[at] ^= 1 << int(rng.integers(8))
        try:
            found = read_zip(bytes(damaged))
        except DataError:
            refused += 1
        else:
            assert all(map(np.array_equal, found.counts, whole.counts))
            assert (found.survey, found.plan) == (whole.survey, whole.plan)
    assert refused > 250


def test_a_zip_too_large_is_refused_before_unpacking(content, monkeypatch):
    monkeypatch.setattr(export, "MAX_BYTES", 1000)
    monkeypatch.setattr(zipfile.ZipFile, "testzip", None)
    with pytest.raises(DataError, match="unpacks to more than 1,000 bytes"):
        read_zip(content)
