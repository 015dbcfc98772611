"""Parsing in a child process, so that a bomb or a crashing file ends in a sentence."""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from calm_core.errors import DataError, InputError
from calm_core.ingest.limits import Limits
from calm_core.ingest.table import ReadOptions, Table
from calm_core.scratch import Scratch

WORKER = Path(__file__).with_name("worker.py")
# What the child may know of the parent's environment; no secret of a server reaches a parser.
PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH")
QUIET = {
    # The system allocator reserves little address space, which the memory limit counts.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "2",
}

UNFIT = (
    "the file made its reader fail (it is damaged, or needs more memory than allowed); "
    "export it again with fewer rows or columns"
)


def parse_in_child(
    source: str | os.PathLike | bytes, name: str, options: ReadOptions, limits: Limits
) -> Table:
    """Parse a file in a fresh interpreter; crashes, hangs and memory hunger become a DataError."""
    upload = isinstance(source, bytes | bytearray | memoryview)
    with Scratch() as scratch:
        folder = scratch.path
        path = folder / "input" if upload else Path(source).resolve()
        if upload:
            with scratch.open("input", "wb") as file:
                file.write(source)
        job = {
            "parent": os.getpid(),
            "path": str(path),
            "name": name,
            "options": options.to_dict(),
            "limits": asdict(limits),
        }
        with scratch.open("job.json", "w", encoding="utf-8") as file:
            file.write(json.dumps(job))
        _run(folder, limits.seconds if upload else limits.file_seconds)
        return take_table(folder, name)


def _run(folder: Path, seconds: int) -> None:
    environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ} | QUIET
    try:
        # This thread waits, so the child, which ends with its parent, cannot be taken for an orphan.
        done = subprocess.run(
            [sys.executable, "-I", str(WORKER), str(folder)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise DataError(
            f"the file took longer than {seconds} seconds to read and was given up; "
            "keep fewer rows or columns, or save it as Parquet"
        ) from error
    if (folder / "error.json").exists():
        error = json.loads((folder / "error.json").read_text("utf-8"))
        kind = InputError if error["kind"] == InputError.__name__ else DataError
        raise kind(error["sentence"])
    if done.returncode == 1 and b"Traceback" in done.stderr:
        # A bug of ours, not of the file's: it must stay visible.
        raise RuntimeError(f"reading failed:\n{done.stderr.decode(errors='replace')[-4000:]}")
    if done.returncode:
        raise DataError(UNFIT)


def leave_table(table: Table, folder: Path) -> None:
    """Write a Table for the parent: Arrow for the columns, JSON for the rest."""
    with pa.OSFile(str(folder / "table.arrow"), "wb") as sink:
        with pa.ipc.new_file(sink, table.data.schema) as writer:
            writer.write_table(table.data)
    rest = {
        "notes": table.notes,
        "left_out": table.left_out,
        "dialect": table.dialect.to_dict(),
        "transactions": table.transactions,
    }
    (folder / "table.json").write_text(json.dumps(rest), "utf-8")


def take_table(folder: Path, name: str) -> Table:
    """Read what the child left; every offset and index is checked before it is used."""
    try:
        with pa.OSFile(str(folder / "table.arrow"), "rb") as source:
            data = pa.ipc.open_file(source).read_all()
        data.validate(full=True)
    except pa.ArrowInvalid as error:
        raise DataError(UNFIT) from error
    rest = json.loads((folder / "table.json").read_text("utf-8"))
    return Table(
        data,
        notes=tuple(rest["notes"]),
        left_out=tuple((reason, count) for reason, count in rest["left_out"]),
        dialect=ReadOptions(**rest["dialect"]),
        transactions=rest["transactions"],
        name=name,
    )
