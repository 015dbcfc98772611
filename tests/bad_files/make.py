"""Bad and odd files, each with the sentence it must get.

`files.jsonl` has texts and simple workbooks, one a line; other binary and large files are made here.
"""

import gzip
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from calm_core.ingest.limits import Limits
from calm_core.ingest.table import ReadOptions

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

    @classmethod
    def from_json(cls, line: str) -> "Case":
        fields = {"refused": False, "sentence": ""} | json.loads(line)
        rows, sheets = fields.pop("rows_of", []), fields.pop("sheets", ["Sheet1"])
        content = fields.pop("text", "").encode() or fields.pop("latin1", "").encode("latin-1")
        for _ in range(fields.pop("gzip", 0)):
            content = gzip.compress(content)
        if "names" in fields:
            fields["names"] = tuple(fields["names"])
        fields["labels"] = {k: tuple(v) for k, v in fields.get("labels", {}).items()}
        fields["options"] = ReadOptions(**fields.get("options", {}))
        fields["limits"] = Limits(**fields.get("limits", {}))
        make = (lambda: workbook(rows_of(*rows), sheets)) if rows else (lambda: content)
        return cls(make=make, **fields)


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
    """21 million rows in a few kilobytes."""
    return parquet_of(a=np.zeros(21_000_000, dtype=np.int8))


def wide_parquet() -> bytes:
    return parquet_of(**{f"c{i}": [0, 1] for i in range(2001)})


def marked_as_encrypted() -> bytes:
    content = small_parquet()
    return b"PARE" + content[4:-4] + b"PARE"


def workbook(fill: Callable, sheets: Sequence[str] = ("Sheet1",)) -> bytes:
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


def small_workbook() -> bytes:
    return workbook(rows_of(("sex", "age"), ("f", 1), ("m", 2), ("m", 2)))


def sheet_xml(body: bytes) -> bytes:
    """The small workbook with another sheet inside."""
    source, sink = zipfile.ZipFile(io.BytesIO(small_workbook())), io.BytesIO()
    main = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
        for info in source.infolist():
            content = source.read(info)
            if info.filename == "xl/worksheets/sheet1.xml":
                content = b"<worksheet %s><sheetData>%s</sheetData></worksheet>" % (main, body)
            target.writestr(info.filename, content)
    return sink.getvalue()


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


PEOPLE = "sex,age,ill\n" + "".join(
    f"{'fm'[i % 2]},{20 + i % 50},{'yes' if i % 7 == 0 else 'no'}\n" for i in range(100)
)


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


def statistics_file(kind: str, columns: dict, **more) -> bytes:
    """A file of SPSS or Stata."""
    import pyreadstat

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        getattr(pyreadstat, f"write_{kind}")(pd.DataFrame(columns), str(path), **more)
        return path.read_bytes()


def small_survey(kind: str = "sav") -> bytes:
    labels = {"ill": {0: "no", 1: "yes"}, "sex": {1: "Mann", 2: "Frau"}}
    columns = {"sex": [1.0, 2.0] * 20, "ill": [0.0, 0, 1, 0] * 10, "age": [*range(20, 60)]}
    return statistics_file(
        kind, columns, variable_value_labels=labels, column_labels={"ill": "Ill?"}
    )


def many_rows(rows: int) -> bytes:
    content = small_survey()
    return content[:80] + rows.to_bytes(4, "little", signed=True) + content[84:]


