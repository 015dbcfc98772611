"""Command line of the experiments: compare, reproduce, calibrate. Registered by `cli`."""

import json as jsonlib
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from calm_core.errors import InputError
from calm_core.files import OUT, check_target, check_target_folder
from calm_core.processes import Interrupted

Methods = Annotated[str, typer.Option(help="Methods, by commas; options as calm:oracle=grr.")]
Epsilons = Annotated[str, typer.Option(help="Privacy budgets, separated by commas.")]
Whole = Annotated[str | None, typer.Option(help="Numbers separated by commas.")]
Repeats = Annotated[int, typer.Option(help="Repetitions of everything.")]
Out = Annotated[Path, typer.Option(help="CSV file to write.")]
Read = Annotated[
    list[str] | None, typer.Option(help="How to read the file, as in release: separator=tab ...")
]
Design = Annotated[str | None, typer.Option(help="Views CALM+ asks about, as in release.")]
Jobs = Annotated[int, typer.Option(help="Worker processes; -1 for every core.")]
Scheduler = Annotated[str | None, typer.Option(help="Dask scheduler to run on, tcp://host:8786.")]


class ExperimentProgress:
    """A bar on stderr with the time left."""

    def __init__(self):
        self.bar, self.done, self.total = None, 0, 0

    def __call__(self, event) -> None:
        """Advance to the event's task."""
        self.done, self.total = event.done, event.total
        if self.bar is None:
            self.bar = tqdm(total=event.total, unit="task", file=sys.stderr, delay=1.0)
        self.bar.update(event.done - self.bar.n)

    def close(self) -> None:
        """Leave the line free for what follows."""
        if self.bar is not None:
            self.bar.close()


@contextmanager
def shown_progress(out: Path) -> Iterator[ExperimentProgress]:
    """The bar of an experiment that writes `out`; where it is interrupted, what is kept is said."""
    from calm_core.experiments.storage import Parts

    progress = ExperimentProgress()
    try:
        yield progress
    except Interrupted as stop:
        if progress.done:
            stop.told = (
                f"{progress.done:,} of {progress.total:,} tasks are done and kept in "
                f"{Parts(out).folder}; the same command goes on from there"
            )
        raise
    finally:
        progress.close()


def _mean_in_words(row) -> str:
    """Mean SSE of a row of `summarise`; one of survivors is marked."""
    if row.failed == row.repetitions and not row.queries:
        return "no result: every repetition failed"
    sd = "" if row.sd != row.sd else f" +- {row.sd:.3g}"
    of = f" (of what was answered; {row.failed} of {row.repetitions} repetitions failed)"
    return f"SSE {row.mean:.4g}{sd}{of if row.failed else ''}"


def _tell_ignored(shared: Iterable[str], methods: Iterable[str]) -> None:
    """Say on stderr which methods do not have an option that was given for all."""
    from calm_core.methods import METHODS, foreign_settings

    for option in shared:
        without = [name for name in dict.fromkeys(methods) if foreign_settings(name, (option,))]
        if without:
            titles = ", ".join(METHODS[name].title for name in without)
            print(f"{option} is not an option of {titles} and was ignored there", file=sys.stderr)


def compare(
    context: typer.Context,
    data: Annotated[Path, typer.Argument(help="A table, or the name of a public data set.")],
    methods: Methods = "calm,fc,am,ft,uni",
    epsilon: Epsilons = "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2",
    k: Whole = "3",
    d: Whole = None,
    columns: Annotated[str | None, typer.Option(help="Columns to use.")] = None,
    max_values: Annotated[
        int | None, typer.Option(help="Merge every column to at most this.")
    ] = None,
    n: Whole = None,
    repeats: Repeats = 20,
    queries: Annotated[int, typer.Option(help="Random marginals per repetition.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.")] = 1,
    theta: Annotated[float, typer.Option(help="Error threshold of Algorithm 1.")] = 1e-3,
    design: Design = None,
    schema: Annotated[Path | None, typer.Option(help="Schema saved by the app.")] = None,
    read: Read = None,
    jobs: Jobs = -1,
    scheduler: Scheduler = None,
    out: Out = Path("scores.csv"),
) -> None:
    """Compare methods on DATA: a tidy CSV, one row per method, epsilon, repetition and query.

    Interrupted, the same call goes on where it stopped. k, d and n may be lists.
    """
    from calm_core.cli import check_design, given, load, numbers
    from calm_core.experiments import ExperimentSpec, failures, parse_methods, summarise
    from calm_core.experiments import compare as run_to_end

    check_target(out, OUT)
    chosen = parse_methods(methods, theta=theta, design=design)
    check_design(design, [method.name for method in chosen])
    _tell_ignored(given(context, ("theta", "design")), [method.name for method in chosen])
    ds = () if d is None else numbers(d, "d", int)
    spec = ExperimentSpec(
        load(data, columns, max(ds, default=None), max_values, schema, read or ()),
        chosen,
        numbers(epsilon, "epsilon", float),
        ks=numbers(k, "k", int),
        ds=ds,
        ns=() if n is None else numbers(n, "n", int),
        repetitions=repeats,
        queries=queries,
        seed=seed,
    )
    with shown_progress(out) as progress:
        table = run_to_end(spec, out=out, jobs=jobs, scheduler=scheduler, notify=progress)
    for row in summarise(table).itertuples():
        print(f"{row.method:>12}  d {row.d}  k {row.k}  n {row.n:,}  epsilon {row.epsilon:g}  "
              f"{_mean_in_words(row)}")  # fmt: skip
    for sentence in failures(table):
        print(sentence, file=sys.stderr)
    print(f"{len(table):,} rows in {out}")


