"""What the reports say by now: worked out once for all who look, and only when enough has changed."""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from calm_core.classroom.counts import MIN_REPORTS
from calm_core.classroom.projector import Progress, ProjectorView
from calm_core.classroom.results import Results, infer_results

# Reports between one picture and the next while a survey is open.
STEP = 5
MAX_PICTURES = 64


@dataclass(frozen=True, eq=False)
class Picture:
    """Results, and where the survey was when they were made."""

    version: int
    state: str
    reports: int
    found: Results


class Pictures:
    """The newest picture of every survey looked at last, shared by all viewers."""

    def __init__(self, most: int = MAX_PICTURES):
        self._most, self._lock = most, Lock()
        self._kept: OrderedDict[tuple, Picture] = OrderedDict()

    def get(
        self, wall: ProjectorView, now: Progress, *, pooled: bool = False, method: str = "calm_plus"
    ) -> Results | None:
        """The results to show at this progress; None below the fewest reports that tell anything."""
        key = (wall.code, pooled, method)
        with self._lock:
            # Other classes go on without a change of this one's version.
            collected = wall.pooled() if pooled else None
            reports = now.reports if collected is None else collected.n
            kept = self._kept.get(key)
            if kept is None or _due(kept, now, reports):
                self._kept.pop(key, None)
                collected = wall.collected() if collected is None else collected
                if collected.n < MIN_REPORTS:
                    return None
                kept = Picture(now.version, now.state, reports, infer_results(collected, method))
                self._kept[key] = kept
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return kept.found

    def forget(self, code: str) -> None:
        """Nothing of this survey is kept."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == code]:
                del self._kept[key]


def _due(kept: Picture, now: Progress, reports: int) -> bool:
    """Whether a new picture is made: while a survey is open only after some reports more, or fewer."""
    if (kept.version, kept.state, kept.reports) == (now.version, now.state, reports):
        return False
    if now.state != "open" or kept.state != now.state or reports < MIN_REPORTS:
        return True
    return abs(reports - kept.reports) >= STEP


PICTURES = Pictures()
