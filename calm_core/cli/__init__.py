"""Command line: plan a collection, release marginals of a file. Errors are one line, exit status 2."""

import csv
import io
import json as jsonlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from calm_core.cli import experiments as cli_experiments
from calm_core.errors import InputError, UserError
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction import RECONSTRUCTION
from calm_core.methods.calm_plus_design import DESIGNS
from calm_core.oracles import ORACLE_RULES
from calm_core.planning.algorithm1 import choose_views
from calm_core.processes import Interrupted, interruptible
from calm_core.scratch import sweep

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Release marginals under local differential privacy (CALM and its rivals).",
)

Epsilon = Annotated[float, typer.Option(help="Privacy budget of every user, 0.01 to 10.")]
K = Annotated[int, typer.Option(help="Attributes per marginal of interest.")]
Theta = Annotated[float, typer.Option(help="Error threshold of Algorithm 1.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Data = Annotated[
    Path, typer.Argument(help="A table (CSV, Parquet and others), or a public set's name.")
]
D = Annotated[int | None, typer.Option(help="Use the first d usable columns.")]
Columns = Annotated[str | None, typer.Option(help="Columns to use, separated by commas.")]
MaxValues = Annotated[int | None, typer.Option(help="Merge every column to at most this many.")]
SchemaFile = Annotated[Path | None, typer.Option("--schema", help="Schema saved by the app.")]
Read = Annotated[
    list[str] | None,
    typer.Option(
        help="How to read the file: separator=tab, sheet=Data, header=no, bad_bytes=replace ..."
    ),
]
Stream = Annotated[bool, typer.Option("--stream", help="Read in chunks: files beyond memory.")]
Rows = Annotated[int | None, typer.Option(help="Use n rows: sampled, or duplicated where larger.")]
Seed = Annotated[int, typer.Option(help="Seed of the simulation.")]
Queries = Annotated[int, typer.Option(help="Random k-way marginals to score.")]

ViewSize = Annotated[int | None, typer.Option(help="Attributes per view, by hand.")]
ViewCount = Annotated[int | None, typer.Option(help="Number of views, by hand.")]
Oracle = Annotated[str, typer.Option(help=f"One of {', '.join(ORACLE_RULES)}.")]
Nonnegativity = Annotated[str | None, typer.Option(help=f"One of {', '.join(NONNEGATIVITY)}.")]
Rounds = Annotated[int | None, typer.Option(help="Rounds of non-negativity and consistency.")]
Reconstruction = Annotated[str | None, typer.Option(help=f"One of {', '.join(RECONSTRUCTION)}.")]
Design = Annotated[
    str | None, typer.Option(help=f"Views CALM+ asks about, one of {', '.join(DESIGNS)}.")
]


def check_design(design: str | None, methods: Iterable[str]) -> None:
    """Refuse a design where no method asked for would use it."""
    if design is not None and "calm_plus" not in methods:
        raise InputError(f"--design ({design:.40}) is for calm_plus alone; choose that method")


# Options that not every method has.
METHOD_OPTIONS = (
    "theta", "l", "m", "oracle", "design", "nonnegativity", "rounds", "reconstruction",
)  # fmt: skip


def given(context: typer.Context, names: Iterable[str]) -> dict[str, object]:
    """Those of the options that stand on the command line, defaults left out."""
    return {
        name: context.params[name]
        for name in names
        if context.get_parameter_source(name).name == "COMMANDLINE"
    }


def numbers(text: str, name: str, kind: type) -> tuple:
    """The numbers of a comma-separated option."""
    try:
        return tuple(kind(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise InputError(f"--{name} ({text}) must be numbers separated by commas") from None


def names(text: str | None) -> tuple[str, ...] | None:
    """The words of a comma-separated option, quoted where they hold a comma; None if not given."""
    if text is None:
        return None
    rows = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    return tuple(part.strip() for row in rows for part in row if part.strip())


def load(data: Path, columns, d, max_values, schema: Path | None, read: Sequence[str] = ()):
    """The data set of the command line, with every remark about it on stderr."""
    from calm_core.ingest import ReadOptions, Schema, load_dataset
    from calm_core.ingest.public_data import find_data

    data = find_data(data)
    saved = None if schema is None else Schema.load(schema)
    encoded = load_dataset(
        data, columns=names(columns), d=d, max_values=max_values, schema=saved,
        options=ReadOptions.from_words(read),
    )  # fmt: skip
    remark(encoded.report)
    return encoded.dataset


def remark(report) -> None:
    """What was decided about the columns and what became of the rows, on stderr."""
    for line in (*report.notes, report.sentence):
        print(line, file=sys.stderr)


def schema_of_stream(data: Path, columns, d, max_values, schema: Path | None, options):
    """The saved schema, or one detected from the first rows of a file too large to hold."""
    from calm_core.ingest import Schema, choose_schema, stream_schema

    found = stream_schema(data, options=options) if schema is None else Schema.load(schema)
    chosen = choose_schema(found, names(columns), d, max_values)
    for line in (*chosen.notes, *chosen.left_out):
        print(line, file=sys.stderr)
    return chosen


class Progress:
    """A bar on stderr that appears only when the work takes longer than a second."""

    def __init__(self):
        self.bar = None

    def __call__(self, event) -> None:
        """Advance to the event's group."""
        if self.bar is None:
            self.bar = tqdm(total=event.groups, unit="group", delay=1.0, file=sys.stderr)
        self.bar.update(event.group - self.bar.n)

    def close(self) -> None:
        """Leave the line free for what follows."""
        if self.bar is not None:
            self.bar.close()


@app.command()
def plan(
    n: Annotated[int, typer.Option(help="Number of users.")],
    sizes: Annotated[str, typer.Option(help="Values per attribute: 2,2,3,5.")],
    epsilon: Epsilon,
    k: K,
    theta: Theta = 1e-3,
    json: AsJson = False,
) -> None:
    """Choose the view size l and the number of views m by Algorithm 1; needs no data."""
    choice = choose_views(n, numbers(sizes, "sizes", int), epsilon, k, theta)
    if json:
        trace = [vars(step) for step in choice.trace]
        found = {"l": choice.l, "m": choice.m, "branch": choice.branch, "reason": choice.reason}
        print(jsonlib.dumps(found | {"trace": trace}, indent=1))
        return
    for step in choice.trace:
        print(f"{step.phase:>9}  l = {step.l}: {step.text}")
    print(f"l = {choice.l}, m = {choice.m}: {choice.reason}")


@app.command()
def release(
    context: typer.Context,
    data: Data,
    epsilon: Epsilon = 1.0,
    k: K = 3,
    d: D = None,
    columns: Columns = None,
    max_values: MaxValues = None,
    theta: Theta = 1e-3,
    method: Annotated[str, typer.Option(help="Name of a method.")] = "calm",
    n: Rows = None,
    seed: Seed = 1,
    queries: Queries = 50,
    schema: SchemaFile = None,
    l: ViewSize = None,  # noqa: E741 - the paper's name
    m: ViewCount = None,
    oracle: Oracle = "adaptive",
    nonnegativity: Nonnegativity = None,
    rounds: Rounds = None,
    reconstruction: Reconstruction = None,
    design: Design = None,
    stream: Stream = False,
    read: Read = None,
    json: AsJson = False,
) -> None:
    """Simulate a collection from DATA and score random k-way marginals against the truth."""
    from calm_core.evaluation.run import run
    from calm_core.methods import METHODS, foreign_settings, make_method

    check_design(design, (method,))
    chosen = given(context, METHOD_OPTIONS)
    for option in foreign_settings(method, chosen):
        raise InputError(
            f"--{option} ({str(chosen[option]):.40}) is not an option of {METHODS[method].title}; "
            "leave it out"
        )
    configured = make_method(
        method, epsilon=epsilon, k=k, theta=theta, l=l, m=m, oracle=oracle, design=design,
        nonnegativity=nonnegativity, rounds=rounds, reconstruction=reconstruction,
    )  # fmt: skip
    if stream and n is not None:
        raise InputError(f"n ({n}) cannot be chosen with --stream; every row of the file is used")
    progress = Progress()
    try:
        if stream:
            from calm_core.evaluation.run_in_chunks import run_streamed
            from calm_core.ingest import ReadOptions

            options = ReadOptions.from_words(read or ())
            chosen = schema_of_stream(data, columns, d, max_values, schema, options)
            outcome = run_streamed(
                data, configured, schema=chosen, options=options, seed=seed, queries=queries,
                notify=progress,
            )  # fmt: skip
            remark(outcome.report)
        else:
            dataset = load(data, columns, d, max_values, schema, read or ())
            outcome = run(dataset, configured, seed=seed, n=n, queries=queries, notify=progress)
    finally:
        progress.close()
    scores = outcome.scores
    plan = outcome.plan
    found = {
        "method": method,
        "n": outcome.n,
        "d": outcome.domain.d,
        "k": k,
        "epsilon": epsilon,
        "l": plan and plan.l,
        "m": plan and plan.m,
        "sse_mean": float(scores.sse.mean()),
        "uniform_sse_mean": float(scores.uniform_sse.mean()),
        "queries": [
            {"attributes": list(row.attributes), "sse": row.sse, "covered": row.covered}
            for row in scores.itertuples()
        ],
    }
    if json:
        print(jsonlib.dumps(found, indent=1))
        return
    for row in scores.itertuples():
        where = "covered" if row.covered else "rebuilt"
        print(f"{row.sse:.6f}  {where}  {' x '.join(row.attributes)}")
    print(
        f"{method}: mean SSE {found['sse_mean']:.6f} over {len(scores)} marginals "
        f"(uniform guess {found['uniform_sse_mean']:.6f}), l = {found['l']}, m = {found['m']}"
    )


cli_experiments.register(app)


def say(error: typer.TyperException) -> str:
    """A wrong call of the command line in one line: what is wrong, and where to look."""
    return " ".join(error.format_message().split()).rstrip(".") + "; see --help"


def main() -> None:
    """Entry point: what the user can mend is one line on stderr and exit status 2."""
    sweep()
    try:
        with interruptible():
            status = app(standalone_mode=False, prog_name="python -m calm_core")
    except Interrupted as stop:
        print(f"interrupted; {stop.told}", file=sys.stderr)
        status = stop.status
    except typer.Abort:
        status = 130
    except typer.TyperException as error:
        print(say(error), file=sys.stderr)
        status = 2
    except UserError as error:
        print(error, file=sys.stderr)
        status = 2
    except FileNotFoundError as error:
        print(f"{error.filename}: no such file; check the path", file=sys.stderr)
        status = 2
    sys.exit(status or 0)
