"""An experiment: its description, one task (draw the rows, release at every epsilon, score), and running them all.

It runs on the cores of one machine or on a Dask cluster, and can be interrupted and resumed.
"""

import ast
import hashlib
import json
import shutil
from collections.abc import Callable, Container, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from calm_core._checks import check_choice, check_count, check_epsilon, check_k, set_fields
from calm_core.errors import InputError, UserError
from calm_core.evaluation.metrics import score
from calm_core.evaluation.run import use_rows
from calm_core.io.atomic_files import (
    OUT,
    check_writable,
    explain_os_errors,
    write_atomically,
    write_lock,
)
from calm_core.io.csv_export import escape_formula
from calm_core.methods import (
    METHODS,
    Method,
    check_method,
    known_settings,
    shared_settings,
    unused_settings,
)
from calm_core.methods.base import Answer
from calm_core.randomness import stream
from calm_core.runtime.executors import run_tasks
from calm_core.runtime.weak_cache import cache_per_object
from calm_core.tables.dataset import People, Population
from calm_core.tables.domain import choose_queries
from calm_core.tables.marginal import Marginal

COLUMNS = (
    "method", "trust", "d", "k", "n", "epsilon", "repetition", "query", "sse", "l1", "l2",
    "jensen_shannon", "uniform_sse", "analytical_sse", "covered", "attributes", "reason", "data",
)  # fmt: skip


def select_rows(data: People, point, seed: int, repetition: int) -> People:
    """The users of one repetition at one setting: the first d attributes, n rows."""
    if point.d < data.domain.d:
        data = data.select(data.domain.names[: point.d])
    return use_rows(data, point.n, seed, repetition)


def _answer_queries(answer: Answer, queries: Sequence[tuple[str, ...]]) -> tuple[dict, dict]:
    """Tables by number of the query, and reasons by number of those that cannot be answered."""
    try:
        return dict(enumerate(answer.marginals(queries))), {}
    except UserError:
        # At least one cannot be answered: ask them one by one.
        tables, reasons = {}, {}
        for i, query in enumerate(queries):
            try:
                tables[i] = answer.marginal(query)
            except UserError as error:
                reasons[i] = escape_formula(str(error))
        return tables, reasons


def _score_epsilon(task, epsilon, rows, queries, truths, seed) -> pd.DataFrame:
    """The rows of one method at one epsilon, one per query; a failed query has its reason instead of errors.

    If the method cannot run at all, one row without a query has the reason.
    """
    setting = {
        "method": task.method.label,
        "trust": METHODS[task.method.name].trust,
        **vars(task.point),
        "epsilon": epsilon,
        "repetition": task.repetition,
        "data": escape_formula(task.data_name),
    }
    try:
        method = task.method.make(epsilon, task.point.k)
        answer = method.release(rows, rng=stream(seed, task.repetition, method.name))
    except UserError as error:
        return pd.DataFrame([setting | {"reason": escape_formula(str(error))}]).reindex(
            columns=list(COLUMNS)
        )
    tables, reasons = _answer_queries(answer, queries)
    covered = (answer.covers(queries[i]) for i in tables)
    table = score([truths[i] for i in tables], list(tables.values()), covered)
    table["query"] = list(tables)
    table["analytical_sse"] = [
        method.analytical_sse(rows.domain, rows.n, queries[i], truth=truths[i]) for i in tables
    ]
    missing = pd.DataFrame({"query": list(reasons), "reason": list(reasons.values())})
    parts = [part.astype(object) for part in (table.assign(reason=None), missing)]
    table = pd.concat(parts).sort_values("query")
    table["attributes"] = [escape_formula("|".join(query)) for query in queries]
    return table.assign(**setting)[list(COLUMNS)]


def run_task(
    data: People,
    task,
    epsilons: Sequence[float],
    queries: Sequence[tuple[str, ...]],
    truths: Sequence[Marginal],
    seed: int,
) -> tuple:
    """The task and its rows: one method at every epsilon, on the rows of one repetition."""
    rows = select_rows(data, task.point, seed, task.repetition)
    tables = []
    for epsilon in epsilons:
        tables.append(_score_epsilon(task, epsilon, rows, queries, truths, seed))
    # As objects, because a column without values would change the type of the joined one.
    return task, pd.concat([table.astype(object) for table in tables], ignore_index=True)


