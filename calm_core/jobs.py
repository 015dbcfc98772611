"""Comparisons in a process of their own: they take no time from whoever else uses the app.

The app writes the data and the request into a folder and starts `python -m calm_core.jobs FOLDER`;
the child appends scores to a file there. It runs at low priority on one core, and it ends by itself
when nobody has asked for its scores for a while: a closed browser tab stops its work.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from calm_core._checks import check_choice, check_count, check_epsilon
from calm_core.dataset import Dataset
from calm_core.domain import Domain
from calm_core.errors import InputError, UserError
from calm_core.methods import METHODS, make_method
from calm_core.running import run

COLUMNS = (
    "method", "trust", "d", "k", "n", "epsilon", "repetition", "query", "sse", "covered",
    "uniform_sse", "reason",
)  # fmt: skip
PATIENCE = 20.0


@dataclass(frozen=True)
class Comparison:
    """What to compare; every method of a repetition meets the same rows and queries.

    Attributes
    ----------
    methods : tuple of str
        Keys of `METHODS`.
    epsilons : tuple of float
        Budgets to run each method with.
    k : int
        Attributes per query.
    repetitions, queries, seed : int
        As in `run`.
    n : int, optional
        Number of users; None takes every row.
    settings : dict
        Further settings for the methods that have them, such as theta.
    """

    methods: tuple[str, ...]
    epsilons: tuple[float, ...]
    k: int
    repetitions: int = 5
    queries: int = 20
    seed: int = 1
    n: int | None = None
    settings: dict = field(default_factory=dict)

    def __post_init__(self):
        if not self.methods or not self.epsilons:
            raise InputError(
                "a comparison must have at least one method and one epsilon; choose some"
            )
        for method in self.methods:
            check_choice("method", method, METHODS)
        for epsilon in self.epsilons:
            check_epsilon(epsilon)
        check_count("k", self.k)
        check_count("repetitions", self.repetitions)
        check_count("queries", self.queries)

    @property
    def units(self) -> int:
        """Number of releases to make."""
        return len(self.methods) * len(self.epsilons) * self.repetitions


def compare(dataset: Dataset, comparison: Comparison) -> Iterator[list[dict]]:
    """Rows of scores, one list per release; repetitions outermost, so that all lines grow together.

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> data = Dataset.from_codes(codes, domain)
    >>> (rows,) = compare(data, Comparison(("calm",), (1.0,), k=2, repetitions=1))
    >>> rows[0]["method"], rows[0]["query"]
    ('calm', 'sex x age')
    """
    for repetition in range(comparison.repetitions):
        for epsilon in comparison.epsilons:
            for name in comparison.methods:
                yield _one_release(dataset, comparison, name, epsilon, repetition)


def _one_release(dataset, comparison: Comparison, name: str, epsilon: float, repetition: int):
    common = {
        "method": name, "trust": METHODS[name].trust, "d": dataset.domain.d, "k": comparison.k,
        "n": comparison.n or dataset.n, "epsilon": epsilon, "repetition": repetition,
    }  # fmt: skip
    try:
        method = make_method(
            name, **(comparison.settings | {"epsilon": epsilon, "k": comparison.k})
        )
        outcome = run(
            dataset, method, seed=comparison.seed, n=comparison.n,
            queries=comparison.queries, repetition=repetition,
        )  # fmt: skip
    except UserError as error:
        return [
            common
            | {"query": "", "sse": "", "covered": "", "uniform_sse": "", "reason": str(error)}
        ]
    return [
        common | {
            "query": " x ".join(row.attributes), "sse": row.sse, "covered": row.covered,
            "uniform_sse": row.uniform_sse, "reason": "",
        }
        for row in outcome.scores.itertuples()
    ]  # fmt: skip


class Job:
    """A comparison that runs in another process; made by `start`.

    Keep it as long as the scores matter: its folder goes with it.
    """

    def __init__(self, comparison: Comparison, folder: tempfile.TemporaryDirectory, process):
        self.comparison = comparison
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
        """Releases done, releases in all, and seconds left (None before the first is done)."""
        done = len(scores[["method", "epsilon", "repetition"]].drop_duplicates())
        total = self.comparison.units
        spent = time.monotonic() - self.started
        return done, total, spent / done * (total - done) if done else None

    def cancel(self) -> None:
        """Stop the child at once, with whatever it has started."""
        self.cancelled = True
        if self.running:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=10)


def _parse(csv: bytes) -> pd.DataFrame:
    import io

    if not csv:
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.read_csv(io.BytesIO(csv), dtype={"reason": "string", "query": "string"})


def start(dataset: Dataset, comparison: Comparison) -> Job:
    """Start `comparison` of `dataset` in a process of its own."""
    folder = tempfile.TemporaryDirectory(prefix="calm-compare-")
    path = Path(folder.name)
    np.save(path / "codes.npy", dataset.codes)
    shape = {"names": dataset.domain.names, "sizes": dataset.domain.sizes}
    request = {"domain": shape, "comparison": asdict(comparison)}
    (path / "request.json").write_text(json.dumps(request), encoding="utf-8")
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
    return Job(comparison, folder, process)


def main(folder: Path) -> None:
    """The child's part: work through the request, ending early when nobody waits any more."""
    os.nice(10)
    threading.Thread(target=_watch, args=(folder / "alive", os.getppid()), daemon=True).start()
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    shape = {name: tuple(value) for name, value in request["domain"].items()}
    dataset = Dataset.from_codes(np.load(folder / "codes.npy"), Domain(**shape))
    wanted = request["comparison"]
    wanted |= {name: tuple(wanted[name]) for name in ("methods", "epsilons")}
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        pd.DataFrame(columns=list(COLUMNS)).to_csv(file, index=False)
        for rows in compare(dataset, Comparison(**wanted)):
            pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(file, index=False, header=False)
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
