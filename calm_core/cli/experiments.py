"""Commands that run experiments: `compare`, `reproduce`, `calibrate`.

What runs experiments is slow to import, so the commands import it when they are called.
"""

import shlex
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import typer

from calm_core._checks import check_choice
from calm_core.cli import options
from calm_core.cli.loading import Source
from calm_core.cli.options import parse_grid
from calm_core.cli.output import Progress, print_json, print_notes, say_kept
from calm_core.errors import InputError
from calm_core.io.atomic_files import OUT, check_writable, output_folder
from calm_core.methods import METHODS, unknown_settings
from calm_core.randomness import stream

DATA_OPTIONS = ("columns", "max_values", "schema", "read")


@contextmanager
def shown_progress(out: Path) -> Generator[Progress]:
    """The progress bar of an experiment that writes `out`; an interruption says what is kept."""
    from calm_core.experiments.spec import Parts

    progress = Progress("methods are compared", lambda event: (event.done, event.total))

    def describe() -> str:
        count = f"{progress.done:,} of {progress.total:,} tasks are done"
        return f"{count} and kept in {Parts(out).folder}" if progress.done else ""

    with progress, say_kept(describe):
        yield progress


def _describe_mean(row) -> str:
    """The mean SSE of a row of the summary, with a mark if repetitions failed."""
    if row.failed == row.repetitions and not row.queries:
        return "no result: every repetition failed"
    sd = "" if row.sd != row.sd else f" +- {row.sd:.3g}"
    of = f" (of what was answered; {row.failed} of {row.repetitions} repetitions failed)"
    return f"SSE {row.mean:.4g}{sd}{of if row.failed else ''}"


def _note_ignored(shared: Iterable[str], methods: Iterable[str]) -> None:
    """Print which methods do not have an option that was given for all."""
    for option in shared:
        without = [name for name in dict.fromkeys(methods) if unknown_settings(name, (option,))]
        if without:
            titles = ", ".join(METHODS[name].title for name in without)
            print(f"{option} is not an option of {titles} and was ignored there", file=sys.stderr)


def compare(
    context: typer.Context,
    data: options.Data,
    methods: options.MethodList = "calm,fc,am,ft,uni",
    epsilon: options.EpsilonList = "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2",
    k: options.QuerySizeList = "3",
    d: options.FirstColumnsList = None,
    columns: options.Columns = None,
    max_values: options.MaxValues = None,
    n: options.RowsList = None,
    population: options.AsPopulation = False,
    repeats: options.Repeats = 20,
    queries: options.Queries = 50,
    seed: options.Seed = 1,
    theta: options.Theta = 1e-3,
    schema: options.SchemaFile = None,
    read: options.Read = None,
    jobs: options.Jobs = -1,
    scheduler: options.Scheduler = None,
    out: options.Out = Path("scores.csv"),
    json: options.AsJson = False,
) -> None:
    """Compare methods on DATA: a tidy CSV, one row per method, epsilon, repetition and query.

    After an interruption, the same command continues where it stopped.
    """
    from calm_core.evaluation.metrics import describe_failures, summarize
    from calm_core.experiments.spec import ExperimentSpec, parse_methods
    from calm_core.experiments.spec import compare as run_to_end

    check_writable(out, OUT)
    specs = parse_methods(methods, theta=theta)
    _note_ignored(options.given_options(context, ("theta",)), [method.name for method in specs])
    ds = parse_grid(d, "d", int)
    source = Source(data, columns, max(ds, default=None), max_values, schema, read)
    spec = ExperimentSpec(
        source.people(population, None), specs, parse_grid(epsilon, "epsilon", float),
        ks=parse_grid(k, "k", int), ds=ds, ns=parse_grid(n, "n", int), repetitions=repeats, queries=queries, seed=seed,
    )  # fmt: skip
    with shown_progress(out) as progress:
        table = run_to_end(spec, out=out, jobs=jobs, scheduler=scheduler, notify=progress)
    means = summarize(table)
    print_notes(describe_failures(table))
    if json:
        print_json({"out": str(out), "rows": len(table), "means": means.to_dict("records")})
        return
    for row in means.itertuples():
        print(f"{row.method:>12}  d {row.d}  k {row.k}  n {row.n:,}  epsilon {row.epsilon:g}  "
              f"{_describe_mean(row)}")  # fmt: skip
    print(f"{len(table):,} rows in {out}")


