"""Reports collected by a web form: one JSON object per line, as made by `device.js`."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from calm_core.collection.report_files import (
    AGAIN,
    INCOMPLETE,
    MAX_VIEWS,
    NO_LINE,
    NO_NAME,
    OTHER_PLAN,
    REASONS,
    ROWS,
    VALUE,
    VIEW,
    ReportColumns,
    ReportRows,
    explain_read_errors,
    open_report_file,
)
from calm_core.errors import DataError
from calm_core.oracles.form import ReportForm
from calm_core.planning.plan_file import plan_digest

LINES = ".jsonl"
# Bytes read at a time, bytes of a line without its report, and bytes of reports in memory.
BLOCK, LINE_BYTES, MAX_BYTES = 1 << 20, 1 << 16, 1 << 25
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
            self._file, self.sha256 = open_report_file(path, self.what)
            # Lines appended after hashing are not read.
            self._size = self._file.tell()
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
        rest, cut, start = b"", False, 0
        while start < self._size:
            self._file.seek(start)
            block = self._file.read(min(BLOCK, self._size - start))
            if not block:
                return  # cut short meanwhile
            digest.update(block)
            start += len(block)
            lines = (rest + block).splitlines(keepends=True)
            rest = b"" if lines[-1].endswith((b"\n", b"\r")) else lines.pop()
            for line in lines:
                if not cut and line.strip():
                    yield line.strip(b"\r\n")
                cut = False
            if len(rest) > self._longest:
                if not cut:
                    yield rest[: self._longest]
                rest, cut = b"", True
        if not cut and rest.strip():
            yield rest

    def __iter__(self) -> Iterator[ReportRows]:
        """Yield the rows in batches."""
        self._known.clear()
        digest = hashlib.sha256()
        lines = self._lines(digest)
        rows = max(1, min(ROWS, MAX_BYTES // self.columns.width))
        while True:
            with explain_read_errors(self.what):
                found = [self._row(line) for line in islice(lines, rows)]
            if not found:
                break
            refused = Counter(row for row in found if not isinstance(row, tuple))
            yield self._rows([row for row in found if isinstance(row, tuple)], refused)
        if digest.hexdigest() != self.sha256:
            raise DataError(
                f"{self.what} was changed while it was read; count it again once nobody writes it"
            )

    def _row(self, line: bytes) -> int | tuple[int, int | bytes, int]:
        """View, report and seed of a line, or the index of the reason to refuse it."""
        try:
            said = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            return NO_LINE
        if not isinstance(said, dict):
            return NO_LINE
        if any(said.get(name) is None for name in FIELDS):
            return INCOMPLETE
        if said["plan"] != self._digest:
            return OTHER_PLAN
        name, view = said["id"], said["view"]
        if not isinstance(name, str) or not NAME.fullmatch(name):
            return NO_NAME
        # Kept for every report, in half the size of the text.
        name = bytes.fromhex(name)
        if type(view) is not int or not 0 <= view < min(self.columns.plan.m, MAX_VIEWS):
            return VIEW
        form = self.columns.forms[view]
        body, seed = self._body(form, said["report"]), _seed(form, said.get("seed"))
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
