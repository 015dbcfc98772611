"""A class at once: phones join and report against the app on this machine; how long they and the wall wait.

    python -m tests.benchmarks.bench_classroom                            every row of the specification
    python -m tests.benchmarks.bench_classroom class open --phones 30     some rows, with fewer phones

Prints one row a case, then what was not as it must be. Phones are connections of this process that do what
the page does: ask for it, join, ask again every two seconds or so while they wait in the lobby, report, and
send the same again where the server is too busy. The wall is a real page in Chromium.
"""

import argparse
import asyncio
import json
import os
import random as chance
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from calm_core.classroom.store import Store
from calm_core.classroom.teacher import TeacherControls
from tests.browser.conftest import CHROMIUM, serving
from tests.classroom.rooms import survey, ticket_of


@dataclass(frozen=True)
class Case:
    """A row: how many phones, and the seconds in which they come and, once they can, report.

    In a `lobby` they wait for each other, and the teacher opens; else it is open when they come. The wall may
    be open, and somebody may compute `elsewhere`. 99 % of pages, joins and reports take less than the `bar`.
    """

    phones: int
    coming: float
    reporting: float
    lobby: bool = False
    wall: bool = False
    elsewhere: bool = False
    bar: float | None = 1.0


CASES = {
    "class": Case(300, 10, 30, lobby=True, wall=True),
    "busy": Case(300, 10, 30, lobby=True, wall=True, elsewhere=True, bar=3.0),
    "rush": Case(300, 1, 2),
    "thousand": Case(1000, 3, 3, bar=None),
}
# Seconds that all of them wait in the lobby together, and phones there when opening is timed by itself.
WAIT, WAITING = 5, (300, 1000)
# The longest a phone lets pass between two looks at the lobby.
NEXT_LOOK = 2.5
# What somebody else does meanwhile: tables of a million people by CALM+, computed anew again and again.
ELSEWHERE = "marginals?method=calm_plus&n=1000000&seed={seed}"
# When the wall showed which number of reports; it is drawn in a root of its own.
NOTED = """() => {
    const counts = root => root.querySelector(".counts")
        || [...root.querySelectorAll("*")].map(one => one.shadowRoot && counts(one.shadowRoot)).find(Boolean);
    window.noted = [];
    const look = () => {
        const shown = counts(document);
        const found = shown && [...shown.children].find(one => /reports/i.test(one.querySelector("dt").textContent));
        const number = found ? Number(found.querySelector("b").textContent.replace(/\\D/g, "")) : 0;
        if (!noted.length || noted.at(-1)[1] !== number) noted.push([Date.now() / 1000, number]);
    };
    // Looked for each time: what shows it may be made anew.
    setInterval(look, 50);
    look();
}"""


