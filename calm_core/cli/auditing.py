"""Commands about what reports protect: `audit`, `shuffle`."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from calm_core.cli import options
from calm_core.cli.output import Progress, print_json, print_notes
from calm_core.errors import DataError
from calm_core.planning.plan_file import load_plan
from calm_core.randomness import stream

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

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
    from calm_core.attacks.audit_files import audit_frame, run_audit

    frame = _read_frame(file)
    with Progress("the trials are tested"):
        if batch is None:
            how, found = audit_frame(frame, epsilon, confidence=confidence)
        else:
            rng = stream(seed, "audit")
            how, found = run_audit(frame, epsilon, batch, confidence=confidence, rng=rng)
    print_notes([how])
    if json:
        print_json(found.to_dict())
    else:
        print(found.sentence)
    return BROKEN if found.broken else 0


def _read_frame(file: Path) -> "pd.DataFrame":
    """The cells of a file as they are written."""
    from calm_core.ingest import ReadOptions, read_table

    return read_table(file, options=ReadOptions(shape="table", header=True, normalize=False)).frame


def shuffle(
    context: typer.Context,
    n: options.ReportCount,
    epsilon: options.Epsilon = 1.0,
    delta: options.Delta = 1e-6,
    plan: options.OptionalPlanFile = None,
    table: options.ProbabilityFile = None,
    json: options.AsJson = False,
) -> None:
    """Say which epsilon reports guarantee to everybody who sees them shuffled.

    They are n reports of any randomizer, of that in --table, or of n people by --plan.
    """
    from calm_core.amplification import shuffle as shuffle_reports
    from calm_core.amplification import shuffle_plan, shuffle_table

    if table is not None:
        options.refuse_options(context, ("epsilon", "plan"), "is not used with --table")
        epsilon, chances = _read_probabilities(table)
        with Progress("every two inputs are compared"):
            found = shuffle_table(chances, n, delta)
        bound = found.bound
    elif plan is None:
        found = shuffle_reports(epsilon, n, delta)
        bound = found.bound
    else:
        options.refuse_options(context, ("epsilon",), "is that of the plan")
        asked = load_plan(plan)
        epsilon, found = asked.epsilon, shuffle_plan(asked, n, delta)
        bound = max(found.views, key=lambda view: view.epsilon).bound
    if json:
        kept = {"epsilon": epsilon, "n": n, "delta": delta, "bound": bound}
        print_json({"shuffled_epsilon": found.epsilon} | kept)
        return
    print(
        f"Shuffled, {n:,} reports with epsilon {epsilon:g} each guarantee epsilon {found.epsilon:.4g} to everybody who "
        f"sees them, except with a chance of {delta:g}."
    )


def _read_probabilities(file: Path) -> "tuple[float, np.ndarray]":
    """The epsilon of the randomizer in a file, and its probabilities (inputs, outputs)."""
    from calm_core.attacks.audit_files import audit_frame

    frame = _read_frame(file)
    how, found = audit_frame(frame)
    if found.confidence < 1:
        raise DataError(
            "--table needs the column input and a column of probabilities for each output"
        )
    print_notes([how])
    return found.lower_bound, frame.iloc[:, 1:].to_numpy(dtype=float)
