"""The data of the command line, with every remark about them on stderr.

Reading files is slow to import and not every command reads one, so functions import it here.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from calm_core.cli.options import names
from calm_core.tables.dataset import Dataset


@dataclass(frozen=True)
class Source:
    """Where the data are, and what is used of them, as the command line says it.

    Attributes
    ----------
    data : Path
        A file, or the name of a public data set.
    columns : str or None
        Columns to use, separated by commas.
    d : int or None
        How many of the usable columns.
    max_values : int or None
        Most values of a column.
    schema : Path or None
        A saved schema.
    read : sequence of str or None
        How to read the file, as name=value.
    """

    data: Path
    columns: str | None = None
    d: int | None = None
    max_values: int | None = None
    schema: Path | None = None
    read: Sequence[str] | None = None

    def load(self) -> Dataset:
        """The data set."""
        from calm_core.ingest import Schema, load_dataset
        from calm_core.ingest.public_data import find_data

        data = find_data(self.data)
        saved = None if self.schema is None else Schema.load(self.schema)
        encoded = load_dataset(
            data, columns=names(self.columns), d=self.d, max_values=self.max_values, schema=saved,
            options=self.read_options(),
        )  # fmt: skip
        remark(encoded.report)
        return encoded.dataset

    def read_options(self):
        """How to read the file."""
        from calm_core.ingest import ReadOptions

        return ReadOptions.from_words(self.read or ())

    def stream_schema(self):
        """The saved schema, or one detected from the first rows of a file too large to hold."""
        from calm_core.ingest import Schema, choose_schema, stream_schema

        if self.schema is None:
            found = stream_schema(self.data, options=self.read_options())
        else:
            found = Schema.load(self.schema)
        chosen = choose_schema(found, names(self.columns), self.d, self.max_values)
        tell((*chosen.notes, *chosen.left_out))
        return chosen


def remark(report) -> None:
    """What was decided about the columns and what became of the rows, on stderr."""
    tell((*report.notes, report.sentence))


def tell(sentences: Iterable[str]) -> None:
    """Sentences for the person, who may have sent the results elsewhere."""
    for sentence in sentences:
        print(sentence, file=sys.stderr)
