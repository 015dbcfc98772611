"""The command `audit`: does a randomizer protect as much as is claimed?"""

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING

from calm_core.cli import options
from calm_core.cli.output import print_notes
from calm_core.errors import DataError
from calm_core.text import format_count

if TYPE_CHECKING:
    import pandas as pd

BROKEN = 1


def audit(
    file: options.AuditFile,
    epsilon: options.ClaimedEpsilon = 1.0,
    confidence: options.Confidence = 0.999,
    json: options.AsJson = False,
) -> int:
    """Bound the epsilon of a randomizer from below, by what it did or by its table; exit status 1 if it is broken."""
    from calm_core.attacks import audit as audit_pairs
    from calm_core.attacks import audit_table

    frame = read_frame(file)
    if set(frame.columns) == {"input", "output"}:
        print_notes([f"Read as {format_count(len(frame), 'pair')} of an input and an output."])
        found = audit_pairs(frame, epsilon, confidence=confidence)
    else:
        shape = (
            f"{format_count(len(frame), 'input')} and {format_count(frame.shape[1] - 1, 'output')}"
        )
        print_notes(
            [f"Read as a table of probabilities of {shape}; it is not a sample, so it is exact."]
        )
        found = audit_table(frame.set_index("input"), epsilon)
    print(jsonlib.dumps(found.to_dict(), indent=1) if json else found.sentence)
    return BROKEN if found.broken else 0


def read_frame(file: Path) -> "pd.DataFrame":
    """The columns of a file as texts: input and output, or input and all outputs."""
    from calm_core.ingest import ReadOptions, read_table

    table = read_table(file, options=ReadOptions(shape="table", header=True, normalize=False))
    if "input" not in table.names[: 2 if "output" in table.names else 1] or len(table.names) < 2:
        raise DataError(
            f"file {file.name!r:.80} begins with the column {table.names[0]!r:.40}; it must have the columns input and "
            "output, or input and a column of probabilities for each output"
        )
    return table.frame
