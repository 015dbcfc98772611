"""Text encodings: detection and conversion to UTF-8."""

import codecs
import re
from collections.abc import Sequence

from calm_core.errors import DataError
from calm_core.ingest.table import ReadOptions
from calm_core.ingest.values.words import WORDS

# Small letters beyond ASCII of the languages that each code page is for; likelier pages first.
PAGES = {page: letters.split() for page, letters in WORDS["code_pages"].items()}
EDGES = "‘’“”„–—…«»¿¡"
# "£", "m²", "nº", "°C": signs alone or with one or two letters.
_ALONE = re.compile("[A-Za-z]{0,2}[€£§©®°²³¹ºª½¼¾±×µ¢¥]+[A-Za-z]?")
# Positions in which western languages never have these letters.
_NEVER = re.compile(
    r"ñ(?![aeiouáéíóúü])|[ìòù](?=\w)|œ(?![uiet])|æ$|õ(?!e)|(?<=\w)þ|(?<![cbv])ê$|êk|^ð",
    re.IGNORECASE,
)
ENOUGH = 0.8  # least share of words that fit the page


def rank_pages(words: Sequence[bytes]) -> list[tuple[float, str]]:
    """The share of words beyond ASCII that some language of a code page may have, and the page; the best first.

    Examples
    --------
    >>> [rank_pages(["Łódź Kraków".encode(name)])[0][1] for name in ("cp1250", "iso-8859-2")]
    ['cp1250', 'iso-8859-2']
    >>> rank_pages(["Köln".encode("cp1252"), "Málaga".encode("cp1252")])[0][1]
    'cp1252'
    """
    words = list(dict.fromkeys(part for word in words for part in word.split()))
    ranks = []
    for page, languages in PAGES.items():
        texts = [word.decode(page, errors="replace") for word in words]
        may = [
            [_may_be_word(text, letters) for letters in languages]
            for text in texts
            if not (page == "cp1252" and _NEVER.search(text))
        ]
        one_language = max(map(sum, zip(*may)), default=0)
        ranks.append((sum(map(any, may)) / max(1, len(texts)), one_language, page))
    return [(share, page) for share, _, page in sorted(ranks, key=lambda one: (-one[0], -one[1]))]


def _may_be_word(text: str, letters: str) -> bool:
    """Whether a word may be of a language with these letters beyond ASCII."""
    text = text.strip(EDGES)
    if not text or _ALONE.fullmatch(text):
        return True
    return all(sign.isascii() or sign in letters for sign in text.replace("İ", "i").lower())


def page_notes(content: memoryview, page: str, options: ReadOptions) -> list[str]:
    """Note that letters are read by a code page that was found out.

    Examples
    --------
    >>> page_notes(memoryview("Muñoz".encode("cp1252")), "cp1252", ReadOptions())
    ["Letters such as in 'Muñoz' are read by code page CP1252; if they look wrong, read with another encoding, such as cp1250."]
    """
    words = _words_beyond_ascii(content)
    if options.encoding is not None or page not in PAGES or not words:
        return []
    other = next(name for name in PAGES if name != page)
    return [
        f"Letters such as in {words[0].decode(page, 'replace')!r:.40} are read by code page {page.upper()}; if they "
        f"look wrong, read with another encoding, such as {other}."
    ]


MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Candidates for charset_normalizer: encodings that spreadsheets write.
LIKELY = "cp1252 cp1250 cp1251 cp1253 cp1254 shift_jis gb18030 big5 euc_kr".split()
WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
SAMPLE_BYTES = 1 << 20  # bytes read at the start and around the first byte that is not UTF-8
# Leads of the two-byte characters of UTF-8 that stand in words written in Latin letters.
LATIN_LEADS = frozenset(range(0xC2, 0xCA))
# Not in cp1252, or letters (þ, ÿ) that are hardly ever the only ones beyond ASCII.
UNLIKELY = frozenset((0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xFE, 0xFF))


