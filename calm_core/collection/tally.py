"""Counting of report files: values are checked against the plan, and refused ones counted by reason."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from calm_core._checks import as_readonly, check_count, set_fields
from calm_core.collection.report_files import (
    CHOSEN,
    LINES,
    NONE_REFUSED,
    REASONS,
    SPARE,
    VALUE,
    VIEW,
    LineFile,
    ReportColumns,
    ReportFile,
    ReportRows,
)
from calm_core.errors import InputError
from calm_core.oracles.base import Oracle
from calm_core.planning.plan import Plan

# Bits are counted byte by byte in words of eight counters, which are emptied before one exceeds a byte.
FULL = 255
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1)
_COUNTERS, _ONES = _BITS.view("<u8")[:, 0].astype(np.uint64), _BITS.sum(axis=1)


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts of one batch, or the sum of several batches.

    Attributes
    ----------
    batches : tuple of (str, str)
        Random name of every batch and the sha256 of its content.
    support : ndarray of int64
        Number of reports that support each cell of each view, view by view.
    people : ndarray of int64, shape (m,)
        Number of reports on each view.
    refused : tuple of int
        Number of refused reports for each of `REASONS`.

    Raises
    ------
    InputError
        If there is no batch, one has two contents, or a number is negative.
    """

    batches: tuple[tuple[str, str], ...]
    support: np.ndarray
    people: np.ndarray
    refused: tuple[int, ...] = NONE_REFUSED

    def __post_init__(self):
        if not self.batches or len(dict(self.batches)) != len(self.batches):
            raise InputError("a tally must be of one batch or of several different ones")
        for name in ("support", "people"):
            counts = np.asarray(getattr(self, name))
            if counts.ndim != 1 or counts.dtype.kind not in "iu" or counts.min(initial=0) < 0:
                raise InputError(f"the {name} of a tally must be whole numbers from 0")
            object.__setattr__(self, name, as_readonly(counts.astype(np.int64, copy=False)))
        if len(self.refused) != len(REASONS):
            raise InputError(f"refused must be a number for each of the {len(REASONS)} reasons")
        refused = tuple(check_count("refused", count, low=0) for count in self.refused)
        set_fields(self, batches=tuple(sorted(map(tuple, self.batches))), refused=refused)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.batches + other.batches,
            self.support + other.support,
            self.people + other.people,
            tuple(a + b for a, b in zip(self.refused, other.refused)),
        )


def _empty(counters, start, width, support, first):
    for j in range(width):
        for bit in range(8):
            count = (counters[start + j] >> np.uint64(8 * bit)) & np.uint64(FULL)
            support[first + 8 * j + bit] += np.int64(count)
        counters[start + j] = 0


@cache
def _kernels():
    """Compiled once per machine (cached on disk); imported late so that starting up stays quick."""
    from numba import njit
    from numba.extending import register_jitable

    # As a closure it would have a new name, and be compiled again, in every process.
    register_jitable(_empty)

    @njit(cache=True, nogil=True)
    def count_numbers(views, body, size, first, support, people, refused):
        m = np.uintp(len(size))
        for i in range(len(views)):
            view, number = np.uintp(views[i]), np.uint64(body[i])
            if view >= m:
                refused[VIEW] += 1
            elif number >= size[view]:
                refused[VALUE] += 1
            else:
                support[np.uintp(first[view] + number)] += 1
                people[view] += 1

    @njit(cache=True, nogil=True)
    def count_bytes(views, body, table, counters, support, people, refused):
        bitmap, size, width, fixed_ones, spare_bits, first, start = table
        m, widest, waiting = np.uintp(len(size)), body.shape[1], np.zeros_like(size)
        for i in range(len(views)):
            view = np.uintp(views[i])
            if view >= m:
                refused[VIEW] += 1
                continue
            w = width[view]
            spare, number, ones = body[i, w - 1] & spare_bits[view], 0, 0
            for j in range(w, widest):
                spare |= body[i, j]
            if spare:
                refused[SPARE] += 1
                continue
            if not bitmap[view]:
                for j in range(w):
                    number = (number << 8) | body[i, j]
                if number >= size[view]:
                    refused[VALUE] += 1
                else:
                    support[first[view] + number] += 1
                    people[view] += 1
                continue
            if fixed_ones[view] >= 0:
                for j in range(w):
                    ones += _ONES[body[i, j]]
                if ones != fixed_ones[view]:
                    refused[CHOSEN] += 1
                    continue
            for j in range(w):
                counters[start[view] + j] += _COUNTERS[body[i, j]]
            people[view] += 1
            waiting[view] += 1
            if waiting[view] == FULL:
                _empty(counters, start[view], w, support, first[view])
                waiting[view] = 0
        for view in range(len(size)):
            if waiting[view]:
                _empty(counters, start[view], width[view], support, first[view])

    return count_numbers, count_bytes


