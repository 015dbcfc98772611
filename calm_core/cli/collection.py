"""Commands of a real collection: report files, mergeable states, answers."""

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from calm_core.cli import options
from calm_core.cli.loading import Source
from calm_core.cli.output import Progress, print_json, print_notes, say_kept
from calm_core.errors import InputError
from calm_core.io.atomic_files import OUT, write_lock
from calm_core.io.csv_export import safe_csv
from calm_core.methods import METHODS
from calm_core.methods.calm_plus import CalmPlusAnswer
from calm_core.planning.plan_file import load_plan, plan_digest
from calm_core.text import format_count

if TYPE_CHECKING:
    from calm_core.collection.states import State


def collect(
    data: options.Data,
    plan: options.PlanFile,
    out: options.PartFolder,
    partitions: options.Partitions = None,
    seed: options.SecretSeed = None,
    max_values: options.MaxValues = None,
    schema: options.SchemaFile = None,
    read: options.Read = None,
    jobs: options.Jobs = 1,
    scheduler: options.Scheduler = None,
    json: options.AsJson = False,
) -> None:
    """Collect one report from everybody in DATA by a plan, into one report file per partition."""
    from itertools import repeat

    from calm_core.collection.parts import PART_PEOPLE, collect_parts, part_sizes, regroup

    planned = load_plan(plan)
    source = Source(data, max_values=max_values, schema=schema, read=read)
    chunks = source.parts(planned.domain)
    sizes, total = repeat(PART_PEOPLE), 0
    if partitions is not None:
        people = sum(chunk.n for chunk in chunks)
        sizes, total = part_sizes(people, partitions), partitions
        chunks = source.parts(planned.domain, quiet=True)
    with Progress("report files are written", lambda event: (event.done, event.parts)) as progress:
        count = collect_parts(
            regroup(chunks, sizes), planned, out,
            seed=secrets.randbits(62) if seed is None else seed,
            jobs=jobs, scheduler=scheduler, total=total, notify=progress,
        )  # fmt: skip
    print_notes([f"{count:,} report file{'s' * (count > 1)} written to {out}."])
    if json:
        print_json({"out": str(out), "files": count})


def client(plan: options.PlanFile, out: options.ClientFolder, json: options.AsJson = False) -> None:
    """Write what a web form needs to collect reports by a plan: script, plan and test vectors."""
    from calm_core.io.atomic_files import check_same_content, prepare_folder, write_atomically
    from calm_core.planning.plan_file import make_client_files

    files = make_client_files(load_plan(plan))
    folder = prepare_folder(out, OUT)
    for name, content in files.items():
        path = folder / name
        check_same_content(path, content, f"{str(path):.200}", "choose another folder")
    for name, content in files.items():
        write_atomically(folder / name, content, what=f"{name} of the form")
    print_notes([f"{', '.join(files)} written to {folder}."])
    if json:
        print_json({"out": str(folder), "files": list(files)})


def aggregate(
    parts: options.PartFiles,
    plan: options.PlanFile,
    out: options.StateOut,
    jobs: options.Jobs = 1,
    scheduler: options.Scheduler = None,
    json: options.AsJson = False,
) -> None:
    """Count report files into a state; an existing state is extended."""
    from calm_core.collection.parts import count_parts, resolve_report_files
    from calm_core.collection.states import State, check_state_path, load_state, save_state

    saved = 0

    def keep(state: State) -> None:
        nonlocal saved
        # An empty state of a wrong plan would block the right one.
        if state.batches:
            save_state(out, state, what=OUT)
            saved = len(state.batches) - before

    def describe() -> str:
        return f"{saved:,} of {len(paths):,} files are counted in {out}" if saved else ""

    planned, paths = load_plan(plan), resolve_report_files(parts)
    check_state_path(out, OUT)
    with write_lock(out, OUT):
        state = load_state(out) if out.exists() else State(planned)
        if plan_digest(state.plan) != plan_digest(planned):
            raise InputError(
                f"{OUT} ({out}) is the state of another plan; give that plan or another state"
            )
        before = len(state.batches)
        progress = Progress("report files are counted", lambda event: (event.done, event.parts))
        with progress, say_kept(describe):
            state, refused = count_parts(
                paths, state, keep=keep, jobs=jobs, scheduler=scheduler, notify=progress
            )
    now = len(state.batches) - before
    repeated = len(paths) - now - len(refused)
    account = f"{now:,} of {len(paths):,} files counted now"
    if repeated:
        account += f", {repeated:,} hold{'s' * (repeated == 1)} what is counted already"
    print_notes([f"{account}; {_account(state)}", *refused])
    if json:
        files = {"files": len(paths), "counted": now, "known": repeated, "refused": list(refused)}
        print_json(files | _counts(state))
    if refused:
        raise InputError(
            f"{len(refused):,} of {len(paths):,} files were refused and are not counted, see above"
        )


