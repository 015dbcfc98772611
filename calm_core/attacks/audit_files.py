"""Audit of what a file holds: pairs of an input and an output, or a table of probabilities."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from calm_core._checks import check_count
from calm_core.attacks.audit import CONFIDENCE, Audit, RunningAudit, audit, audit_table
from calm_core.errors import DataError, InputError
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
    if _holds_trials(frame):
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


def _holds_trials(frame: pd.DataFrame) -> bool:
    """Whether each row is a trial, not the probabilities of an input."""
    return set(map(str, frame.columns)) == {"input", "output"}


def run_audit(
    frame: pd.DataFrame,
    epsilon: float,
    batch: int,
    *,
    rng: np.random.Generator,
    confidence: float = CONFIDENCE,
) -> FileAudit:
    """Audit the trials of a file batch by batch, up to the first batch that breaks the claim.

    Parameters
    ----------
    frame : DataFrame
        The columns input and output, one trial a row, in the order they were tried.
    batch : int
        Trials between two looks.
    epsilon, rng, confidence
        See `RunningAudit`.

    Raises
    ------
    InputError
        If the frame is a table of probabilities.

    Examples
    --------
    >>> frame = pd.DataFrame({"input": [0, 1] * 9000, "output": [0, 1] * 9000})
    >>> run_audit(frame, 1.0, 1000, rng=np.random.default_rng(1)).how
    'Looked after every 1,000 pairs of an input and an output; stopped after 2,000 of 18,000.'
    """
    batch = check_count("batch", batch)
    if not _holds_trials(frame):
        raise InputError(
            "batch is for trials; the file must have the columns input and output, or leave batch out"
        )
    running, used = RunningAudit(epsilon, rng=rng, confidence=confidence), 0
    while used < len(frame) and not running.result.broken:
        running.add(frame.iloc[used : used + batch])
        used = min(used + batch, len(frame))
    stopped = f"stopped after {used:,} of {len(frame):,}" if used < len(frame) else "to the end"
    how = f"Looked after every {format_count(batch, 'pair')} of an input and an output; {stopped}."
    return FileAudit(how, running.result)
