"""The share decided as a careful person would, and what is wrong without a word."""

from collections.abc import Iterable
from dataclasses import dataclass

from tests.ingest.messy.column import Messy
from tests.ingest.messy.judge import complaints, decide_messy, silent_errors

# Of every set; and so of all together.
ENOUGH = 0.95


@dataclass(frozen=True)
class Score:
    """Complaints and silent errors by column; a column without either is not listed."""

    columns: int
    otherwise: dict[str, tuple[str, ...]]
    silent: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, columns: Iterable[Messy]) -> "Score":
        columns = tuple(columns)
        verdicts = {column.case: verdict(column) for column in columns}
        otherwise = {case: said for case, (said, _) in verdicts.items() if said}
        return cls(
            len(columns), otherwise, {case: bad for case, (_, bad) in verdicts.items() if bad}
        )

    @property
    def share(self) -> float:
        """Columns decided as a careful person would; what is silently wrong is not."""
        return 1 - len(self.otherwise.keys() | self.silent.keys()) / self.columns

    def __str__(self) -> str:
        good = self.columns - len(self.otherwise.keys() | self.silent.keys())
        lines = [
            f"{good} of {self.columns} messy columns ({self.share:.2%}) decided as a careful person "
            f"would, {len(self.silent)} silently wrong"
        ]
        for what, found in (("SILENTLY WRONG", self.silent), ("otherwise", self.otherwise)):
            lines += [f"  {what}: {case}: {'; '.join(said)}" for case, said in found.items()]
        return "\n".join(lines)


def verdict(column: Messy) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Complaints and silent errors about one column."""
    decided = decide_messy(column)
    return tuple(complaints(decided, column)), tuple(silent_errors(decided, column))
