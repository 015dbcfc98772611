"""All messy columns that were kept out while the import was built: every `kept_*.py`, by its name."""

import importlib
from pathlib import Path

from tests.ingest.messy.column import Messy

# Judged together; every other file is a set of its own.
FIRST = ("kept_dates", "kept_numbers", "kept_words")


def _columns_of(name: str) -> tuple[Messy, ...]:
    module = importlib.import_module(f"tests.ingest.messy.{name}")
    return getattr(module, name.upper())


FILES = sorted(path.stem for path in Path(__file__).parent.glob("kept_*.py"))
SETS = {
    "first": tuple(column for name in FIRST for column in _columns_of(name)),
    **{name: _columns_of(name) for name in FILES if name not in (*FIRST, "kept_columns")},
}
KEPT = tuple(column for columns in SETS.values() for column in columns)
