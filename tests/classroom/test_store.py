"""The store: who may do what and when, what counts, and what is left in the file."""

import hashlib
import re
import sqlite3
from contextlib import closing
from functools import partial

import numpy as np
import pytest

from calm_core.classroom import store as store_module
from calm_core.classroom.phones import LETTERS
from calm_core.classroom.store import Store
from calm_core.classroom.teacher import MAX_SURVEYS
from calm_core.errors import InputError
from tests.classroom.conftest import survey_of, ticket


def rows(store: Store, query: str) -> list[tuple]:
    """What another program would find in the file."""
    with closing(sqlite3.connect(store.path)) as database:
        return database.execute(query).fetchall()


# --- phones --------------------------------------------------------------------------------------


def test_a_phone_waits_gets_its_view_and_reports_once(make_class):
    made = make_class(40)
    phone = made.phones[0]
    assert made.ask(phone).body == {"state": "lobby", "title": "A class"}
    assert made.report(phone).body == {"state": "lobby"} and made.report(phone).status == 409
    opened = made.teacher.open()
    assert opened.state == "open" and len(opened.groups) == 3
    told = made.ask(phone)
    assert told.status == 200 and set(told.body) == {
        "state", "title", "epsilon", "oracle", "size", "keep", "views", "questions",
    }  # fmt: skip
    assert told.body["keep"] == "b6137869fdc8da20" and told.body["size"] == 4
    assert all(set(question) == {"text", "choices"} for question in told.body["questions"])
    assert made.report(phone, "0002").body == {"state": "counted"}
    assert made.ask(phone).body == {"state": "counted"}
    progress = made.teacher.progress()
    assert (progress.phones, progress.reports, sum(progress.groups)) == (40, 1, 1)


def test_a_thousand_replays_count_once(make_class):
    made = make_class(40, opened=True)
    phone = made.phones[0]
    for report in range(1000):
        assert made.report(phone, f"{report % 4:04}").body == {"state": "counted"}
    assert rows(made.store, "SELECT report, number FROM tallies") == [(0, 1)]


def test_a_withdrawn_report_cannot_be_replaced(make_class):
    made = make_class(40, opened=True)
    phone = made.phones[0]
    made.report(phone, "0003")
    assert made.withdraw(phone, "0003").body == {"state": "withdrawn"}
    assert made.withdraw(phone, "0003").status == 200, "a repeat gets the same answer"
    told = made.report(phone, "0003")
    assert (told.status, told.body) == (409, {"state": "withdrawn"})
    assert made.ask(phone).body == {"state": "withdrawn"}
    assert made.teacher.progress().reports == 0


def test_a_phone_withdraws_its_own_report_only(make_class):
    made = make_class(6)
    made.teacher.open()
    reporting, other = made.phones[:2]
    assert made.withdraw(reporting).status == 422, "nothing was sent"
    for phone in (reporting, *made.phones[2:]):
        made.report(phone, "0001")
    before = made.teacher.progress().groups
    assert made.withdraw(reporting, "0002").state == "report"
    assert made.withdraw(other, "0001").status == 422 and made.withdraw(ticket()).status == 403
    made.withdraw(reporting, "0001")
    after = made.teacher.progress().groups
    assert sorted(np.subtract(before, after).tolist()) == [0, 0, 1], "one of its own view"


@pytest.mark.parametrize(
    ("phone", "report"),
    [*((bad, "0000") for bad in ("", "a" * 21, "a" * 23, "a" * 21 + "é", "a" * 22 + "\n")),
     *(("a" * 22, bad) for bad in ("", "1", "00001", "-001", "12a4", "١٢٣٤", "0001\n"))],
)  # fmt: skip
def test_tickets_and_reports_of_another_form_are_refused(store, phone, report):
    with pytest.raises(InputError, match="22 characters, a report four digits"):
        store.report("ABCDEF", phone, report)


def test_unknown_codes_and_tickets(make_class, store, clock):
    made = make_class(40, opened=True)
    assert store.join("234567", ticket()).result().status == 404
    assert store.report("no code", ticket(), "0000").result().state == "unknown"
    assert made.report(ticket()).status == 403 and made.withdraw(ticket()).state == "ticket"
    clock.now += 10
    told = [store.join(f"{at:06}", ticket()).result().status for at in range(60)]
    assert told == [404] * 50 + [429] * 10, "fifty a second in all"
    assert made.ask(made.phones[0]).status == 200, "those who know the code are not held up"
    clock.now += 1
    assert store.join("234567", ticket()).result().status == 404


