"""The command `audit`: does a randomizer protect as much as is claimed?"""

import json as jsonlib

from calm_core.cli import options
from calm_core.cli.output import print_notes

BROKEN = 1


def audit(
    file: options.AuditFile,
    epsilon: options.ClaimedEpsilon = 1.0,
    confidence: options.Confidence = 0.999,
    json: options.AsJson = False,
) -> int:
    """Bound the epsilon of a randomizer from below, by what it did or by its table; exit status 1 if it is broken."""
    from calm_core.attacks.audit_files import audit_frame
    from calm_core.ingest import ReadOptions, read_table

    table = read_table(file, options=ReadOptions(shape="table", header=True, normalize=False))
    how, found = audit_frame(table.frame, epsilon, confidence=confidence)
    print_notes([how])
    print(jsonlib.dumps(found.to_dict(), indent=1) if json else found.sentence)
    return BROKEN if found.broken else 0
