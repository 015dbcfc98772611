"""Parsing in a child process, so that a bomb or a crashing file ends in a sentence."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from calm_core.errors import DataError, InputError, TooLargeError
from calm_core.ingest.limits import Limits
from calm_core.ingest.table import ReadOptions, Table
from calm_core.runtime.child_process import build_command
from calm_core.runtime.temp_dirs import PrivateTempDir

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

# Times its processor time that a child may take by the clock, since a machine may be busy.
PATIENCE = 4
LOOK_SECONDS = 0.1
KINDS = {kind.__name__: kind for kind in (InputError, DataError, TooLargeError)}

UNFIT = (
    "the file made its reader fail (it is damaged, or needs more memory than allowed); "
    "export it again with fewer rows or columns"
)


def parse_in_child(
    source: str | os.PathLike | bytes,
    name: str,
    options: ReadOptions,
    limits: Limits,
    attend: Callable[[], None] | None = None,
) -> Table:
    """Parse a file in a fresh interpreter; crashes, hangs and memory hunger become a DataError.

    `attend` is called ten times a second meanwhile; what it raises ends the child.
    """
    upload = isinstance(source, bytes | bytearray | memoryview)
    size = len(source) if upload else os.path.getsize(source)
    seconds = limits.seconds_for(size, upload=upload)
    with PrivateTempDir() as scratch:
        folder = scratch.path
        path = folder / "input" if upload else Path(source).resolve()
        if upload:
            with scratch.open("input", "wb") as file:
                file.write(source)
        job = {
            "path": str(path),
            "name": name,
            "options": options.to_dict(),
            "limits": asdict(limits),
            "seconds": seconds,
        }
        with scratch.open("job.json", "w", encoding="utf-8") as file:
            file.write(json.dumps(job))
        _run(folder, seconds, attend or (lambda: None))
        return take_table(folder, name)


def _run(folder: Path, seconds: int, attend: Callable[[], None]) -> None:
    environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ} | QUIET
    # Isolated, a child does not hear that no byte code shall be written: where files may not grow it would
    # leave some that end too early, on which every later process fails.
    flags = ("-I", "-B") if sys.dont_write_bytecode else ("-I",)
    with (folder / "said.txt").open("wb") as said:
        # This thread waits, so the child, which ends with its parent, cannot be taken for an orphan.
        child = subprocess.Popen(
            build_command(WORKER, folder, flags=flags),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
    until = time.monotonic() + PATIENCE * seconds
    try:
        while True:
            try:
                status = child.wait(LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() > until:
                    raise _too_long(seconds) from None
                attend()
    finally:
        child.kill()
        child.wait()
    if (folder / "error.json").exists():
        error = json.loads((folder / "error.json").read_text("utf-8"))
        raise KINDS[error["kind"]](error["sentence"])
    if sys.platform != "win32" and status == -signal.SIGXCPU:
        raise _too_long(seconds)
    told = (folder / "said.txt").read_bytes()[-4000:].decode(errors="replace")
    if status == 1 and "Traceback" in told:
        # A bug of ours, not of the file's: it must stay visible.
        raise RuntimeError(f"reading failed:\n{told}")
    if status:
        raise TooLargeError(UNFIT)


def _too_long(seconds: int) -> TooLargeError:
    return TooLargeError(
        f"the file took longer than {seconds} seconds to read and was given up; "
        "keep fewer rows or columns, or save it as Parquet"
    )


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
    """Take what the child left, which is no second copy: the file itself is mapped, and goes with the table.

    Every offset and index is checked before it is used. Windows removes no file that is mapped: there it is read.
    """
    opened = pa.OSFile if sys.platform == "win32" else pa.memory_map
    try:
        with opened(str(folder / "table.arrow"), "r") as source:
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
