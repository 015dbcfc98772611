"""ReadOptions and Table: how a file is read, and its columns."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute

from calm_core._checks import (
    check_choice,
    check_options,
    choice_checker,
    count_checker,
    option,
    optional_checker,
)
from calm_core.errors import InputError

pc: Any = pyarrow.compute


if TYPE_CHECKING:
    import pandas as pd


MAX_HEADER_ROWS = 5
NUMBERS = ("header_row", "header_rows", "items")
# An empty list of options, as a cell.
EMPTY_LIST = "[]"
# A question and its option in one name.
_OPTION = re.compile(
    r"^(?P<question>.+?)(?P<between>/|___|: |\? - |\? | - | ?\[|\.(?=\S))(?P<option>[^/]+?)\]?$"
)


def _check_text(name: str, text: str) -> str:
    if not isinstance(text, str) or not text:
        raise InputError(f"{name} ({text!r:.40}) must be a text, or left out to find it out")
    return text


def _check_flag(name: str, flag: bool) -> bool:
    if not isinstance(flag, bool):
        raise InputError(f"{name} ({flag!r:.40}) must be True or False")
    return flag


def _check_separator(name: str, sign: str) -> str:
    if len(_check_text(name, sign)) != 1 or not sign.isascii() or sign in '"\r\n\0':
        raise InputError(
            f"{name} ({sign!r:.40}) must be one ASCII character, such as ',', and neither "
            "a quotation mark nor a line end"
        )
    return sign


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file; None means to detect it.

    Attributes
    ----------
    separator : str
        One character between fields (delimited text).
    encoding : str
        A Python codec name, such as "utf-8" or "cp1252".
    decimal : str
        "." or ",": how numbers are written.
    date_order : str
        "dmy", "mdy" or "ymd": what 01/05/2013 is in columns that leave it open.
    header : bool
        Whether the first row holds the column names.
    header_row : int
        Lines of the file (rows of the sheet), blank ones too, before the header (or the first row
        of data).
    header_rows : int
        Rows of that header: names first, then question texts or names of options.
    sheet : str
        Sheet of a workbook.
    shape : str
        "table" or "baskets" (one line per basket of items).
    items : int
        Most frequent items kept from transactions.
    normalize : bool
        Trim spaces around values and bring Unicode text into its composed form (NFC).
    ragged : str
        What to do with rows of another length than the header. None: refuse longer rows and more
        than a tenth of shorter ones, leave out a few shorter ones; "leave_out": leave out all of
        them.
    """

    separator: str | None = option(optional_checker(_check_separator), None)
    encoding: str | None = option(optional_checker(_check_text), None)
    decimal: str | None = option(optional_checker(choice_checker((".", ","))), None)
    header: bool | None = option(optional_checker(_check_flag), None)
    header_row: int | None = option(optional_checker(count_checker(0)), None)
    header_rows: int | None = option(optional_checker(count_checker(1, MAX_HEADER_ROWS)), None)
    sheet: str | None = option(optional_checker(_check_text), None)
    shape: str | None = option(optional_checker(choice_checker(("table", "baskets"))), None)
    items: int = option(count_checker(), 64)
    normalize: bool = option(_check_flag, True)
    ragged: str | None = option(optional_checker(choice_checker(("leave_out",))), None)
    date_order: str | None = option(optional_checker(choice_checker(("dmy", "mdy", "ymd"))), None)

    def __post_init__(self):
        check_options(self)
        if self.header_rows is not None and self.header is False:
            raise InputError("header_rows must be left out where the file has no names")

    @classmethod
    def from_words(cls, words: Sequence[str]) -> "ReadOptions":
        """Options as typed on a command line: "separator=;", "sheet=Data", "header=no".

        Examples
        --------
        >>> ReadOptions.from_words(["shape=table", "header=no"]).header
        False
        """
        names, values = [item.name for item in fields(cls)], {}
        for word in words:
            name, equals, text = word.partition("=")
            if name not in names or not equals:
                raise InputError(
                    f"read ({word!r:.60}) must be name=value with a name of {', '.join(names)}"
                )
            if name in ("header", "normalize"):
                values[name] = check_choice(name, text[:40], ("yes", "no")) == "yes"
            elif name == "separator":
                values[name] = _SEPARATORS.get(text, text)
            else:
                values[name] = int(text) if name in NUMBERS and text.isdecimal() else text
        return cls(**values)

    def to_words(self) -> tuple[str, ...]:
        """The options that differ from the defaults, as `from_words` reads them.

        Examples
        --------
        >>> ReadOptions(separator="\\t", header=False).to_words()
        ('separator=tab', 'header=no')
        """
        names = {sign: name for name, sign in _SEPARATORS.items()}
        words = []
        for name, value in asdict(self).items():
            if isinstance(value, bool):
                text = "yes" if value else "no"
            else:
                text = names.get(value, value) if name == "separator" else value
            if value != getattr(ReadOptions, name):
                words.append(f"{name}={text}")
        return tuple(words)


_SEPARATORS = {"tab": "\t", "space": " "}


