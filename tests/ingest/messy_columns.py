"""Messy columns of `data/messy_columns.jsonl`, and the judge of what the import makes of them.

One line is one column. `case`, `header` and `kinds` (all that can be defended) are always there.
`reads` gives what each text says: a number, an ISO date, or null for nothing; `counts` how often a
text occurs, 1 if it is not listed; `alternative` the other reading of each text. If a text has several
meanings, `cells` lists text, reading and alternative instead. All other fields are those of
`MessyColumn`.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from calm_core.errors import UserError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import Report, encode_table
from calm_core.ingest.findings import describe_column
from calm_core.ingest.normalize_table import Raw, normalize_table
from calm_core.ingest.schema import ColumnSchema, Schema, read_numbers
from calm_core.ingest.suggestions import joined_spellings
from calm_core.ingest.table import ReadOptions, Table
from calm_core.ingest.values.dates import DAY

CSV_OPTIONS = ReadOptions(separator=",", header=True, header_row=0)
MEASURES = ("number", "date")
TOLERANCE = 1e-12  # a product of two floats is no closer


@dataclass(frozen=True, eq=False)
class MessyColumn:
    """A column, with every decision about it that a careful person can defend.

    Attributes
    ----------
    cells : tuple of str
        As in the file; "" is an empty cell.
    truth, alternative : ndarray or None
        What each cell says as float or datetime64[s]; the other reading of an ambiguous column.
    scale_free : bool
        Only order and ties of the numbers matter: hours or minutes are both right.
    unit : tuple of str
        Allowed units; () if any is.
    may_miss : frozenset
        Cells that may stay unread, as long as they are counted.
    missing, missing_or_proposed, proposed, proposed_or_value, any_reading : frozenset
        Texts that must be treated in this way as missing.
    merges, may_merge : tuple of frozenset
        Spellings that must, or of which any part may, be proposed as one value.
    ask : str
        Whether to ask a question: "yes", "no", "may", or "if read" (as a number or date).
    order : tuple of str
        Values of an ordered column from one end to the other.
    shown : frozenset
        Texts that are displayed as in the file.
    left_out : bool or None
        Whether the column is left out at first; None if either is fine.
    reason : tuple of str
        The reason for leaving it out has one of these words.
    disputed : str
        In what the import is known to decide otherwise.
    """

    case: str
    header: str
    kinds: tuple[str, ...]
    cells: tuple[str, ...]
    truth: np.ndarray | None = None
    alternative: np.ndarray | None = None
    scale_free: bool = False
    unit: tuple[str, ...] = ()
    may_miss: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    missing_or_proposed: frozenset[str] = frozenset()
    proposed: frozenset[str] = frozenset()
    proposed_or_value: frozenset[str] = frozenset()
    any_reading: frozenset[str] = frozenset()
    merges: tuple[frozenset[str], ...] = ()
    may_merge: tuple[frozenset[str], ...] = ()
    ask: str = "no"
    order: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()
    left_out: bool | None = False
    reason: tuple[str, ...] = ()
    disputed: str = ""

    @classmethod
    def from_json(cls, line: str) -> "MessyColumn":
        fields = json.loads(line)
        holds, counts = fields.pop("holds", None), fields.pop("counts", {})
        reads, other = fields.pop("reads", {}), fields.pop("alternative", {})
        cells = fields.pop("cells", None) or [
            (text, reads.get(text), other.get(text))
            for text in (reads or counts)
            for _ in range(counts.get(text, 1))
        ]
        texts, values, others = zip(*cells)
        for name in ("merges", "may_merge"):
            fields[name] = tuple(map(frozenset, fields.get(name, ())))
        for name, value in fields.items():
            if isinstance(value, list):
                is_set = cls.__annotations__[name] == frozenset[str]
                fields[name] = (frozenset if is_set else tuple)(value)
        return cls(
            cells=texts,
            truth=to_values(values, holds) if holds else None,
            alternative=to_values(others, holds) if any(others) else None,
            **fields,
        )

    @property
    def content(self) -> bytes:
        """A CSV file of this column and one with row numbers."""
        beside = "row" if self.header != "row" else "line"
        numbers = [str(i) for i in range(1, len(self.cells) + 1)]
        return csv_of({self.header: self.cells, beside: numbers})


def to_values(values: Sequence, holds: str) -> np.ndarray:
    if holds == "dates":
        return np.array([np.datetime64(value or "NaT", "s") for value in values])
    return np.array([np.nan if value is None else value for value in values], float)


def csv_of(columns: Mapping[str, Sequence[str]]) -> bytes:
    sink = io.StringIO(newline="")
    csv.writer(sink, quoting=csv.QUOTE_ALL).writerows([list(columns), *zip(*columns.values())])
    return sink.getvalue().encode()


@cache
def messy_columns() -> tuple[MessyColumn, ...]:
    path = Path(__file__).parent / "data" / "messy_columns.jsonl"
    return tuple(map(MessyColumn.from_json, path.read_text(encoding="utf-8").splitlines()))


@cache
def read_and_detect(column: MessyColumn) -> tuple[Table, Schema]:
    """The column as a reader gives it, and its schema."""
    cells = pa.array([cell or None for cell in column.cells], pa.string())
    table = normalize_table(Raw([column.header], [cells], CSV_OPTIONS))
    assert table.n == len(column.cells)
    return table, detect_schema(table)


@dataclass(frozen=True)
class Decision:
    """What the import made of one column.

    Attributes
    ----------
    texts : list
        Each cell as the reader returns it, None if empty.
    values : ndarray or None
        What each cell was read as, for numbers and dates.
    codes, report : ndarray, Report, or None
        The code of each row used, and the account of the rows; None if no row can be used.
    """

    column: ColumnSchema
    texts: list[str | None]
    values: np.ndarray | None
    codes: np.ndarray | None
    report: Report | None

    @property
    def missing(self) -> set[str]:
        return set(self.column.missing_texts)

    @property
    def proposed_missing(self) -> set[str]:
        return {text for p in self.column.proposals if p.what == "missing" for text in p.texts}

    @property
    def proposed_merges(self) -> list[frozenset[str]]:
        """Sets of texts of this column merged, which is said, or to merge; sets that overlap are joined."""
        joined: list[set[str]] = []
        column = self.column
        merges = [p.texts for p in column.proposals if p.what == "merge"]
        for code in range(column.size) if joined_spellings(column) else ():
            merges.append([text for text, of in zip(column.values, column.groups) if of == code])
        for texts in merges:
            new = set(texts) & set(self.texts)
            apart = [old for old in joined if not old & new]
            joined = [*apart, new.union(*(old for old in joined if old & new))]
        return [frozenset(one) for one in joined if len(one) > 1]


def read_values(texts: Sequence[str | None], column: ColumnSchema) -> np.ndarray:
    """Numbers or dates (datetime64[s]) of cells; NaN or NaT where a cell is missing or no number."""
    cells = pa.array(list(texts), pa.string())
    read = read_numbers(cells.fill_null(""), replace(column, edges=None))
    empty = [text is None or text in column.missing_texts for text in texts]
    read = np.where(empty, np.nan, read)
    if column.kind == "number":
        return read
    seconds = np.round(np.nan_to_num(read) * DAY).astype(np.int64).astype("datetime64[s]")
    return np.where(np.isnan(read), np.datetime64("NaT"), seconds)


def read_measures(texts: Sequence[str | None], column: ColumnSchema) -> np.ndarray | None:
    return read_values(texts, column) if column.kind in MEASURES else None


def decide(table: Table, schema: Schema, name: str) -> Decision:
    column, texts = schema.column(name), table.texts(name).to_pylist()
    codes = report = None
    try:
        encoded = encode_table(table, schema=schema.choose([name]))
        codes, report = encoded.dataset.codes[:, 0].astype(int), encoded.report
    except UserError:
        pass  # all cells are empty
    return Decision(column, texts, read_measures(texts, column), codes, report)


def decide_messy(column: MessyColumn) -> Decision:
    return decide(*read_and_detect(column), column.header)


def is_read(values: np.ndarray) -> np.ndarray:
    return ~(np.isnat(values) if values.dtype.kind == "M" else np.isnan(values))


def is_same(read: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Which cells are not read or read as what they say."""
    if truth.dtype.kind == "M":
        equal = read.astype("datetime64[s]") == truth
    else:
        equal = np.isclose(read, truth, rtol=TOLERANCE, atol=0)
    return equal | ~is_read(read)


