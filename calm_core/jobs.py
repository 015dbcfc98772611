"""Comparisons in a process of their own: they take no time from whoever else uses the app.

The app writes the data and the request into a folder and starts `python -m calm_core.jobs FOLDER`;
the child appends scores to a file there. It runs at low priority on one core, and it ends by itself
when nobody has asked for its scores for a while: a closed browser tab stops its work.
"""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd

from calm_core.dataset import Dataset
from calm_core.domain import Domain
from calm_core.experiments import ExperimentSpec, MethodSpec, events
from calm_core.experiments.scoring import COLUMNS

PATIENCE = 20.0
# What a request holds of an `ExperimentSpec` beside its data and methods.
PLAIN = ("epsilons", "ks", "ds", "ns", "repetitions", "queries", "seed", "query_kind")


class Job:
    """An experiment that runs in another process; made by `start`.

    Keep it as long as the scores matter: its folder goes with it.
    """

    def __init__(self, spec: ExperimentSpec, folder: tempfile.TemporaryDirectory, process):
        self.spec = spec
        self.started = time.monotonic()
        self.cancelled = False
        self._folder = folder
        self._process = process

    @property
    def path(self) -> Path:
        """Where the child's files are."""
        return Path(self._folder.name)

    @property
    def running(self) -> bool:
        """Whether the child still works."""
        return self._process.poll() is None

    @property
    def failure(self) -> str:
        """What the child said when it failed, else an empty text."""
        if self.running or self.cancelled or self._process.returncode == 0:
            return ""
        return (self.path / "problem.txt").read_text(encoding="utf-8", errors="replace").strip()

    def scores(self) -> pd.DataFrame:
        """All whole rows so far; asking also tells the child that somebody is still there."""
        (self.path / "alive").touch()
        file = self.path / "scores.csv"
        if not file.exists():
            return pd.DataFrame(columns=list(COLUMNS))
        whole = file.read_bytes().rpartition(b"\n")[0]
        return _parse(whole)

    def progress(self, scores: pd.DataFrame) -> tuple[int, int, float | None]:
        """Tasks done, tasks in all, and seconds left (None before the first is done).

        A task is one method in one repetition, at all epsilons.
        """
        done = len(scores[["method", "repetition", "n", "k", "d"]].drop_duplicates())
        total = len(self.spec.tasks)
        spent = time.monotonic() - self.started
        return done, total, spent / done * (total - done) if done else None

    def cancel(self) -> None:
        """Stop the child at once, with whatever it has started."""
        self.cancelled = True
        if self.running:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=10)


def _parse(csv: bytes) -> pd.DataFrame:
    if not csv:
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.read_csv(io.BytesIO(csv), dtype={"reason": "string", "attributes": "string"})


def _request(spec: ExperimentSpec) -> str:
    """All of the spec but the records, as JSON."""
    shape = {"names": spec.data.domain.names, "sizes": spec.data.domain.sizes}
    methods = [[m.name, dict(m.options), m.label] for m in spec.methods]
    plain = {name: getattr(spec, name) for name in PLAIN}
    return json.dumps({"domain": shape, "methods": methods, "plain": plain})


def _spec_of(folder: Path) -> ExperimentSpec:
    """The spec that `start` wrote down."""
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    data = Dataset.from_codes(np.load(folder / "codes.npy"), Domain(**request["domain"]))
    methods = tuple(MethodSpec(*method) for method in request["methods"])
    plain = {k: tuple(v) if isinstance(v, list) else v for k, v in request["plain"].items()}
    return ExperimentSpec(data, methods, **plain)


def start(spec: ExperimentSpec) -> Job:
    """Start `spec` in a process of its own.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 2], [1, 0], [1, 1]], Domain(("sex", "age"), (2, 3)))
    >>> job = start(ExperimentSpec(data, ("uni",), (1.0,), ks=(2,), repetitions=1))
    >>> job.cancel()
    >>> job.running
    False
    """
    folder = tempfile.TemporaryDirectory(prefix="calm-compare-")
    path = Path(folder.name)
    np.save(path / "codes.npy", spec.data.codes)
    (path / "request.json").write_text(_request(spec), encoding="utf-8")
    (path / "alive").touch()
    one_core = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    root = str(Path(__file__).resolve().parents[1])
    paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    with (path / "problem.txt").open("wb") as problem:
        process = subprocess.Popen(
            [sys.executable, "-m", "calm_core.jobs", str(path)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=problem,
            env=os.environ | one_core | {"PYTHONPATH": paths}, start_new_session=True,
        )  # fmt: skip
    return Job(spec, folder, process)


def main(folder: Path) -> None:
    """The child's part: work through the request, ending early when nobody waits any more."""
    os.nice(10)
    threading.Thread(target=_watch, args=(folder / "alive", os.getppid()), daemon=True).start()
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        pd.DataFrame(columns=list(COLUMNS)).to_csv(file, index=False)
        for event in events(_spec_of(folder)):
            event.rows.to_csv(file, index=False, header=False)
            file.flush()


def _watch(alive: Path, parent: int) -> None:
    while True:
        time.sleep(1.0)
        try:
            silent = time.time() - alive.stat().st_mtime
        except FileNotFoundError:
            silent = PATIENCE + 1
        if silent > PATIENCE or os.getppid() != parent:
            os._exit(3)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
