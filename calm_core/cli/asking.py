"""Commands that use a simulated release, a state of real reports, or a saved class: `ask`, `microdata`, `card`."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

import typer

from calm_core.cli import options
from calm_core.cli.collection import read_state
from calm_core.cli.loading import Source, take_simulation
from calm_core.cli.output import Progress, print_json, print_notes
from calm_core.cli.release import refuse_foreign
from calm_core.collection.states import State
from calm_core.errors import InputError
from calm_core.io.atomic_files import OUT, check_writable, write_atomically
from calm_core.io.csv_export import safe_csv
from calm_core.methods import make_method
from calm_core.methods.base import Answer, Method
from calm_core.randomness import stream as random_stream
from calm_core.tables.dataset import People
from calm_core.tables.domain import Domain

# Options of a simulated collection; a state has collected already.
SIMULATION = (
    "epsilon", "k", "d", "columns", "max_values", "theta", "n", "population", "schema", "read",
)  # fmt: skip
# Those that a method has.
SETTINGS = ("epsilon", "k", "theta")
# Bytes in which a state written as JSON says what it is.
STATE_HEAD = 1 << 12


def load_answer(
    context: typer.Context, data: Path, check: Callable[[Domain], None] = lambda domain: None
) -> tuple[Answer, Method]:
    """The answer of a method: from a state of real reports, or from a collection simulated from data.

    Before the work, `check` may refuse the attributes. typer keeps the values of all options in the context.
    """
    configured = configure_method(context)
    if (state := open_state(context, data)) is not None:
        from calm_core.evaluation.prediction import answer_state

        check(state.plan.domain)
        settings = {key: getattr(state.plan, key) for key in SETTINGS}
        with Progress("the reports are put together"):
            answer = answer_state(state, configured.name)
        return answer, make_method(configured.name, **settings)
    people = load_people(context, data)
    check(people.domain)
    rng = random_stream(context.params["seed"], 0, configured.name)
    with Progress("groups report", lambda event: (event.group, event.groups)) as progress:
        return configured.release(people, rng=rng, notify=progress), configured


def configure_method(context: typer.Context) -> Method:
    """The method with the settings of the command line."""
    params = context.params
    name = params["method"]
    refuse_foreign(name, options.given_options(context, ("theta",)))
    return make_method(name, **{key: params[key] for key in SETTINGS})


def open_state(context: typer.Context, data: Path) -> State | None:
    """The state of real reports in a file, or None if it holds data."""
    if not holds_reports(data):
        return None
    options.refuse_options(
        context, SIMULATION, "is for data; the reports of a state are collected already"
    )
    return read_state(data)


def load_people(context: typer.Context, data: Path) -> People:
    """The people of a simulated collection, as the options describe them."""
    # It loads pandas, which most commands do without.
    from calm_core.evaluation.run import use_rows

    params = context.params
    people = Source.from_options(data, params).people(params["population"], params["n"])
    return people if params["population"] else use_rows(people, params["n"], params["seed"])


def holds_reports(path: Path) -> bool:
    """Whether a file is a state or a saved class rather than data."""
    from calm_core.classroom.open_collection import STATE_KINDS

    if path.suffix not in STATE_KINDS or not path.is_file():
        return False
    with path.open("rb") as file:
        return path.suffix != ".json" or b'"calm-lab state' in file.read(STATE_HEAD)


@take_simulation
def ask(
    context: typer.Context,
    source: options.DataOrState,
    questions: options.AskedQuestions,
    level: options.Level = 0.95,
    together: options.Together = False,
    json: options.AsJson = False,
) -> None:
    """Answer QUESTION, such as "share smoked=yes given drank=yes", from a release of SOURCE."""
    from calm_core.release.questions import ask as ask_answer
    from calm_core.release.questions import ask_together, check_questions

    if len(questions) > 1 and not together:
        raise InputError("several questions need --together; or ask them one by one")
    check = partial(check_questions, questions=questions, together=together)
    answer, _ = load_answer(context, source, check)
    rng = random_stream(context.params["seed"], "ask")
    with Progress("the question is answered"):
        if not together:
            answers = (ask_answer(answer, questions[0], rng=rng, level=level),)
        else:
            answers = ask_together(answer, questions, rng=rng, level=level)
    if json:
        plain = [answered.to_dict() for answered in answers]
        print_json(plain if together else plain[0])
        return
    for answered in answers:
        print(answered.sentence)
        print_notes(answered.notes)


@take_simulation
def microdata(
    context: typer.Context,
    source: options.DataOrState,
    rows: options.MicrodataRows,
    out: options.MicrodataOut,
    json: options.AsJson = False,
) -> None:
    """Write invented rows whose tables are close to those of a release of SOURCE, as CSV."""
    from calm_core.release.microdata import microdata as make_rows
    from calm_core.release.microdata import score_card

    target = check_writable(out, OUT)
    answer, _ = load_answer(context, source)
    with Progress("rows are made"):
        rng = random_stream(context.params["seed"], "microdata")
        invented = make_rows(answer, n=rows, rng=rng)
    write_atomically(target, safe_csv(invented), what=OUT)
    with Progress("the rows are compared with the release"):
        scores = score_card(answer, invented)
    print_notes([
        scores.sentence,
        f"{scores.wrong_cell_share:.2g} of 100 rows are in another cell than in the release, on average over "
        f"{scores.tables:,} tables.",
    ])  # fmt: skip
    if json:
        print_json({"out": str(target)} | asdict(scores))


@take_simulation
def card(
    context: typer.Context,
    source: options.DataOrState,
    out: options.CardOut = None,
    json: options.AsJson = False,
) -> None:
    """Write the privacy card of a release of SOURCE: a page, or JSON, which is printed without --out."""
    from calm_core.release.privacy_card import privacy_card

    if out is not None and out.suffix not in (".html", ".json"):
        raise InputError(f"{OUT} ({str(out):.200}) must end in .html or .json")
    target = None if out is None else check_writable(out, OUT)
    privacy = privacy_card(*load_answer(context, source))
    if target is not None:
        page = target.suffix == ".html"
        write_atomically(target, privacy.to_html() if page else privacy.to_json(), what=OUT)
    if target is None or json:
        print(privacy.to_json())
