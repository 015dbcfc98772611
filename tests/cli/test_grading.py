"""The command grade, as in docs/how-to/assignments.md: a folder of files to one row each; nothing is left out silently."""

import csv
import io
import json

import pytest

from calm_core.assignments import Work, ready

BEST = "Nothing for sure, but it has become a little more likely"


@pytest.fixture
def folder(tmp_path):
    """A right answer, one that was changed, two of one name, and a picture."""
    folder = tmp_path / "handed in"
    (folder / "late").mkdir(parents=True)
    for file, name in (("a", "Ada"), ("b", "=Bob"), ("late/c", " ada"), ("d", "Dan")):
        done = Work(ready("school"), name).answer(1, BEST)
        text = done.to_json().replace("Dan", "Eve")
        (folder / f"{file}.json").write_text(text, encoding="utf-8")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8")
    return folder


def test_every_file_has_a_row_with_what_is_wrong(call, folder):
    done = call("grade", folder)
    rows = {row["file"]: row for row in csv.DictReader(io.StringIO(done.out))}
    assert [*rows] == ["a.json", "b.json", "d.json", "photo.jpg", "late/c.json"]
    bob = rows["b.json"]
    assert (bob["name"], bob["question 1"], bob["total"], bob["of"]) == ("'=Bob", "1", "1", "4")
    assert bob["why"].startswith("question 2: not answered") and not bob["problem"]
    assert rows["a.json"]["problem"] == "the same name as in late/c.json"
    assert rows["d.json"]["problem"].startswith("file was changed: its checksum")
    assert rows["d.json"]["total"] == ""
    assert rows["photo.jpg"]["problem"].startswith("not graded: the file is damaged, or no file")
    listed = json.loads(call("grade", folder, "--json").out)["files"]
    assert [one["file"] for one in listed] == [*rows] and listed[1]["question 1"] == 1
    assert done.status == 1 and "1 of 5 files graded without a problem." in done.err


def test_an_assignment_of_ones_own_is_given_with_its_key(call, folder, tmp_path):
    own = ready("master")
    for name, one in (("key", own), ("students", own.public())):
        (folder / f"{name}.json").write_text(one.to_json(), encoding="utf-8")
    out = folder / "points.csv"
    for _ in range(2):
        # Neither the assignment nor the table of the first call is an answer.
        done = call("grade", folder, "--assignment", folder / "key.json", "--out", out)
        assert not done.out and "1 of 6 files" in done.err
        assert "key.json" not in out.read_text("utf-8")
    done = call("grade", folder, "--assignment", folder / "students.json")
    assert done.status == 2 and "give the file for grading" in done.err
    assert call("grade", tmp_path / "none").status == 2
