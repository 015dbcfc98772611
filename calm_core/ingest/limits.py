"""Limits for files and tables, and parsing in a child process with limits.

A file that crashes or hangs that process raises a plain error.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pyarrow as pa

from calm_core._checks import check_count
from calm_core.errors import DataError, InputError, TooLargeError
from calm_core.ingest.table import ReadOptions, Table
from calm_core.io.json_types import build_fields
from calm_core.runtime.child_process import build_command
from calm_core.runtime.temp_dirs import PrivateTempDir

MB = 1 << 20
# The ratio is not checked for files that unpack to less.
SMALL = 64 * MB


@dataclass(frozen=True)
class Limits:
    """Upper limits for a file and its table, checked before memory is allocated.

    Attributes
    ----------
    upload_bytes, file_bytes : int
        Size of an upload and of a file named on the command line.
    unpacked_bytes : int
        Size after decompression of a gzip file.
    sheet_bytes : int
        Size after decompression of all parts of a workbook.
    ratio : int
        Factor by which packed content may grow, if it becomes larger than 64 MB. Tables of
        text grow five- to twentyfold, one of hardly anything but zeros a hundredfold, bombs a thousandfold.
    rows, columns, cells : int
        Shape of the table.
    seconds, most_seconds, file_seconds : int
        Processor time of the process that parses: for a small upload, with one more for every MB up to the
        most; for a file named on the command line. By the clock it may be four times as long, since
        a machine may be busy.
    memory_bytes : int
        Address space of that process.

    Raises
    ------
    InputError
        If one is not a whole number from 1.
    """

    upload_bytes: int = 200 * MB
    file_bytes: int = 4_000 * MB
    unpacked_bytes: int = 2_000 * MB
    sheet_bytes: int = 300 * MB
    ratio: int = 1_100
    rows: int = 20_000_000
    columns: int = 2_000
    cells: int = 500_000_000
    seconds: int = 60
    most_seconds: int = 60
    file_seconds: int = 600
    memory_bytes: int = 6_000 * MB

    def __post_init__(self):
        for item in fields(self):
            check_count(item.name, getattr(self, item.name))

    def check_bytes(self, size: int, *, upload: bool) -> None:
        """Raise if a file is too large."""
        limit = self.upload_bytes if upload else self.file_bytes
        if size > limit:
            raise TooLargeError(
                f"the file ({size / MB:,.1f} MB) must be at most {limit / MB:,.0f} MB; "
                "keep fewer rows or columns, or save it as Parquet"
            )

    def seconds_for(self, size: int, *, upload: bool) -> int:
        """Processor time in seconds for a file of this size.

        >>> UPLOADS.seconds_for(10_000, upload=True), UPLOADS.seconds_for(200 * MB, upload=True)
        (15, 60)
        """
        if not upload:
            return self.file_seconds
        return max(self.seconds, min(self.most_seconds, self.seconds + size // MB))

    def check_unpacked(self, size: int, packed: int, *, sheet: bool = False) -> None:
        """Raise if a file unpacks to too much or grows as no table does."""
        limit = self.sheet_bytes if sheet else self.unpacked_bytes
        if size > limit:
            raise TooLargeError(
                f"the file unpacks to more than {limit / MB:,.0f} MB; keep fewer rows or columns"
            )
        if size > max(SMALL, self.ratio * packed):
            rest = "save it as CSV" if sheet else "send it unpacked"
            raise TooLargeError(
                f"the file unpacks to more than {self.ratio:,} times its size, as tables hardly ever do; {rest}"
            )

    def check_shape(self, rows: int, columns: int) -> None:
        """Raise if a table has too many rows, columns or cells."""
        must = "and must have at most"
        if columns > self.columns:
            raise TooLargeError(
                f"the table has {columns:,} columns {must} {self.columns:,}; keep the columns you need"
            )
        if rows > self.rows:
            raise TooLargeError(
                f"the table has {rows:,} rows {must} {self.rows:,}; keep fewer rows"
            )
        if rows * columns > self.cells:
            raise TooLargeError(
                f"the table has {rows:,} rows x {columns:,} columns = {rows * columns:,} cells "
                f"{must} {self.cells:,}; keep fewer rows or columns"
            )


LIMITS = Limits()
# For uploads to a server; a CSV file of 200 MB has fewer than 100 million cells.
UPLOADS = Limits(
    unpacked_bytes=500 * MB, ratio=100, cells=100_000_000,
    seconds=15, most_seconds=60, memory_bytes=1_536 * MB,
)  # fmt: skip


WORKER = Path(__file__).with_name("worker.py")
# Variables that the child inherits; no secret of a server reaches a parser.
INHERITED_VARIABLES = "PATH LANG LC_ALL SYSTEMROOT TMPDIR TEMP TMP LD_LIBRARY_PATH".split()
CHILD_VARIABLES = {
    # The system allocator reserves little address space, which is limited.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "2",
}

# Wall-clock limit of the child, as a multiple of its processor time.
CLOCK_FACTOR = 4
LOOK_SECONDS = 0.1
KINDS = {kind.__name__: kind for kind in (InputError, DataError, TooLargeError)}

UNREADABLE = (
    "the file made its reader fail (it is damaged, or needs more memory than allowed); "
    "export it again with fewer rows or columns"
)


def parse_in_child(
    source: str | os.PathLike | bytes,
    name: str,
    options: ReadOptions,
    limits: Limits,
    on_wait: Callable[[], None] | None = None,
) -> Table:
    """The table of a file parsed in a fresh interpreter; raises if it crashes, hangs or needs too much.

    `on_wait` is called ten times a second meanwhile; what it raises ends the child.
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
            "options": asdict(options),
            "limits": asdict(limits),
            "seconds": seconds,
        }
        with scratch.open("job.json", "w", encoding="utf-8") as file:
            file.write(json.dumps(job))
        _run(folder, seconds, on_wait or (lambda: None))
        return load_table(folder, name)