def test_codes_avoid_similar_letters_and_ignore_case(make_class):
    made = make_class(40, opened=True)
    assert re.fullmatch(f"[{LETTERS}]{{6}}", made.code) and not set(LETTERS) & set("01IO")
    assert made.store.join(made.code.lower(), made.phones[0]).result().state == "open"


def test_new_tickets_are_limited_a_second(make_class, clock):
    made = make_class(0)
    told = [reply.status for reply in made.join(230)]
    assert told == [200] * 200 + [429] * 30
    assert made.ask(made.phones[0]).status == 200, "who is in may ask"
    clock.now += 1
    assert made.ask(made.phones[-1]).status == 200


def test_capacity_holds_against_five_hundred_joins_at_once(make_class, clock):
    made = make_class(30, capacity=40)
    clock.now += 1
    sent = [made.store.join(made.code, ticket()) for _ in range(500)]
    told = [future.result().state for future in sent]
    assert told.count("lobby") == 10 and set(told) == {"lobby", "full"}
    made.teacher.open()
    assert made.store.join(made.code, ticket()).result().status == 403
    assert made.teacher.progress().phones == 40


def test_a_locked_lobby_refuses_new_phones(make_class, clock):
    made = make_class(12)
    assert made.teacher.lock().capacity == 12
    assert {reply.state for reply in made.join(100)} == {"full"}
    assert made.ask(made.phones[0]).state == "lobby"
    assert made.teacher.set_capacity(13).capacity == 13
    assert [reply.state for reply in made.join(2)] == ["lobby", "full"]


def test_only_tickets_on_cards_join(make_class):
    made = make_class(2)
    cards = made.teacher.make_cards(5)
    assert len(set(cards)) == 5 and made.teacher.progress().cards == 5
    assert made.teacher.progress().phones == 2, "a card that nobody used is no phone"
    told = made.store.join(made.code, ticket()).result()
    assert (told.status, told.body) == (403, {"state": "card"})
    assert made.store.join(made.code, cards[0]).result().state == "lobby"
    assert made.store.report(made.code, cards[1], "0000").result().status == 409
    made.teacher.open()
    assert made.store.report(made.code, cards[1], "0000").result().state == "ticket"
    assert made.store.join(made.code, cards[1]).result().state == "open"
    assert made.store.join(made.code, cards[0]).result().state == "open"
    progress = made.teacher.progress()
    assert (progress.phones, progress.cards, progress.roster) == (4, 3, "cards")
    assert made.ask(made.phones[0]).state == "open", "who was in stays in"


def test_views_stay_balanced_with_late_phones(make_class, clock):
    made = make_class(37, d=6, epsilon=1.0)
    made.teacher.open()
    clock.now += 1
    made.join(63)
    dealt = rows(made.store, "SELECT view, count(*) FROM tickets GROUP BY view")
    assert len(dealt) == 15 and {number for _, number in dealt} == {6, 7}


# --- the teacher ---------------------------------------------------------------------------------


def test_a_survey_needs_enough_phones_to_open(make_class):
    made = make_class(0, d=12, epsilon=1.0)
    with pytest.raises(InputError, match="nobody is there"):
        made.teacher.open()
    made.join(3)
    with pytest.raises(ValueError, match="wait for more phones: at least 6"):
        made.teacher.open()
    assert made.teacher.progress().state == "lobby"
    made.join(3)
    assert made.teacher.open().state == "open"


def test_results_are_shown_from_ten_reports_on(make_class):
    made = make_class(40, opened=True)
    for phone in made.phones[:9]:
        made.report(phone)
    with pytest.raises(InputError, match="from 10 reports on"):
        made.teacher.show_results()
    made.report(made.phones[9])
    for visible in (True, False):
        assert made.teacher.show_results(visible).shows_results == visible


def test_closing_is_final(make_class):
    made = make_class(40, opened=True)
    made.report(made.phones[0], "0001")
    before = made.teacher.progress().version
    closed = made.teacher.close()
    assert closed.state == "closed" and closed.phones is None and closed.version > before
    assert rows(made.store, "SELECT count(*) FROM tickets") == [(0,)]
    for told in (
        made.ask(made.phones[1]), made.report(made.phones[1]), made.withdraw(made.phones[0], "0001"),
        made.join(1)[0],
    ):  # fmt: skip
        assert (told.status, told.body) == (410, {"state": "closed"})
    assert made.teacher.close() == closed and made.teacher.report_counts().n == 1
    limit, print_cards = partial(made.teacher.set_capacity, 9), partial(made.teacher.make_cards, 1)
    for action in (made.teacher.open, made.teacher.lock, limit, print_cards):
        with pytest.raises(InputError, match="closed for good"):
            action()


