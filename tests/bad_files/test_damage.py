"""Randomly damaged files are read or refused in a sentence; with random options, under wrong names, and streamed too."""

import numpy as np
import pytest

from calm_core.errors import UserError
from calm_core.ingest.encode import encode_table
from calm_core.ingest.reading import read_table
from calm_core.ingest.streaming import stream_batches, stream_schema
from calm_core.ingest.table import ReadOptions
from tests.bad_files.make import CASES

# Intact files of every format, but for those of SPSS and Stata, whose reader may crash: in the child process
# that ends in a sentence.
SOUND = (
    "plain.csv utf16.csv latin1.csv lines_in_cells.csv hostile.csv decimal_comma.csv dates.csv "
    "packed.tsv.gz types.parquet merged.xlsx two_sheets.xlsx baskets.dat missing.csv "
    "titles.xlsx composed.csv bom.csv cyrillic.csv rare_bytes.dat one_column.csv "
    "binary.parquet blank_line_in_cell.csv people.jsonl people_named_text.txt"
).split()
ENDS = "csv tsv csv.gz xlsx xls ods parquet dat txt json sav".split()
TIMES = 9
CHOICES = {
    "separator": (None, None, ";", "\t", "x", "'"), "encoding": (None, None, "cp1252", "utf-16", "utf-7"),
    "decimal": (None, ","), "header": (None, True, False), "header_row": (None, None, 1, 50), "items": (64, 1),
    "shape": (None, None, "table", "baskets"), "ragged": (None, "leave_out"),
}  # fmt: skip


def damage(content: bytes, rng: np.random.Generator) -> bytes:
    """Bytes flipped, a part left out, doubled or zeroed, or noise put in."""
    a, b = sorted(rng.integers(0, len(content) + 1, size=2).tolist())
    flipped = bytearray(content)
    for at in rng.integers(0, len(content), size=9).tolist():
        flipped[at] ^= int(rng.integers(1, 256))
    noise = rng.bytes(int(rng.integers(1, 100)))
    ways = (
        bytes(flipped), content[:a] + content[b:], content[:b], content[:b] + content[a:],
        content[:a] + bytes(b - a) + content[b:], content[:a] + noise + content[a:],
    )  # fmt: skip
    return ways[rng.integers(len(ways))]


@pytest.mark.parametrize("name", SOUND)
def test_a_damaged_file_ends_in_a_table_or_a_sentence(name, tmp_path):
    (sound,) = (case.make() for case in CASES if case.name == name)
    for number in range(TIMES):
        rng = np.random.default_rng([20181015, SOUND.index(name), number])
        content, called, options = damage(sound, rng), name, ReadOptions()
        if number % 3 == 1:
            called = f"{name.partition('.')[0]}.{ENDS[rng.integers(len(ENDS))]}"
        if number % 3 == 2:
            chosen = {field: some[rng.integers(len(some))] for field, some in CHOICES.items()}
            options = ReadOptions(**chosen)
        path = tmp_path / called
        path.write_bytes(content)
        try:
            table = read_table(content, name=called, options=options, isolate=False)
            encoded = encode_table(table)
            assert encoded.dataset.n == encoded.report.rows_used
            schema = stream_schema(path, options=options)
            assert sum(b.dataset.n for b in stream_batches(path, schema, options=options))
        except UserError as error:
            assert "\n" not in str(error)
