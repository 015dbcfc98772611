"""Import of tables: file to Table to Schema to Dataset. Here stands what scripts need; all else is imported by module."""

from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import load_dataset
from calm_core.ingest.reading import read_table
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import ReadOptions

__all__ = ["ReadOptions", "Schema", "detect_schema", "load_dataset", "read_table"]