def test_the_version_changes_exactly_with_results(make_class):
    made = make_class(12, opened=True)
    versions = [made.teacher.progress().version]

    def changed(action) -> bool:
        action()
        versions.append(made.teacher.progress().version)
        return versions[-1] > versions[-2]

    assert changed(lambda: made.report(made.phones[0]))
    assert not changed(lambda: made.report(made.phones[0]))
    assert not changed(lambda: made.report(made.phones[1], "9999"))
    assert not changed(lambda: made.join(1))
    assert changed(lambda: made.withdraw(made.phones[0]))
    assert not changed(lambda: made.withdraw(made.phones[0]))
    assert changed(made.teacher.close)
    assert not changed(made.teacher.close)


def test_run_again_keeps_questions_plan_and_keys_and_pools(make_class):
    made = make_class(12, report="0001")
    made.teacher.lock()
    made.teacher.close()
    second = made.run_again(4, "0002")
    assert second.progress().capacity == 24, "nobody is locked out with the last class"
    assert second.code != made.code and second.progress().title == "A class"
    assert made.store.teacher(made.keys.teacher).code == second.code, "the newest"
    assert second.codes == (second.code, made.code) == made.teacher.codes
    assert second.report_counts().plan == made.teacher.report_counts().plan
    assert second.classes == (made.code, second.code)
    pooled = second.pooled_counts()
    assert (pooled.n, pooled.classes) == (16, 2)
    support = sum(view.support for view in pooled.reports.views)
    assert support.tolist() == [0, 12, 4, 0]
    assert made.teacher.pooled_counts().n == 16 and made.teacher.report_counts().n == 12


@pytest.mark.parametrize(
    ("press", "given"),
    [("open", ()), ("close", ()), ("delete", ()), ("show_results", (True,)), ("show_results", (False,)), ("lock", ()),
     ("set_capacity", (13,))],
)  # fmt: skip
def test_repeated_actions_change_nothing(make_class, press, given):
    made = make_class(12, report="" if press == "open" else "0000")
    if given == (False,):
        made.teacher.show_results()

    def everything() -> list:
        return [
            rows(made.store, f"SELECT * FROM {name}") for name in ("surveys", "tickets", "tallies")
        ]

    act, before = partial(getattr(made.teacher, press), *given), everything()
    act()
    after = everything()
    act()
    assert before != after == everything()


def test_another_teachers_class_is_never_pooled(make_class):
    one, other = (make_class(12, d=2, report="0000") for _ in range(2))
    assert one.teacher.report_counts().plan == other.teacher.report_counts().plan
    assert one.teacher.classes == (one.code,) and one.teacher.pooled_counts().n == 12
    assert one.teacher.codes == (one.code,)


def test_a_survey_without_plan_cannot_be_run_again_or_read(make_class):
    made = make_class(12)
    with pytest.raises(InputError, match="no plan yet"):
        made.teacher.run_again()
    with pytest.raises(InputError, match="no plan yet"):
        made.teacher.report_counts()
    assert made.teacher.classes == ()


def test_a_rehearsal_is_open_at_once_and_its_survey_stays_the_newest(make_class):
    made = make_class(2, d=12, epsilon=1.0)
    rehearsal = made.teacher.rehearse()
    told = made.store.join(rehearsal.code, ticket()).result()
    assert told.state == "open" and told.body["title"] == "TEST · A class"
    progress = rehearsal.progress()
    assert progress.test and len(progress.groups) == told.body["views"] > 1
    assert made.store.teacher(made.keys.teacher).codes == (made.code,)
    assert made.teacher.rehearse().code != rehearsal.code
    assert made.store.join(rehearsal.code, ticket()).result().state == "unknown"


def test_at_most_fifty_surveys_are_not_closed(store):
    keys = [store.create(survey_of(), expected=30) for _ in range(MAX_SURVEYS)]
    with pytest.raises(InputError, match="50 surveys .* close some first"):
        store.create(survey_of(), expected=30)
    store.teacher(keys[0].teacher).close()
    assert store.create(survey_of(), expected=30).code


# --- roles ---------------------------------------------------------------------------------------


def test_only_the_right_key_opens_a_survey(make_class):
    made, other = make_class(12), make_class(3)
    wrong = [made.code, "", "x" * 22, made.keys.wall, made.keys.teacher[:-1]]
    tried = [(made.store.teacher, key, None) for key in wrong]
    tried += [
        (made.store.wall, made.keys.teacher, None),
        (made.store.teacher, made.keys.teacher, other.code),
    ]
    for number, (opens, key, code) in enumerate(tried):
        with pytest.raises(InputError, match="opens no survey"):
            opens(key, code, by=f"{number}")
    assert made.store.teacher(f" {made.keys.teacher}\n", made.code.lower()).code == made.code