QUERY_KINDS = ("random", "consecutive")


@dataclass(frozen=True)
class MethodSpec:
    """A method with its options; the label names it in tables and figures.

    Attributes
    ----------
    name : str
        Key in `METHODS`.
    options : mapping or tuple of (option, value)
        Settings other than epsilon; with a k among them, the method is configured for that k,
        whatever the size of the queries.
    label : str
        Unique in an experiment; made from name and options if empty.

    Examples
    --------
    >>> MethodSpec("calm", {"oracle": "grr"}).label
    'calm(oracle=grr)'
    >>> MethodSpec("ft").make(1.0, 3).k
    3
    """

    name: str
    options: Mapping[str, object] | tuple[tuple[str, object], ...] = ()
    label: str = ""

    def __post_init__(self):
        check_method(self.name)
        options = tuple(sorted(dict(self.options).items()))
        names = {field.name for field in fields(METHODS[self.name])} - {"epsilon"}
        for key, _ in options:
            check_choice(f"option of {self.name}", key, sorted(names))
        text = " ".join(f"{key}={value}" for key, value in options)
        usual = f"{self.name}({text})" if text else self.name
        set_fields(self, options=options, label=self.label or usual)

    def make(self, epsilon: float, k: int) -> Method:
        """The configured method."""
        settings: dict[str, Any] = {"epsilon": epsilon, "k": k} | dict(self.options)
        return METHODS[self.name](**settings)


def parse_methods(text: str, **shared) -> tuple[MethodSpec, ...]:
    """Parse comma-separated methods with options after colons; `shared` are settings for all of them.

    `shared_settings` decides which of the shared ones a method takes; its own options take precedence.
    Options that are wrong for any data and budget are refused, and so are those without effect beside the
    method's other options.

    Examples
    --------
    >>> [method.label for method in parse_methods("calm,calm:rounds=1,uni", theta=0.001)]
    ['calm', 'calm(rounds=1)', 'uni']
    """
    methods = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, *pairs = part.split(":")
        check_method(name)
        options = {}
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if not equals:
                raise InputError(f"method ({part}) must give options as name:option=value")
            options[key] = _value(value)
        for key, why in unused_settings(options).items():
            raise InputError(f"method ({part}) has the option {key}, which {why}; leave it out")
        settings = known_settings(name, shared_settings(name, shared) | options)
        label = MethodSpec(name, tuple(options.items())).label
        method = MethodSpec(name, tuple((settings | options).items()), label)
        method.make(1.0, 1)
        methods.append(method)
    if not methods:
        raise InputError("methods () must name at least one; see the list of methods")
    return tuple(methods)


def _value(text: str):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


@dataclass(frozen=True)
class Point:
    """One setting of the data: the first d attributes, k-way queries, n users."""

    d: int
    k: int
    n: int


@dataclass(frozen=True)
class Task:
    """The unit of work: one method at all epsilons, on the rows of one repetition."""

    point: Point
    repetition: int
    method: MethodSpec
    data_name: str
    key: str


@cache_per_object
def fingerprint(data: People) -> str:
    """SHA-256 over the records and their domain, and whether people are drawn from them."""
    rows = data.rows if isinstance(data, Population) else data
    digest = hashlib.sha256(np.ascontiguousarray(rows.codes).data)
    domain = data.domain
    shape = [domain.names, domain.sizes, data.n, *(["population"] if rows is not data else [])]
    digest.update(json.dumps(shape).encode())
    return digest.hexdigest()


