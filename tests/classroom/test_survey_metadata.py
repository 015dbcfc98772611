"""What is remembered of a survey beside its own row, and what becomes of surveys and rehearsals that were left."""

import os
from dataclasses import replace

import pytest

from calm_core.classroom import database
from calm_core.classroom.store import Store
from calm_core.classroom.survey_metadata import LINK, OWN_LINK, UNCHANGED_SINCE
from calm_core.errors import InputError
from tests.classroom.conftest import survey_of, ticket


class Days:
    """Which day it is, when the test says so; the age of the file goes with it."""

    def __init__(self, monkeypatch, store):
        self.now, self.path = database.current_day(), store.path
        monkeypatch.setattr(database, "current_day", lambda: self.now)

    def start(self, days: int) -> Store:
        """Another start, so many days after the last one; others have used the file all the while."""
        self.now += days
        for file in self.path.parent.iterdir():
            os.utime(file, (self.now * database.DAY,) * 2)
        return Store(self.path)


@pytest.fixture
def days(monkeypatch, store):
    return Days(monkeypatch, store)


def states(store: Store) -> list[str]:
    found = store._database.read("SELECT state FROM surveys ORDER BY rowid")
    store.stop()
    return [state for (state,) in found]


def test_only_surveys_unchanged_between_looks_are_abandoned(days, make_class):
    left, used = make_class(12, opened=True), make_class(12, opened=True)
    left.report(left.phones[0])
    left.store.stop()
    assert states(days.start(1)) == ["open", "open"], "the first look finds nobody to compare with"
    store = days.start(1)
    assert store.report(used.code, used.phones[0], "0000").result().state == "counted"
    assert states(store) == ["open", "open"]
    assert states(days.start(1)) == ["closed", "open"]
    store = days.start(0)
    assert store.teacher(left.keys.teacher).progress().reports == 1
    assert UNCHANGED_SINCE not in store.teacher(left.keys.teacher).notes, (
        "what is closed has no day"
    )
    assert not store._database.read("SELECT tag FROM tickets WHERE code = ?", (left.code,))
    assert states(store) == ["closed", "open"]
    assert states(days.start(2)) == ["closed", "closed"]


def test_an_empty_lobby_stays_open_over_a_weekend(days, make_class):
    made, joined = make_class(), make_class(1)
    made.store.stop()
    assert states(days.start(0)) == ["lobby", "lobby"]
    assert states(days.start(4)) == ["lobby", "closed"]
    assert states(days.start(4)) == ["closed", "closed"]
    assert joined.code != made.code


def test_creating_a_survey_closes_abandoned_ones(days, make_class):
    made = make_class(3)
    made.store.create(survey_of(), expected=30)
    days.now += 2
    made.store.create(survey_of(), expected=30)
    assert made.teacher.progress().state == "closed"


def test_a_clock_set_back_closes_nothing(days, make_class):
    made = make_class(12, opened=True)
    made.store.stop()
    days.start(0).stop()
    assert states(days.start(-400)) == ["open"]
    assert states(days.start(1)) == ["open"]
    assert states(days.start(1)) == ["closed"]


@pytest.mark.parametrize("does", ["open", "close", "delete", "delete_rehearsals"])
def test_a_rehearsal_is_deleted_with_its_survey(make_class, does):
    made, other = make_class(12), make_class(12)
    trial, theirs = (
        made.store.create(survey_of(), expected=30, test=True, tries=one.code)
        for one in (made, other)
    )
    getattr(made.teacher, does)()
    assert made.store.join(trial.code, ticket()).result().state == "unknown"
    assert made.store.join(theirs.code, ticket()).result().state == "open"
    assert other.teacher.progress().state == "lobby"


def test_a_survey_keeps_its_language(store):
    german = replace(survey_of(), language="de")
    keys = store.create(german, expected=30)
    teacher = store.teacher(keys.teacher)
    assert teacher.survey == german and teacher.close().state == "closed"
    for phone in [ticket() for _ in range(12)]:
        store.join(keys.code, phone)
    with pytest.raises(InputError, match="language"):
        replace(german, language="xx")


def test_a_file_without_notes_is_read(store, make_class):
    made = make_class(12, opened=True)
    store._database.write(lambda db: db.execute("DROP TABLE notes")).result()
    store.stop()
    again = Store(store.path)
    teacher = again.teacher(made.keys.teacher)
    assert teacher.survey.language == "en" and teacher.notes.keys() <= {UNCHANGED_SINCE}
    again.stop()


def test_the_link_is_the_same_for_all_walls(make_class):
    made = make_class()
    made.teacher.set_link("http://192.168.1.2:8501", own=True)
    assert made.wall.notes[OWN_LINK] == "http://192.168.1.2:8501" and LINK not in made.wall.notes
    made.teacher.set_link("https://lab.example.org", own=False)
    assert made.wall.notes[LINK] == "https://lab.example.org" and OWN_LINK not in made.wall.notes
    assert made.store.wall(made.keys.wall).notes == made.wall.notes
    made.teacher.delete()
    assert made.wall.notes == {} and b"lab.example" not in made.store.path.read_bytes()
    with pytest.raises(InputError, match="deleted"):
        made.teacher.set_link("http://192.168.1.2:8501", own=True)
