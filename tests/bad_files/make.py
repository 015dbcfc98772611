"""Bad and odd files, each with the sentence it must get.

`python -m tests.bad_files.make FOLDER` writes them all, to try them in the browser by hand.
"""

import gzip
import io
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from calm_core.ingest import Limits, ReadOptions

MB = 1 << 20


@dataclass(frozen=True)
class Case:
    """A file and what must be said about it.

    `sentence` is a regular expression: for a refused file it must be found in the error, otherwise
    in the notes of the report. `rows` and `names` are what must be used of an accepted file.
    """

    name: str
    make: Callable[[], bytes]
    sentence: str
    refused: bool = True
    rows: int | None = None
    names: tuple[str, ...] | None = None
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    options: ReadOptions = field(default_factory=ReadOptions)
    limits: Limits = field(default_factory=Limits)


def bad(name: str, make: bytes | Callable[[], bytes], sentence: str, **more) -> Case:
    """A file that must be refused."""
    return Case(name, make if callable(make) else lambda: make, sentence, **more)


def odd(name: str, make: bytes | Callable[[], bytes], sentence: str = "", **more) -> Case:
    """A file that must be read, with a note."""
    return bad(name, make, sentence, refused=False, **more)


# --- makers -------------------------------------------------------------------------------------


def parquet_of(**columns) -> bytes:
    """A Parquet file of the given columns."""
    sink = io.BytesIO()
    parquet.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()


def small_parquet() -> bytes:
    return parquet_of(a=["x", "y"] * 50, b=list(range(100)))


def parquet_bomb() -> bytes:
    """50 million rows in a few kilobytes."""
    return parquet_of(a=np.zeros(50_000_000, dtype=np.int8))


def wide_parquet() -> bytes:
    return parquet_of(**{f"c{i}": [0, 1] for i in range(2001)})


def marked_as_encrypted() -> bytes:
    content = small_parquet()
    return b"PARE" + content[4:-4] + b"PARE"


