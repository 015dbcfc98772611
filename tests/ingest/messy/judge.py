"""Whether the import decided as a careful person would, and whether it was wrong without a word."""

import numpy as np

from tests.ingest.messy.adapter import MEASURES, Decided, decide_alone
from tests.ingest.messy.column import Messy

CLOSE = 1e-12  # as near as a product of two floats is


def is_read(values: np.ndarray) -> np.ndarray:
    return ~(np.isnat(values) if values.dtype.kind == "M" else np.isnan(values))


def true_values(column: Messy, which: str = "") -> np.ndarray | None:
    """What every cell says, as floats or as datetime64[s]; the alternative where asked for."""
    says = column.alternative if which else column.numbers or column.dates
    if says is None:
        return None
    if column.numbers is None:
        return np.array([np.datetime64(x or "NaT", "s") for x in says])
    return np.array([np.nan if x is None else x for x in says])


def same(read: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Which cells are read as what they say; cells that are not read are not wrong."""
    if truth.dtype.kind == "M":
        equal = read.astype("datetime64[s]") == truth
    else:
        equal = np.isclose(read, truth, rtol=CLOSE, atol=0)
    return equal | ~is_read(read)


def same_order(read: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The same where only order and ties matter."""
    both = is_read(read) & is_read(truth)
    _, one = np.unique(read[both].astype(float), return_inverse=True)
    _, other = np.unique(truth[both].astype(float), return_inverse=True)
    fits = ~is_read(read)
    fits[both] = one == other
    return fits


def misread(decided: Decided, column: Messy) -> np.ndarray:
    """Cells that are read as something they do not say, in the better of the allowed readings."""
    values = decided.values
    if values is None:
        return np.zeros(len(column.cells), bool)
    truth = true_values(column)
    if truth is None:
        return is_read(values) & (column.kinds.count(decided.column.kind) == 0)
    if column.scale_free or (values.dtype.kind == "M") != (truth.dtype.kind == "M"):
        if decided.column.kind not in column.kinds:
            return is_read(values)
        return ~same_order(values, truth)
    readings = [truth] if column.alternative is None else [truth, true_values(column, "other")]
    wrong = [~same(values, reading) for reading in readings]
    if column.ask == "if read" and decided.column.questions:
        return np.logical_and.reduce(wrong)  # nobody can know which it is, cell by cell
    if column.ask == "yes" and not decided.column.questions:
        wrong = wrong[:1]
    return min(wrong, key=np.sum)


def silent_errors(decided: Decided, column: Messy) -> list[str]:
    """Values that are wrong, merged or lost without a question or a count."""
    found = []
    wrong = misread(decided, column)
    if wrong.any() and not decided.column.questions:
        at = int(np.flatnonzero(wrong)[0])
        found.append(
            f"{wrong.sum()} cells read wrongly, such as {column.cells[at]!r} as {decided.values[at]}"
        )
    if column.ask == "yes" and decided.values is not None and not decided.column.questions:
        found.append("ambiguous, read one way without a question")
    if hidden := column.shown.difference(decided.column.called):
        found.append(f"{sorted(hidden)} are shown as {list(decided.column.called)}")
    return found + unaccounted(decided) + merged_unasked(decided) + wrong_codes(decided)


def unaccounted(decided: Decided) -> list[str]:
    """Rows or cells that the account does not hold."""
    found, report, column = [], decided.report, decided.column
    if report is None:
        texts = {text for text in decided.texts if text is not None}
        return [] if texts <= decided.taken_missing else ["no row can be used"]
    rows = report.rows_used + sum(count for _, count in report.left_out)
    if not report.rows_in == rows == len(decided.texts):
        found.append(f"{report.rows_in} rows read, {rows} accounted for")
    empty = sum(text is None or text in decided.taken_missing for text in decided.texts)
    if not column.n_missing == dict(report.empty).get(column.name, 0) == empty:
        found.append(
            f"{empty} cells are empty, the schema says {column.n_missing}, the report {report.empty}"
        )
    if sum(column.label_counts()) + (column.numbers_count or 0) != len(decided.texts):
        found.append(
            f"{sum(column.label_counts())} listed and {column.numbers_count} numbers "
            f"in {len(decided.texts)} rows"
        )
    return found


def merged_unasked(decided: Decided) -> list[str]:
    """Texts of a column of words that share a code, though nobody said that they may."""
    column = decided.column
    if decided.codes is None or column.is_number or len(decided.codes) != len(decided.texts):
        return []
    free = {column.other, column.missing_code}
    seen: dict[int, str] = {}
    for text, code in zip(decided.texts, decided.codes.tolist()):
        if text is None or code in free or text in decided.taken_missing:
            continue
        if seen.setdefault(code, text) != text and not _same_number(decided, seen[code], text):
            return [f"{seen[code]!r} and {text!r} are merged unasked"]
    return []


def _same_number(decided: Decided, one: str, other: str) -> bool:
    """Whether two texts write the same number or date, such as 1 and 1.0."""
    if decided.values is None:
        return False
    at, there = decided.texts.index(one), decided.texts.index(other)
    return bool(decided.values[at] == decided.values[there])


def wrong_codes(decided: Decided) -> list[str]:
    """Bins that do not hold what was read, cells unread in a bin, and the other way round."""
    column, values, codes = decided.column, decided.values, decided.codes
    if values is None or codes is None or len(codes) != len(values) or not column.is_number:
        return []
    bins = len(column.edges) + 1
    read, binned = is_read(values), codes < bins
    missing = np.array([text is None or text in decided.taken_missing for text in decided.texts])
    if (read != binned)[~missing].any():
        at = int(np.flatnonzero((read != binned) & ~missing)[0])
        return [f"{decided.texts[at]!r} is read as {values[at]} and has the code {codes[at]}"]
    order = np.argsort(values[read & binned], kind="stable")
    if (np.diff(codes[read & binned][order]) < 0).any():
        return ["a larger value is in a lower bin"]
    if column.kind == "number":
        right = np.searchsorted(column.edges, values[read & binned], side="left")
        if (right != codes[read & binned]).any():
            return ["a number is not in the bin of its edges"]
    return []


def complaints(decided: Decided, column: Messy) -> list[str]:
    """What a careful person would have decided otherwise."""
    kind = decided.column.kind
    if kind not in column.kinds:
        return [f"kind is {kind}, expected {' or '.join(column.kinds)}"]
    found = [*_reading(decided, column), *_missing(decided, column), *_merges(decided, column)]
    if column.unit and kind == "number" and decided.unit.casefold() not in column.unit:
        found.append(f"unit is {decided.unit!r}, expected {' or '.join(map(repr, column.unit))}")
    asked = bool(decided.column.questions)
    if not asked and (column.ask == "yes" or (column.ask == "if read" and kind in MEASURES)):
        found.append("no question is asked")
    if asked and column.ask == "no":
        found.append(f"asked needlessly: {decided.column.questions[0].sentence}")
    listed = [label for label in decided.column.labels if label in column.order]
    if kind == "ordered" and column.order:
        if listed not in (list(column.order), list(column.order[::-1])):
            found.append(f"order is {listed}, expected {list(column.order)}")
    return found + _left_out(decided, column)


def _reading(decided: Decided, column: Messy) -> list[str]:
    """Cells read wrongly or not at all, and dates in too few or too many bins."""
    truth = true_values(column)
    if decided.values is None or truth is None:
        return []
    found = []
    wrong = misread(decided, column)
    may = np.array([cell in column.may_miss for cell in column.cells])
    unread = is_read(truth) & ~is_read(decided.values) & ~may
    for cells, what in ((wrong, "misread"), (unread, "not read")):
        if cells.any():
            at = int(np.flatnonzero(cells)[0])
            found.append(
                f"{cells.sum()} {what}, such as {column.cells[at]!r}: {decided.values[at]}"
            )
    bins = len(decided.column.edges) + 1 if decided.column.edges is not None else 0
    if decided.column.kind == "date" and bins and not 4 <= bins <= 12:
        found.append(f"{bins} bins, expected 4 to 12")
    return found


def _missing(decided: Decided, column: Messy) -> list[str]:
    taken, proposed = decided.taken_missing, decided.proposed_missing
    either = taken | proposed
    known = column.sure | column.told | column.proposed | column.maybe | column.free
    if decided.values is not None:
        # To count what does not fit as missing may be offered: it names those cells.
        fits = dict(zip(decided.texts, is_read(decided.values)))
        proposed = {text for text in proposed if text in known or fits.get(text)}
    checks = (
        ("should be taken as missing", column.sure - taken),
        ("should be taken or proposed as missing", column.told - either),
        ("should be proposed as missing", column.proposed - proposed),
        ("should not be taken as missing unasked", (column.proposed | column.maybe) & taken),
        ("is no missing", (taken | proposed) - known),
    )
    return [f"{' '.join(map(repr, sorted(texts)))} {what}" for what, texts in checks if texts]


def _merges(decided: Decided, column: Messy) -> list[str]:
    found, proposed = [], decided.proposed_merges
    for wanted in column.merges:
        if wanted not in proposed:
            near = [sorted(one) for one in proposed if one & wanted]
            found.append(f"merge of {sorted(wanted)} should be proposed, found {near}")
    for extra in set(proposed) - set(column.merges):
        expected = any(extra & wanted for wanted in column.merges)
        if not expected and not any(extra <= may for may in column.may_merge):
            found.append(f"merge of {sorted(extra)} should not be proposed")
    return found


def _left_out(decided: Decided, column: Messy) -> list[str]:
    found = []
    if column.left_out is not None and decided.column.keep == column.left_out:
        found.append("is kept" if column.left_out else f"is left out ({decided.column.reason})")
    if not decided.column.keep and not decided.column.reason:
        found.append("is left out without a reason")
    reason = decided.column.reason.casefold()
    if column.left_out and column.reason and not any(word in reason for word in column.reason):
        found.append(f"reason is {reason!r}, expected one of {column.reason}")
    return found


def decide_messy(column: Messy) -> Decided:
    """What the import makes of a messy column in a file of its own."""
    return decide_alone(column.header, column.cells)
