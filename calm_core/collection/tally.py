"""Counting of report files: values are checked against the plan, and refused ones counted by reason."""

from dataclasses import dataclass
from functools import cache, lru_cache
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
from calm_core.oracles.base import Oracle, ReportForm
from calm_core.planning.plan import Plan

DIRECT_NUMBER, BITMAP, ASKED = range(3)
# Bitmaps are added up in bit planes: bit c of plane p is binary digit p of the count of cell c. Full planes
# (after FEW reports) are added to byte counters, eight per word, which are emptied before they overflow
# (after FULL, a multiple of FEW).
PLANES = 4
FEW = 2**PLANES - 1
FULL = 255
_BYTE, _LOW_BITS = np.uint64(255), np.uint64(0x0101010101010101)


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


def _ones(word):
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * _LOW_BITS) >> np.uint64(56)


def _spill(start, words, planes, lanes):
    # Lane b of a word counts bit b of each of its bytes.
    for j in range(start, start + words):
        for p in range(PLANES):
            plane = planes[np.uintp(j * PLANES + p)]
            planes[np.uintp(j * PLANES + p)] = 0
            for b in range(8):
                bits = (plane >> np.uint64(b)) & _LOW_BITS
                lanes[np.uintp(j * 8 + b)] += bits << np.uint64(p)


