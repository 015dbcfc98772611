"""The app behind a real server, driven in Chromium; a failed test leaves a screenshot in artefacts/.

Never assert once right after an action: wait with `expect` or `wait_for`, with `settle` for a rerun of the
script, with `eventually` for what is measured. Assert that something is absent after the new state is there.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fcntl import LOCK_EX, LOCK_SH, LOCK_UN, flock
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection.simulation import collect
from calm_core.collection.states import State, save_state
from calm_core.collection.tally import Tally
from calm_core.ingest.encode import encode_table
from calm_core.ingest.samples import sample_schema, sample_table
from calm_core.tables.dataset import Population
from tests.app.screen import wait_until as until_true
from tests.app.test_several_processes import answers

ROOT = Path(__file__).resolve().parents[2]
ARTEFACTS = ROOT / "artefacts"
# The first has no windows, and takes a fifth less time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
# The process has the scripts of the app compiled, at once to quick code; parsing them while they arrive, and
# optimizing functions of pages that are soon closed, is wasted. So is looking for their garbage before there is much.
QUICK = (
    "--js-flags=--no-script-streaming --always-sparkplug --no-opt --no-maglev --single-threaded-gc"
    " --min-semi-space-size=64 --initial-old-space-size=500"
)
# The longest wait for anything, in milliseconds; a busy machine is slow.
PATIENCE = 60_000
# Addresses that need no network.
OWN = ("data:", "blob:", "about:")
# The server of the app, which measures errors at the epsilon of a page alone: at all twenty it would go on for
# seconds after most pages.
SERVER = """
from pages.ui import error_by_epsilon
from streamlit.web.cli import main
error_by_epsilon.sort_by_distance = lambda epsilon: [epsilon]
main()
"""
# Counts, for every page: messages sent to the server, how many of them asked for a rerun (and the last one of the
# whole page), how many had been asked for when the last run began, and whether one is running. Automatic reruns
# of a fragment do not count: they are dropped where the fragment is gone. Fields have the numbers of Streamlit's
# ForwardMsg.proto, BackMsg.proto and ClientState.proto.
LISTEN = """(() => {
    const runs = window.calmRuns = { sent: 0, asked: 0, whole: 0, begun: 0, on: false };
    const METADATA = 2, RUN = 6, FRAGMENTS = 2, NEW_SESSION = 4, SCRIPT_FINISHED = 6, EARLY_FOR_RERUN = 2;
    const RERUN_SCRIPT = 11, FRAGMENT = 5, BY_ITSELF = 6;
    const fields = data => {
        const bytes = new Uint8Array(data), found = {};
        let at = 0;
        const number = () => {
            let sum = 0, unit = 1, byte;
            do { byte = bytes[at++]; sum += (byte & 127) * unit; unit *= 128; } while (byte & 128);
            return sum;
        };
        while (at < bytes.length) {
            const tag = number(), value = number(), long = tag % 8 === 2;
            found[tag >> 3] = long ? bytes.subarray(at, at + value) : value;
            if (long) at += value;
        }
        return found;
    };
    const hear = ({ data }) => {
        const { [METADATA]: about, [NEW_SESSION]: begins, [SCRIPT_FINISHED]: finished } = fields(data);
        if (begins) {
            runs.on = true;
            const part = fields(fields(about)[RUN])[FRAGMENTS];
            if (!part || runs.whole <= runs.begun) runs.begun = runs.asked;
        }
        // Ended early for another run, which begins at once.
        if (finished !== undefined) runs.on = finished === EARLY_FOR_RERUN;
    };
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
        this.addEventListener("message", hear);
        const rerun = fields(data)[RERUN_SCRIPT], state = rerun && fields(rerun);
        if (!state?.[BY_ITSELF]) {
            runs.sent++;
            if (state) runs.asked++;
            if (state && !state[FRAGMENT]?.length) runs.whole = runs.asked;
        }
        return send.call(this, data);
    };
})()"""
# The gray placeholders of Streamlit are animated sixty times a second.
STILL = """(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("[data-testid=stSkeleton], [data-testid=stSkeleton] * { animation: none !important }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
})()"""
# Every text that is seen, through all shadow roots, with what holds it.
TEXT_NODES = """window.calmTexts = () => {
    const found = [];
    const walk = root => {
        const nodes = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
        for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
            if (node.shadowRoot) walk(node.shadowRoot);
            const holder = node.parentElement;
            if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
            if (!holder || ['STYLE', 'SCRIPT', 'NOSCRIPT', 'OPTION'].includes(holder.tagName)) continue;
            if (holder.checkVisibility({ opacityProperty: true, visibilityProperty: true })) found.push([node, holder]);
        }
    };
    walk(document.body);
    return found;
}"""
# Of those that are drawn: words, size, and whether they stand in a picture. Streamlit's own link for screen readers
# lies outside the window until it has the focus; indices in a formula are smaller than the formula.
TEXTS = """() => calmTexts().filter(([node, holder]) => {
    if (node.data === 'Skip to main content') return false;
    if (holder.closest('.visually-hidden, .katex, [hidden], details:not([open]) > :not(summary)')) return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    return box.width && box.height && box.bottom >= 0 && box.right >= 0;
}).map(([node, holder]) => [node.data.trim(), parseFloat(getComputedStyle(holder).fontSize), !!holder.closest('svg')])"""
# True when every rerun asked for has ended, for ten frames in a row: a busy machine delays frames too, which a
# fixed time would ignore.
SETTLED = """() => new Promise(done => {
    let frames = 0;
    const look = () => {
        const app = document.querySelector("[data-testid=stApp]"), runs = window.calmRuns;
        const over = app?.dataset.testScriptState === "notRunning"
            && runs.begun && runs.begun === runs.asked && !runs.on
            && document.querySelector(".st-key-last")
            && !document.querySelector("[data-testid=stStatusWidget], [data-testid=stSkeleton]")
            && document.fonts.status === "loaded";
        frames = over ? frames + 1 : 0;
        frames > 10 ? done(true) : over ? requestAnimationFrame(look) : setTimeout(look, 30);
    };
    look();
})"""
# Messages of the page are held back until `letGo()`, as by a slow connection.
HOLD = """() => {
    const send = WebSocket.prototype.send, held = []
    WebSocket.prototype.send = function (...told) { held.push(() => send.apply(this, told)) }
    window.letGo = () => { WebSocket.prototype.send = send; held.forEach(one => one()) }
}"""
# Until what an event asked for is drawn.
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
STRIP = ".st-key-settings_bar .settings-bar"
# Time after which keys no longer count as one burst.
BURST_OVER = "() => new Promise(done => setTimeout(done, 400))"


def pytest_collection_modifyitems(items):
    """Every test here is marked `browser`."""
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def chromium():
    """A browser; without one tests are skipped, but fail in CI."""
    if CHROMIUM is None:
        message = "no chromium found; install it with: apt-get install chromium"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        # One process draws all pages of a profile, so that scripts are compiled once. Emulating a graphics card
        # takes a fifth of all time.
        drawing = ["--disable-gpu", "--disable-threaded-animation", "--disable-threaded-scrolling"]
        arguments = ["--no-sandbox", "--process-per-site", *drawing, QUICK]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@contextmanager
def run_server(
    folder: Path,
    *arguments: str,
    base: str = "",
    port: int = 0,
    environment: dict[str, str] | None = None,
) -> Iterator[tuple[str, subprocess.Popen]]:
    """The address and the process of a server of its own, whose log is written to a folder."""
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))
        port = free.getsockname()[1]
    log = folder / "log.txt"
    command = [sys.executable, "-c", SERVER, "run", "app.py", "--server.headless=true"]
    options = ["--server.address=127.0.0.1", f"--server.port={port}"]
    if base:
        options.append(f"--server.baseUrlPath={base}")
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, *options, *arguments],
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=os.environ | (environment or {}),
        )
    try:
        address = "/".join(filter(None, [f"http://127.0.0.1:{port}", base]))
        until_true(lambda: answers(address) or process.poll() is not None, 90)
        assert process.poll() is None and answers(address), log.read_text()[-3000:]
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait(timeout=20)
    said = log.read_text()
    assert "Traceback" not in said, said[-3000:]


@pytest.fixture(scope="session")
def server_folder(tmp_path_factory):
    """The folder of the shared server: its log, its classroom and its data root."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    (folder / "server" / "root").mkdir(parents=True, exist_ok=True)
    return folder / "server"


