"""The command `ask`: questions to a simulated release, a state of real reports, or a saved class."""

import json as jsonlib
from pathlib import Path

import typer

from calm_core.cli import options
from calm_core.cli.loading import Source
from calm_core.cli.output import print_notes
from calm_core.methods import CalmPlus, make_method
from calm_core.methods.base import Answer
from calm_core.randomness import stream as random_stream

# Options of a simulated collection; a state has collected already.
SIMULATION = (
    "epsilon", "k", "d", "columns", "max_values", "theta", "n", "population", "schema", "read",
)  # fmt: skip
# Bytes in which a state written as JSON says what it is.
STATE_HEAD = 1 << 12


def load_answer(
    context: typer.Context,
    data: Path,
    source: Source,
    method: str,
    *,
    epsilon: float,
    k: int,
    theta: float,
    n: int | None,
    population: bool,
    seed: int,
) -> Answer:
    """The answer of a method: from a state of real reports, or from a collection simulated from data."""
    if holds_reports(data):
        from calm_core.classroom.open_collection import read_state
        from calm_core.evaluation.state_answers import answer_state

        options.refuse_options(
            context, SIMULATION, "is for data; the reports of a state are collected already"
        )
        return answer_state(read_state(data), method)
    people = source.people(population, n)
    configured = make_method(method, epsilon=epsilon, k=k, theta=theta)
    return configured.release(people, rng=random_stream(seed, 0, method))


def holds_reports(path: Path) -> bool:
    """Whether a file is a state or a saved class rather than data."""
    from calm_core.classroom.open_collection import STATE_KINDS

    if path.suffix not in STATE_KINDS or not path.is_file():
        return False
    with path.open("rb") as file:
        return path.suffix != ".json" or b'"calm-lab state' in file.read(STATE_HEAD)


def ask(
    context: typer.Context,
    data: options.DataOrState,
    question: options.AskedQuestion,
    epsilon: options.Epsilon = 1.0,
    k: options.QuerySize = 3,
    d: options.FirstColumns = None,
    columns: options.Columns = None,
    max_values: options.MaxValues = None,
    theta: options.Theta = 1e-3,
    method: options.MethodName = CalmPlus.name,
    n: options.Rows = None,
    population: options.AsPopulation = False,
    seed: options.Seed = 1,
    schema: options.SchemaFile = None,
    read: options.Read = None,
    level: options.Level = 0.95,
    json: options.AsJson = False,
) -> None:
    """Answer QUESTION, such as "share smoked=yes given drank=yes", from a release of DATA or a state."""
    from calm_core.release.questions import ask as ask_answer

    source = Source(data, columns, d, max_values, schema, read)
    answer = load_answer(
        context, data, source, method, epsilon=epsilon, k=k, theta=theta, n=n,
        population=population, seed=seed,
    )  # fmt: skip
    found = ask_answer(answer, question, rng=random_stream(seed, "ask"), level=level)
    if json:
        print(jsonlib.dumps(found.to_dict(), indent=1))
        return
    print(found.sentence)
    print_notes(list(found.notes))
