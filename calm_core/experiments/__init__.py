"""Compare methods over settings and repetitions, as one tidy table.

`ExperimentSpec` describes an experiment, `events` runs it task by task, `compare` runs it to the end, and
`summarize` reduces the table to means, deviations and percentiles.
"""

from calm_core.evaluation.summary import describe_failures, summarize
from calm_core.experiments.runner import ChunkDone, compare, events
from calm_core.experiments.spec import ExperimentSpec, MethodSpec, parse_methods

__all__ = [
    "ChunkDone",
    "ExperimentSpec",
    "MethodSpec",
    "compare",
    "events",
    "describe_failures",
    "parse_methods",
    "summarize",
]
