"""Notes about a survey beside its own row, and how abandoned surveys are found.

A note holds the language of a survey, the link under which phones reach it, whether a phone has opened its page,
which survey a rehearsal belongs to, and since which day nothing has happened. That day is the only date in the file:
it is when a program looked, not when a person did anything, and it is deleted when the survey closes. Each start of a
program, and each new survey, notes how far every survey is. A survey that a later look finds unchanged for some days
is abandoned.
"""

import sqlite3

from calm_core.classroom.phones import UNUSED_CARD

NOTES_TABLE = """
CREATE TABLE IF NOT EXISTS notes(code TEXT NOT NULL REFERENCES surveys ON DELETE CASCADE, what TEXT NOT NULL,
  said TEXT NOT NULL, PRIMARY KEY(code, what)) STRICT, WITHOUT ROWID
"""
LANGUAGE, REHEARSAL_OF, UNCHANGED_SINCE, VISITED = "language", "tries", "still", "visited"
# A link the teacher typed; one chosen among the addresses of this machine, valid while it has that address.
LINK, OWN_LINK = "link", "own link"
# Two calendar days are more than 24 hours. A lobby that no phone has joined was prepared, maybe before a weekend.
ABANDONED_DAYS, UNUSED_LOBBY_DAYS = 2, 8


def set_note(db: sqlite3.Connection, code: str, what: str, said: str) -> None:
    """Store a note of an existing survey; an empty text deletes it."""
    db.execute("DELETE FROM notes WHERE code = ? AND what = ?", (code, what))
    if said:
        query = "INSERT INTO notes SELECT code, ?, ? FROM surveys WHERE code = ?"
        db.execute(query, (what, said, code))


def close_survey(db: sqlite3.Connection, code: str) -> None:
    """Close a survey for good and delete its tickets."""
    db.execute("UPDATE surveys SET state = 'closed', version = version + 1 WHERE code = ?", (code,))
    db.execute("DELETE FROM tickets WHERE code = ?", (code,))
    set_note(db, code, UNCHANGED_SINCE, "")


def delete_rehearsals(db: sqlite3.Connection, code: str) -> None:
    """Delete the rehearsals of a survey."""
    query = "DELETE FROM surveys WHERE test = 1 AND code IN (SELECT code FROM notes WHERE what = ? AND said = ?)"
    db.execute(query, (REHEARSAL_OF, code))


def close_abandoned_surveys(db: sqlite3.Connection, *, today: int, last_written: int) -> bool:
    """Close abandoned surveys and delete abandoned rehearsals; return whether there were any.

    Parameters
    ----------
    today : int
        The current day, counted from any start.
    last_written : int
        The last day on which anybody wrote to the file.
    """
    query = (
        "SELECT code, state = 'lobby', version, "
        "(SELECT count(*) FROM tickets WHERE code = surveys.code AND view != ?), "
        "(SELECT said FROM notes WHERE code = surveys.code AND what = ?) "
        "FROM surveys WHERE state != 'closed'"
    )
    closed = False
    for code, in_lobby, version, phones, noted in db.execute(
        query, (UNUSED_CARD, UNCHANGED_SINCE)
    ).fetchall():
        day, _, before = (noted or "").partition(": ")
        now = f"version {version}, {phones} phones"
        # A day in the future was noted before the clock was set back.
        known = before == now and int(day) <= today
        since = int(day) if known else min(last_written, today)
        if today - since >= (UNUSED_LOBBY_DAYS if in_lobby and not phones else ABANDONED_DAYS):
            closed = True
            db.execute("DELETE FROM surveys WHERE code = ? AND test = 1", (code,))
            close_survey(db, code)
        elif noted != (note := f"{since}: {now}"):
            set_note(db, code, UNCHANGED_SINCE, note)
    return closed
