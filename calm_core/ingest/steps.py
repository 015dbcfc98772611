"""Steps that make a table one row a person and one column an attribute, before its columns are read.

A schema holds its steps, so that the next file of the same survey is prepared alike.
"""

import os
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce

import numpy as np
import pyarrow as pa

from calm_core._checks import check_choice
from calm_core.errors import DataError, InputError
from calm_core.ingest.limits import LIMITS
from calm_core.ingest.suggestions import quote_texts
from calm_core.ingest.table import EMPTY_LIST, ColumnDescription, Table, as_codes, join_question, pc
from calm_core.ingest.values.amounts import NumberForm, parse_amounts
from calm_core.io.json_types import build_dataclass
from calm_core.text import format_count, join_some

# Codes of the answers that a split makes.
NO, YES, NOT_ASKED = 0, 1, 2
OTHER_OPTION = "other"
MAX_OPTIONS = 40


@dataclass(frozen=True)
class SplitOptions:
    """A column with several options in one cell becomes one yes/no column an option.

    Attributes
    ----------
    column : str
    separator : str
        Between options; blanks around it do not count.
    options : tuple of str
        In the order of the questionnaire; they may hold the separator.
    empty : str
        What an empty cell is: "no" (asked, nothing chosen) or "missing" (not asked).
    other : bool
        Whether a further column holds all options that are not listed.
    """

    column: str
    separator: str
    options: tuple[str, ...]
    empty: str = "no"
    other: bool = False

    def __post_init__(self):
        check_choice("empty", self.empty, ("no", "missing"))
        if not self.separator or not 0 < len(set(self.options)) == len(self.options) <= MAX_OPTIONS:
            raise InputError(
                f"step of column {self.column!r:.80} must have a separator and 1 to {MAX_OPTIONS} distinct options"
            )

    @property
    def question(self) -> str:
        """What people were asked."""
        return self.column

    @property
    def option_columns(self) -> dict[str, str]:
        """Names of the columns made, and the option of each."""
        options = (*self.options, *(OTHER_OPTION,) * self.other)
        return {join_question(self.column, option): option for option in options}

    @property
    def sentence(self) -> str:
        """What the step does."""
        listed = quote_texts(self.options)
        empty = "nothing chosen" if self.empty == "no" else "not asked"
        return (
            f"Column {self.column!r:.60} holds several options in one cell: one yes/no column for each of "
            f"{len(self.option_columns)} ({listed}). An empty cell is read as {empty}."
        )

    def sources(self, columns: Collection[str]) -> set[str]:
        """Columns of the file that the wanted columns need."""
        own = self.option_columns.keys() & columns
        return {*columns} - own | ({self.column} if own else set())

    def apply(self, table: Table) -> Table:
        """The table with the columns made right of the column split, which stays."""
        if self.column not in table.names:
            # A stream reads only the columns that are wanted.
            return table
        cells, at = table.texts(self.column), table.position(self.column)
        answers, unlisted = self._answers(cells.dictionary)
        empty = NO if self.empty == "no" else NOT_ASKED
        # The last row is for empty cells.
        answers = np.vstack([answers, np.full((1, answers.shape[1]), empty, np.int8)])
        rows = np.asarray(cells.indices.fill_null(len(cells.dictionary)))
        data, descriptions = table.data, dict(table.descriptions)
        question = table.describe(self.column).title or self.column
        for offset, (name, option) in enumerate(self.option_columns.items()):
            if name in data.column_names:
                raise DataError(f"column {name!r:.80} is in the table already; rename it")
            codes_of_rows = answers[rows, offset]
            codes = pa.array(codes_of_rows, mask=codes_of_rows == NOT_ASKED)
            column = pa.DictionaryArray.from_arrays(codes, pa.array(["no", "yes"]))
            data = data.add_column(at + 1 + offset, name, column)
            # What tells the columns apart comes first, where there is little room.
            descriptions[name] = ColumnDescription(title=f"{option}: {question}")
        notes = table.notes
        if unlisted and not self.other:
            is_unlisted = np.isin(rows, [*unlisted])
            notes += (
                f"Column {self.column!r:.60} holds options that are not listed, which are in no column: "
                f"{quote_texts([*unlisted.values()])} ({format_count(int(is_unlisted.sum()), 'row')}).",
            )
        return replace(table, data=data, descriptions=descriptions, notes=notes)

    def _answers(self, texts: pa.Array) -> tuple[np.ndarray, dict[int, str]]:
        """Answers of each distinct text for each column made, and options not listed by text."""
        position_of = {option: at for at, option in enumerate(self.options)}
        splitter = Splitter(self.separator, self.options)
        answers = np.zeros((len(texts), len(self.option_columns)), np.int8)
        unlisted = {}
        for row, text in enumerate(texts.to_pylist()):
            for part in splitter.split(text or ""):
                if part in position_of:
                    answers[row, position_of[part]] = YES
                else:
                    unlisted.setdefault(row, part)
        if self.other:
            answers[[*unlisted], -1] = YES
        return answers, unlisted


