"""Every bad or odd file gets its sentence; none gets a traceback."""

import os
import re
import sys

import pytest

from calm_core.errors import UserError
from calm_core.ingest import limits
from calm_core.ingest.encode import encode_table, load_dataset
from calm_core.ingest.limits import Limits, parse_in_child
from calm_core.ingest.reading import read_table
from calm_core.ingest.table import ReadOptions
from tests.bad_files.make import CASES, PEOPLE

# These are read in a process that can die; the others here, which is quicker.
IN_CHILD = "bomb.parquet cut.xlsx plain.csv types.parquet".split()


def find_errors(case) -> list[str]:
    """What is wrong with how the file is read or refused."""
    isolate = case.name in IN_CHILD
    try:
        table = read_table(
            case.make(), name=case.name, options=case.options, limits=case.limits, isolate=isolate
        )
        encoded = encode_table(table)
    except UserError as error:
        sentence = str(error)
        right = re.search(case.sentence, sentence) and "\n" not in sentence and len(sentence) < 400
        return [] if case.refused and right else [f"refused: {sentence}"]
    if case.refused:
        return ["is read"]
    report, dataset = encoded.report, encoded.dataset
    notes, domain = "\n".join((*report.notes, report.sentence)), dataset.domain
    left_out = sum(count for _, count in report.left_out)
    expected = [
        ("rows", report.rows_in - left_out, report.rows_used),
        ("rows", dataset.n, report.rows_used if case.rows is None else case.rows),
        ("names", domain.names, domain.names if case.names is None else case.names),
        *((name, domain.labels_of(name), labels) for name, labels in case.labels.items()),
    ]
    wrong = [f"{what} are {is_}, expected {must}" for what, is_, must in expected if is_ != must]
    return wrong + [notes] * (not re.search(case.sentence, notes))


@pytest.mark.parametrize("refused", [True, False], ids=["bad", "odd"])
def test_a_file_gets_its_sentence(refused):
    cases = [case for case in CASES if case.refused == refused]
    assert len(cases) >= 60
    wrong = [f"{case.name}: {errors}" for case in cases if (errors := find_errors(case))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes of this kind")
def test_slow_file_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CLOCK_FACTOR", 1)
    pipe = tmp_path / "never.csv"
    os.mkfifo(pipe)
    with pytest.raises(UserError, match="took longer than 1 seconds"):
        parse_in_child(pipe, "never.csv", ReadOptions(), Limits(file_seconds=1))


def test_hungry_file_ends_in_a_sentence():
    long = "\n".join(["a", *map(str, range(2_000_000))]).encode()
    with pytest.raises(UserError, match="more than 400 MB of memory"):
        read_table(long, name="a.csv", limits=Limits(memory_bytes=400 << 20))


@pytest.mark.parametrize("path", ["/nowhere/data.csv", ".", "nul\0name.csv"])
def test_path_that_cannot_be_opened(path):
    with pytest.raises(UserError, match="cannot be opened|is a folder"):
        load_dataset(path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"separator": "ab"}, {"separator": ""}, {"separator": '"'}, {"separator": "；"},
        {"decimal": "x"}, {"shape": "cube"}, {"ragged": "shift"},
        {"header_row": -1},
    ],
)  # fmt: skip
def test_wrong_options(wrong):
    with pytest.raises(UserError, match="must be"):
        ReadOptions(**wrong)


@pytest.mark.parametrize(
    "encoding", ["hex", "rot13", "undefined", "zip", "idna", "punycode", "utf-7"]
)
def test_encodings_of_no_table_end_in_a_sentence(encoding):
    content = PEOPLE.encode() + b"\xff,1,no\n"
    with pytest.raises(UserError, match="encoding|not valid"):
        read_table(content, name="a.csv", options=ReadOptions(encoding=encoding), isolate=False)
