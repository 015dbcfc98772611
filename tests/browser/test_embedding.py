"""The app in a frame of another site, which browsers give neither cookies nor storage."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from calm_core.cli.serving import _find_free_ports
from tests.app.test_several_processes import serve
from tests.browser.conftest import PATIENCE
from tests.browser.test_data_step import CLASS

# As browsers that keep nothing for frames of other sites.
NO_STORAGE = """if (window !== top) for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("kept nowhere", "SecurityError") } })"""


@contextmanager
def course_page(shown: str) -> Iterator[str]:
    """The origin of a page that shows an address in a frame."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<iframe src='{shown}' width=1200 height=680></iframe>".encode())

        def log_message(self, *args) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        # By its name another site than 127.0.0.1.
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """The origin that may show the app, and one that may not."""
    (port,) = _find_free_ports(1)
    with ExitStack() as stack:
        allowed, other = (
            stack.enter_context(course_page(f"http://127.0.0.1:{port}/data?epsilon=2&k=2"))
            for _ in range(2)
        )
        program = (sys.executable, "-m", "calm_core", "app", "--no-browser", "--embed-in", allowed)
        folder = tmp_path_factory.mktemp("embedded")
        stack.enter_context(serve(folder, port=port, program=program))
        yield allowed, other


@pytest.fixture
def page(chromium):
    """A page that keeps to content policies."""
    context = chromium.new_context()
    context.add_init_script(NO_STORAGE)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def test_a_page_that_may_shows_the_app_with_uploads_addresses_and_downloads(page, sites):
    failed = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(sites[0])
    lab, inside = page.frame_locator("iframe"), page.frames[1]
    lab.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    lab.locator(".st-key-drop input[type=file]").set_input_files(
        {"name": "class.csv", "mimeType": "text/csv", "buffer": CLASS.encode()}
    )
    lab.locator("[class*=st-key-card_here]").get_by_text("class.csv").wait_for()
    lab.locator(".st-key-settings_bar [data-name=more]").click()
    lab.locator("#panel-seed").fill("5")
    lab.locator("#panel-seed").press("Enter")
    inside.wait_for_url("**seed=5**")
    page.keyboard.press("Escape")
    lab.locator(".st-key-stepper a").filter(has_text="Marginals").first.click()
    inside.wait_for_url("**/marginals?**")
    lab.get_by_text("Take it with you", exact=True).click()
    with page.expect_download() as loading:
        lab.get_by_role("link", name="Errors as CSV").click()
    assert loading.value.path().read_text("utf-8-sig").startswith("query")
    assert "file=class.csv" in inside.url and not failed


def test_a_page_that_may_not_shows_nothing_of_it(page, sites):
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(sites[1])
    expect(page.frame_locator("iframe").locator("body")).to_be_attached()
    assert any("frame-ancestors" in text for text in said)
    assert not page.frames[1].url.startswith("http://127.0.0.1")
