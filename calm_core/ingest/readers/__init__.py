"""Readers of file formats; the first whose `accepts` returns True reads the file.

A reader takes the whole file as an Arrow buffer (memory-mapped for a path) and returns `Raw`
columns; it never decides what the columns mean. To add a format, write a module with one `Reader`
and add it to `READERS`.
"""

from calm_core.ingest.readers.base import Reader
from calm_core.ingest.readers.delimited_files import DELIMITED
from calm_core.ingest.readers.excel import EXCEL
from calm_core.ingest.readers.json_files import JSON
from calm_core.ingest.readers.parquet import PARQUET
from calm_core.ingest.readers.statistics_files import STATISTICS
from calm_core.ingest.transactions import BASKETS

# Binary formats are known by their first bytes; all else is delimited text.
READERS: tuple[Reader, ...] = (PARQUET, EXCEL, *STATISTICS, JSON, BASKETS, DELIMITED)
EXTENSIONS = tuple(dict.fromkeys(end for reader in READERS for end in reader.extensions))

__all__ = ["EXTENSIONS", "READERS"]
