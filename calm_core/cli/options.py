"""The options of the command line, every one declared once, and what their words mean.

Where a command takes one number and another several, both say the same sentence.
"""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from calm_core.errors import InputError
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction import RECONSTRUCTION
from calm_core.methods.calm_plus_design import DESIGNS
from calm_core.oracles import ORACLE_RULES

DATA = "A table (CSV, Parquet and others), or a public set's name."
EPSILON = "Privacy budget of every user, 0.01 to 10."
K = "Attributes per marginal of interest."
D = "Use the first d usable columns."
N = "Number of users: rows sampled, or duplicated where there are fewer."
VIEW_SIZE = "Attributes per view, by hand."
SEVERAL = " Several by commas."

# What is asked about the data.
Data = Annotated[Path, typer.Argument(help=DATA)]
DataOption = Annotated[Path | None, typer.Option(help=DATA)]
Columns = Annotated[str | None, typer.Option(help="Columns to use, separated by commas.")]
FirstColumns = Annotated[int | None, typer.Option(help=D)]
FirstColumnsList = Annotated[str | None, typer.Option(help=D + SEVERAL)]
MaxValues = Annotated[
    int | None, typer.Option(help="Merge every column to at most this many values.")
]
AsPopulation = Annotated[
    bool,
    typer.Option(
        "--population",
        help="Draw n people (up to 10^12) from the table, with replacement, by counts of groups.",
    ),
]
SchemaFile = Annotated[
    Path | None, typer.Option(help="Schema saved by the app, or by schema --out.")
]
SchemaOut = Annotated[Path | None, typer.Option(help="Write the schema to this file.")]
Read = Annotated[
    list[str] | None,
    typer.Option(
        help="How to read the file: separator=tab, sheet=Data, header=no, decimal=, date_order=dmy ..."
    ),
]
Stream = Annotated[bool, typer.Option("--stream", help="Read in chunks: files beyond memory.")]
Sizes = Annotated[str | None, typer.Option(help="Values per attribute: 2,2,3,5.")]
Names = Annotated[
    str | None, typer.Option(help="Names of these attributes; a1, a2, ... if omitted.")
]
Label = Annotated[str, typer.Option(help="Column to predict; the last where it can be.")]
Features = Annotated[str | None, typer.Option(help="Columns to predict it from.")]

# What is collected and asked.
Epsilon = Annotated[float, typer.Option(help=EPSILON)]
EpsilonList = Annotated[str | None, typer.Option(help=EPSILON + SEVERAL)]
QuerySize = Annotated[int, typer.Option(help=K)]
QuerySizeList = Annotated[str | None, typer.Option(help=K + SEVERAL)]
Users = Annotated[int, typer.Option(help=N)]
Rows = Annotated[int | None, typer.Option(help=N)]
RowsList = Annotated[str | None, typer.Option(help=N + SEVERAL)]
Queries = Annotated[int, typer.Option(help="Random k-way marginals to score.")]
Repeats = Annotated[int, typer.Option(help="Repetitions of everything.")]
Seed = Annotated[int, typer.Option(help="Seed of everything that is drawn.")]

# How: the method and its settings.
MethodName = Annotated[str, typer.Option(help="Name of a method.")]
MethodList = Annotated[str, typer.Option(help="Methods, by commas; options as calm:oracle=grr.")]
Theta = Annotated[float, typer.Option(help="Error threshold of Algorithm 1.")]
ViewSize = Annotated[int | None, typer.Option(help=VIEW_SIZE)]
KnownViewSize = Annotated[int, typer.Option(help=VIEW_SIZE)]
ViewCount = Annotated[int | None, typer.Option(help="Number of views, by hand.")]
Oracle = Annotated[str, typer.Option(help=f"One of {', '.join(ORACLE_RULES)}.")]
Nonnegativity = Annotated[str | None, typer.Option(help=f"One of {', '.join(NONNEGATIVITY)}.")]
Rounds = Annotated[int | None, typer.Option(help="Rounds of non-negativity and consistency.")]
Reconstruction = Annotated[str | None, typer.Option(help=f"One of {', '.join(RECONSTRUCTION)}.")]
Design = Annotated[
    str | None, typer.Option(help=f"Views CALM+ asks about, one of {', '.join(DESIGNS)}.")
]

