"""Reports in files: a Parquet file per batch in random order, or a line of JSON per report from a web form."""

import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError, InfeasibleError
from calm_core.io.atomic_files import check_regular_file
from calm_core.oracles.base import ReportForm
from calm_core.planning.plan import Plan
from calm_core.planning.plan_file import plan_digest, plan_text

VERSION = "1"
MAX_VIEWS = 1 << 16
# Rows read at a time, and rows of a row group written.
ROWS = 1 << 18


# Reasons to refuse a report; counts of refused reports are in this order.
REASONS = (
    "a value is missing", "no view of the plan", "no report on its view", "bits that stand for nothing",
    "not as many bits as everybody sends", "no line of JSON", "of another plan", "sent before",
    "an id that is not 32 digits of 0 to 9 and a to f", "a lie for the experiment of a class",
)  # fmt: skip
INCOMPLETE, VIEW, VALUE, SPARE, CHOSEN, NO_LINE, OTHER_PLAN, AGAIN, NO_NAME, LIE = range(
    len(REASONS)
)
NONE_REFUSED = (0,) * len(REASONS)


@dataclass(frozen=True, eq=False)
class ReportRows:
    """Reports of a file as they are stored.

    Attributes
    ----------
    views : ndarray of uint16, shape (n,)
        Number of the view in the plan.
    body : ndarray, shape (n,) or (n, width) of uint8
        The reports: numbers, or bytes if the oracle of some view sends a bitmap.
    seeds : ndarray of uint64, shape (n,), optional
        Present if the oracle of some view draws seeds.
    refused : tuple of int
        Number of further rows that were refused, for each of `REASONS`.
    """

    views: np.ndarray
    body: np.ndarray
    seeds: np.ndarray | None
    refused: tuple[int, ...] = NONE_REFUSED


@dataclass(frozen=True)
class ReportColumns:
    """The columns of the report files of a plan.

    `view` (uint16) is the number of the view. `report` is the smallest unsigned integer type for all
    reports. If the oracle of some view sends a bitmap, it is fixed-size binary of the largest width:
    shorter reports are padded with zeros, and numbers are big-endian. `seed` (uint64) is present if the
    oracle of some view draws one, and 0 for other views.

    Attributes
    ----------
    plan : Plan

    Raises
    ------
    InfeasibleError
        If the plan has more views than a file can number.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> ReportColumns(plan).types
    {'view': DataType(uint16), 'report': DataType(uint8)}
    """

    plan: Plan

    def __post_init__(self):
        if self.plan.m > MAX_VIEWS:
            raise InfeasibleError(
                f"the plan has {self.plan.m:,} views, and a report file can number {MAX_VIEWS:,}; "
                "plan with fewer attributes or a smaller k"
            )

    @cached_property
    def forms(self):
        """The report form of every view."""
        return tuple(oracle.form for oracle in self.plan.oracles)

    @property
    def bytewise(self) -> bool:
        """Whether reports are bytes rather than numbers."""
        return any(form.bitmap for form in self.forms)

    @property
    def width(self) -> int:
        """Bytes of the widest report."""
        return max(form.width for form in self.forms)

    @property
    def has_seeds(self) -> bool:
        """Whether there is a column of seeds."""
        return any(form.has_seeds for form in self.forms)

    @property
    def number(self) -> np.dtype:
        """Type of the reports where they are numbers."""
        return np.dtype(np.min_scalar_type(max(form.size for form in self.forms) - 1))

    @property
    def types(self) -> dict[str, pa.DataType]:
        """Name and type of every column."""
        report = pa.binary(self.width) if self.bytewise else pa.from_numpy_dtype(self.number)
        seed = {"seed": pa.uint64()} if self.has_seeds else {}
        return {"view": pa.uint16(), "report": report, **seed}

    def parquet(self, rows: ReportRows, batch: str) -> bytes:
        """The content of a report file with these rows, in their order.

        Parameters
        ----------
        rows : Rows
        batch : str
            Random name of the batch.
        """
        from pyarrow import parquet

        about = {
            "schema_version": VERSION,
            "plan": plan_text(self.plan),
            "plan_digest": plan_digest(self.plan),
            "batch": batch,
            "reports": str(len(rows.views)),
        }
        fields = [pa.field(name, kind, nullable=False) for name, kind in self.types.items()]
        columns = [rows.views, rows.body, *([] if rows.seeds is None else [rows.seeds])]
        # `pa.array` and `to_numpy` would import pandas, which every worker would wait for.
        arrays = [
            pa.Array.from_buffers(field.type, len(column), [None, pa.py_buffer(column)])
            for field, column in zip(fields, columns)
        ]
        table = pa.Table.from_arrays(arrays, schema=pa.schema(fields, about))
        sink = io.BytesIO()
        # Only numbers benefit from a dictionary.
        packed: Any = ["view"] if self.bytewise or self.has_seeds else ["view", "report"]
        parquet.write_table(
            table, sink, row_group_size=ROWS, compression="none", write_statistics=False,
            use_dictionary=packed, write_page_checksum=True,
        )  # fmt: skip
        return sink.getvalue()


