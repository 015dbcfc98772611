"""A collection in parts: people report into files, and files are counted; by one process or by many."""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from calm_core._checks import check_count
from calm_core.collection.report_files import LINES, ReportColumns, ReportRows
from calm_core.collection.simulation import assign_groups
from calm_core.collection.states import State, merge_states
from calm_core.collection.tally import Tally, tally_file
from calm_core.errors import InfeasibleError, InputError, UserError
from calm_core.io.atomic_files import output_folder, write_atomically
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.runtime.executors import run_tasks
from calm_core.tables.dataset import Dataset

# People of one part: their records and packed reports are in memory at once. Unpacked reports take eight
# times more, so they are made for a limited number of cells at a time.
MAX_PEOPLE = 1 << 24
MAX_REPORT_CELLS = 1 << 24


def report_part(dataset: Dataset, plan: Plan, *, seed: int, part: int) -> bytes:
    """The report file of one part of the people: each reports once, with the full budget.

    The assignment to views, the randomness of the devices, the order of the rows and the name of the
    batch depend on the seed and the number of the part only, not on the worker or the time.

    Parameters
    ----------
    dataset : Dataset
        The people of this part.
    plan : Plan
    seed : int
        One for all parts. Whoever knows it can undo the noise: keep it as secret as the records.
    part : int
        Number of this part.

    Returns
    -------
    bytes
        A Parquet file, see `ReportColumns`.

    Raises
    ------
    InputError
        If the data does not have the plan's domain.
    InfeasibleError
        If there are too many people for one part, or too many views for a file.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> rng = np.random.default_rng(1)
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(1000, 2)), domain)
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=rng)
    >>> report_part(data, plan, seed=1, part=0)[:4]
    b'PAR1'
    """
    plan.domain.check_same(dataset.domain)
    if dataset.n > MAX_PEOPLE:
        raise InfeasibleError(
            f"one part would be {dataset.n:,} people and must be at most {MAX_PEOPLE:,}; "
            "divide the data into more parts"
        )
    columns, rng = ReportColumns(plan), stream(seed, "reports", check_count("part", part, low=0))
    # In a random order from here on.
    dataset = dataset.select_users(rng.permutation(dataset.n))
    labels = assign_groups(dataset.n, plan.shares, rng=rng)
    rows = _make_reports(dataset, columns, labels, rng)
    name = hashlib.sha256(stream(seed, "batch", part).bytes(32)).hexdigest()[:32]
    return columns.parquet(rows, name)


