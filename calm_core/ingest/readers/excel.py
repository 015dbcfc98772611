"""Excel and OpenDocument workbooks, through calamine."""

import io
import itertools
import struct
import zipfile
import zlib
from dataclasses import replace

import pyarrow as pa

from calm_core.errors import DataError, UserError
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import Raw
from calm_core.ingest.readers.base import Reader, cell_text
from calm_core.ingest.readers.sniff import SAMPLE_LINES, layout_from_rows
from calm_core.ingest.table import ReadOptions
from calm_core.text import format_count

OLD = b"\xd0\xcf\x11\xe0"  # the container of .xls, and of .xlsx with a password
CHUNK = 20_000
ERROR = b' t="e"'
DAMAGED = "the workbook is damaged or cut short; save it again"
# Errors that zipfile raises on a damaged archive.
ZIP_ERRORS = (
    # Texts in no encoding, and places before the file's begin, are ValueErrors.
    zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip
PASSWORD = "the workbook is protected by a password; save it without one"


def read_excel(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """One sheet as text columns; the header row is found below any titles."""
    import python_calamine as calamine

    content = memoryview(buffer)
    notes = []
    if content[:4].tobytes() == OLD:
        if "EncryptedPackage".encode("utf-16-le") in content.tobytes():
            raise DataError(PASSWORD)
    else:
        notes += _check_parts(content, limits)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        name = _choose_sheet(book, options, notes)
        sheet = book.get_sheet_by_name(name)
    except calamine.PasswordError as error:
        raise DataError(PASSWORD) from error
    except (calamine.CalamineError, OSError) as error:
        raise DataError(DAMAGED) from error
    limits.check_shape(sheet.height, sheet.width)
    merged = sheet.merged_cell_ranges or []
    if merged:
        notes.append(
            f"{format_count(len(merged), 'merged cell')}: the value stands in the first "
            "cell, the others are empty."
        )
    return _columns_of(sheet, replace(options, sheet=name), notes)


def _check_parts(content: memoryview, limits: Limits) -> list[str]:
    """Note about error cells, which are read as empty; raises if this is no workbook or unpacks to too much."""
    packed, errors = content.nbytes, 0
    try:
        parts = zipfile.ZipFile(io.BytesIO(content))
        names = parts.namelist()
        if not any(name.startswith(("xl/", "Content", "content.xml")) for name in names):
            raise DataError("the file is a zip archive and not a workbook; unpack it first")
        if any(info.flag_bits & 1 for info in parts.infolist()):
            raise DataError(PASSWORD)
        limits.check_unpacked(sum(i.file_size for i in parts.infolist()), packed, sheet=True)
        # To the end of every part: what the index says of its size may be wrong.
        for info in parts.infolist():
            with parts.open(info) as stream:
                rest = b""
                while block := stream.read(1 << 22):
                    errors += (rest + block).count(ERROR)
                    rest = block[1 - len(ERROR) :]
    except UserError:
        raise
    except ZIP_ERRORS as error:
        raise DataError(DAMAGED) from error
    cells = format_count(errors, "cell")
    return [f"{cells} of the workbook with an error (such as #N/A) read as empty."] * bool(errors)


def _choose_sheet(book, options: ReadOptions, notes: list[str]) -> str:
    names = book.sheet_names
    if not names:
        raise DataError("the workbook holds no sheet; save it again with one table")
    if options.sheet is not None:
        if options.sheet not in names:
            raise DataError(
                f"sheet ({options.sheet!r:.60}) must be one of {', '.join(names[:20])!s:.300}"
            )
        return options.sheet
    if len(names) > 1:
        listed = ", ".join(f"{name:.40}" for name in names[:10])
        notes.append(f"The workbook holds {len(names)} sheets ({listed}); the first is read.")
    return names[0]


def _columns_of(sheet, options: ReadOptions, notes: list[str]) -> Raw:
    """The sheet as text columns without blank rows."""
    texts = ([cell_text(cell) for cell in row] for row in sheet.iter_rows())
    before = options.header_row or 0
    numbered = ((at, row) for at, row in enumerate(texts, 1) if any(row) and at > before)
    first = list(itertools.islice(numbered, SAMPLE_LINES))
    if not first:
        if before:
            raise DataError(
                f"header_row ({before:,}) must be less than the number of rows of the sheet; "
                "choose fewer"
            )
        raise DataError(f"sheet {options.sheet!r:.60} is empty; choose another sheet")
    sample = [[cell or "" for cell in row] for _, row in first]
    layout = layout_from_rows(sample, [at for at, _ in first], "", options)
    names, last = layout.columns, layout.skip
    rows = itertools.chain(((at, row) for at, row in first if at > last), numbered)
    chunks = [[] for _ in names]
    while part := list(itertools.islice(rows, CHUNK)):
        last = part[-1][0]
        for parts, cells in zip(chunks, zip(*(row for _, row in part)), strict=True):
            parts.append(pa.array(cells, pa.string()))
    columns = [pa.chunked_array(parts, pa.string()) for parts in chunks]
    keep = [i for i, c in enumerate(columns) if names[i].strip() or c.null_count < len(c)]
    title = f"Sheet {options.sheet!r:.60}; " + (
        f"row {layout.skip} taken as column names." if layout.names else "no column names."
    )
    notes = [title, *layout.notes("row"), *notes]
    if blank_rows := last - layout.skip - len(columns[0]):
        notes.append(f"{format_count(blank_rows, 'blank row was', 'blank rows were')} skipped.")
    descriptions = layout.descriptions()
    return Raw(
        [names[i] for i in keep],
        [columns[i] for i in keep],
        layout.dialect(options),
        notes,
        descriptions=[descriptions[i] for i in keep] if descriptions else [],
    )


EXCEL = Reader(
    "Excel",
    (".xlsx", ".xls", ".ods"),
    lambda head, name, options: head.startswith((b"PK\x03\x04", b"PK\x05\x06", OLD)),
    read_excel,
    takes=frozenset({"sheet", "header", "header_row", "header_rows"}),
)