def detect_encoding(content: memoryview) -> str:
    """Name of a codec that decodes the content, or all but a few bytes; raises for binary content.

    A file that is UTF-8 but for few bytes is UTF-8: another encoding would turn every other letter
    beyond ASCII into two wrong ones.

    Examples
    --------
    >>> detect_encoding(memoryview("Köln,1".encode("cp1252")))
    'cp1252'
    >>> detect_encoding(memoryview("Köln,1".encode("utf-16")))
    'utf-16'
    >>> detect_encoding(memoryview("Köln,1\\nBonn".encode() + b"\\xff"))
    'utf-8'
    """
    head = bytes(content[:65536])
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    zeros = head[0::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    for few, many, name in ((*zeros, "utf-16-le"), (*zeros[::-1], "utf-16-be")):
        if many > 0.4 * half and few < 0.05 * half:
            return name
    # More than a few control characters that text lacks.
    control = bytes(set(range(32)) - {9, 10, 11, 12, 13, 27}) + b"\x7f"
    odd = len(head) - len(head.translate(None, control))
    if odd > 0.01 * len(head) or (b"\0" in head and odd > 4):
        raise DataError(
            "the file is not a table of text (it holds binary content); "
            "upload CSV, Excel (.xlsx), SPSS, Stata, SAS, JSON, Parquet or a list of baskets"
        )
    at = first_invalid(content, "utf-8")
    if at is None or _is_utf8_but_for_few(content, at):
        return "utf-8"
    return _one_byte_encoding(content)


def first_invalid(content: memoryview, encoding: str) -> int | None:
    """Position of the first byte that the encoding cannot decode; None if there is none."""
    decoder, step = codecs.getincrementaldecoder(without_mark(encoding))(), 1 << 20
    for start in range(0, max(1, len(content)), step):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(content[start : start + step], final=start + step >= len(content))
        except UnicodeDecodeError as error:
            return start - pending + error.start
    return None


def without_mark(encoding: str) -> str:
    """The encoding that keeps a byte order mark, so positions are those of the file."""
    return "utf-8" if codecs.lookup(encoding).name == "utf-8-sig" else encoding


def _is_utf8_but_for_few(content: memoryview, at: int) -> bool:
    """Whether at least half of the words beyond ASCII are UTF-8, near the start and the bad byte.

    Words with no other bytes beyond ASCII than those no text is likely to hold are damaged anyway.
    """
    window = max(SAMPLE_BYTES, at - SAMPLE_BYTES // 2)
    sample = bytes(content[:SAMPLE_BYTES]) + b" " + bytes(content[window : window + SAMPLE_BYTES])
    words = [word for word in WORD.findall(sample) if not word.isascii()]
    bad = [word for word in words if first_invalid(memoryview(word), "utf-8") is not None]
    good = sum(map(_is_surely_utf8, words))
    unlikely = all(byte < 0x80 or byte in UNLIKELY for word in bad for byte in word)
    return 0 < good >= len(bad) or unlikely


def _is_surely_utf8(word: bytes) -> bool:
    """Whether a word decodes as UTF-8, and not by chance.

    In cp1250 "PÓŁNOC" decodes as Cyrillic between Latin letters, and so do many pairs of Chinese
    characters in GB 18030; three of them hardly ever do.
    """
    if first_invalid(memoryview(word), "utf-8") is not None:
        return False
    if any(byte < 0x80 for byte in word):
        return all(byte in LATIN_LEADS for byte in word if 0xC0 <= byte < 0xE0)
    return len(word) >= 6


def _one_byte_encoding(content: memoryview) -> str:
    """The likeliest old encoding, judged from the words that hold bytes beyond ASCII."""
    words = _words_beyond_ascii(content)
    if words:
        share, page = rank_pages(words)[0]
        if share >= ENOUGH and first_invalid(content, page) is None:
            return page
    telling = b" ".join(words)
    runs = re.findall(rb"[\x80-\xff]+", telling)
    # Western European text has single accented letters between plain ones; Cyrillic, Greek and
    # East Asian text has runs of high bytes.
    western = sum(map(len, runs)) < 1.5 * len(runs)
    letters = sum(_is_western(run) for run in runs) > 0.8 * len(runs)
    if runs and not (western and letters):
        from charset_normalizer import from_bytes

        best = from_bytes(telling, cp_isolation=[*LIKELY], threshold=0.5).best()
        if best is not None and first_invalid(content, best.encoding) is None:
            return best.encoding
    return "cp1252" if first_invalid(content, "cp1252") is None else "latin-1"


def _words_beyond_ascii(content: memoryview) -> list[bytes]:
    """Words that hold bytes beyond ASCII, from the start."""
    return [word for word in WORD.findall(content[:SAMPLE_BYTES]) if not word.isascii()][:2000]


def _is_western(run: bytes) -> bool:
    text = run.decode("cp1252", errors="replace")
    return all(c.isalpha() or c in "€£°§‘’“”„–—…®©«»" for c in text)


def choose_encoding(content: memoryview, options: ReadOptions) -> str:
    """The encoding chosen by the user, or the detected one."""
    if options.encoding is None:
        return detect_encoding(content)
    try:
        b"a\xff".decode(options.encoding, "replace")
    except (LookupError, ValueError) as error:
        raise DataError(
            f"encoding ({options.encoding!r:.40}) is not known; try utf-8 or cp1252"
        ) from error
    return options.encoding


def to_utf8(content: memoryview, options: ReadOptions) -> tuple[bytes, str]:
    """The content as UTF-8 without byte order mark, and its encoding."""
    encoding = choose_encoding(content.cast("B"), options)
    stream = Utf8Stream(encoding)
    return stream(content) + stream(b""), encoding


def count_line_ends(text: str) -> int:
    """Number of line ends of any kind."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


class Utf8Stream:
    """Converts blocks of a file to UTF-8; an empty block ends it."""

    def __init__(self, encoding: str, *, cut_blank_end: bool = False):
        self.encoding = encoding
        self.decoder = codecs.getincrementaldecoder(without_mark(encoding))()
        self.position, self.lines = 0, 0
        self.cut_blank_end, self.held = cut_blank_end, ""

    def __call__(self, block) -> bytes:
        """The block and the rest of earlier blocks as UTF-8."""
        block = bytes(block)
        pending = self.decoder.getstate()[0]
        try:
            text = self.decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            whole = pending + block
            line = (
                1
                + self.lines
                + count_line_ends(codecs.decode(whole[: error.start], self.encoding, "ignore"))
            )
            raise DataError(
                f"the file is not valid {without_mark(self.encoding).upper():.40}: byte "
                f"{1 + self.position - len(pending) + error.start:,} is 0x{whole[error.start]:02X}, in line "
                f"{line:,}; fix the file, or name its encoding (such as encoding=cp1252; latin-1 reads any byte)"
            ) from error
        if not self.position:
            text = text.removeprefix("\ufeff")
        self.position += len(block)
        self.lines += count_line_ends(text)
        if self.cut_blank_end:
            text = self.held + text
            kept = text.rstrip("\r\n")
            text, self.held = kept, text[len(kept) :]
        return text.encode("utf-8")