BAD = (
    bad("no_rows.parquet", lambda: parquet_of(a=pa.array([], pa.int8())), "names and no rows"),
    bad("no_columns.parquet", lambda: parquet_of(), "holds no columns"),
    bad("table.arrow", arrow_file, "an Arrow file, which is not read"),
    bad("people.zip", zip_of_csv, "a zip archive and not a workbook"),
    bad("noise.csv", lambda: np.random.default_rng(1).bytes(5000), "holds binary content"),
    bad("cut.csv.gz", lambda: gzip.compress(PEOPLE.encode())[:-20], "gzip file is damaged"),
    bad("broken.csv.gz", b"\x1f\x8b\x08\0" + b"\x55" * 100, "gzip file is damaged"),
    bad("bomb.csv.gz", lambda: gzip.compress(b"0,0\n" * MB), "unpacks to more than 2 MB",
        limits=Limits(unpacked_bytes=2 * MB)),
    bad("cut.parquet", lambda: small_parquet()[:-30], "Parquet file is damaged"),
    bad("start_only.parquet", b"PAR1", "Parquet file is damaged"),
    bad("encrypted.parquet", marked_as_encrypted, "Parquet file is encrypted"),
    bad("bomb.parquet", parquet_bomb, "21,000,000 rows and must have at most 20,000,000"),
    bad("wide.parquet", wide_parquet, "2,001 columns and must have at most 2,000"),
    bad("nested.parquet", lambda: parquet_of(a=[[1], [2]]), "no column of the file can be read"),
    bad("cut.xlsx", lambda: small_workbook()[:2000], "workbook is damaged"),
    bad("protected.xlsx", protected_workbook, "protected by a password"),
    bad("no_cells.xlsx", lambda: workbook(lambda sheet: None), "is empty; choose another sheet"),
    bad("broken_xml.xlsx", lambda: sheet_xml(b"<row><c"), "workbook is damaged"),
    bad("very_wide.csv", lambda: (",".join(f"c{i}" for i in range(100_000)) + "\n").encode() * 2,
        "columns and must have at most 2,000"),
    bad("wide.csv", (",".join(map(str, range(2001))) + "\n").encode() * 3, "2,001 columns"),
    bad("too_big.csv", b"a\n" + b"1\n" * MB, "2.0 MB. must be at most 1 MB",
        limits=Limits(upload_bytes=MB)),
    bad("cut.sav", lambda: small_survey()[:-40], "SPSS file is damaged or cut short"),
    bad("cut.dta", lambda: small_survey("dta")[:-40], "Stata file is damaged or cut short"),
    bad("no_survey.sav", b"sex,age\nf,12\n", "SPSS file is damaged or cut short"),
    bad("code_page.sav", lambda: small_survey().replace(b"Mann", b"M\xe4nn"),
        "do not fit their encoding; name the right one, such as encoding=cp1252"),
    bad("many_rows.sav", lambda: many_rows(250_000_000), "250,000,000 rows and must have at most"),
    bad("many_keys.json", lambda: json.dumps([{f"k{i}": 1 for i in range(50_000)}]).encode(),
        "2,001 columns and must have at most 2,000"),
    bad("deep.json", b'[{"a":' * 10_000, "within each other too deeply"),
    bad("deep_lists.jsonl", b'{"a": 1}\n{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n",
        "the value in line 2 holds objects or lists within each other too deeply"),
)  # fmt: skip

ODD = (
    odd("two_members.csv.gz",
        lambda: gzip.compress(PEOPLE.encode()) + gzip.compress(b"f,1,no\n"), "101 used", rows=101),
    odd("long_cells.csv", lambda: b"a,b\n" + b"x" * 3 * MB + b',1\n"' + b"y" * 3 * MB + b'",2\nx,1\n',
        rows=3, names=("a", "b")),
    odd("hostile.csv", hostile_csv, "40 used", rows=40, names=HOSTILE),
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
    odd("labels.sav", small_survey, rows=40, names=("sex", "ill"),
        labels={"sex": ("Mann", "Frau"), "ill": ("no", "yes")}),
    odd("unknown_rows.sav", lambda: many_rows(-1), rows=40),
    odd("code_page_named.sav", lambda: small_survey().replace(b"Mann", b"M\xe4nn"),
        options=ReadOptions(encoding="cp1252"), labels={"sex": ("Männ", "Frau")}),
    odd("merged.xlsx", merged_and_errors, "1 cell of the workbook with an error.*\n.*1 merged cell", rows=4),
)  # fmt: skip

with (Path(__file__).parent / "files.jsonl").open(encoding="utf-8") as lines:
    CASES = (*map(Case.from_json, lines), *BAD, *ODD)
