"""The app behind a real server, driven in Chromium; screenshots are kept under artefacts/."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARTEFACTS = ROOT / "artefacts"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
LAST_LINE = "A real collector never has it"


def pytest_collection_modifyitems(items):
    """Every test here is marked `browser`."""
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def chromium():
    """A browser; where none is installed tests are skipped, but fail in CI, which must have one."""
    if CHROMIUM is None:
        message = "no chromium found; install it with: apt-get install chromium"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory, chromium):
    """Address of a server of its own, started as people start it, warmed up."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log.txt"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    options = [
        "--server.address=127.0.0.1",
        f"--server.port={port}",
        "--server.fileWatcherType=none",
    ]
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, *options], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        _wait(f"http://127.0.0.1:{port}/_stcore/health", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)
    said = log.read_text()
    assert "Traceback" not in said, said[-3000:]


def _wait(url: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start: {log.read_text()[-3000:]}")


@pytest.fixture
def visit(chromium, server, request):
    """Open a page in a fresh browser profile and wait until it is complete; keeps a screenshot."""
    opened = []

    def go(path: str = "", *, width: int = 1280, height: int = 720, dark: bool = False, wait=True):
        scheme = "dark" if dark else "light"
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        page = context.new_page()
        page.set_default_timeout(30_000)
        opened.append((context, page))
        page.goto(path if path.startswith("http") else f"{server}/{path}")
        if wait:
            settled(page)
        return page

    yield go
    ARTEFACTS.mkdir(exist_ok=True)
    for i, (context, page) in enumerate(opened):
        page.screenshot(path=ARTEFACTS / f"{request.node.name}-{i}.png", full_page=True)
        context.close()


def settled(page) -> None:
    """Wait until the script has run to its last line and nothing is being computed."""
    page.get_by_text(LAST_LINE).wait_for()
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_timeout(300)


@pytest.fixture
def browser_page(chromium):
    """A fresh page; `outgoing` and `dialogs` list what must never happen."""
    context = chromium.new_context(viewport={"width": 1300, "height": 1600})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.outgoing, page.dialogs = [], []
    page.on("request", lambda request: note_request(page, request.url))
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    context.close()


def note_request(page, url: str) -> None:
    """Remember a request that leaves this computer."""
    if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:")):
        page.outgoing.append(url)
