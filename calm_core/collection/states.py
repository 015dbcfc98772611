"""States of a collection: what has been counted so far, and its files (JSON, or npz of numpy).

States merge in any order, and no batch counts twice.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, reduce
from operator import add
from pathlib import Path

import numpy as np

from calm_core.collection.report_files import REASONS
from calm_core.collection.simulation import Reports, ViewReports
from calm_core.collection.tally import Tally
from calm_core.errors import DataError, InputError
from calm_core.io.atomic_files import read_file, write_atomically
from calm_core.io.damaged_files import check_unpacked_size, explain_damage
from calm_core.io.json_types import build_dataclass
from calm_core.planning.plan import Plan
from calm_core.planning.plan_file import canonical_json, plan_digest, plan_from_json, plan_text

# Up to so many counts in all, batches stay separate tallies, and states with any batches in common can
# be merged. Above it all batches become one tally, which can only be merged as a whole.
MAX_COUNTS = 1 << 22


@dataclass(frozen=True, eq=False)
class State:
    """The support counts of a collection so far, and the batches they come from.

    Attributes
    ----------
    plan : Plan
        The plan of the collection.
    tallies : tuple of Tally
        The counts, batch by batch where the batches are still kept apart.

    Raises
    ------
    InputError
        If a tally is not of the plan, or a batch is in two of them.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> one = State(plan, (Tally((("a", "0f"),), [4, 1, 1, 2, 1, 1], [10]),))
    >>> other = State(plan, (Tally((("b", "1f"),), [1, 1, 0, 0, 0, 0], [2]),))
    >>> merge_states((one, other, one)).n, merge_states((one, other)).reports.views[0].support.tolist()
    (12, [5, 2, 1, 2, 1, 1])
    """

    plan: Plan
    tallies: tuple[Tally, ...] = ()

    def __post_init__(self):
        sizes = [oracle.size for oracle in self.plan.oracles]
        cells = sum(sizes)
        for tally in self.tallies:
            if tally.support.shape != (cells,) or tally.people.shape != (self.plan.m,):
                raise InputError(
                    f"a tally must have a count for each of the {cells:,} cells and {self.plan.m:,} "
                    "views of the plan"
                )
            if np.any(tally.support > np.repeat(tally.people, sizes)):
                raise InputError(
                    "a tally must not support a cell more often than there are reports"
                )
        if len(self.batches) != sum(len(tally.batches) for tally in self.tallies):
            raise InputError("a batch must be in one tally only")
        if len(self.tallies) > max(1, MAX_COUNTS // cells):
            object.__setattr__(self, "tallies", (reduce(add, self.tallies),))

    @cached_property
    def batches(self) -> dict[str, str]:
        """The sha256 of every batch counted, by the random name of the batch."""
        return {name: sha for tally in self.tallies for name, sha in tally.batches}

    @cached_property
    def reports(self) -> Reports:
        """Support counts of every view, the input of `aggregate`."""
        cells = sum(oracle.size for oracle in self.plan.oracles)
        support = sum((tally.support for tally in self.tallies), np.zeros(cells, dtype=np.int64))
        people = sum((tally.people for tally in self.tallies), np.zeros(self.plan.m, np.int64))
        ends = np.cumsum([oracle.size for oracle in self.plan.oracles])[:-1]
        parts = zip(self.plan.views, self.plan.oracles, np.split(support, ends), people.tolist())
        return Reports(self.plan.domain, tuple(ViewReports(*part) for part in parts))

    @property
    def n(self) -> int:
        """Number of reports counted."""
        return self.reports.n

    @property
    def refused(self) -> dict[str, int]:
        """Number of refused reports by reason, without reasons that did not occur."""
        sums = np.sum([tally.refused for tally in self.tallies] or [(0,) * len(REASONS)], axis=0)
        return {reason: count for reason, count in zip(REASONS, sums.tolist()) if count}


def merge_states(states: Sequence[State]) -> State:
    """Merge states of one plan; every batch is counted once.

    Commutative, associative and idempotent while states keep their batches apart (`MAX_COUNTS`).

    Raises
    ------
    InputError
        If the states are of different plans, a batch has two contents, or two states share some
        batches of a tally that cannot be taken apart.
    """
    if not states:
        raise InputError("there must be at least one state to merge")
    plan = states[0].plan
    if any(state.plan != plan for state in states):
        raise InputError("the states must be of one plan; merge those of each plan on their own")
    contents: dict[str, str] = {}
    for state in states:
        for name, sha in state.batches.items():
            if contents.setdefault(name, sha) != sha:
                raise InputError(
                    f"batch {name:.40} was counted with two contents; find out which of the two is right"
                )
    return State(plan, tuple(_once(tally for state in states for tally in state.tallies)))


def _once(tallies: Iterable[Tally]) -> list[Tally]:
    """Tallies that hold every batch once, the largest first, in a fixed order."""
    distinct: list[Tally] = []
    names_taken: set[str] = set()
    for tally in sorted(tallies, key=lambda tally: (-len(tally.batches), tally.batches)):
        names = {name for name, _ in tally.batches}
        if names <= names_taken:
            continue
        if names & names_taken:
            raise InputError(
                f"the states share {len(names & names_taken):,} batches that can no longer be separated "
                "from others they do not share; aggregate the report files again"
            )
        names_taken |= names
        distinct.append(tally)
    return distinct


FORMAT = "calm-lab state 1"
KINDS = (".json", ".npz")
# Limit of a file, and of its unpacked content.
MAX_BYTES = 1 << 31


@dataclass(frozen=True)
class _Stored:
    """The fields of a tally other than its counts."""

    batches: tuple[tuple[str, ...], ...]
    refused: dict


def check_state_path(path: str | Path, what: str) -> Path:
    """Return the path if it ends in a suffix of state files."""
    path = Path(path)
    if path.suffix not in KINDS:
        raise InputError(f"{what} ({str(path):.200}) must end in {' or '.join(KINDS)}")
    return path


def save_state(path: str | Path, state: State, *, what: str = "the state") -> None:
    """Write a state atomically, as JSON or npz by the suffix of the path."""
    kind = check_state_path(path, what).suffix
    write_atomically(path, state_bytes(state, kind), what=what)


def state_bytes(state: State, kind: str) -> bytes:
    """The content of a state file of that kind; equal tallies give equal bytes.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> state = State(plan, (Tally((("a", "0f"),), [4, 1, 1, 2, 1, 1], [10]),))
    >>> all(state_from_bytes(state_bytes(state, kind)).n == 10 for kind in KINDS)
    True
    """
    tallies = []
    for tally in state.tallies:
        refused = {reason: count for reason, count in zip(REASONS, tally.refused) if count}
        tallies.append(asdict(_Stored(tally.batches, refused)))
        if kind == ".json":
            tallies[-1] |= {"support": tally.support.tolist(), "people": tally.people.tolist()}
    about = {
        "format": FORMAT,
        "plan": json.loads(plan_text(state.plan)),
        "plan_digest": plan_digest(state.plan),
        "tallies": tallies,
    }
    if kind == ".json":
        return canonical_json(about).encode() + b"\n"
    sink = io.BytesIO()
    support = [tally.support for tally in state.tallies]
    people = [tally.people for tally in state.tallies]
    cells = sum(oracle.size for oracle in state.plan.oracles)
    np.savez_compressed(
        sink,
        about=np.frombuffer(canonical_json(about).encode(), dtype=np.uint8),
        support=np.array(support, dtype=np.int64).reshape(-1, cells),
        people=np.array(people, dtype=np.int64).reshape(-1, state.plan.m),
    )
    return sink.getvalue()


def load_state(path: str | Path) -> State:
    """Read a state from a file.

    Raises
    ------
    DataError
        If it is damaged, or no state.
    """
    what = f"the state ({str(path):.200})"
    return state_from_bytes(read_file(path, what=what, max_bytes=MAX_BYTES), what)


def state_from_bytes(content: bytes, what: str = "the state") -> State:
    """Read a state from the content of a file of either kind."""
    with explain_damage(what, "state", "make it again"):
        supports = people = None
        if content[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                check_unpacked_size(packed, MAX_BYTES, what, "state")
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                about = json.loads(arrays["about"].tobytes())
                supports, people = arrays["support"], arrays["people"]
        else:
            about = json.loads(content)
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise DataError(f"{what} is no state of format {FORMAT!r}; make it with aggregate")
        plan = plan_from_json(about["plan"], f"the plan in {what}")
        if about["plan_digest"] != plan_digest(plan):
            raise DataError(f"{what} is damaged: its plan is not the one it names")
        tallies = about["tallies"]
        if supports is None or people is None:
            supports, people = (
                [_counts(tally[name]) for tally in tallies] for name in ("support", "people")
            )
        rows = zip(tallies, supports, people, strict=True)
        return State(plan, tuple(_tally(plain, a, b) for plain, a, b in rows))


def _counts(numbers: list) -> np.ndarray:
    """Counts from JSON; refuses numbers that are not whole."""
    if not all(type(number) is int for number in numbers):
        raise DataError("the state is damaged: its counts must be whole numbers")
    return np.array(numbers, dtype=np.int64)


def _tally(plain: dict, support: np.ndarray, people: np.ndarray) -> Tally:
    fields = {name: plain[name] for name in ("batches", "refused")}
    stored = build_dataclass(fields, _Stored, "state")
    if set(stored.refused) - set(REASONS) or any(len(pair) != 2 for pair in stored.batches):
        raise DataError(
            "the state is damaged: its batches and refused reports are not what they should"
        )
    refused = tuple(stored.refused.get(reason, 0) for reason in REASONS)
    batches = tuple((name, sha) for name, sha in stored.batches)
    return Tally(batches, support, people, refused)
