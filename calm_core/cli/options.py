"""The options of the command line, each declared once, and the parsing of their values.

An option that takes one number in one command and several in another has the same help text in both.
"""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from calm_core.errors import InputError
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction.answers import RECONSTRUCTION
from calm_core.methods.calm_plus import DESIGNS
from calm_core.methods.central.base import NEIGHBORS
from calm_core.oracles import ORACLE_RULES

DATA = "File with a table (CSV, Excel, SPSS, Stata, JSON, Parquet and others), or name of a public data set."
DATA_OR_STATE = "Data as for release, or a state of reports, or a saved class."
EPSILON = "Privacy budget of every person; smaller is more private."
K = "Number of attributes of the marginals of interest."
D = "Use d columns: those that look most like survey answers."
N = "Number of people: rows are sampled, or duplicated if there are fewer."
VIEW_SIZE = "Number of attributes per view, instead of Algorithm 1's choice."
SEVERAL = " Several separated by commas."

# The data.
Data = Annotated[Path, typer.Argument(help=DATA)]
DataOrState = Annotated[Path, typer.Argument(help=DATA_OR_STATE)]
OptionalDataOrState = Annotated[Path | None, typer.Argument(help=DATA_OR_STATE)]
AskedQuestions = Annotated[
    list[str],
    typer.Argument(
        metavar="QUESTION",
        help='Such as "share smoked=yes given drank=yes" or "mean age"; several with --together.',
    ),
]
Together = Annotated[
    bool, typer.Option("--together", help="Widen the intervals so that all of them hold at once.")
]
DataOption = Annotated[Path | None, typer.Option(help=DATA)]
Columns = Annotated[str | None, typer.Option(help="Columns to use, separated by commas.")]
FirstColumns = Annotated[int | None, typer.Option(help=D)]
FirstColumnsList = Annotated[str | None, typer.Option(help=D + SEVERAL)]
MaxValues = Annotated[
    int | None, typer.Option(help="Merge the values of every column to at most this many.")
]
AsPopulation = Annotated[
    bool,
    typer.Option(
        "--population",
        help="Take the table as a population and draw n people from it (up to 10^12).",
    ),
]
SchemaFile = Annotated[
    Path | None, typer.Option(help="Schema file, as saved by the app or by schema --out.")
]
SchemaOut = Annotated[Path | None, typer.Option(help="Write the schema to this file.")]
Read = Annotated[
    list[str] | None,
    typer.Option(
        help="How to read the file: separator=tab, sheet=Data, header=no, decimal=, date_order=dmy ..."
    ),
]
Stream = Annotated[
    bool, typer.Option("--stream", help="Read the file in chunks, for files larger than memory.")
]
Clean = Annotated[
    bool,
    typer.Option(
        "--clean", help="Take every suggestion that is sure; leave out what is no answer."
    ),
]
Sizes = Annotated[str | None, typer.Option(help="Number of values per attribute, as in 2,2,3,5.")]
Names = Annotated[
    str | None, typer.Option(help="Names of these attributes; a1, a2, ... by default.")
]
Label = Annotated[str, typer.Option(help="Column to predict; by default the last.")]
Features = Annotated[str | None, typer.Option(help="Columns to predict it from.")]

# The collection and the queries.
Epsilon = Annotated[float, typer.Option(help=EPSILON)]
EpsilonList = Annotated[str | None, typer.Option(help=EPSILON + SEVERAL)]
QuerySize = Annotated[int, typer.Option(help=K)]
QuerySizeList = Annotated[str | None, typer.Option(help=K + SEVERAL)]
Users = Annotated[int, typer.Option(help=N)]
Rows = Annotated[int | None, typer.Option(help=N)]
RowsList = Annotated[str | None, typer.Option(help=N + SEVERAL)]
Queries = Annotated[int, typer.Option(help="Number of random k-way marginals to score.")]
Repeats = Annotated[int, typer.Option(help="Number of repetitions.")]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers.")]