def _empty(start, words, size, first, planes, lanes, support):
    _spill(start, words, planes, lanes)
    for cell in range(size):
        lane = np.uintp(8 * (start + cell // 64) + 7 - cell % 8)
        place = np.uint64(cell // 8 % 8 * 8)
        support[first + cell] += np.int64((lanes[lane] >> place) & _BYTE)
    lanes[8 * start : 8 * (start + words)] = 0


@cache
def _kernels():
    """Compiled once per machine (cached on disk); imported late so that starting up stays quick."""
    from numba import njit
    from numba.extending import register_jitable

    # As closures they would have new names, and be compiled again, in every process.
    for helper in (_ones, _spill, _empty):
        register_jitable(helper)

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
    def count_words(views, body, table, unused, planes, lanes, waiting, support, people, refused):
        kind, size, width, chosen, first, start = table
        m, widest = np.uintp(len(size)), body.shape[1]
        for i in range(len(views)):
            row, view = np.uintp(i), np.uintp(views[i])
            if view >= m:
                refused[VIEW] += 1
                continue
            w = (width[view] + 7) // 8
            spare, held = body[row, np.uintp(w - 1)] & unused[view], np.uint64(0)
            for j in range(w, widest):
                spare |= body[row, np.uintp(j)]
            if spare:
                refused[SPARE] += 1
                continue
            if kind[view] == DIRECT_NUMBER:
                number, left = np.uint64(0), body[row, 0]
                for _ in range(width[view]):
                    number = (number << np.uint64(8)) | (left & _BYTE)
                    left >>= np.uint64(8)
                if number >= np.uint64(size[view]):
                    refused[VALUE] += 1
                else:
                    support[np.uintp(first[view]) + np.uintp(number)] += 1
                    people[view] += 1
                continue
            if chosen[view] >= 0:
                for j in range(w):
                    held += _ones(body[row, np.uintp(j)])
                if held != np.uint64(chosen[view]):
                    refused[CHOSEN] += 1
                    continue
            at = np.uintp(start[view] * PLANES)
            for j in range(w):
                carry = body[row, np.uintp(j)]
                for _ in range(PLANES):
                    planes[at], carry = planes[at] ^ carry, planes[at] & carry
                    at += np.uintp(1)
            people[view] += 1
            waiting[view] += 1
            if waiting[view] == FULL:
                _empty(start[view], w, size[view], first[view], planes, lanes, support)
                waiting[view] = 0
            elif waiting[view] % FEW == 0:
                _spill(start[view], w, planes, lanes)

    @njit(cache=True, nogil=True)
    def empty_all(table, planes, lanes, waiting, support):
        kind, size, width, chosen, first, start = table
        for view in range(len(size)):
            if waiting[view]:
                w = (width[view] + 7) // 8
                _empty(start[view], w, size[view], first[view], planes, lanes, support)
                waiting[view] = 0

    return count_numbers, count_words, empty_all


class _Counter:
    """Support counts of all views of a plan, updated batch by batch."""

    def __init__(self, columns: ReportColumns):
        self.columns, forms, oracles = columns, columns.forms, columns.plan.oracles
        sizes = np.array([oracle.size for oracle in oracles], dtype=np.int64)
        self.oracles = list(dict.fromkeys(o for o in oracles if not o.form.direct))
        numbers = {oracle: number for number, oracle in enumerate(self.oracles)}
        self.asked = np.array([numbers.get(oracle, -1) for oracle in oracles])
        kinds = [
            BITMAP if form.bitmap else DIRECT_NUMBER if form.direct else ASKED for form in forms
        ]
        width = [form.width for form in forms]
        self.first = np.concatenate([[0], np.cumsum(sizes)])
        # Words of all bitmaps, one view after the other.
        start = np.concatenate([[0], np.cumsum([-(-w // 8) for w in width])])
        self.limits = np.array([form.size for form in forms], dtype=np.uint64)
        chosen = [-1 if form.chosen is None else form.chosen for form in forms]
        self.table = tuple(
            np.asarray(part, dtype=np.int64)
            for part in (kinds, sizes, width, chosen, self.first[:-1], start[:-1])
        )
        self.unused = np.array([_unused(form) for form in forms])
        self.planes = np.zeros(PLANES * start[-1], dtype=np.uint64)
        self.lanes = np.zeros(8 * start[-1], dtype=np.uint64)
        self.waiting = np.zeros(len(forms), dtype=np.int64)
        self.support = np.zeros(self.first[-1], dtype=np.int64)
        self.people = np.zeros(len(forms), dtype=np.int64)
        self.refused = np.zeros(len(REASONS), dtype=np.int64)

    def add(self, rows: ReportRows) -> None:
        """Add the counts of some rows."""
        self.refused += np.array(rows.refused, dtype=np.int64)
        if self.oracles:
            rows = self._ask(rows)
        count_numbers, count_words, _ = _kernels()
        counts = self.support, self.people, self.refused
        if self.columns.bytewise:
            places = self.planes, self.lanes, self.waiting
            count_words(rows.views, _words(rows.body), self.table, self.unused, *places, *counts)
        else:
            first = self.first[:-1].astype(np.uint64)
            count_numbers(rows.views, rows.body, self.limits, first, *counts)

    def _ask(self, rows: ReportRows) -> ReportRows:
        """Count the reports that need their oracle, by oracle, and return the other rows."""
        known = rows.views < len(self.asked)
        # Index of the oracle that must count each row, -1 where the report gives its support directly.
        asked = np.where(known, self.asked[np.minimum(rows.views, len(self.asked) - 1)], -1)
        seeds = np.zeros(len(asked), np.uint64) if rows.seeds is None else rows.seeds
        for number, oracle in enumerate(self.oracles):
            theirs = np.flatnonzero(asked == number)
            self._ask_one(oracle, rows.views[theirs], rows.body[theirs], seeds[theirs])
        spare = (asked < 0) & known & (seeds != 0)
        self.refused[SPARE] += np.count_nonzero(spare)
        left = (asked < 0) & ~spare
        return ReportRows(rows.views[left], rows.body[left], None)

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
        _kernels()[-1](self.table, self.planes, self.lanes, self.waiting, self.support)
        refused = tuple(self.refused.tolist())
        return Tally(((batch, sha256),), self.support, self.people, refused)


def _words(body: np.ndarray) -> np.ndarray:
    """Rows of bytes as little-endian 64-bit words, padded with zeros."""
    n, width = body.shape
    if width % 8 == 0:
        return body.view("<u8")
    filled = np.zeros((n, width + -width % 8), dtype=np.uint8)
    filled[:, :width] = body
    return filled.view("<u8")


@lru_cache(maxsize=1024)
def _unused(form: ReportForm) -> np.uint64:
    """Mask of the unused bits in the last word of a report."""
    used = np.packbits(np.ones(form.size if form.bitmap else 8 * form.width, dtype=np.uint8))
    return ~_words(used[np.newaxis])[0, -1]


def tally_file(path: str | Path, plan: Plan, known: dict[str, str] | None = None) -> Tally | None:
    """Count the reports of one file, a row group at a time.

    Parameters
    ----------
    path : path
    plan : Plan
        The plan of the collection.
    known : dict, optional
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
    counted = (known or {}).get(file.batch)
    if counted == file.sha256:
        return None
    if counted is not None:
        raise InputError(
            f"{file.what} is called batch {file.batch:.40}, which was counted before with another "
            "content; find out which of the two is right"
        )
    counter = _Counter(columns)
    for rows in file:
        counter.add(rows)
    return counter.tally(file.batch, file.sha256)
