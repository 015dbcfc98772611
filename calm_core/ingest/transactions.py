"""Files with one basket of item ids a line (FIMI) as 0/1 columns of the most frequent items."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core._checks import check_count
from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import Raw
from calm_core.ingest.readers.base import Reader
from calm_core.ingest.readers.encoding import to_utf8
from calm_core.ingest.table import ReadOptions, as_texts, pc
from calm_core.text import format_count


def item_columns(
    baskets: np.ndarray, items: np.ndarray, names: pa.Array, n: int, top: int, limits: Limits
) -> tuple[list[str], list[pa.DictionaryArray]]:
    """0/1 columns of the `top` most frequent items, most frequent first (ties by name).

    Parameters
    ----------
    baskets, items : ndarray of int, shape (tokens,)
        Basket and item of every mention; repeated mentions count once.
    names : pyarrow array of string
        Name of every item.
    n : int
        Number of baskets, empty ones included.
    """
    top = min(check_count("items", top, high=limits.columns), len(names))
    limits.check_shape(n, top)
    # Sorting nearly sorted numbers; np.unique would hash them, many times slower.
    pairs = np.sort(baskets.astype(np.int64) * len(names) + items)
    pairs = pairs[np.append(True, np.diff(pairs) > 0)] if len(pairs) else pairs
    baskets, items = np.divmod(pairs, len(names))
    counts = np.bincount(items, minlength=len(names))
    texts = names.to_pylist()
    ranked = sorted(np.flatnonzero(counts).tolist(), key=lambda i: (-counts[i], texts[i]))[:top]
    place = np.full(len(names), -1)
    place[ranked] = np.arange(len(ranked))
    flags = np.zeros((len(ranked), n), dtype=np.int8)
    is_kept = place[items] >= 0
    flags[place[items[is_kept]], baskets[is_kept]] = 1
    words = pa.array(["0", "1"])
    columns = [pa.DictionaryArray.from_arrays(pa.array(row), words) for row in flags]
    return [texts[i] for i in ranked], columns


BYTE_BLANKS = b" \t\x0b\x0c\x1c\x1d\x1e\x1f"  # blanks but line ends


def read_baskets(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """0/1 columns of the most frequent items; an empty line between others is an empty basket."""
    content, encoding = to_utf8(memoryview(buffer), options)
    text = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n")
    separator = options.separator or ("," if b"," in text[:65536] else " ")
    blanks = BYTE_BLANKS + separator.encode()
    if not text.strip(blanks + b"\n"):
        raise DataError("the file is empty; upload one basket of items per line")
    baskets, notes = text.rstrip(b"\n"), []
    if len(baskets) < len(text):
        skipped = len(text) - len(baskets)
        notes.append(f"{format_count(skipped, 'blank line')} at the end left out.")
    at, items, count = _split_baskets(baskets, blanks)
    names, columns = item_columns(
        at, np.asarray(items.indices), items.dictionary, count, options.items, limits
    )
    dialect = replace(options, encoding=encoding, separator=separator, shape="baskets")
    every = len(items.dictionary)
    note = f"the {len(names):,} most frequent are kept" if every > len(names) else "all are kept"
    counts = (
        f"Transactions with {every:,} different items: {note} as 0/1 columns, most frequent first."
    )
    notes = [f"Text encoding: {encoding.upper()}.", counts, *notes]
    return Raw(names, columns, dialect, notes)


def _split_baskets(text: bytes, blanks: bytes) -> tuple[np.ndarray, pa.DictionaryArray, int]:
    """The basket of each item, the items, and the number of baskets; only ASCII separates them, so they stay UTF-8."""
    lines = text.translate(bytes.maketrans(blanks, b" " * len(blanks))).split(b"\n")
    baskets = pc.split_pattern(pa.array(lines, pa.large_string()), " ")
    items = baskets.flatten()
    is_item = pc.not_equal(items, "")
    at = pc.list_parent_indices(baskets).filter(is_item)
    return np.asarray(at), as_texts(items.filter(is_item)), len(lines)


def _accepts(head: bytes, name: str, options: ReadOptions) -> bool:
    if options.shape is not None:
        return options.shape == "baskets"
    return name.endswith((".dat", ".basket")) and b"\0" not in head


BASKETS = Reader(
    "transactions",
    (".dat", ".basket"),
    _accepts,
    read_baskets,
    takes=frozenset({"encoding", "separator"}),
)