def reproduce(
    context: typer.Context,
    figure: options.FigureName,
    data: options.DataOption = None,
    out: options.Out = Path("reproduced"),
    methods: options.MethodList = "",
    epsilon: options.EpsilonList = None,
    k: options.QuerySizeList = None,
    d: options.FirstColumnsList = None,
    n: options.RowsList = None,
    columns: options.Columns = None,
    max_values: options.MaxValues = None,
    schema: options.SchemaFile = None,
    read: options.Read = None,
    label: options.Label = "",
    features: options.Features = None,
    repeats: options.Repeats = 20,
    queries: options.Queries = 50,
    seed: options.Seed = 1,
    theta: options.Theta = 1e-3,
    quick: options.Quick = False,
    jobs: options.Jobs = -1,
    scheduler: options.Scheduler = None,
    json: options.AsJson = False,
) -> None:
    """Reproduce a figure of the papers: a tidy CSV, a page with the figure, a text with the settings.

    Without --methods, --epsilon, --k, --d, --n and --max-values, the settings are the papers'.
    After an interruption, the same command continues where it stopped.
    """
    from calm_core.evaluation.metrics import describe_failures
    from calm_core.experiments.figure import Settings
    from calm_core.experiments.reproduce import FIGURES
    from calm_core.experiments.reproduce import reproduce as run_to_end
    from calm_core.experiments.spec import parse_methods

    kind = FIGURES[check_choice("figure", figure, FIGURES)]
    if kind.needs_data and data is None:
        raise InputError(
            f"figure ({figure}) needs data; add --data with a file or a public set's name"
        )
    if data is None:
        options.refuse_options(context, DATA_OPTIONS, "needs --data")
    if methods:
        compared = [method.name for method in parse_methods(methods)]
        _note_ignored(options.given_options(context, ("theta",)), compared)
    with output_folder(out, OUT):
        limit = kind.most_values if max_values is None else max_values
        dataset = None
        if data is not None:
            dataset = Source(data, columns, None, limit, schema, read).load()
        settings = Settings(
            dataset, data.name if data is not None else "", parse_grid(epsilon, "epsilon", float),
            parse_grid(d, "d", int), parse_grid(k, "k", int), parse_grid(n, "n", int), methods, repeats,
            queries, seed, theta, label, options.parse_names(features) or (),
        )  # fmt: skip
        if quick:
            given = options.given_options(context, ("repeats", "queries"))
            named = {
                "repetitions" if name == "repeats" else name: value for name, value in given.items()
            }
            settings = replace(kind.quick(settings), **named)
        command = shlex.join(["python", "-m", "calm_core", *sys.argv[1:]])
        with shown_progress(out / f"{figure}.csv") as progress:
            output = run_to_end(
                figure, settings, out,
                jobs=jobs, scheduler=scheduler, command=command, notify=progress,
            )  # fmt: skip
    print_notes(describe_failures(output.table) if "reason" in output.table else ())
    if json:
        files = {"csv": str(output.csv), "html": str(output.html), "text": str(output.text)}
        print_json({"figure": figure, "rows": len(output.table)} | files)
        return
    print(f"{kind.title}: {len(output.table):,} rows in {output.csv}, figure in {output.html}")


def calibrate(
    data: options.Data,
    k: options.QuerySize = 3,
    l: options.KnownViewSize = 2,  # noqa: E741 - the paper's name
    m: options.ViewCount = None,
    d: options.FirstColumns = None,
    columns: options.Columns = None,
    max_values: options.MaxValues = None,
    schema: options.SchemaFile = None,
    read: options.Read = None,
    queries: options.Queries = 50,
    seed: options.Seed = 1,
    json: options.AsJson = False,
) -> None:
    """Propose theta: the error of CALM on DATA without noise. The data must not be private.

    Without --m, CALM uses every view of l attributes.
    """
    # It loads pandas, which most commands do without.
    from calm_core.evaluation.error_sources import calibrate_theta

    dataset = Source(data, columns, d, max_values, schema, read).load()
    rng = stream(seed, "calibrate")
    with Progress("tables are rebuilt"):
        found = calibrate_theta(dataset, k=k, l=l, m=m, queries=queries, rng=rng)
    if json:
        words = {"theta": found.theta, "sse_mean": found.mean, "l": found.l, "m": found.m, "k": k}
        print_json(words | {"queries": len(found.scores)})
        return
    print(
        f"theta = {found.theta:g}: mean SSE of {len(found.scores)} marginals of {k} attributes, "
        f"rebuilt from {found.m:,} exact views of {found.l}"
    )