def task_key(data: People, point: Point, method, settings: list) -> str:
    """The name of a task's results, of a method or a baseline; equal for equal results, in any experiment."""
    name = [method.name, method.label, [[key, repr(value)] for key, value in method.options]]
    parts = [fingerprint(data), vars(point), name, settings]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def check_comparison(spec, baselines: Sequence[str] = ()) -> tuple[MethodSpec, ...]:
    """Validate what every comparison has: methods, which are returned, with labels of their own, budgets, repetitions, a seed."""
    methods = tuple(MethodSpec(m) if isinstance(m, str) else m for m in spec.methods)
    set_fields(spec, methods=methods, epsilons=tuple(map(check_epsilon, spec.epsilons)))
    labels = [*baselines, *(method.label for method in methods)]
    if not methods or len(set(labels)) < len(labels):
        raise InputError(f"methods ({', '.join(labels)}) must be distinct and at least one")
    if not spec.epsilons:
        raise InputError("epsilons () must be at least one; give a privacy budget")
    check_count("repetitions", spec.repetitions)
    check_count("seed", spec.seed, low=0)
    return methods


@dataclass(frozen=True, eq=False)
class ExperimentSpec:
    """An experiment; in a repetition, every method gets the same rows and queries.

    Attributes
    ----------
    data : Dataset or Population
        The records, or the population to draw from; d attributes are the first d.
    methods : tuple of MethodSpec or of str
        Methods to compare, with different labels.
    epsilons : tuple of float
        Privacy budgets.
    ks : tuple of int
        Sizes of the queried marginals.
    ds : tuple of int
        Numbers of attributes; empty for all. Pairs with k > d are left out.
    ns : tuple of int
        Numbers of users, drawn without replacement or duplicated; empty for all rows.
    repetitions, queries : int
        Repetitions, and queried marginals in each.
    seed : int
        Streams are keyed by (seed, repetition, method name): adding a method changes no other number,
        and repetition 0 equals `calm_core.evaluation.run.run` with the same seed.
    query_kind : {"random", "consecutive"}
        Random sets of attributes, or neighbors in the order of the data.
    name : str
        The value of the column `data`, to distinguish data sets in one table.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> data = Dataset.from_codes([[0, 2], [1, 0], [1, 1]], Domain(("sex", "age"), (2, 3)))
    >>> spec = ExperimentSpec(data, ("calm", "uni"), (0.5, 1.0), ks=(2,), repetitions=3)
    >>> len(spec.tasks), spec.points
    (6, (Point(d=2, k=2, n=3),))
    """

    data: People
    methods: tuple[MethodSpec | str, ...]
    epsilons: tuple[float, ...]
    ks: tuple[int, ...] = (3,)
    ds: tuple[int, ...] = ()
    ns: tuple[int, ...] = ()
    repetitions: int = 20
    queries: int = 50
    seed: int = 1
    query_kind: str = "random"
    name: str = ""

    def __post_init__(self):
        methods = check_comparison(self)
        self._check_grid("ds", 1, self.data.domain.d, "the data has no more attributes")
        max_d = max(self.ds, default=self.data.domain.d)
        if max_d == 1:
            for k in self.ks:
                check_k(k, max_d)
        self._check_grid("ks", 1, max_d, "there are no more attributes")
        self._check_grid("ns", 2, None, "")
        check_count("queries", self.queries)
        check_choice("query_kind", self.query_kind, QUERY_KINDS)
        if not self.points:
            raise InputError("the experiment must have a k; give one")
        for method in methods:
            method.make(self.epsilons[0], self.points[0].k)

    def _check_grid(self, name: str, low: int, high: int | None, why: str) -> None:
        values = [
            check_count(name[0], v, low=low, high=high, remedy=why) for v in getattr(self, name)
        ]
        object.__setattr__(self, name, tuple(values))

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Every combination of d, k and n with k <= d."""
        grid = product(self.ds or (self.data.domain.d,), self.ks, self.ns or (self.data.n,))
        return tuple(dict.fromkeys(Point(d, k, n) for d, k, n in grid if k <= d))

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks, in the order of the final table."""
        return tuple(
            Task(point, repetition, method, self.name, self._key(point, repetition, method))
            for point in self.points
            for repetition in range(self.repetitions)
            for method in self.methods
        )

    def _key(self, point: Point, repetition: int, method: MethodSpec) -> str:
        settings = [self.epsilons, self.queries, self.query_kind, self.seed, self.name, repetition]
        return task_key(self.data, point, method, settings)

    def rows(self, point: Point, repetition: int) -> People:
        """The users of one repetition."""
        return select_rows(self.data, point, self.seed, repetition)

    def choose_queries(self, point: Point, repetition: int) -> list[tuple[str, ...]]:
        """The queried marginals of one repetition."""
        domain = self.data.domain.project(self.data.domain.names[: point.d])
        rng = stream(self.seed, repetition, "queries")
        if self.query_kind == "random":
            return choose_queries(domain, point.k, self.queries, rng=rng)
        runs = [domain.names[i : i + point.k] for i in range(point.d - point.k + 1)]
        numbers = rng.permutation(len(runs))[: self.queries]
        return [runs[i] for i in sorted(numbers)]

    def calls(self, missing: Container[str]) -> Iterator[partial]:
        """The tasks with missing results, for `run_tasks`.

        Tasks of a repetition share rows, queries and truths; truths are computed once, here.
        """
        together: dict[tuple[Point, int], list[Task]] = {}
        for task in self.tasks:
            if task.key in missing:
                together.setdefault((task.point, task.repetition), []).append(task)
        for (point, repetition), tasks in together.items():
            queries = self.choose_queries(point, repetition)
            rows = self.rows(point, repetition)
            truths = rows.marginals(queries)
            for task in tasks:
                yield partial(run_task, self.data, task, self.epsilons, queries, truths, self.seed)


