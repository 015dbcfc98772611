"""What a student does: a name that gives their seed, answers, and the file that is handed in."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from calm_core.assignments.assignment import MAX_BYTES as MAX_BYTES
from calm_core.assignments.assignment import Assignment, pack, read_stored
from calm_core.assignments.measures import measure, simulate
from calm_core.assignments.questions import Value
from calm_core.classroom.survey import check_text
from calm_core.errors import DataError, InputError
from calm_core.evaluation.run import Run
from calm_core.io.damaged_files import explain_damage
from calm_core.planning.plan_file import canonical_json
from calm_core.settings import LARGEST_SEED, Settings
from calm_core.version import __version__

FORMAT = "calm-lab hand-in 1"
MAX_NAME = 60


@dataclass(frozen=True)
class Answer:
    """An answer to one question.

    Attributes
    ----------
    chosen : dict
        The free settings at that moment.
    value : float, str or None
        The number read, or the text of the option chosen.
    results : dict
        The measures that the app showed beside the question.
    """

    chosen: dict
    value: float | str | None = None
    results: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """The work of one student.

    Parameters
    ----------
    assignment : Assignment
    name : str
        Chosen by the student; upper and lower case are the same.
    answers : tuple of Answer or None
        One a question, None where it is not answered yet.
    version : str
        Of the program that made the results.

    Examples
    --------
    >>> from calm_core.assignments.assignment import ready
    >>> work = Work(ready("school"), "Ada")
    >>> work.seed == Work(ready("school"), " ada ").seed != Work(ready("school"), "Bob").seed
    True
    """

    assignment: Assignment
    name: str
    answers: tuple[Answer | None, ...] = ()
    version: str = __version__

    def __post_init__(self):
        object.__setattr__(self, "name", check_text("the name", self.name, MAX_NAME))
        count = len(self.assignment.questions)
        if not self.answers:
            object.__setattr__(self, "answers", (None,) * count)
        if len(self.answers) != count:
            raise InputError(f"there are {len(self.answers)} answers to {count} questions")

    @property
    def key(self) -> str:
        """The name without differences of case, which is who hands in."""
        return self.name.casefold()

    @cached_property
    def seed(self) -> int:
        """The seed of this student for this assignment."""
        digest = hashlib.sha256(f"{self.assignment.digest} {self.key}".encode()).digest()
        return int.from_bytes(digest[:8]) % LARGEST_SEED

    def settings(self, chosen: Mapping[str, Any] | None = None) -> Settings:
        """The settings of a student's collection with what was chosen; InputError where that is not allowed."""
        return self.assignment.check_choices(chosen or {}).with_changes(seed=self.seed)

    def answer(
        self,
        number: int,
        value: Value = None,
        chosen: Mapping[str, Any] | None = None,
        outcome: Run | None = None,
    ) -> "Work":
        """The work with one question answered.

        Parameters
        ----------
        number : int
            Of the question, from 1.
        value : float, str or None
            The number read, or the text of the option; a goal needs none.
        chosen : mapping, optional
            The free settings; as they begin where left out.
        outcome : Run, optional
            The collection with these settings, if it has been made.

        Raises
        ------
        InputError
            If a setting is fixed, or not in its range.
        """
        settings = self.settings(chosen)
        measures = self.assignment.questions[number - 1].shown_measures
        results = {}
        if measures:
            run = outcome or simulate(settings)
            results = {name: measure(settings, run, name) for name in measures}
        made_answer = Answer(self.assignment.choices_of(settings), value, results)
        answers = (*self.answers[: number - 1], made_answer, *self.answers[number:])
        return replace(self, answers=answers)

    def to_json(self) -> str:
        """The file to hand in."""
        plain = {
            "format": FORMAT,
            "assignment": self.assignment.digest,
            "title": self.assignment.title,
            "name": self.name,
            "version": self.version,
            "answers": [None if answer is None else asdict(answer) for answer in self.answers],
        }
        return json.dumps(plain | {"checksum": checksum(plain)}, indent=1, ensure_ascii=False)

    def to_link(self) -> str:
        """The same as text for an address."""
        return pack(self.to_json())


def checksum(plain: Mapping[str, Any]) -> str:
    """Sha256 of all values but the checksum, whatever their layout in the file.

    It finds accidents and simple changes; who knows how can make it anew, so the grader computes every result again.
    """
    rest = {name: value for name, value in plain.items() if name != "checksum"}
    return hashlib.sha256(canonical_json(rest).encode()).hexdigest()


@dataclass(frozen=True)
class _Stored:
    """The fields of a file."""

    assignment: str
    title: str
    name: str
    version: str
    answers: tuple[Answer | None, ...]
    checksum: str


def read_work(
    text: str | bytes, assignments: Mapping[str, Assignment], what: str = "the file"
) -> tuple[Work, bool]:
    """Read a file that was handed in, and whether its checksum is right.

    Parameters
    ----------
    text : str or bytes
        As `Work.to_json` writes it.
    assignments : mapping
        The assignments known, by digest.
    what : str
        Name of the file in errors.

    Raises
    ------
    DataError
        If it is no such file, or of another assignment.
    """
    with explain_damage(what, "file handed in from CALM Lab", "ask for the file as it was saved"):
        plain = json.loads(text)
        stored = read_stored(plain, _Stored, FORMAT)
        is_whole = checksum(plain) == stored.checksum
    assignment = assignments.get(stored.assignment)
    if assignment is None:
        raise DataError(
            f"{what} is of another assignment ({stored.title:.80}); give its file with --assignment"
        )
    return Work(assignment, stored.name, stored.answers, stored.version), is_whole
