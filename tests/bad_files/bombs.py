"""Small files that unpack to much more memory than they take."""

import gzip
import io
import struct
import zipfile

import pyarrow as pa

from tests.bad_files.make import parquet_of

MB = 1 << 20
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
CONTENT = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
BOOK = (
    f'<workbook xmlns="{MAIN}" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LINKS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{RELATION}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>"
)
ROOT = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{RELATION}/officeDocument" Target="xl/workbook.xml"/>'
    "</Relationships>"
)
SHEET = (f'<worksheet xmlns="{MAIN}"><sheetData>'.encode(), b"</sheetData></worksheet>")


def _poured(sink, chunk: bytes, size: int) -> None:
    """`size` bytes, roughly, of a repeated text."""
    chunk *= max(1, MB // len(chunk))
    for _ in range(size // len(chunk) + 1):
        sink.write(chunk)


def compress_repeated(text: bytes, size: int, *, head: bytes = b"") -> bytes:
    """A text repeated to a size, packed."""
    sink = io.BytesIO()
    with gzip.GzipFile(fileobj=sink, mode="wb", compresslevel=9) as packed:
        packed.write(head)
        _poured(packed, text, size)
    return sink.getvalue()


def gzipped_with_a_small_size_declared(size: int) -> bytes:
    """The trailer says that it unpacks to little."""
    return compress_repeated(b"1,2\n", size)[:-4] + struct.pack("<I", 1000)


def gzipped_in_parts(size: int) -> bytes:
    """Many small packed files, one after the other: the last trailer tells nothing of the rest."""
    return compress_repeated(b"1,2\n", MB) * (size // MB)


def workbook(sheet: bytes, size: int, *, lies: bool = False) -> bytes:
    """A workbook whose sheet is a piece of XML repeated to a size."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as parts:
        parts.writestr("[Content_Types].xml", CONTENT)
        parts.writestr("_rels/.rels", ROOT)
        parts.writestr("xl/workbook.xml", BOOK)
        parts.writestr("xl/_rels/workbook.xml.rels", LINKS)
        with parts.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            part.write(SHEET[0])
            _poured(part, sheet, size)
            part.write(SHEET[1])
    return _with_small_sizes(sink.getvalue()) if lies else sink.getvalue()


def _with_small_sizes(content: bytes) -> bytes:
    """The same archive, where the index says that every part unpacks to 100 bytes."""
    out, at = bytearray(content), 0
    while (at := content.find(b"PK\x01\x02", at)) >= 0:
        out[at + 24 : at + 28] = struct.pack("<I", 100)
        at += 4
    return bytes(out)


def open_document(rows: int, columns: int) -> bytes:
    """A sheet of one cell that is repeated along and down."""
    text = (
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
        '<office:body><office:spreadsheet><table:table table:name="a">'
        f'<table:table-row table:number-rows-repeated="{rows}">'
        f'<table:table-cell office:value-type="string" table:number-columns-repeated="{columns}">'
        "<text:p>x</text:p></table:table-cell></table:table-row>"
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        parts.writestr("META-INF/manifest.xml", "<manifest/>")
        parts.writestr("content.xml", text)
    return sink.getvalue()


def same_numbers(rows: int, columns: int) -> bytes:
    """Whole numbers, all the same: a run of a few bytes for every column."""
    column = pa.repeat(pa.scalar(7, pa.int64()), rows)
    return parquet_of(**{f"c{i}": column for i in range(columns)})


def long_texts(rows: int, length: int) -> bytes:
    """One long value in every row, stored once."""
    indices = pa.array(memoryview(bytes(rows)).cast("b"), pa.int8())
    values = pa.array([b"x" * length], pa.binary())
    return parquet_of(c0=pa.DictionaryArray.from_arrays(indices, values))


def long_lists(rows: int, length: int) -> bytes:
    """Lists of many equal numbers."""
    values = pa.repeat(pa.scalar(1, pa.int32()), rows * length)
    offsets = pa.array(range(0, rows * length + 1, length), pa.int32())
    return parquet_of(c0=pa.ListArray.from_arrays(offsets, values))


CELL = b"<row><c><v>1</v></c><c><v>2</v></c></row>"
FAR = (
    b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
)
