"""A collection from a file that is never held: the reports of the command line, and an end for every file."""

import re
import time

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from calm_core.errors import InputError, UserError
from calm_core.evaluation.streamed_run import RowsRead, collect_streamed, run_streamed
from calm_core.experiments.streamed_collection import start_streamed_collection
from calm_core.ingest.encode import choose_schema
from calm_core.ingest.streaming import stream_schema
from calm_core.methods import Calm

N = 6_000
METHOD = Calm(epsilon=2.0, k=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables, and files that are none."""
    root = tmp_path_factory.mktemp("root")
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 2 + at % 2, N) for at, name in enumerate("abcde")}
    parquet.write_table(pa.table(columns), root / "people.parquet")
    lines = "\n".join(",".join(map(str, row)) for row in zip(*columns.values()))
    (root / "people.csv").write_text(f"a,b,c,d,e\n{lines}\n")
    (root / "one.csv").write_text("only\n" + "x\ny\n" * 50)
    (root / "cut.parquet").write_bytes((root / "people.parquet").read_bytes()[:-200])
    (root / "sheet.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    return root


def wait(job, seconds=120):
    until = time.monotonic() + seconds
    while job.is_running and time.monotonic() < until:
        job.status()
        time.sleep(0.1)
    return job.status()


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_reports_are_those_of_the_run_in_chunks(folder, name):
    path = folder / name
    state, report = collect_streamed(path, METHOD, d=4, seed=7, rows=1000)
    schema = choose_schema(stream_schema(path), None, 4, None)
    other = run_streamed(path, METHOD, schema=schema, seed=7, queries=3, rows=1000)
    assert state.plan == other.plan and state.n == N == report.rows_used
    for mine, theirs in zip(state.reports.views, other.answer.reports.views, strict=True):
        assert mine.n == theirs.n and np.array_equal(mine.support, theirs.support)
    again, _ = collect_streamed(path, METHOD, d=4, seed=7, rows=1000)
    assert again.batches == state.batches
    assert collect_streamed(path, METHOD, d=4, seed=8, rows=1000)[0].batches != state.batches


def test_progress_is_reported_to_the_end_of_every_reading(folder):
    events: list[RowsRead] = []
    collect_streamed(folder / "people.csv", METHOD, d=4, seed=7, rows=1000, notify=events.append)
    for reading in (1, 2, 3):
        rows = [event.rows for event in events if event.reading == reading]
        assert rows == sorted(rows) and rows[-1] == N
    assert {event.total for event in events if event.reading > 1} == {N}


def test_fewer_columns_than_wanted_are_taken_as_they_are(folder):
    state, _ = collect_streamed(folder / "people.csv", Calm(epsilon=2.0, k=8), d=64, seed=1)
    assert state.plan.domain.d == 5 and state.plan.k == 5


def test_the_child_makes_the_same_state_and_leaves_nothing(folder):
    job = start_streamed_collection(folder, "people.csv", METHOD, d=4, seed=7)
    path, end = job.path, wait(job)
    assert (end.name, end.reason, end.read) == ("finished", "", RowsRead(3, N, N))
    expected, report = collect_streamed(folder / "people.csv", METHOD, d=4, seed=7)
    assert job.state.plan == expected.plan and job.state.batches == expected.batches
    assert job.notes[0] == report.sentence and len(job.notes) > 1
    assert not any(str(folder) in note for note in job.notes)
    assert not path.exists()


def test_what_cannot_be_collected_from_is_one_sentence(folder, tmp_path):
    for name in ("gone.csv", "../people.csv", "."):
        with pytest.raises(InputError, match="not below|ordinary file"):
            start_streamed_collection(folder, name, METHOD, d=4, seed=7)
    (tmp_path / "soon.csv").write_bytes((folder / "people.csv").read_bytes())
    with pytest.raises(UserError, match="at least two columns"):
        collect_streamed(folder / "one.csv", METHOD, d=4, seed=7)
    with pytest.raises(UserError, match="damaged|cut short"):
        collect_streamed(folder / "cut.parquet", METHOD, d=4, seed=7)
    # A child says it without the folder.
    places = (folder, "sheet.xlsx"), (tmp_path, "soon.csv")
    jobs = [start_streamed_collection(*place, METHOD, d=4, seed=7) for place in places]
    (tmp_path / "soon.csv").unlink()
    for job, said in zip(jobs, ("in parts", "")):
        end = wait(job)
        assert end.name == "refused" and re.search(said, end.reason), end.reason
        assert (
            "\n" not in end.reason
            and str(folder) not in end.reason
            and str(tmp_path) not in end.reason
        )