def _make_reports(
    dataset: Dataset, columns: ReportColumns, labels, rng: np.random.Generator
) -> ReportRows:
    """Every person's report; groups with the same oracle are drawn together."""
    plan, n = columns.plan, dataset.n
    cells = _own_cells(dataset, plan, labels)
    kinds: dict = {}
    number = np.array([kinds.setdefault(oracle, len(kinds)) for oracle in plan.oracles])
    body = (
        np.zeros((n, columns.width), np.uint8) if columns.bytewise else np.zeros(n, columns.number)
    )
    seeds = np.zeros(n, dtype=np.uint64)
    for oracle, kind in kinds.items():
        form, theirs = oracle.form, np.flatnonzero(number[labels] == kind)
        step = max(1, MAX_REPORT_CELLS // oracle.size)
        for start in range(0, len(theirs), step):
            rows = theirs[start : start + step]
            reports = oracle.perturb(cells[rows], rng=rng)
            if columns.bytewise:
                body[rows, : form.width] = form.pack(reports)
            else:
                body[rows] = reports[:, 1] if form.has_seeds else reports
            if form.has_seeds:
                seeds[rows] = form.seeds(reports)
    return ReportRows(labels.astype(np.uint16), body, seeds if columns.has_seeds else None)


def _own_cells(dataset: Dataset, plan: Plan, labels: np.ndarray) -> np.ndarray:
    """The cell of every person in the view of her group, int64 (n,)."""
    cells = np.zeros(dataset.n, dtype=np.int64)
    ends = np.bincount(labels, minlength=plan.m).cumsum()[:-1]
    for view, rows in zip(plan.views, np.split(np.argsort(labels, kind="stable"), ends)):
        cells[rows] = dataset.select_users(rows).cells(view)
    return cells


# People per part by default.
PART_PEOPLE = 1 << 18
SUFFIX = ".parquet"
# Suffixes of report files, and how errors describe them.
KINDS = (SUFFIX, LINES)
NONE = f"report file ({', '.join(f'*{kind}' for kind in KINDS)})"
# Seconds between two saves of what has been counted, and how many times as long as a save they last.
SAVE_SECONDS = 2.0
SAVE_SHARE = 10


@dataclass(frozen=True)
class PartDone:
    """Event: number of parts done, and of all parts (0 where unknown)."""

    done: int
    parts: int


def part_sizes(n: int, parts: int) -> list[int]:
    """Numbers of people in each part, nearly equal, the larger ones first.

    Examples
    --------
    >>> part_sizes(7, 3)
    [3, 2, 2]
    """
    parts = check_count("partitions", parts, high=n, remedy="every part needs at least one person")
    each, larger = divmod(n, parts)
    return [each + (part < larger) for part in range(parts)]


def regroup(chunks: Iterable[Dataset], sizes: Iterable[int]) -> Iterator[Dataset]:
    """Yield the people of all chunks, in order, in parts of these sizes; the last may be smaller.

    Parameters
    ----------
    chunks : iterable of Dataset
        Data sets of one domain, taken as needed.
    sizes : iterable of int
        At least as many as are needed.
    """
    waiting: list[np.ndarray] = []
    domain, have, sizes = None, 0, iter(sizes)
    size = next(sizes)
    for chunk in chunks:
        domain = chunk.domain
        waiting.append(chunk.codes)
        have += chunk.n
        while have >= size:
            codes = np.concatenate(waiting)
            yield Dataset.from_codes(codes[:size], domain)
            waiting, have = [codes[size:]], have - size
            size = next(sizes, have + 1)
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
    """Write one report file for every part and return the number of files.

    The same seed and parts give the same bytes, whatever the number of workers.

    Parameters
    ----------
    parts : iterable of Dataset
        Taken as workers become free, so that few are in memory at once.
    plan : Plan
    folder : path
        Created if missing; must not contain reports.
    seed : int
        See `report_part`.
    jobs, scheduler
        Workers, see `calm_core.runtime.executors.run_tasks`.
    total : int
        How many parts there are, where it is known.
    notify : callable, optional
        Receives a `PartDone` for every part.

    Raises
    ------
    UserError
        If the folder cannot be written or holds reports, or the data do not fit the plan. After an error or an
        interruption none of the files is left: nobody shall take them for the reports of all.
    """
    with output_folder(folder, "--out") as folder:
        ReportColumns(plan)
        if list_report_files(folder):
            raise InputError(
                f"--out ({str(folder):.200}) holds reports already, and whoever reports twice is counted "
                "twice; choose an empty folder"
            )
        tasks = (
            partial(_report_part, part, plan, seed, number) for number, part in enumerate(parts)
        )
        files: list[Path] = []
        try:
            with closing(run_tasks(tasks, (plan,), jobs=jobs, scheduler=scheduler)) as work:
                for number, content in work:
                    files.append(folder / f"part-{number:05}{SUFFIX}")
                    write_atomically(files[-1], content, what="a report file")
                    if notify:
                        notify(PartDone(len(files), total))
        except BaseException:
            for path in files:
                path.unlink(missing_ok=True)
            raise
        return len(files)


def _report_part(dataset: Dataset, plan: Plan, seed: int, part: int) -> tuple[int, bytes]:
    return part, report_part(dataset, plan, seed=seed, part=part)


def list_report_files(folder: Path) -> list[Path]:
    """The report files in a folder, sorted."""
    return sorted(file for kind in KINDS for file in folder.glob(f"*{kind}"))


def resolve_report_files(paths: Iterable[str | Path]) -> list[Path]:
    """The report files that these paths name; a folder names all of its report files.

    Raises
    ------
    InputError
        If a path does not exist or a folder contains no report file.
    """
    report_files: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise InputError(
                f"{str(path):.200} does not exist; name report files or folders of them"
            )
        files = list_report_files(path) if path.is_dir() else [path]
        if not files:
            raise InputError(f"the folder {str(path):.200} holds no {NONE}; name another")
        report_files += files
    return report_files


def count_parts(
    paths: Sequence[str | Path],
    state: State,
    *,
    keep: Callable[[State], None],
    jobs: int = 1,
    scheduler: str | None = None,
    notify: Callable[[PartDone], None] | None = None,
) -> tuple[State, list[str]]:
    """Count report files into a state; files that are refused are skipped and returned.

    Parameters
    ----------
    paths : sequence of path
        Report files that the workers can read.
    state : State
        The state so far; its batches are not counted again.
    keep : callable
        Saves a state; called every few seconds and at the end.
    jobs, scheduler
        Workers, see `calm_core.runtime.executors.run_tasks`.
    notify : callable, optional
        Receives a `PartDone` for every file.

    Returns
    -------
    state : State
        The state with everything that could be counted.
    refused : list of str
        One sentence for every file that could not be counted.
    """
    tasks = (partial(_count, path, state.plan, state.batches) for path in paths)
    fresh: list[Tally] = []
    refused: list[str] = []
    due = time.monotonic() + SAVE_SECONDS
    with closing(run_tasks(tasks, (state.plan,), jobs=jobs, scheduler=scheduler)) as work:
        for done, outcome in enumerate(work, 1):
            if isinstance(outcome, str):
                refused.append(outcome)
            elif outcome is not None:
                fresh.append(outcome)
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


def _count(path: str | Path, plan: Plan, batches: dict[str, str]) -> Tally | str | None:
    """The tally of a file, the sentence that refuses it, or None if it was counted before."""
    try:
        return tally_file(path, plan, batches)
    except UserError as error:
        return str(error)


def _with(state: State, fresh: list[Tally], refused: list[str]) -> State:
    """The state with new tallies added; batches with two contents are appended to `refused`."""
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