@dataclass(frozen=True, eq=False)
class ChunkDone:
    """Event: one method has finished one repetition at one (d, k, n), at all epsilons.

    Attributes
    ----------
    done, total : int
        Tasks finished so far, with this one, and in all.
    task : Task
        The task: `.point`, `.repetition`, `.method.label`.
    rows : DataFrame
        Its rows of the tidy table.
    resumed : bool
        Whether the rows come from an interrupted run.
    """

    done: int
    total: int
    task: Task
    rows: pd.DataFrame
    resumed: bool


def events(
    spec: ExperimentSpec | Sequence[ExperimentSpec],
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
) -> Iterator[ChunkDone]:
    """Run an experiment and yield a `ChunkDone` after every task; closing the iterator cancels it.

    Parameters
    ----------
    spec : ExperimentSpec or sequence of them
        What to run; several give one table, in their order. Anything with the same `tasks`,
        `calls` and `data` works, such as a `ClassificationSpec`.
    out : path, optional
        The final CSV. Until it is complete, the results of every finished task are in `<out>.parts`;
        the same call after an interruption yields those first (`resumed`) and computes the rest.
    jobs : int
        Worker processes on this machine; 1 works in this process, -1 takes every core. A cancel ends
        the workers of this run at once, and no others.
    scheduler : str, optional
        Address of a Dask scheduler whose workers have this library; they take the tasks instead.

    Yields
    ------
    ChunkDone
        In order of completion; the final CSV is in the order of the tasks.

    Raises
    ------
    InputError
        If jobs is neither -1 nor at least 1, the scheduler cannot be reached, `out` cannot be
        written, or another process writes it.

    Examples
    --------
    >>> from calm_core import Dataset, Domain
    >>> data = Dataset.from_codes([[0, 2], [1, 0], [1, 1]], Domain(("sex", "age"), (2, 3)))
    >>> spec = ExperimentSpec(data, ("fc", "uni"), (1.0,), ks=(2,), repetitions=1)
    >>> [(event.task.method.label, event.done, event.total) for event in events(spec)]
    [('fc', 1, 2), ('uni', 2, 2)]
    """
    specs = _as_tuple(spec)
    tasks = [task for one in specs for task in one.tasks]
    total, done = len(tasks), 0
    missing = {task.key for task in tasks}
    with ExitStack() as stack:
        parts = None if out is None else stack.enter_context(Parts(Path(out)).open())
        for task in tasks:
            rows = None if parts is None else parts.read(task.key)
            if rows is not None:
                missing.discard(task.key)
                done += 1
                yield ChunkDone(done, total, task, rows, True)
        calls = (call for one in specs for call in one.calls(missing))
        datasets = [one.data for one in specs]
        work = run_tasks(calls, datasets, jobs=jobs, scheduler=scheduler)
        for task, rows in stack.enter_context(closing(work)):
            if parts:
                parts.write(task.key, rows)
            done += 1
            yield ChunkDone(done, total, task, rows, False)
        if parts:
            parts.finish([task.key for task in tasks])


