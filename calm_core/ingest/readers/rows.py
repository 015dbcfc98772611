"""Rows of a UTF-8 text: stray quotation marks are repaired, rows of another length counted or refused."""

import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from calm_core.errors import DataError
from calm_core.text import format_count

QUOTE = ord('"')
MAX_HELD = 1 << 26  # bytes of a cell that is not closed yet; longer ones no parser takes


@dataclass
class QuoteRepair:
    """Escapes quotation marks that quote nothing, in a text or in its parts.

    Attributes
    ----------
    separator : str
    lines : int
        Line ends in what was given back so far, and above it.
    stray : int
        Cells with such marks; `first` is the line of the first one.

    Examples
    --------
    >>> repair = QuoteRepair(",")
    >>> repair(b'a,b\\n1,"x\\n2,"y, z"\\n3,"5" pipe"\\n') + repair(b"")
    b'a,b\\n1,\"\"\"x\"\\n2,"y, z"\\n3,"5\"\" pipe"\\n'
    """

    separator: str
    lines: int = 0
    stray: int = 0
    first: int = 0
    held: bytes = field(default=b"", repr=False)

    def __post_init__(self):
        sign = re.escape(self.separator.encode())
        end = rb"(?=[" + sign + rb"\r\n]|\Z)"
        self._start = re.compile(rb"(?:\A|(?<=[\r\n])|(?<=" + sign + rb'))( *)"')
        self._quoted = re.compile(rb'"[^"]*+(?:""[^"]*+)*+" *' + end)
        self._open = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"?\Z')
        # On its line, up to the first mark in front of a separator, no other cell quoted between.
        self._loose = re.compile(rb'"((?:(?!' + sign + rb'")[^\r\n])*?)" *' + end)
        self._cell = re.compile(rb"[^" + sign + rb"\r\n]*")

    def __call__(self, block: bytes) -> bytes:
        """The repaired part of the text so far; an empty block ends it."""
        data = self.held + block
        final = not block or len(data) > MAX_HELD
        used = len(data) if final else _line_start(data, 0, len(data))
        if b'"' in data:
            used = self._sound_start(np.frombuffer(data, np.uint8), final=final)
        out, rest = data[:used], data[used:]
        self.lines += _lines(out)
        if rest and (final or not out):
            repaired, more = self._repair_rows(rest, final=final)
            self.lines += _lines(rest[:more])
            out, rest = out + repaired, rest[more:]
        self.held = rest
        return out

    @property
    def note(self) -> list[str]:
        """Note about repaired marks."""
        if not self.stray:
            return []
        cells = "cells hold" if self.stray > 1 else "cell holds"
        return [
            f"{self.stray:,} {cells} a quotation mark that quotes nothing (first: line {self.first:,}); "
            "such marks are kept as they are."
        ]

    def _sound(self, data: np.ndarray, at: np.ndarray, opens: bool) -> np.ndarray:
        """Which marks stand where the opening or the closing one of a cell must stand."""
        opening = np.arange(len(at)) % 2 == (0 if opens else 1)
        beside = np.where(opening, at - 1, at + 1)
        outside = (beside < 0) | (beside >= len(data))
        sign = data[np.clip(beside, 0, max(0, len(data) - 1))]
        ends = np.frombuffer(b'\r\n"' + self.separator.encode(), np.uint8)
        return outside | np.isin(sign, ends)

    def _sound_start(self, data: np.ndarray, *, final: bool) -> int:
        """Bytes of the rows from the start in which every mark quotes, as far as that is easily seen."""
        at = np.flatnonzero(data == QUOTE)
        sound = self._sound(data, at, True)
        known = len(at) if sound.all() else int(np.argmin(sound))
        if final and known == len(at) and known % 2 == 0:
            return len(data)
        ends = data[: at[known] if known < len(at) else len(data)]
        ends = np.flatnonzero((ends == 10) | (ends == 13))
        outside = np.searchsorted(at[:known], ends) % 2 == 0
        return int(ends[outside][-1]) + 1 if outside.any() else 0

    def _repair_rows(self, data: bytes, *, final: bool) -> tuple[bytes, int]:
        """Repaired rows, and the number of bytes they had; without `final` the last may need what follows."""
        parts, strays, done, row, kept = [], [], 0, 0, 0
        while found := self._start.search(data, done):
            if line := _line_start(data, done, found.start()):
                parts.append(data[done:line])
                done = row = line
                kept = len(parts)
            at = found.end() - 1
            if not final and self._open.match(data, at):
                break
            if quoted := self._quoted.match(data, at):
                # Blanks before it go into the cell, where they are trimmed as all blanks are.
                cell, end = b'"' + found[1] + quoted[0][1:], quoted.end()
            else:
                strays.append(at)
                cell, end = self._quote_cell(data, found.start(), at)
            parts += [data[done : found.start()], cell]
            done = end
        else:
            if line := len(data) if final else _line_start(data, done, len(data)):
                parts.append(data[done:line])
                row, kept = line, len(parts)
        strays = [at for at in strays if at < row]
        if strays and not self.first:
            self.first = 1 + self.lines + _lines(data[: strays[0]])
        self.stray += len(strays)
        return b"".join(parts[:kept]), row

    def _quote_cell(self, data: bytes, start: int, at: int) -> tuple[bytes, int]:
        """A cell whose first mark quotes nothing, as one that is quoted, and where it ends."""
        loose = self._loose.match(data, at)
        if loose and start == at:
            text, end = loose[1].replace(b'""', b'"'), loose.end()
        else:
            plain = self._cell.match(data, start)
            assert plain is not None
            text, end = plain[0], plain.end()
        return b'"' + text.replace(b'"', b'""') + b'"', end