# A survey that is designed for a question.
AttributeCount = Annotated[
    int | None, typer.Option("--d", help="Number of attributes; with --like, of columns to use.")
]
LikeFile = Annotated[
    Path | None, typer.Option(help="Table of similar people, such as last year's survey.")
]
LikeQuestion = Annotated[
    str | None,
    typer.Option(
        help='With --like: "share smoked=yes" or "difference ill=yes between sex=m and sex=f".'
    ),
]
ValueCount = Annotated[int, typer.Option(help="Values of each attribute.")]
UsersAsked = Annotated[int | None, typer.Option(help="Number of people; left out, it is found.")]
EpsilonAsked = Annotated[
    float | None, typer.Option(help="Privacy budget of every person; left out, it is found.")
]
QuerySizeAsked = Annotated[
    int | None,
    typer.Option(help="Attributes of the tables wanted; those of the question if left out."),
]
ExpectedShare = Annotated[
    float | None,
    typer.Option(
        help="Expected share, or that of the second group, of 100; equal shares, or 30, if left out."
    ),
]
AttributesAsked = Annotated[int, typer.Option(help="Attributes that the share is about.")]
WantedDifference = Annotated[
    float | None, typer.Option(help="Difference of two groups' shares to detect, in points of 100.")
]
GroupShares = Annotated[
    str | None, typer.Option(help="People of 100 in both groups, as in 20,80; equal if left out.")
]
Correlation = Annotated[
    float | None,
    typer.Option(
        help="Assumed of every two attributes but those asked about; a range if left out."
    ),
]
HalfWidth = Annotated[
    float | None, typer.Option(help="Wanted half length of the 95% interval, in points of 100.")
]
WantedPower = Annotated[
    float | None, typer.Option(help="Surveys of 100 that detect the difference; 80 if left out.")
]

# The method and its settings.
MethodName = Annotated[str, typer.Option(help="Name of a method.")]
MethodList = Annotated[
    str, typer.Option(help="Methods separated by commas, with options as in calm:oracle=grr.")
]
Theta = Annotated[float, typer.Option(help="Error threshold of Algorithm 1.")]
ViewSize = Annotated[int | None, typer.Option(help=VIEW_SIZE)]
KnownViewSize = Annotated[int, typer.Option(help=VIEW_SIZE)]
ViewCount = Annotated[
    int | None, typer.Option(help="Number of views, instead of Algorithm 1's choice.")
]
Oracle = Annotated[str, typer.Option(help=f"One of {', '.join(ORACLE_RULES)}.")]
Nonnegativity = Annotated[str | None, typer.Option(help=f"One of {', '.join(NONNEGATIVITY)}.")]
Rounds = Annotated[int | None, typer.Option(help="Rounds of non-negativity and consistency.")]
Reconstruction = Annotated[str | None, typer.Option(help=f"One of {', '.join(RECONSTRUCTION)}.")]
Design = Annotated[
    str | None, typer.Option(help=f"Design of CALM+'s views, one of {', '.join(DESIGNS)}.")
]
Neighbors = Annotated[
    str | None,
    typer.Option(
        help=f"What a curator's epsilon holds for, one of {', '.join(NEIGHBORS)} (noise doubled)."
    ),
]

FigureName = Annotated[
    str,
    typer.Argument(
        help="fig3, table2, fig4, fig5, heatmap, smaller-k, priview, calm-plus, classification, priview-fig1, priview-fig2, "
        "priview-fig3, priview-fig4, priview-fig5 or priview-fig6; most need --data."
    ),
]

# Workers and output.
Jobs = Annotated[int, typer.Option(help="Number of worker processes; -1 for every core.")]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, as in tcp://host:8786.")
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Few epsilons, repetitions and queries, for a quick check.")
]
Out = Annotated[
    Path, typer.Option(help="Where to write: a CSV file (compare), a folder (reproduce).")
]
MicrodataRows = Annotated[int, typer.Option("--rows", help="Number of rows to make.")]
MicrodataOut = Annotated[Path, typer.Option("--out", help="CSV file for the rows.")]
CardOut = Annotated[Path | None, typer.Option("--out", help="File for the card, .html or .json.")]
PlanOut = Annotated[Path | None, typer.Option(help="Write the public plan to this file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print a CSV table.")]

# Collections in report files and states.
PlanFile = Annotated[Path, typer.Option(help="The public plan, as written by plan --out.")]
PartFolder = Annotated[Path, typer.Option("--out", help="Folder for the report files.")]
ClientFolder = Annotated[Path, typer.Option("--out", help="Folder for the form's files.")]
PartFiles = Annotated[list[Path], typer.Argument(help="Report files, or folders of them.")]
Partitions = Annotated[
    int | None, typer.Option(help="Number of report files; by default one per 262,144 people.")
]
SecretSeed = Annotated[
    int | None,
    typer.Option(help="Seed, for simulations only: with it anybody can undo the noise."),
]
StateOut = Annotated[Path, typer.Option("--out", help="File for the state, .json or .npz.")]
StateFile = Annotated[
    Path,
    typer.Argument(help="A state, as written by aggregate or merge, or a saved classroom survey."),
]
States = Annotated[list[Path], typer.Argument(help="States of the same plan.")]
Attributes = Annotated[
    str, typer.Option("--attrs", help="Attributes of the table, separated by commas.")
]
Level = Annotated[float, typer.Option(help="Confidence level of the intervals.")]