def save_collection(path: Path) -> None:
    """Reports of 10^12 people, to be opened below the data root."""
    table = sample_table("survey")
    people = Population(encode_table(table, schema=sample_schema(table), d=8).dataset, 10**12)
    rng = np.random.default_rng(2)
    plan = cc.make_plan(people.domain, people.n, epsilon=1.0, k=3, theta=1e-3, rng=rng)
    reports = collect(people, plan, rng=rng)
    support = np.concatenate([view.support for view in reports.views])
    batch = Tally((("trillion", "0f"),), support, [view.n for view in reports.views])
    save_state(path, State(plan, (batch,)))


@pytest.fixture(scope="session")
def server(server_folder, chromium):
    """The address of the server that nearly all tests share, in all workers of pytest.

    The first worker starts it, and ends it once no other has its lock; a worker that dies loses its own.
    """
    known = server_folder / "address"
    with ExitStack() as stack:
        starting, users = (
            stack.enter_context((server_folder / name).open("w")) for name in ("starting", "users")
        )
        flock(starting, LOCK_EX)
        flock(users, LOCK_SH)
        first = not known.exists()
        if first:
            save_collection(server_folder / "root" / "trillion.json")
            own = {"CALM_CLASSROOM": str(server_folder / "classroom.sqlite3")}
            root = ("--", "--data-root", str(server_folder / "root"))
            address, _ = stack.enter_context(run_server(server_folder, *root, environment=own))
            known.write_text(address)
        flock(starting, LOCK_UN)
        yield known.read_text()
        if first:
            flock(users, LOCK_EX)


