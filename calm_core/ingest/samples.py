"""The sample files in sample_data/: generation and loading.

`python -m calm_core.ingest.samples` writes the files again, byte for byte.
"""

from collections.abc import Sequence
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

_PACKAGE = Path(__file__).resolve().parents[1]
# In the package if installed from a wheel, beside it in a checkout.
FOLDER = next(
    (
        folder
        for folder in (_PACKAGE / "sample_data", _PACKAGE.parent / "sample_data")
        if folder.is_dir()
    ),
    _PACKAGE.parent / "sample_data",
)
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


SAMPLES = {
    sample.name: sample
    for sample in (
        Sample(
            "survey",
            "health_survey.parquet",
            "Health survey",
            "60,000 invented people answering 13 sensitive yes/no questions, with sex, age, "
            "education, income and place of residence; rates modelled on published US figures",
            n=60_000,
            d=18,
        ),
        Sample(
            "browsing",
            "browsing.parquet",
            "Web browsing",
            "250,000 invented visits to a news and shopping site: which of 32 kinds of pages were "
            "seen, most frequent first",
            n=250_000,
            d=32,
            unit="visits",
        ),
    )
}


# Titles and short titles of columns of the samples (sample_data/README.md).
TITLES = {
    "female": ("Sex", ""),
    "age": ("Age", ""),
    "education": ("Education", ""),
    "income": ("Household income", "Income"),
    "area": ("Place of residence", "Area"),
}
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
    known = ITEMS.get(column.name) or TITLES.get(column.name) or (column.name.capitalize(), "")
    title, short = known[:2]
    names = VALUE_NAMES.get(column.name, ())
    return replace(column, title=title, short=short, value_names=names)


def sample_table(name: str) -> Table:
    """A sample as a Table."""
    check_choice("sample", name, SAMPLES)
    return read_table(SAMPLES[name].path, isolate=False)


# --- survey -------------------------------------------------------------------------------------

# Yes/no items: title, short title, rate among adults (rounded from the 2022 US national survey on drug use and health
# and the national surveys on sexual behaviour and tax honesty), and how strongly the answer goes
# with two latent tendencies, risk taking and distress, and with youth.
ITEMS: dict[str, tuple[str, str, float, float, float, float]] = {
    "smoked_month": ("Smoked last month", "Smoked", 0.18, 1.0, 0.4, -0.1),
    "drank_month": ("Drank last month", "Drank", 0.51, 0.9, 0.0, -0.1),
    "binge_month": ("Binge drinking last month", "Binge", 0.23, 1.5, 0.1, 0.5),
    "vaped_month": ("Vaped last month", "Vaped", 0.08, 1.3, 0.4, 1.1),
    "cannabis_year": ("Cannabis last year", "Cannabis", 0.22, 1.7, 0.4, 0.6),
    "cocaine_ever": ("Ever cocaine", "Cocaine", 0.14, 1.9, 0.3, -0.2),
    "hallucinogen_ever": ("Ever a hallucinogen", "Hallucinogen", 0.16, 1.9, 0.3, 0.0),
    "opioid_misuse_year": ("Misused opioids last year", "Opioids", 0.032, 1.3, 0.8, 0.1),
    "depression_year": ("Depression last year", "Depression", 0.09, 0.2, 1.8, 0.6),
    "therapy_year": ("Therapy last year", "Therapy", 0.22, 0.1, 1.4, 0.3),
    "suicidal_thoughts_year": ("Thoughts of suicide last year", "Suicidal", 0.052, 0.4, 1.9, 0.6),
    "drunk_driving_year": ("Drove drunk last year", "Drove drunk", 0.08, 1.8, 0.1, 0.2),
    "tax_cheated_ever": ("Ever cheated on taxes", "Tax cheat", 0.12, 0.8, 0.0, 0.1),
}
# Who drank nothing did not binge either.
NEEDS = {"binge_month": "drank_month", "drunk_driving_year": "drank_month", "checkout": "cart"}
AGES = ("18-25", "26-34", "35-49", "50-64", "65+")
AGE_RATES = (0.135, 0.155, 0.245, 0.24, 0.225)
EDUCATION = ("less than high school", "high school", "some college", "college degree")
INCOME = ("under $20,000", "$20,000-$49,999", "$50,000-$74,999", "$75,000 or more")
AREA = ("large city area", "small city area", "rural")