# The attacks.
AttackName = Annotated[
    str, typer.Argument(help="one-person, asked-again, liars, re-identification or audit.")
]
Prior = Annotated[
    str | None, typer.Option(help="What is known beforehand: population, equal or released.")
]
PeopleAttacked = Annotated[int | None, typer.Option(help="Simulated people.")]
Days = Annotated[int | None, typer.Option(help="Of asked-again: days of reports.")]
FirstRound = Annotated[
    float | None, typer.Option(help="Of asked-again: share of the budget for one day.")
]
Change = Annotated[float | None, typer.Option(help="Of asked-again: chance to change a day.")]
LiarShare = Annotated[float | None, typer.Option(help="Of liars: their share of the people.")]
LiarKind = Annotated[
    str | None, typer.Option(help="Of liars: maximal, padded, adaptive or false_value.")
]
LiarTarget = Annotated[
    str | None, typer.Option(help="Of liars: the cell to push, as in smokes=1,sex=0.")
]
AttackRepetitions = Annotated[int | None, typer.Option(help="Of liars: repetitions.")]
AuditedNoise = Annotated[
    float | None, typer.Option(help="Of audit: the noise, as a share of what epsilon needs.")
]
AuditTrials = Annotated[int | None, typer.Option(help="Of audit: trials.")]

# The audit.
AuditFile = Annotated[
    Path,
    typer.Argument(
        help="File with the columns input and output, one trial a row; or input and a column of probabilities "
        "for each output."
    ),
]
ClaimedEpsilon = Annotated[float, typer.Option("--epsilon", help="The epsilon that is claimed.")]
Confidence = Annotated[float, typer.Option(help="Probability that the lower bound is right.")]
AuditBatch = Annotated[
    int | None, typer.Option(help="Trials between two looks; looking often costs no confidence.")
]

# Assignments.
HandedIn = Annotated[Path, typer.Argument(help="Folder with the files that students handed in.")]
AssignmentFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--assignment",
        help="File of the assignment for grading; not needed for the ready ones.",
    ),
]
GradesOut = Annotated[
    Path | None, typer.Option("--out", help="CSV file for the grades; left out, they are printed.")
]

# The server.
Processes = Annotated[
    int, typer.Option(help="Servers that share the visitors; more than one need Caddy.")
]
Address = Annotated[
    str, typer.Option(help="Address to listen at; 0.0.0.0 serves the whole network.")
]
Port = Annotated[int, typer.Option(help="Port to listen at.")]
Network = Annotated[
    bool,
    typer.Option("--network", help="Serve phones and computers of the whole network, too."),
]
EmbedIn = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ORIGIN",
        help="Let pages of this site show the dashboard in a frame, as in https://lms.example.org; may be repeated.",
    ),
]
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the dashboard in a browser.")
]
DataRoot = Annotated[Path | None, typer.Option(help="Folder whose collections the app may open.")]


def given_options(context: typer.Context, names: Iterable[str]) -> dict[str, Any]:
    """Those of the options that were given on the command line, with their values."""
    sources = {name: context.get_parameter_source(name) for name in names}
    return {
        name: context.params[name]
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    }


def refuse_options(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse those of the options that were given on the command line: they would have no effect."""
    for name, value in given_options(context, names).items():
        text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        raise InputError(f"--{name.replace('_', '-')} ({text:.40}) {why}; leave it out")


def parse_numbers(text: str | None, name: str, kind: type) -> tuple:
    """The numbers of a comma-separated option; empty if it is not given.

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
    """The numbers of a comma-separated option whose numbers must be different.

    Examples
    --------
    >>> parse_grid("0.5,1", "epsilon", float)
    (0.5, 1.0)
    """
    numbers = parse_numbers(text, name, kind)
    for number in numbers:
        if numbers.count(number) > 1:
            raise InputError(f"--{name} ({text}) contains {number:g} more than once; give it once")
    return numbers


def parse_names(text: str | None) -> tuple[str, ...] | None:
    """The names of a comma-separated option, quoted if they contain a comma; None if it is not given.

    Examples
    --------
    >>> parse_names('sex,"age, years"')
    ('sex', 'age, years')
    """
    if text is None:
        return None
    rows = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    return tuple(part.strip() for row in rows for part in row if part.strip())