class _Counter:
    """Support counts of all views of a plan, updated batch by batch."""

    def __init__(self, columns: ReportColumns):
        self.columns, forms, oracles = columns, columns.forms, columns.plan.oracles
        sizes = np.array([oracle.size for oracle in oracles], dtype=np.int64)
        self.oracles = list(dict.fromkeys(o for o in oracles if not o.form.direct))
        numbers = {oracle: number for number, oracle in enumerate(self.oracles)}
        self.asked = np.array([numbers.get(oracle, -1) for oracle in oracles])
        width = np.array([form.width for form in forms])
        bitmap = np.array([form.bitmap for form in forms])
        self.first = np.concatenate([[0], np.cumsum(sizes)])
        self.limits = np.array([form.size for form in forms], dtype=np.uint64)
        fixed_ones = [-1 if form.ones is None else form.ones for form in forms]
        spare_bits = np.where(bitmap, (1 << -sizes % 8) - 1, 0)
        start = np.cumsum(width) - width
        parts = bitmap, sizes, width, fixed_ones, spare_bits, self.first[:-1], start
        self.table = tuple(np.asarray(part, dtype=np.int64) for part in parts)
        self.counters = np.zeros(width.sum(), dtype=np.uint64)
        # The spare bits of the last view, which are 0, are added after its cells.
        self.support = np.zeros(self.first[-1] + 7, dtype=np.int64)
        self.people = np.zeros(len(forms), dtype=np.int64)
        self.refused = np.zeros(len(REASONS), dtype=np.int64)

    def add(self, rows: ReportRows) -> None:
        """Add the counts of some rows."""
        self.refused += np.array(rows.refused, dtype=np.int64)
        if self.oracles:
            rows = self._ask(rows)
        count_numbers, count_bytes = _kernels()
        counts = self.support, self.people, self.refused
        if self.columns.bytewise:
            count_bytes(rows.views, rows.body, self.table, self.counters, *counts)
        else:
            first = self.first[:-1].astype(np.uint64)
            count_numbers(rows.views, rows.body, self.limits, first, *counts)

    def _ask(self, rows: ReportRows) -> ReportRows:
        """Count the reports that need their oracle, by oracle, and return the other rows."""
        in_plan = rows.views < len(self.asked)
        # Index of the oracle that must count each row, -1 where the report gives its support directly.
        kinds = np.where(in_plan, self.asked[np.minimum(rows.views, len(self.asked) - 1)], -1)
        seeds = np.zeros(len(kinds), np.uint64) if rows.seeds is None else rows.seeds
        for number, oracle in enumerate(self.oracles):
            theirs = np.flatnonzero(kinds == number)
            self._ask_one(oracle, rows.views[theirs], rows.body[theirs], seeds[theirs])
        spare = (kinds < 0) & in_plan & (seeds != 0)
        self.refused[SPARE] += np.count_nonzero(spare)
        direct = (kinds < 0) & ~spare
        return ReportRows(rows.views[direct], rows.body[direct], None)

    def _ask_one(
        self, oracle: Oracle, views: np.ndarray, body: np.ndarray, seeds: np.ndarray
    ) -> None:
        form = oracle.form
        if body.ndim == 2:
            right = ~body[:, form.width :].any(axis=1)
            self.refused[SPARE] += np.count_nonzero(~right)
            views, body, seeds = views[right], body[right, : form.width], seeds[right]
        own = seeds if form.has_seeds else None
        reports = form.unpack(body, own) if body.ndim == 2 else form.reports_from_numbers(body, own)
        fits = (reports[:, 1] if form.has_seeds else reports) < form.size
        self.refused[VALUE] += np.count_nonzero(~fits)
        views = views[fits]
        oracle.add_support(reports[fits], self.first[views], self.support)
        self.people += np.bincount(views, minlength=len(self.people))

    def tally(self, batch: str, sha256: str) -> Tally:
        """The tally of all rows added."""
        support, refused = self.support[: self.first[-1]], tuple(self.refused.tolist())
        return Tally(((batch, sha256),), support, self.people, refused)


def tally_file(path: str | Path, plan: Plan, batches: dict[str, str] | None = None) -> Tally | None:
    """Count the reports of one file, a row group at a time.

    Parameters
    ----------
    path : path
    plan : Plan
        The plan of the collection.
    batches : dict, optional
        Batches already counted, with their sha256.

    Returns
    -------
    Tally, or None if the batch was counted before.

    Raises
    ------
    DataError
        If the file is damaged or of another plan.
    InputError
        If a batch with this name but another content was counted before.
    """
    columns = ReportColumns(plan)
    file = (LineFile if Path(path).suffix == LINES else ReportFile)(path, columns)
    sha256 = (batches or {}).get(file.batch)
    if sha256 == file.sha256:
        return None
    if sha256 is not None:
        raise InputError(
            f"{file.what} is called batch {file.batch:.40}, which was counted before with another "
            "content; find out which of the two is right"
        )
    counter = _Counter(columns)
    for rows in file:
        counter.add(rows)
    return counter.tally(file.batch, file.sha256)
