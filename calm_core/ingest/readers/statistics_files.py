"""Files of SPSS, Stata and SAS, through pyreadstat: labels become values and titles, dates and times texts."""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError, lacks_memory
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import BLANKS, Raw
from calm_core.ingest.readers.base import Reader, cell_text, join_batches, unpack_whole
from calm_core.ingest.readers.encoding import choose_encoding
from calm_core.ingest.table import ColumnDescription, ReadOptions, with_dictionary
from calm_core.text import join_some

DAY = 86400
# Days from the origin of each program to 1970.
ORIGINS = {"SPSS": 141_428, "Stata": 3653, "SAS": 3653}
MAX_DAYS = 2_932_896  # the last day of the year 9999
FORMATS = {
    "SPSS": (
        ("day of seconds", r"DATE|[AEJS]DATE|MOYR|QYR|WKYR"),
        ("moment", r"DATETIME|YMDHMS"),
        ("clock", r"D?TIME|MTIME"),
    ),
    "SAS": (
        ("moment", r"DATETIME|[BEI]S?8601D[TNZ]|DATEAMPM|MDYAMPM|NLDATM\w*|DTDATE"),
        (
            "day",
            r"DATE|WEEKDAT[EX]|WORDDAT[EX]|(?:MMDDYY|DDMMYY|YYMMDD)[BCDNPS]?|[BEI]S?8601DA|MONYY|YYMON"
            r"|YYMM[CDNPS]?|MMYY[CDNPS]?|YYQ[CDNPSR]*|JULIAN|NLDATE\w*",
        ),
        ("clock", r"TIME|HHMM|TOD|TIMEAMPM|MMSS|[BEI]S?8601TM|NLTIME\w*"),
    ),
}
STATA = (
    ("clock", r"%-?t[cC]H[Hh].*"),
    ("moment", r"%-?t[cC].*"),
    ("day", r"%-?(?:td|d).*"),
    ("week", r"%-?tw.*"),
    ("month", r"%-?tm.*"),
    ("quarter", r"%-?tq.*"),
    ("half-year", r"%-?th.*"),
)
# Steps of a year that Stata counts from 1960.
STEPS = {"week": (52, "-W{:02}"), "month": (12, "-{:02}"), "quarter": (4, "Q{}"), "half-year": (2, "H{}")}  # fmt: skip


@dataclass
class Moment:
    """What date or time the numbers of a variable are.

    Attributes
    ----------
    kind : str
        "day", "day of seconds", "moment", "clock", or a step of the year.
    program : str
        "SPSS", "Stata" or "SAS".
    outside : bool
        Whether a number was no day until the year 9999.
    """

    kind: str
    program: str
    outside: bool = field(default=False, compare=False)

    def write(self, numbers: list[float | None]) -> list[str | None]:
        """Texts in ISO form.

        Examples
        --------
        >>> Moment("moment", "SPSS").write([13797313445.0, None]), Moment("quarter", "Stata").write([-1, 0])
        (['2020-01-02 03:04:05', None], ['1959Q4', '1960Q1'])
        >>> Moment("clock", "SAS").write([3600.0, 93784.0])
        ['01:00:00', '26:03:04']
        """
        return [None if number is None else self._text(number) for number in numbers]

    def _text(self, number: float) -> str | None:
        if self.kind in STEPS:
            steps, form = STEPS[self.kind]
            years, step = divmod(int(np.floor(number)), steps)
            return f"{1960 + years}{form.format(step + 1)}"
        # Stata counts thousandths of a second.
        count = number // (1000 if self.program == "Stata" and self.kind != "day" else 1)
        if self.kind == "clock":
            sign = "-" if count < 0 else ""
            minutes, seconds = divmod(abs(int(count)), 60)
            return f"{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
        seconds = count * (DAY if self.kind == "day" else 1) - ORIGINS[self.program] * DAY
        if not -719_162 * DAY <= seconds < (MAX_DAYS + 1) * DAY:
            self.outside = True
            return None
        day, _, clock = str(np.datetime64(int(seconds), "s")).partition("T")
        return day if self.kind != "moment" or seconds % DAY == 0 else f"{day} {clock}"


def find_moment(form: str, program: str) -> Moment | None:
    """What date or time a display format is for; None for plain numbers.

    Examples
    --------
    >>> find_moment("DATE11", "SPSS").kind, find_moment("%tm", "Stata").kind, find_moment("F8.2", "SPSS")
    ('day of seconds', 'month', None)
    """
    if program == "Stata":
        formats = STATA
    else:
        formats, form = FORMATS[program], re.sub(r"[\d.]+$", "", form.upper())
    for kind, pattern in formats:
        if re.fullmatch(pattern, form):
            return Moment(kind, program)
    return None


# Cells read at a time: each is an object of Python for a moment.
CHUNK_CELLS = 2_000_000
LEVELS = {"nominal": "category", "ordinal": "ordered", "scale": "number"}
SAS_MAGIC = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
SHOWN = 3