def new_profile(chromium):
    """A new browser profile, whose pages count their reruns.

    The content policy would forbid the scripts that Playwright waits with: only test_policy.py applies it.
    """
    # Without windows a browser cannot ask whether a page may use the clipboard.
    context = chromium.new_context(bypass_csp=True, permissions=["clipboard-write"])
    context.set_default_timeout(PATIENCE)
    context.add_init_script(LISTEN)
    context.add_init_script(STILL)
    context.add_init_script(TEXT_NODES)
    return context


@pytest.fixture(scope="session")
def shared_profile(chromium, server):
    """The profile of nearly all pages: loading the app into a new one is most of the cost of a visit."""
    context = new_profile(chromium)
    # One page stays open: the process ends with the last one, and with it the compiled scripts.
    context.new_page().goto(f"{server}/_stcore/health")
    yield context
    context.close()


@pytest.fixture
def profile(shared_profile):
    """The shared profile; afterwards its pages are closed and its storage is cleared."""
    yield shared_profile
    stays, *others = shared_profile.pages
    for page in others:
        page.close()
    stays.evaluate("localStorage.clear()")
    shared_profile.clear_cookies()


def new_page(profile):
    """A new page in the process of the one that stays open."""
    stays = profile.pages[0]
    with stays.expect_popup() as opened:
        stays.evaluate("void window.open(location.href)")
    return opened.value


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Store on the test whether it failed, for its fixtures."""
    report = yield
    item.failed = getattr(item, "failed", False) or report.failed
    return report


# Streamlit's client asks below the page of a deep link whether the app is served there, and expects a 404.
ASKED_BELOW = re.compile(r"http://[^/]+/\w+/_stcore/(health|host-config)")


def note_error(told, url: str, said: list[str]) -> None:
    """Collect an error of the console, except for the expected 404."""
    missing = "status of 404" in told.text and ASKED_BELOW.fullmatch(told.location["url"])
    if told.type == "error" and not missing:
        said.append(f"{url}: {told.text} ({told.location['url']})")


@pytest.fixture
def visit(profile, server, request):
    """Open a new page and wait until it is complete; its scripts must neither fail nor ask other servers."""
    pages, said, asked = [], [], []

    def go(
        path: str = "",
        *,
        width: int = 1280,
        height: int = 720,
        dark: bool = False,
        less_motion: bool = False,
        wait: bool = True,
    ):
        page = new_page(profile)
        pages.append(page)
        page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
        page.on("console", lambda told: note_error(told, page.url, said))
        page.on("request", lambda request: asked.append(request.url))
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if less_motion else "no-preference",
        )
        page.goto(path if path.startswith("http") else f"{server}/{path}")
        if wait:
            settle(page)
            wait_for_keys(page)
        return page

    yield go
    if request.node.failed:
        ARTEFACTS.mkdir(exist_ok=True)
        for i, page in enumerate(pages):
            page.screenshot(path=ARTEFACTS / f"{request.node.name}-{i}.png", full_page=True)
    assert not said, f"scripts of the page failed: {said[:3]}"
    assert not [url for url in asked if not url.startswith((server, *OWN))], "asked elsewhere"


# The state of a page that did not become ready.
STATE = """() => JSON.stringify({ at: location.href, runs: window.calmRuns, fonts: document.fonts.status,
    script: document.querySelector("[data-testid=stApp]")?.dataset.testScriptState, seen: document.visibilityState,
    status: document.querySelector("[data-testid=stStatusWidget]")?.textContent,
    last: !!document.querySelector(".st-key-last") })"""


def wait_until(page, script: str, arg=None, *, polling=100, patience: int = PATIENCE) -> None:
    """Wait until a script is true in the page; polling in every frame would keep the machine drawing."""
    from playwright.sync_api import TimeoutError

    try:
        page.wait_for_function(script, arg=arg, polling=polling, timeout=patience)
    except TimeoutError as error:
        raise AssertionError(f"{script} {arg}: not so in {page.evaluate(STATE)}") from error


def settle(page) -> None:
    """Wait until every rerun asked for has ended and nothing is computed or fetched.

    Right after a press it waits for that rerun. A message sent later than in the next frames (keys of a
    slider: after 200 ms) has to be waited for by its effect.
    """
    wait_until(page, SETTLED, polling="raf")


def choose_file(page, field, file) -> None:
    """Give a file to a field and wait until the app has it.

    On a busy machine, once in some forty times, Streamlit's uploader asks the server where to send it and
    never does; a person would choose it again.
    """
    # A run that is still on would be taken for that of the file.
    settle(page)
    before = page.evaluate("calmRuns.asked")

    def choose(patience: int) -> None:
        field.set_input_files(file)
        wait_until(page, "before => calmRuns.asked > before", before, patience=patience)

    try:
        choose(PATIENCE // 4)
    except AssertionError:
        choose(PATIENCE)


def choose_option(page, field, name: str, *, exact: bool = False) -> None:
    """Take an option of a field that opens a list.

    The list closes when the page scrolls, and a click that scrolls to its field first is told of it only
    after the list is open: so the scrolling comes before, and a frame to be told of it.
    """
    field.scroll_into_view_if_needed()
    page.evaluate(TWO_FRAMES)
    field.click()
    page.get_by_role("option", name=name, exact=exact).click()
    settle(page)


def evaluate(page, script: str):
    """The result of a script; a large one arrives in a third of the time as one text."""
    return json.loads(page.evaluate(f"() => JSON.stringify(({script})())"))


def count_sent(page) -> int:
    """How many messages the page has sent to the server, automatic reruns not counted."""
    return page.evaluate("calmRuns.sent")


def eventually(check: Callable[[], Any]) -> Any:
    """Call `check` until no assertion in it fails: a layout may be final some frames later."""
    deadline = time.monotonic() + PATIENCE / 1000
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def box_of(part) -> dict:
    """The bounding box of a part of the page, in pixels, once it has one."""

    def look() -> dict:
        box = part.bounding_box()
        assert box, f"{part} has no place on the page"
        return box

    return eventually(look)


def fits(part) -> None:
    """Nothing of a part is cut off at its sides."""
    assert part.evaluate("one => one.scrollWidth <= one.clientWidth")


def fits_the_width(page) -> None:
    """Nothing is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