@contextmanager
def explain_read_errors(what: str) -> Generator[None]:
    """Turn errors of the system, and of pyarrow on damaged files, into a `DataError`, but not memory errors."""
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError, IndexError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            reason = (error.strerror or "unreadable").lower()
            raise DataError(f"{what} cannot be read ({reason}); check the path") from error
        raise DataError(
            f"{what} is no Parquet file, or damaged or cut short; copy it again"
        ) from error


def open_report_file(path: str | Path, what: str) -> tuple[Any, str]:
    """The opened file, read to its end, and the sha256 of its content.

    It is opened once, so that a file that replaces it meanwhile is not read instead.
    """
    check_regular_file(path, what)
    file: Any = pa.OSFile(str(path))
    return file, hashlib.file_digest(file, "sha256").hexdigest()


class ReportFile:
    """A report file opened for reading; plan and columns are checked before any row is read.

    Parameters
    ----------
    path : path
    columns : ReportColumns
        The columns of the plan it must have been collected under.

    Attributes
    ----------
    batch : str
        Its random name.
    sha256 : str
        Of its content, 64 hexadecimal digits.
    reports : int
        Number of reports.

    Raises
    ------
    DataError
        If it is damaged, not a report file, of another plan, or has other columns.
    """

    def __init__(self, path: str | Path, columns: ReportColumns):
        from pyarrow import parquet

        self.what, self.columns = f"the report file ({str(path):.200})", columns
        with explain_read_errors(self.what):
            source, self.sha256 = open_report_file(path, self.what)
            source.seek(0)
            self._file = parquet.ParquetFile(
                source, pre_buffer=False, buffer_size=1 << 16, page_checksum_verification=True
            )
            schema = self._file.schema_arrow
        about = {
            name.decode("ascii", "replace"): value.decode("utf-8", "replace")
            for name, value in (schema.metadata or {}).items()
        }
        self._check_plan(about)
        self.batch, self.reports = about.get("batch", ""), self._file.metadata.num_rows
        if not 0 < len(self.batch) <= 200 or about.get("reports") != str(self.reports):
            raise DataError(
                f"{self.what} must name its batch and hold as many reports as it says "
                f"({about.get('reports', 'none')!s:.20}, but it has {self.reports:,}); collect it again"
            )
        types = dict(zip(schema.names, schema.types))
        # Duplicate names would make pyarrow read both columns.
        if types != columns.types or len(schema.names) != len(types):
            expected = ", ".join(f"{name} ({kind})" for name, kind in columns.types.items())
            raise DataError(f"{self.what} must have the columns {expected}; collect it again")

    def _check_plan(self, about: dict[str, str]) -> None:
        """Refuse files that are not report files, or are of another plan."""
        if about.get("schema_version") != VERSION or not {"plan", "plan_digest"} <= set(about):
            raise DataError(f"{self.what} is no report file of version {VERSION}; check the path")
        expected, digest = plan_digest(self.columns.plan), about["plan_digest"]
        if digest != expected:
            raise DataError(
                f"{self.what} was collected under another plan (digest {digest:.12}, not "
                f"{expected:.12}); name the plan it was collected under"
            )
        if hashlib.sha256(about["plan"].encode()).hexdigest() != digest:
            raise DataError(
                f"{self.what} holds a plan that is not the one it names; collect it again"
            )

    def __iter__(self) -> Generator[ReportRows]:
        """Yield the rows in batches."""
        with explain_read_errors(self.what):
            names = list(self.columns.types)
            for batch in self._file.iter_batches(ROWS, columns=names, use_threads=False):
                yield self._rows(batch)

    def _rows(self, batch: pa.RecordBatch) -> ReportRows:
        incomplete = 0
        if any(column.null_count for column in batch.columns):
            complete, before = batch.drop_null(), batch.num_rows
            batch, incomplete = complete, before - complete.num_rows
        views, column, *seeds = batch.columns
        if self.columns.bytewise:
            # Fixed-size binary as rows of bytes, without a copy.
            width = self.columns.width
            every = np.frombuffer(column.buffers()[1], dtype=np.uint8)[column.offset * width :]
            body = every[: len(column) * width].reshape(-1, width)
        else:
            body = np.from_dlpack(column)
        refused = (incomplete, *NONE_REFUSED[1:])
        numbers = [np.from_dlpack(column) for column in (views, *seeds)]
        return ReportRows(numbers[0], body, numbers[1] if seeds else None, refused)


