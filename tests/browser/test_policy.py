"""The content policy holds and costs nothing: the one place where Chromium keeps to it.

Everywhere else it is set aside, since Playwright's `wait_for_function` is a text made into code.
"""

import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.app.screen import wait_until

# Everything that is loaded at all, each at least once: what leads there, and what is then seen.
PLACES = (
    ("compare", ".calm-row"),
    ("learn?lesson=epsilon&at=1", ".card svg"),
    (".st-key-section_lab a", ".st-key-attributes_card li"),
    (".st-key-open_seen button", ".st-key-import_review [data-row]"),
    (".st-key-step_plan a", ".bar.own"),
    (".st-key-step_collect a", ".cards .card"),
    (".st-key-step_marginals a", ".chip"),
    (".st-key-step_errors a", ".st-key-pairs td"),
    (".st-key-errors_details summary", ".js-plotly-plot .main-svg"),
    (".st-key-section_compare a", ".world svg"),
    (".st-key-section_about a", ".katex"),
    (".st-key-section_start a", ".foot input"),
)


def test_nothing_the_app_needs_is_refused_and_what_is_written_into_a_page_is(chromium, server):
    page, refused = chromium.new_page(), []
    page.set_default_timeout(30_000)
    page.on(
        "console",
        lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None,
    )
    for way, there in PLACES:
        page.locator(way).first.click() if way.startswith(".") else page.goto(f"{server}/{way}")
        page.locator(there).first.wait_for()
        assert not refused, way
    page.evaluate("""() => {
        const script = document.createElement("script")
        script.textContent = "window.ran = true"
        document.body.append(script)
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = true'>")
    }""")
    page.wait_for_timeout(300)
    assert refused and page.evaluate("window.ran") is None
    page.close()


def is_ready(port: int) -> bool:
    """Whether Caddy has its certificate by now: it listens a moment before it can encrypt."""
    try:
        return bool(ssl.get_server_certificate(("localhost", port), timeout=5))
    except OSError:
        return False


@contextmanager
def behind_caddy(server: str, folder: Path) -> Iterator[str]:
    """Caddy in front of a server as documented, under a name and certificate of this machine."""
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("no caddy found; install it with: apt-get install caddy")
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "server.md").read_text()
    recipe = re.search(r"<!-- proxy -->\n```\n(.*?)```", page, re.DOTALL)[1]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    here = recipe.replace("lab.example.org", f"localhost:{port}").replace(
        "127.0.0.1:8501", server.removeprefix("http://")
    )
    assert here.count(str(port)) == 1 and server.removeprefix("http://") in here
    quiet = "{\n admin off\n skip_install_trust\n auto_https disable_redirects\n}\n"
    (folder / "Caddyfile").write_text(quiet + here)
    process = subprocess.Popen(
        [caddy, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"],
        env=os.environ | {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
        stderr=subprocess.DEVNULL,
    )
    try:
        assert wait_until(lambda: is_ready(port))
        yield f"https://localhost:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)
