"""Tables that differ in one cell, uploaded by several sessions at once: each is shown what belongs to its own bytes.

    python -m tests.benchmarks.bench_stale [--edits 500] [--rows 200000] [--sessions 4] [--seed 1]

A server of its own; all files have one name, and all sessions the same settings. Each session changes a cell of a table
that it or another one has used, uploads it, now and then goes back to an earlier one, by uploading it again or in the
strip, and looks at Data and Tables. What it is shown (shares and the account of the rows, the true table and the
released one) is compared with what the library computes from the same bytes in a process without the app's caches.
Ends with status 1 where anything is another table's. On a quiet machine it takes some ten minutes.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from calm_core.evaluation.run import run
from calm_core.ingest import read_table
from calm_core.ingest.encode import encode_table
from calm_core.methods import make_method
from calm_core.settings import Settings, source_of
from pages import words
from pages.ui import escape
from tests.benchmarks.visitors import Visitor, memory
from tests.browser.conftest import serving

FILE, HEAD = "table.csv", b"a,b,c\n"
# What may stand in each column, "" and 9 only by an edit: so much in all that Tables has a bar for every cell.
USUAL = ((b"0", b"1"), (b"0", b"1"), (b"0", b"1", b"2", b"3"))
VALUES = ((*USUAL[0], b"9", b""), *USUAL[1:])
SETTINGS = Settings(d=3, k=3, epsilon=2.0, seed=7, queries=1)
# Of all edits: who starts from another one's table, who goes back by uploading, who in the settings bar.
FOREIGN, UPLOADED, CHOSEN = 0.3, 0.2, 0.2
# Cells that were changed, and what stands there now.
Version = dict[tuple[int, int], bytes]


class Tables:
    """All versions of a table, each with one cell unlike another one's."""

    def __init__(self, rows: int, seed: int):
        rng = np.random.default_rng(seed)
        self.text = np.full((rows, 2 * len(USUAL)), b",", dtype="S1")
        for at, values in enumerate(USUAL):
            self.text[:, 2 * at] = np.array(values)[rng.integers(0, len(values), rows)]
        self.text[:, -1] = b"\n"
        self.pick = random.Random(seed)
        self.known: dict[str, Version] = {}

    def edited(self, version: Version) -> Version:
        """One more cell changed."""
        row, column = self.pick.randrange(len(self.text)), self.pick.randrange(len(VALUES))
        now = version.get((row, column), bytes(self.text[row, 2 * column]))
        others = [value for value in VALUES[column] if value != now]
        return version | {(row, column): self.pick.choice(others)}

    def bytes_of(self, version: Version) -> bytes:
        """The file."""
        text = self.text.copy()
        for (row, column), value in version.items():
            text[row, 2 * column] = value
        # An empty cell is a zero byte here.
        return HEAD + text.tobytes().replace(b"\x00", b"")


def wanted(content: bytes) -> dict[str, object]:
    """What must be shown, from the bytes alone."""
    encoded = encode_table(read_table(content, name=FILE, isolate=False), d=SETTINGS.d)
    dataset = encoded.dataset
    method = make_method(SETTINGS.method, **SETTINGS.method_settings)
    found = run(dataset, method, seed=SETTINGS.seed, queries=SETTINGS.queries)
    names, cells = dataset.domain.names, dataset.domain.cells_of(dataset.domain.names)
    shares = (dataset.marginal((name,)).values for name in names)
    return {
        "rows": escape.sentence(words.data.rows(encoded.report, cells)),
        "shares": [[round(float(share), 4) for share in some] for some in shares],
        "true": dataset.marginal(names).values.ravel().tolist(),
        "released": found.answer.marginal(names).values.ravel().tolist(),
    }


