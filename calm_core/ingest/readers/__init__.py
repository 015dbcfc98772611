"""The open set of readers: one file each; the first whose `accepts` says yes reads the file.

A reader takes the whole file as an Arrow buffer (memory-mapped for a path) and returns `Raw`
columns; it never decides what the columns mean. To add a format, write a module with one `Reader`
and add it to `READERS`.
"""

from calm_core.ingest.readers.arff import ARFF
from calm_core.ingest.readers.base import Reader
from calm_core.ingest.readers.baskets import BASKETS
from calm_core.ingest.readers.delimited import DELIMITED
from calm_core.ingest.readers.excel import EXCEL
from calm_core.ingest.readers.parquet import PARQUET
from calm_core.ingest.table import ReadOptions

# Binary formats know themselves by their first bytes; delimited text takes what is left.
READERS: tuple[Reader, ...] = (PARQUET, EXCEL, ARFF, BASKETS, DELIMITED)


def reader_of(head: bytes, name: str, options: ReadOptions) -> Reader:
    """The reader of a file with these first bytes and this name, if the options are for its format."""
    reader = next(r for r in READERS if r.accepts(head, name.lower(), options))
    reader.check(options)
    return reader


EXTENSIONS = tuple(dict.fromkeys(end for reader in READERS for end in reader.extensions))

__all__ = ["EXTENSIONS", "READERS", "Reader", "reader_of"]
