"""A store that is killed under load, again and again: what was acknowledged must be there afterwards.

    python -m tests.classroom.crashing 100 /tmp/folder     prints what was found as JSON

Every cycle a child serves eight phones at a time, each joining, reporting and now and then withdrawing;
it tells each acknowledgement through a pipe and is killed (SIGKILL) after a number of them drawn at
random. Then the file is opened again, checked, and every phone sends its bytes once more.
"""

import json
import os
import secrets
import signal
import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from calm_core.classroom.phones import hash_secret
from calm_core.classroom.store import Store
from calm_core.classroom.survey import Question, Survey

PHONES, THREADS = 400, 8
SURVEY = Survey("T", tuple(Question(f"q{at}", "?", ("No", "Yes")) for at in range(4)))


def opened(path: Path) -> Store:
    """The store without its limits: a second passes between any two looks at its clock."""
    return Store(path, clock=iter(range(10**9)).__next__)


def report_of(phone: str) -> str:
    """What a phone has drawn, the same on every retry."""
    return f"000{hash_secret(phone)[0] % 4}"


def withdraws(at: int) -> bool:
    """Every seventh phone takes its report back."""
    return at % 7 == 0


def serve(path: Path, code: str, phones: list[str], pipe: int) -> None:
    """The child: serve until killed, telling every acknowledgement."""
    store = opened(path)

    def phone(at: int) -> None:
        store.join(code, phones[at]).result()
        for step in ("report", "withdraw") if withdraws(at) else ("report",):
            told = getattr(store, step)(code, phones[at], report_of(phones[at])).result()
            os.write(pipe, f"{at} {told.state}\n".encode())

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(phone, range(len(phones))))
    os.write(pipe, b"done\n")
    threading.Event().wait()


def until_killed(path: Path, code: str, phones: list[str]) -> dict[int, str]:
    """Serve in a child, kill it under load; the last acknowledgement of every phone."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        serve(path, code, phones, write)
        os._exit(1)
    os.close(write)
    most, lines = secrets.randbelow(PHONES), []
    with os.fdopen(read) as told:
        for line in told:
            if line == "done\n" or len(lines) >= most:
                os.kill(child, signal.SIGKILL)
                break
            lines.append(line.split())
        # What was still told before it died counts, too.
        lines += [line.split() for line in told if line.endswith("\n") and line != "done\n"]
    os.waitpid(child, 0)
    return {int(at): state for at, state in lines}


def check(path: Path, phones: list[str], heard: dict[int, str]) -> dict[str, int]:
    """What the file says after a crash, before anybody else opens it as a store."""
    with closing(sqlite3.connect(path)) as database:
        ((integrity,),) = database.execute("PRAGMA integrity_check")
        spent = dict(database.execute("SELECT tag, state FROM tickets"))
        ((tallied,),) = database.execute("SELECT coalesce(sum(number), 0) FROM tallies")
    wanted = {"counted": (1, 2), "withdrawn": (2,)}
    lost = sum(
        spent.get(hash_secret(phones[at])) not in wanted[state] for at, state in heard.items()
    )
    counted = list(spent.values()).count(1)
    return {
        "damaged": int(integrity != "ok"), "acknowledged": len(heard), "lost": lost,
        "unequal": int(tallied != counted),
    }  # fmt: skip


def again(path: Path, code: str, phones: list[str], heard: dict[int, str]) -> int:
    """Every phone sends its bytes again; how many reports are missing or doubled in the end."""
    store = opened(path)
    for phone in phones:
        store.join(code, phone)
    for at, phone in enumerate(phones):
        if not withdraws(at):
            store.report(code, phone, report_of(phone))
    kept = [phone for at, phone in enumerate(phones) if not withdraws(at)]
    wanted = [0] * 4
    for phone in kept:
        wanted[int(report_of(phone))] += 1
    for at, phone in enumerate(phones):
        if withdraws(at) and heard.get(at) != "withdrawn":
            store.report(code, phone, report_of(phone)).result()
            store.withdraw(code, phone, report_of(phone)).result()
    store.stop()
    with closing(sqlite3.connect(path)) as database:
        found = dict(database.execute("SELECT report, sum(number) FROM tallies GROUP BY report"))
    return sum(abs(number - found.get(report, 0)) for report, number in enumerate(wanted))


def cycle(folder: Path) -> dict[str, int]:
    """One crash."""
    path = folder / f"{secrets.token_hex(4)}.sqlite3"
    store = opened(path)
    keys = store.create(SURVEY, expected=500)
    for _ in range(6):
        store.join(keys.code, secrets.token_urlsafe(16)).result()
    store.teacher(keys.teacher).open()
    store.stop()
    phones = [secrets.token_urlsafe(16) for _ in range(PHONES)]
    heard = until_killed(path, keys.code, phones)
    found = check(path, phones, heard)
    found["wrong afterwards"] = again(path, keys.code, phones, heard)
    return found


def main() -> None:
    """So many crashes in a folder; the sums of what was found."""
    cycles, folder = int(sys.argv[1]), Path(sys.argv[2])
    sums: dict[str, int] = {"cycles": cycles}
    for _ in range(cycles):
        for name, number in cycle(folder).items():
            sums[name] = sums.get(name, 0) + number
    print(json.dumps(sums))


if __name__ == "__main__":
    main()