class Splitter:
    """Splits cells into options, of which some may hold the separator."""

    def __init__(self, separator: str, options: Sequence[str] = ()):
        self.separator = None if separator == " " else separator
        # Options by their first atom, those of most atoms first.
        self.known: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for option in options:
            if atoms := self.atoms(option):
                self.known.setdefault(atoms[0], []).append((atoms, option))
        for found in self.known.values():
            found.sort(key=lambda pair: -len(pair[0]))

    def atoms(self, text: str) -> tuple[str, ...]:
        """The texts between separators."""
        if text == EMPTY_LIST:
            return ()
        return tuple(atom for atom in map(str.strip, text.split(self.separator)) if atom)

    def split(self, text: str) -> list[str]:
        """The options of a cell; what is in no list is an option by itself.

        Examples
        --------
        >>> Splitter(",", ["Bus", "Bicycle, own or rented"]).split("Bus, Bicycle, own or rented, Tram")
        ['Bus', 'Bicycle, own or rented', 'Tram']
        """
        atoms, parts, at = self.atoms(text), [], 0
        while at < len(atoms):
            fitting = (
                pair
                for pair in self.known.get(atoms[at], ())
                if atoms[at : at + len(pair[0])] == pair[0]
            )
            used, option = next(fitting, (atoms[at : at + 1], atoms[at]))
            parts.append(option)
            at += len(used)
        return parts


def answered_any(table: Table, names: Collection[str]) -> np.ndarray:
    """Whether each row has a text in any of these columns."""
    filled = np.zeros(table.n, bool)
    for name in names:
        filled |= np.asarray(table.texts(name).is_valid())
    return filled


@dataclass(frozen=True)
class TickBoxes:
    """Columns that hold a text where an option was ticked, and nothing else, become yes/no columns.

    Attributes
    ----------
    columns, ticks : tuple of str
        The columns of one question, and the text of each.
    empty : str
        What people who ticked none are: "no" (asked, nothing chosen) or "missing" (not asked).
    """

    columns: tuple[str, ...]
    ticks: tuple[str, ...]
    empty: str = "no"

    def __post_init__(self):
        check_choice("empty", self.empty, ("no", "missing"))
        if len(self.columns) != len(self.ticks):
            raise InputError("step boxes must have one text for each column")

    @property
    def question(self) -> str:
        """What people were asked: what the names of the columns begin with."""
        return os.path.commonprefix(self.columns).rstrip(" :/[-_.") or self.columns[0]

    @property
    def sentence(self) -> str:
        """What the step does."""
        listed = join_some([f"{column!r:.60}" for column in self.columns], 3)
        rest = "no" if self.empty == "no" else "no, or not asked where all are empty"
        return f"{format_count(len(self.columns), 'column')} of boxes ({listed}): yes where ticked, else {rest}."

    def sources(self, columns: Collection[str]) -> set[str]:
        """Columns of the file that the wanted columns need."""
        return {*columns, *self.columns} if {*columns} & {*self.columns} else {*columns}

    def apply(self, table: Table) -> Table:
        """The table with yes and no in these columns."""
        data = table.data
        own = [(name, tick) for name, tick in zip(self.columns, self.ticks) if name in table.names]
        cells = {name: table.texts(name) for name, _ in own}
        asked = answered_any(table, cells) if self.empty == "missing" else np.ones(table.n, bool)
        for name, tick in own:
            texts = cells[name].cast(pa.string())
            answers = pc.if_else(pc.equal(texts, tick), "yes", texts)
            filled = pc.if_else(pa.array(asked), answers.fill_null("no"), answers)
            data = data.set_column(table.position(name), name, filled.dictionary_encode())
        return replace(table, data=data)


