"""Small files that unpack to too much are refused before memory is allocated."""

import sys
from dataclasses import replace
from functools import partial

import psutil
import pytest

from calm_core.errors import DataError, TooLargeError
from calm_core.ingest.limits import LIMITS, MB, UPLOADS
from calm_core.ingest.reading import read_table
from tests.bad_files import bombs

pytestmark = pytest.mark.slow
BEYOND = 70 * MB  # just beyond what may unpack as it likes
LITTLE = replace(UPLOADS, memory_bytes=600 * MB)
REFUSED = {
    "lying.csv.gz": (partial(bombs.gzipped_with_a_small_size_declared, BEYOND), UPLOADS, "100 times its size"),
    "parts.csv.gz": (partial(bombs.gzipped_in_parts, BEYOND), UPLOADS, "100 times its size"),
    "sheet.xlsx": (partial(bombs.workbook, bombs.CELL, BEYOND), UPLOADS, "100 times its size"),
    "lying.xlsx": (partial(bombs.workbook, bombs.CELL, BEYOND, lies=True), UPLOADS, "workbook is damaged"),
    "corner.xlsx": (partial(bombs.workbook, bombs.FAR, 0), UPLOADS, "made its reader fail"),
    "repeated.ods": (partial(bombs.open_document, 400_000, 100), LITTLE, "made its reader fail"),
    "dictionary.parquet": (partial(bombs.long_texts, 400_000, 100_000), LITTLE, "more than 600 MB of memory"),
    "cells.parquet": (partial(bombs.same_numbers, 200_000, 600), UPLOADS, "must have at most 100,000,000"),
}  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
@pytest.mark.parametrize("name", REFUSED)
def test_a_bomb_is_refused_and_its_memory_is_free(name):
    make, limits, sentence = REFUSED[name]
    content = make()
    assert len(content) < 4 * MB
    before = psutil.Process().memory_info().rss
    with pytest.raises(DataError, match=sentence):
        read_table(content, name=name, limits=limits)
    assert psutil.Process().memory_info().rss - before < 100 * MB


def test_lists_are_named_and_not_unpacked(monkeypatch):
    from pyarrow import parquet

    read = []
    plain = parquet.ParquetFile.read
    monkeypatch.setattr(
        parquet.ParquetFile, "read", lambda self, **how: read.append(how) or plain(self, **how)
    )
    with pytest.raises(DataError, match="no column"):
        read_table(bombs.long_lists(10, 10), name="a.parquet", isolate=False)
    assert not read


def test_the_command_line_reads_what_is_densely_packed():
    packed = bombs.compress_repeated(b"1," + b"2" * 400 + b"\n", BEYOND, head=b"a,b\n")
    with pytest.raises(TooLargeError, match="send it unpacked"):
        read_table(packed, name="a.csv.gz", limits=UPLOADS, isolate=False)
    assert read_table(packed, name="a.csv.gz", limits=LIMITS, isolate=False).n > 100_000


def test_an_error_of_the_waiting_parent_ends_the_child():
    class Gone(BaseException):
        pass

    before, seen = set(psutil.Process().children()), []

    def on_wait():
        seen.extend(set(psutil.Process().children()) - before)
        if seen:
            raise Gone

    with pytest.raises(Gone):
        read_table(b"a,b\n" + b"1,2\n" * 5_000_000, name="a.csv", on_wait=on_wait)
    assert seen and not any(child.is_running() for child in seen)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_a_child_has_its_processor_time_and_no_more(monkeypatch):
    rows = "".join(f"{i},{i * 7919}\n" for i in range(100_000)).encode() * 40
    with pytest.raises(TooLargeError, match="took longer than 1 seconds"):
        read_table(rows, name="a.csv", limits=replace(UPLOADS, seconds=1, most_seconds=1))