def _as_tuple(spec) -> tuple:
    return tuple(spec) if isinstance(spec, list | tuple) else (spec,)


def compare(
    spec: ExperimentSpec | Sequence[ExperimentSpec],
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    notify: Callable[[ChunkDone], None] | None = None,
) -> pd.DataFrame:
    """Run an experiment to the end and return its tidy table, one row per query.

    Parameters are those of `events`; `notify` receives every event. Columns: method (its label),
    trust, d, k, n, epsilon, repetition, query, every metric, the uniform guess's SSE, the analytical
    SSE where there is a formula, whether the query was covered, its attributes joined by "|", and
    the reason why a query failed (then sse is empty) or the method cannot run (then query, too).

    Examples
    --------
    >>> from calm_core import Dataset, Domain
    >>> data = Dataset.from_codes([[0, 2], [1, 0], [1, 1]], Domain(("sex", "age"), (2, 3)))
    >>> table = compare(ExperimentSpec(data, ("uni",), (1.0,), ks=(1,), repetitions=2))
    >>> table[["method", "repetition", "query"]].values.tolist()
    [['uni', 0, 0], ['uni', 0, 1], ['uni', 1, 0], ['uni', 1, 1]]
    """
    rows = {}
    for event in events(spec, out=out, jobs=jobs, scheduler=scheduler):
        rows[event.task.key] = event.rows
        if notify:
            notify(event)
    if out is not None:
        return read_table(Path(out))
    tables = [rows[task.key] for one in _as_tuple(spec) for task in one.tasks]
    return pd.concat(tables, ignore_index=True).infer_objects()


@dataclass(frozen=True)
class Parts:
    """The folder next to the final file that holds the results of the tasks done so far.

    Attributes
    ----------
    out : Path
        The final CSV; the parts are in `<out>.parts` until it is written.
    """

    out: Path

    @property
    def folder(self) -> Path:
        """The folder of the parts."""
        return self.out.with_name(self.out.name + ".parts")

    def path(self, key: str) -> Path:
        """The file of one task."""
        return self.folder / f"{key}.csv"

    @contextmanager
    def open(self) -> Generator["Parts"]:
        """Make the folder, remove partial files of a killed run, and keep other runs out.

        Raises
        ------
        InputError
            If the final file cannot be written, or another process writes it.
        """
        check_writable(self.out, OUT)
        with write_lock(self.out, OUT):
            with explain_os_errors(self.folder, OUT):
                self.folder.mkdir(exist_ok=True)
                for partial in self.folder.glob("*.partial"):
                    partial.unlink(missing_ok=True)
            yield self

    def write(self, key: str, rows: pd.DataFrame) -> None:
        """Write the rows of one task, all or nothing."""
        write_atomically(
            self.path(key), rows.to_csv(index=False, lineterminator="\n"), what="a result"
        )

    def read(self, key: str) -> pd.DataFrame | None:
        """The rows of one task, or None if it is still to be done."""
        if not self.path(key).exists():
            return None
        return read_table(self.path(key))

    def finish(self, keys: list[str]) -> None:
        """Join all parts in the given order into the final file, then remove them."""
        texts = [self.path(key).read_text(encoding="utf-8") for key in keys]
        header = texts[0].partition("\n")[0] + "\n"
        joined = header + "".join(text.partition("\n")[2] for text in texts)
        write_atomically(self.out, joined, what=OUT)
        shutil.rmtree(self.folder, ignore_errors=True)


def read_table(path: Path) -> pd.DataFrame:
    """Read a table of results as it was written: floats to the last bit, empty cells as missing."""
    return pd.read_csv(path, dtype={"reason": "object"})