@dataclass(frozen=True)
class Format:
    """One kind of file that pyreadstat reads.

    Attributes
    ----------
    name : str
        The program it is from.
    function : str
        Its function in pyreadstat.
    has_marks : bool
        Whether values may be marked as missing.
    has_encoding : bool
        Whether another encoding may be named.
    """

    name: str
    function: str
    has_marks: bool = True
    has_encoding: bool = True

    def open(self, buffer: pa.Buffer, options: ReadOptions) -> Callable[..., tuple[dict, Any]]:
        """Its function, applied to this file."""
        import pyreadstat

        more: dict[str, Any] = {}
        if self.has_encoding and options.encoding:
            # Under the name that is the same everywhere.
            more["encoding"] = codecs.lookup(choose_encoding(memoryview(b""), options)).name

        def read(**what):
            source = pa.BufferReader(buffer)
            with self.explain_errors(options):
                return getattr(pyreadstat, self.function)(
                    source, output_format="dict", disable_datetime_conversion=True, **more, **what
                )

        return read

    @contextmanager
    def explain_errors(self, options: ReadOptions) -> Generator[None]:
        """Raise plain errors for damaged files, and MemoryError if memory is short."""
        import pyreadstat

        try:
            yield
        except (
            pyreadstat.ReadstatError, pyreadstat.PyreadstatError, pa.ArrowException, OSError,
            ValueError, OverflowError, LookupError, TypeError,
        ) as error:  # fmt: skip
            if lacks_memory(error) or "memory" in str(error).lower():
                raise MemoryError(str(error)) from error
            message = str(error).lower()
            if isinstance(error, UnicodeError) or any(
                word in message for word in ("encoding", "convert string", "character set")
            ):
                raise DataError(self._wrong_encoding(options)) from error
            raise DataError(
                f"the {self.name} file is damaged or cut short; save it again"
            ) from error

    def _wrong_encoding(self, options: ReadOptions) -> str:
        if not self.has_encoding:
            return f"the {self.name} file holds texts in an unknown encoding; save it as .sav"
        tried = f" ({options.encoding:.40})" if options.encoding else ""
        return (
            f"the texts of the {self.name} file do not fit their encoding{tried}; name the right one, "
            "such as encoding=cp1252"
        )


@dataclass
class Variable:
    """How the cells of one variable become values.

    Attributes
    ----------
    labels : dict
        Text of each labeled code.
    ranges : list of (low, high)
        Codes that mean missing.
    moment : Moment or None
        What date or time its numbers are.
    single : bool
        Whether its numbers have single precision.
    """

    name: str
    is_text: bool
    labels: dict[float | str, str] = field(default_factory=dict)
    ranges: list[tuple[Any, Any]] = field(default_factory=list)
    moment: Moment | None = None
    single: bool = False

    def is_missing(self, code: float | str) -> bool:
        """Whether the file says that a code means missing."""
        if isinstance(code, str):
            return any(low == code for low, _ in self.ranges)
        return any(low <= code <= high for low, high in self.ranges if not isinstance(low, str))

    @property
    def marks(self) -> str:
        """The codes that mean missing, in words."""
        ends = [(self._name(low), self._name(high)) for low, high in self.ranges]
        ranges = [low if low == high else f"{low} to {high}" for low, high in ends]
        return join_some([f"{text:.40}" for text in ranges], SHOWN)

    def describe(self, title: str | None, level: str, labeled: bool) -> ColumnDescription:
        """What the file, which labels some codes or none, says about it."""
        pairs = sorted(
            (code, label)
            for code, label in self.labels.items()
            if isinstance(code, str) == self.is_text and not self.is_missing(code)
        )
        codes = () if self.is_text else tuple(float(code) for code, _ in pairs)
        kind = LEVELS.get(level, "")
        if not pairs and self.is_text:
            # Every text of SPSS is nominal unless somebody said otherwise.
            kind = ""
        elif not pairs and labeled and not kind:
            # Whoever labels codes leaves numbers without labels.
            kind = "number"
        return ColumnDescription(title or "", tuple(label for _, label in pairs), codes, kind)

    def read(self, cells: list) -> pa.Array:
        """The values of some cells."""
        kind = pa.string() if self.is_text else pa.float64()
        encoded = pa.array(cells, kind, from_pandas=True).dictionary_encode()
        codes = encoded.dictionary.to_pylist()
        if self.single:
            codes = [float(str(np.float32(code))) for code in codes]
        filled = [None if code == "" else code for code in codes]
        if self.moment is not None:
            return with_dictionary(encoded, pa.array(self.moment.write(filled), pa.string()))
        if not (self.is_text or self.labels):
            return pa.array(filled, pa.float64()).take(encoded.indices)
        texts = [None if code is None else self._text(code) for code in filled]
        return with_dictionary(encoded, pa.array(texts, pa.string()))

    def _name(self, code: float | str) -> str:
        return self.labels.get(code) or cell_text(code) or ""

    def _text(self, code: float | str) -> str:
        """A label, or the code where it has none; never a code that looks like a label."""
        if (label := self.labels.get(code)) is not None:
            return label
        text = cell_text(code) or ""
        return f"{text} (no label)" if text in self.labels.values() else text


