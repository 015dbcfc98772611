"""ARFF, the format of Weka: a typed header, then rows separated by commas."""

import re
from dataclasses import replace

import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import BLANKS, Raw
from calm_core.ingest.readers.base import TEXT, Reader
from calm_core.ingest.readers.encoding import to_utf8
from calm_core.ingest.readers.rows import LINE_END, RowReader
from calm_core.ingest.table import ReadOptions, pc, with_dictionary

ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(\S.*)""", re.IGNORECASE
)
HEADER_BYTES = 1 << 22


def read_arff(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """All attributes as text; "?" is a missing value."""
    content, encoding, notes = to_utf8(memoryview(buffer), options)
    head = bytes(content[:HEADER_BYTES])
    start = re.search(rb"^[ \t]*@data[^\r\n]*(\r\n|\n|\r|$)", head, re.IGNORECASE | re.MULTILINE)
    if start is None:
        raise DataError("the ARFF file has no @data line; export it again")
    names = []
    for line in head[: start.start()].decode("utf-8", errors="replace").splitlines():
        line = line.strip()
        if not line.lower().startswith("@attribute"):
            continue
        found = ATTRIBUTE.fullmatch(line)
        if found is None:
            raise DataError(f"the ARFF attribute {len(names) + 1} cannot be read ({line[:80]!r})")
        quoted = found[1] if found[1] is not None else found[2]
        names.append(found[3] if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
    if not names:
        raise DataError("the ARFF file declares no @attribute; export it again")
    body = bytes(content[start.end() :])
    if re.search(rb"^[ \t]*%", body, re.MULTILINE):
        # Line ends stay, so line numbers are those of the file.
        body = re.sub(rb"(?m)^[ \t]*%[^\r\n]*", b"", body)
    if not body.strip():
        raise DataError("the ARFF file holds attributes and no rows; at least one row is needed")
    if body.lstrip().startswith(b"{"):
        raise DataError("the ARFF file is sparse, which is not read; save it as plain ARFF or CSV")
    quote = "'" if body.count(b"'") >= body.count(b'"') else '"'
    rows = RowReader(
        memoryview(body), len(names), ",",
        lines_before=len(LINE_END.findall(head[: start.end()])), ragged=options.ragged,
        header="the attributes", quote=quote, nulls=("", "?"), blank_is_missing=False,
    )  # fmt: skip
    limits.check_shape(rows.at_least, len(names))
    table, left_out = rows.read()
    columns = [_without_quotes(column.unify_dictionaries()) for column in table.columns]
    found = replace(options, encoding=encoding, header=True)
    return Raw(names, columns, found, ["Read as ARFF.", *notes], left_out)


def _without_quotes(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values without quotes after a space, which the parser keeps; "?" as missing."""
    chunks = []
    for chunk in column.chunks:
        texts = pc.utf8_trim(chunk.dictionary, BLANKS)
        texts = pc.replace_substring_regex(texts, r"""^(?:'(.*)'|"(.*)")$""", r"\1\2")
        texts = pc.if_else(pc.equal(texts, "?"), pa.scalar(None, pa.string()), texts)
        chunks.append(with_dictionary(chunk, texts))
    return pa.chunked_array(chunks)


def _accepts(head: bytes, name: str, options: ReadOptions) -> bool:
    start = re.sub(rb"(?m)^[ \t]*%[^\r\n]*$", b"", head.removeprefix(b"\xef\xbb\xbf")).lstrip()
    return start[:9].lower() == b"@relation" or name.endswith(".arff")


ARFF = Reader("ARFF", (".arff",), _accepts, read_arff, takes=TEXT | {"ragged"})
