"""The settings of a reproduced figure, and `Figure`, which says how a figure is computed and drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import pandas as pd

from calm_core._checks import (
    check_count,
    check_epsilon,
    check_options,
    check_theta,
    count_checker,
)
from calm_core.errors import InputError
from calm_core.evaluation.metrics import summarize
from calm_core.experiments.spec import ExperimentSpec, MethodSpec, parse_methods
from calm_core.methods.base import option
from calm_core.tables.dataset import Dataset

# The budgets and numbers of users of CALM's figures, the defaults for most figures.
EPSILONS = tuple(round(0.2 * i, 1) for i in range(1, 11))
USERS = (2**16, 2**18)
BOXES_CAPTION = "Boxes: 25, 50 and 75 percentiles of all queries, whisker to 95, dashed line: mean."
LINES_CAPTION = "Mean SSE of random marginals; bars: standard deviation of the repetitions' means."


def grid_checker(low: int) -> Callable[[str, Sequence[int]], tuple[int, ...]]:
    """A function of name and values that checks whole numbers from `low`."""
    return lambda name, values: tuple(check_count(name[0], value, low=low) for value in values)


@dataclass(frozen=True, eq=False)
class Settings:
    """The settings of a reproduction; empty ones are as in the papers.

    Attributes
    ----------
    data : Dataset or None
        The records, if the figure needs any.
    data_name : str
        Their name in the tables.
    epsilons, ds, ks, ns : tuple
        Grids of settings.
    methods : str
        As on the command line, see `parse_methods`.
    repetitions, queries, seed, theta
        As in `ExperimentSpec` and Algorithm 1.
    label : str
        What the classifier predicts; by default the last attribute.
    features : tuple of str
        What it predicts from; by default the four attributes with the most information about it.

    Raises
    ------
    InputError
        If a number is out of its range, or a method or an attribute is not known.
    """

    data: Dataset | None = None
    data_name: str = ""
    epsilons: tuple[float, ...] = option(lambda name, values: tuple(map(check_epsilon, values)), ())
    ds: tuple[int, ...] = option(grid_checker(1), ())
    ks: tuple[int, ...] = option(grid_checker(1), ())
    ns: tuple[int, ...] = option(grid_checker(2), ())
    methods: str = ""
    repetitions: int = option(count_checker(), 20)
    queries: int = option(count_checker(), 50)
    seed: int = option(count_checker(0), 1)
    theta: float = option(lambda name, value: check_theta(value), 1e-3)
    label: str = ""
    features: tuple[str, ...] = ()

    def __post_init__(self):
        check_options(self)
        if self.methods:
            self.select_methods("")
        if self.data is not None:
            self.data.domain.positions(self.features)
            self.data.domain.positions((self.label,) if self.label else ())

    @property
    def records(self) -> Dataset:
        """The data; refused if there is none."""
        if self.data is None:
            raise InputError(
                "data () must be given for this figure; name a file or a public data set"
            )
        return self.data

    def choose_d(self, usual: int) -> int:
        """The number of attributes of a figure with one: the largest given, or the usual one as far as there are so many."""
        return max(self.ds) if self.ds else min(usual, self.records.domain.d)

    def select_methods(self, default: str) -> tuple[MethodSpec, ...]:
        """The methods to compare: those of the settings, or else the given ones."""
        return parse_methods(self.methods or default, theta=self.theta)

    def spec(
        self,
        methods: Sequence[MethodSpec],
        *,
        ks: tuple[int, ...],
        ds: tuple[int, ...] = (),
        epsilons: tuple[float, ...] = (),
        ns: tuple[int, ...] | None = None,
        query_kind: str = "random",
    ) -> ExperimentSpec:
        """An experiment on the data with these settings, as far as nothing else is given."""
        epsilons = epsilons or self.epsilons or EPSILONS
        ns = self.ns or USERS if ns is None else ns
        return ExperimentSpec(
            self.records, tuple(methods), epsilons, ks, ds, ns, self.repetitions, self.queries,
            self.seed, query_kind, self.data_name,
        )  # fmt: skip


# Plotly figures, each with its caption, and the summary table if there is one.
Drawing = tuple[Sequence[tuple[object, str]], pd.DataFrame | None]


def lines_and_boxes(table: pd.DataFrame, settings: Settings) -> Drawing:
    """The default drawing: mean SSE over epsilon as lines, all queries as boxes."""
    from calm_core.figures import experiments as draw

    summary = summarize(table, by=["data", "method", "d", "k", "n", "epsilon"])
    figures = [
        (draw.lines_over_epsilon(table), LINES_CAPTION),
        (draw.candlesticks(table), BOXES_CAPTION),
    ]
    return figures, summary


@dataclass(frozen=True)
class Figure:
    """A figure that can be reproduced: how it is computed and drawn.

    Attributes
    ----------
    title : str
        What it shows.
    needs_data : bool
        Whether a data set must be given.
    ignores : tuple of str
        Names of `Settings` without effect on it; to set one of them is refused.
    single : tuple of str
        Names of grids of which it takes one value.
    most_values : int or None
        Default number of values to which columns are merged; None for no merging.
    specs : callable or None
        Settings to experiments; None if `table` computes the figure at once.
    table : callable or None
        Settings to table, for figures without an experiment.
    complete : callable or None
        Measured table and settings to the whole table, if a part of it comes from formulas.
    draw : callable
        Table and settings to (figures with captions, summary); lines and boxes by default.
    """

    title: str
    needs_data: bool = True
    ignores: tuple[str, ...] = ("label", "features")
    single: tuple[str, ...] = ()
    most_values: int | None = None
    specs: Callable[[Settings], list] | None = None
    table: Callable[[Settings], pd.DataFrame] | None = None
    complete: Callable[[pd.DataFrame, Settings], pd.DataFrame] | None = None
    draw: Callable[[pd.DataFrame, Settings], Drawing] = lines_and_boxes

    def check(self, settings: Settings) -> None:
        """Refuse settings without effect."""
        for field in fields(settings):
            name, value = field.name, getattr(settings, field.name)
            if value == field.default:
                continue
            if name in self.ignores:
                raise InputError(
                    f"{name} must be left out: the figure {self.title!r} does not use it"
                )
            if name in self.single and len(value) > 1:
                values = ", ".join(map(str, value))
                raise InputError(
                    f"{name} ({values}) must be one number: the figure {self.title!r} takes one"
                )

    def quick(self, settings: Settings) -> Settings:
        """The settings with few epsilons, repetitions and queries, for a quick check."""
        fewer = {
            "epsilons": settings.epsilons or (0.2, 1.0, 2.0),
            "ns": settings.ns or USERS[:1],
            "repetitions": min(settings.repetitions, 2),
            "queries": min(settings.queries, 10),
        }
        return replace(settings, **{n: v for n, v in fewer.items() if n not in self.ignores})
