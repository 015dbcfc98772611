"""JSON text that comes in blocks, read value by value."""

import json
import math
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

from calm_core.errors import DataError
from calm_core.ingest.readers.base import cell_text

# Characters of one value.
MAX_VALUE = 1 << 24
BLANK = re.compile(r"[ \t\r\n\ufeff]*")
OBJECT = re.compile(r'\{\s*(?:\}|"(?:[^"\\\n]|\\.)*"\s*:)')
# Errors of a value that may only be cut off are this near to the end of the text.
NEAR = 16
UNTERMINATED = "Unterminated"
ONE_OBJECT = "each person must be one object of texts, numbers and lists of them"


class Special(Enum):
    """Numbers that JSON does not have."""

    NAN = "NaN"
    INFINITY = "Infinity"


def _special(name: str) -> Special:
    return Special.NAN if name == "NaN" else Special.INFINITY


def _float(text: str) -> str:
    number = float(text)
    return cell_text(number) or "" if math.isfinite(number) else text


# Objects become tuples of pairs, so that a name that stands twice is seen; numbers are texts.
DECODER = json.JSONDecoder(
    object_pairs_hook=tuple, parse_float=_float, parse_int=str, parse_constant=_special
)


class JsonText:
    """A text that is read once, from its blocks."""

    def __init__(self, blocks: Iterator[str]):
        self.blocks, self.text, self.at = blocks, "", 0
        # Line ends before the place up to which they are counted.
        self.lines, self.counted = 0, 0
        self.ended = False

    @property
    def line(self) -> int:
        """The line of the next value, from 1."""
        self.lines += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return 1 + self.lines

    def error(self, what: str, at: int | None = None) -> DataError:
        """An error that names the line and the place in it."""
        at = self.at if at is None else at
        line = self.line + self.text.count("\n", self.at, at)
        place = at - self.text.rfind("\n", 0, at)
        return DataError(
            f"line {line:,} of the file is no JSON ({what} at character {place:,}); export it again"
        )

    def _read_on(self) -> bool:
        """Read as much again as is there; False at the end."""
        self.lines = self.line - 1
        rest, more = self.text[self.at :], []
        self.at = self.counted = size = 0
        while size <= len(rest) and not self.ended:
            block = next(self.blocks, None)
            if block is None:
                self.ended = True
            else:
                more.append(block)
                size += len(block)
        self.text = rest + "".join(more)
        return size > 0

    def peek(self) -> str:
        """The next character that is no blank; "" at the end."""
        while True:
            found = BLANK.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._read_on():
                return ""

    def take(self, sign: str) -> None:
        """Step over a sign."""
        found = self.peek()
        if not found:
            raise self._cut()
        if found != sign:
            raise self.error(f"{found!r} instead of {sign!r}")
        self.at += 1

    def key(self) -> str:
        """The name of a value in an object, and step over its colon."""
        if self.peek() not in ('"', ""):
            raise self.error("no name in quotation marks")
        name = self.value()
        self.take(":")
        return name

    def value(self) -> Any:
        """The next value: text, tuple of pairs, list, bool, None or Special."""
        self.peek()
        while True:
            try:
                value, self.at = DECODER.raw_decode(self.text, self.at)
                return value
            except json.JSONDecodeError as error:
                what = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
                wrong = self.error(what, error.pos)
                if not _may_be_cut(error, self.text):
                    raise wrong from error
                at_end = error.pos >= len(self.text.rstrip()) or error.msg.startswith(UNTERMINATED)
            if len(self.text) - self.at > MAX_VALUE:
                raise DataError(
                    f"line {self.line:,} begins a value of more than {MAX_VALUE >> 20} million characters; "
                    f"{ONE_OBJECT}"
                )
            if not self._read_on():
                raise self._cut() if at_end else wrong

    def _cut(self) -> DataError:
        return DataError(f"the JSON file is cut short (in line {self.line:,}); export it again")


def _may_be_cut(error: json.JSONDecodeError, text: str) -> bool:
    """Whether a value could be read if the text went on."""
    return error.pos >= len(text) - NEAR or error.msg.startswith(UNTERMINATED)


def find_start(head: str, whole: bool) -> str:
    """How a JSON file with this beginning is made: "lines", "array", "object", or "" for another text.

    `whole` says whether nothing follows. A table in whose first cell a bracket stands is no JSON.

    Examples
    --------
    >>> find_start('{"a": 1}\\n{"a": 2}', True), find_start('[{"a": 1}]', True), find_start('{"all": [{"a": ', False)
    ('lines', 'array', 'object')
    >>> find_start('[id],name', True), find_start('{"a": 1},{"b": 2}', True), find_start('[1];[2]', True)
    ('', '', '')
    """
    found = BLANK.match(head)
    at = found.end() if found else 0
    if head[at : at + 1] == "[":
        kind = "array"
    elif OBJECT.match(head, at):
        kind = "object"
    else:
        return ""
    try:
        _, end = DECODER.raw_decode(head, at)
    except json.JSONDecodeError as error:
        cut = not whole and _may_be_cut(error, head)
        named = kind == "object" or re.match(r"\[\s*\{", head[at:])
        return kind if cut or named else ""
    except RecursionError:
        return kind
    if re.match(r" *[,;|\t]", head[end:]):
        return ""
    rest = BLANK.match(head, end)
    after = rest.end() if rest else end
    return "lines" if kind == "object" and head[after : after + 1] == "{" else kind