def workbook(fill: Callable, sheets: tuple[str, ...] = ("Sheet1",)) -> bytes:
    """A workbook whose first sheet `fill` has written to."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = sheets[0]
    for title in sheets[1:]:
        book.create_sheet(title)
    fill(book.active)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def rows_of(*rows) -> Callable:
    return lambda sheet: [sheet.append(list(row)) for row in rows]


def titled(*above: tuple, beside: str | None = None) -> Callable[[], bytes]:
    """A workbook whose table stands below other rows."""

    def fill(sheet):
        people = (("f", 1, "yes"), ("m", 2, "no"), ("m", 1, "no"), ("f", 3, "yes"))
        rows_of(*above, ("sex", "age", "ill"), *people)(sheet)
        sheet["H1"] = beside

    return lambda: workbook(fill)


def small_workbook() -> bytes:
    return workbook(rows_of(("sex", "age"), ("f", 1), ("m", 2), ("m", 2)))


def sheet_xml(body: bytes) -> bytes:
    """The small workbook with another sheet inside."""
    source, sink = zipfile.ZipFile(io.BytesIO(small_workbook())), io.BytesIO()
    main = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            content = source.read(info)
            if info.filename == "xl/worksheets/sheet1.xml":
                content = b"<worksheet %s><sheetData>%s</sheetData></worksheet>" % (main, body)
            target.writestr(info.filename, content)
    return sink.getvalue()


def far_corner() -> bytes:
    """Two cells, 17 thousand million apart."""
    return sheet_xml(
        b'<row r="1"><c r="A1"><v>1</v></c></row>'
        b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    )


def sheet_bomb() -> bytes:
    """400 MB of XML in about 400 kB."""
    row = b'<row><c t="inlineStr"><is><t>' + b"a" * 1000 + b"</t></is></c></row>"
    return sheet_xml(row * (400 * MB // len(row)))


def merged_and_errors() -> bytes:
    def fill(sheet):
        rows_of(("a", "b"), ("x", 1), ("y", 2), ("z", 3))(sheet)
        sheet["B3"].value = "#DIV/0!"
        sheet["B3"].data_type = "e"
        sheet.merge_cells("A4:A5")
        sheet["B5"] = 4

    return workbook(fill)


def protected_workbook() -> bytes:
    return (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500 + "EncryptedPackage".encode("utf-16-le")
    )


def zip_of_csv() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as target:
        target.writestr("people.csv", "a,b\n1,2\n")
    return sink.getvalue()


def arrow_file() -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, pa.schema([("a", pa.int8())])) as writer:
        writer.write_table(pa.table({"a": pa.array([1], pa.int8())}))
    return sink.getvalue()


def random_bytes() -> bytes:
    return np.random.default_rng(1).bytes(5000)


PEOPLE = "sex,age,ill\n" + "".join(
    f"{'fm'[i % 2]},{20 + i % 50},{'yes' if i % 7 == 0 else 'no'}\n" for i in range(100)
)


def damaged_utf8(byte: bytes) -> bytes:
    """UTF-8 with something else inside, in line 10."""
    text = "city,n\n" + "Köln,1\nBonn,2\n" * 15
    at = text.index("Köln,1", 60) + 6
    return text[:at].encode() + byte + text[at:].encode()


HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "**bold** [link](http://evil.example)",
    r"$\frac{a}{b}$",
    "\u202eright to left",
    "👩‍🚀 emoji",
    "=HYPERLINK(1)",
    ":red[x]",
    "x" * 10_000,
)


def hostile_csv() -> bytes:
    header = ",".join(f'"{name}"' for name in HOSTILE)
    values = ",".join(f'"{name}!"' for name in HOSTILE)
    plain = ",".join("b" for _ in HOSTILE)
    return "\n".join([header, *[values, plain] * 20]).encode()


def with_header(*rows: str) -> bytes:
    return "\n".join(rows).encode()


ARFF = b"@relation r\n@attribute sex {f,m}\n@attribute 'body weight' numeric\n@data\n"

BAD = (
    bad("empty.csv", b"", "the file is empty"),
    bad("blank.csv", b"  \n\n \n", "the file is empty"),
    bad("only_bom.csv", b"\xef\xbb\xbf", "empty|no rows"),
    bad("header_only.csv", b"sex,age\n", "column names and no rows"),
    bad("header_only_crlf.csv", b"sex;age\r\n\r\n", "column names and no rows"),
    bad("header_only_utf16.csv", "sex,age\n".encode("utf-16"), "column names and no rows"),
    bad("header_only.xlsx", lambda: workbook(rows_of(("sex", "age"))), "names and no rows"),
    bad("no_rows.parquet", lambda: parquet_of(a=pa.array([], pa.int8())), "names and no rows"),
    bad("no_columns.parquet", lambda: parquet_of(), "holds no columns"),
    bad("document.csv", b"%PDF-1.7\n%\xe2\xe3\n1 0 obj", "is a PDF document"),
    bad("picture.csv", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "is a picture"),
    bad("photo.csv", b"\xff\xd8\xff\xe0" + b"\0" * 50, "is a picture"),
    bad("page.csv", b"<!DOCTYPE html><html><body>404</body></html>", "a web page or XML"),
    bad("feed.csv", b"<?xml version='1.0'?><a/>", "a web page or XML"),
    bad("object.pkl", b"\x80\x04\x95\x10\0\0\0", "a pickle, which is never opened"),
    bad("table.arrow", arrow_file, "an Arrow file, which is not read"),
    bad("table.feather", b"FEA1" + b"\0" * 60, "a Feather file"),
    bad("table.sqlite", b"SQLite format 3\0" + b"\0" * 60, "a database"),
    bad("archive.7z", b"7z\xbc\xaf\x27\x1c" + b"\0" * 30, "a 7z archive; unpack it"),
    bad("archive.rar", b"Rar!\x1a\x07" + b"\0" * 30, "a RAR archive; unpack it"),
    bad("people.csv.bz2", b"BZh91AY&SY" + b"\0" * 30, "a bzip2 archive; unpack it"),
    bad("people.csv.xz", b"\xfd7zXZ\0" + b"\0" * 30, "an xz archive; unpack it"),
    bad("people.csv.zst", b"\x28\xb5\x2f\xfd" + b"\0" * 30, "a zstd archive; unpack it"),
    bad("program.csv", b"\x7fELF" + b"\0" * 60, "is a program"),
    bad("people.zip", zip_of_csv, "a zip archive and not a workbook"),
    bad("noise.csv", random_bytes, "holds binary content"),
    bad("zeros.csv", b"a,b\n" + b"1,\0\0\0\0\0\0\n" * 20, "holds binary content"),
    bad("cut.csv.gz", lambda: gzip.compress(PEOPLE.encode())[:-20], "gzip file is damaged"),
    bad("broken.csv.gz", b"\x1f\x8b\x08\0" + b"\x55" * 100, "gzip file is damaged"),
    bad("nothing.csv.gz", lambda: gzip.compress(b""), "the file is empty"),
    bad("double.csv.gz", lambda: gzip.compress(gzip.compress(PEOPLE.encode())), "packed twice"),
    bad(
        "bomb.csv.gz",
        lambda: gzip.compress(b"0,0\n" * MB),
        "unpacks to more than 2 MB",
        limits=Limits(unpacked_bytes=2 * MB),
    ),
    bad("cut.parquet", lambda: small_parquet()[:-30], "Parquet file is damaged"),
    bad("start_only.parquet", b"PAR1", "Parquet file is damaged"),
    bad("encrypted.parquet", marked_as_encrypted, "Parquet file is encrypted"),
    bad("bomb.parquet", parquet_bomb, "50,000,000 rows and must have at most 20,000,000"),
    bad("wide.parquet", wide_parquet, "2,001 columns and must have at most 2,000"),
    bad("nested.parquet", lambda: parquet_of(a=[[1], [2]]), "no column of the file can be read"),
    bad("cut.xlsx", lambda: small_workbook()[:2000], "workbook is damaged"),
    bad("protected.xlsx", protected_workbook, "protected by a password"),
    bad("garbage.xls", b"\xd0\xcf\x11\xe0" + b"\x11" * 3000, "workbook is damaged"),
    bad("far_corner.xlsx", far_corner, "spans 1,048,576 rows x 16,384 columns"),
    bad("bomb.xlsx", sheet_bomb, "unpacks to more than 300 MB"),
    bad("no_cells.xlsx", lambda: workbook(lambda sheet: None), "is empty; choose another sheet"),
    bad("broken_xml.xlsx", lambda: sheet_xml(b"<row><c"), "workbook is damaged"),
    bad(
        "wrong_sheet.xlsx",
        small_workbook,
        "sheet .'Sheet9'. must be one of Sheet1",
        options=ReadOptions(sheet="Sheet9"),
    ),
    bad("ragged.csv", b"a,b\n1,2\n1,2,3\n1\n4,5\n", "line 3 has 3 fields instead of 2"),
    bad("one_long_row.csv", b"a,b\n1,2\n1,2,3\n", "line 3 has 3 fields instead of 2"),
    bad("prose.txt", b"Dear Sir,\nplease find, as agreed, the\ntable, which, I hope,\n\nBye", "line"),
    bad(
        "unknown_codec.csv",
        PEOPLE.encode(),
        "encoding .'klingon'. is not known",
        options=ReadOptions(encoding="klingon"),
    ),
    bad(
        "not_utf8.csv",
        "name,n\nKöln,1\n".encode("latin-1"),
        "not valid UTF-8: byte 9 is 0xF6, in line 2;.*bad_bytes=replace",
        options=ReadOptions(encoding="utf-8"),
    ),
    bad("one_bad_byte.csv", lambda: damaged_utf8(b"\xff"),
        "not valid UTF-8: byte 75 is 0xFF, in line 10;.*bad_bytes=replace"),
    bad("bad_byte_after_mark.csv", lambda: b"\xef\xbb\xbf" + damaged_utf8(b"\xff"),
        "not valid UTF-8: byte 78 is 0xFF, in line 10;"),
    bad("one_word.csv", b"name,city\nAnn,K\xc3\xb6ln\nBob,Bon\xffn\n", "byte 28 is 0xFF, in line 3"),
    bad("plain_but_for_one.csv", PEOPLE.encode() + b"\xff,1,no\n", "not valid UTF-8: byte 828 is 0xFF, in line 102"),
    bad("cut_in_a_letter.csv", "a,b\nx,1\ny,ö\n".encode("utf-16")[:-1], "not valid UTF-16: byte 25 is 0x0A, in line 3"),
    bad("bad_byte.dat", "1 2\nKäse 2\nKäse\n".encode() + b"\xff 2\n", "byte 19 is 0xFF, in line 4"),
    bad("bad_byte.arff", ARFF + "f,ä\nm,ä\n".encode() + b"m,\xff\n", "0xFF, in line 7"),
    bad("row_names.csv", b"name,age\nr1,Bob,3\nr2,Ann,4\n",
        "line 2 has 3 fields instead of 2, and all 2 rows.*ragged=first_unnamed"),
    bad("few_longer.csv", PEOPLE.encode() + b"f,1,no,x\n" + PEOPLE[12:].encode(),
        "line 102 has 4 fields instead of 3, and 1 of 201 rows is longer.*ragged=leave_out"),
    bad("mostly_longer.csv", b"a,b\n" + b"x,1,2\n" * 30 + b"y,2\n" * 20,
        "line 2 has 3 fields instead of 2, and 30 of 50 rows are longer than the header"),
    bad("much_longer.csv", b"name,age\n" + b"Ann,3,x,y\n" * 9, "line 2 has 4 fields instead of 2"),
    bad("longer_below_lines_in_cells.csv", b'a,b\n"x\n\ny",1\n\nx,1\nx,1,2\n', "line 7 has 3 fields"),
    bad("ragged_below_remarks.arff", ARFF + b"% one\n% two\nf,1\nf,1,2\n", "line 8 has 3 fields"),
    bad("many_shorter.csv", b"a,b,c\n" + b"x,1\n" * 9, "line 2 has 2 fields instead of 3, and 9 of 9"),
    bad("all_left_out.csv", b"a,b,c\n" + b"x,1\n" * 9, "and 9 of 9 rows have another length",
        options=ReadOptions(ragged="leave_out")),
    bad("header_too_far.csv", PEOPLE.encode(), "header_row .101. must be less than",
        options=ReadOptions(header_row=101)),
    bad("header_too_far.xlsx", small_workbook, "header_row .4. must be less than",
        options=ReadOptions(header_row=4)),
    bad("unnamed.xlsx", small_workbook, "ragged=first_unnamed. is not for Excel files; leave it out",
        options=ReadOptions(ragged="first_unnamed")),
    bad("sheet_of_a_text.csv", PEOPLE.encode(), "read .sheet=Data. is not for CSV files; leave it out",
        options=ReadOptions(sheet="Data")),
    bad("separated.xlsx", small_workbook, "read .separator=;. is not for Excel files",
        options=ReadOptions(separator=";")),
    bad("ragged.dat", b"a b\n", "read .ragged=leave_out. is not for transactions files",
        options=ReadOptions(ragged="leave_out")),
    bad("very_wide.csv", lambda: (",".join(f"c{i}" for i in range(100_000)) + "\n").encode() * 2,
        "the table has 100,000 columns"),
    bad("swallowed.arff", ARFF + b"f,1\n" + b"'m,2\n" + b"f,3\n" * 50,
        "quotation mark in line 6 is opened and never closed, so that 50 more lines"),
    bad("wide.csv", (",".join(map(str, range(2001))) + "\n").encode() * 3, "2,001 columns"),
    bad("too_long.csv", PEOPLE.encode(), "has 100 rows and must have at most 10;", limits=Limits(rows=10)),
    bad("too_many_cells.csv", PEOPLE.encode(), "cells and must have", limits=Limits(cells=99)),
    bad("too_big.csv", b"a\n" + b"1\n" * MB, "2.0 MB. must be at most 1 MB",
        limits=Limits(upload_bytes=MB)),
    bad("constant.csv", b"a,b\n1,x\n1,x\n1,x\n", r"none of the 2 columns can be used \('a': every row holds '1', 'b': every row holds 'x'\)\. Add at least two"),
    bad("all_missing.csv", b"a,b\n,\n,\n,\n", "none of the 2 columns can be used.*every row is empty"),
    bad("one_row.csv", b"a,b\nx,1\n", "none of the 2 columns can be used"),
    bad("only_ids.csv", with_header("id", *map(str, range(100))), "the only column cannot be used.*id-like"),
    bad("no_data.arff", b"@relation r\n@attribute a numeric\n", "no @data line"),
    bad("no_attributes.arff", b"@relation r\n@data\n1\n", "no @attribute"),
    bad("no_rows.arff", ARFF, "attributes and no rows"),
    bad("sparse.arff", ARFF + b"{0 f, 1 12}\n", "ARFF file is sparse"),
    bad("broken.arff", b"@relation r\n@attribute 'x\n@data\n1\n", "attribute 1 cannot be read"),
    bad("ragged.arff", ARFF + b"f,1\nf,1,2\n", "line 6 has 3 fields instead of 2"),
    bad("blank.dat", b"\n\n", "the file is empty"),
    bad(
        "one_column.csv",
        b"user\n1\n2\n",
        "user and item needs two columns",
        options=ReadOptions(shape="pairs"),
    ),
)  # fmt: skip

ODD = (
    odd("plain.csv", PEOPLE.encode(), "100 rows read, 100 used", rows=100,
        names=("sex", "age", "ill"), labels={"ill": ("no", "yes"), "sex": ("f", "m")}),
    odd("bom.csv", b"\xef\xbb\xbf" + PEOPLE.encode(), "UTF-8-SIG", names=("sex", "age", "ill")),
    odd("utf16.csv", PEOPLE.encode("utf-16"), "UTF-16", rows=100),
    odd("utf16_no_bom.csv", PEOPLE.encode("utf-16-be"), "UTF-16-BE", rows=100),
    odd("latin1.csv", "ort,n\nKöln,1\nMünchen,2\nKöln,2\n".encode("latin-1"), "CP1252",
        labels={"ort": ("Köln", "München")}),
    odd("cyrillic.csv", ("город,n\n" + "Москва,1\nКазань,2\nСамара,1\n" * 30).encode("cp1251"),
        "CP1251", labels={"город": ("Казань", "Москва", "Самара")}),
    odd("old_mac.csv", PEOPLE.replace("\n", "\r").encode(), "100 used", rows=100),
    odd("windows.csv", PEOPLE.replace("\n", "\r\n").encode(), "100 used", rows=100),
    odd("no_last_line_end.csv", PEOPLE.rstrip().encode(), "100 used", rows=100),
    odd("semicolon.csv", PEOPLE.replace(",", ";").encode(), "semicolon", rows=100),
    odd("tab.tsv", PEOPLE.replace(",", "\t").encode(), "separator: tab", rows=100),
    odd("bar.txt", PEOPLE.replace(",", "|").encode(), "vertical bar", rows=100),
    odd("packed.tsv.gz", lambda: gzip.compress(PEOPLE.replace(",", "\t").encode()), "gzip"),
    odd("two_members.csv.gz",
        lambda: gzip.compress(PEOPLE.encode()) + gzip.compress(b"f,1,no\n"), "101 used", rows=101),
    odd("no_header.csv", PEOPLE.split("\n", 1)[1].encode(), "no column names", rows=100,
        names=("column 1", "column 2", "column 3")),
    odd("years.csv", b"region,2019,2020\nnorth,5,7\nsouth,8,9\nnorth,5,9\n", "as column names",
        names=("region", "2019", "2020")),
    odd("titles.csv", b"Report of 2024,,\nmade by hand,,\n" + PEOPLE.encode(),
        "2 lines before the table were skipped .Report of 2024; made by hand.", rows=100, names=("sex", "age", "ill")),
    odd("trailing.csv", b"a,b\n1,x,\n2,y,\n1,y,\n", "name is blank", names=("a", "b")),
    odd("row_names_known.csv", b"a,b\nr1,1,x\nr2,2,y\nr3,1,y\n", "name is blank", rows=3,
        names=("column 1", "a", "b"), options=ReadOptions(ragged="first_unnamed")),
    odd("longer_left_out.csv", PEOPLE.encode() + b"f,1\nf,1,no,x\n" * 30, rows=100,
        sentence="160 rows read, 100 used, 60 left out .30 for too few fields .first: line 102 has 2 "
        "fields instead of 3.; 30 for too many fields .first: line 103 has 4 fields",
        options=ReadOptions(ragged="leave_out")),
    odd("replaced.csv", lambda: damaged_utf8(b"\xff\xfe") + b"K\xf6ln,2\n",
        "3 bytes that are not UTF-8 were replaced by '\ufffd'", rows=31,
        options=ReadOptions(bad_bytes="replace")),
    odd("own_marks_are_not_counted.csv", lambda: damaged_utf8("\ufffd".encode() + b"\xff"),
        "1 byte that is not UTF-8 was replaced", rows=30, options=ReadOptions(bad_bytes="replace")),
    odd("replaced_utf16.csv", PEOPLE.encode("utf-16")[:-1], "1 byte that is not UTF-16 was replaced",
        rows=100, options=ReadOptions(bad_bytes="replace")),
    odd("polish.csv", ("kierunek,n\n" + "PÓŁNOC,1\nPOŁUDNIE,2\n" * 9).encode("cp1250"), rows=18,
        labels={"kierunek": ("POŁUDNIE", "PÓŁNOC")}, options=ReadOptions(encoding="cp1250")),
    odd("polish_not_utf8.csv", ("kierunek,n\n" + "PÓŁNOC,1\nPOŁUDNIE,2\n" * 9).encode("cp1250"),
        "Text encoding: (?!UTF)", rows=18),
    odd("long_cells.csv", lambda: b"a,b\n" + b"x" * 3 * MB + b',1\n"' + b"y" * 3 * MB + b'",2\nx,1\n',
        rows=3, names=("a", "b")),
    odd("blank_lines.csv", b"a,b\nx,1\n\n\ny,2\n  \nx,2\n\n", "4 blank lines were skipped", rows=3),
    odd("blank_line_in_cell.csv", b'a,b\n"x\n\ny",1\nz,2\n\nz,1\n', "1 blank line was skipped", rows=3),
    odd("blank_is_missing.csv", b"colour\nred\n\nblue\nred\n\n\n",
        "2 blank lines were skipped.\n4 rows read, 4 used. Empty cells: 1 in 'colour'", rows=4,
        labels={"colour": ("red", "blue", "missing")}),
    odd("blank_names.csv", b"a,,b,\n1,x,2,y\n2,y,1,x\n", "2 column names are blank",
        names=("a", "column 2", "b", "column 4")),
    odd("twice.csv", b"a,a,b,a\nx,1,2,3\ny,2,1,4\n", "Repeated column names",
        names=("a", "a (2)", "b", "a (3)")),
    odd("lines_in_cells.csv", b'a,b\n"x\ny",1\n"x, z",2\n"say ""hi""",1\n', "3 used",
        labels={"a": ("say \"hi\"", "x\ny", "x, z")}),
    odd("one_column.csv", b"colour\nred\nblue\nred\n", "3 used", labels={"colour": ("red", "blue")}),
    odd("few_ragged.csv", PEOPLE.encode() + b"f,1\n", "1 for too few fields .first: line 102 has 2 fields", rows=100),
    odd("zip_codes.csv", b"zip,n\n01067,1\n01067,2\n1067,1\n00001,2\n",
        labels={"zip": ("01067", "00001", "1067")}),
    odd("words_for_nothing.csv", b"a,b\nNA,1\nNone,2\nnull,1\nnan,2\nNULL,1\n",
        labels={"a": ("NA", "NULL", "None", "nan", "null")}),
    odd("long_integers.csv", b"a,b\n123456789012345678901,x\n123456789012345678902,y\n",
        labels={"a": ("123456789012345678901", "123456789012345678902")}),
    odd("composed.csv", "a,b\nKo\u0308ln,1\nKöln,2\n".encode(), "composed",
        names=("b",)),
    odd("not_composed.csv", "a,b\nKo\u0308ln,1\nKöln,2\n".encode(), rows=2,
        names=("a", "b"), options=ReadOptions(normalise=False)),
    odd("spaces.csv", "a , b\nx , 1\n x, 2\ny,1\n\u200bx\ufeff,1\n".encode(), "Spaces around values", names=("a", "b"),
        labels={"a": ("x", "y")}),
    odd("hostile.csv", hostile_csv, "40 used", rows=40, names=HOSTILE),
    odd("decimal_comma.csv", with_header("w;s", *(f"{i},5;{'fm'[i % 2]}" for i in range(50))),
        "cut at quantiles", names=("w", "s")),
    odd("thousands.csv", with_header("w;s", *(f'"{i},{i % 9}00";f' for i in [*range(10, 60)] * 2), '"5,500";m'),
        names=("w", "s"), options=ReadOptions(decimal=".")),
    odd("dates.csv", with_header("day", *(f"{1 + i % 28:02}.{1 + i % 12:02}.2023" for i in range(99))),
        names=("day",)),
    odd("may_be_missing.csv", b"a,b\nNA,1\nx,?\ny,2\nNA,1\n", rows=4,
        sentence="Taken as empty.*'.' in column 'b' .1 row.(.|\n)*may mean missing: 'NA' in column 'a' .2 rows."),
    odd("missing_pairs.csv", b"user,item\nu1,a\nu2,\n,b\nu3,b\nu1,b\n", rows=2,
        sentence="2 lines left out for an empty user or item", options=ReadOptions(shape="pairs")),
    odd("more_than_lists.csv", b"bought,city\nmilk;tea,K\ntea,B\n,B\n", rows=3,
        sentence="1 more column left out .'city'.", options=ReadOptions(shape="items")),
    odd("doses.csv", "\n".join(["10,20,50", *(f"0.{i},1.{i + 3},{i / 8:.3f}" for i in range(10, 40))]).encode(),
        "first row taken.*\n.*column names are numbers", rows=30, names=("10", "20", "50")),
    odd("items.csv", "\n".join(["301,305,317", *(f"{i % 2},{i % 3},{i % 5}" for i in range(30))]).encode(),
        "first row taken.*\n.*read with header=no", rows=30, names=("301", "305", "317")),
    odd("counts.csv", "\n".join(["3,5,2", *(f"{i % 4},{i % 6},{i % 5}" for i in range(30))]).encode(),
        "no column names found", rows=31),
    odd("lengths.csv", "\n".join(["7,5", *(f"{i / 4:g},{i % 6}" for i in range(30))]).encode(),
        "no column names found", rows=31),
    odd("open_quote.csv", b'a,b\n"1,2\n3,4\n5,6\n', "1 cell holds a quotation mark.*line 2", rows=3),
    odd("swallowed.csv", b"a,b\nx,1\n" + b'"y,2\n' + b"z,3\n" * 50, "quotes nothing .first: line 3",
        rows=52, labels={"b": ("1", "2", "3"), "a": ("z", '"y', "x")}),
    odd("swallowed_at_the_end.csv", b"a,b\nx,1\n" + b'y,"2\n' + b"z,3\n" * 50, "first: line 3", rows=52),
    odd("two_strays.csv", b'a,b\n1,"x\n2,y\n3,"z\n4,w\n', "2 cells hold a quotation mark", rows=4),
    odd("inner_quotes.csv", b'a,b\n1,"say "no, never" twice"\n1,"5"" pipe"\n2,6" pipe\n',
        "1 cell holds a quotation mark", rows=3,
        labels={"b": ('5" pipe', '6" pipe', 'say "no, never" twice')}),
    odd("blank_before_quote.csv", b'a,b,c\n1, "x, y",2\n2, "z, w",3\n', "Spaces around values", rows=2,
        labels={"b": ("x, y", "z, w")}),
    odd("missing.csv", b"a,b\nx,1\n,2\ny,\nx,1\n", "Empty cells: 1 in 'a', 1 in 'b'", rows=4,
        labels={"a": ("x", "y", "missing"), "b": ("1", "2", "missing")}),
    odd("word_missing.csv", b"a,b\nmissing,1\n,2\nother,1\n", rows=3,
        labels={"a": ("missing", "other", "(missing)")}),
    odd("number_words.csv", with_header("n", *(str(i / 7) for i in range(99)), "NA", "?"), names=("n",)),
    odd("one_constant.csv", b"a,b\nx,1\ny,1\n", "'b' is left out: every row holds '1'", names=("a",)),
    odd("ids.csv", with_header("id,s", *(f"{i},{'fm'[i % 2]}" for i in range(99))),
        "'id' is left out: id-like", names=("s",)),
    odd("remarks.csv", with_header("s,t", *(f"{'fm'[i % 2]},remark number {i}" for i in range(99))),
        "'t' is left out: free text", names=("s",)),
    odd("types.parquet",
        lambda: parquet_of(
            b=[True, False, None], i=[1, None, 2], f=[0.5, float("nan"), 1.5],
            d=pa.array([0, 1, 1], pa.date32()), t=pa.array([0, 1, None], pa.timestamp("s")),
            m=pa.array(["1.10", "2.20", None]).cast(pa.decimal128(5, 2)),
            u=pa.array([2**64 - 1, 0, 0], pa.uint64()), x=pa.array([b"a", b"b", b"a"]),
            c=pa.array(["p", "q", "p"]).dictionary_encode(),
        ),
        rows=3,
        labels={"b": ("false", "true", "missing"), "i": ("1", "2", "missing"),
                "f": ("0.5", "1.5", "missing"), "d": ("1970-01-01", "1970-01-02"),
                "t": ("1970-01-01", "1970-01-01 00:00:01", "missing"),
                "m": ("1.10", "2.20", "missing"),
                "u": ("0", "18446744073709551615")}),
    odd("infinite.parquet", lambda: parquet_of(f=[*np.linspace(0, 1, 99), float("inf")]), rows=100),
    odd("binary.parquet", lambda: parquet_of(a=["x", "y"], b=[b"\xff", b"\xfe"]), "binary content",
        names=("a",)),
    odd("merged.xlsx", merged_and_errors, "1 cell with an error.*\n.*1 merged cell", rows=4),
    odd("titles.xlsx", lambda: workbook(rows_of(
        ("Report",), (), ("sex", "age"), ("f", 1), ("m", 2), ("m", 1))), "row 3 taken",
        rows=3, names=("sex", "age")),
    odd("two_titles.xlsx", titled(("Report", "2024")), "row 2 taken.*\n1 row before.*.Report 2024.",
        rows=4, names=("sex", "age", "ill")),
    odd("title_in_the_middle.xlsx", titled((None, None, "Report")), "row 2 taken", rows=4,
        names=("sex", "age", "ill")),
    odd("remark_beside.xlsx", titled(("Report",), beside="made by hand"), "row 2 taken", rows=4,
        names=("sex", "age", "ill")),
    odd("groups_above.xlsx", titled((None, "person"), ()), "row 3 taken", rows=4),
    odd("full_title.xlsx", titled(("Report", "of", "2024")), rows=5,
        sentence="Row 2 may hold the column names .* read with header_row=1"),
    odd("full_title_known.xlsx", titled(("Report", "of", "2024")), "row 2 taken", rows=4,
        names=("sex", "age", "ill"), options=ReadOptions(header_row=1)),
    odd("rows_between.xlsx", lambda: workbook(rows_of(("a", "b"), ("x", 1), (), (), ("y", 2))),
        "2 blank rows were skipped", rows=2),
    odd("two_sheets.xlsx", lambda: workbook(rows_of(("a", "b"), ("x", 1), ("y", 2)), ("A", "B")),
        r"2 sheets \(A, B\); the first is read", rows=2),
    odd("quoted.arff", ARFF + b"% remark\nf, 61.5\nm,?\n'm', 80\n", "Read as ARFF", rows=3,
        names=("sex", "body weight"), labels={"sex": ("m", "f")}),
    odd("baskets.dat", b"1 2 3\n2 3\n\n2 9 9\n", "4 different items", rows=4,
        names=("2", "3", "1", "9")),
    odd("rare_bytes.dat", b"1 2\x0b3\n\n2 9 9\n" * 50 + b"2\x1f 3\n\n\n", "2 blank lines at the end",
        rows=151, names=("2", "3", "1", "9")),
    odd("pairs.csv", b"user,item\nu1,a\nu1,b\nu2,a\nu2,a\nu3,b\n", "5 lines of user and item make 3",
        rows=3, names=("a", "b"), options=ReadOptions(shape="pairs")),
    odd("lists.csv", b"bought\nmilk;tea\ntea\nbread;tea;milk\nbread\n", "3 different items", rows=4,
        names=("tea", "bread", "milk"), options=ReadOptions(shape="items")),
)  # fmt: skip

CASES = (*BAD, *ODD)


def write_all(folder: Path) -> None:
    """Write every file into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        (folder / case.name).write_bytes(case.make())


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
