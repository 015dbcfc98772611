"""Quotation marks in delimited text that quote nothing: they stay part of their cell.

A parser takes a mark at the start of a cell for one that is closed somewhere below, and all lines up to
there for one cell. Here a mark quotes only if it closes in front of a separator or a line end.
"""

import re
from dataclasses import dataclass, field

import numpy as np

QUOTE = ord('"')
STEP = 1 << 22
MAX_HELD = 1 << 26  # bytes of a cell that is not closed yet; longer ones no parser takes


@dataclass
class Quotes:
    """Makes marks that quote nothing plain signs, in a text that comes whole or in parts.

    Attributes
    ----------
    separator : str
    lines : int
        Line ends in what was given back so far, and above it.
    stray : int
        Cells with such marks; `first` is the line of the first one.

    Examples
    --------
    >>> Quotes(",").whole(b'a,b\\n1,"x\\n2,"y, z"\\n3,"5" pipe"\\n')
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

    def whole(self, content: memoryview | bytes) -> memoryview | bytes:
        """All of a text; the same object where nothing is to be done."""
        if self._is_sound(np.frombuffer(content, np.uint8)):
            return content
        return self._mended(bytes(content), final=True)[0]

    def __call__(self, block: bytes) -> bytes:
        """What can be said of the next block and what was held back; an empty one ends the text."""
        data = self.held + block
        final = not block or len(data) > MAX_HELD
        used = len(data) if final else _line_start(data, 0, len(data))
        if b'"' in data:
            used = self._sound_start(np.frombuffer(data, np.uint8), final=final)
        out, rest = data[:used], data[used:]
        self.lines += _lines(out)
        if rest and (final or not out):
            mended, more = self._mended(rest, final=final)
            self.lines += _lines(rest[:more])
            out, rest = out + mended, rest[more:]
        self.held = rest
        return out

    @property
    def note(self) -> list[str]:
        """What to say about such marks."""
        if not self.stray:
            return []
        cells = "cells hold" if self.stray > 1 else "cell holds"
        return [
            f"{self.stray:,} {cells} a quotation mark that quotes nothing (first: line {self.first:,}); "
            "such marks are kept as they are."
        ]

    def _is_sound(self, data: np.ndarray) -> bool:
        """Whether every mark quotes: the odd ones begin a cell, the even ones end it."""
        opens = True
        for start in range(0, len(data), STEP):
            at = start + np.flatnonzero(data[start : start + STEP] == QUOTE)
            if not self._sound(data, at, opens).all():
                return False
            opens ^= bool(len(at) % 2)
        return opens

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

    def _mended(self, data: bytes, *, final: bool) -> tuple[bytes, int]:
        """Rows mended, and of how many bytes; without `final` the last may need what follows."""
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
                cell, end = self._plain(data, found.start(), at)
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

    def _plain(self, data: bytes, start: int, at: int) -> tuple[bytes, int]:
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
    """Where the last line begins that begins after `low`; 0 where none does."""
    return max(data.rfind(b"\n", low, high), data.rfind(b"\r", low, high)) + 1
