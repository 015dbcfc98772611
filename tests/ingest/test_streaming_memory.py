"""If memory is short, a streamed release ends in one sentence with a remedy."""

import errno
import mmap
import sys
from itertools import cycle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import calm_core as cc
from calm_core import cli
from calm_core.errors import InfeasibleError, InputError, lacks_memory
from calm_core.evaluation.streamed_run import run_streamed
from calm_core.ingest import reading, streaming
from calm_core.ingest.readers import delimited_files
from calm_core.methods import Calm
from calm_core.tables.dataset import Dataset

NO_ROOM_SAID = "this needs more memory than there is; use fewer columns"
SENTENCE = "needs more memory than there is; use fewer columns"
NO_ROOM = (
    MemoryError(),
    pa.ArrowMemoryError("malloc of size 8 failed"),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    OSError("Memory mapping file failed: Cannot allocate memory"),
    pa.ArrowException("IOError: Cannot allocate memory"),
    RuntimeError("can't start new thread"),
)


@pytest.fixture
def table() -> pa.Table:
    codes = np.arange(600) % 6
    return pa.table({"a": codes % 2, "b": codes % 3, "c": codes})


def make_failing(error: BaseException):
    def fail(*arguments, **more):
        raise error

    return fail


def release(path):
    method = cc.make_method("calm", epsilon=1.0, k=2)
    return run_streamed(path, method, schema=streaming.stream_schema(path), seed=1, queries=3)


PLACES = [
    (csv, "open_csv", "t.csv"),
    (streaming, "map_in_parts", "t.csv"),
    (mmap, "mmap", "t.csv"),
    (streaming, "detect_from_counts", "t.csv"),
    (streaming, "encode_rows", "t.parquet"),
    (parquet, "read_schema", "t.parquet"),
    (parquet, "ParquetFile", "t.parquet"),
    (Dataset, "counts", "t.parquet"),
    (Calm, "collect", "t.csv"),
]


# Every place with one of the errors.
@pytest.mark.parametrize(("place", "error"), [*zip(PLACES, cycle(NO_ROOM))])
def test_low_memory_is_one_sentence_anywhere(table, tmp_path, monkeypatch, place, error):
    where, name, file = place
    path = tmp_path / file
    (csv.write_csv if file.endswith("csv") else parquet.write_table)(table, path)

    monkeypatch.setattr(where, name, make_failing(error))
    with pytest.raises(InfeasibleError, match=SENTENCE) as caught:
        release(path)
    # The app says it, too: the command line's names are added there.
    assert "\n" not in str(caught.value) and "--" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("forgets", [True, False])
def test_memory_of_a_read_file_is_released(forgets, tmp_path, monkeypatch):
    """Else a file of 2 GB counts as 2 GB; no block is larger than the rows need, since many are read ahead."""
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 5_000_000)
    monkeypatch.setattr(delimited_files, "MIN_BLOCK", 1 << 14)
    monkeypatch.setattr(reading, "RELEASES_MEMORY", forgets)

    def held() -> int:
        lines = Path("/proc/self/smaps").read_text().splitlines()
        at = [i for i, line in enumerate(lines) if line.endswith(str(path))]
        rows = (line for i in at for line in lines[i : i + 8] if line.startswith("Rss:"))
        return sum(int(row.split()[1]) for row in rows)

    most = parts = 0
    for _ in streaming.stream_tables(path, None, 1):
        parts += 1
        most = max(most, held() if parts % 120 == 0 else 0)
    # The system maps two megabytes at a time, and as much may still be read: two fifths of the file.
    assert parts > 1000 and (most < 8_000) is forgets, most


def test_a_row_longer_than_a_small_block_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + f"{'x' * 100_000},2\n{'y' * 3_000_000},3\n")
    assert sum(table.n for table in streaming.stream_tables(path, None, 1)) == 2


def test_other_errors_are_not_changed(table, tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    csv.write_csv(table, path)
    monkeypatch.setattr(Calm, "collect", make_failing(RuntimeError("a bug")))
    with pytest.raises(RuntimeError, match="a bug"):
        release(path)


@pytest.mark.parametrize("error", NO_ROOM, ids=lambda error: type(error).__name__)
def test_low_memory_is_one_line_for_every_command(monkeypatch, capsys, error):
    monkeypatch.setattr(cli.release, "choose_views", make_failing(error))
    monkeypatch.setattr(sys, "argv", "calm_core plan --n 9 --sizes 2,2 --epsilon 1 --k 2".split())
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert NO_ROOM_SAID in line


def test_causes_of_an_error_are_checked_for_low_memory():
    """A library that cannot be loaded for want of memory says so only in what came before."""
    try:
        try:
            raise OSError("libllvmlite.so: failed to map segment from shared object")
        except OSError:
            raise OSError("Could not find/load shared object file") from None
    except OSError as error:
        assert lacks_memory(error)
    assert not lacks_memory(ValueError("a bug"))
    assert not lacks_memory(InputError("column 'out of memory' is not in the file"))
