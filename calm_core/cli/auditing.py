"""The command `audit`: whether a randomizer protects as much as it claims."""

from calm_core.cli import options
from calm_core.cli.output import Progress, print_json, print_notes
from calm_core.randomness import stream

BROKEN = 1


def audit(
    file: options.AuditFile,
    epsilon: options.ClaimedEpsilon = 1.0,
    confidence: options.Confidence = 0.999,
    batch: options.AuditBatch = None,
    seed: options.Seed = 1,
    json: options.AsJson = False,
) -> int:
    """Bound the epsilon of a randomizer from below, by what it did or by its table; exit status 1 if it is broken.

    With --batch the trials are looked at batch by batch, and the first that breaks the claim is the last.
    """
    from calm_core.attacks.audit import audit_frame, run_audit
    from calm_core.ingest import ReadOptions, read_table

    as_written = ReadOptions(shape="table", header=True, normalize=False)
    frame = read_table(file, options=as_written).frame
    with Progress("the trials are tested"):
        if batch is None:
            how, result = audit_frame(frame, epsilon, confidence=confidence)
        else:
            rng = stream(seed, "audit")
            how, result = run_audit(frame, epsilon, batch, confidence=confidence, rng=rng)
    print_notes([how])
    if json:
        print_json(result.to_dict())
    else:
        print(result.sentence)
    return BROKEN if result.broken else 0