def distinguish_labels(labels: dict) -> tuple[dict, list[str]]:
    """Labels without outer spaces, with their codes where some are equal; and those that are.

    Examples
    --------
    >>> distinguish_labels({1: "yes ", 2: "no", 3: "yes", 4: ""})
    ({1: 'yes (1)', 2: 'no (2)', 3: 'yes (3)'}, ['yes'])
    """
    texts = {code: text for code, label in labels.items() if (text := (label or "").strip(BLANKS))}
    repeated = [text for text, times in Counter(texts.values()).items() if times > 1]
    if repeated:
        texts = {code: f"{text} ({cell_text(code)})" for code, text in texts.items()}
    return texts, repeated


def survey_batches(
    kind: Format,
    buffer: pa.Buffer,
    options: ReadOptions,
    limits: Limits,
    *,
    names: list[str] | None,
    rows: int,
) -> Iterator[Raw]:
    """The named variables, a number of rows at a time; a packed file is unpacked first."""
    buffer = unpack_whole(buffer, limits)
    read = kind.open(buffer, options)
    _, metadata = read(metadataonly=True, **({"user_missing": True} if kind.has_marks else {}))
    present = metadata.column_names
    content = memoryview(buffer).cast("B")
    # Labels stand at the end, and are not missed where they are cut off.
    cut = content[:11] == b"<stata_dta>" and b"</stata_dta>" not in bytes(content[-100:])
    if cut or len(set(present)) < len(present) or None in present:
        raise DataError(f"the {kind.name} file is damaged or cut short; save it again")
    limits.check_shape(metadata.number_rows or 0, len(present))
    if absent := [name for name in names or () if name not in present]:
        raise DataError(f"column {absent[0]!r:.80} of the schema is not in the file")
    encoding = (metadata.file_encoding or options.encoding or "").lower()
    notes = [f"Read as {kind.name}" + f"; text encoding: {encoding.upper()}" * bool(encoding) + "."]
    # In the file's order, in which the notes name them too.
    names = [name for name in present if names is None or name in names]
    variables, equal = [], []
    for name in names:
        labels, repeated = distinguish_labels(metadata.variable_value_labels.get(name, {}))
        equal += [f"{text!r:.60} of {name!r:.60}" for text in repeated]
        form = metadata.readstat_variable_types[name]
        variables.append(
            Variable(
                name,
                form == "string",
                labels,
                [(one["lo"], one["hi"]) for one in metadata.missing_ranges.get(name, ())],
                find_moment(metadata.original_variable_types[name] or "", kind.name),
                form == "float",
            )
        )
    if equal:
        notes.append(
            f"Codes with the same label are kept apart by their codes: {join_some(equal, SHOWN)}."
        )
    if marked := [f"{v.name!r:.60} ({v.marks})" for v in variables if v.ranges]:
        notes.append(
            f"Marked as missing in the file, and read as empty: {join_some(marked, SHOWN)}."
        )
    titles, levels = metadata.column_names_to_labels, metadata.variable_measure
    described = [
        v.describe(titles.get(v.name), levels.get(v.name, ""), bool(metadata.value_labels))
        for v in variables
    ]
    dialect = replace(options, encoding=options.encoding and encoding, header=True)
    start, rows = 0, max(1, min(rows, CHUNK_CELLS // max(1, len(names))))
    rows_read = rows
    while rows_read == rows:
        cells, _ = read(row_offset=start, row_limit=rows, usecols=names)
        columns = [v.read(cells[v.name]) for v in variables]
        rows_read = len(columns[0]) if columns else 0
        start += rows_read
        if rows_read < rows:
            notes += [
                f"Column {v.name!r:.60} holds dates beyond the year 9999, which are read as empty."
                for v in variables
                if v.moment is not None and v.moment.outside
            ]
        yield Raw(names, columns, dialect, notes, descriptions=described)
        notes = []


def read_survey(kind: Format, buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """All variables of a file."""
    batches = survey_batches(kind, buffer, options, limits, names=None, rows=limits.rows)
    return join_batches(batches, limits)


def _make_reader(kind: Format, ends: tuple[str, ...], start: bytes) -> Reader:
    """The reader of a kind of file that begins so, as a regular expression, or has one of these endings."""
    begins = re.compile(start, re.DOTALL)
    return Reader(
        kind.name,
        ends,
        lambda head, name, options: begins.match(head) is not None or name.endswith(ends),
        partial(read_survey, kind),
        partial(survey_batches, kind),
        takes=frozenset({"encoding"} if kind.has_encoding else ()),
    )


STATISTICS = (
    _make_reader(Format("SPSS", "read_sav"), (".sav", ".zsav"), rb"\$FL[23]"),
    _make_reader(Format("SPSS", "read_por", False, False), (".por",), rb".{0,592}SPSSPORT"),
    _make_reader(Format("Stata", "read_dta"), (".dta",), rb"<stata_dta>|[\x68-\x73][\x01\x02]\x01"),
    _make_reader(Format("SAS", "read_sas7bdat"), (".sas7bdat",), re.escape(SAS_MAGIC)),
    _make_reader(Format("SAS", "read_xport", False), (".xpt",), rb"HEADER RECORD\*{7}LIB(RARY|V8)"),
)