def _run(folder: Path, seconds: int, on_wait: Callable[[], None]) -> None:
    inherited = {key: os.environ[key] for key in INHERITED_VARIABLES if key in os.environ}
    # Isolated, a child does not hear that no byte code shall be written: where files may not grow it would
    # leave some that end too early, on which every later process fails.
    flags = ("-I", "-B") if sys.dont_write_bytecode else ("-I",)
    with (folder / "said.txt").open("wb") as output_file:
        # This thread waits: the child ends with it.
        child = subprocess.Popen(
            build_command(WORKER, folder, flags=flags),
            cwd=folder,
            env=inherited | CHILD_VARIABLES,
            stdin=subprocess.DEVNULL,
            stdout=output_file,
            stderr=output_file,
        )
    until = time.monotonic() + CLOCK_FACTOR * seconds
    late = TooLargeError(
        f"the file took longer than {seconds} seconds to read and was given up; "
        "keep fewer rows or columns, or save it as Parquet"
    )
    try:
        while (status := child.poll()) is None:
            if time.monotonic() > until:
                raise late
            on_wait()
            with suppress(subprocess.TimeoutExpired):
                child.wait(LOOK_SECONDS)
    finally:
        child.kill()
        child.wait()
    if (folder / "error.json").exists():
        error = json.loads((folder / "error.json").read_text("utf-8"))
        raise KINDS[error["kind"]](error["sentence"])
    if sys.platform != "win32" and status == -signal.SIGXCPU:
        raise late
    output = (folder / "said.txt").read_bytes()[-4000:].decode(errors="replace")
    if status == 1 and "Traceback" in output:
        # A bug in our code must stay visible.
        raise RuntimeError(f"reading failed:\n{output}")
    if status:
        raise TooLargeError(UNREADABLE)


def write_table(table: Table, folder: Path) -> None:
    """Write a Table for the parent process: columns as Arrow, the rest as JSON."""
    with pa.OSFile(str(folder / "table.arrow"), "wb") as sink:
        with pa.ipc.new_file(sink, table.data.schema) as writer:
            writer.write_table(table.data)
    rest = {
        "notes": table.notes,
        "left_out": table.left_out,
        "dialect": asdict(table.dialect),
        "descriptions": {name: asdict(one) for name, one in table.descriptions.items()},
    }
    (folder / "table.json").write_text(json.dumps(rest), "utf-8")


def load_table(folder: Path, name: str) -> Table:
    """The table that the child wrote; its file is memory-mapped, not copied.

    Every offset and index is checked before it is used. Windows removes no file that is mapped: there it is read.
    """
    opened = pa.OSFile if sys.platform == "win32" else pa.memory_map
    try:
        with opened(str(folder / "table.arrow"), "r") as source:
            data = pa.ipc.open_file(source).read_all()
        data.validate(full=True)
    except pa.ArrowInvalid as error:
        raise DataError(UNREADABLE) from error
    rest = json.loads((folder / "table.json").read_text("utf-8"))
    return Table(data, name=name, **build_fields(rest, Table))
