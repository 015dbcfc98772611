"""A survey as a ZIP: survey.json, reports.csv, reports.parquet; read again and checked."""

import numpy as np

from calm_core.classroom.tallies import Collected


def export_zip(collected: Collected, *, rng: np.random.Generator) -> bytes:
    """The ZIP of a survey: one row per report in random order, no ticket, no time.

    Columns: view, report, and one per question (the answer in words, empty where not asked).
    """
    raise NotImplementedError


def read_zip(content: bytes, what: str = "the export") -> Collected:
    """What `export_zip` wrote, checked.

    Raises
    ------
    DataError
        If it is damaged, or no export of a classroom: one sentence, what and where.
    """
    raise NotImplementedError


def is_export(content: bytes) -> bool:
    """Whether these bytes look like an export of a classroom: a ZIP with a survey.json."""
    raise NotImplementedError
