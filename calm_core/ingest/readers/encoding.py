"""Bytes to UTF-8: byte order marks, UTF-16 without one, and the old one-byte encodings."""

import codecs
import re

from calm_core.errors import DataError

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What charset_normalizer may choose from: the encodings that spreadsheets really write.
LIKELY = (
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "shift_jis",
    "gb18030",
    "big5",
    "euc_kr",
)


def detect_encoding(content: memoryview) -> str:
    """Name of a codec that decodes the content; binary content is refused.

    Examples
    --------
    >>> detect_encoding(memoryview("Köln,1".encode("cp1252")))
    'cp1252'
    >>> detect_encoding(memoryview("Köln,1".encode("utf-16")))
    'utf-16'
    """
    head = bytes(content[:65536])
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    zeros_even, zeros_odd = head[0::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    if zeros_even + zeros_odd:
        if zeros_odd > 0.4 * half and zeros_even < 0.05 * half:
            return "utf-16-le"
        if zeros_even > 0.4 * half and zeros_odd < 0.05 * half:
            return "utf-16-be"
    if looks_binary(head):
        raise DataError(
            "the file is not a table of text (it holds binary content); "
            "upload CSV, Excel (.xlsx), Parquet, ARFF or a list of baskets"
        )
    return "utf-8" if _is_utf8(content) else _one_byte_encoding(content)


def looks_binary(head: bytes) -> bool:
    """Whether control characters that no text has make up more than a trace of the content."""
    control = bytes(set(range(32)) - {9, 10, 11, 12, 13, 27}) + b"\x7f"
    odd = len(head) - len(head.translate(None, control))
    return odd > 0.01 * len(head) or (b"\0" in head and odd > 4)


def _is_utf8(content: memoryview) -> bool:
    return first_invalid(content, "utf-8") is None


def first_invalid(content: memoryview, encoding: str) -> int | None:
    """Position of the first byte that the encoding cannot decode, without keeping the text."""
    decoder, step = codecs.getincrementaldecoder(encoding)(), 1 << 20
    for start in range(0, max(1, len(content)), step):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(content[start : start + step], final=start + step >= len(content))
        except UnicodeDecodeError as error:
            return start - pending + error.start
    return None


def _one_byte_encoding(content: memoryview) -> str:
    """The likeliest old encoding, judged from the words that hold bytes beyond ASCII."""
    words = re.findall(rb"[A-Za-z\x80-\xff]+", content[: 1 << 20])
    telling = b" ".join([word for word in words if not word.isascii()][:2000])
    runs = re.findall(rb"[\x80-\xff]+", telling)
    # Western European text has single accented letters between plain ones; Cyrillic, Greek and
    # East Asian text has runs of high bytes.
    western = sum(map(len, runs)) < 1.5 * len(runs)
    letters = sum(_is_western(run) for run in runs) > 0.8 * len(runs)
    if runs and not (western and letters):
        from charset_normalizer import from_bytes

        best = from_bytes(telling, cp_isolation=list(LIKELY), threshold=0.5).best()
        if best is not None and _decodes(content, best.encoding):
            return best.encoding
    return "cp1252" if _decodes(content, "cp1252") else "latin-1"


def _is_western(run: bytes) -> bool:
    text = run.decode("cp1252", errors="replace")
    return all(c.isalpha() or c in "€£°§‘’“”„–—…®©«»" for c in text)


def _decodes(content: memoryview, encoding: str) -> bool:
    return first_invalid(content, encoding) is None


def to_utf8(content: memoryview, encoding: str | None) -> tuple[bytes | memoryview, str]:
    """The content as UTF-8 without byte order mark, and its encoding, found out if not given."""
    given, encoding = encoding, encoding or detect_encoding(content)
    try:
        name = codecs.lookup(encoding).name
        at = first_invalid(content, encoding) if given else None
    except (LookupError, TypeError, ValueError) as error:
        raise DataError(f"encoding ({encoding!r:.40}) is not known; try utf-8 or cp1252") from error
    if at is not None:
        raise DataError(
            f"the file is not valid {encoding:.40} (first at byte {at:,}); "
            "choose another encoding, such as utf-8 or cp1252"
        )
    if name in ("utf-8", "ascii", "utf-8-sig"):
        mark = codecs.BOM_UTF8
        return content[len(mark) :] if content[: len(mark)].tobytes() == mark else content, encoding
    text = codecs.decode(content, encoding, "replace")
    return text.removeprefix("\ufeff").encode("utf-8", errors="replace"), encoding
