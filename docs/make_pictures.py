"""make_pictures.py: take the pictures of the app that the documentation shows, into docs/images."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PICTURES = {"marginals": "marginals", "plan": "plan", "errors": "errors", "ask": "ask", "start": ""}
SIZE = {"width": 1280, "height": 720}


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def wait_for(address: str) -> None:
    """Return once the server answers."""
    for _ in range(120):
        try:
            urllib.request.urlopen(address, timeout=1).close()
            return
        except OSError:
            time.sleep(0.5)
    sys.exit("the app did not start")


def main() -> None:
    """Start the app, open each page, wait until it is still, take its picture."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    server = subprocess.Popen([*command, "--server.headless=true"], cwd=ROOT)
    browser_path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=browser_path, args=["--no-sandbox"]
            )
            page = browser.new_page(viewport=SIZE)
            for name, address in PICTURES.items():
                page.goto(f"http://127.0.0.1:{port}/{address}")
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(4000)
                page.screenshot(path=ROOT / "docs" / "images" / f"{name}.png")
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