LINES = ".jsonl"
# Bytes of a line without its report, and bytes of reports in memory.
LINE_BYTES, MAX_BYTES = 1 << 16, 1 << 25
NAME, SEED = re.compile(r"[0-9a-f]{32}", re.ASCII), re.compile(r"[0-9a-f]{16}", re.ASCII)
FIELDS = ("plan", "id", "view", "report")


class LineFile:
    """A file with one report per line: ``{"plan": "…", "id": "…", "view": 3, "report": 2}``.

    `plan` is the digest of the plan. `id` is a random name of the report (32 hexadecimal digits), so that a
    report sent twice counts once. `report` is a number, or for oracles that send a bitmap a string of zeros
    and ones, one per cell. `seed` has 16 hexadecimal digits and is present if the oracle draws one. The
    batch is named after its first line: a file that has grown since it was counted is the same batch with
    another content.

    Parameters
    ----------
    path : path
    columns : ReportColumns
        The columns of the plan it must have been collected under.

    Attributes
    ----------
    batch : str
        Name of the batch.
    sha256 : str
        Of its content, 64 hexadecimal digits.

    Raises
    ------
    DataError
        If it is empty, or no line is a report of the plan.

    Examples
    --------
    >>> import tempfile
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> row = {"plan": plan_digest(plan), "id": "0" * 32, "view": 0, "report": 4}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reports.jsonl"
    ...     _ = path.write_text(json.dumps(row))
    ...     [rows] = LineFile(path, ReportColumns(plan))
    >>> rows.views.tolist(), rows.body.tolist()
    ([0], [4])
    """

    def __init__(self, path: str | Path, columns: ReportColumns):
        self.what, self.columns = f"the report file ({str(path):.200})", columns
        self._digest = plan_digest(columns.plan)
        # Longest possible line, with some space for names.
        self._longest = LINE_BYTES + max(form.size if form.bitmap else 0 for form in columns.forms)
        self._known: set[bytes] = set()
        with explain_read_errors(self.what):
            file, self.sha256 = open_report_file(path, self.what)
            # Lines appended after hashing are not read.
            self._size = file.tell()
            self._file = io.BufferedReader(file)
            first = next(self._lines(hashlib.sha256()), None)
            ours = any(self._digest.encode() in line for line in self._lines(hashlib.sha256()))
        if first is None:
            raise DataError(f"{self.what} is empty; it must hold a report a line")
        self.batch = hashlib.sha256(first).hexdigest()[:32]
        if not ours:
            raise DataError(
                f"{self.what} holds no report of the plan {self._digest:.12}; name the plan it was "
                "collected under"
            )

    def _lines(self, digest) -> Iterator[bytes]:
        """Yield all lines that are not blank; of a line too long for a report only the start."""
        self._file.seek(0)
        remaining, cut = self._size, False
        while remaining and (line := self._file.readline(min(remaining, self._longest))):
            digest.update(line)
            remaining -= len(line)
            if not cut and line.strip():
                yield line.strip(b"\r\n")
            cut = not line.endswith(b"\n")

    def __iter__(self) -> Iterator[ReportRows]:
        """Yield the rows in batches."""
        self._known.clear()
        digest = hashlib.sha256()
        lines = self._lines(digest)
        rows = max(1, min(ROWS, MAX_BYTES // self.columns.width))
        while True:
            with explain_read_errors(self.what):
                parsed = [self._row(line) for line in islice(lines, rows)]
            if not parsed:
                break
            refused = Counter(row for row in parsed if not isinstance(row, tuple))
            yield self._rows([row for row in parsed if isinstance(row, tuple)], refused)
        if digest.hexdigest() != self.sha256:
            raise DataError(
                f"{self.what} was changed while it was read; count it again once nobody writes it"
            )

    def _row(self, line: bytes) -> int | tuple[int, int | bytes, int]:
        """View, report and seed of a line, or the index of the reason to refuse it."""
        try:
            fields = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            return NO_LINE
        if not isinstance(fields, dict):
            return NO_LINE
        if any(fields.get(name) is None for name in FIELDS):
            return INCOMPLETE
        if fields["plan"] != self._digest:
            return OTHER_PLAN
        name, view = fields["id"], fields["view"]
        if not isinstance(name, str) or not NAME.fullmatch(name):
            return NO_NAME
        # Kept for every report, in half the size of the text.
        name = bytes.fromhex(name)
        if type(view) is not int or not 0 <= view < min(self.columns.plan.m, MAX_VIEWS):
            return VIEW
        form = self.columns.forms[view]
        body, seed = self._body(form, fields["report"]), _seed(form, fields.get("seed"))
        if body is None or seed is None:
            return VALUE
        if name in self._known:
            return AGAIN
        self._known.add(name)
        return view, body, seed

    def _body(self, form: ReportForm, report: object) -> int | bytes | None:
        """A report as stored in a Parquet file of the plan; None if it is invalid."""
        if form.bitmap:
            if not isinstance(report, str) or len(report) != form.size or set(report) - set("01"):
                return None
            number = int(report, 2) << 8 * form.width - form.size
        elif type(report) is int and 0 <= report < form.size:
            number = report
        else:
            return None
        if not self.columns.bytewise:
            return number
        return number.to_bytes(form.width, "big").ljust(self.columns.width, b"\0")

    def _rows(self, rows: list[tuple], refused: Counter) -> ReportRows:
        views, bodies, seeds = zip(*rows) if rows else ((), (), ())
        if self.columns.bytewise:
            flat = np.frombuffer(b"".join(bodies), dtype=np.uint8)
            body = flat.reshape(-1, self.columns.width)
        else:
            body = np.array(bodies, dtype=self.columns.number)
        return ReportRows(
            np.array(views, dtype=np.uint16), body,
            np.array(seeds, dtype=np.uint64) if self.columns.has_seeds else None,
            tuple(refused[reason] for reason in range(len(REASONS))),
        )  # fmt: skip


def _seed(form: ReportForm, seed: object) -> int | None:
    """The seed of a report, 0 if its oracle draws none; None if it is invalid."""
    if not form.has_seeds:
        return 0 if seed is None else None
    return int(seed, 16) if isinstance(seed, str) and SEED.fullmatch(seed) else None