def _lines(data: bytes) -> int:
    """Line ends of any kind."""
    return max(data.count(b"\n"), data.count(b"\r"))


def _line_start(data: bytes, low: int, high: int) -> int:
    """Start of the last line after `low`; 0 if there is none."""
    return max(data.rfind(b"\n", low, high), data.rfind(b"\r", low, high)) + 1


RAGGED_SHARE = 0.1
TOO_SHORT, TOO_LONG = "too few fields", "too many fields"


class RowLengths:
    """Counts rows by their number of fields; raises if too many have another one than `width`.

    Parameters
    ----------
    width : int
    leave_out : bool
        Whether all rows of another length are left out. Otherwise longer ones are refused, and more than a tenth
        of shorter ones.
    header : str
        What rows are longer or shorter than, in words.
    """

    def __init__(self, width: int, leave_out: bool, header: str):
        self.width, self.leave_out, self.header = width, leave_out, header
        self.rows = 0
        self.others: Counter[str] = Counter()
        self.firsts: dict[str, str] = {}

    def skip(self, row) -> str:
        """Count one of pyarrow's invalid rows, and have it left out; one of nothing but spaces is a blank line."""
        if row.text.strip():
            kind = TOO_LONG if row.actual_columns > self.width else TOO_SHORT
            self.others[kind] += 1
            fields = format_count(row.actual_columns, "field")
            where = f"row {row.number:,} of the file ({row.text.strip()!r:.40})"
            self.firsts.setdefault(kind, f"{where} has {fields} instead of {self.width:,}")
        return "skip"

    def add(self, rows: int) -> None:
        """Count rows of the right length."""
        self.rows += rows
        if self.others[TOO_LONG] and not self.leave_out:
            self._refuse(
                TOO_LONG,
                "put quotation marks around cells that hold the separator, or leave such rows out with "
                "ragged=leave_out",
            )

    def close(self) -> list[str]:
        """Notes about the rows left out; raises if they are too many."""
        every = self.rows + self.others.total()
        many = not self.leave_out and self.others[TOO_SHORT] > RAGGED_SHARE * every
        if self.others and (many or not self.rows):
            self._refuse(
                TOO_SHORT if self.others[TOO_SHORT] else TOO_LONG,
                "make all rows equally long, choose another separator, or leave a part out with ragged=leave_out",
            )
        return [f"The first row with {kind}: {first}." for kind, first in self.firsts.items()]

    def _refuse(self, kind: str, remedy: str) -> None:
        count, every = self.others.total(), self.rows + self.others.total()
        have = "has" if count == 1 else "have"
        raise DataError(
            f"{self.firsts[kind]}, and {count:,} of {every:,} rows {have} another length than {self.header}; {remedy}"
        )