class Phone:
    """One connection, kept as browsers keep theirs; asks again as the page does."""

    def __init__(self, port: int, number: int, code: str, heard: "Heard"):
        self.port, self.ticket, self.code = port, ticket_of(number), code
        self.heard, self.reader, self.writer = heard, None, None

    async def ask(self, what: str, body: dict | None = None, name: str = "") -> tuple[int, bytes]:
        """Status and content of one request, which counts under a name of its own where it has one."""
        path, content = (
            f"/r/{self.code}" + (f"/{what}" if body else ""),
            json.dumps(body or {}).encode(),
        )
        head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        began = time.monotonic()
        try:
            said, answer = await self._exchange(
                head.encode() + b"\r\n" + (content if body else b"")
            )
        except (OSError, asyncio.IncompleteReadError):
            # The server closes what is idle for five seconds; browsers ask again by themselves.
            self.writer = None
            said, answer = await self._exchange(
                head.encode() + b"\r\n" + (content if body else b"")
            )
        self.heard.took.setdefault(name or what, []).append(time.monotonic() - began)
        self.heard.told[what, int(said.split()[1])] += 1
        return int(said.split()[1]), answer

    async def _exchange(self, request: bytes) -> tuple[str, bytes]:
        """Head and content of an answer."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(request)
        said = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", said, re.IGNORECASE)
        return said, await self.reader.readexactly(int(length[1]))

    async def insist(self, what: str, body: dict, name: str = "") -> dict:
        """Until there is an answer that is final."""
        wait = 0.7
        while True:
            status, answer = await self.ask(what, body, name)
            if status != 429 and status < 500:
                return json.loads(answer)
            await asyncio.sleep(min(8, wait) * chance.uniform(0.7, 1.3))
            wait *= 1.7

    async def answer(self, comes: float, reports: float) -> None:
        """Come, wait for the questions, report once."""
        await asyncio.sleep(comes)
        await self.ask("page")
        told = await self.insist("join", {"ticket": self.ticket})
        while told["state"] == "lobby":
            await asyncio.sleep(chance.uniform(1.5, NEXT_LOOK))
            told = await self.insist("join", {"ticket": self.ticket}, "look")
        self.heard.dealt.append(time.monotonic())
        await asyncio.sleep(reports)
        report = f"{chance.randrange(told['size']):04d}"
        said = await self.insist("report", {"ticket": self.ticket, "report": report})
        assert said == {"state": "counted"}, said
        self.heard.acknowledged.append(time.time())


class Heard:
    """What the phones of one case were told, and when."""

    def __init__(self):
        self.took: dict[str, list[float]] = {}
        self.told: Counter = Counter()
        self.dealt: list[float] = []
        self.acknowledged: list[float] = []
        self.opening: tuple[float, float] | None = None

    async def open(self, desk: TeacherControls, phones: int) -> None:
        """The teacher opens once all phones have waited together for a while."""
        while (desk.progress().phones or 0) < phones:
            await asyncio.sleep(0.1)
        await asyncio.sleep(WAIT)
        began = time.monotonic()
        await asyncio.to_thread(desk.open)
        self.opening = began, time.monotonic()

    @property
    def waited(self) -> list[float]:
        """Seconds from the opening until each phone had its questions."""
        return [when - self.opening[1] for when in self.dealt] if self.opening else []


@contextmanager
def watching(address: str, key: str, code: str, elsewhere: bool):
    """A wall in Chromium, and somebody else's page; both are left to themselves while phones answer."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:

        def window():
            # A page behind another is not drawn, so everybody has a window.
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            return browser.new_page()

        wall = window()
        wall.goto(f"{address}/classroom?wall={key}&survey={code}")
        wall.locator(".calm-survey-code").wait_for()
        wall.evaluate(NOTED)
        other = window() if elsewhere else None
        if other:
            other.goto(f"{address}/{ELSEWHERE.format(seed=1)}")
        yield wall, other


def lags(acknowledged: list[float], noted: list[list[float]]) -> list[float]:
    """How long after each acknowledgement the wall showed at least as many reports."""
    found = []
    for number, when in enumerate(sorted(acknowledged), 1):
        shown = [at for at, count in noted if count >= number]
        found.append(max(0.0, min(shown) - when) if shown else float("inf"))
    return found


