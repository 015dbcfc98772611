"""Import of tables: file to Table to Schema to Dataset."""

from calm_core.ingest.detect import detect_as, detect_schema
from calm_core.ingest.editing import (
    accept_proposal,
    answer_question,
    decline_proposal,
    keep_as_values,
)
from calm_core.ingest.encode import (
    EncodedData,
    Report,
    apply_schema,
    choose_schema,
    encode_table,
    load_dataset,
)
from calm_core.ingest.findings import Finding, describe_columns
from calm_core.ingest.limits import LIMITS, UPLOADS, Limits
from calm_core.ingest.reading import read_table
from calm_core.ingest.schema import ColumnSchema, Schema, read_values
from calm_core.ingest.streaming import stream_batches, stream_schema
from calm_core.ingest.suggestions import Choice, Proposal, Question
from calm_core.ingest.table import ReadOptions, Table

__all__ = [
    "LIMITS",
    "UPLOADS",
    "Choice",
    "ColumnSchema",
    "EncodedData",
    "Finding",
    "Limits",
    "Proposal",
    "Question",
    "ReadOptions",
    "Report",
    "Schema",
    "Table",
    "accept_proposal",
    "answer_question",
    "apply_schema",
    "choose_schema",
    "decline_proposal",
    "detect_as",
    "detect_schema",
    "encode_table",
    "describe_columns",
    "keep_as_values",
    "load_dataset",
    "read_table",
    "stream_batches",
    "stream_schema",
    "read_values",
]
