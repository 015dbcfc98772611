"""Comparisons in a process of their own: they take no time from whoever else uses the app.

The app writes the data and the request into the folder of a `BackgroundProcess`, which takes the records away as soon
as it has read them, and appends scores to a file there.
"""

import io
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from calm_core._checks import check_choice, check_count
from calm_core.experiments import ExperimentSpec, MethodSpec, events
from calm_core.experiments.scoring import COLUMNS
from calm_core.runtime.subprocess_jobs import BackgroundProcess, start_watchdog
from calm_core.runtime.temp_dirs import PrivateTempDir
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.population import Population

# What a request holds of an `ExperimentSpec` beside its data and methods.
PLAIN = ("epsilons", "ks", "ds", "ns", "repetitions", "queries", "seed", "query_kind", "name")


@dataclass(frozen=True)
class ComparisonState:
    """How far a job is, or how it ended.

    Attributes
    ----------
    name : {"running", "finished", "stopped", "died"}
        "stopped" is by the user; "finished" is said of a job only that has done everything.
    done, total : int
        Tasks (one method in one repetition, at all epsilons).
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

    def __post_init__(self):
        check_choice("state", self.name, ("running", "finished", "stopped", "died"))
        check_count("total", self.total, low=0)
        check_count("done", self.done, low=0, high=self.total)

    @property
    def unfinished(self) -> str:
        """What marks results that are not all there, in a picture or a file; else an empty text."""
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
    """An experiment that runs in another process; made by `start_comparison`."""

    def __init__(self, spec: ExperimentSpec, scratch: PrivateTempDir):
        self.spec = spec
        self._scores = _parse(b"")
        super().__init__(scratch, "calm_core.experiments.background")

    def _read_results(self) -> None:
        self._scores = _parse(self._read("scores.csv").rpartition(b"\n")[0])

    def scores(self) -> pd.DataFrame:
        """All whole rows so far; asking also tells the child that somebody is still there."""
        self.refresh()
        return self._scores

    def state(self) -> ComparisonState:
        """Whether it works, has finished, was stopped or died, and how many results there are."""
        # Asked first: what it does after that is not yet known.
        ended = not self.running
        done, total, _ = self.progress(self.scores())
        if not ended:
            return ComparisonState("running", done, total)
        if self.succeeded and done == total:
            return ComparisonState("finished", done, total)
        if self.cancelled:
            return ComparisonState("stopped", done, total)
        return ComparisonState("died", done, total, self.failure_reason())

    def progress(self, scores: pd.DataFrame) -> tuple[int, int, float | None]:
        """Tasks done, tasks in all, and seconds left (None before the first is done).

        A task is one method in one repetition, at all epsilons.
        """
        done = len(scores[["method", "repetition", "n", "k", "d"]].drop_duplicates())
        total = len(self.spec.tasks)
        spent = time.monotonic() - self.started
        return done, total, spent / done * (total - done) if done else None


def _parse(csv: bytes) -> pd.DataFrame:
    if not csv:
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.read_csv(io.BytesIO(csv), dtype={"reason": "string", "attributes": "string"})


def _request(spec: ExperimentSpec) -> str:
    """All of the spec but the records, as JSON."""
    shape = {name: getattr(spec.data.domain, name) for name in ("names", "sizes", "ordered")}
    methods = [[m.name, dict(m.options), m.label] for m in spec.methods]
    plain = {name: getattr(spec, name) for name in PLAIN}
    drawn = spec.data.n if isinstance(spec.data, Population) else None
    told = {"domain": shape, "methods": methods, "plain": plain, "population": drawn}
    return json.dumps(told)


def _spec_of(folder: Path) -> ExperimentSpec:
    """The spec that `start_comparison` wrote down."""
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    data = Dataset.from_codes(np.load(folder / "codes.npy"), Domain(**request["domain"]))
    # True records lie on the disk no longer than they must.
    (folder / "codes.npy").unlink()
    people = data if request["population"] is None else Population(data, request["population"])
    methods = tuple(MethodSpec(*method) for method in request["methods"])
    plain: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in request["plain"].items()
    }
    return ExperimentSpec(people, methods, **plain)


def start_comparison(spec: ExperimentSpec) -> ComparisonJob:
    """Start `spec` in a process of its own.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 2], [1, 0], [1, 1]], Domain(("sex", "age"), (2, 3)))
    >>> job = start_comparison(ExperimentSpec(data, ("uni",), (1.0,), ks=(2,), repetitions=1))
    >>> job.cancel()
    >>> job.running
    False
    """
    scratch = PrivateTempDir()
    with scratch.open("codes.npy", "wb") as file:
        data = spec.data
        np.save(file, data.rows.codes if isinstance(data, Population) else data.codes)
    with scratch.open("request.json", "w", encoding="utf-8") as file:
        file.write(_request(spec))
    return ComparisonJob(spec, scratch)


def main(folder: Path) -> None:
    """The child's part: work through the request, ending early when nobody waits any more."""
    start_watchdog(folder)
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        pd.DataFrame(columns=list(COLUMNS)).to_csv(file, index=False)
        for event in events(_spec_of(folder)):
            event.rows.to_csv(file, index=False, header=False)
            file.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