@dataclass(frozen=True)
class ColumnDescription:
    """What a file says about one of its columns.

    Attributes
    ----------
    title : str
        Its label, or the text of the question.
    order : tuple of str
        Texts of its values in their order; some may not occur.
    codes : tuple of float
        The number behind each text of `order`, or none at all: a number that has no text
        stands where it belongs among them.
    kind : str
        "category", "ordered" or "number", or "" where the file does not say it.
    """

    title: str = ""
    order: tuple[str, ...] = ()
    codes: tuple[float, ...] = ()
    kind: str = ""


UNDESCRIBED = ColumnDescription()


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of a file; text stays text, so leading zeros and "NA" survive.

    Attributes
    ----------
    data : pyarrow.Table
        Every column is dictionary-encoded text: each distinct value is stored once. Null means: empty.
    notes : tuple of str
        Plain sentences: encoding, separator, header, what was changed or left out.
    left_out : tuple of (str, int)
        Reasons for which the reader left rows out, with their numbers.
    dialect : ReadOptions
        How it was read, with everything detected filled in.
    descriptions : dict of str to ColumnDescription
        What the file says about its columns; those of which it says nothing are absent.

    Examples
    --------
    >>> table = make_table({"sex": ["f", "m", "m"], "zip": ["01067", "01069", None]})
    >>> table.n, table.names
    (3, ('sex', 'zip'))
    >>> table.texts("zip").to_pylist()
    ['01067', '01069', None]
    """

    data: pa.Table
    notes: tuple[str, ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()
    dialect: ReadOptions = field(default_factory=ReadOptions)
    name: str = ""
    descriptions: dict[str, ColumnDescription] = field(default_factory=dict)

    def explain_refusal(self, refusal: str) -> str:
        """An error message with the notes about how the table was read, which may explain it."""
        return f"{refusal}. {' '.join(self.notes)}" if self.notes else refusal

    @property
    def n(self) -> int:
        """Rows kept."""
        return self.data.num_rows

    @property
    def rows_read(self) -> int:
        """Rows of data found in the file: those kept and all left out."""
        return self.n + sum(count for _, count in self.left_out)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, in table order."""
        return tuple(self.data.column_names)

    def texts(self, name: str) -> pa.Array:
        """One column as one dictionary-encoded array of text."""
        return as_texts(self.data.column(self.position(name)))

    def describe(self, name: str) -> ColumnDescription:
        """What the file says about one column."""
        return self.descriptions.get(name, UNDESCRIBED)

    def position(self, name: str) -> int:
        """Position of a column; raises if the name is unknown."""
        at = self.data.schema.get_field_index(name)
        if at < 0:
            raise InputError(f"column {name!r:.80} is not in the table; choose from its columns")
        return at

    @cached_property
    def frame(self) -> "pd.DataFrame":
        """The columns as a pandas DataFrame of categories."""
        return self.data.to_pandas()

    def head(self, rows: int = 20) -> "pd.DataFrame":
        """The first rows as a pandas DataFrame of text, for a preview."""
        return self.data.slice(0, rows).to_pandas().astype("string")


def as_codes(column: pa.ChunkedArray | pa.Array) -> pa.DictionaryArray:
    """A column as one dictionary-encoded array: each distinct value once."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    return column


def as_texts(column: pa.ChunkedArray | pa.Array) -> pa.DictionaryArray:
    """A column as one dictionary-encoded text array; numbers are written out."""
    encoded = as_codes(column)
    return pa.DictionaryArray.from_arrays(encoded.indices, encoded.dictionary.cast(pa.string()))


def with_dictionary(column: pa.DictionaryArray, texts: pa.Array) -> pa.DictionaryArray:
    """The column with another text, or none, for each of its distinct ones; some may become equal."""
    encoded = texts.dictionary_encode()
    indices = encoded.indices.take(column.indices)
    return pa.DictionaryArray.from_arrays(indices, encoded.dictionary)


def make_table(columns: dict[str, Sequence[str | None]], **more) -> Table:
    """A Table from lists of text, mainly for examples and tests."""
    arrays = [pa.array(values, pa.string()).dictionary_encode() for values in columns.values()]
    return Table(pa.table(arrays, names=list(columns)), **more)


def join_question(question: str, option: str) -> str:
    """A question with one of its options or items.

    Examples
    --------
    >>> join_question("Which?", "Bus"), join_question("Q2", "Bus"), join_question("Q2", "")
    ('Which? Bus', 'Q2: Bus', 'Q2')
    """
    if not (question and option):
        return question or option
    return f"{question}{'' if question[-1] in '?:.!' else ':'} {option}"


def split_question(called: str) -> tuple[str, str]:
    """The question and the option that the name or title of a column holds; no question where it has none.

    Examples
    --------
    >>> split_question("travel/Bus"), split_question("By? Bicycle, own"), split_question("q2___1"), split_question("Bus: By?")
    (('travel', 'Bus'), ('By?', 'Bicycle, own'), ('q2', '1'), ('By?', 'Bus'))
    >>> split_question("age")
    ('', 'age')
    """
    match = _OPTION.fullmatch(called)
    if match is None:
        return "", called
    question, option = match["question"].strip(), match["option"].strip()
    if match["between"].startswith("?"):
        question += "?"
    # Titles made here begin with the option.
    return (option, question) if option.endswith("?") else (question, option)