def reproduce(
    figure: Annotated[
        str,
        typer.Argument(
            help="fig3, fig4, fig5, table2, heatmap, smaller-k, priview, classification, mchain, "
            "calm-plus; of the PriView paper priview-fig1 to priview-fig6 and priview-times."
        ),
    ],
    data: Annotated[Path | None, typer.Option(help="A table, or a public data set's name.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("reproduced"),
    methods: Annotated[str, typer.Option(help="Instead of the figure's own methods.")] = "",
    epsilon: Whole = None,
    k: Whole = None,
    d: Whole = None,
    n: Whole = None,
    columns: Annotated[str | None, typer.Option(help="Columns to use.")] = None,
    max_values: Annotated[
        int | None, typer.Option(help="Merge every column to at most this.")
    ] = None,
    schema: Annotated[Path | None, typer.Option(help="Schema saved by the app.")] = None,
    read: Read = None,
    label: Annotated[str, typer.Option(help="Column to predict; the last where it can be.")] = "",
    features: Annotated[str | None, typer.Option(help="Columns to predict it from.")] = None,
    repeats: Repeats = 20,
    queries: Annotated[int, typer.Option(help="Random marginals per repetition.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.")] = 1,
    theta: Annotated[float, typer.Option(help="Error threshold of Algorithm 1.")] = 1e-3,
    quick: Annotated[bool, typer.Option("--quick", help="Two repetitions, few queries.")] = False,
    jobs: Jobs = -1,
    scheduler: Scheduler = None,
) -> None:
    """Rerun a figure of the papers: a tidy CSV, a page with the figure, a text with the settings.

    Without --epsilon, --k, --d and --n the settings are the papers'. Columns of fig5 and
    classification are merged to 3 values as there, unless --max-values says otherwise. Interrupted,
    the same call goes on where it stopped.
    """
    from calm_core._checks import check_choice
    from calm_core.cli import load, names, numbers
    from calm_core.experiments import failures
    from calm_core.experiments.figures_calm import Settings
    from calm_core.experiments.reproduce import FIGURES
    from calm_core.experiments.reproduce import reproduce as run_to_end

    kind = FIGURES[check_choice("figure", figure, FIGURES)]
    if kind.needs_data and data is None:
        raise InputError(
            f"figure ({figure}) needs data; add --data with a file or a public set's name"
        )
    check_target_folder(out, OUT)
    if max_values is None and figure in ("fig5", "classification"):
        max_values = 3
    dataset = None
    if data is not None:
        dataset = load(data, columns, None, max_values, schema, read or ())

    def listed(text: str | None, name: str, number: type) -> tuple:
        return () if text is None else numbers(text, name, number)

    settings = Settings(
        dataset, data.name if data is not None else "", listed(epsilon, "epsilon", float),
        listed(d, "d", int), listed(k, "k", int), listed(n, "n", int), methods, repeats, queries,
        seed, theta, label, names(features) or (),
    )  # fmt: skip
    command = shlex.join(["python", "-m", "calm_core", *sys.argv[1:]])
    with shown_progress(out / f"{figure}.csv") as progress:
        done = run_to_end(
            figure, settings.quick() if quick else settings, out,
            jobs=jobs, scheduler=scheduler, command=command, notify=progress,
        )  # fmt: skip
    for sentence in failures(done.table) if "reason" in done.table else ():
        print(sentence, file=sys.stderr)
    for name, value in done.findings.items():
        print(f"{name}: {value}")
    print(f"{kind.title}: {len(done.table):,} rows in {done.csv}, figure in {done.html}")


def calibrate(
    data: Annotated[Path, typer.Argument(help="Public or synthetic data, or a public set's name.")],
    k: Annotated[int, typer.Option(help="Attributes per marginal of interest.")] = 3,
    l: Annotated[int, typer.Option(help="Attributes per view.")] = 2,  # noqa: E741
    m: Annotated[int | None, typer.Option(help="Number of views; all where omitted.")] = None,
    d: Annotated[int | None, typer.Option(help="Use the first d usable columns.")] = None,
    columns: Annotated[str | None, typer.Option(help="Columns to use.")] = None,
    max_values: Annotated[
        int | None, typer.Option(help="Merge every column to at most this.")
    ] = None,
    schema: Annotated[Path | None, typer.Option(help="Schema saved by the app.")] = None,
    read: Read = None,
    queries: Annotated[int, typer.Option(help="Random marginals to measure.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed of the choice of queries.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Propose theta: the error CALM makes on DATA without any noise. Use data that is not private."""
    from calm_core.cli import load
    from calm_core.evaluation.theta import calibrate_theta
    from calm_core.randomness import stream

    dataset = load(data, columns, d, max_values, schema, read or ())
    rng = stream(seed, "calibrate")
    found = calibrate_theta(dataset, k=k, l=l, m=m, queries=queries, rng=rng)
    if json:
        words = {"theta": found.theta, "sse_mean": found.mean, "l": found.l, "m": found.m, "k": k}
        print(jsonlib.dumps(words | {"queries": len(found.scores)}, indent=1))
        return
    print(
        f"theta = {found.theta:g}: mean SSE of {len(found.scores)} marginals of {k} attributes, "
        f"rebuilt from {found.m:,} exact views of {found.l}"
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the program."""
    for command in (compare, reproduce, calibrate):
        app.command()(command)
