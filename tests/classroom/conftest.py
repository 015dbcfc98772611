"""A store in a temporary folder, surveys, and phones that answer."""

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from calm_core.classroom.store import Store, SurveyKeys
from calm_core.classroom.survey import Question, Survey


def survey_of(d: int = 3, choices: int = 2, epsilon: float = 2.0) -> Survey:
    """A survey of d questions with equally many answers."""
    answers = tuple(f"answer {at}" for at in range(choices))
    asked = tuple(Question(f"q{at}", f"Question {at}?", answers) for at in range(d))
    return Survey("A class", asked, epsilon)


def ticket() -> str:
    """A random ticket, as a phone draws it."""
    return secrets.token_urlsafe(16)


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Class:
    """A survey in a store and its phones."""

    def __init__(self, store: Store, keys: SurveyKeys):
        self.store, self.keys, self.code = store, keys, keys.code
        self.teacher, self.wall = store.teacher(keys.teacher), store.wall(keys.wall)
        self.phones: list[str] = []

    def join(self, phones: int) -> list:
        """Let more phones join; return their replies."""
        new = [ticket() for _ in range(phones)]
        self.phones += new
        futures = [self.store.join(self.code, one) for one in new]
        return [future.result() for future in futures]

    def ask(self, phone: str):
        """Let a phone ask again."""
        return self.store.join(self.code, phone).result()

    def report(self, phone: str, report: str = "0000"):
        """Send a report."""
        return self.store.report(self.code, phone, report).result()

    def run_again(self, phones: int, report: str):
        """The teacher of the same survey in another class, whose phones have all sent this report."""
        second, new = self.teacher.run_again(), [ticket() for _ in range(phones)]
        for one in new:
            self.store.join(second.code, one).result()
        second.open()
        for one in new:
            self.store.report(second.code, one, report).result()
        return second

    def withdraw(self, phone: str, report: str = "0000"):
        """Take it back."""
        return self.store.withdraw(self.code, phone, report).result()


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still."""
    return Clock()


@pytest.fixture
def store(tmp_path: Path, rng: np.random.Generator, clock: Clock) -> Iterator[Store]:
    """An empty store; limits of a second never end by themselves."""
    made = Store(tmp_path / "classroom.sqlite3", rng=rng, clock=clock)
    yield made
    made.stop()


@pytest.fixture
def make_class(store: Store) -> Callable[..., Class]:
    """`make_class(phones=40, opened=True, d=3)`: a survey with so many phones, which may all have sent a report."""

    def make(
        phones: int = 0, *, opened: bool = False, report: str = "", capacity: int = 1000, **survey
    ) -> Class:
        made = Class(store, store.create(survey_of(**survey), expected=capacity // 2))
        made.join(phones)
        if opened or report:
            made.teacher.open()
        for phone in made.phones if report else ():
            made.report(phone, report)
        return made

    return make
