"""Quotation marks that quote nothing swallow no line; other quotes are unchanged."""

import csv
import io

import numpy as np
import pytest

from calm_core.ingest.detect import detect_schema
from calm_core.ingest.readers.rows import QuoteRepair
from calm_core.ingest.reading import read_table
from calm_core.ingest.streaming import stream_schema

WORDS = ("x", "", "5 ft", 'he said "no"', "a, b", "two\nlines", '"', 'end"', "ö", "a\r\nb")


def cells(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def in_parts(content: bytes, size: int) -> tuple[bytes, QuoteRepair]:
    quotes = QuoteRepair(",")
    parts = [content[at : at + size] for at in range(0, len(content), size)]
    return b"".join(map(quotes, [*parts, b""])), quotes


def sound(seed: int, ends: str) -> bytes:
    rng = np.random.default_rng(seed)
    sink = io.StringIO(newline="")
    rows = [[WORDS[i] for i in rng.integers(0, len(WORDS), 3)] for _ in range(40)]
    how = csv.QUOTE_ALL if seed % 2 else csv.QUOTE_MINIMAL
    csv.writer(sink, quoting=how, lineterminator=ends).writerows(rows)
    return sink.getvalue().encode()


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("seed", range(6))
def test_a_sound_text_stays_as_it_is_whole_and_in_parts(seed, ends):
    content = sound(seed, ends)
    for size in (1, 7, 64, 10_000):
        found, quotes = in_parts(content, size)
        assert found == content and not quotes.stray


@pytest.mark.parametrize("size", [1, 5, 33, 10_000])
@pytest.mark.parametrize("seed", range(6))
def test_stray_marks_swallow_no_line_whole_and_in_parts(seed, size):
    rng = np.random.default_rng(seed)
    rows = [[f"{i}", f"v{i % 7}", f"{i % 3}"] for i in range(60)]
    hurt = sorted(rng.choice(60, 5, replace=False))
    for at in hurt:
        rows[at][int(rng.integers(3))] = '"' * (1 + (at % 2) * 2) + "q"
    rows[int(rng.integers(60))][1] = 'in " between'
    content = "\n".join(map(",".join, rows)).encode() + b"\n"
    repaired, whole = in_parts(content, len(content))
    assert cells(repaired) == rows, "every cell as it is written"
    assert whole.stray == 5 and whole.first == hurt[0] + 1
    found, quotes = in_parts(content, size)
    assert (found, quotes.stray, quotes.first) == (repaired, whole.stray, whole.first)


def test_a_streamed_file_is_repaired_as_a_whole_one(tmp_path):
    rows = [f"{i},{'fm'[i % 2]}" for i in range(300)]
    rows[100] = '100,"f'
    rows[200] = '200,"m'
    path = tmp_path / "t.csv"
    path.write_text("n,sex\n" + "\n".join(rows) + "\n")
    table = read_table(path, isolate=False)
    assert table.n == 300 and any("first: line 102" in note for note in table.notes)
    assert stream_schema(path, rows=50).columns == detect_schema(table).columns
