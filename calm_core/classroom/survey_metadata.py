"""What is remembered of a survey beside its own row, and what becomes of surveys that were left.

A note says in which language a survey asks, under which link the teacher lets phones in, which survey a rehearsal
tries, and since when nothing has happened. That last one is the only date in the file: a day, of the program's
looks and not of people, and only while a survey is not closed. A look (a start of the program, or a new survey)
notes how far every survey is; a later look on another day that finds the very same has found one that was left.
"""

import sqlite3

from calm_core.classroom.phones import UNUSED_CARD

NOTES_TABLE = """
CREATE TABLE IF NOT EXISTS notes(code TEXT NOT NULL REFERENCES surveys ON DELETE CASCADE, what TEXT NOT NULL,
  said TEXT NOT NULL, PRIMARY KEY(code, what)) STRICT, WITHOUT ROWID
"""
LANGUAGE, REHEARSAL_OF, UNCHANGED_SINCE = "language", "tries", "still"
# What the teacher typed; what was chosen among the addresses of this machine, which holds while it has it.
LINK, OWN_LINK = "link", "own link"
# Two days by the calendar are more than one by the clock. One that nobody has joined was prepared, over a weekend.
ABANDONED_DAYS, UNUSED_LOBBY_DAYS = 2, 8


def set_note(db: sqlite3.Connection, code: str, what: str, said: str) -> None:
    """Remember something of a survey that is there; nothing where it says nothing."""
    db.execute("DELETE FROM notes WHERE code = ? AND what = ?", (code, what))
    if said:
        query = "INSERT INTO notes SELECT code, ?, ? FROM surveys WHERE code = ?"
        db.execute(query, (what, said, code))


def close_survey(db: sqlite3.Connection, code: str) -> None:
    """Close a survey for good: its tickets go, and since when nothing happened."""
    db.execute("UPDATE surveys SET state = 'closed', version = version + 1 WHERE code = ?", (code,))
    db.execute("DELETE FROM tickets WHERE code = ?", (code,))
    set_note(db, code, UNCHANGED_SINCE, "")


def delete_rehearsals(db: sqlite3.Connection, code: str = "") -> bool:
    """Delete the surveys that try another one, or that one; whether there were any."""
    query = (
        "DELETE FROM surveys WHERE test = 1 AND code IN "
        "(SELECT code FROM notes WHERE what = ? AND ? IN ('', said))"
    )
    return db.execute(query, (REHEARSAL_OF, code)).rowcount > 0


def close_abandoned_surveys(db: sqlite3.Connection, *, today: int, written: int) -> bool:
    """Close the surveys that were left, delete rehearsals that were; whether there were any.

    Parameters
    ----------
    today : int
        Which day this is, counted from any.
    written : int
        The last day on which anybody wrote into the file.
    """
    query = (
        "SELECT code, state = 'lobby', version, "
        "(SELECT count(*) FROM tickets WHERE code = surveys.code AND view != ?), "
        "(SELECT said FROM notes WHERE code = surveys.code AND what = ?) "
        "FROM surveys WHERE state != 'closed'"
    )
    ended = False
    for code, lobby, version, phones, said in db.execute(
        query, (UNUSED_CARD, UNCHANGED_SINCE)
    ).fetchall():
        day, _, before = (said or "").partition(": ")
        now = f"version {version}, {phones} phones"
        # A clock that was set back makes no future day a past one.
        since = int(day) if before == now and int(day) <= today else min(written, today)
        if today - since >= (UNUSED_LOBBY_DAYS if lobby and not phones else ABANDONED_DAYS):
            ended = True
            db.execute("DELETE FROM surveys WHERE code = ? AND test = 1", (code,))
            close_survey(db, code)
        elif said != (found := f"{since}: {now}"):
            set_note(db, code, UNCHANGED_SINCE, found)
    return ended