@dataclass(frozen=True)
class OneRowEach:
    """A table with a row for each answer becomes one with a row for each person.

    Attributes
    ----------
    person, question, answer : str
        Columns; a question answered twice takes the last answer.
    kept : tuple of str
        Columns that say the same in all rows of a person.
    """

    person: str
    question: str
    answer: str
    kept: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What the step does."""
        return (
            f"Several rows for each {self.person!r:.60}: turned so that each row is one person and each "
            f"{self.question!r:.60} a column."
        )

    def sources(self, columns: Collection[str]) -> set[str]:
        """Columns of the file that the wanted columns need."""
        return {self.person, self.question, self.answer, *({*columns} & {*self.kept})}

    def apply(self, table: Table) -> Table:
        """The table turned; columns that are not kept are left out."""
        import pandas as pd

        needed = [self.person, self.question, self.answer, *self.kept]
        rows = table.data.select(needed).to_pandas().astype(object)
        answered = rows.dropna(subset=[self.person, self.question])
        people, questions = answered[self.person].unique(), answered[self.question].unique()
        LIMITS.check_shape(len(people), len(questions))
        last = answered.drop_duplicates([self.person, self.question], keep="last")
        answers = last.pivot(index=self.person, columns=self.question, values=self.answer)
        answers = answers.reindex(index=people, columns=questions)
        answers = answers.rename(
            columns={name: f"{name} ({self.question})" for name in questions if name in self.kept}
        )
        first = answered.drop_duplicates(self.person).set_index(self.person)[list(self.kept)]
        turned = pd.concat([first, answers], axis=1)
        notes = [
            *(f"{format_count(k, 'row')} left out: {reason}." for reason, k in table.left_out),
            f"{len(rows):,} rows were turned into {format_count(len(people), 'person', 'people')}.",
        ]
        if twice := len(answered) - len(last):
            again = format_count(twice, "answer was", "answers were")
            notes.append(f"{again} given again to the same question; the last one is taken.")
        if lost := len(rows) - len(answered):
            notes.append(f"{format_count(lost, 'row')} without a person or a question left out.")
        if rest := [name for name in table.names if name not in needed]:
            notes.append(f"Left out, because it is no answer: {quote_texts(rest)}.")
        columns = [
            as_codes(pa.array(turned.iloc[:, at], pa.string(), from_pandas=True))
            for at in range(turned.shape[1])
        ]
        # What was left out was rows; from here on people are counted.
        return replace(
            table, data=pa.table(columns, names=list(turned.columns)), notes=(*table.notes, *notes),
            left_out=(), descriptions={},
        )  # fmt: skip


@dataclass(frozen=True)
class RepeatRows:
    """Each row stands for as many people as a column says.

    Attributes
    ----------
    column : str
        Whole numbers of people, or weights.
    mean : float
        Mean of the weights, so that the number of people stays; 0 for numbers of people.
    decimal : str
        Decimal sign of the numbers.
    """

    column: str
    mean: float = 0.0
    decimal: str = "."

    def __post_init__(self):
        check_choice("decimal", self.decimal, (".", ","))
        if not 0 <= self.mean < np.inf:
            raise InputError(f"mean ({self.mean}) must be a positive number, or 0")

    @property
    def sentence(self) -> str:
        """What the step does."""
        if self.mean:
            return (
                f"{self.column!r:.60} is used as survey weight: people are taken in proportion to it. "
                "Everybody still sends one report."
            )
        return f"Each row stands for as many people as {self.column!r:.60} says."

    def sources(self, columns: Collection[str]) -> set[str]:
        """Columns of the file that the wanted columns need."""
        return {*columns, self.column}

    def apply(self, table: Table) -> Table:
        """The table with each row as often as there are people like it, without the column of numbers."""
        if self.column not in table.names:
            raise DataError(f"column {self.column!r:.80} of the schema is not in the table")
        numbers = read_plain_numbers(table, self.column, self.decimal)
        usable = numbers >= 0
        if self.mean:
            ends = np.floor(np.cumsum(np.where(usable, numbers, 0.0)) / self.mean + 0.5)
            times = np.diff(ends, prepend=0.0)
        else:
            usable &= numbers == np.floor(numbers)
            times = np.where(usable, numbers, 0.0)
        LIMITS.check_shape(int(min(times.sum(), 1e15)), len(table.names))
        rows = np.repeat(np.arange(table.n), times.astype(np.int64))
        lost = int((~usable).sum())
        what = "weight" if self.mean else "number of people"
        left_out = ((f"no {what} in column {self.column!r:.80}", lost),) * bool(lost)
        people = format_count(len(rows), "person", "people")
        needless = {self.column, *(name for name in table.names if numbers_rows(table, name))}
        return replace(
            table, data=table.data.drop_columns([*needless]).take(rows),
            left_out=(*table.left_out, *left_out),
            notes=(*table.notes, f"{format_count(table.n, 'row')} of the file made {people}."),
        )  # fmt: skip


def read_plain_numbers(table: Table, column: str, decimal: str = ".") -> np.ndarray:
    """The cells of a column as numbers, NaN where they are none."""
    texts = table.texts(column)
    numbers = parse_amounts(texts.dictionary.fill_null("")).read(NumberForm(decimal))
    return np.append(numbers, np.nan)[np.asarray(texts.indices.fill_null(len(numbers)))]


def numbers_rows(table: Table, column: str) -> bool:
    """Whether a column numbers the rows from 0 or 1.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"": ["1", "2", "3"], "age": ["30", "31", "32"]})
    >>> [numbers_rows(table, name) for name in table.names]
    [True, False]
    """
    numbers = read_plain_numbers(table, column)
    first = numbers[:1]
    return bool(np.isin(first, (0, 1)).all() and (numbers == np.arange(table.n) + first).all())


Step = SplitOptions | TickBoxes | OneRowEach | RepeatRows
KINDS = {
    "split": SplitOptions,
    "boxes": TickBoxes,
    "one row each": OneRowEach,
    "repeat": RepeatRows,
}
NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}


def prepare_table(table: Table, steps: Sequence[Step]) -> Table:
    """The table after all steps.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"by": ["Bus, Car", "Car", None], "n": ["2", "1", "1"]})
    >>> steps = [SplitOptions("by", ",", ("Bus", "Car")), RepeatRows("n")]
    >>> prepare_table(table, steps).frame.to_dict("list")["by: Bus"]
    ['yes', 'yes', 'no', 'no']
    """
    return reduce(lambda prepared, step: step.apply(prepared), steps, table)


def write_steps(steps: Sequence[Step]) -> list[dict]:
    """The steps as plain values, for JSON."""
    return [{"step": NAMES[type(step)], **asdict(step)} for step in steps]


def read_steps(plain: Sequence[dict]) -> tuple[Step, ...]:
    """Steps from plain values of a file; raises DataError if they are malformed."""
    steps = []
    for fields in plain:
        kind = KINDS.get(fields.get("step")) if isinstance(fields, dict) else None
        if kind is None:
            raise DataError(f"the schema file is damaged: step must be one of {', '.join(KINDS)}")
        values = {name: value for name, value in fields.items() if name != "step"}
        steps.append(build_dataclass(values, kind, "schema", " of a step"))
    return tuple(steps)
