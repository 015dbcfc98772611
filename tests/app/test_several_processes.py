"""`calm-lab app` from a wheel, and `calm-lab serve`: visitors stay with their process, one that dies takes nothing with it."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
import uuid
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError

import psutil
import pytest

from calm_core.cli import serving
from calm_core.errors import InputError
from calm_core.runtime import installation
from calm_core.runtime.processes import StopRequested
from pages.ui import streamlit_compat
from tests.app.conftest import ROOT
from tests.app.screen import run_coroutine, wait_until
from tests.benchmarks.visitors import Failed, Visitor, fetch_cookies

UV = shutil.which(
    "uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
)


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5) as answer:
            return answer.read() == b"ok"
    except OSError:
        return False


@contextmanager
def serve(folder, *options, port, program=(sys.executable, "-m", "calm_core", "serve"), cwd=ROOT):
    """The command with its messages in a file; gives its process and address."""
    address = f"http://127.0.0.1:{port}"
    with (folder / "log").open("w") as log:
        command = [*program, "--port", str(port), *options]
        process = subprocess.Popen(command, cwd=cwd, stderr=log)
    try:
        assert wait_until(lambda: answers(address)), (folder / "log").read_text()
        yield process, address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def servers(process) -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process(process.pid).children(recursive=True)
        if "streamlit" in child.cmdline()
    ]


def has_ended(process: psutil.Process) -> bool:
    """Whether it has; nobody may have collected its status yet."""
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("caddy") is None, reason="needs Caddy")
def test_visitors_stay_with_their_process_and_go_on_where_it_dies(tmp_path):
    (port,) = serving._find_free_ports(1)

    async def visit(process, address) -> None:
        # One visitor of each process; who comes is sent to either by chance.
        found = {fetch_cookies(address) for _ in range(40)}
        assert len(found) == 2
        people = [
            Visitor(address, "marginals", f"seed={100 + i}&n=1000", cookies=cookies)
            for i, cookies in enumerate(found)
        ]
        for person in people:
            await person.open()
            # A connection that is lost comes back to the same session.
            before = person.session
            await person.lose()
            await person.open()
            assert person.session == before
            await person.choose("settings_bar", "k", 2)
        killed, other = servers(process)
        killed.kill()
        for person in people:
            for _ in range(20):
                try:
                    await person.choose("settings_bar", "epsilon", "2")
                    break
                except Exception:
                    # As a browser does: it connects again, to whoever answers, with the address it shows.
                    person.query = json.loads(person.component("calm_address").json)["query"]
                    await asyncio.sleep(0.5)
                    try:
                        await person.open()
                    except (Failed, OSError):
                        continue
            await person.confirm()
            query = json.loads(person.component("calm_address").json)["query"]
            assert "epsilon=2.0" in query and "k=2" in query
            await person.close()
        assert other.is_running() and wait_until(lambda: len(servers(process)) == 2), (
            "it is started again"
        )

    with serve(tmp_path, "--processes", "2", port=port) as (process, address):
        run_coroutine(visit(process, address))
        children = psutil.Process(process.pid).children(recursive=True)
    assert not [child for child in children if child.is_running()], "they end with the command"
    assert "is started again" in (tmp_path / "log").read_text()


@pytest.mark.skipif(shutil.which("caddy") is None, reason="needs Caddy")
@pytest.mark.parametrize(
    ("embed_in", "policy"),
    [(["https://lms.example.org"], "ip_hash"), (None, "cookie calm_process")],
)
def test_in_a_frame_visitors_stay_with_their_process_by_their_address(
    monkeypatch, embed_in, policy
):
    """A frame keeps no cookie; Caddy reads the file that says so."""
    read = []

    def adapt(processes, *more) -> None:
        words = processes[-1].command
        config = words[words.index("--config") + 1]
        command = ["caddy", "adapt", "--config", config, "--adapter", "caddyfile"]
        subprocess.run(command, check=True, capture_output=True)
        read.append(Path(config).read_text("utf-8"))

    monkeypatch.setattr(serving, "_run", adapt)
    (port,) = serving._find_free_ports(1)
    serving.serve(processes=2, port=port, embed_in=embed_in)
    assert f"lb_policy {policy}" in read[0]


def status_of(address: str, method: str = "GET", **headers: str) -> int:
    request = urllib.request.Request(address, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except HTTPError as error:
        return error.code


@pytest.mark.slow
@pytest.mark.skipif(UV is None, reason="needs uv")
def test_the_app_starts_from_its_wheel_in_an_empty_environment(tmp_path, monkeypatch):
    """As README.md and install.md say, but outside of the checkout; a visitor gets a page made from a sample.

    What the wheel asks for is linked from here, where it is unpacked and compiled. Streamlit's routes are where the
    middleware looks for them, and the server ends with a command that is killed.
    """
    monkeypatch.delenv("PYTHONPATH", raising=False)
    bin = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    empty = tmp_path / "empty"
    empty.mkdir()

    def run(*words) -> None:
        done = subprocess.run([UV, *words], cwd=empty, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    run("build", "--wheel", "--out-dir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    run("venv", "--python", sys.executable, tmp_path / "venv")
    run("pip", "install", "--python", tmp_path / "venv", "--no-deps", wheel)
    link = [sys.executable, ROOT / ".ci" / "wheel_needs.py", tmp_path / "venv", "app"]
    subprocess.run(link, check=True)

    async def visit(address) -> None:
        person = Visitor(address, "marginals", "n=1000")
        await person.open()
        assert person.component("settings_bar")
        await person.close()

    (port,) = serving._find_free_ports(1)
    program = (bin / "calm-lab", "app", "--no-browser")
    with serve(tmp_path, port=port, program=program, cwd=empty) as (process, address):
        run_coroutine(visit(address))
        with urllib.request.urlopen(address) as page:
            assert "frame-ancestors" in page.headers["Content-Security-Policy"]
        health = address + streamlit_compat.HEALTH_ROUTE
        assert status_of(health) == 200 and status_of(f"{address}/_stcore/metrics") == 404
        upload = f"/_stcore/upload_file/a-session/{uuid.uuid4()}"
        assert streamlit_compat.UPLOAD_ROUTE.search(upload)[1] == "a-session"
        # Refused for want of a token, and so a route.
        assert {status_of(address + upload, method) for method in ("PUT", "DELETE")} == {403}
        # Before Streamlit looks up an address outside.
        assert status_of(health, Origin="http://evil.example") == 403
        assert status_of(health, Origin=address) == 200
        (server,) = servers(process)
        process.kill()
        if sys.platform == "linux":
            assert wait_until(lambda: has_ended(server))
    assert not [*empty.iterdir()]


@pytest.mark.parametrize("network, screen", [(False, True), (True, False)])
def test_the_app_says_where_it_is_and_opens_a_browser_where_there_is_a_screen(
    monkeypatch, network, screen
):
    """By a server that is a socket."""
    (port,) = serving._find_free_ports(1)
    opened, listening = [], socket.socket()

    def start(process) -> None:
        assert f"--server.address={'0.0.0.0' if network else '127.0.0.1'}" in process.command
        listening.bind(("127.0.0.1", port))
        listening.listen()

    monkeypatch.setattr(serving._Process, "start", start)
    monkeypatch.setattr(serving, "has_screen", lambda: screen)
    monkeypatch.setattr(serving, "list_private_addresses", lambda: ["192.168.1.20"])
    monkeypatch.setattr(serving.typer, "launch", opened.append)
    said = []
    monkeypatch.setattr(serving, "print_notes", said.extend)

    def look(seconds) -> None:
        if any("http://" in line for line in said):
            raise StopRequested(signal.SIGINT)

    monkeypatch.setattr(serving.time, "sleep", look)
    with pytest.raises(StopRequested), listening:
        serving.start_app(port=port, network=network)
    assert opened == ([f"http://127.0.0.1:{port}"] if screen else [])
    assert any(f"http://192.168.1.20:{port}" in line for line in said) is network


def test_what_cannot_be_served_is_refused_in_one_sentence(monkeypatch, tmp_path):
    (port,) = serving._find_free_ports(1)
    monkeypatch.setattr(serving.shutil, "which", lambda name: None)
    (tmp_path / "file").touch()
    usual = {"processes": 1, "address": "127.0.0.1", "port": port, "data_root": None}
    for options, said in (
        ({"processes": 0}, "at least 1"),
        ({"processes": 2}, "Caddy, which is not installed"),
        ({"data_root": tmp_path / "nothing"}, "must be a folder"),
        ({"address": "192.0.2.1"}, "choose another"),
        ({"embed_in": ["lms.example.org"]}, "cannot be embedded"),
    ):
        with pytest.raises(InputError, match=said):
            serving.serve(**usual | options)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with pytest.raises(InputError, match="choose another --port$"):
            serving.start_app(port=port)
    with pytest.raises(InputError, match="no port"):
        serving.start_app(port=99_999)
    monkeypatch.setattr(serving.shutil, "which", lambda name: "caddy")
    monkeypatch.setenv("CALM_CLASSROOM", str(tmp_path / "file" / "classroom.sqlite3"))
    with pytest.raises(InputError, match="set CALM_CLASSROOM"):
        serving.serve(**usual | {"processes": 2})
    monkeypatch.setattr(installation, "version", lambda name: "0.1")
    with pytest.raises(InputError, match=r"needs .*streamlit.* pip install 'calm-lab\[app\]'"):
        serving.start_app(port=port)
