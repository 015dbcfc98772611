"""Links nobody meant: every parameter a link may have, with hostile values, combined; on every page.

    python -m tests.benchmarks.bench_links [--links 300] [--pages errors worlds] [--seed 1]

Each is opened as a tab and closed, once every page has been opened by itself and is loaded. No traceback on screen or
in the log, no link above 10 s of the processor, and the server at most 200 MB larger in the end. Prints the slowest,
and ends with status 1 beyond a bar.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from dataclasses import fields
from pathlib import Path
from urllib.parse import urlencode

from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction import RECONSTRUCTION
from calm_core.ingest.samples import SAMPLES
from calm_core.methods import METHODS
from calm_core.methods.calm_plus_design import DESIGNS
from calm_core.oracles import ORACLE_RULES
from calm_core.settings import Settings
from pages import words
from pages.ui.state import PAGES_OWN
from tests.benchmarks.visitors import Failed, Visitor, memory, seconds_worked
from tests.browser.conftest import serving

MAX_SECONDS, MAX_GROWN = 10.0, 200e6
# By the clock a busy machine may take longer.
PATIENCE = 120.0
# Seconds until what was at work for a closed tab has ended.
LEFT = 1.0
HOSTILE = (
    "", "0", "-1", "1e309", "nan", "inf", "1.5", "99999999999999999999999", "\x00", "\u202e", "💥" * 50, "<script>alert(1)</script>",
    "../../etc/passwd", "%s%n", "a" * 5_000, ",,,", '"', "true", "None", "1,2,3", "０", "٣", "[](javascript:x)", "$x^2$",
)  # fmt: skip
VIEWS = (
    "spread",
    "sources",
    "sizes",
    "curves",
    "all",
    "stages",
    "plays",
    "guess",
    "range",
    "numbers",
    "heatmap",
    "survey",
    "machine",
    "seen",
)
USUAL = {
    "source": (*SAMPLES, "0" * 64, "f" * 64), "file": ("x.csv", "a/b.csv"), "read": ("header=no", "sep=x", "date_order=dmy"),
    "schema": ("0" * 64,), "columns": ("age,female", "age", "nothing"), "d": ("1", "2", "8", "16", "32", "64", "65"),
    "max_values": ("2", "3", "1000"), "n": ("2", "50", "1000", "200000", "5000000", "5000001", "1000000000000"),
    "epsilon": ("0.01", "0.000001", "0.97", "4", "10", "16"), "k": ("1", "2", "4", "6", "8", "12"), "theta": ("0", "1e-9", "0.001", "1"),
    "l": ("1", "2", "5", "10", "64"), "m": ("1", "20", "500", "1000000"), "oracle": (*ORACLE_RULES,), "nonnegativity": (*NONNEGATIVITY,),
    "rounds": ("0", "20"), "reconstruction": (*RECONSTRUCTION,), "design": (*DESIGNS,), "method": (*METHODS,), "seed": ("0", "2147483647"),
    "queries": ("1", "50", "500"), "attrs": ("age", "female,age", "x,y,z"),
    "inside": ("age=1-2", "age=0+2,female=1", "age=9", "age", "x=1"), "presenter": ("1",), "hide": ("epsilon,k", "details", "d,n"),
    "pages": ("plan,errors", "start"), "view": VIEWS, "lesson": ("coin", "limits", "nothing"), "at": ("1", "3", "99"),
    "open": ("./x.json", "/etc/passwd", "0" * 64), "table": ("0,1", "9,9", "0"), "by": ("calm_plus", "em"), "survey": ("abcd", "0000-0000"),
    "wall": ("x" * 30,), "nonsense": ("1",),
}  # fmt: skip


def links(count: int, pages: list[str], seed: int) -> list[tuple[str, str]]:
    """Pages with queries: mostly values that can be meant, alone harmless and together heavy; some hostile."""
    missing = {item.name for item in fields(Settings)} | set(PAGES_OWN)
    if missing - set(USUAL):
        raise SystemExit(f"no values for {missing - set(USUAL)}")
    pick, found = random.Random(seed), []
    for i in range(count):
        names = pick.sample(list(USUAL), pick.randint(2, 9))
        told = [
            (name, pick.choice(HOSTILE if pick.random() < 0.12 else USUAL[name])) for name in names
        ]
        if pick.random() < 0.1:
            told.append(pick.choice(told))
        if pick.random() < 0.5:
            # Together these are heavy, and hardly ever come together by chance.
            large = {
                "source": "browsing",
                "d": pick.choice(("16", "24", "32")),
                "k": pick.choice("45678"),
            }
            told = [pair for pair in told if pair[0] not in large] + list(large.items())
        found.append((pages[i % len(pages)], urlencode(told)))
    return found


async def _open_all(address: str, server: int, asked: list[tuple[str, str]]) -> tuple:
    costs, errors = [], []
    for page, query in asked:
        visitor = Visitor(address, "" if page == "start" else page, query)
        worked, began = seconds_worked(server), time.monotonic()
        try:
            await visitor.open(wait=False)
            await visitor.drawn(PATIENCE)
        except (Failed, TimeoutError, OSError) as error:
            errors.append((f"{type(error).__name__} {error}", page, query))
        lasted = time.monotonic() - began
        await visitor.close()
        # What goes on for it until its end is noticed is not the next one's.
        await asyncio.sleep(LEFT)
        costs.append((seconds_worked(server) - worked, lasted, page, query))
    return costs, errors


def main() -> int:
    """Open the links and tell; 1 beyond a bar."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, default=300)
    parser.add_argument("--pages", nargs="+", default=list(words.shared.PAGES))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (address, process):
        time.sleep(10)
        asyncio.run(_open_all(address, process.pid, [(page, "") for page in words.shared.PAGES]))
        begun = memory(process.pid)
        wanted = links(asked.links, asked.pages, asked.seed)
        costs, errors = asyncio.run(_open_all(address, process.pid, wanted))
        grown = memory(process.pid) - begun
    costs.sort(reverse=True)
    for worked, lasted, page, query in costs[:12]:
        print(f"{worked:6.1f} s of the processor, {lasted:6.1f} s: /{page}?{query:.300}")
    for told, page, query in errors:
        print(f"{told}: /{page}?{query:.400}")
    late = sum(worked > MAX_SECONDS for worked, *_ in costs)
    print(
        f"{len(costs)} links, {len(errors)} errors, {late} above {MAX_SECONDS:g} s, {grown / 1e6:+.0f} MB"
    )
    return 1 if errors or late or grown > MAX_GROWN else 0


if __name__ == "__main__":
    sys.exit(main())
