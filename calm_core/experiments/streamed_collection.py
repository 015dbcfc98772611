"""Collect from a file that is too large for the app's memory, in a process of its own.

The child reads the file in chunks and leaves the state and an account of the rows; it does not write the table.
"""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from calm_core.collection.states import State, save_state, state_from_bytes
from calm_core.errors import DataError, InputError, UserError
from calm_core.evaluation.streamed_run import RowsRead, collect_streamed
from calm_core.ingest.limits import LIMITS
from calm_core.ingest.streaming import can_stream
from calm_core.ingest.table import ReadOptions
from calm_core.ingest.worker import limit_process
from calm_core.io.atomic_files import resolve_below, strip_root
from calm_core.methods.calm import Calm
from calm_core.runtime.subprocess_jobs import BackgroundProcess, read_request

STATE, ACCOUNT = "state.npz", "account.json"
REFUSED, PROGRESS = "refused.txt", "progress.txt"
# The child ends when nobody looks at it any more, so it needs no tighter limit of CPU time.
MAX_SECONDS = 86_400


@dataclass(frozen=True)
class CollectionStatus:
    """Progress of a collection, or how it ended.

    Attributes
    ----------
    name : {"running", "finished", "stopped", "refused", "died"}
        "stopped" by the user, "refused" because of the file or the settings.
    read : RowsRead
        The latest progress.
    reason : str
        Why it was refused or died.
    """

    name: str
    read: RowsRead
    reason: str = ""


class StreamedCollectionJob(BackgroundProcess):
    """A collection that another process makes; see `start_streamed_collection`.

    Attributes
    ----------
    file : str
        Path of the file relative to the root.
    seed : int
        Seed of the collection.
    state : State or None
        The counts, once it has finished.
    notes : tuple of str
        The account of columns and rows.
    """

    def __init__(self, file: str, seed: int, root: str | Path, request: tuple):
        self.file, self.seed, self._root = file, seed, root
        self.state: State | None = None
        self.notes: tuple[str, ...] = ()
        self._refused, self._read_so_far = "", RowsRead(1, 0, 0)
        super().__init__("calm_core.experiments.streamed_collection", request)

    def _read_results(self) -> None:
        lines = self._read(PROGRESS).rpartition(b"\n")[0].splitlines()
        if lines:
            self._read_so_far = RowsRead(*map(int, lines[-1].split()))
        self._refused = strip_root(self._read(REFUSED).decode(), self._root)
        account = self._read(ACCOUNT)
        # The account is written last, so the state is complete.
        if account and self.state is None:
            self.notes = tuple(json.loads(account))
            self.state = state_from_bytes(self._read(STATE))

    def status(self) -> CollectionStatus:
        """Progress, or how it ended; to ask for it keeps the child working."""
        ended = not self.is_running
        self.refresh()
        name, reason = self.outcome(ended, self.state is not None, self._refused)
        return CollectionStatus(name, self._read_so_far, reason)


def start_streamed_collection(
    root: str | Path,
    name: str,
    method: Calm,
    *,
    d: int,
    max_values: int | None = None,
    options: ReadOptions | None = None,
    seed: int,
) -> StreamedCollectionJob:
    """Start a collection in which everybody in a file below a root reports once.

    Raises
    ------
    InputError
        If the name is not that of a file below the root.
    """
    path = resolve_below(root, name)
    if not path.is_file():
        raise InputError(f"{name!r:.200} must be an ordinary file; choose one of the list")
    request = {"d": d, "max_values": max_values, "options": options or ReadOptions(), "seed": seed}
    return StreamedCollectionJob(name, seed, root, (path, method, request))


def main(folder: Path) -> None:
    """Write the state, or the reason why there is none; called in the child."""
    path, method, options = read_request(folder)
    try:
        # A mapped file counts as memory, though little of it is loaded at any time.
        size = path.stat().st_size if path.exists() else 0
        limit_process(LIMITS.memory_bytes + size, MAX_SECONDS)
        state, notes = _collect(path, method, options, folder)
    except UserError as error:
        (folder / REFUSED).write_text(str(error), "utf-8")
        return
    save_state(folder / STATE, state)
    (folder / ".account").write_text(json.dumps(notes), "utf-8")
    (folder / ".account").replace(folder / ACCOUNT)


def _collect(path: Path, method: Calm, options: dict, folder: Path) -> tuple[State, list[str]]:
    if not can_stream(path, options["options"]):
        raise DataError(
            f"the file is larger than {LIMITS.upload_bytes >> 20} MB and its format cannot be read "
            "in parts; save it as CSV or Parquet"
        )
    with (folder / PROGRESS).open("w", encoding="ascii") as progress:

        def notify(event: RowsRead) -> None:
            print(event.reading, event.rows, event.total, file=progress, flush=True)

        state, report = collect_streamed(path, method, **options, notify=notify)
    notes = tuple(strip_root(note, path.parent) for note in report.notes)
    return state, [replace(report, notes=notes).sentence, *notes]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
