"""What visits leave behind: memory of the server after reruns in one tab, and after tabs opened and closed.

    python -m tests.benchmarks.bench_memory [--reruns 200] [--visits 2000]

Every rerun has an epsilon, every visit a seed of its own, so that caches fill. After a first round that fills them,
the server is to stay within 50 MB; Streamlit keeps a closed session for two minutes, so visits have a pause
after each round. Ends with status 1 beyond.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from pages import words
from tests.benchmarks.visitors import Visitor, memory
from tests.browser.conftest import serving

MAX_GROWN, ROUNDS = 50e6, 4
# Longer than Streamlit keeps a session whose tab was closed.
FORGOTTEN = 130.0
PAGES = [page for page in words.shared.PAGES if page not in ("classroom", "collection")]


def told(what: str, server: int, start: int) -> int:
    """Print how much the server has grown; gives it."""
    grown = memory(server) - start
    print(f"{what:30} {memory(server) / 1e6:6.0f} MB, {grown / 1e6:+5.0f} MB", flush=True)
    return grown


async def reruns(address: str, count: int, first: int) -> None:
    """One tab, epsilon typed again and again."""
    person = Visitor(address, "marginals", "seed=3")
    await person.open()
    for i in range(count):
        await person.choose("settings_bar", "epsilon", f"{0.5 + 0.001 * (first + i):.3f}")
    await person.close()


async def visits(address: str, count: int, first: int) -> None:
    """Tabs on every page, one after the other, each closed when it is drawn."""
    for i in range(first, first + count):
        page = PAGES[i % len(PAGES)]
        person = Visitor(address, "" if page == "start" else page, f"seed={i}")
        await person.open()
        await person.close()


def main() -> int:
    """Print memory after every round; 1 beyond the bar."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--reruns", type=int, default=200)
    parser.add_argument("--visits", type=int, default=2000)
    asked = parser.parse_args()
    beyond = 0
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (address, process):
        time.sleep(10)
        for what, do, count in (("reruns", reruns, asked.reruns), ("visits", visits, asked.visits)):
            part, start = max(1, count // ROUNDS), 0
            for i in range(ROUNDS + 1):
                asyncio.run(do(address, part, i * part))
                if what == "visits":
                    time.sleep(FORGOTTEN)
                # The first round fills caches that are bounded.
                start = start or memory(process.pid)
                grown = told(f"{(i + 1) * part} {what}", process.pid, start)
            beyond += grown > MAX_GROWN
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
