"""Run a comparison in a process of its own, so that it does not slow down other visitors of the app.

The app writes the experiment with its data into the folder of a `BackgroundProcess`; the child deletes it as soon
as it has read it, and appends scores to a file there.
"""

import io
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from calm_core.experiments.spec import COLUMNS, ExperimentSpec, events
from calm_core.runtime.subprocess_jobs import BackgroundProcess, read_request


@dataclass(frozen=True)
class ComparisonState:
    """Progress of a comparison, or how it ended.

    Attributes
    ----------
    name : {"running", "finished", "stopped", "died"}
        "stopped" by the user; "finished" only with all tasks done.
    done, total : int
        Tasks: one method in one repetition, at all epsilons.
    reason : str
        Why it died.

    Examples
    --------
    >>> ComparisonState("died", 241, 6000, "the disk is full").sentence
    'The comparison died after 241 of 6,000 collections: the disk is full'
    """

    name: str
    done: int
    total: int
    reason: str = ""

    @property
    def unfinished_mark(self) -> str:
        """The mark of incomplete results in a figure or a file; empty if they are complete."""
        return "" if self.name == "finished" else f"unfinished: {self._count}, {self.name}"

    @property
    def _count(self) -> str:
        return f"{self.done:,} of {self.total:,} collections"

    @property
    def sentence(self) -> str:
        """The state in a sentence."""
        return {
            "running": f"The comparison is at work: {self._count}",
            "finished": f"The comparison has finished all {self.total:,} collections",
            "stopped": f"The comparison was stopped by you after {self._count}",
            "died": f"The comparison died after {self._count}: {self.reason}",
        }[self.name]


class ComparisonJob(BackgroundProcess):
    """An experiment that runs in a process of its own.

    Examples
    --------
    >>> from calm_core import Dataset, Domain
    >>> data = Dataset.from_codes([[0, 2], [1, 0], [1, 1]], Domain(("sex", "age"), (2, 3)))
    >>> job = ComparisonJob(ExperimentSpec(data, ("uni",), (1.0,), ks=(2,), repetitions=1))
    >>> job.cancel()
    >>> job.is_running
    False
    """

    def __init__(self, spec: ExperimentSpec):
        self.spec = spec
        self._scores = _parse(b"")
        super().__init__("calm_core.experiments.background", spec)

    def _read_results(self) -> None:
        self._scores = _parse(self._read("scores.csv").rpartition(b"\n")[0])

    def scores(self) -> pd.DataFrame:
        """All complete rows so far; to ask for them keeps the child working."""
        self.refresh()
        return self._scores

    def state(self) -> ComparisonState:
        """Whether it works, has finished, was stopped or died, with the number of tasks done."""
        ended = not self.is_running
        done, total, _ = self.progress(self.scores())
        name, reason = self.outcome(ended, done == total)
        return ComparisonState(name, done, total, reason)

    def progress(self, scores: pd.DataFrame) -> tuple[int, int, float | None]:
        """Tasks done, tasks in all, and seconds left (None before the first is done).

        A task is one method in one repetition, at all epsilons.
        """
        tasks_done = len(scores[["method", "repetition", "n", "k", "d"]].drop_duplicates())
        total = len(self.spec.tasks)
        spent = time.monotonic() - self.started
        return tasks_done, total, spent / tasks_done * (total - tasks_done) if tasks_done else None


def _parse(csv: bytes) -> pd.DataFrame:
    if not csv:
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.read_csv(io.BytesIO(csv), dtype={"reason": "string", "attributes": "string"})


def main(folder: Path) -> None:
    """Run the experiment of the request; called in the child."""
    spec = read_request(folder)
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        pd.DataFrame(columns=list(COLUMNS)).to_csv(file, index=False)
        for event in events(spec):
            event.rows.to_csv(file, index=False, header=False)
            file.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
