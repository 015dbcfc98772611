"""JSON: one object in each line, an array of objects, or an object that holds one such array."""

import codecs
import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import Raw
from calm_core.ingest.readers.base import Reader, cell_text, join_batches, open_unpacked
from calm_core.ingest.readers.encoding import Utf8Stream, choose_encoding
from calm_core.ingest.table import EMPTY_LIST, ReadOptions
from calm_core.text import join_some

ENDS = (".json", ".jsonl", ".ndjson", ".geojson")
HEAD, BLOCK = 1 << 18, 1 << 20
# Cells and rows turned into columns at a time.
CHUNK_CELLS, CHUNK_ROWS = 1 << 20, 1 << 16
BETWEEN = "; "  # the parts of a list
SHOWN = 5
ONE_OBJECT = "each person must be one object of texts, numbers and lists of them"
# How lists and objects begin.
START = re.compile(r'[\s\ufeff]*(?:\[\s*[\[{]|\{\s*(?:\}|"(?:[^"\\\n]|\\.)*"\s*:))')


def _constant(name: str) -> None:
    """NaN as an empty cell; other numbers that JSON does not have are refused."""
    if name != "NaN":
        raise DataError(
            f"the file holds an infinite number ({name}); leave it out or write a number"
        )


def _float(text: str) -> str:
    number = float(text)
    return cell_text(number) or "" if math.isfinite(number) else text


# Objects become tuples of pairs, so that a name that stands twice is seen; numbers are texts.
DECODER = json.JSONDecoder(
    object_pairs_hook=tuple, parse_float=_float, parse_int=str, parse_constant=_constant
)


