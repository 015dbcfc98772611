"""The sample files in sample_data/."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from calm_core._checks import check_choice
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import EncodedData, encode_table
from calm_core.ingest.reading import read_table
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.table import Table

_HERE = Path(__file__).resolve()
# In the package if installed from a wheel, beside it in a checkout.
_FOLDERS = [parent / "sample_data" for parent in _HERE.parents[1:3]]
FOLDER = next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[-1])
_DATA = tomllib.loads(_HERE.with_suffix(".toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Sample:
    """A sample file."""

    name: str
    file: str
    title: str
    description: str
    n: int
    d: int
    unit: str = "people"

    @property
    def path(self) -> Path:
        """Path of the file."""
        return FOLDER / self.file


SAMPLES = {name: Sample(name, **fields) for name, fields in _DATA["samples"].items()}
VALUE_NAMES = {"female": ("man", "woman")}


def load_sample(name: str, *, schema: Schema | None = None, **choices) -> EncodedData:
    """A sample as a Dataset; `choices` as in `load_dataset` (columns, d, max_values).

    Examples
    --------
    >>> load_sample("survey", d=3).dataset.domain.titles
    ('Sex', 'Smoked last month', 'Drank last month')
    """
    table = sample_table(name)
    return encode_table(table, schema=schema or sample_schema(table), **choices)


def sample_schema(table: Table) -> Schema:
    """Schema of a sample with its titles."""
    schema = detect_schema(table)
    return replace(schema, columns=tuple(map(_add_titles, schema.columns)))


def _add_titles(column: ColumnSchema) -> ColumnSchema:
    # Pages of the web site have their own names as titles.
    title, short = _DATA["titles"].get(column.name, (column.name.capitalize(), ""))
    names = VALUE_NAMES.get(column.name, ())
    return replace(column, title=title, short=short, value_names=names)


def sample_table(name: str) -> Table:
    """A sample as a Table."""
    check_choice("sample", name, SAMPLES)
    return read_table(SAMPLES[name].path, isolate=False)