def make_survey(n: int = 60_000, *, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Columns of the survey: codes or labels per person, correlated through latent tendencies."""
    risk, distress, status = rng.standard_normal((3, n))
    female = rng.random(n) < 0.51
    age = _cut(rng.random(n), AGE_RATES)
    risk += 0.25 * ~female
    distress += 0.25 * female - 0.15 * status
    youth = 2.0 - age  # 2 for the youngest, -2 for the oldest
    # Young people have not finished school or reached their income yet.
    schooling = status - 0.5 * (age == 0) + 0.6 * rng.standard_normal(n)
    earning = 0.7 * schooling + 0.25 * (age == 2) - 0.3 * (age == 4) + 0.8 * rng.standard_normal(n)
    columns = {"female": female.astype(np.uint8)}
    for name, (_, _, rate, by_risk, by_distress, by_youth) in ITEMS.items():
        score = by_risk * risk + by_distress * distress + 0.6 * by_youth * youth
        score += 0.8 * rng.logistic(size=n)
        if name in NEEDS:
            score -= 1e3 * (columns[NEEDS[name]] == 0)
        # The threshold puts exactly the published share of people above it.
        columns[name] = (score > np.quantile(score, 1 - rate)).astype(np.uint8)
    columns["age"] = _label_codes(age, AGES)
    columns["education"] = _label_codes(_cut_ranks(schooling, (0.11, 0.27, 0.29, 0.33)), EDUCATION)
    columns["income"] = _label_codes(_cut_ranks(earning, (0.16, 0.27, 0.16, 0.41)), INCOME)
    columns["area"] = _label_codes(_cut(rng.random(n), (0.56, 0.30, 0.14)), AREA)
    return columns


def _cut(uniform: np.ndarray, rates: Sequence[float]) -> np.ndarray:
    return np.searchsorted(np.cumsum(rates)[:-1], uniform, side="right")


def _cut_ranks(score: np.ndarray, rates: Sequence[float]) -> np.ndarray:
    return np.searchsorted(np.quantile(score, np.cumsum(rates)[:-1]), score, side="right")


def _label_codes(codes: np.ndarray, labels: Sequence[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8)), pa.array(list(labels)))


# --- browsing -----------------------------------------------------------------------------------

PAGES = (
    "home news weather search sport politics local video business tech health travel food offers "
    "cart music film science opinion cars fashion games books jobs garden property checkout "
    "horoscope puzzles newsletter account help"
).split()
# Visitors have interests; each interest lifts the pages that belong to it.
INTERESTS = (
    ("news", "politics", "local", "opinion", "business", "video"),
    ("sport", "video", "cars", "games", "tech"),
    ("offers", "cart", "checkout", "fashion", "books", "account", "search"),
    ("health", "food", "garden", "travel", "weather", "property"),
    ("music", "film", "video", "games", "books", "puzzles", "horoscope"),
    ("tech", "science", "business", "jobs", "search"),
    ("cart", "checkout", "account", "help", "newsletter"),
)


def make_browsing(n: int = 250_000, *, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Columns of the visits: 0/1 per page, skewed rates, correlated through interests."""
    d = len(PAGES)
    rates = np.clip(0.62 * np.arange(1, d + 1) ** -1.05, 0.012, None)
    mix = rng.dirichlet(np.full(len(INTERESTS), 0.35), size=n)
    busy = rng.standard_normal(n)
    lifts = np.array([[page in group for page in PAGES] for group in INTERESTS], dtype=float)
    scores = 4.0 * mix @ lifts + 0.9 * busy[:, None] + 0.7 * rng.logistic(size=(n, d))
    columns = {}
    for j, page in enumerate(PAGES):
        score = scores[:, j]
        if page in NEEDS:
            score = score - 1e3 * (columns[NEEDS[page]] == 0)
        columns[page] = (score > np.quantile(score, 1 - rates[j])).astype(np.uint8)
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
