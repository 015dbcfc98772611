"""States of a collection as files: JSON for reading, or numpy's npz; checked when they are read."""

import io
import json
import zipfile
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from calm_core.collection.report_files import REASONS
from calm_core.collection.states import State
from calm_core.collection.tally import Tally
from calm_core.errors import DataError, InputError, UserError
from calm_core.io.atomic_files import read_file, write_atomically
from calm_core.io.json_types import build_fields, check_types
from calm_core.planning.plan_file import canonical_json, plan_digest, plan_from_json, plan_text

FORMAT = "calm-lab state 1"
KINDS = (".json", ".npz")
# As a file, and once it is unpacked.
MAX_BYTES = 1 << 31
# What is raised on the way through a damaged file; RuntimeError where a bit says that it is encrypted.
UNREADABLE = (
    ValueError, TypeError, KeyError, OverflowError, EOFError, OSError, RuntimeError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@dataclass(frozen=True)
class _Stored:
    """What a tally says beside its counts."""

    batches: tuple[tuple[str, ...], ...]
    refused: dict


def check_state_path(path: str | Path, what: str) -> Path:
    """The path, if its name says that it is a state."""
    path = Path(path)
    if path.suffix not in KINDS:
        raise InputError(f"{what} ({str(path):.200}) must end in {' or '.join(KINDS)}")
    return path


def save_state(path: str | Path, state: State, *, what: str = "the state") -> None:
    """Write a state, whole or not at all; its name decides whether as JSON or as npz."""
    kind = check_state_path(path, what).suffix
    write_atomically(path, state_bytes(state, kind), what=what)


def state_bytes(state: State, kind: str) -> bytes:
    """The content of a state file of that kind: the same bytes for the same tallies.

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
    about = {
        "format": FORMAT,
        "plan": json.loads(plan_text(state.plan)),
        "plan_digest": plan_digest(state.plan),
        "tallies": [_plain(tally) for tally in state.tallies],
    }
    if kind == ".json":
        for plain, tally in zip(about["tallies"], state.tallies):
            plain |= {"support": tally.support.tolist(), "people": tally.people.tolist()}
        return canonical_json(about).encode() + b"\n"
    sink = io.BytesIO()
    empty = State(state.plan).reports
    shape = (0, sum(view.oracle.size for view in empty.views)), (0, state.plan.m)
    np.savez_compressed(
        sink,
        about=np.frombuffer(canonical_json(about).encode(), dtype=np.uint8),
        support=_stack([tally.support for tally in state.tallies], shape[0]),
        people=_stack([tally.people for tally in state.tallies], shape[1]),
    )
    return sink.getvalue()


def _stack(rows: list[np.ndarray], empty: tuple[int, int]) -> np.ndarray:
    return np.stack(rows) if rows else np.zeros(empty, dtype=np.int64)


def _plain(tally: Tally) -> dict:
    refused = {reason: count for reason, count in zip(REASONS, tally.refused) if count}
    return asdict(_Stored(tally.batches, refused))


def load_state(path: str | Path) -> State:
    """The state in a file.

    Raises
    ------
    DataError
        If it is damaged, or no state.
    """
    what = f"the state ({str(path):.200})"
    return state_from_bytes(read_file(path, what=what, most=MAX_BYTES), what)


def state_from_bytes(content: bytes, what: str = "the state") -> State:
    """The state that the content of a file says, whichever of the two kinds it is."""
    try:
        if content[:2] == b"PK":
            about, supports, people = _unpacked(content, what)
        else:
            about = json.loads(content)
            supports = people = None
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise DataError(f"{what} is no state of format {FORMAT!r}; make it with aggregate")
        plan = plan_from_json(about["plan"], f"the plan in {what}")
        if about["plan_digest"] != plan_digest(plan):
            raise DataError(f"{what} is damaged: its plan is not the one it names")
        tallies = about["tallies"]
        if supports is None or people is None:
            supports = [_counts(tally["support"]) for tally in tallies]
            people = [_counts(tally["people"]) for tally in tallies]
        rows = zip(tallies, supports, people, strict=True)
        return State(plan, tuple(_tally(plain, a, b) for plain, a, b in rows))
    except UserError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{what} is damaged: {str(error)[:300]}") from error
    except UNREADABLE as error:
        reason = str(error)[:100] or type(error).__name__
        raise DataError(f"{what} is damaged, or no state ({reason}); make it again") from error


def _unpacked(content: bytes, what: str):
    """What an npz file holds; one that unpacks to too much is refused before it does."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if sum(member.file_size for member in packed.infolist()) > MAX_BYTES:
            raise DataError(f"{what} unpacks to more than {MAX_BYTES:,} bytes, as no state does")
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return json.loads(found["about"].tobytes()), found["support"], found["people"]


def _counts(numbers: list) -> np.ndarray:
    """Whole numbers as JSON has them; none may be cut to fit."""
    if not all(type(number) is int for number in numbers):
        raise DataError("the state is damaged: its counts must be whole numbers")
    return np.array(numbers, dtype=np.int64)


def _tally(plain: dict, support: np.ndarray, people: np.ndarray) -> Tally:
    said = {name: plain[name] for name in ("batches", "refused")}
    stored = _Stored(**build_fields(check_types(said, _Stored, "state"), _Stored))
    if set(stored.refused) - set(REASONS) or any(len(pair) != 2 for pair in stored.batches):
        raise DataError(
            "the state is damaged: its batches and refused reports are not what they should"
        )
    refused = tuple(stored.refused.get(reason, 0) for reason in REASONS)
    batches = tuple((name, sha) for name, sha in stored.batches)
    return Tally(batches, support, people, refused)
