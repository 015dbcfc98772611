"""What questions of an assignment are about: numbers of one simulated collection."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from calm_core._checks import check_choice
from calm_core.errors import InputError
from calm_core.evaluation.prediction import predict_wrong
from calm_core.evaluation.run import Run, run
from calm_core.ingest.samples import load_sample
from calm_core.methods import make_method
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.release.estimate import attributes_of, cells_of_condition
from calm_core.settings import Settings
from calm_core.tables.dataset import Dataset, People, Population
from calm_core.tables.domain import Domain
from calm_core.text import format_number

Cell = tuple[str, ...]


@dataclass(frozen=True)
class Measure:
    """A number of a collection.

    Attributes
    ----------
    title : str
        Its name with its unit.
    value : callable (Settings, Run, cell) -> float
        The number, unrounded.
    has_cell : bool
        Whether it is about a cell.
    """

    title: str
    value: Callable[[Settings, Run, Cell], float]
    has_cell: bool = False


def _expected(settings: Settings, outcome: Run, cell: Cell) -> float:
    method = make_method(settings.method, **settings.method_settings)
    rng = stream(settings.seed, 0, method.name)
    wrong = predict_wrong(method, outcome.domain, outcome.n, rng=rng)
    if wrong is None:
        raise InputError(f"{settings.method} has no formula for its error; choose another method")
    return 100 * wrong


def _plan(settings: Settings, outcome: Run) -> Plan:
    if outcome.plan is None:
        raise InputError(f"{settings.method} has no views; choose another method")
    return outcome.plan


def _share(settings: Settings, outcome: Run, cell: Cell) -> float:
    condition = read_cell(outcome.domain, cell)
    attrs = attributes_of(outcome.domain, condition)
    inside = cells_of_condition(outcome.domain, attrs, condition)
    return 100 * float(outcome.answer.marginal(attrs).values[inside].sum())


MEASURES: dict[str, Measure] = {
    "wrong": Measure(
        "people of 100 in the wrong cell, mean of all tables",
        lambda settings, outcome, cell: 100 * outcome.wrong,
    ),
    "expected": Measure("people of 100 expected in the wrong cell", _expected),
    "people": Measure("people", lambda settings, outcome, cell: outcome.n),
    "epsilon": Measure("ε", lambda settings, outcome, cell: settings.epsilon),
    "odds": Measure("odds e^ε", lambda settings, outcome, cell: math.exp(settings.epsilon)),
    "l": Measure(
        "attributes of a view, l", lambda settings, outcome, cell: _plan(settings, outcome).l
    ),
    "m": Measure("views, m", lambda settings, outcome, cell: _plan(settings, outcome).m),
    "group": Measure(
        "people a view", lambda settings, outcome, cell: outcome.n / _plan(settings, outcome).m
    ),
    "share": Measure("reconstructed share, of 100", _share, has_cell=True),
}


def read_cell(domain: Domain, cell: Cell) -> dict[str, str]:
    """The values of a cell by attribute, from words such as "smoked=yes"; refuses what the data do not have."""
    pairs = dict(word.rpartition("=")[::2] for word in cell)
    cells_of_condition(domain, attributes_of(domain, pairs), pairs)
    return pairs


@lru_cache(maxsize=8)
def _sample(source: str, columns: tuple[str, ...], d: int, max_values: int | None) -> Dataset:
    d_taken = None if columns else d
    return load_sample(source, columns=columns or None, d=d_taken, max_values=max_values).dataset


def dataset_of(settings: Settings) -> Dataset:
    """The records of the sample that the settings name."""
    return _sample(settings.source, settings.columns, settings.d, settings.max_values)


def simulate(settings: Settings) -> Run:
    """The collection with these settings, the same as in the app.

    Examples
    --------
    >>> outcome = simulate(Settings(n=2000, d=3, k=2))
    >>> measure(Settings(n=2000, d=3, k=2), outcome, "people")
    2000.0
    """
    people: People = dataset_of(settings)
    if settings.n and settings.is_population:
        people = Population(people, settings.n)
    method = make_method(settings.method, **settings.method_settings)
    return run(people, method, seed=settings.seed, n=settings.n, queries=settings.queries)


def measure(settings: Settings, outcome: Run, name: str, cell: Cell = ()) -> float:
    """One of `MEASURES` of a collection with these settings.

    Raises
    ------
    InputError
        If there is no such number: a trusted curator has no views.
    """
    return float(MEASURES[check_choice("measure", name, MEASURES)].value(settings, outcome, cell))


def format_measure(value: float) -> str:
    """A measure with three digits, counts with all of theirs.

    Examples
    --------
    >>> format_measure(8.4064), format_measure(20_000.0), format_measure(0.0312)
    ('8.41', '20,000', '0.0312')
    """
    return f"{value:,.0f}" if value == int(value) else format_number(float(f"{value:.3g}"))
