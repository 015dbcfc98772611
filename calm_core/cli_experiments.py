"""Command line: compare methods on a data set. Registered by `cli`."""

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
    schema: Annotated[Path | None, typer.Option(help="Schema saved by the app.")] = None,
    jobs: Jobs = -1,
    scheduler: Scheduler = None,
    out: Out = Path("scores.csv"),
) -> None:
    """Compare methods on DATA: a tidy CSV, one row per method, epsilon, repetition and query.

    Interrupted, the same call goes on where it stopped. k, d and n may be lists.
    """
    from calm_core.cli import load, numbers
    from calm_core.experiments import ExperimentSpec, parse_methods, summarise
    from calm_core.experiments import compare as run_to_end

    check_folder(out)
    chosen = parse_methods(methods, theta=theta)
    ds = () if d is None else numbers(d, "d", int)
    spec = ExperimentSpec(
        load(data, columns, max(ds, default=None), max_values, schema),
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


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the program."""
    app.command()(compare)
