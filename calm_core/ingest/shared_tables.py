"""Tables below a folder that is shared: what is offered of it, larger than an upload or not."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from calm_core.errors import UserError
from calm_core.ingest.limits import LIMITS, Limits
from calm_core.ingest.readers import EXTENSIONS
from calm_core.io.atomic_files import resolve_below, walk_folders

MAX_LISTED = 200
# What the metadata of a Parquet file of reports says: it is a part of a collection and no table.
OF_REPORTS = b"plan_digest"


@dataclass(frozen=True)
class SharedTable:
    """A file that may be a table.

    Attributes
    ----------
    name : str
        Where it lies below the folder.
    size : int
        Its bytes.
    """

    name: str
    size: int

    def fits(self, limits: Limits = LIMITS) -> bool:
        """Whether it is read whole, as an upload is.

        >>> SharedTable("ages.csv", 1000).fits(), SharedTable("ages.csv", 10**10).fits()
        (True, False)
        """
        return self.size <= limits.upload_bytes


def tables_below(root: str | Path) -> list[SharedTable]:
    """Files of the formats that are read, below a root, by name; at most `MAX_LISTED`.

    Report files are no tables, and what leads outside by a link is not offered.
    """
    found: list[SharedTable] = []
    for at, files in walk_folders(root):
        for name in files:
            known = name.lower().removesuffix(".gz").endswith(EXTENSIONS)
            table = _table(root, str(at / name)) if known else None
            if table is not None:
                found.append(table)
            if len(found) >= MAX_LISTED:
                return found
    return found


def _table(root: str | Path, name: str) -> SharedTable | None:
    try:
        path = resolve_below(root, name)
        size = path.stat().st_size
    except (UserError, OSError):
        return None
    if not path.is_file() or _of_reports(path):
        return None
    return SharedTable(name, size)


def _of_reports(path: Path) -> bool:
    """Whether a Parquet file says that it holds reports; a damaged one says nothing."""
    if path.suffix != ".parquet":
        return False
    from pyarrow import parquet

    try:
        return OF_REPORTS in (parquet.read_schema(path).metadata or {})
    except (OSError, pa.ArrowException):
        return False
