"""A collection in parts: people report into files, files are counted; by one process or by many."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from calm_core._checks import check_count
from calm_core.collection.report_files import ReportColumns
from calm_core.collection.report_lines import LINES
from calm_core.collection.reporting import report_part
from calm_core.collection.states import State, merge_states
from calm_core.collection.tally import Tally, tally_file
from calm_core.errors import InputError, UserError
from calm_core.io.atomic_files import output_folder, write_atomically
from calm_core.planning.plan import Plan
from calm_core.runtime.executors import run_tasks
from calm_core.tables.dataset import Dataset

# People of a part where nobody says how many parts there shall be.
PART_PEOPLE = 1 << 18
SUFFIX = ".parquet"
# Both kinds of report files, and what a folder without any lacks.
KINDS = (SUFFIX, LINES)
NONE = f"report file ({', '.join(f'*{kind}' for kind in KINDS)})"
# What has been counted is saved so often, or less often where saving takes its time.
SAVE_SECONDS = 2.0
SAVE_SHARE = 10


@dataclass(frozen=True)
class PartDone:
    """Event: so many parts are done, of how many (0 where nobody knows yet)."""

    done: int
    parts: int


def part_sizes(n: int, parts: int) -> list[int]:
    """How many of n people are in each part: nearly equal numbers, the larger ones first.

    Examples
    --------
    >>> part_sizes(7, 3)
    [3, 2, 2]
    """
    parts = check_count("partitions", parts, high=n, remedy="every part needs at least one person")
    each, more = divmod(n, parts)
    return [each + (part < more) for part in range(parts)]


def regroup(chunks: Iterable[Dataset], sizes: Iterable[int]) -> Iterator[Dataset]:
    """The people of all chunks, in their order, in parts of these sizes; the last may be smaller.

    Parameters
    ----------
    chunks : iterable of Dataset
        Of one domain; taken as they are needed.
    sizes : iterable of int
        At least as many as are needed.
    """
    waiting: list[np.ndarray] = []
    domain, have, sizes = None, 0, iter(sizes)
    wanted = next(sizes)
    for chunk in chunks:
        domain = chunk.domain
        waiting.append(chunk.codes)
        have += chunk.n
        while have >= wanted:
            codes = np.concatenate(waiting)
            yield Dataset.from_codes(codes[:wanted], domain)
            waiting, have = [codes[wanted:]], have - wanted
            wanted = next(sizes, have + 1)
    if have and domain is not None:
        yield Dataset.from_codes(np.concatenate(waiting), domain)


def collect_parts(
    parts: Iterable[Dataset],
    plan: Plan,
    folder: str | Path,
    *,
    seed: int,
    jobs: int = 1,
    scheduler: str | None = None,
    total: int = 0,
    notify: Callable[[PartDone], None] | None = None,
) -> int:
    """Let the people of every part report into a file of its own; the number of files.

    Whoever does the work, the files are the same to the last byte for the same seed and parts.

    Parameters
    ----------
    parts : iterable of Dataset
        Taken as workers get free, so that few are held at once.
    plan : Plan
        What the people are asked.
    folder : path
        Made where it is not there; must hold no reports yet.
    seed : int
        See `report_part`.
    jobs, scheduler
        Who does the work, see `calm_core.runtime.executors.run_tasks`.
    total : int
        How many parts there are, where it is known.
    notify : callable, optional
        Receives a `PartDone` for every part.

    Raises
    ------
    UserError
        If the folder cannot be written or holds reports, or the data do not fit the plan.
    """
    with output_folder(folder, "--out") as folder:
        ReportColumns(plan)
        if list_report_files(folder):
            raise InputError(
                f"--out ({str(folder):.200}) holds reports already, and whoever reports twice is counted "
                "twice; choose an empty folder"
            )
        tasks = (partial(_report, part, plan, seed, number) for number, part in enumerate(parts))
        done = 0
        with closing(run_tasks(tasks, (plan,), jobs=jobs, scheduler=scheduler)) as work:
            for done, (number, content) in enumerate(work, 1):
                write_atomically(
                    folder / f"part-{number:05}{SUFFIX}", content, what="a report file"
                )
                if notify:
                    notify(PartDone(done, total))
        return done


def _report(dataset: Dataset, plan: Plan, seed: int, part: int) -> tuple[int, bytes]:
    return part, report_part(dataset, plan, seed=seed, part=part)


def list_report_files(folder: Path) -> list[Path]:
    """The report files that lie in a folder."""
    return sorted(file for kind in KINDS for file in folder.glob(f"*{kind}"))


def resolve_report_files(paths: Iterable[str | Path]) -> list[Path]:
    """The report files that these paths name: a folder stands for all of its files.

    Raises
    ------
    InputError
        If a path is not there or a folder holds none.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise InputError(
                f"{str(path):.200} does not exist; name report files or folders of them"
            )
        files = [path]
        if path.is_dir():
            files = list_report_files(path)
        if not files:
            raise InputError(f"the folder {str(path):.200} holds no {NONE}; name another")
        found += files
    return found


def count_parts(
    paths: Sequence[str | Path],
    state: State,
    *,
    keep: Callable[[State], None],
    jobs: int = 1,
    scheduler: str | None = None,
    notify: Callable[[PartDone], None] | None = None,
) -> tuple[State, list[str]]:
    """Count report files into a state; a file that is refused does not keep the others from it.

    Parameters
    ----------
    paths : sequence of path
        Report files, to be read by whoever does the work.
    state : State
        What has been counted before; its batches are not counted again.
    keep : callable
        Saves a state. Called every few seconds and at the end: what it has saved is never lost.
    jobs, scheduler
        Who does the work, see `calm_core.runtime.executors.run_tasks`.
    notify : callable, optional
        Receives a `PartDone` for every file.

    Returns
    -------
    state : State
        With everything that could be counted.
    refused : list of str
        A sentence for every file that could not.
    """
    tasks = (partial(_count, path, state.plan, state.batches) for path in paths)
    fresh: list[Tally] = []
    refused: list[str] = []
    due = time.monotonic() + SAVE_SECONDS
    with closing(run_tasks(tasks, (state.plan,), jobs=jobs, scheduler=scheduler)) as work:
        for done, found in enumerate(work, 1):
            if isinstance(found, str):
                refused.append(found)
            elif found is not None:
                fresh.append(found)
            if fresh and time.monotonic() > due:
                began = time.monotonic()
                state, fresh = _with(state, fresh, refused), []
                keep(state)
                due = time.monotonic() + max(SAVE_SECONDS, SAVE_SHARE * (time.monotonic() - began))
            if notify:
                notify(PartDone(done, len(paths)))
    state = _with(state, fresh, refused)
    keep(state)
    return state, refused


def _count(path: Path, plan: Plan, known: dict[str, str]) -> Tally | str | None:
    """What a file holds; or the sentence that refuses it, so that the others are counted."""
    try:
        return tally_file(path, plan, known)
    except UserError as error:
        return str(error)


def _with(state: State, fresh: list[Tally], refused: list[str]) -> State:
    """The state with what was counted since, one batch after the other."""
    contents = dict(state.batches)
    new = []
    for tally in fresh:
        ((name, sha),) = tally.batches
        if contents.setdefault(name, sha) == sha:
            new.append(tally)
        else:
            refused.append(
                f"batch {name:.40} is there with two contents; find out which of the two is right"
            )
    return merge_states([state, *(State(state.plan, (tally,)) for tally in new)])
