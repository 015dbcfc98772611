"""The format of a report in a file: a number or a bitmap, and a seed if the oracle draws one."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ReportForm:
    """The format of an oracle's reports, so that they can be written, checked and counted.

    Attributes
    ----------
    size : int
        Number of different numbers; for a bitmap the number of bits, one per cell.
    bitmap : bool
        Whether a report has a bit per cell, rather than a number. The bit of cell c is bit
        7 - c % 8 of byte c // 8, so cells are in reading order.
    chosen : int, optional
        How many bits of every bitmap are 1, if the oracle fixes it; only for bitmaps.
    direct : bool
        Whether a report lists the cells it supports: that of its number, or those of its bits.
        Otherwise `Oracle.support` is needed.
    has_seeds : bool
        Whether an arbitrary 64-bit word belongs to the report; only for numbers that name no cell.

    Examples
    --------
    >>> form = ReportForm(size=10, bitmap=True)
    >>> packed = form.pack(np.array([[1, 0, 0, 0, 0, 0, 0, 0, 1, 0]], dtype=bool))
    >>> form.width, packed.tolist(), form.unpack(packed, None).astype(int).tolist()
    (2, [[128, 128]], [[1, 0, 0, 0, 0, 0, 0, 0, 1, 0]])
    """

    size: int
    bitmap: bool = False
    chosen: int | None = None
    direct: bool = True
    has_seeds: bool = False

    @property
    def width(self) -> int:
        """Bytes of a report, without its seed."""
        bits = self.size if self.bitmap else (self.size - 1).bit_length()
        return max(1, -(-bits // 8))

    def pack(self, reports: np.ndarray) -> np.ndarray:
        """Return reports of the oracle as bytes: uint8 of shape (n, width), highest first."""
        if self.bitmap:
            return np.packbits(reports, axis=1)
        numbers = reports[:, 1] if self.has_seeds else reports
        big = numbers.astype(">u8").view(np.uint8).reshape(len(numbers), 8)
        return np.ascontiguousarray(big[:, 8 - self.width :])

    def seeds(self, reports: np.ndarray) -> np.ndarray | None:
        """Return the seed of every report, uint64 (n,), if there are seeds."""
        return reports[:, 0] if self.has_seeds else None

    def unpack(self, packed: np.ndarray, seeds: np.ndarray | None) -> np.ndarray:
        """Return the reports from the results of `pack` and `seeds`."""
        if self.bitmap:
            return np.unpackbits(packed, axis=1, count=self.size).astype(bool)
        big = np.zeros((len(packed), 8), dtype=np.uint8)
        big[:, 8 - self.width :] = packed
        return self.reports_from_numbers(big.view(">u8")[:, 0].astype(np.uint64), seeds)

    def reports_from_numbers(self, numbers: np.ndarray, seeds: np.ndarray | None) -> np.ndarray:
        """Return the reports of the oracle from their numbers and seeds."""
        if seeds is None:
            return numbers.astype(np.int64)
        return np.stack([seeds, numbers.astype(np.uint64)], axis=1)