def quantile(values: list[float], share: float) -> float:
    """The value below which that share of them is."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def run(name: str, case: Case, address: str, store: Store, server: psutil.Process) -> list[str]:
    """Play one case and print its row; what was not as it must be."""
    keys = store.create(survey(4), expected=case.phones, capacity=case.phones)
    desk, port = store.teacher(keys.teacher), int(address.rsplit(":", 1)[1])
    if not case.lobby:
        # The first ones make the plan; when they come again they are dealt nothing new.
        for number in range(min(30, case.phones)):
            store.join(keys.code, ticket_of(number)).result()
        desk.open()
    heard, before = Heard(), server.cpu_times()

    async def all_of_them() -> None:
        await asyncio.gather(*([heard.open(desk, case.phones)] if case.lobby else []), *(
            Phone(port, i, keys.code, heard).answer(
                chance.uniform(0, case.coming), chance.uniform(0, case.reporting)
            )
            for i in range(case.phones)
        ))  # fmt: skip

    noted, began = [], time.monotonic()
    if case.wall:
        with watching(address, keys.wall, keys.code, case.elsewhere) as (wall, other):
            began = time.monotonic()
            noted = _beside(all_of_them, desk, wall, other, address)
    else:
        asyncio.run(all_of_them())
    seconds = time.monotonic() - began
    late = lags(heard.acknowledged, noted) if case.wall else []
    after = server.cpu_times()
    worked = after.user + after.system - before.user - before.system
    _print(name, heard, late, seconds, worked)
    return _wrong(name, case, desk.close().reports, heard, late, seconds)


def _beside(work, desk, wall, other, address: str) -> list:
    """Run the phones in a thread while the pages in this one go on; what the wall has shown."""
    with ThreadPoolExecutor(1) as pool:
        phones, seed = pool.submit(asyncio.run, work()), 1
        while not phones.done():
            wall.wait_for_timeout(1000)
            if not desk.progress().shown and desk.progress().reports >= 10:
                desk.show()
            if (
                other
                and other.locator("[data-testid=stApp][data-test-script-state=notRunning]").count()
            ):
                seed += 1
                other.goto(f"{address}/{ELSEWHERE.format(seed=seed)}")
        phones.result()
        # Until the wall shows them all, or stands still.
        for _ in range(20):
            wall.wait_for_timeout(1000)
            if wall.evaluate("noted.at(-1)[1]") >= desk.progress().reports:
                break
    return wall.evaluate("noted")


def _print(name: str, heard: Heard, late: list, seconds: float, worked: float) -> None:
    parts = [
        f"{what} p50 {statistics.median(times):.3f} p99 {quantile(times, 0.99):.3f} max {max(times):.3f}"
        for what, times in heard.took.items()
    ]
    if heard.opening:
        began, ended = heard.opening
        parts.append(f"opened in {ended - began:.3f}, questions after max {max(heard.waited):.2f}")
    if late:
        parts.append(
            f"wall median {statistics.median(late):.2f} p95 {quantile(late, 0.95):.2f} max {max(late):.2f}"
        )
    again = sum(count for (_, status), count in heard.told.items() if status == 429)
    load = os.getloadavg()[0]
    parts.append(f"{seconds:.1f} s in all, {again} told to wait")
    parts.append(f"the server worked {1000 * worked / sum(heard.told.values()):.1f} ms a request")
    print(f"{name}: {'; '.join(parts)}; load {load:.1f}", flush=True)


def _wrong(
    name: str, case: Case, counted: int, heard: Heard, late: list, seconds: float
) -> list[str]:
    """Which bars of the specification were missed."""
    found = []
    if counted != case.phones:
        found.append(f"{name}: {counted} of {case.phones} reports are counted")
    if any(status >= 500 for _, status in heard.told):
        found.append(f"{name}: answered by 5xx: {dict(heard.told)}")
    if case.bar:
        slow = {what: quantile(times, 0.99) for what, times in heard.took.items()}
        found += [
            f"{name}: 99 % of {what} took up to {p99:.2f} s, more than {case.bar}"
            for what, p99 in slow.items()
            if p99 >= case.bar
        ]
        if max(heard.waited, default=0) >= NEXT_LOOK + case.bar:
            found.append(f"{name}: questions came {max(heard.waited):.2f} s after the opening")
    elif seconds > 15:
        found.append(f"{name}: took {seconds:.1f} s, more than 15")
    if late and max(late) == float("inf"):
        found.append(f"{name}: the wall never showed all reports")
    if late and case.bar == 1.0 and (statistics.median(late) >= 0.6 or quantile(late, 0.95) >= 1):
        found.append(
            f"{name}: the wall was behind by {statistics.median(late):.2f}, {quantile(late, 0.95):.2f} s"
        )
    return found


def opening(store: Store, waiting: tuple[int, ...]) -> list[str]:
    """How long it takes to plan and deal for those who wait."""
    found = []
    for phones in waiting:
        keys = store.create(survey(4), expected=phones // 2, capacity=phones)
        desk = store.teacher(keys.teacher)
        for start in range(0, phones, 190):
            for future in [
                store.join(keys.code, ticket_of(i)) for i in range(start, min(start + 190, phones))
            ]:
                assert future.result().status == 200
            time.sleep(1.05)
        began = time.monotonic()
        desk.open()
        seconds = time.monotonic() - began
        print(
            f"open with {phones} waiting: {seconds:.3f} s, load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        if seconds >= 0.2:
            found.append(f"opening for {phones} took {seconds:.2f} s")
    return found


def main() -> int:
    """Serve, play, tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "cases", nargs="*", metavar="CASE", help=f"of {[*CASES, 'open']}; all where none is named"
    )
    parser.add_argument("--phones", type=int, help="so many instead, to see that it works")
    asked, wrong = parser.parse_args(), []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CALM_CLASSROOM"] = f"{folder}/room.sqlite3"
        store = Store()
        with serving(Path(folder)) as (address, process):
            server = psutil.Process(process.pid)
            for name in asked.cases or [*CASES, "open"]:
                if name == "open":
                    wrong += opening(store, (asked.phones,) if asked.phones else WAITING)
                else:
                    case = CASES[name]
                    case = replace(case, phones=asked.phones or case.phones)
                    wrong += run(name, case, address, store, server)
        store.stop()
    print("\n".join(wrong) or "all as it must be")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
