"""An assignment: data and settings that are fixed, settings that students choose, and questions.

For grading it holds a key, which right answers to choose are; students get it without. Its digest is that of the latter.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from calm_core._checks import check_choice, check_k, set_fields
from calm_core.assignments.measures import dataset_of, read_cell
from calm_core.assignments.questions import Choice, Goal, Number, Question
from calm_core.classroom.survey import check_text
from calm_core.errors import DataError, InputError
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction.answers import RECONSTRUCTION
from calm_core.io.atomic_files import read_file
from calm_core.io.damaged_files import explain_damage
from calm_core.io.json_types import build_dataclass
from calm_core.methods import METHODS
from calm_core.methods.calm_plus import DESIGNS
from calm_core.oracles import ORACLE_RULES
from calm_core.planning.plan_file import canonical_json
from calm_core.settings import Settings
from calm_core.text import format_number

FORMAT = "calm-lab assignment 1"
# School, bachelor's, master's, practitioner.
LEVELS = ("school", "bachelor", "master", "practitioner")
MIN_QUESTIONS, MAX_QUESTIONS = 3, 6
# Settings that students may choose: numbers, those where None is a choice, and words with what there is.
NUMBERS = ("epsilon", "n", "k", "d", "theta", "l", "m")
OPTIONAL = ("l", "m")
WORDS = {
    "method": tuple(METHODS), "oracle": tuple(ORACLE_RULES), "nonnegativity": tuple(NONNEGATIVITY),
    "reconstruction": tuple(RECONSTRUCTION), "design": tuple(DESIGNS),
}  # fmt: skip
# Of a file, and of a link once it is unpacked.
MAX_BYTES = 1 << 18


@dataclass(frozen=True)
class Free:
    """A setting that students choose.

    Parameters
    ----------
    name : str
        A field of `Settings`: one of `NUMBERS` or `WORDS`.
    low, high : float, optional
        The least and the largest number, both allowed.
    words : tuple of str
        The words allowed.

    Examples
    --------
    >>> Free("epsilon", 0.1, 4).check(2.0)
    2.0
    """

    name: str
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()

    def __post_init__(self):
        check_choice("a setting that students choose", self.name, (*NUMBERS, *WORDS))
        if self.name in WORDS:
            if (self.low, self.high) != (None, None) or not self.words:
                raise InputError(f"{self.name} needs the words that students choose from")
            for word in self.words:
                check_choice(self.name, word, WORDS[self.name])
        elif self.words or self.low is None or self.high is None or not self.low < self.high:
            raise InputError(f"{self.name} needs a least and a larger number")

    def check(self, value: Any) -> Any:
        """The value if students may choose it."""
        if self.words:
            return check_choice(self.name, value, self.words)
        if value is None and self.name in OPTIONAL:
            return value
        assert self.low is not None and self.high is not None
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits or not self.low <= value <= self.high:
            raise InputError(f"{self.name} ({str(value):.40}) must be {self.range_text}")
        return value

    @property
    def range_text(self) -> str:
        """What may be chosen, in words."""
        if self.words:
            return f"one of {', '.join(self.words)}"
        return f"from {format_number(self.low or 0)} to {format_number(self.high or 0)}"


@dataclass(frozen=True)
class Assignment:
    """What students are to do.

    Parameters
    ----------
    title : str
        At most 80 characters.
    level : str
        One of `LEVELS`.
    settings : Settings
        Of a sample: an upload is on one computer only. What is not free is fixed to them; what is free
        begins with them. The seed is that of each student.
    free : tuple of Free
        What students choose.
    questions : tuple of Goal, Number or Choice
        3 to 6.

    Raises
    ------
    InputError
        If anything of it cannot be done with these data.

    Examples
    --------
    >>> one = ready("school")
    >>> one.level, one.has_key, one.public().has_key
    ('school', True, False)
    >>> read_assignment(one.to_json()) == one and from_link(one.to_link()) == one.public()
    True
    """

    title: str
    level: str
    settings: Settings
    free: tuple[Free, ...]
    questions: tuple[Question, ...]

    def __post_init__(self):
        settings = self.settings
        if settings.columns:
            settings = settings.with_changes(d=len(settings.columns))
        if settings.is_upload or settings.schema:
            raise InputError(
                "an assignment must use a sample without changed columns, which every student has; choose one on Data"
            )
        names = [free.name for free in self.free]
        if not names or len(set(names)) < len(names):
            raise InputError("students must choose at least one setting, and each once")
        if settings.columns and "d" in names:
            raise InputError("d cannot be chosen beside named columns; take one of them away")
        if not MIN_QUESTIONS <= len(self.questions) <= MAX_QUESTIONS:
            raise InputError(
                f"an assignment has {MIN_QUESTIONS} to {MAX_QUESTIONS} questions, not {len(self.questions)}"
            )
        set_fields(
            self,
            title=check_text("the title", self.title, 80),
            level=check_choice("level", self.level, LEVELS),
            settings=settings.with_changes(
                seed=Settings.seed, presenter=False, hide=(), pages=(), file="", read=()
            ),
        )
        self._check_data()

    def _check_data(self) -> None:
        """Refuse what the data do not have: more attributes than there are, unknown cells."""
        # With every d that may be chosen there are the attributes for every k.
        free_d = {free.name: free for free in self.free}.get("d")
        least_d = None if free_d is None else int(free_d.low or 1)
        for free in self.free:
            for end in free.words or (free.low, free.high):
                settings = self.settings.with_changes(**{free.name: end})
                check_k(settings.k, least_d or dataset_of(settings).domain.d)
        self.check_choices({free.name: getattr(self.settings, free.name) for free in self.free})
        for question in self.questions:
            if question.cell:
                read_cell(dataset_of(self.settings).domain, question.cell)

    def check_choices(self, chosen: Mapping[str, Any]) -> Settings:
        """The settings with what a student has chosen; refuses what is fixed or out of range.

        Parameters
        ----------
        chosen : mapping
            The setting of every free field; what is left out is as it begins.
        """
        free = {setting.name: setting for setting in self.free}
        for name in chosen:
            if name not in free:
                raise InputError(f"{name:.40} is fixed in this assignment; leave it as it is")
        checked = {name: free[name].check(value) for name, value in chosen.items()}
        return self.settings.with_changes(**checked)

    def choices_of(self, settings: Settings) -> dict[str, Any]:
        """What settings say of the free fields."""
        return {free.name: getattr(settings, free.name) for free in self.free}

    @cached_property
    def digest(self) -> str:
        """Sha256 of what students get, which identifies the assignment."""
        return hashlib.sha256(canonical_json(self.public()._plain()).encode()).hexdigest()

    @property
    def points(self) -> int:
        """Points of all questions."""
        return sum(question.points for question in self.questions)

    @property
    def has_key(self) -> bool:
        """Whether the right answer of every choice is known."""
        return all(question.has_key for question in self.questions)

    def public(self) -> "Assignment":
        """The assignment as students get it, without key."""
        return replace(self, questions=tuple(question.public() for question in self.questions))

    def _plain(self) -> dict:
        return asdict(self) | {"settings": self.settings.to_query()}

    def to_json(self) -> str:
        """The file for grading; of `public()`, the file for students."""
        return json.dumps({"format": FORMAT} | self._plain(), indent=1, ensure_ascii=False) + "\n"

    def to_link(self) -> str:
        """The public part as text for an address."""
        return pack(self.public().to_json())


@dataclass(frozen=True)
class _Stored:
    """The fields of a file; settings as in a link."""

    title: str
    level: str
    settings: dict
    free: tuple[Free, ...]
    questions: tuple[Goal | Number | Choice, ...]


def read_assignment(text: str | bytes, what: str = "the assignment") -> Assignment:
    """Read an assignment from JSON.

    Parameters
    ----------
    text : str or bytes
        As `Assignment.to_json` writes it.
    what : str
        Name of the file in errors.

    Raises
    ------
    DataError
        If it is not a valid assignment.
    """
    with explain_damage(what, "assignment", "take the file as it was made"):
        stored = read_stored(json.loads(text), _Stored, FORMAT)
        query = {name: str(value) for name, value in stored.settings.items()}
        settings, remarks = Settings.from_query(query)
        if remarks:
            raise InputError(remarks[0].rstrip("."))
        return Assignment(stored.title, stored.level, settings, stored.free, stored.questions)


def read_stored(plain: Any, kind: type, file_format: str) -> Any:
    """The fields of parsed JSON of the wanted format."""
    if not isinstance(plain, dict) or plain.get("format") != file_format:
        raise InputError(f"it is not of format {file_format!r}")
    fields = {name: value for name, value in plain.items() if name != "format"}
    return build_dataclass(fields, kind, file_format)


def pack(text: str) -> str:
    """A text made short for an address.

    Examples
    --------
    >>> unpack(pack("ε = 1")).decode()
    'ε = 1'
    """
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpack(packed: str) -> bytes:
    """The text that was packed; DataError where the link is damaged."""
    try:
        content = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        # No more than a file may have: a short text can unpack to gigabytes.
        return zlib.decompressobj().decompress(content, MAX_BYTES)
    except (ValueError, zlib.error) as error:
        raise DataError("the link is damaged; copy the whole of it") from error


def from_link(packed: str) -> Assignment:
    """Read an assignment from `Assignment.to_link`; DataError where it is damaged."""
    return read_assignment(unpack(packed), "the assignment of the link")


def load_assignment(path: str | Path) -> Assignment:
    """Read an assignment from a file."""
    what = f"the assignment ({str(path):.200})"
    return read_assignment(read_file(path, what=what, max_bytes=MAX_BYTES), what)


def ready(level: str) -> Assignment:
    """The assignment that is ready for a level.

    Examples
    --------
    >>> [len(ready(level).questions) for level in LEVELS]
    [4, 5, 5, 5]
    """
    check_choice("level", level, LEVELS)
    text = (files("calm_core.assignments") / "ready" / f"{level}.json").read_bytes()
    return read_assignment(text)