FigureName = Annotated[str, typer.Argument(help="One of the figures below.")]

# Where it runs, and what becomes of the results.
Jobs = Annotated[int, typer.Option(help="Worker processes; -1 for every core.")]
Scheduler = Annotated[str | None, typer.Option(help="Dask scheduler to run on, tcp://host:8786.")]
Quick = Annotated[bool, typer.Option("--quick", help="Two repetitions, few queries.")]
Out = Annotated[Path, typer.Option(help="Where to write: compare a CSV file, reproduce a folder.")]
PlanOut = Annotated[Path | None, typer.Option(help="Write the public plan to this file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print a CSV table.")]

# A collection in report files and states.
PlanFile = Annotated[Path, typer.Option(help="The public plan, as written by plan --out.")]
PartFolder = Annotated[Path, typer.Option("--out", help="Folder for the report files.")]
ClientFolder = Annotated[Path, typer.Option("--out", help="Folder for the form's files.")]
PartFiles = Annotated[list[Path], typer.Argument(help="Report files, or folders of them.")]
Partitions = Annotated[
    int | None, typer.Option(help="Report files to make; one for every 262,144 people if omitted.")
]
SecretSeed = Annotated[
    int | None,
    typer.Option(help="Simulate: the same reports again. Who knows it can undo the noise."),
]
StateOut = Annotated[Path, typer.Option("--out", help="The state: a file .json or .npz.")]
StateFile = Annotated[
    Path,
    typer.Argument(
        help="A state, as written by aggregate or merge, or a saved survey of the classroom."
    ),
]
States = Annotated[list[Path], typer.Argument(help="States of one plan.")]
Attributes = Annotated[str, typer.Option("--attrs", help="Attributes of the table, by commas.")]
Level = Annotated[float, typer.Option(help="Share of true cells that intervals shall hold.")]


def given_options(context: typer.Context, names: Iterable[str]) -> dict[str, object]:
    """Those of the options that stand on the command line, defaults left out."""
    sources = {name: context.get_parameter_source(name) for name in names}
    return {
        name: context.params[name]
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    }


def refuse_options(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse those of the options that stand on the command line: they would be ignored."""
    for name, value in given_options(context, names).items():
        said = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        raise InputError(f"--{name.replace('_', '-')} ({said:.40}) {why}; leave it out")


def parse_numbers(text: str | None, name: str, kind: type) -> tuple:
    """The numbers of a comma-separated option; none if it is not given.

    Examples
    --------
    >>> parse_numbers("2,3", "sizes", int)
    (2, 3)
    """
    if text is None:
        return ()
    try:
        return tuple(kind(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise InputError(f"--{name} ({text}) must be numbers separated by commas") from None


def parse_grid(text: str | None, name: str, kind: type) -> tuple:
    """The same where each number is a setting of its own, which is measured once.

    Examples
    --------
    >>> parse_grid("0.5,1", "epsilon", float)
    (0.5, 1.0)
    """
    found = parse_numbers(text, name, kind)
    for number in found:
        if found.count(number) > 1:
            raise InputError(f"--{name} ({text}) says {number:g} more than once; say it once")
    return found


def parse_names(text: str | None) -> tuple[str, ...] | None:
    """The words of a comma-separated option, quoted where they hold a comma; None if not given.

    Examples
    --------
    >>> parse_names('sex,"age, years"')
    ('sex', 'age, years')
    """
    if text is None:
        return None
    rows = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    return tuple(part.strip() for row in rows for part in row if part.strip())


def check_design(design: str | None, methods: Iterable[str]) -> None:
    """Refuse a design where no method asked for would use it."""
    if design is not None and "calm_plus" not in methods:
        raise InputError(f"--design ({design:.40}) is for calm_plus alone; choose that method")