def above_the_strip(page, *parts) -> None:
    """All of these parts, or selectors of parts, end above the settings bar."""
    top = box_of(page.locator(STRIP))["y"]
    for part in parts:
        box = box_of(page.locator(part).first if isinstance(part, str) else part)
        assert box["y"] + box["height"] <= top + 1, part


def read_from_the_back_row(page) -> None:
    """In a lecture: no text is small."""
    assert not [(text, size) for text, size, _ in evaluate(page, TEXTS) if size < 21.9], page.url


def fills_the_room(page, picture) -> None:
    """In a lecture: one title, and a large picture above the settings bar, read from the back row."""
    read_from_the_back_row(page)
    above_the_strip(page, picture)
    box = box_of(page.locator(picture).first)
    assert box["y"] >= 0 and box["height"] >= 0.58 * page.viewport_size["height"]
    assert page.locator("h1").count() == 1


def wait_for_keys(page) -> None:
    """Wait until the listener for keys is mounted and has handled the last one."""
    page.locator(".st-key-calm_lecture_keys .root:not([data-waiting])").wait_for(state="attached")


def enter_lecture(page) -> None:
    """Show the same page in a lecture."""
    wait_for_keys(page)
    page.keyboard.press("l")
    page.locator(".st-key-header").wait_for(state="detached")
    settle(page)


def leave_lecture(page) -> None:
    """Show the same page outside the lecture."""
    wait_for_keys(page)
    page.keyboard.press("l")
    page.locator(".st-key-header").wait_for()
    settle(page)


def resize(page, width: int, height: int) -> None:
    """Change the size of the window and wait for the layout."""
    page.set_viewport_size({"width": width, "height": height})
    settle(page)
