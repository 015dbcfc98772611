"""What every reader is."""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from calm_core.ingest.limits import Limits
from calm_core.ingest.table import ReadOptions
from calm_core.ingest.tidy import Raw


@dataclass(frozen=True)
class Reader:
    """One file format.

    Attributes
    ----------
    name : str
        What users call it.
    extensions : tuple of str
        Lower-case file name endings, for the upload widget.
    accepts : callable (head: bytes, name: str, options) -> bool
        Whether this reader is for a file with these first bytes (64 kB) and this name.
    read : callable (buffer, options, limits) -> Raw
        Parse; raises DataError with one sentence.
    """

    name: str
    extensions: tuple[str, ...]
    accepts: Callable[[bytes, str, ReadOptions], bool]
    read: Callable[[pa.Buffer, ReadOptions, Limits], Raw]
