"""Limits of the data door, in one place: readers, the app and the command line all use these."""

from dataclasses import dataclass, fields

from calm_core._checks import check_count
from calm_core.errors import DataError

MB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a file may be at most; everything is checked before the memory is taken.

    Attributes
    ----------
    upload_bytes, file_bytes : int
        Size of an upload and of a file named on the command line.
    unpacked_bytes : int
        Size after decompression of a gzip file.
    sheet_bytes : int
        Size after decompression of all parts of a workbook.
    sheet_cells : int
        Cells between the corners of a sheet, filled or not.
    rows, columns, cells : int
        Shape of the table.
    seconds, file_seconds, memory_bytes : int
        Time (for an upload, for a file named on the command line) and address space of the process
        that parses a file.

    Raises
    ------
    InputError
        If one is not a whole number from 1.
    """

    upload_bytes: int = 200 * MB
    file_bytes: int = 4_000 * MB
    unpacked_bytes: int = 2_000 * MB
    sheet_bytes: int = 300 * MB
    sheet_cells: int = 30_000_000
    rows: int = 20_000_000
    columns: int = 2_000
    cells: int = 500_000_000
    seconds: int = 60
    file_seconds: int = 600
    memory_bytes: int = 6_000 * MB

    def __post_init__(self):
        for item in fields(self):
            check_count(item.name, getattr(self, item.name))

    def check_bytes(self, size: int, *, upload: bool) -> None:
        """Refuse a file that is too large, naming its size."""
        limit = self.upload_bytes if upload else self.file_bytes
        if size > limit:
            raise DataError(
                f"the file ({size / MB:,.1f} MB) must be at most {limit / MB:,.0f} MB; "
                "keep fewer rows or columns, or save it as Parquet"
            )

    def check_unpacked(self, size: int, *, sheet: bool = False) -> None:
        """Refuse content that unpacks to too much."""
        limit = self.sheet_bytes if sheet else self.unpacked_bytes
        if size > limit:
            raise DataError(
                f"the file unpacks to more than {limit / MB:,.0f} MB; keep fewer rows or columns"
            )

    def check_shape(self, rows: int, columns: int) -> None:
        """Refuse a table with too many rows, columns or cells, naming the number."""
        if columns > self.columns:
            raise DataError(
                f"the table has {columns:,} columns and must have at most {self.columns:,}; "
                "keep the columns you need"
            )
        if rows > self.rows:
            raise DataError(
                f"the table has {rows:,} rows and must have at most {self.rows:,}; keep fewer rows"
            )
        if rows * columns > self.cells:
            raise DataError(
                f"the table has {rows:,} rows x {columns:,} columns = {rows * columns:,} cells and "
                f"must have at most {self.cells:,}; keep fewer rows or columns"
            )

    def check_sheet(self, rows: int, columns: int) -> None:
        """Refuse a sheet that spans too many cells."""
        if rows * columns > self.sheet_cells:
            raise DataError(
                f"the sheet spans {rows:,} rows x {columns:,} columns and must span at most "
                f"{self.sheet_cells:,} cells; delete stray cells, or save it as CSV"
            )


LIMITS = Limits()
