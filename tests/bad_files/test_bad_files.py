"""Every bad or odd file gets its sentence; none gets a traceback."""

import os
import re
import sys

import pytest

from calm_core.errors import UserError
from calm_core.ingest import Limits, ReadOptions, load_dataset, read_table
from calm_core.ingest.isolation import parse_in_child
from calm_core.ingest.load import encode_table
from tests.bad_files.make import BAD, CASES, ODD, PEOPLE

# These must be met by a process that can die; the others are read here, where it is quicker.
IN_CHILD = {
    "bomb.parquet",
    "bomb.xlsx",
    "far_corner.xlsx",
    "cut.xlsx",
    "plain.csv",
    "types.parquet",
}


def load(case):
    table = read_table(
        case.make(),
        name=case.name,
        options=case.options,
        limits=case.limits,
        isolate=case.name in IN_CHILD,
    )
    return encode_table(table)


def test_there_are_enough_cases():
    assert len(CASES) >= 60 and len({case.name for case in BAD}) == len(BAD)


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.name)
def test_bad_file_is_refused_in_one_sentence(case):
    with pytest.raises(UserError) as caught:
        load(case)
    sentence = str(caught.value)
    assert re.search(case.sentence, sentence), sentence
    assert "\n" not in sentence and len(sentence) < 400


@pytest.mark.parametrize("case", ODD, ids=lambda case: case.name)
def test_odd_file_is_read_and_accounted_for(case):
    encoded = load(case)
    report, dataset = encoded.report, encoded.dataset
    said = "\n".join((*report.notes, report.sentence))
    assert re.search(case.sentence, said), said
    assert report.rows_in == report.rows_used + sum(count for _, count in report.left_out)
    assert report.rows_used == dataset.n
    if case.rows is not None:
        assert dataset.n == case.rows
    if case.names is not None:
        assert dataset.domain.names == case.names
    for name, labels in case.labels.items():
        assert dataset.domain.labels_of(name) == labels


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes of this kind")
def test_slow_file_is_given_up(tmp_path):
    pipe = tmp_path / "never.csv"
    os.mkfifo(pipe)
    with pytest.raises(UserError, match="took longer than 1 seconds"):
        parse_in_child(pipe, "never.csv", ReadOptions(), Limits(file_seconds=1))


def test_hungry_file_ends_in_a_sentence():
    long = "\n".join(["a", *map(str, range(6_000_000))]).encode()
    with pytest.raises(UserError, match="more than 600 MB of memory"):
        read_table(long, name="a.csv", limits=Limits(memory_bytes=600 << 20))


@pytest.mark.parametrize("path", ["/nowhere/data.csv", ".", "nul\0name.csv"])
def test_path_that_cannot_be_opened(path):
    with pytest.raises(UserError, match="cannot be opened|is a folder"):
        load_dataset(path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"separator": "ab"}, {"separator": ""}, {"separator": '"'}, {"separator": "；"},
        {"decimal": "x"}, {"shape": "cube"}, {"bad_bytes": "drop"}, {"ragged": "shift"},
        {"header_row": -1}, {"header": False, "ragged": "first_unnamed"},
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