def _account(state: "State") -> str:
    """How many reports a state has, and how many were refused."""
    count = len(state.batches)
    reports, batches = format_count(state.n, "report"), format_count(count, "batch", "batches")
    text = f"the state holds {reports} of {batches}"
    refused = _describe_refused(state)
    return f"{text}, {refused}." if refused else f"{text}."


def read_state(path: Path) -> "State":
    """The state in a file, also of a saved class; a line on stderr says what was refused, such as lies."""
    from calm_core.classroom import open_collection

    state = open_collection.read_state(path)
    if refused := _describe_refused(state):
        print_notes([f"The state holds {format_count(state.n, 'report')}, {refused}."])
    return state


def _describe_refused(state: "State") -> str:
    """How many reports were refused, and why; empty if none was."""
    if not state.refused:
        return ""
    reasons = "; ".join(f"{count:,} for {reason}" for reason, count in state.refused.items())
    return f"{format_count(sum(state.refused.values()), 'report')} refused ({reasons})"


def _counts(state: "State") -> dict:
    """What a state has, for JSON."""
    return {
        "reports": state.n,
        "batches": len(state.batches),
        "refused_reports": dict(state.refused),
    }


def merge(states: options.States, out: options.StateOut, json: options.AsJson = False) -> None:
    """Merge states of the same plan; a batch that is in several counts once."""
    from calm_core.collection.states import check_state_path, load_state, save_state
    from calm_core.collection.states import merge_states as merged

    check_state_path(out, OUT)
    with write_lock(out, OUT):
        merged_state = merged([load_state(path) for path in states])
        if out.exists() and not load_state(out).batches.items() <= merged_state.batches.items():
            raise InputError(
                f"{OUT} ({out}) is a state that contains batches which none of these does; merge it too, or "
                "choose another name"
            )
        save_state(out, merged_state, what=OUT)
    print_notes([_account(merged_state).capitalize()])
    if json:
        print_json(_counts(merged_state))


def answer(
    context: typer.Context,
    state: options.StateFile,
    attrs: options.Attributes,
    method: options.MethodName = "calm",
    level: options.Level = 0.95,
    json: options.AsJson = False,
    csv: options.AsCsv = False,
) -> None:
    """Print a table from a state, with an interval for every cell if the method has intervals."""
    from calm_core._checks import check_level
    from calm_core.evaluation.prediction import answer_state

    if json and csv:
        raise InputError("--json and --csv exclude each other; choose one")
    level = check_level(level)
    collected = read_state(state)
    plan = collected.plan
    names = options.parse_names(attrs) or ()
    if not names:
        raise InputError("--attrs must name at least one attribute")
    plan.domain.cells_of(names)
    answered = answer_state(collected, method)
    if not isinstance(answered, CalmPlusAnswer):
        options.refuse_options(
            context, ("level",), f"is for intervals, which {METHODS[method].title} does not have"
        )
    table = _cells(answered, names, level)
    if csv:
        sys.stdout.write(safe_csv(table).decode())
    elif json:
        attributes = list(plan.domain.canonical(names))
        about = {
            "method": method,
            "n": collected.n,
            "epsilon": plan.epsilon,
            "attributes": attributes,
        }
        print_json(about | {"cells": table.to_dict("records")})
    else:
        print(table.to_string(index=False, float_format="{:.4f}".format))


def _cells(answer, attrs: tuple[str, ...], level: float):
    """One row per cell: its labels, its fraction, and its interval."""
    import pandas as pd

    marginal = answer.marginal(attrs)
    index = pd.MultiIndex.from_product([marginal.domain.labels_of(name) for name in marginal.attrs])
    table = pd.DataFrame(list(index), columns=list(marginal.attrs))
    table["fraction"] = marginal.values.ravel()
    if isinstance(answer, CalmPlusAnswer):
        table["low"], table["high"] = (ends.ravel() for ends in answer.interval(attrs, level))
    return table
