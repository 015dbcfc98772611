"""The sample files in sample_data/: generation and loading.

`python -m calm_core.ingest.samples` writes the files again, byte for byte.
"""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

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
SEED = 20181015


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
    titles = _DATA["items"] | _DATA["titles"]
    title, short = titles.get(column.name, (column.name.capitalize(), ""))[:2]
    names = VALUE_NAMES.get(column.name, ())
    return replace(column, title=title, short=short, value_names=names)


def sample_table(name: str) -> Table:
    """A sample as a Table."""
    check_choice("sample", name, SAMPLES)
    return read_table(SAMPLES[name].path, isolate=False)


# --- survey -------------------------------------------------------------------------------------


def make_survey(n: int = 60_000, *, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Columns of the survey: codes or labels per person, correlated through latent tendencies."""
    risk, distress, status = rng.standard_normal((3, n))
    female = rng.random(n) < 0.51
    age = _cut(rng.random(n), "age")
    risk += 0.25 * ~female
    distress += 0.25 * female - 0.15 * status
    youth = 2.0 - age  # 2 for the youngest, -2 for the oldest
    # Young people have not finished school or reached their income yet.
    schooling = status - 0.5 * (age == 0) + 0.6 * rng.standard_normal(n)
    earning = 0.7 * schooling + 0.25 * (age == 2) - 0.3 * (age == 4) + 0.8 * rng.standard_normal(n)
    columns = {"female": female.astype(np.uint8)}
    for name, (_, _, rate, by_risk, by_distress, by_youth) in _DATA["items"].items():
        score = by_risk * risk + by_distress * distress + 0.6 * by_youth * youth
        score += 0.8 * rng.logistic(size=n)
        columns[name] = _answer(name, score, rate, columns)
    codes = {
        "age": age,
        "education": _cut(schooling, "education", ranked=True),
        "income": _cut(earning, "income", ranked=True),
        "area": _cut(rng.random(n), "area"),
    }
    for name, code in codes.items():
        labels = pa.array(_DATA["labels"][name])
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int8)), labels)
    return columns


def _cut(score: np.ndarray, name: str, *, ranked: bool = False) -> np.ndarray:
    """Codes with the rates of a column; `ranked` where the scores are not uniform."""
    ends = np.cumsum(_DATA["rates"][name])[:-1]
    return np.searchsorted(np.quantile(score, ends) if ranked else ends, score, side="right")


def _answer(name: str, score: np.ndarray, rate: float, columns: dict) -> np.ndarray:
    """1 for exactly the given share of rows, those with the highest scores that meet the item's needs."""
    if needed := _DATA["needs"].get(name):
        score = score - 1e3 * (columns[needed] == 0)
    return (score > np.quantile(score, 1 - rate)).astype(np.uint8)


# --- browsing -----------------------------------------------------------------------------------


def make_browsing(n: int = 250_000, *, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Columns of the visits: 0/1 per page, skewed rates, correlated through interests."""
    pages = _DATA["browsing"]["pages"].split()
    interests = [pages_of.split() for pages_of in _DATA["browsing"]["interests"]]
    d = len(pages)
    rates = np.clip(0.62 * np.arange(1, d + 1) ** -1.05, 0.012, None)
    mix = rng.dirichlet(np.full(len(interests), 0.35), size=n)
    busy = rng.standard_normal(n)
    lifts = np.array([[page in group for page in pages] for group in interests], dtype=float)
    scores = 4.0 * mix @ lifts + 0.9 * busy[:, None] + 0.7 * rng.logistic(size=(n, d))
    columns = {}
    for j, page in enumerate(pages):
        columns[page] = _answer(page, scores[:, j], rates[j], columns)
    return columns


def write_samples(folder: Path = FOLDER, seed: int = SEED) -> list[Path]:
    """Write all sample files with a fixed seed; returns their paths."""
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    makers = {"survey": make_survey, "browsing": make_browsing}
    paths = []
    for i, (name, make) in enumerate(makers.items()):
        columns = make(rng=np.random.default_rng([seed, i]))
        path = folder / SAMPLES[name].file
        parquet.write_table(pa.table(columns), path, compression="zstd", compression_level=19)
        paths.append(path)
    return paths


if __name__ == "__main__":
    for written in write_samples():
        print(f"{written.name}: {written.stat().st_size / 1e6:.2f} MB")
