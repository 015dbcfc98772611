"""Limits for files and tables, used by readers, app and command line."""

from dataclasses import dataclass, fields

from calm_core._checks import check_count
from calm_core.errors import TooLargeError

MB = 1 << 20
# The ratio is not checked for files that unpack to less.
SMALL = 64 * MB


@dataclass(frozen=True)
class Limits:
    """Upper limits for a file and its table, checked before memory is allocated.

    Attributes
    ----------
    upload_bytes, file_bytes : int
        Size of an upload and of a file named on the command line.
    unpacked_bytes : int
        Size after decompression of a gzip file.
    sheet_bytes : int
        Size after decompression of all parts of a workbook.
    ratio : int
        Factor by which packed content may grow, if it becomes larger than 64 MB. Tables of
        text grow five- to twentyfold, one of hardly anything but zeros a hundredfold, bombs a thousandfold.
    sheet_cells : int
        Cells between the corners of a sheet, filled or not.
    rows, columns, cells : int
        Shape of the table.
    seconds, most_seconds, file_seconds : int
        Processor time of the process that parses: for a small upload, with one more for every MB up to the
        most; for a file named on the command line. By the clock it may be four times as long, since
        a machine may be busy.
    memory_bytes : int
        Address space of that process.

    Raises
    ------
    InputError
        If one is not a whole number from 1.
    """

    upload_bytes: int = 200 * MB
    file_bytes: int = 4_000 * MB
    unpacked_bytes: int = 2_000 * MB
    sheet_bytes: int = 300 * MB
    ratio: int = 1_100
    sheet_cells: int = 30_000_000
    rows: int = 20_000_000
    columns: int = 2_000
    cells: int = 500_000_000
    seconds: int = 60
    most_seconds: int = 60
    file_seconds: int = 600
    memory_bytes: int = 6_000 * MB

    def __post_init__(self):
        for item in fields(self):
            check_count(item.name, getattr(self, item.name))

    def check_bytes(self, size: int, *, upload: bool) -> None:
        """Raise if a file is too large."""
        limit = self.upload_bytes if upload else self.file_bytes
        if size > limit:
            raise TooLargeError(
                f"the file ({size / MB:,.1f} MB) must be at most {limit / MB:,.0f} MB; "
                "keep fewer rows or columns, or save it as Parquet"
            )

    def seconds_for(self, size: int, *, upload: bool) -> int:
        """Processor time in seconds for a file of this size.

        >>> UPLOADS.seconds_for(10_000, upload=True), UPLOADS.seconds_for(200 * MB, upload=True)
        (15, 60)
        """
        if not upload:
            return self.file_seconds
        return max(self.seconds, min(self.most_seconds, self.seconds + size // MB))

    def check_unpacked(self, size: int, packed: int, *, sheet: bool = False) -> None:
        """Raise if a file unpacks to too much or grows as no table does."""
        limit = self.sheet_bytes if sheet else self.unpacked_bytes
        if size > limit:
            raise TooLargeError(
                f"the file unpacks to more than {limit / MB:,.0f} MB; keep fewer rows or columns"
            )
        if size > max(SMALL, self.ratio * packed):
            rest = "save it as CSV" if sheet else "send it unpacked"
            raise TooLargeError(
                f"the file unpacks to more than {self.ratio:,} times its size, as tables hardly ever do; {rest}"
            )

    def check_shape(self, rows: int, columns: int) -> None:
        """Raise if a table has too many rows, columns or cells."""
        must = "and must have at most"
        if columns > self.columns:
            raise TooLargeError(
                f"the table has {columns:,} columns {must} {self.columns:,}; keep the columns you need"
            )
        if rows > self.rows:
            raise TooLargeError(
                f"the table has {rows:,} rows {must} {self.rows:,}; keep fewer rows"
            )
        if rows * columns > self.cells:
            raise TooLargeError(
                f"the table has {rows:,} rows x {columns:,} columns = {rows * columns:,} cells "
                f"{must} {self.cells:,}; keep fewer rows or columns"
            )

    def check_sheet(self, rows: int, columns: int) -> None:
        """Raise if a sheet spans too many cells."""
        if rows * columns > self.sheet_cells:
            raise TooLargeError(
                f"the sheet spans {rows:,} rows x {columns:,} columns and must span at most "
                f"{self.sheet_cells:,} cells; delete stray cells, or save it as CSV"
            )


LIMITS = Limits()
# For uploads to a server; a CSV file of 200 MB has fewer than 100 million cells.
UPLOADS = Limits(
    unpacked_bytes=500 * MB, ratio=100, sheet_cells=10_000_000, cells=100_000_000,
    seconds=15, most_seconds=60, memory_bytes=1_536 * MB,
)  # fmt: skip