def test_wrong_keys_of_others_lock_nobody_out(make_class, clock):
    made = make_class(0)
    for said in (*["opens no survey"] * 5, *["too many wrong keys"] * 2):
        with pytest.raises(InputError, match=said):
            made.store.wall(ticket(), by="prankster")
    with pytest.raises(InputError, match="too many wrong keys"):
        made.store.teacher(made.keys.teacher, by="prankster")
    assert made.store.teacher(made.keys.teacher, by="teacher").code == made.code
    clock.now += 1
    assert made.store.teacher(made.keys.teacher, by="prankster").code == made.code


def test_keys_are_compared_in_full_as_hashes(make_class, monkeypatch):
    made, compared = make_class(0), []

    def compare(kept: bytes, tag: bytes) -> bool:
        compared.append((kept, tag))
        return kept == tag

    make_class(0)
    monkeypatch.setattr(store_module.hmac, "compare_digest", compare)
    assert made.store.teacher(made.keys.teacher).code == made.code
    assert len(compared) == 2 and all(len(part) == 32 for pair in compared for part in pair)
    assert compared[0][1] == hashlib.sha256(made.keys.teacher.encode()).digest()


def test_the_wall_sees_only_what_is_shown(make_class):
    made = make_class(12, report="0000")
    assert made.wall.progress().reports == 12
    for hidden in (made.wall.report_counts, made.wall.pooled_counts):
        with pytest.raises(InputError, match="not shown yet"):
            hidden()
    made.teacher.show_results()
    assert made.wall.report_counts().n == 12
    made.run_again(3, "0000")
    assert made.wall.pooled_counts().n == 12, "what is not shown is not pooled on the wall"
    assert made.teacher.pooled_counts().n == 15
    assert not [
        name for name in ("open", "close", "delete", "again", "cards") if name in dir(made.wall)
    ]


# --- the file ------------------------------------------------------------------------------------


def test_no_column_links_a_phone_to_a_report_or_a_time(store):
    tables = {
        name: [column[1] for column in rows(store, f"PRAGMA table_info({name})")]
        for (name,) in rows(store, "SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    assert tables["tallies"] == ["code", "view", "report", "number"]
    assert tables["tickets"] == ["code", "tag", "view", "state"]
    columns = {column for names in tables.values() for column in names}
    forbidden = r"time|date|when|stamp|addr|\bip\b|agent|name|user|host|report_"
    assert not [column for column in columns if re.search(forbidden, column)]
    # Notes are of a survey, see test_database.py.
    assert tables["notes"] == ["code", "what", "said"]
    # Who is asked to lie, and the lies: no answer is in either.
    assert tables["liars"] == ["code", "tag"] and tables["lies"] == tables["tallies"]
    assert set(tables) == {"surveys", "tickets", "tallies", "notes", "liars", "lies"}


def test_database_pragmas(store):
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "secure_delete": 1,
        "foreign_keys": 1,
        "busy_timeout": 5000,
    }
    for name, value in wanted.items():
        query = f"PRAGMA {name}"
        found = store.write(lambda db, query=query: db.execute(query).fetchone()).result()
        assert found == (value,), name


def test_only_hashes_of_keys_and_tickets_are_stored(make_class):
    made = make_class(3)
    cards = made.teacher.make_cards(2)
    made.store.stop()
    content = b"".join(file.read_bytes() for file in made.store.path.parent.iterdir())
    for secret in (made.keys.teacher, made.keys.wall, *made.phones, *cards):
        assert secret.encode() not in content
        assert hashlib.sha256(secret.encode()).digest() in content


def test_a_deleted_survey_leaves_nothing_in_the_file(make_class):
    made = make_class(12, opened=True)
    made.report(made.phones[0])
    folder = made.store.path.parent
    texts = [b"Question 0?", b"A class", b"answer 1", made.code.encode()]

    def content() -> bytes:
        return b"".join(file.read_bytes() for file in folder.iterdir())

    assert all(text in content() for text in texts)
    made.teacher.close()
    made.teacher.delete()
    assert not [text for text in texts if text in content()]
    tag = hashlib.sha256(made.phones[0].encode()).digest()
    assert tag not in content()
    for gone in (made.teacher.progress, made.teacher.close, made.wall.progress):
        with pytest.raises(InputError, match="deleted"):
            gone()
    assert made.store.join(made.code, made.phones[0]).result().state == "unknown"
