"""Command line of the experiments: compare, reproduce, calibrate. Registered by `cli`."""

import json as jsonlib
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from calm_core.errors import InputError

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
        self.bar = None

    def __call__(self, event) -> None:
        """Advance to the event's task."""
        if self.bar is None:
            self.bar = tqdm(total=event.total, unit="task", file=sys.stderr, delay=1.0)
        self.bar.update(event.done - self.bar.n)

    def close(self) -> None:
        """Leave the line free for what follows."""
        if self.bar is not None:
            self.bar.close()


def check_folder(path: Path) -> Path:
    """The path, if a file can be made there."""
    if not path.parent.is_dir():
        raise InputError(
            f"--out ({path}) must lie in a folder that exists; make {path.parent} first"
        )
    if path.is_dir():
        raise InputError(f"--out ({path}) must be a file, but it is a folder; add a file name")
    return path


def compare(
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
    from calm_core.cli import check_design, load, numbers
    from calm_core.experiments import ExperimentSpec, parse_methods, summarise
    from calm_core.experiments import compare as run_to_end

    check_folder(out)
    chosen = parse_methods(methods, theta=theta, design=design)
    check_design(design, [method.name for method in chosen])
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
    progress = ExperimentProgress()
    try:
        table = run_to_end(spec, out=out, jobs=jobs, scheduler=scheduler, notify=progress)
    finally:
        progress.close()
    for row in summarise(table).itertuples():
        sd = "" if row.sd != row.sd else f" +- {row.sd:.3g}"
        print(f"{row.method:>12}  d {row.d}  k {row.k}  n {row.n:,}  epsilon {row.epsilon:g}  "
              f"SSE {row.mean:.4g}{sd}")  # fmt: skip
    for (method, reason), rows in table.dropna(subset=["reason"]).groupby(["method", "reason"]):
        print(f"{method}: {reason} ({len(rows)} runs)", file=sys.stderr)
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
    from calm_core.experiments.paper import Settings
    from calm_core.experiments.reproduce import FIGURES
    from calm_core.experiments.reproduce import reproduce as run_to_end

    kind = FIGURES[check_choice("figure", figure, FIGURES)]
    if kind.needs_data and data is None:
        raise InputError(
            f"figure ({figure}) needs data; add --data with a file or a public set's name"
        )
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
    progress = ExperimentProgress()
    command = shlex.join(["python", "-m", "calm_core", *sys.argv[1:]])
    try:
        done = run_to_end(
            figure, settings.quick() if quick else settings, out,
            jobs=jobs, scheduler=scheduler, command=command, notify=progress,
        )  # fmt: skip
    finally:
        progress.close()
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
    from calm_core.calibration import calibrate_theta
    from calm_core.cli import load
    from calm_core.streams import stream

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
