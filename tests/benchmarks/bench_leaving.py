"""What becomes of work when its page is left, its tab is closed, or its connection is lost; with a real browser.

    python -m tests.benchmarks.bench_leaving

Bars: a closed tab leaves the server idle within 2 s, another page ends the child within 2 s, a comparison outlives
a connection that is lost for a second. Needs Chromium; ends with status 1 beyond a bar.
"""

import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil
from playwright.sync_api import sync_playwright

from tests.benchmarks.visitors import seconds_worked
from tests.browser.conftest import serving

HEAVY = "source=browsing&d=32&k=8"
BAR, PATIENCE = 2.0, 40.0
# Parts of a core below which a server is idle.
IDLE, LOOK = 0.15, 0.25
# The socket of the page, so that it can be closed as a lost network does: the browser says no goodbye.
SOCKET = "(() => { const Own = WebSocket; window.WebSocket = class extends Own { constructor(...a) { super(...a); window.wire = this } } })()"


def children(server: int) -> int:
    """How many processes of comparisons there are."""
    found = 0
    for child in psutil.Process(server).children(recursive=True):
        # One that has just ended has no command line.
        with suppress(psutil.Error):
            found += "background" in " ".join(child.cmdline())
    return found


def until(true) -> float:
    """Seconds until something is so; infinity after long."""
    began = time.monotonic()
    while not true():
        if time.monotonic() - began > PATIENCE:
            return float("inf")
        time.sleep(0.05)
    return time.monotonic() - began


def idle_after(server: int) -> tuple[float, float]:
    """Seconds until the server begins to be idle, for one second at least, and what it has worked until then."""
    first = seconds_worked(server)
    began = quiet = time.monotonic()
    while time.monotonic() - quiet < 1.0:
        worked = seconds_worked(server)
        time.sleep(LOOK)
        if seconds_worked(server) - worked > IDLE * LOOK:
            quiet = time.monotonic()
        if quiet - began > PATIENCE:
            return float("inf"), float("inf")
    return quiet - began, seconds_worked(server) - first


def comparing(page, server: int) -> None:
    """Have a long comparison at work."""
    page.get_by_role("spinbutton", name="Repetitions").fill("100")
    page.keyboard.press("Tab")
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Compare", exact=True).click()
    if until(lambda: children(server) == 1) == float("inf"):
        raise SystemExit("no comparison began")


def main() -> int:
    """Print a line for each; 1 beyond a bar."""
    found, worked = {}, {}
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as (address, process),
        sync_playwright() as playwright,
    ):
        server = process.pid
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        stays = browser.new_context()
        stays.new_page().goto("about:blank")
        time.sleep(10)
        for name, link in (
            ("worlds", f"worlds?{HEAVY}"), ("errors", f"errors?{HEAVY}&method=em"), ("start", "?seed=91")
        ):  # fmt: skip
            page = browser.new_page()
            page.goto(f"{address}/{link}")
            page.wait_for_timeout(4000)
            page.close()
            what = f"{name}: closed, idle after"
            found[what], worked[what] = idle_after(server)
        page = browser.new_page()
        page.goto(f"{address}/compare")
        page.wait_for_timeout(4000)
        comparing(page, server)
        page.goto(f"{address}/about")
        found["comparing: another address, no child after"] = until(lambda: children(server) == 0)
        page.add_init_script(SOCKET)
        page.goto(f"{address}/compare")
        page.wait_for_timeout(4000)
        comparing(page, server)
        # 4000 and above is for programs: what it means is not said.
        page.evaluate("window.wire.close(4000)")
        page.wait_for_timeout(5000)
        found["comparing: a lost connection, children after 5 s"] = children(server) - 1
        page.locator(".st-key-header a, .st-key-top a").last.click()
        found["comparing: another page, no child after"] = until(lambda: children(server) == 0)
        browser.close()
    beyond = 0
    for what, seconds in found.items():
        bad = abs(seconds) > (0 if "children" in what else BAR)
        beyond += bad
        cpu = f"{worked[what]:.1f} s of the processor" if what in worked else ""
        print(f"{what:50} {seconds:6.1f} {cpu} {'BEYOND' * bad}")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