def decode(text: str, first_line: int = 1) -> Any:
    """The value of a text that begins in this line of the file: text, tuple of pairs, list, bool or None.

    Examples
    --------
    >>> decode('{"a": 1.50, "b": ["x"]}')
    (('a', '1.5'), ('b', ['x']))
    """
    try:
        value = DECODER.decode(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeEncodeError as error:
        raise DataError(
            f"a text from line {first_line:,} on holds half a character (such as \\ud83d alone); export it again"
        ) from error
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            raise DataError(
                f"the JSON file is cut short (in line {line:,}); export it again"
            ) from error
        what = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
        what = what.replace("extra data", "more text after the end")
        raise DataError(
            f"line {line:,} of the file is no JSON ({what} at character {error.colno:,}); export it again, as a "
            "list of objects or with one object in each line"
        ) from error
    except RecursionError as error:
        raise DataError(
            f"the value in line {first_line:,} holds objects or lists within each other too deeply; {ONE_OBJECT}"
        ) from error


def _write_scalar(value: bool | None) -> str | None:
    """A value that is no text: nothing, or yes or no."""
    return None if value is None else "yes" if value else "no"


class Columns:
    """Objects as columns of text, named by the path of each value.

    Attributes
    ----------
    cells : dict of str to list of str or None
        The cells of each path since the last part was taken, in order of first appearance.
    lists : dict of str to None
        Paths that hold a list somewhere.
    rows, taken : int
        Objects added so far, and those of them in parts taken.
    """

    def __init__(self, limits: Limits):
        self.limits = limits
        self.cells: dict[str, list[str | None]] = {}
        self.lists: dict[str, None] = {}
        self.rows, self.taken = 0, 0

    def add(self, pairs: tuple, where: str) -> None:
        """Add one object."""
        self._add(pairs, "", where)
        self.rows += 1

    def _add(self, pairs: tuple, before: str, where: str) -> None:
        size = self.rows - self.taken
        for key, value in pairs:
            path = before + key
            kind = type(value)
            if kind is tuple:
                self._add(value, f"{path}.", where)
                continue
            cells = self.cells.get(path)
            if cells is None:
                cells = self.cells[path] = []
                self.limits.check_shape(self.rows + 1, len(self.cells))
            if len(cells) > size:
                raise DataError(
                    f"{where} holds {path!r:.80} twice in one object; give each value a name of its own"
                )
            if kind is list:
                self.lists[path] = None
                value = self._join(value, path, where)
            elif kind is not str:
                value = _write_scalar(value)
            if len(cells) < size:
                cells.extend([None] * (size - len(cells)))
            cells.append(value)

    def _join(self, parts: list, path: str, where: str) -> str:
        """The parts of a list as one text; empty ones are left out."""
        texts = []
        for part in parts:
            if type(part) in (tuple, list):
                what = "objects" if type(part) is tuple else "lists"
                raise DataError(
                    f"{where} holds a list of {what} at {path!r:.80}; {ONE_OBJECT}: leave {path!r:.80} out, "
                    "or save it as a table of its own"
                )
            text = part if type(part) is str else _write_scalar(part)
            if text:
                texts.append(text)
        return BETWEEN.join(texts) or EMPTY_LIST

    def is_full(self, rows: int) -> bool:
        """Whether a part of at most so many rows is complete."""
        size = self.rows - self.taken
        return size >= rows or size * len(self.cells) >= CHUNK_CELLS

    def take(self) -> dict[str, pa.DictionaryArray]:
        """The columns since the last part."""
        size, part = self.rows - self.taken, {}
        self.limits.check_shape(self.rows, len(self.cells))
        for path, cells in self.cells.items():
            cells.extend([None] * (size - len(cells)))
            part[path] = pa.array(cells, pa.string()).dictionary_encode()
            cells.clear()
        self.taken = self.rows
        return part

    @property
    def notes(self) -> list[str]:
        """What is to be said about lists."""
        names = [f"{path!r:.60}" for path in self.lists]
        text = f"Lists are read as one text with ';' between the parts: {join_some(names, SHOWN)}."
        return [text] * bool(names)


class Source:
    """The objects of a file.

    Attributes
    ----------
    notes : list of str
        How the file is made, known once all is read.
    """

    def __init__(self, buffer: pa.Buffer, options: ReadOptions):
        head = bytes(open_unpacked(buffer).read(HEAD))
        self.encoding = choose_encoding(memoryview(head), options)
        text = codecs.getincrementaldecoder(self.encoding)(errors="replace").decode(head)
        first, _, more = text.lstrip("\ufeff \t\r\n").partition("\n")
        self.has_lines = first.startswith("{") and more.lstrip().startswith("{") and _is_json(first)
        self.buffer, self.stream = buffer, Utf8Stream(self.encoding)
        self.path = ""
        self.rest: list[str] = []

    def _blocks(self) -> Iterator[str]:
        decode = codecs.getincrementaldecoder("utf-8")().decode
        source = open_unpacked(self.buffer)
        while block := bytes(source.read(BLOCK)):
            yield decode(self.stream(block))
        yield decode(self.stream(b""), final=True)

    def objects(self) -> Iterator[tuple[tuple, str]]:
        """Each person, and where the file has it."""
        if self.has_lines:
            lines = ((at, line) for at, line in enumerate(self._lines(), 1) if line.strip())
            people = ((decode(line, at), f"line {at:,}") for at, line in lines)
        else:
            people = self._whole()
        for value, where in people:
            if type(value) is not tuple:
                what = "a list" if type(value) is list else "a single value"
                raise DataError(f"{where} holds {what} where a person should be; {ONE_OBJECT}")
            yield value, where

    def _lines(self) -> Iterator[str]:
        rest = ""
        for block in self._blocks():
            *lines, rest = (rest + block).split("\n")
            yield from lines
        yield rest

    def _whole(self) -> Iterator[tuple[Any, str]]:
        """The values of the one list of objects."""
        value = decode("".join(self._blocks()))
        if value == []:
            raise DataError("the file is an empty list; at least one person is needed")
        lists = {"": value} if type(value) is list else dict(self._find_lists(value, ""))
        if len(lists) > 1:
            (one, *_), (other, *_) = lists, [*lists][1:]
            raise DataError(
                f"the file holds two lists of objects ({one!r:.60} and {other!r:.60}); save the one of "
                "people as a file of its own"
            )
        if not lists:
            raise DataError(
                "the file is one object that holds no list of people; save it as a list of "
                "objects, one for each person"
            )
        ((self.path, people),) = lists.items()
        for number, value in enumerate(people, 1):
            yield value, f"person {number:,}"

    def _find_lists(self, pairs: Iterable, before: str) -> Iterator[tuple[str, list]]:
        """The lists of objects within an object, by their paths; the other parts are noted."""
        for key, value in pairs:
            path = before + key
            if path == "format" and str(value).startswith("calm-lab "):
                raise DataError(
                    f"the file is no table ({value:.60}); open it where such files are asked for"
                )
            if type(value) is tuple and value:
                yield from self._find_lists(value, f"{path}.")
            elif type(value) is list and value and type(value[0]) is tuple:
                yield path, value
            else:
                self.rest.append(path)

    @property
    def notes(self) -> list[str]:
        """How the file is made."""
        shape = f"the objects of {self.path!r:.80}" if self.path else "a list of objects"
        shape = "one object in each line" if self.has_lines else shape
        notes = [f"Read as JSON ({shape}); text encoding: {self.encoding.upper()}."]
        if self.rest:
            names = [f"{path!r:.60}" for path in self.rest]
            notes.append(f"Other parts of the file were left out: {join_some(names, SHOWN)}.")
        return notes


def _is_json(text: str) -> bool:
    try:
        decode(text)
    except DataError:
        return False
    return True


def read_json(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """All paths of all objects as columns of text."""
    source, columns = Source(buffer, options), Columns(limits)
    parts = [*_parts(source, columns, CHUNK_ROWS)]
    return join_batches(_arrange(parts, source, columns, options), limits)


def json_batches(
    buffer: pa.Buffer, options: ReadOptions, limits: Limits, *, names: list[str] | None, rows: int
) -> Iterator[Raw]:
    """All columns, a number of rows at a time; their names are found in a first pass."""
    source, all_columns = Source(buffer, options), Columns(limits)
    for _ in _parts(source, all_columns, CHUNK_ROWS):
        pass
    parts = _parts(Source(buffer, options), Columns(limits), rows)
    yield from _arrange(parts, source, all_columns, options)


def _arrange(
    parts: Iterable[tuple[dict, int]], source: Source, columns: Columns, options: ReadOptions
) -> Iterator[Raw]:
    """The parts with all columns of a file that has been read; the first with all notes."""
    dialect, notes = replace(options, encoding=source.encoding), source.notes + columns.notes
    for part, rows in parts:
        empty = pa.nulls(rows, pa.string()).dictionary_encode()
        cells = [part.get(path, empty) for path in columns.cells]
        yield Raw(list(columns.cells), cells, dialect, notes)
        notes = []


def _parts(source: Source, columns: Columns, rows: int) -> Iterator[tuple[dict, int]]:
    """Columns of so many rows at a time, and the number of rows; the last may hold none."""
    for pairs, where in source.objects():
        columns.add(pairs, where)
        if columns.is_full(rows):
            size = columns.rows - columns.taken
            yield columns.take(), size
    size = columns.rows - columns.taken
    yield columns.take(), size


def _accepts(head: bytes, name: str, options: ReadOptions) -> bool:
    if options.shape == "baskets":
        return False
    if name.endswith(ENDS):
        return True
    marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = head.decode("utf-16" if marked else "utf-8", "ignore")
    if not START.match(text):
        return False
    try:
        line = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
        _, end = DECODER.raw_decode(line)
    except (json.JSONDecodeError, RecursionError):
        return True
    # Not a table in whose first cell an object stands.
    return re.match(r" *[,;|\t]", line[end:]) is None


JSON = Reader("JSON", ENDS, _accepts, read_json, json_batches, takes=frozenset({"encoding"}))