def has_same_order(read: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The same if only order and ties matter."""
    both = is_read(read) & is_read(truth)
    _, one = np.unique(read[both].astype(float), return_inverse=True)
    _, other = np.unique(truth[both].astype(float), return_inverse=True)
    fits = ~is_read(read)
    fits[both] = one == other
    return fits


def misread_cells(decision: Decision, column: MessyColumn) -> np.ndarray:
    """Cells read as something they do not say, by the best of the allowed readings."""
    values, truth = decision.values, column.truth
    if values is None:
        return np.zeros(len(column.cells), bool)
    if truth is None:
        return is_read(values) & (decision.column.kind not in column.kinds)
    if column.scale_free or (values.dtype.kind == "M") != (truth.dtype.kind == "M"):
        if decision.column.kind not in column.kinds:
            return is_read(values)
        return ~has_same_order(values, truth)
    readings = [truth] if column.alternative is None else [truth, column.alternative]
    wrong = [~is_same(values, reading) for reading in readings]
    if column.ask == "if read" and decision.column.questions:
        return np.logical_and.reduce(wrong)  # each cell may have either reading
    if column.ask == "yes" and not decision.column.questions:
        wrong = wrong[:1]
    return min(wrong, key=np.sum)


def find_silent_errors(decision: Decision, column: MessyColumn) -> list[str]:
    """Values that are wrong, merged or lost without a question or a count."""
    found, wrong = [], misread_cells(decision, column)
    if wrong.any() and not decision.column.questions:
        at = int(np.flatnonzero(wrong)[0])
        found.append(f"{wrong.sum()} misread, e.g. {column.cells[at]!r} as {decision.values[at]}")
    if column.ask == "yes" and decision.values is not None and not decision.column.questions:
        found.append("ambiguous, read one way without a question")
    if hidden := column.shown.difference(decision.column.display_names):
        found.append(f"{sorted(hidden)} are shown as {list(decision.column.display_names)}")
    return [*found, *find_account_errors(decision), *find_merged_values(decision)]


def find_account_errors(decision: Decision) -> list[str]:
    """Rows or cells that the account does not hold, and codes that do not fit the values."""
    found, report, column = [], decision.report, decision.column
    if report is None:
        texts = {text for text in decision.texts if text is not None}
        return [] if texts <= decision.missing else ["no row can be used"]
    rows = report.rows_used + sum(count for _, count in report.left_out)
    if not report.rows_in == rows == len(decision.texts):
        found.append(f"{report.rows_in} rows read, {rows} accounted for")
    empty = sum(text is None or text in decision.missing for text in decision.texts)
    if not column.n_missing == dict(report.empty).get(column.name, 0) == empty:
        found.append(f"{empty} empty, {column.n_missing} in the schema, {report.empty} reported")
    listed, numbers = sum(column.label_counts()), column.numbers_count or 0
    if listed + numbers != len(decision.texts):
        found.append(f"{listed} listed and {numbers} numbers in {len(decision.texts)} rows")
    return found + find_wrong_codes(decision)


def find_merged_values(decision: Decision) -> list[str]:
    """Words that share a code, although nobody accepted that."""
    column = decision.column
    if decision.codes is None or column.is_number or len(decision.codes) != len(decision.texts):
        return []
    may_share = {column.other, column.missing_code}
    said = joined_spellings(column)
    seen: dict[int, str] = {}
    for text, code in zip(decision.texts, decision.codes.tolist()):
        if text is None or code in may_share or text in decision.missing:
            continue
        if text in said and "spellings joined" in describe_column(column).saw:
            continue
        if seen.setdefault(code, text) != text and not _is_same_number(decision, seen[code], text):
            return [f"{seen[code]!r} and {text!r} are merged unasked"]
    return []


def _is_same_number(decision: Decision, one: str, other: str) -> bool:
    """Whether two texts write the same number or date, such as 1 and 1.0."""
    if decision.values is None:
        return False
    at, there = decision.texts.index(one), decision.texts.index(other)
    return bool(decision.values[at] == decision.values[there])


def find_wrong_codes(decision: Decision) -> list[str]:
    """Bins that do not hold what was read, and unread cells in a bin."""
    column, values, codes = decision.column, decision.values, decision.codes
    if values is None or codes is None or len(codes) != len(values) or not column.is_number:
        return []
    read, binned = is_read(values), codes < len(column.edges) + 1
    missing = np.array([text is None or text in decision.missing for text in decision.texts])
    if (read != binned)[~missing].any():
        at = int(np.flatnonzero((read != binned) & ~missing)[0])
        return [f"{decision.texts[at]!r} is read as {values[at]} and has the code {codes[at]}"]
    order = np.argsort(values[read & binned], kind="stable")
    if (np.diff(codes[read & binned][order]) < 0).any():
        return ["a larger value is in a lower bin"]
    if column.kind == "number":
        right = np.searchsorted(column.edges, values[read & binned], side="left")
        if (right != codes[read & binned]).any():
            return ["a number is not in the bin of its edges"]
    return []


def find_complaints(decision: Decision, column: MessyColumn) -> list[str]:
    """What a careful person would have decided otherwise."""
    kind, asked = decision.column.kind, bool(decision.column.questions)
    if kind not in column.kinds:
        return [f"kind is {kind}, expected {' or '.join(column.kinds)}"]
    found = [*_reading(decision, column), *_missing(decision, column), *_merges(decision, column)]
    if column.unit and kind == "number" and decision.column.unit.casefold() not in column.unit:
        found.append(f"unit is {decision.column.unit!r}, expected one of {column.unit}")
    if not asked and (column.ask == "yes" or (column.ask == "if read" and kind in MEASURES)):
        found.append("no question is asked")
    if asked and column.ask == "no":
        found.append(f"asked needlessly: {decision.column.questions[0].sentence}")
    listed = tuple(label for label in decision.column.labels if label in column.order)
    if kind == "ordered" and column.order and listed not in (column.order, column.order[::-1]):
        found.append(f"order is {listed}, expected {column.order}")
    return found + _left_out(decision, column)


def _reading(decision: Decision, column: MessyColumn) -> list[str]:
    """Cells misread or not read at all, and dates in too few or too many bins."""
    if decision.values is None or column.truth is None:
        return []
    may_miss = np.array([cell in column.may_miss for cell in column.cells])
    unread = is_read(column.truth) & ~is_read(decision.values) & ~may_miss
    found = [
        f"{cells.sum()} {what}, e.g. {column.cells[int(np.flatnonzero(cells)[0])]!r}"
        for cells, what in ((misread_cells(decision, column), "misread"), (unread, "not read"))
        if cells.any()
    ]
    bins = len(decision.column.edges) + 1 if decision.column.edges is not None else 0
    if decision.column.kind == "date" and bins and not 4 <= bins <= 12:
        found.append(f"{bins} bins, expected 4 to 12")
    return found


def _missing(decision: Decision, column: MessyColumn) -> list[str]:
    taken, proposed = decision.missing, decision.proposed_missing
    optional = column.proposed_or_value | column.any_reading
    known = column.missing | column.missing_or_proposed | column.proposed | optional
    either = taken | proposed
    if decision.values is not None:
        # A proposal to count all that does not fit as missing lists such cells.
        fits = dict(zip(decision.texts, is_read(decision.values)))
        proposed = {text for text in proposed if text in known or fits.get(text)}
    checks = (
        ("should be missing", column.missing - taken),
        ("should be missing or proposed as missing", column.missing_or_proposed - either),
        ("should be proposed as missing", column.proposed - proposed),
        ("should not be missing unasked", (column.proposed | column.proposed_or_value) & taken),
        ("is not missing", (taken | proposed) - known),
    )
    return [f"{' '.join(map(repr, sorted(texts)))} {what}" for what, texts in checks if texts]


def _merges(decision: Decision, column: MessyColumn) -> list[str]:
    proposed = decision.proposed_merges
    found = [f"merge of {sorted(m)} should be proposed" for m in column.merges if m not in proposed]
    for extra in set(proposed) - set(column.merges):
        expected = any(extra & wanted for wanted in column.merges)
        if not expected and not any(extra <= may for may in column.may_merge):
            found.append(f"merge of {sorted(extra)} should not be proposed")
    return found


def _left_out(decision: Decision, column: MessyColumn) -> list[str]:
    found, reason = [], decision.column.reason.casefold()
    if column.left_out is not None and decision.column.keep == column.left_out:
        found.append("is kept" if column.left_out else f"is left out ({reason})")
    if not decision.column.keep and not reason:
        found.append("is left out without a reason")
    if column.left_out and column.reason and not any(word in reason for word in column.reason):
        found.append(f"reason is {reason!r}, expected one of {column.reason}")
    return found
