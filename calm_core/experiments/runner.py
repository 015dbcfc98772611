"""Run an experiment on the cores of one machine or on a Dask cluster; it can be interrupted and resumed."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from calm_core.experiments.spec import ExperimentSpec, Task
from calm_core.io.atomic_files import (
    OUT,
    check_writable,
    explain_os_errors,
    write_atomically,
    write_lock,
)
from calm_core.runtime.executors import run_tasks


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
    seconds_left : float or None
        Estimated from the pace so far; None before any task was computed.
    """

    done: int
    total: int
    task: Task
    rows: pd.DataFrame
    resumed: bool
    seconds_left: float | None


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
        for task in tasks if parts else ():
            rows = parts.read(task.key)
            if rows is not None:
                missing.discard(task.key)
                done += 1
                yield ChunkDone(done, total, task, rows, True, None)
        began, before = time.monotonic(), done
        calls = (call for one in specs for call in one.calls(missing))
        datasets = [one.data for one in specs]
        work = run_tasks(calls, datasets, jobs=jobs, scheduler=scheduler)
        for task, rows in stack.enter_context(closing(work)):
            if parts:
                parts.write(task.key, rows)
            done += 1
            pace = (time.monotonic() - began) / (done - before)
            yield ChunkDone(done, total, task, rows, False, pace * (total - done))
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
    def open(self) -> Iterator["Parts"]:
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
