"""Randomly damaged files: bytes flipped, cut, doubled, zeroed, two blocks exchanged, a part in another encoding, a
wrong name; each must be read or refused.

`python -m tests.bad_files.damage COUNT` parses them here and prints one line of JSON per file; every second
file is read with random options, every third is streamed as well. Anything but a UserError ends the run.
"""

import functools
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from calm_core.errors import UserError
from calm_core.ingest.encode import encode_table
from calm_core.ingest.reading import read_table
from calm_core.ingest.streaming import stream_batches, stream_schema
from calm_core.ingest.table import ReadOptions
from tests.bad_files.make import CASES

# Intact files of every format, to be damaged; but for those of SPSS and Stata, whose reader may crash: in the
# child process that ends in a sentence.
SOUND = (
    "plain.csv utf16.csv latin1.csv lines_in_cells.csv hostile.csv decimal_comma.csv dates.csv "
    "packed.tsv.gz types.parquet merged.xlsx two_sheets.xlsx quoted.arff baskets.dat missing.csv "
    "titles.xlsx composed.csv bom.csv cyrillic.csv rare_bytes.dat one_column.csv replaced.csv "
    "binary.parquet pairs.csv lists.csv blank_line_in_cell.csv people.jsonl people_named_text.txt"
).split()
DAMAGES = "flip cut double zero insert swap blocks encoding name several".split()
# What a file is called though it is something else, and encodings of which a part is in another than the rest.
NAMES = (
    "csv",
    "tsv",
    "csv.gz",
    "xlsx",
    "xls",
    "ods",
    "parquet",
    "arff",
    "dat",
    "txt",
    "json",
    "sav",
    "",
)
ENCODINGS = ("utf-16", "utf-16-be", "cp1252", "shift_jis", "utf-8-sig", "cp037")

# The usual value stands several times where others hardly ever fit.
CHOICES = {
    "separator": (*[None] * 3, ",", ";", "\t", " ", "x", "'"),
    "encoding": (*[None] * 5, *"utf-8 cp1252 utf-16 utf-8-sig shift_jis utf-7 idna".split()),
    "decimal": (None, ".", ","),
    "header": (None, True, False),
    "header_row": (*[None] * 3, 0, 1, 50),
    "sheet": (*[None] * 9, "B"),
    "shape": (*[None] * 3, "table", "baskets", "items", "pairs"),
    "items": (64, 1, 3),
    "normalize": (True, False),
    "bad_bytes": ("refuse", "replace"),
    "ragged": (None, "leave_out"),
}


@functools.cache
def sound_files() -> tuple[tuple[str, bytes], ...]:
    """Name and content of every intact file."""
    return tuple((case.name, case.make()) for case in CASES if case.name in SOUND)


def damaged(index: int) -> tuple[str, bytes]:
    """The damaged file with this number: always the same one."""
    rng = np.random.default_rng([20181015, index])
    files = sound_files()
    name, content = files[index % len(files)]
    kind = DAMAGES[rng.integers(len(DAMAGES))]
    if kind == "name":
        return f"{name.partition('.')[0]}.{NAMES[rng.integers(len(NAMES))]}", content
    times = int(rng.integers(2, 6)) if kind == "several" else 1
    for _ in range(times):
        one = DAMAGES[rng.integers(len(DAMAGES) - 1)] if kind == "several" else kind
        content = damage(content, one, rng)
    return name, content


def damage(content: bytes, kind: str, rng: np.random.Generator) -> bytes:
    """One act of damage."""
    if not content:
        return content
    a, b = sorted(rng.integers(0, len(content) + 1, size=2).tolist())
    if kind == "flip":
        data = np.frombuffer(content, dtype=np.uint8).copy()
        at = rng.integers(0, len(data), size=int(rng.integers(1, 20)))
        data[at] ^= rng.integers(1, 256, size=len(at)).astype(np.uint8)
        return data.tobytes()
    if kind == "cut":
        return content[:a] + content[b:] if rng.random() < 0.5 else content[:b]
    if kind == "double":
        return content[:b] + content[a:b] + content[b:]
    if kind == "zero":
        return content[:a] + bytes(min(b - a, 200)) + content[a + min(b - a, 200) :]
    if kind == "blocks":
        size = (b - a) // 2
        one, two = content[a : a + size], content[b - size : b]
        return content[:a] + two + content[a + size : b - size] + one + content[b:]
    if kind == "encoding":
        text = content[a:b].decode("latin-1")
        other = ENCODINGS[rng.integers(len(ENCODINGS))]
        return content[:a] + text.encode(other, "replace") + content[b:]
    if kind == "insert":
        return content[:a] + rng.bytes(int(rng.integers(1, 100))) + content[a:]
    return content[a:] + content[:a]


def options_of(index: int) -> ReadOptions:
    """How the damaged file with this number is read."""
    if index % 2:
        return ReadOptions()
    rng = np.random.default_rng([20181016, index])
    return ReadOptions(**{name: some[rng.integers(len(some))] for name, some in CHOICES.items()})


def streamed(name: str, content: bytes, options: ReadOptions) -> int:
    """Read the file in chunks; the number of rows used."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        schema = stream_schema(path, options=options)
        return sum(chunk.dataset.n for chunk in stream_batches(path, schema, options=options))


def outcome(index: int) -> str:
    """What comes of one damaged file; rows of an accepted one must add up (Report checks it)."""
    (name, content), options = damaged(index), options_of(index)
    try:
        encoded = encode_table(read_table(content, name=name, options=options, isolate=False))
        said = encoded.report.sentence
        assert encoded.dataset.n == encoded.report.rows_used
    except UserError as error:
        said = f"refused: {error}"
    if content and index % 3 == 0:
        try:
            said += f" Streamed: {streamed(name, content, options):,} rows."
        except UserError as error:
            said += f" Not streamed: {error}"
    return said


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        print(json.dumps(outcome(number)), flush=True)
