"""Audit of what a file holds: pairs of an input and an output, or a table of probabilities."""

from typing import NamedTuple

import pandas as pd

from calm_core.attacks.audit import CONFIDENCE, Audit, audit, audit_table
from calm_core.errors import DataError
from calm_core.text import format_count


class FileAudit(NamedTuple):
    """An audit, and a sentence on how the file was read."""

    how: str
    found: Audit


def audit_frame(
    frame: pd.DataFrame, epsilon: float = 1.0, *, confidence: float = CONFIDENCE
) -> FileAudit:
    """Audit the columns of a file, told apart by their names.

    Parameters
    ----------
    frame : DataFrame
        The columns input and output, one trial a row; or input, then a column of probabilities for every output.
    epsilon, confidence
        See `audit`; a table of probabilities is exact.

    Returns
    -------
    FileAudit

    Raises
    ------
    DataError
        If it has other columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"input": ["yes", "no"], "says yes": [0.75, 0.25], "says no": [0.25, 0.75]})
    >>> audit_frame(frame).how
    'Read as a table of probabilities of 2 inputs and 2 outputs; it is not a sample, so it is exact.'
    """
    names = list(map(str, frame.columns))
    if set(names) == {"input", "output"}:
        how = f"Read as {format_count(len(frame), 'pair')} of an input and an output."
        return FileAudit(how, audit(frame, epsilon, confidence=confidence))
    if len(names) < 2 or names[0] != "input":
        raise DataError(
            f"the file begins with the column {names[0] if names else ''!r:.40}; it must have the columns input and output, "
            "or input and a column of probabilities for each output"
        )
    shape = f"{format_count(len(frame), 'input')} and {format_count(len(names) - 1, 'output')}"
    how = f"Read as a table of probabilities of {shape}; it is not a sample, so it is exact."
    return FileAudit(how, audit_table(frame.set_index(frame.columns[0]), epsilon))