class Session(Visitor):
    """A tab on Data, with what it was shown that it should not have been."""

    def __init__(self, address: str, tables: Tables):
        told = {name: value for name, value in SETTINGS.to_query().items() if name != "d"}
        super().__init__(
            address, "data", "&".join(f"{name}={value}" for name, value in told.items())
        )
        self.tables, self.now = tables, Version()
        self.did: Counter[str] = Counter()
        self.wrong: list[str] = []

    async def work(self, edits: int) -> None:
        """So many edits, with what comes between them."""
        await self.open()
        pick = self.tables.pick
        for _ in range(edits):
            known = [*self.tables.known.values()]
            start = pick.choice(known) if known and pick.random() < FOREIGN else self.now
            await self.bring("edited", self.tables.edited(start))
            if pick.random() < UPLOADED:
                await self.bring("uploaded again", pick.choice([*self.tables.known.values()]))
            if pick.random() < CHOSEN:
                await self.go_back()
        await self.close()

    async def bring(self, what: str, version: Version) -> None:
        """Upload a version and look."""
        if self.page != "data":
            await self.turn("data")
        content = self.tables.bytes_of(version)
        self.now = self.tables.known[source_of(content, FILE)] = version
        await self.upload("upload", FILE, content)
        self._count(what)
        markdown = [one.markdown.body for one in self.screen.values()]
        rows = [body for body in markdown if words_of_rows(body)]
        shares = [row["shares"] for row in self.data("attributes")["rows"]]
        shown: dict[str, object] = {"rows": rows[0] if rows else None, "shares": shares}
        await self.turn("marginals")
        await self.compare(what, content, shown | self.marginals())

    async def go_back(self) -> None:
        """Choose an upload of this tab, or the same again, where another page has it in the settings bar."""
        controls = {one["field"]: one for one in self.data("settings_bar")["controls"]}
        held = [name for name, _ in controls["source"]["options"] if name in self.tables.known]
        source = self.tables.pick.choice(held)
        self.now = self.tables.known[source]
        await self.choose("settings_bar", "source", source)
        self._count("chosen again")
        await self.compare("chosen again", self.tables.bytes_of(self.now), self.marginals())

    def _count(self, what: str) -> None:
        self.did[what] += 1
        if self.did.total() % 25 == 0:
            print(
                f"{self.did.total()} looks in tab {self.session:.8}, {len(self.wrong)} stale",
                flush=True,
            )

    def marginals(self) -> dict[str, object]:
        """The table on the screen."""
        told = self.data("marginal")
        return {name: told[name] for name in ("true", "released")}

    async def compare(self, what: str, content: bytes, shown: dict[str, object]) -> None:
        """Note what is not of these bytes."""
        right = await asyncio.to_thread(wanted, content)
        for name, value in shown.items():
            if value != right[name]:
                self.wrong.append(f"{what}: {name} is {value!s:.120}, not {right[name]!s:.120}")


def words_of_rows(body: str) -> bool:
    """Whether this is the account of the rows."""
    return "rows read" in body


async def _work(address: str, tables: Tables, sessions: int, edits: int) -> list[Session]:
    tabs = [Session(address, tables) for _ in range(sessions)]
    each = [edits // sessions + (at < edits % sessions) for at in range(sessions)]
    await asyncio.gather(*(tab.work(some) for tab, some in zip(tabs, each)))
    return tabs


def main() -> int:
    """Print what was done and what was stale; 1 where anything was."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--edits", type=int, default=500)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    tables, plain = Tables(asked.rows, asked.seed), "--server.enableXsrfProtection=false"
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), plain) as (address, process),
    ):
        began = time.monotonic()
        tabs = asyncio.run(_work(address, tables, asked.sessions, asked.edits))
        lasted, holds = time.monotonic() - began, memory(process.pid)
    did = sum((tab.did for tab in tabs), Counter())
    wrong = [text for tab in tabs for text in tab.wrong]
    for text in wrong[:20]:
        print(text)
    told = ", ".join(f"{times} {what}" for what, times in did.items())
    print(f"{asked.rows:,} rows, {len(tabs)} sessions: {told}; {len(wrong)} stale")
    print(f"{lasted:.0f} s, the server holds {holds / 1e6:.0f} MB")
    return int(bool(wrong) or did["edited"] < asked.edits)


if __name__ == "__main__":
    sys.exit(main())
