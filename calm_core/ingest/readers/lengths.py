"""Rows of another length than the header: counted, left out or refused, never unsaid."""

from collections.abc import Callable

from calm_core.errors import DataError

RAGGED_SHARE = 0.1
TOO_SHORT, TOO_LONG = "too few fields", "too many fields"


class Lengths:
    """Account of rows of another length than `width`: which are left out, and when to refuse.

    Attributes
    ----------
    rows, shorter, longer, blank : int
        Rows so far, of any length; shorter and longer ones; lines of nothing but spaces.
    """

    def __init__(self, width: int, ragged: str | None, header: str = "the header"):
        self.width, self.header = width, header
        self.leave_out = ragged == "leave_out"
        self.rows = self.shorter = self.longer = self.blank = 0

    def add(self, kept: int, ragged: list, first: Callable[..., str]) -> list[tuple[str, int]]:
        """Count rows of the right length and others; what is left out of them, by reason.

        Parameters
        ----------
        ragged : list of pyarrow's InvalidRow
        first : callable (shorter: bool) -> str
            Says where the first such row is.
        """
        lengths = [row.actual_columns for row in ragged if row.text.strip()]
        longer = [length for length in lengths if length > self.width]
        self.blank += len(ragged) - len(lengths)
        self.rows += kept + len(lengths)
        self.longer += len(longer)
        self.shorter += len(lengths) - len(longer)
        if longer and not self.leave_out:
            raise DataError(self._refusal(longer, first(shorter=False)))
        found = ((TOO_SHORT, len(lengths) - len(longer)), (TOO_LONG, len(longer)))
        return [(reason, count) for reason, count in found if count]

    def account(self, first: Callable[..., str]) -> list[tuple[str, int]]:
        """What is left out of all rows, with the first of each kind; refuses too many."""
        kept = self.rows - self.shorter - self.longer
        if self.rows and not kept or not self.leave_out and self.shorter > RAGGED_SHARE * self.rows:
            raise DataError(
                f"{first(shorter=self.shorter > 0)}, and {self.shorter + self.longer:,} of "
                f"{self.rows:,} rows have another length than {self.header}; make all rows equally "
                "long, choose another separator, or leave a part out with ragged=leave_out"
            )
        found = ((TOO_SHORT, self.shorter, True), (TOO_LONG, self.longer, False))
        return [
            (f"{reason} (first: {first(shorter=short)})", count)
            for reason, count, short in found
            if count
        ]

    def _refusal(self, longer: list[int], start: str) -> str:
        """What to say about rows longer than the header."""
        all_one_more = len(longer) == self.rows and set(longer) == {self.width + 1}
        if all_one_more and self.header == "the header":
            return (
                f"{start}, and all {self.rows:,} rows have one field more than the header; if the "
                "first column has no name, read with ragged=first_unnamed, otherwise mend the header"
            )
        return (
            f"{start}, and {len(longer):,} of {self.rows:,} rows {'are' if len(longer) > 1 else 'is'}"
            f" longer than {self.header}; put quotation marks around cells that hold the separator, "
            "or leave such rows out with ragged=leave_out"
        )


def fields_instead(row, width: int) -> str:
    """How many fields a row of another length has."""
    fields = row.actual_columns
    return f"has {fields:,} field{'s' * (fields != 1)} instead of {width:,}"
